"""One meaning or two: said as often rightly as is claimed, of every example, and of nothing that cannot be known."""

from dataclasses import replace

import numpy as np
import pytest

from core.elmo.models import open_model
from core.evaluation.layer_scores import static_vectors
from core.files.artifacts import write_json
from core.index.build import build_index
from core.index.neighbours import Query, make_query
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.senses import evidence, verdict
from core.senses.verdict import CLOSE, ONE, SURE, TWO, Verdict
from core.text import languages
from core.text.sentences import Sentence, Target
from core.text.tokens import find_word

CODES = ("en", "ko")


@pytest.fixture(scope="module")
def opened():
    """Of a language: model, table, ground."""
    found = {}
    for code in CODES:
        model = open_model(languages.named(code).model)
        table = open_table(model.language.sentences, model, targets_only=True)
        found[code] = model, table, verdict.read(table.folder)
    return found


def judged(opened, code: str, word: str, pair) -> Verdict:
    model, table, ground = opened[code]
    queries = []
    for text in pair:
        tokens = model.language.tokenize(text)
        queries.append(make_query(model.encoder, tokens, find_word(tokens, word)[0]))
    return verdict.of_labelled(table, word, *queries, ground, static_vectors(model))


@pytest.mark.parametrize("code", CODES)
def test_every_example_is_two_meanings(opened, code: str):
    pairs = languages.named(code).examples["pairs"]
    assert len(pairs) >= 8
    wrong = {word: judged(opened, code, word, pair) for word, pair in pairs.items()}
    wrong = {word: (one.says, round(one.probability, 2)) for word, one in wrong.items() if one.says != TWO}
    assert not wrong


@pytest.fixture(scope="module")
def seen(opened):
    """Of a language: the evidence of all judged rows."""
    return {
        code: evidence.of_rows(model.encoder, static_vectors(model), table, verdict.judged_rows(table))
        for code, (model, table, _) in opened.items()
    }


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("labels", [True, False], ids=["labels", "no labels"])
def test_it_is_right_as_often_as_it_says(opened, seen, code: str, labels: bool):
    """Each word is judged by what the others teach; bins with fewer than 2 % of the pairs say little and are left out."""
    _, table, _ = opened[code]
    probability, same, weights = verdict.judged_apart(table, seen[code], labels=labels)
    weights = weights / weights.sum()
    certainty, right = np.maximum(probability, 1 - probability), (probability > 0.5) == same
    for low, high in ((0.5, 0.6), (0.6, SURE), (SURE, 0.8), (0.8, 0.9), (0.9, 1.0)):
        here = (certainty >= low) & (certainty < high)
        if weights[here].sum() > 0.02:
            claimed, true = (np.average(values[here], weights=weights[here]) for values in (certainty, right))
            assert true > claimed - 0.05, (low, claimed, true)
    called = certainty >= SURE
    if labels:
        assert np.average(right[called], weights=weights[called]) > {"en": 0.87, "ko": 0.76}[code]
        assert weights[called].sum() > {"en": 0.83, "ko": 0.48}[code]  # without the words around 0.72 and 0.17
    else:  # more than the two vectors alone call, and more often rightly
        assert np.average(right[called], weights=weights[called]) > {"en": 0.76, "ko": 0.65}[code]
        assert weights[called].sum() > {"en": 0.5, "ko": 0.05}[code]


@pytest.mark.parametrize("code", CODES)
def test_what_was_bundled_is_what_the_table_says(opened, seen, code: str):
    _, table, ground = opened[code]
    for lemma in table.lemmas[:6]:
        assert ground.words[lemma].layer == verdict.trust_of(table, lemma).layer
        assert ground.words[lemma].above_chance == pytest.approx(verdict.trust_of(table, lemma).above_chance, abs=1e-3)
    assert {name: len(centre) for name, centre in ground.centres.items()} == {
        name: rows.shape[1] for name, rows in seen[code].views("1").items()
    }
    measured = verdict.measure(table, seen[code])
    assert ground.alone == pytest.approx(measured.alone, abs=0.02) and ground.votes == pytest.approx(measured.votes, abs=0.02)
    assert set(ground.words) == {lemma for lemma in table.lemmas if verdict.has_senses(table, lemma)}


def test_a_ground_that_an_earlier_version_kept_is_none(opened, tmp_path):
    told = verdict.as_json(opened["en"][2])
    for votes, known in ((told["votes"], True), (told["votes"][2:], False)):
        write_json(tmp_path / verdict.FILE, told | {"votes": votes})
        assert (verdict.read(tmp_path) is not None) is known
    assert verdict.read(tmp_path / "none") is None


