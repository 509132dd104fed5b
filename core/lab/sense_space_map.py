"""Learn the map of the sense space, measure it on words it has not seen, and find the sentences that it misreads, for the quiz.

Measures are 1-NN leaving one out and the adjusted Rand index (Hubert and Arabie 1985; 0 by chance) of k-means at the true number of senses:
means over words, with a 95% interval drawn by word. Each word is placed by a map that nine tenths of the other words taught. "plain" joins
the parts without a map. Null models are the other words in another order, random LSTMs and no ELMo, each with its own map.

The map is learned by linear discriminant analysis (Fisher 1936; Rao 1948) pooled over words: the scatter of a word's senses around the
word's mean against the scatter within its senses. Each word has the same weight, and the within-scatter is shrunken toward a sphere.
Directions are scaled by a small power of how well they separate senses: complete whitening of the bundled sentences, which were written to
show their sense, does worse on other texts.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..cli.options import Answer, command, flag, option, whole
from ..cli.shared import note
from ..common.config import ASSETS
from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import ENGLISH
from ..common.significance import compare_pairs
from ..elmo.encoder import encoded, vectors_of_rows
from ..elmo.models import Model, open_model
from ..files.artifacts import provenance
from ..index import sense_space as index_space
from ..index.rows import make_query
from ..index.sense_space import FOLDS, Learned, SenseSpace, fold_of, open_space
from ..index.table import OccurrenceTable
from ..index.tables import open_table, open_word
from ..senses import quiz
from ..senses.evaluate import static_vectors
from ..senses.senseval import read_senseval
from ..senses.separation import one_nn
from ..text import languages
from ..text.corpora import labeled_of, words_of
from ..text.languages import Language
from ..text.tokens import join_tokens
from .datasets import SENSEVAL
from .lessons import null_models, rand_index
from .verdicts import LANGUAGE, WRITE

SHRINKAGE, DIMENSIONS, POWER = 0.5, 128, 0.25
Word = tuple[str, np.ndarray, np.ndarray]  # a word, its views (n, V), its senses (n,)
Scatter = tuple[np.ndarray, np.ndarray]  # within senses, between senses, (V, V) each


def learn(space: SenseSpace, words: Sequence[Word], *, dimensions: int = DIMENSIONS) -> Learned:
    """Return the maps of all words except each tenth, the map of all words, and the mean of the parts over words."""
    plain = SenseSpace(space.encoder, space.substitutes, space.vectors)
    scatters = [_scatter(plain.place(views, views.mean(axis=0)), senses) for _, views, senses in words]
    folds = np.array([fold_of(word) for word, _, _ in words])
    maps = []
    for fold in range(FOLDS + 1):
        seen = [scatter for scatter, fold_of_word in zip(scatters, folds, strict=True) if fold_of_word != fold]
        if not seen:
            raise BadInput(f"{len(words)} words are too few to learn a sense space from.")
        within, between = (sum(parts) / len(seen) for parts in zip(*seen, strict=True))
        maps.append(_map(within, between, dimensions))
    mean = np.mean([views.mean(axis=0) for _, views, _ in words], axis=0)
    return Learned(np.stack(maps), mean.astype(np.float32), frozenset(word for word, _, _ in words))


def _scatter(rows: np.ndarray, senses: np.ndarray) -> Scatter:
    """Return the scatter of one word's centered rows (n, V), divided by n."""
    within, between = np.zeros((2, rows.shape[1], rows.shape[1]))
    for sense in np.unique(senses):
        members = rows[senses == sense].astype(np.float64)
        middle = members.mean(axis=0)
        within += (members - middle).T @ (members - middle) / len(rows)
        between += len(members) / len(rows) * np.outer(middle, middle)
    return within, between


def _map(within: np.ndarray, between: np.ndarray, dimensions: int) -> np.ndarray:
    """Return the directions (V, D) that separate senses best, best first."""
    size = len(within)
    sphere = np.trace(within) / size * np.eye(size)
    widths, directions = np.linalg.eigh((1 - SHRINKAGE) * within + SHRINKAGE * sphere)
    whitened = directions / np.sqrt(widths)
    ratios, turned = np.linalg.eigh(whitened.T @ between @ whitened)
    best = np.argsort(-ratios)[:dimensions]
    ratios = np.maximum(ratios[best], 0) / max(float(ratios[best[0]]), 1e-12)
    return (whitened @ turned[:, best] * ratios**POWER).astype(np.float32)


