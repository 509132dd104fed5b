"""`neighbours`, `static-neighbours`, `verdict` and `substitutes`."""

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import numpy as np

from core.cli.shared import cluster_of, download_progress, in_columns, note, open_model, progress
from core.common.errors import BadInput
from core.common.model_layers import MIX, SENSES
from core.elmo.mix import layer_weights
from core.elmo.models import Model, open_language_model
from core.files.registry import is_bundled
from core.index.sense_index import MOST_READ, SenseIndex
from core.index.sense_space import LAYER, SenseSpace
from core.index.tables import open_table, open_tokens
from core.static.vectors import open_vectors
from core.text import languages
from core.text.corpora import with_word
from core.text.labelled_words import indexed, listed, with_words
from core.text.readings import WordInContext, read_in, readings
from core.text.tokens import bare, find_word
from core.text.word_in_question import same_word


def find_neighbours(args) -> tuple[dict, str]:
    from core.index import neighbours

    model = open_model(args)
    tokens = languages.tokenize(args.sentence)
    if model.language.tokeniser != "words":  # 배도 is cut where 배 is asked for, even if the analyser took it for one noun
        tokens = with_word(tokens, args.word)
    position = _position(tokens, args.word, args.position)
    layer = (MIX if args.weights else model.layers.top) if args.layer is None else args.layer
    senses = _sense_space(args, model) if layer == SENSES else None
    weights = np.ones(1) if senses else layer_weights(layer, model.encoder.n_layers, args.weights)
    read_as = _reading(args.read_as, tokens[position], model)
    query = replace(neighbours.make_query(model.encoder, tokens, position), read_as=read_as)
    with ExitStack() as until_answered:
        corpus = with_words(args.corpus or model.language.sentences, [bare(read_as or args.word)])
        index = _index(args, corpus, model, until_answered)
        which = neighbours.OTHER if args.other_words else neighbours.ANY
        if senses:
            index = SenseIndex(index, senses)
            if index.narrows(query, which):
                note(f"In the sense space stand the {MOST_READ} occurrences that are nearest at layer {LAYER}.")
        nearest = index.nearest(query, weights, k=args.k, which=which)
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
    asked = {
        "word": args.word,
        "sentence": args.sentence,
        "tokens": tokens,
        "position": position,
        "layer": layer,
        "weights": weights.tolist(),
    }
    lines = in_columns((f"{row['cosine']:.3f}", row["word"], row["sense"] or "", row["sentence"]) for row in rows)
    return {"query": asked, "neighbours": rows}, "\n".join(lines) or "No neighbours."


def _sense_space(args, model: Model) -> SenseSpace:
    """The model's sense space; BadInput where it has none, or the index is none that is searched in it."""
    from core.senses.judge import open_judge

    if args.cluster is not None or args.approximate or in_shards(args.corpus or ""):
        raise BadInput("The sense space is searched in one table: name no index in shards, and leave out --cluster and --approximate.")
    if args.weights:
        raise BadInput("The sense space is no mix of layers: leave out --weights.")
    space = open_judge(model).space
    if space is None:
        open_language_model(model)  # says what it lacks
        raise BadInput(f"{model.name} has no sense space.")
    return space


def in_shards(where: str) -> bool:
    """Whether it names an index in shards (told without Dask, which takes a second to import)."""
    return "://" in where or (not is_bundled(where, "corpus") and (Path(where) / "index.json").is_file())


def _index(args, corpus: str, model: Model, until_answered: ExitStack):
    """The table of a corpus, or its shards on a cluster, or their approximate index."""
    if args.cluster is None and not args.approximate and not in_shards(corpus):
        return open_tokens(corpus, model, report=progress("indexing, tokens"))
    from core.cluster.approximate import ApproximateIndex
    from core.cluster.search import ShardedIndex
    from core.cluster.shards import open_shards

    corpus = indexed(corpus)  # shards hold no further words
    where = corpus if in_shards(corpus) else open_table(corpus, model, report=progress("indexing, tokens")).folder
    shards = open_shards(where)
    if shards.meta.get("model") != model.fingerprint:
        raise BadInput(f"The index {where} was made with another model than {model.name}. Name its model, or build it again.")
    return ApproximateIndex(shards) if args.approximate else ShardedIndex(shards, until_answered.enter_context(cluster_of(args)))


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


def static_neighbours(args) -> tuple[dict, str]:
    vectors = open_vectors(args.vectors, allow_download=args.download, report=download_progress)
    nearest = vectors.neighbours(args.word, args.k)
    rows = [{"word": bare(n.word), "cosine": round(n.cosine, 6)} for n in nearest]
    return {"word": args.word, "neighbours": rows}, "\n".join(f"{r['cosine']:.3f}  {r['word']}" for r in rows)


def give_verdict(args) -> tuple[dict, str]:
    from core.senses.judge import open_judge

    if len(args.sentence) != 2:
        raise BadInput(f"Two sentences are compared, got {len(args.sentence)}: give --sentence twice.")
    if args.language:
        args.model = languages.named(args.language).model
    model = open_model(args)
    first, second = (_in_context(sentence, args, model) for sentence in args.sentence)
    judgment = open_judge(model).judge(first, second)
    verdict = judgment.verdict
    if verdict is None:
        told = f"'{first.word}' and '{second.word}' are two words, of which no verdict is given. Name one word that both sentences have."
        raise BadInput(told)
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


def find_substitutes(args) -> tuple[dict, str]:
    from core.elmo.substitutes import Substitutes

    model = open_model(args)
    substitutes = Substitutes(open_language_model(model))
    tokens = languages.tokenize(args.sentence)
    if model.language.tokeniser != "words":
        tokens = with_word(tokens, args.word)
    position = _position(tokens, args.word, args.position)
    places = model.encoder.around([tokens], [position])
    (likeliest,) = substitutes.likeliest(places, [tokens[position]], args.k, direction=args.direction, common=args.common)
    rows = [{"word": one.word, "probability": round(one.probability, 6)} for one in likeliest]
    result = {"word": args.word, "sentence": args.sentence, "tokens": tokens, "position": position, "direction": args.direction}
    lines = in_columns((f"{row['probability']:.1%}", row["word"]) for row in rows)
    return {**result, "substitutes": rows}, "\n".join(lines) or "No substitutes."


def _in_context(sentence: str, args, model: Model) -> WordInContext:
    """The word in a sentence, in any of its forms."""
    tokens = tuple(languages.tokenize(sentence))
    places = find_word(list(tokens), args.word) or [k for k in range(len(tokens)) if same_word([args.word], 0, tokens, k, model.language)]
    if not places:
        raise BadInput(f"'{args.word}' is not a token of the sentence. Its tokens: {' '.join(tokens)[:300] or '(none)'}")
    read_as = _reading(args.read_as, tokens[places[0]], model) or read_in(tokens, places[0])
    return WordInContext(tokens, places[0], read_as)


def _reading(wanted: str | None, word: str, model: Model) -> str:
    """What an ambiguous spelling is to be read as; "" where nothing is wanted."""
    if not wanted:
        return ""
    possible = readings(word, listed(model.language))
    if wanted not in possible:
        raise BadInput(f"'{word}' cannot be read as '{wanted}'. It may be read as: {', '.join(possible) or 'nothing but itself'}.")
    return wanted
