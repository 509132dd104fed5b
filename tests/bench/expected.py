"""When the words ELMo expects in a word's place are good enough to be shown: `python -m tests.bench.expected [--language ko]`.

Of every labeled sentence, the five likeliest words are judged by the sense space: a word's place there is the mean of its occurrences in
the bundled sentences, and it is of the sense with the nearest mean of the other labeled sentences. Words that the bundled sentences lack are
not judged. For each rule: the share of the sentences that it shows, how often one of the five is of the right sense, and the share of the
five that are; words weigh alike. `--words` prints examples of what the rule of core.elmo.in_place shows and hides.
"""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.common.directions import unit
from core.elmo.in_place import InPlace, in_place
from core.elmo.models import open_model
from core.index.sense_space import SenseSpace, open_space
from core.index.table import OccurrenceTable
from core.index.tables import open_table, open_tokens
from core.senses import pairs, verdict
from core.senses.evaluate import static_vectors
from core.static.vectors import StaticVectors
from core.text import languages
from core.text.readings import WordInContext

BEST, LISTED = 5, 10  # words judged, and those that have the mass
MOST = 8  # occurrences of a word whose mean is its place


@dataclass(frozen=True, slots=True, eq=False)
class Judged:
    """The words expected in one labeled sentence."""

    lemma: str
    number: int  # among the word's labeled sentences
    sense: str
    answer: InPlace
    right: tuple[bool, ...]  # of those of the BEST that could be judged
    chance: float  # how often a word is nearest the right sense, over all words that were judged for the lemma

    @property
    def mass(self) -> float:
        """Of the LISTED likeliest."""
        return sum(word.probability for word in self.answer.substitutes)


class Places:
    """The words of the bundled sentences in the sense space, before the map."""

    def __init__(self, table: OccurrenceTable, space: SenseSpace) -> None:
        self._table, self._space = table, space
        self._known: dict[str, np.ndarray | None] = {}
        self._codes: dict[str, list[int]] = {}
        for code, word in enumerate(table.words):
            self._codes.setdefault(word.casefold(), []).append(code)

    def place(self, word: str) -> np.ndarray | None:
        """(V,) the mean over some of its occurrences; None where it has none."""
        key = word.casefold()
        if key not in self._known:
            rows = np.flatnonzero(np.isin(self._table.word, self._codes.get(key, [])))[:MOST]
            views = self._space.of_rows(self._table, rows) if len(rows) else None
            self._known[key] = None if views is None else self._space.place(views, mapped=False).mean(axis=0)
        return self._known[key]


def judge(table: OccurrenceTable, lemma: str, space: SenseSpace, places: Places) -> Iterator[Judged]:
    """Each labeled sentence of a word, by the means of the others."""
    rows, labels = verdict.some_rows(table, lemma)
    names = [table.senses[code] for code in np.unique(table.sense[rows])]
    occurrences = [table.occurrence(int(row)) for row in rows]
    answers = in_place(space.substitutes, [WordInContext(o.tokens, o.position) for o in occurrences], LISTED)
    maps = space.learned.map_for(lemma)
    views = space.place(space.of_rows(table, rows), mapped=False) @ maps
    words = sorted({word.word for answer in answers for word in answer.substitutes[:BEST]})
    known = {word: place @ maps for word in words if (place := places.place(word)) is not None}
    senses = np.arange(labels.max() + 1)
    for k, (answer, own) in enumerate(zip(answers, labels, strict=True)):
        others = np.arange(len(rows)) != k
        if not (labels[others] == own).any():
            continue
        means = np.stack([unit(views[others & (labels == sense)]).mean(axis=0) for sense in senses])
        directions = unit(means - means.mean(axis=0))
        nearest = {word: int((directions @ unit(place)).argmax()) for word, place in known.items()}
        right = tuple(nearest[word.word] == own for word in answer.substitutes[:BEST] if word.word in nearest)
        yield Judged(lemma, k, names[own], answer, right, float(np.mean([each == own for each in nearest.values()])))


def figures(judged: Sequence[Judged], shows: Callable[[Judged], bool]) -> dict[str, float]:
    """What a rule shows, words alike."""
    lemmas = sorted({each.lemma for each in judged})
    of_words = [[each for each in judged if each.lemma == lemma and each.right] for lemma in lemmas]
    by_word = [[each for each in of if shows(each)] for of in of_words]
    shown = [of for of in by_word if of]
    return {
        "shown": float(np.mean([len(of) / len(every) for of, every in zip(by_word, of_words, strict=True) if every])),
        "one is right": float(np.mean([np.mean([any(each.right) for each in of]) for of in shown])),
        "right of five": float(np.mean([np.mean([np.mean(each.right) for each in of]) for of in shown])),
        "most are right": float(np.mean([np.mean([np.mean(each.right) > 0.5 for each in of]) for of in shown])),
        "by chance": float(np.mean([np.mean([each.chance for each in of]) for of in shown])),
    }


def coherence(vectors: StaticVectors, judged: Judged) -> float:
    """The mean cosine of the BEST among each other by their static vectors."""
    rows = [vectors.vector(word.word) for word in judged.answer.substitutes[:BEST]]
    rows = unit(np.stack([row for row in rows if row is not None])) if sum(row is not None for row in rows) > 1 else np.zeros((0, 1))
    return float((rows @ rows.T)[np.triu_indices(len(rows), 1)].mean()) if len(rows) else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", default="en", help="en or ko")
    parser.add_argument("--words", type=int, default=0, help="print that many examples")
    args = parser.parse_args()
    language = languages.get_language(args.language)
    model = open_model(language.model)
    vectors = static_vectors(model)
    space = open_space(model, vectors)
    table = open_table(language.sentences, model, targets_only=True)
    places = Places(open_tokens(language.sentences, model), space)
    judged = [each for lemma in pairs.words_to_judge(table) for each in judge(table, lemma, space, places)]
    together = {id(each): coherence(vectors, each) for each in judged}
    rules: dict[str, Callable[[Judged], bool]] = {"all": lambda _: True, "no weakness": lambda each: not each.answer.weak}
    for least in (0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5):
        rules[f"mass of ten at least {least}"] = lambda each, least=least: each.mass >= least
        rules[f"  and no weakness, {least}"] = lambda each, least=least: each.mass >= least and not each.answer.weak
    for least in (0.1, 0.2, 0.3, 0.4):
        rules[f"alike by static vectors, {least}"] = lambda each, least=least: together[id(each)] >= least
    for name, rule in rules.items():
        print(f"{name:34}", "  ".join(f"{key} {value:.1%}" for key, value in figures(judged, rule).items()), flush=True)
    for each in (judged[k] for k in np.random.default_rng(0).permutation(len(judged))[: args.words]):
        words = ", ".join(word.word for word in each.answer.substitutes[:BEST])
        print(
            f"{each.mass:.2f} {together[id(each)]:.2f} {each.right} {each.lemma} ({each.sense}): {words}: {' '.join(each.answer.word.tokens)}"
        )


if __name__ == "__main__":
    main()