def place_in_spaces(space: SenseSpace, word: Word) -> dict[str, np.ndarray]:
    """Return the unit vectors (n, D) of a word's occurrences in each space, the sense space last."""
    name, views, _ = word
    mean = views.mean(axis=0)
    plain = SenseSpace(space.encoder, space.substitutes, space.vectors)
    layer, topic, substitutes = np.split(views, np.cumsum(space.widths)[:-1], axis=1)
    centered = {"layer 1, mean off": layer, "topic": topic, "substitutes": substitutes}
    return {
        "layer 1": layer,
        **{title: unit(part - part.mean(axis=0)) for title, part in centered.items()},
        "plain": plain.place(views, mean),
        "senses": space.place(views, mean, name),
    }


def null_views(
    model: Model, space: SenseSpace, table: OccurrenceTable, rows: np.ndarray, views: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """Yield by name the views (n, V) of null models. "topic" has only the sum of the other words' static vectors."""
    sentences, places = zip(*table.places(rows), strict=True)
    for name, encoder, tokens in null_models(model, sentences, places):
        read = list(encoded(encoder, tokens))
        layers = np.stack([layers[:, place] for layers, place in zip(read, places, strict=True)])
        null = SenseSpace(encoder, space.substitutes, space.vectors)
        yield name, null.views(list(zip(tokens, places, strict=True)), layers, read)
    start, end, _ = np.cumsum(space.widths)
    topics = np.zeros_like(views)
    topics[:, start:end] = views[:, start:end]
    yield "topic", topics


def score_lines(name: str, space: SenseSpace, words: list[Word], *, groups: bool = True, only_senses: bool = False) -> Iterator[str]:
    """Yield a line for each space, and the lead of the sense space over each other one; or only the sense space's line."""
    right = {}
    placed = [place_in_spaces(space, word) for word in words]
    for title in ["senses"] if only_senses else placed[0]:
        vectors = [(by_title[title], senses) for by_title, (*_, senses) in zip(placed, words, strict=True)]
        right[title] = [one_nn(rows @ rows.T, senses) for rows, senses in vectors]
        nearest = compare_pairs(right[title], [0.0] * len(vectors))
        line = f"{name:<12}{title:<20}1-NN {nearest.mean:.1%} ({nearest.span('.1f')})"
        if groups:
            index = compare_pairs([rand_index(rows, senses) for rows, senses in vectors], [0.0] * len(vectors))
            line += f"   ARI {index.mean:.3f} ({index.span('.3f', times=1)})"
        yield line
    for title in right.keys() - {"senses"}:
        ahead = compare_pairs(right["senses"], right[title])
        yield f"{name:<12}senses less {title}: {100 * ahead.mean:+.1f} points ({ahead.span()}), p {ahead.p:.3f}"


@command(
    "sense-space",
    LANGUAGE,
    option("--data", "a folder with senseval/: also measure on Senseval-2's four words", metavar="FOLDER"),
    flag("--nulls", "measure instead what has less information"),
    WRITE,
)
def sense_space(*, language, data, nulls, write) -> Answer:
    """Learn the map of the sense space, and measure it on words it has not seen."""
    language = languages.get_language(language)
    model = open_model(language.model)
    table = open_table(language.sentences, model, targets_only=True)
    basic = table.basic
    space = open_space(model, static_vectors(model))
    space.learned = None
    names = [word for word in table.lemmas if table.has_senses(word)]
    rows = [table.labeled_rows(word) for word in names]
    if write:
        space.keep(table)
    views = space.of_rows(table, np.concatenate(rows))

    def learned_from(views: np.ndarray) -> list[Word]:
        """Learn the map of the space from these views, and return the words with their views."""
        parts = np.split(views, np.cumsum([len(numbers) for numbers in rows])[:-1])
        words = [(word, part, table.sense[numbers]) for word, part, numbers in zip(names, parts, rows, strict=True)]
        space.learned = learn(space, words)
        return words

    bundled = {word for word in basic.lemmas if basic.has_senses(word)}
    lines: list[str] = []
    if nulls:
        for name, seen in null_views(model, space, table, np.concatenate(rows), views):
            words = learned_from(seen)
            for title, chosen in (("basic", bundled), ("additional", {*names} - bundled)):
                lines += score_lines(f"{name}, {title} ", space, [word for word in words if word[0] in chosen], only_senses=True)
        return {"lines": lines}, lines
    words = learned_from(views)
    if write:
        origin = str(provenance(command="python -m core.lab sense-space --write"))
        facts = {"model": model.fingerprint, "vectors": space.vectors.name, "provenance": origin}
        index_space.write(model.folder / index_space.FILE, space.learned, facts)
    lines += score_lines("basic", space, [word for word in words if word[0] in bundled])
    lines += score_lines("additional", space, [word for word in words if word[0] not in bundled])
    if data and language.code == ENGLISH:
        natural = []
        for file in SENSEVAL:
            instances = read_senseval(Path(data) / file)
            chosen = [instances[k] for k in np.random.default_rng(0).permutation(len(instances))[:600]]
            seen = space.views([(row.tokens, row.position) for row in chosen], vectors_of_rows(model.encoder, chosen))
            natural.append((f"{chosen[0].word} of Senseval", seen, np.unique([row.label for row in chosen], return_inverse=True)[1]))
        lines += score_lines("Senseval-2", space, natural, groups=False)
    return {"lines": lines}, lines


@command(
    "quiz",
    LANGUAGE,
    option("--number", "of the quiz (default 0)", metavar="N", type=whole(0), default=0),
    flag("--write", "write assets/quiz-LANGUAGE.json instead; then: python -m core.lab bundle --sums"),
)
def measure_quiz(*, language, number, write) -> Answer:
    """Measure how often the model of Guess the machine is right; with --write find the sentences that it misreads."""
    language = languages.get_language(language)
    model = open_model(language.model)
    space = open_space(model, static_vectors(model))
    return _write_misread(language, model, space) if write else _score_readings(language, model, space, number)


def _write_misread(language: Language, model: Model, space: SenseSpace) -> Answer:
    """Write the labeled sentences that the language's own model misreads in the sense space, each left out of the vote on it."""
    result = {}
    n = 0
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
            vector = space.place(views[[k]], mean, word)[0]
            sense, _ = quiz.vote(space.place(views[others], mean, word) @ vector, labels[others], len(codes))
            n += 1
            if sense != labels[k]:
                result.setdefault(word, {})[texts[k]] = table.senses[codes[sense]]
        note(f"{word} {n}")
    path = ASSETS / f"quiz-{language.code}.json"
    path.write_text(json.dumps(result, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")
    misread = sum(map(len, result.values()))
    return {"output": str(path), "misread": misread, "n": n}, f"{path}: {misread} of {n} sentences misread"


def _score_readings(language: Language, model: Model, space: SenseSpace, number: int) -> Answer:
    """Measure both readings of the language's labeled words; `number` is the number of the quiz, which draws the questions."""
    table = open_table(language.sentences, model, targets_only=True)
    questions = [question for word in words_of(language) if (question := quiz.question(number, word, labeled_of(language, word)))]
    readings = {"best layer": [], "sense space": []}
    for question in questions:
        query = make_query(model.encoder, list(question.tokens), question.position)
        try:
            for name, used_space in zip(readings, (None, space), strict=True):
                readings[name].append(quiz.read(table, question, query, used_space))
        except BadInput as error:  # a word that this table does not hold
            note(str(error))
    right = {name: [reading.right / reading.others for reading in values] for name, values in readings.items()}
    hits = {
        name: float(np.mean([reading.sense == question.label for reading, question in zip(values, questions, strict=True)]))
        for name, values in readings.items()
    }
    lines = [f"{name}: {hits[name]:.1%} of {len(questions)} questions, {np.mean(right[name]):.1%} of all sentences" for name in readings]
    ahead = compare_pairs(right["sense space"], right["best layer"])
    lines.append(f"sense space less best layer: {100 * ahead.mean:+.1f} points ({ahead.span()}), p {ahead.p:.3f}")
    return {"questions": hits, "sentences": {name: float(np.mean(values)) for name, values in right.items()}}, lines
