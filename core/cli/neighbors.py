"""Commands about a word: `neighbors`, `static-neighbors`, `verdict`, `substitutes`, and `view` for any view as JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..common import reports
from ..common.errors import BadInput
from ..common.limits import limits
from ..common.markup import shorten
from ..common.model_layers import MIX, SENSES
from ..files.registry import is_bundled
from ..text import languages
from ..text.corpora import locate
from ..text.languages import note_unread
from ..text.readings import WordInContext, read_in
from ..text.sentences import MAX_TOKENS
from ..text.target_word import find_target_words
from ..text.tokens import bare
from . import wire
from .options import BEST, CLUSTER, CORPUS, DOWNLOAD, MODEL, VECTORS, Answer, ModelOptions, argument, command, flag, option, whole
from .shared import cluster_of, in_columns, note, open_model, open_static, progress, sense_space, workspace_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..cluster.shards import Shards
    from ..elmo.models import Model

PLACE = (
    option("--word", "a token of the sentence, in any letter case", metavar="W", required=True),
    option("--sentence", "the sentence, split into tokens as ELMo's training text was", metavar="S", required=True),
    option("--position", "which token, from 0, if the word occurs more than once", metavar="I", type=int),
)
READ_AS = option("--read-as", "the lemma of an ambiguous form: for wound, either wind or wound", metavar="W")


@command(
    "neighbors",
    *PLACE,
    READ_AS,
    *MODEL,
    CORPUS,
    option("--layer", "a layer's number from 0, mix, or senses: the sense space (default: the top layer, the mix where weights are given)"),
    option("--weights", "layer weights, one per layer (default: equal)", metavar="a,b,c"),
    flag("--other-words", "leave out occurrences of the same word"),
    BEST,
    flag("--approximate", "search the approximate index made by `index approximate`"),
    CLUSTER,
    place="word sentence position",
    index="corpus approximate cluster",
)
def neighbors(*, place, read_as, index, layer, weights, other_words, k, model) -> Answer:
    """List the nearest occurrences of a word in a sentence."""
    from ..elmo.mix import layer_weights
    from ..index import neighbors
    from ..index.rows import make_query
    from ..index.sense_space import LAYER
    from ..index.tables import open_table
    from ..views.neighbors import NeighborsRequest, compute

    model = open_model(model, cluster=index.cluster)
    in_context = _in_sentence(place, read_as, model)
    if layer is None:
        layer = MIX if weights else model.layers.top
    if layer == SENSES and index.cluster:
        raise BadInput("The sense space is searched on one machine, shard by shard: leave out --cluster.")
    if weights and layer != MIX:
        named = "The sense space" if layer == SENSES else f"Layer {shorten(layer)}"
        raise BadInput(f"{named} does not mix layers: leave out --weights.")
    space = sense_space(layer, model) if layer == SENSES else None
    of_layers = layer_weights(layer, model.encoder.n_layers, weights, senses=True) if space is None else np.ones(1)
    among = neighbors.OTHER if other_words else neighbors.ANY
    if not (index.cluster or index.approximate or in_shards(index.corpus)):
        request = NeighborsRequest(word=in_context, space=layer, weights=weights or "", among=among, k=k)
        result = compute(workspace_of(model, index.corpus, what="indexing the corpus once, tokens"), request)
        nearest, narrowed = result.entries, result.narrowed
    else:
        from ..cluster.approximate import ApproximateIndex, SensesOfShards, ShardedIndex

        corpus = index.corpus or model.language.sentences
        query = make_query(model.encoder, list(in_context.tokens), in_context.position)
        with cluster_of(None if index.approximate else index.cluster) as client:
            where = corpus if in_shards(corpus) else open_table(corpus, model, report=progress("indexing the corpus once, tokens")).folder
            shards = shards_of(where, model)
            if index.approximate:
                searched = ApproximateIndex(shards, space)
            else:
                searched = SensesOfShards(shards, space) if space else ShardedIndex(shards, client)
            nearest = searched.nearest(replace(query, read_as=in_context.read_as), of_layers, k=k, which=among)
            narrowed = searched.narrows(query, among) if space and not index.approximate else 0
    if narrowed:
        note(f"The sense space was searched for the {narrowed:,} occurrences that are nearest at layer {LAYER}.")
    rows = [
        {"word": bare(o.tokens[o.position]), "sentence": o.sentence, "position": o.position, "sense": o.sense, "cosine": round(n.cosine, 6)}
        for n in nearest
        for o in [n.occurrence]
    ]
    query_fields = _fields(place, in_context) | {"layer": layer, "weights": of_layers.tolist()}
    lines = in_columns((f"{row['cosine']:.3f}", row["word"], row["sense"] or "", row["sentence"]) for row in rows)
    return {"query": query_fields, "neighbors": rows}, lines or "No neighbors."


def in_shards(where: str) -> bool:
    """Return whether a path is an index in shards, without importing Dask, which takes a second."""
    return "://" in where or (where != "" and not is_bundled(where, "corpus") and (Path(where) / "index.json").is_file())


def shards_of(where: str | Path, model: Model) -> Shards:
    """Open the index in shards of a folder or URL. Raises BadInput if another model made it."""
    from ..cluster.shards import open_shards

    shards = open_shards(where)
    if shards.meta.get("model") != model.fingerprint:
        raise BadInput(f"The index {where} was made with a model other than {model.name}. Name its model, or build it again.")
    return shards


def _in_sentence(place, read_as: str | None, model: Model) -> WordInContext:
    """Return the token that the options name, in its sentence."""
    if not place.word.strip():
        raise BadInput("--word is empty. Name a token of the sentence.")
    item = {"text": place.sentence, "word": place.word, "position": place.position}
    with reports.passing_on():
        position, tokens = wire.position_of(model.language, "--sentence", item, limit=MAX_TOKENS)
    return WordInContext(tokens, position, wire.reading(read_as, tokens[position], model.language))


def _fields(place, word: WordInContext) -> dict:
    return {"word": place.word, "sentence": place.sentence, "tokens": list(word.tokens), "position": word.position}


@command("static-neighbors", option("--word", "a word of the vectors' vocabulary", metavar="W", required=True), *(VECTORS, DOWNLOAD, BEST))
def static_neighbors(*, word, vectors, download, k) -> Answer:
    """List the nearest words by static vectors (GloVe, word2vec)."""
    vectors = open_static(vectors, download=download)
    rows = [{"word": bare(n.word), "cosine": round(n.cosine, 6)} for n in vectors.neighbors(word, k)]
    return {"word": word, "neighbors": rows}, (f"{r['cosine']:.3f}  {r['word']}" for r in rows)


@command(
    "verdict",
    option("--word", "the word, or a form of it (default: the word that Home compares, one that both sentences have)", metavar="W"),
    option("--sentence", "two sentences: give it twice", metavar="S", required=True, many=True),
    option("--language", "en or ko, with its own model (default: the model's language)", metavar="L"),
    READ_AS,
    *MODEL,
)
def verdict(*, word, sentence, language, read_as, model) -> Answer:
    """Decide whether a word means the same in two sentences: Home's verdict."""
    from ..senses.verdict import is_word
    from ..views.pair import judge
    from ..workspace import open_workspace

    if len(sentence) != 2:
        raise BadInput(f"Two sentences are compared, got {len(sentence)}: give --sentence twice.")
    if language:
        expected = languages.get_language(language).model
        if not expected or model.model not in (ModelOptions.model, expected):
            raise BadInput(f"--language {language} is read by {expected or 'no model'}, not by {model.model}. Leave out --language.")
        model = replace(model, model=expected)
    model = open_model(model)
    first, second = _both_in_context(sentence, word, read_as, model)
    over = open_workspace(model)
    if unread := next((item.word for item in (first, second) if not is_word(item, over.language)), ""):
        raise BadInput(f"No verdict is given on '{unread}': it has no letters of {over.language.name}. Name another word.")
    judgment = judge(over, first, second)
    verdict = judgment.verdict
    if verdict is None:
        both = f"'{first.word}' and '{second.word}'"
        raise BadInput(f"{both} are two words: a verdict is on one word. Name a word that both sentences have.")
    senses = None if verdict.senses is None else list(verdict.senses)
    words = [bare(first.word), bare(second.word)]
    result = {"words": words, "says": verdict.says, "probability": round(verdict.probability, 4), "right_of_100": verdict.right_of_100}
    result |= {"layer": verdict.layer, "senses": senses, "named_in": verdict.named_in or None, "matched": judgment.lemma or None}
    lines = [
        f"{verdict.says.capitalize()}. {verdict.say_certainty()}",
        f"words: {', '.join(words)}",
        f"layer: {verdict.layer}",
        f"labeled sentences of: {judgment.lemma or '(none; judged without labels)'}",
    ]
    if senses:
        named = ", ".join(sense or "(no meaning leads)" for sense in senses)
        lines.append(f"nearest senses {model.layers.at(verdict.named_in)}: {named}")
    return result, lines


