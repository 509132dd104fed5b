"""Measure how often the model of Guess the machine reads a sentence as it is labeled, and find the sentences that it misreads.

One question about each labeled word, in the word's best layer and in the sense space; and all labeled sentences, each left out of the vote
on it. Means over words, and the difference with a 95% interval drawn by word. A quiz takes two of its eight questions from misread sentences.
"""

import json

import numpy as np

from ..cli.options import Answer
from ..cli.shared import note
from ..common.config import ASSETS
from ..common.errors import BadInput
from ..common.significance import compare_pairs
from ..elmo.models import open_model
from ..index.neighbors import make_query
from ..index.sense_space import open_space
from ..index.tables import open_table, open_word
from ..senses import quiz
from ..senses.evaluate import static_vectors
from ..text import languages
from ..text.corpora import labeled_of
from ..text.labeled_words import words_of
from ..text.tokens import join_tokens


def write_misread(code: str) -> Answer:
    """Write the labeled sentences that the language's own model misreads in the sense space, each left out of the vote on it."""
    language = languages.get_language(code)
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
        note(f"{word} {n}")
    path = ASSETS / f"quiz-{language.code}.json"
    path.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")
    misread = sum(map(len, result.values()))
    return {"output": str(path), "misread": misread, "n": n}, f"{path}: {misread} of {n} sentences misread"


def measure(code: str, number: int) -> Answer:
    """Measure both readings of the language's labeled words; `number` is the number of the quiz, which draws the questions."""
    language = languages.get_language(code)
    model = open_model(language.model)
    space = open_space(model, static_vectors(model))
    table = open_table(language.sentences, model, targets_only=True)
    questions = [request for word in words_of(language) if (request := quiz.question(number, word, labeled_of(language, word)))]
    readings = {"best layer": [], "sense space": []}
    for request in questions:
        query = make_query(model.encoder, list(request.tokens), request.position)
        try:
            for name, of in zip(readings, (None, space), strict=True):
                readings[name].append(quiz.read(table, request, query, of))
        except BadInput as error:  # a word that this table does not hold
            note(str(error))
    right = {name: [each.right / each.others for each in of] for name, of in readings.items()}
    hits = {
        name: float(np.mean([each.sense == request.label for each, request in zip(of, questions, strict=True)]))
        for name, of in readings.items()
    }
    lines = [f"{name}: {hits[name]:.1%} of {len(questions)} questions, {np.mean(right[name]):.1%} of all sentences" for name in readings]
    ahead = compare_pairs(right["sense space"], right["best layer"])
    lines.append(f"sense space less best layer: {100 * ahead.mean:+.1f} points ({ahead.span()}), p {ahead.p:.3f}")
    return {"questions": hits, "sentences": {name: float(np.mean(values)) for name, values in right.items()}}, lines
