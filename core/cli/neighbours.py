"""What a model says of a word: `neighbours`, `static-neighbours`, `verdict`, `substitutes`; `view`: any view of core.views as JSON."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from core.cli.options import CLUSTER, MODEL, Answer, argument, command, flag, option, whole
from core.cli.shared import cluster_of, download_progress, in_columns, note, open_model, progress
from core.common.config import NEIGHBOURS
from core.common.errors import BadInput
from core.common.model_layers import MIX, SENSES
from core.files.registry import is_bundled
from core.static.vectors import open_vectors
from core.text import languages
from core.text.corpora import with_word
from core.text.labelled_words import indexed, listed
from core.text.readings import WordInContext, read_in, readings
from core.text.tokens import bare, find_word
from core.text.word_in_question import same_word

if TYPE_CHECKING:
    from core.elmo.models import Model


WORD = option("--word", "a token of the sentence, in any letter case", metavar="W", required=True)
SENTENCE = option("--sentence", "the sentence, split into tokens as ELMo's training text was", metavar="S", required=True)
READ_AS = option("--read-as", "the lemma of an ambiguous form: for wound, either wind or wound", metavar="W")


@command(
    "neighbours",
    "Nearest occurrences of a word in a sentence.",
    WORD,
    SENTENCE,
    option("--position", "which token, from 0, if the word occurs more than once", metavar="I", type=int),
    READ_AS,
    *MODEL,
    option("--corpus", "a registry name, an index folder, or a JSONL of sentences (default: its language's own)", metavar="C"),
    option("--layer", "a layer's number from 0, mix, or senses: the sense space (default: the top layer, the mix where weights are given)"),
    option("--weights", "layer weights, one per layer (default: equal)", metavar="a,b,c"),
    flag("--other-words", "leave out occurrences of the same word"),
    option("--k", f"how many, best first (default {NEIGHBOURS})", type=whole(1), default=NEIGHBOURS),
    flag("--approximate", "search the approximate index made by `index approximate`"),
    CLUSTER,
)
def neighbours(*, word, sentence, position, read_as, corpus, layer, weights, other_words, k, approximate, cluster, **model) -> Answer:
    from core.elmo.mix import layer_weights
    from core.index import neighbours
    from core.index.sense_index import MOST_READ
    from core.index.sense_space import LAYER
    from core.views.neighbours import NeighboursRequest, compute
    from core.workbench import open_bench

    model = open_model(**model, cluster=cluster)
    tokens = languages.tokenize(sentence)
    if model.language.tokeniser != "words":  # 배도 is cut where 배 is asked for, even if the analyser took it for one noun
        tokens = with_word(tokens, word)
    position = _position(tokens, word, position)
    layer = (MIX if weights else model.layers.top) if layer is None else layer
    alone = cluster is None and not approximate and not in_shards(corpus or "")
    if layer == SENSES:
        _check_sense_space(model, weights, alone=alone)
    of_layers = np.ones(1) if layer == SENSES else layer_weights(layer, model.encoder.n_layers, weights)
    in_context = WordInContext(tuple(tokens), position, _reading(read_as, tokens[position], model))
    among = neighbours.OTHER if other_words else neighbours.ANY
    if alone:
        bench = open_bench(model, corpus=corpus or "", report=progress("indexing, tokens"))
        request = NeighboursRequest(word=in_context, space=layer, weights=weights or "", among=among, k=k)
        result = compute(bench, request)
        nearest = result.entries
        if result.narrowed:
            note(f"In the sense space stand the {MOST_READ} occurrences that are nearest at layer {LAYER}.")
    else:
        query = replace(neighbours.make_query(model.encoder, tokens, position), read_as=in_context.read_as)
        with ExitStack() as until_answered:
            index = _shards(indexed(corpus or model.language.sentences), model, cluster, approximate, until_answered)
            nearest = index.nearest(query, of_layers, k=k, which=among)
    rows = [
        {
            "word": bare(n.occurrence.tokens[n.occurrence.position]),
            "sentence": n.occurrence.sentence,
            "position": n.occurrence.position,
            "sense": n.occurrence.sense,
            "cosine": round(n.cosine, 6),
        }
        for n in nearest
    ]
    query_facts = {
        "word": word,
        "sentence": sentence,
        "tokens": tokens,
        "position": position,
        "layer": layer,
        "weights": of_layers.tolist(),
    }
    lines = in_columns((f"{row['cosine']:.3f}", row["word"], row["sense"] or "", row["sentence"]) for row in rows)
    return {"query": query_facts, "neighbours": rows}, "\n".join(lines) or "No neighbours."


def _check_sense_space(model: Model, weights: str | None, *, alone: bool) -> None:
    """BadInput where the model has no sense space, or the index is none that is searched in it."""
    from core.elmo.models import open_language_model
    from core.senses.judge import open_judge

    if not alone:
        raise BadInput("The sense space is searched in one table: name no index in shards, and leave out --cluster and --approximate.")
    if weights:
        raise BadInput("The sense space is no mix of layers: leave out --weights.")
    if open_judge(model).space is None:
        open_language_model(model)  # says what it lacks
        raise BadInput(f"{model.name} has no sense space.")


def in_shards(where: str) -> bool:
    """Whether it names an index in shards (told without Dask, which takes a second to import)."""
    return "://" in where or (not is_bundled(where, "corpus") and (Path(where) / "index.json").is_file())


def _shards(corpus: str, model: Model, cluster: str | None, approximate: bool, until_answered: ExitStack):
    """A corpus in shards (which hold no further words) on a cluster, or their approximate index."""
    from core.cluster.approximate import ApproximateIndex
    from core.cluster.search import ShardedIndex
    from core.cluster.shards import open_shards
    from core.index.tables import open_table

    where = corpus if in_shards(corpus) else open_table(corpus, model, report=progress("indexing, tokens")).folder
    shards = open_shards(where)
    if shards.meta.get("model") != model.fingerprint:
        raise BadInput(f"The index {where} was made with another model than {model.name}. Name its model, or build it again.")
    return ApproximateIndex(shards) if approximate else ShardedIndex(shards, until_answered.enter_context(cluster_of(cluster)))


def _position(tokens: list[str], word: str, given: int | None) -> int:
    places = find_word(tokens, word)
    if given is not None:
        if given not in places:
            at = f"'{tokens[given]}'" if 0 <= given < len(tokens) else "no token"
            raise BadInput(
                f"Token {given} of the sentence is {at}, not '{word}'. '{word}' stands at: {', '.join(map(str, places)) or 'nowhere'}."
            )
        return given
    if not places:
        raise BadInput(f"'{word}' is not a token of the sentence. Its tokens: {' '.join(tokens)[:300] or '(none)'}")
    if len(places) > 1:
        note(f"'{word}' stands at {', '.join(map(str, places))}; taking the first. Choose with --position.")
    return places[0]


@command(
    "static-neighbours",
    "Nearest words by static vectors (GloVe, word2vec).",
    option("--word", "a word of the vectors' vocabulary", metavar="W", required=True),
    option("--vectors", "a registry name or a vector file", metavar="V", default="glove-mini"),
    flag("--download", "fetch vectors that are not on this machine yet"),
    option("--k", f"how many, best first (default {NEIGHBOURS})", type=whole(1), default=NEIGHBOURS),
)
def static_neighbours(*, word, vectors, download, k) -> Answer:
    vectors = open_vectors(vectors, allow_download=download, report=download_progress)
    nearest = vectors.neighbours(word, k)
    rows = [{"word": bare(n.word), "cosine": round(n.cosine, 6)} for n in nearest]
    return {"word": word, "neighbours": rows}, "\n".join(f"{r['cosine']:.3f}  {r['word']}" for r in rows)


@command(
    "verdict",
    "Whether a word means the same in two sentences: Home's verdict.",
    option("--word", "the word; either sentence may have another form of it", metavar="W", required=True),
    option("--sentence", "two sentences: give it twice", metavar="S", required=True, many=True, extends=True),
    option("--language", "en or ko, with its own model (default: the model's language)", metavar="L"),
    READ_AS,
    *MODEL,
)
def verdict(*, word, sentence, language, read_as, **model) -> Answer:
    from core.senses.judge import open_judge

    if len(sentence) != 2:
        raise BadInput(f"Two sentences are compared, got {len(sentence)}: give --sentence twice.")
    if language:
        model["model"] = languages.named(language).model
    model = open_model(**model)
    first, second = (_in_context(item, word, read_as, model) for item in sentence)
    judgment = open_judge(model).judge(first, second)
    verdict = judgment.verdict
    if verdict is None:
        message = f"'{first.word}' and '{second.word}' are two words, of which no verdict is given. Name one word that both sentences have."
        raise BadInput(message)
    result = {
        "says": verdict.says,
        "probability": round(verdict.probability, 4),
        "right_of_100": verdict.right_of_100,
        "layer": verdict.layer,
        "senses": None if verdict.senses is None else list(verdict.senses),
        "matched": judgment.lemma or None,
    }
    line = f"{verdict.says}: right in {verdict.right_of_100} of 100 pairs like this"
    lines = [line, f"layer: {verdict.layer}", f"labeled sentences of: {judgment.lemma or '(none; judged without labels)'}"]
    if verdict.senses:
        lines.append("senses with most votes: " + ", ".join(sense or "(no meaning leads)" for sense in verdict.senses))
    return result, "\n".join(lines)


@command(
    "substitutes",
    "The words that a biLM expects in a word's place.",
    WORD,
    SENTENCE,
    option("--position", "which token, from 0, if the word occurs more than once", metavar="I", type=int),
    option("--k", f"how many, best first (default {NEIGHBOURS})", type=whole(1), default=NEIGHBOURS),
    option(
        "--direction", "the words expected from the left, from the right, or both", choices=("both", "forward", "backward"), default="both"
    ),
    flag("--common", "allow the most common words of the vocabulary"),
    *MODEL,
)
def substitutes(*, word, sentence, position, k, direction, common, **model) -> Answer:
    from core.views.substitutes import SubstitutesRequest, compute
    from core.workbench import open_bench

    model = open_model(**model)
    tokens = languages.tokenize(sentence)
    if model.language.tokeniser != "words":
        tokens = with_word(tokens, word)
    position = _position(tokens, word, position)
    request = SubstitutesRequest(words=(WordInContext(tuple(tokens), position),), direction=direction, k=k, common=common)
    (place,) = compute(open_bench(model), request)
    rows = [{"word": each.word, "probability": round(each.probability, 6)} for each in place.substitutes]
    result = {"word": word, "sentence": sentence, "tokens": tokens, "position": position, "direction": direction}
    lines = in_columns((f"{row['probability']:.1%}", row["word"]) for row in rows)
    return {**result, "substitutes": rows}, "\n".join(lines) or "No substitutes."


# core.views.wire's, which would import numpy before --help
VIEWS = ("pair", "neighbours", "induction", "layouts", "cloud", "substitutes", "compare", "mix", "around", "attribution", "edits", "change")


@command(
    "view",
    "What a page computes, as JSON: a request in, a result out.",
    argument("name", f"which view: {', '.join(VIEWS)}", metavar="NAME"),
    option("--request", 'a JSON object, such as {"word": {"text": "We sat on the bank."}, "space": "1"}', metavar="JSON", required=True),
    option("--corpus", "a registry name, an index folder, or a JSONL of sentences (default: its language's own)", metavar="C", default=""),
    option("--vectors", "static vectors: a registry name or a vector file (default: its language's own)", metavar="V", default=""),
    *MODEL,
)
def view(*, name, request, corpus, vectors, **model) -> Answer:
    from core.views import wire
    from core.workbench import open_bench

    try:
        parsed = json.loads(request)
    except ValueError as error:
        raise BadInput(f"--request is no JSON: {error}.") from None
    bench = open_bench(open_model(**model), vectors, corpus, report=progress("tokens"))
    result = wire.answer(bench, name, parsed)
    return result, json.dumps(result, ensure_ascii=False, indent=1)


def _in_context(sentence: str, word: str, read_as: str | None, model: Model) -> WordInContext:
    """The word in a sentence, in any of its forms."""
    tokens = tuple(languages.tokenize(sentence))
    places = find_word(list(tokens), word) or [k for k in range(len(tokens)) if same_word([word], 0, tokens, k, model.language)]
    if not places:
        raise BadInput(f"'{word}' is not a token of the sentence. Its tokens: {' '.join(tokens)[:300] or '(none)'}")
    read_as = _reading(read_as, tokens[places[0]], model) or read_in(tokens, places[0])
    return WordInContext(tokens, places[0], read_as)


def _reading(wanted: str | None, word: str, model: Model) -> str:
    """What an ambiguous spelling is to be read as; "" where nothing is wanted."""
    if not wanted:
        return ""
    possible = readings(word, listed(model.language))
    if wanted not in possible:
        raise BadInput(f"'{word}' cannot be read as '{wanted}'. It may be read as: {', '.join(possible) or 'nothing but itself'}.")
    return wanted
