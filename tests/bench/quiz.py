"""How often Guess the machine's model reads a sentence as it is labeled: `python -m tests.bench.quiz [--language ko]`.

One question about each of our labeled words, own and further, in the word's best layer and in the sense space; and all of their sentences on
offer, each left out of the vote on it. Means over words, and the difference with a 95% interval drawn by word.

`--write` reads every labeled sentence with all senses of its word on offer, and writes those that are misread to `assets/quiz-LANGUAGE.json`,
from which a quiz takes two of its eight questions.
"""

import argparse
import json

import numpy as np

from core.common.config import ASSETS
from core.common.errors import BadInput
from core.common.significance import compare_pairs
from core.elmo.models import open_model
from core.evaluation.layer_scores import static_vectors
from core.index.neighbors import make_query
from core.index.sense_space import open_space
from core.index.tables import open_table, open_word
from core.senses import quiz
from core.text import languages
from core.text.corpora import labeled_of
from core.text.labeled_words import with_all, words_of
from core.text.languages import Language
from core.text.tokens import join_tokens


def write_misread(language: Language) -> None:
    """Write the labeled sentences that the language's own model misreads in the sense space, each left out of the vote on it."""
    model = open_model(language.model)
    space = open_space(model, static_vectors(model))
    result, n = {}, 0
    for word in words_of(language):
        table = open_word(word, model)
        rows = table.labeled_rows(word)
        texts = [join_tokens(list(table.occurrence(int(row)).tokens)) for row in rows]
        codes, counts = np.unique(table.sense[rows], return_counts=True)
        codes = codes[counts >= quiz.FEWEST]
        if len(codes) < 2:
            continue
        labels = np.array([np.flatnonzero(codes == code)[0] if code in codes else -1 for code in table.sense[rows]])
        views = space.of_rows(table, rows)
        folded = np.array([text.casefold() for text in texts], object)
        for k in np.flatnonzero(labels >= 0):
            others = np.flatnonzero((labels >= 0) & (folded != folded[k]))
            mean = views[others].mean(axis=0)
            known, own = (space.place(views[of], mean, word) for of in (others, [k]))
            sense, _ = quiz.vote(known @ own[0], labels[others], len(codes))
            n += 1
            if sense != labels[k]:
                result.setdefault(word, {})[texts[k]] = table.senses[codes[sense]]
        print(word, n, flush=True)
    path = ASSETS / f"quiz-{language.code}.json"
    path.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(f"{path}: {sum(map(len, result.values()))} of {n} sentences misread")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--language", default="en", help="en or ko")
    parser.add_argument("--number", type=int, default=0, help="of the quiz")
    parser.add_argument("--write", action="store_true", help="the sentences that are misread")
    args = parser.parse_args()
    if args.write:
        write_misread(languages.get_language(args.language))
        return
    language = languages.get_language(args.language)
    model = open_model(language.model)
    space = open_space(model, static_vectors(model))
    table = open_table(with_all(language.sentences), model, targets_only=True)
    questions = [request for word in words_of(language) if (request := quiz.question(args.number, word, labeled_of(language, word)))]
    readings = {"best layer": [], "sense space": []}
    for request in questions:
        query = make_query(model.encoder, list(request.tokens), request.position)
        try:
            for name, of in zip(readings, (None, space), strict=True):
                readings[name].append(quiz.read(table, request, query, of))
        except BadInput as error:  # a word that this table does not hold
            print(error)
    right = {name: [each.right / each.others for each in of] for name, of in readings.items()}
    for name, of in readings.items():
        hits = np.mean([each.sense == request.label for each, request in zip(of, questions, strict=True)])
        print(f"{name}: {hits:.1%} of {len(of)} questions, {np.mean(right[name]):.1%} of all sentences", flush=True)
    ahead = compare_pairs(right["sense space"], right["best layer"])
    print(f"sense space less best layer: {100 * ahead.mean:+.1f} points ({ahead.span()}), p {ahead.p:.3f}")


if __name__ == "__main__":
    main()
