"""Groups of a word's sentences without labels, by several ways, against the labels: `python -m tests.bench.groups [--further N] [--language ko]`.

Adjusted Rand index (0 by chance) at the true number of senses, means over words with a 95% interval drawn by word. k-means of layer 1 and
of the sense space, as it is and with what a spelling shares taken off; against draws (Amrami and Goldberg 2018): ten representatives a
sentence, each of thirty words drawn from its substitutes, tf-idf, average linkage on cosines, each sentence in the group of most of its ten.
"""

import argparse
from collections.abc import Sequence

import numpy as np

from core.common.significance import compare_pairs
from core.elmo.language_model import Prediction
from core.elmo.models import open_model
from core.index.sense_space import open_space
from core.index.tables import open_table
from core.senses import clusters
from core.senses.evaluate import static_vectors
from core.senses.verdict import has_senses
from core.text import languages
from core.text.labeled_words import list_words, with_words

REPRESENTATIVES, DRAWN = 10, 30
KEPT = 200  # likeliest substitutes that are drawn from


def draws(substitutes: Sequence[Sequence[Prediction]], number: int, rng: np.random.Generator) -> np.ndarray:
    """(n,) the group of each context."""
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import TfidfVectorizer

    texts = []
    for of in substitutes:
        p = np.array([answer.probability for answer in of])
        texts += [[of[k].word for k in rng.choice(len(of), DRAWN, p=p / p.sum())] for _ in range(REPRESENTATIVES)]
    rows = TfidfVectorizer(analyzer=list).fit_transform(texts).toarray()
    result = AgglomerativeClustering(number, metric="cosine", linkage="average").fit_predict(rows).reshape(-1, REPRESENTATIVES)
    return np.array([np.bincount(of, minlength=number).argmax() for of in result])


def main() -> None:
    from sklearn.metrics import adjusted_rand_score

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", default="en", help="en or ko")
    parser.add_argument("--further", type=int, default=0, help="so many of the further words instead of the bundled ones")
    args = parser.parse_args()
    language = languages.get_language(args.language)
    model, rng = open_model(language.model), np.random.default_rng(0)
    space = open_space(model, static_vectors(model))
    corpus = language.sentences
    if args.further:
        own = set(open_table(corpus, model, targets_only=True).lemmas)
        more = [word for word in list_words(language) if word not in own]
        corpus = with_words(corpus, rng.choice(sorted(more), args.further, replace=False).tolist())
    table = open_table(corpus, model, targets_only=True)
    scores: dict[str, list[float]] = {}
    for word in table.lemmas:
        rows = table.labeled_rows(word)
        senses, spellings = table.sense[rows], table.word[rows]
        if not has_senses(table, word) or (args.further and word in own):
            continue
        number = len(np.unique(senses))
        placed = space.of_word(table, rows, word)
        layer = table.rows.take(rows)[:, 1]
        result = {
            "layer 1, spelling off": clusters.clusters(clusters.directions(layer, spellings), number),
            "sense space": clusters.clusters(placed, number),
            "sense space, spelling off": clusters.clusters(clusters.directions(placed, spellings), number),
            "draws": draws(space.likeliest(table, rows, KEPT), number, rng),
        }
        for name, groups in result.items():
            scores.setdefault(name, []).append(adjusted_rand_score(senses, groups))
    for name, values in scores.items():
        mean = compare_pairs(values, [0.0] * len(values))
        print(f"{len(values)} words  {name:<28}ARI {mean.mean:.3f} ({mean.span('.3f', times=1)})")


if __name__ == "__main__":
    main()