def test_the_usual_ground_is_the_english_one(opened):
    ground = opened["en"][2]
    assert verdict.USUAL.layer == ground.layer
    assert verdict.USUAL.votes == pytest.approx(ground.votes, abs=0.3)
    assert not verdict.USUAL.centres and len(verdict.USUAL.alone) == 2  # of another model no centre is known


def test_the_words_around_settle_what_the_vectors_leave_open(opened):
    model, table, ground = opened["en"]
    queries = []
    for text in model.language.examples["pairs"]["mouse"]:
        tokens = model.language.tokenize(text)
        queries.append(make_query(model.encoder, tokens, tokens.index("mouse")))
    alone = verdict.of_labelled(table, "mouse", *queries, ground)
    found = verdict.of_labelled(table, "mouse", *queries, ground, static_vectors(model))
    assert found.around and not alone.around and found.probability < alone.probability
    assert found.says == TWO


def test_letter_case_tells_meanings_apart_where_one_of_them_is_a_name(tmp_path):
    def table(*sentences: tuple[str, str]) -> OccurrenceTable:
        each = [Sentence(tuple(of.split()), (target(of.split(), sense),)) for of, sense in sentences]
        return build_index(each, open_model("elmo-mini").encoder, tmp_path / str(len(each)), model="a", targets_only=True)

    def target(tokens: list[str], sense: str) -> Target:
        at = next(k for k, token in enumerate(tokens) if token.casefold() == "turkey")
        return Target(at, tokens[at], sense, "turkey")

    bird = ("They ate turkey .", "bird"), ("Turkey was served .", "bird")
    country = ("We flew to Turkey .", "country"), ("Turkey exports figs .", "country")
    assert evidence.is_also_a_name(table(*bird, *country), "turkey")
    assert not evidence.is_also_a_name(table(*bird, country[1]), "turkey")  # what opens a sentence has a capital anyway


def test_a_labelled_sentence_has_no_vote_on_itself(opened):
    _, table, ground = opened["en"]
    rows = table.labelled_rows("bank")
    one, other = (table.occurrence(int(row)) for row in rows[[0, -1]])
    queries = [Query(o.tokens, o.position, table.rows.take(np.array([o.row]))[0].astype(np.float32)) for o in (one, other)]
    found = verdict.of_labelled(table, "bank", *queries, ground)
    left = verdict._own(table, rows, queries[0])
    assert left.sum() == 1 and left[0]
    assert sum(found.shares[0].values()) == pytest.approx(1)
    assert verdict.of_labelled(table, "bank", queries[0], queries[0], ground).probability == 1.0


def test_a_word_without_labels_is_judged_by_what_it_has_around_it(opened):
    model, _, ground = opened["en"]
    texts = ("She spread jam on her toast .", "He ate bread with jam and butter .", "The cars stood in a jam on the motorway for hours .")
    queries = [make_query(model.encoder, text.split(), text.split().index("jam")) for text in texts]
    alone = evidence.standing_alone(model.encoder, ["jam"])["jam"]

    static = static_vectors(model)

    def judged(a: Query, b: Query, ground=ground, vectors=static) -> Verdict:
        layers, both = np.stack([a.layers, b.layers]), [(q.tokens, q.position) for q in (a, b)]
        return verdict.of_unlabelled(a, b, evidence.gather(model.encoder, vectors, both, layers, np.stack([alone, alone])), ground)

    alike, apart = (judged(queries[0], other) for other in queries[1:])
    assert (alike.says, apart.says) == (ONE, TWO) and alike.senses is None and alike.around
    assert alike.layer == ground.layer
    assert judged(queries[0], queries[0]).probability == 1.0
    usual = judged(queries[0], queries[1], ground=verdict.USUAL)
    assert not usual.around and 0 < usual.probability < 1
    assert judged(queries[0], queries[2], vectors=None, ground=replace(ground, centres={**ground.centres, "topic": [0.0]})).around


@pytest.mark.parametrize(
    ("probability", "shares", "says"),
    [
        (0.9, None, ONE),
        (0.1, None, TWO),
        (0.6, None, CLOSE),
        (0.4, None, CLOSE),
        (0.9, ({"a": 1.0, "b": 0.0}, {"a": 0.8, "b": 0.2}), ONE),
        (0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.2, "b": 0.8}), TWO),
        (0.9, ({"a": 1.0, "b": 0.0}, {"a": 0.2, "b": 0.8}), CLOSE),  # the votes speak against it
        (0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.8, "b": 0.2}), CLOSE),
        (0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.5, "b": 0.5}), TWO),
    ],
)
def test_a_verdict_says_what_its_numbers_say(probability, shares, says):
    assert Verdict(probability, "1", shares).says == says
