"""`neighbours` and `static-neighbours`."""

from __future__ import annotations

from pathlib import Path

from core.cli.shared import cluster_of, note, open_model, progress
from core.common.errors import BadInput
from core.elmo.mix import layer_weights
from core.elmo.models import Model
from core.index.tables import open_table
from core.static.vectors import open_vectors
from core.text import languages
from core.text.corpora import with_word
from core.text.tokens import bare, find_word, join_tokens


def find_neighbours(args) -> tuple[dict, str]:
    from core.index import neighbours

    model = open_model(args)
    tokens = languages.tokenize(args.sentence)
    if model.language.tokeniser != "words":  # 배도 is cut where 배 is asked for, even if the analyser took it for one noun
        tokens = with_word(tokens, args.word)
    position = _position(tokens, args.word, args.position)
    weights = layer_weights(args.layer, model.encoder.n_layers, args.weights)
    query = neighbours.make_query(model.encoder, tokens, position)
    which = neighbours.OTHER if args.other_words else neighbours.ANY
    corpus = args.corpus or model.language.sentences
    if args.cluster is not None or args.approximate or in_shards(corpus):
        found = _nearest_in_shards(args, corpus, model, query, weights, which)
    else:
        table = open_table(corpus, model, report=progress("indexing, tokens"))
        found = neighbours.nearest(table, neighbours.products(table.rows, query), weights, k=args.k, which=which)
    rows = [
        {
            "word": bare(n.occurrence.tokens[n.occurrence.position]),
            "sentence": join_tokens(list(n.occurrence.tokens)),
            "position": n.occurrence.position,
            "sense": n.occurrence.sense,
            "cosine": round(n.cosine, 6),
        }
        for n in found
    ]
    asked = {
        "word": args.word,
        "sentence": args.sentence,
        "tokens": tokens,
        "position": position,
        "layer": args.layer,
        "weights": weights.tolist(),
    }
    lines = [f"{row['cosine']:.3f}  {row['word']:<14} {row['sense'] or '':<22} {row['sentence']}" for row in rows]
    return {"query": asked, "neighbours": rows}, "\n".join(lines) or "No neighbours."


def in_shards(where: str) -> bool:
    """Whether it names an index in shards (told without Dask, which takes a second to import)."""
    return "://" in where or (Path(where) / "index.json").is_file()


def _nearest_in_shards(args, corpus: str, model: Model, query, weights, which: str) -> list:
    from core.cluster import approximate, search
    from core.cluster.shards import open_shards

    where = corpus if in_shards(corpus) else open_table(corpus, model, report=progress("indexing, tokens")).folder
    shards = open_shards(where)
    if shards.meta.get("model") != model.fingerprint:
        raise BadInput(f"The index {where} was made with another model than {model.name}. Name its model, or build it again.")
    if args.approximate:
        return approximate.nearest(shards, query, weights, k=args.k, which=which)
    with cluster_of(args) as client:
        return search.nearest(shards, query, weights, k=args.k, which=which, client=client)


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
    vectors = open_vectors(args.vectors, allow_download=args.download, report=note)
    found = vectors.neighbours(args.word, args.k)
    rows = [{"word": bare(n.word), "cosine": round(n.cosine, 6)} for n in found]
    return {"word": args.word, "neighbours": rows}, "\n".join(f"{r['cosine']:.3f}  {r['word']}" for r in rows)
