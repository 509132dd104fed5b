"""How well the sense space tells senses apart of words it has not seen: `python -m tests.bench.sense_space [--language ko] [--write]`.

Of our labeled words, own and further: 1-NN leaving one out, and the adjusted Rand index (Hubert and Arabie 1985; 0 by chance) of k-means at
the true number of senses; means over words, with a 95% interval drawn by word. Each word is placed by a map that nine tenths of the others
taught. "plain" joins the parts without a map. `--data FOLDER` adds texts that nobody wrote for us: 600 sentences of each of Senseval-2's
four words. `--nulls` measures instead what knows less: the other words in another order, random LSTMs, no ELMo, each by a map of its own.
`--write` keeps the map beside the model and the substitutes beside the bundled table; then: python -m core bundle --sums
"""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from core.analysis import sense_map
from core.common.directions import unit
from core.common.significance import compare_pairs
from core.elmo.encoder import encoded, vectors_of_rows
from core.elmo.models import Model, open_model
from core.evaluation.context import SHUFFLED, UNTRAINED, sentences_of, shuffled, untrained
from core.evaluation.datasets import read_senseval
from core.evaluation.layer_scores import static_vectors
from core.files.artifacts import provenance
from core.index import sense_space
from core.index.sense_space import SenseSpace
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.senses.separation import one_nn
from core.senses.verdict import has_senses
from core.text import languages
from core.text.labeled_words import with_all

SENSEVAL = ("hard", "interest", "line", "serve")
Word = tuple[str, np.ndarray, np.ndarray]  # a word, its views (n, V), its senses (n,)


def rand_index(vectors: np.ndarray, senses: np.ndarray) -> float:
    """Adjusted Rand index of k-means at the number of senses."""
    from sklearn.cluster import KMeans
    from sklearn.metrics import adjusted_rand_score

    groups = KMeans(len(np.unique(senses)), n_init=10, random_state=0).fit_predict(vectors)
    return float(adjusted_rand_score(senses, groups))


def spaces(space: SenseSpace) -> dict[str, Callable[[Word], np.ndarray]]:
    """Name -> the unit vectors of a word's occurrences."""
    plain = SenseSpace(space.encoder, space.substitutes, space.vectors)
    ends = np.cumsum([0, *space.widths])

    def part(k: int, *, centered: bool = True) -> Callable[[Word], np.ndarray]:
        def of(word: Word) -> np.ndarray:
            rows = word[1][:, ends[k] : ends[k + 1]]
            return unit(rows - rows.mean(axis=0)) if centered else rows

        return of

    return {
        "layer 1": part(0, centered=False),
        "layer 1, mean off": part(0),
        "topic": part(1),
        "substitutes": part(2),
        "plain": lambda word: plain.place(word[1], word[1].mean(axis=0)),
        "senses": lambda word: space.place(word[1], word[1].mean(axis=0), word[0]),
    }


def nulls(model: Model, space: SenseSpace, table: OccurrenceTable, rows: np.ndarray, views: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Name -> the views (n, V) of what knows less; "topic" has nothing but the sum of the other words' static vectors."""
    sentences, places = sentences_of(table, rows)
    other = shuffled(sentences, places, np.random.default_rng(0))
    for name, encoder, tokens in ((SHUFFLED, space.encoder, other), (UNTRAINED, untrained(model, 0), sentences)):
        read = list(encoded(encoder, tokens))
        layers = np.stack([each[:, place] for each, place in zip(read, places, strict=True)])
        null = SenseSpace(encoder, space.substitutes, space.vectors)
        yield name, null.views(list(zip(tokens, places, strict=True)), layers, read)
    start, end, _ = np.cumsum(space.widths)
    yield "topic", np.where((np.arange(views.shape[1]) >= start) & (np.arange(views.shape[1]) < end), views, 0)


def table_of(name: str, space: SenseSpace, words: list[Word], *, groups: bool = True, alone: bool = False) -> None:
    """Print a line a space, and how far the sense space is ahead of each other one; `alone`: the sense space's line."""
    right = {}
    for title, place in list(spaces(space).items())[-1 if alone else 0 :]:
        placed = [(place(word), word[2]) for word in words]
        right[title] = [one_nn(rows @ rows.T, senses) for rows, senses in placed]
        nearest = compare_pairs(right[title], [0.0] * len(placed))
        line = f"{name:<12}{title:<20}1-NN {nearest.mean:.1%} ({nearest.span('.1f')})"
        if groups:
            index = compare_pairs([rand_index(rows, senses) for rows, senses in placed], [0.0] * len(placed))
            line += f"   ARI {index.mean:.3f} ({index.span('.3f', times=1)})"
        print(line, flush=True)
    for title in right.keys() - {"senses"}:
        ahead = compare_pairs(right["senses"], right[title])
        print(f"{name:<12}senses less {title}: {100 * ahead.mean:+.1f} points ({ahead.span()}), p {ahead.p:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", default="en", help="en or ko")
    parser.add_argument("--data", type=Path, help="a folder with senseval/")
    parser.add_argument("--nulls", action="store_true", help="measure instead what knows less")
    parser.add_argument("--write", action="store_true", help="keep the map and the substitutes in assets")
    args = parser.parse_args()
    language = languages.get_language(args.language)
    model = open_model(language.model)
    own = open_table(language.sentences, model, targets_only=True)
    table = open_table(with_all(language.sentences), model, targets_only=True)
    space = sense_space.open_space(model, static_vectors(model))
    space.learned = None
    names = [word for word in table.lemmas if has_senses(table, word)]
    rows = [table.labeled_rows(word) for word in names]
    for part in table.tables:
        if args.write or (not args.nulls and part.folder != own.folder):
            space.keep(part)
    views = space.of_rows(table, np.concatenate(rows))

    def learned_from(views: np.ndarray) -> list[Word]:
        """Gives the space its map."""
        parts = np.split(views, np.cumsum([len(of) for of in rows])[:-1])
        words = [(word, part, table.sense[of]) for word, part, of in zip(names, parts, rows, strict=True)]
        space.learned = sense_map.learn(space, words)
        return words

    bundled = {word for word in own.lemmas if has_senses(own, word)}
    if args.nulls:
        for name, seen in nulls(model, space, table, np.concatenate(rows), views):
            words = learned_from(seen)
            for title, among in (("own", bundled), ("further", {*names} - bundled)):
                table_of(f"{name}, {title} ", space, [word for word in words if word[0] in among], alone=True)
        return
    words = learned_from(views)
    if args.write:
        facts = {
            "model": model.fingerprint,
            "vectors": space.vectors.name,
            "provenance": str(provenance(command="python -m tests.bench.sense_space --write")),
        }
        sense_space.write(model.folder / sense_space.FILE, space.learned, facts)
    table_of("own", space, [word for word in words if word[0] in bundled])
    table_of("further", space, [word for word in words if word[0] not in bundled])
    if args.data and args.language == "en":
        natural = []
        for name in SENSEVAL:
            instances = read_senseval(args.data / "senseval" / f"{name}.pos.xz")
            chosen = [instances[k] for k in np.random.default_rng(0).permutation(len(instances))[:600]]
            layers = vectors_of_rows(model.encoder, chosen)
            seen = space.views([(row.tokens, row.position) for row in chosen], layers)
            natural.append((f"{name} of Senseval", seen, np.unique([row.label for row in chosen], return_inverse=True)[1]))
        table_of("Senseval-2", space, natural, groups=False)


if __name__ == "__main__":
    main()