@command(
    "substitutes",
    *PLACE,
    option("--k", BEST.help, type=whole(1, 1000), default=BEST.default),
    option("--direction", "expected from the left, the right, or both", choices=("both", "forward", "backward"), default="both"),
    flag("--common", "allow the most common words of the vocabulary"),
    *MODEL,
    place="word sentence position",
)
def substitutes(*, place, k, direction, common, model) -> Answer:
    """List the words that a biLM expects in a word's place."""
    from ..views.substitutes import SubstitutesRequest, compute

    model = open_model(model)
    word = _in_sentence(place, None, model)
    (item,) = compute(workspace_of(model), SubstitutesRequest(words=(word,), direction=direction, k=k, common=common))
    rows = [{"word": word.word, "probability": round(word.probability, 6)} for word in item.substitutes]
    lines = in_columns((f"{row['probability']:.1%}", row["word"]) for row in rows)
    return {**_fields(place, word), "direction": direction, "substitutes": rows}, lines or "No substitutes."


@command(
    "view",
    argument("name", f"which view: {', '.join(wire.VIEWS)}", metavar="NAME"),
    option("--request", 'JSON: {"first": {"text": "The bank lent."}, "second": {"text": "A grassy bank."}}', metavar="JSON", required=True),
    CORPUS,
    option("--vectors", "static vectors: a registry name or a vector file (default: its language's own)", metavar="V", default=""),
    *MODEL,
)
def view(*, name, request, corpus, vectors, model) -> Answer:
    """Compute the result of a page as JSON: a request in, a result out."""
    try:
        parsed = json.loads(request)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"--request is not JSON: {error}. Use an object, such as {wire.example(wire.view_named(name))}.") from None
    result = wire.answer(workspace_of(model, corpus, vectors), name, parsed)
    return result, json.dumps(result, ensure_ascii=False, indent=1)


def _both_in_context(sentences: Sequence[str], word: str | None, read_as: str | None, model: Model) -> list[WordInContext]:
    """Return the word, in any of its forms, in each of two sentences; without a word the one that pages compare."""
    max_words = limits().max_words
    both = [tuple(languages.tokenize(text)) for text in sentences]
    if max(map(len, both)) > max_words:
        note(f"Only the first {max_words} words of a sentence are read.")
    both = [tokens[:max_words] for tokens in both]
    if word is None:
        places = list(find_target_words(*both, model.language))
        if None in places:
            raise BadInput(f"Sentence {places.index(None) + 1} is empty. Write one with a word in it.")
        located = list(zip(both, places, strict=True))
    else:
        located = []
        for k, tokens in enumerate(both, start=1):
            cut, positions = locate(tokens, word, model.language, forms=True)
            if not positions:
                raise BadInput(f"Sentence {k}: {wire.no_token(word, cut)}")
            note_unread(cut, model.language)
            located.append((tuple(cut), positions[0]))
    readings = [wire.reading(read_as, tokens[k], model.language) or read_in(tokens, k) for tokens, k in located]
    return [WordInContext(tokens, k, reading) for (tokens, k), reading in zip(located, readings, strict=True)]
