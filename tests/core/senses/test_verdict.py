"""One meaning or two: said as often rightly as is claimed, of every example, and of nothing that cannot be known."""

from dataclasses import replace

import numpy as np
import pytest

from core.files.artifacts import write_json
from core.index.build import build_index
from core.index.rows import Query, make_query
from core.index.sense_space import open_space
from core.lab import verdicts
from core.senses import calibration, evidence, verdict
from core.senses.evaluate import static_vectors
from core.senses.evidence import AROUND, EXPECTED, TOKEN
from core.senses.verdict import CLOSE, ONE, SURE, TWO, Verdict
from core.text import languages
from core.text.readings import WordInContext
from core.text.sentences import Sentence, Target
from core.text.tokens import find_word, tokenize
from core.views import pair as pair_view
from core.workspace import Word
from tests.core.index.test_table import FakeEncoder

CODES = ("en", "ko")


@pytest.fixture(scope="module")
def opened(workspace):
    workspaces = {code: workspace.with_model(languages.get_language(code).model) for code in CODES}
    return {code: (of.model, of.targets.basic, calibration.read(of.targets.basic.folder)) for code, of in workspaces.items()}


@pytest.mark.parametrize("code", CODES)
def test_every_example_is_two_meanings(workspace, code: str):
    pairs, workspace = languages.get_language(code).examples["pairs"], workspace.with_model(languages.get_language(code).model)
    assert len(pairs) >= 8
    verdicts_of = {word: pair_view.judge(workspace, *workspace.words(*pair)).verdict for word, pair in pairs.items()}
    assert not {word: (item.says, round(item.probability, 2)) for word, item in verdicts_of.items() if item.says != TWO}


@pytest.fixture(scope="module")
def seen(opened):
    return {
        code: evidence.of_rows(model.encoder, vectors, table, calibration.rows_to_judge(table), open_space(model, vectors))
        for code, (model, table, _) in opened.items()
        if (vectors := static_vectors(model))
    }


@pytest.mark.parametrize(
    ("code", "labels", "right", "called"),
    [("en", True, 0.9, 0.88), ("en", False, 0.79, 0.65), ("ko", True, 0.78, 0.5), ("ko", False, 0.68, 0.3)],
)
def test_it_is_right_as_often_as_it_says(opened, seen, code: str, labels: bool, right: float, called: float):
    """Each word is judged by what the others teach. Bins with fewer than 2% of the pairs say little and are left out."""
    _, table, ground = opened[code]
    words = calibration.words_to_judge(table)
    if labels:
        pairs = calibration.pairs_labeled(table, {word: calibration.trust_of(table, word) for word in words}, seen[code])
    else:
        pairs = calibration.pairs_unlabeled(table, words, seen[code], ground.layer)[0]
    judged = verdicts.held_out(pairs, len(words))
    for *_, claimed, true, share in verdicts.reliability(judged):
        assert share < (0.02 if code == "en" else 0.05) or true > claimed - 0.05, (claimed, true)
    figures = verdicts.figures(judged)
    assert figures["right of these"] > right and figures["called"] > called


def context(text: str) -> WordInContext:
    before, word, after = text.split("*")
    tokens = tokenize(before + word + after)
    return WordInContext(tuple(tokens), find_word(tokens, word)[0])


@pytest.mark.parametrize(
    ("first", "second", "says", "senses"),
    [  # words whose layer 1 leads elsewhere: the sense that is named is that of the sense space
        ("A *tear* ran down her cheek.", "There was a *tear* in his shirt.", TWO, ("drop from the eye", "rip")),
        ("The *draft* came through the open window.", "He was called up in the *draft*.", TWO, ("air current", "military call-up")),
        # a sense in either part of speech: with one mean for noun and verb, a crack in a cup and cracking ice were two meanings
        ("Put a *tick* next to each name on the list.", "*Tick* the box if you agree.", ONE, ("mark as done", "mark as done")),
        ("The ice *cracked* under our feet.", "There is a *crack* in this cup.", ONE, ("split or gap", "split or gap")),
        # words as they are written: the same place in the same sentence but for the capital that is a name
        ("He got a *fair* deal from the judge.", "The *fairs* were held in May.", TWO, None),
        ("We all love *Turkey*.", "We all love *turkey*.", TWO, None),
        ("*Bank* robbers fled.", "*bank* robbers fled.", ONE, None),  # but for the capital that opens a sentence
    ],
)
def test_meanings_are_told_apart_in_any_form_of_a_word(workspace, first, second, says, senses):
    pair = context(first), context(second)
    item, other = (pair_view.judge(workspace, *order).verdict for order in (pair, pair[::-1]))
    assert item.says == other.says == says
    assert senses is None or (item.senses, item.named_in) == (senses, "senses")


@pytest.mark.usefixtures("one_opener")
def test_the_command_without_a_word_compares_the_word_that_both_sentences_have(answer, refused):
    command = ("verdict", "--sentence", "Two herons waded through the pond.", "--sentence")
    assert answer(*command, "The HERON caught a fish.")["words"] == ["herons", "HERON"]
    assert "Sentence 2 is empty" in refused(*command, "  ")


@pytest.mark.parametrize(
    ("first", "second", "is_name"),
    [
        ("They flew to *Jordan* in spring.", "We saw Michael *Jordan* play.", True),
        ("*Jam* is sweet.", "She spread *jam* on her toast.", False),  # it only begins its sentence
        ("*Paris* is beautiful in the spring.", "*Paris* Hilton arrived at the party.", True),
        ("We met in *Spring*.", "The *Spring* was cold.", True),
        ("We flew to *Turkey* in spring.", "They ate *turkey* at noon.", False),  # names were among the labeled meanings
    ],
)
def test_a_verdict_on_names_says_that_its_rate_is_of_common_words(workspace, first, second, is_name):
    item = pair_view.judge(workspace, context(first), context(second)).verdict
    assert item.name == item.say_certainty().endswith(" Measured on common words, not names.") == is_name


def test_the_order_of_the_sentences_changes_no_verdict(workspace, opened):
    table = opened["en"][1]
    for lemma in table.lemmas[:15]:
        rows = sorted(table.labeled_rows(lemma), key=lambda row: table.word[row])  # in two forms of the word ("fair", "fairs")
        a, b = (WordInContext(o.tokens, o.position) for o in map(table.occurrence, (rows[0], rows[-1])))
        item, other = pair_view.judge(workspace, a, b), pair_view.judge(workspace, b, a)
        assert item.verdict.says == other.verdict.says and item.lemma == other.lemma
        assert item.verdict.probability == pytest.approx(other.verdict.probability, abs=1e-4)
        words = [Word(workspace, word) for word in (a, b)]
        unlabeled = [verdict._without_labels(*order).probability for order in (words, words[::-1])]
        assert unlabeled[0] == pytest.approx(unlabeled[1], abs=1e-4)


def test_a_word_that_is_spelled_like_a_form_of_another_keeps_itself(workspace):
    def judge(first: str, second: str, **changes) -> pair_view.Judgment:
        return pair_view.judge(workspace, *(replace(context(text), **changes) for text in (first, second)))

    wound = "The nurse cleaned the *wound* on his arm.", "A deep *wound* takes weeks to heal."
    assert judge(*wound).lemma == ""  # no sense of "wind" votes
    assert judge(*wound, read_as="wind").lemma == "wind" and judge(*wound, read_as="wind").verdict.senses
    assert judge("Prices *fell* again.", "The tree *fell*.").lemma == "fall"
    assert not judge(wound[0], "A cold *wind* blew from the north.").verdict
    assert not judge("He sharpened a *saw*.", "They *see* us.").verdict


def test_calibration_in_another_format_is_ignored(opened, tmp_path):
    stored = calibration.as_json(opened["en"][2])
    without_ring = {name: value for name, value in stored.items() if name != "ring"}
    for content, is_known in ((stored, True), (stored | {"votes": stored["votes"][2:]}, False), (without_ring, False)):
        write_json(tmp_path / calibration.FILE, content)
        assert (calibration.read(tmp_path) is not None) is is_known


def test_the_words_around_settle_what_the_vectors_leave_open(opened):
    model, table, ground = opened["en"]
    texts = "The cat chased a *mouse* across the kitchen floor.", "Click the left button of the *mouse* to open the file."
    queries = [make_query(model.encoder, list(word.tokens), word.position) for word in map(context, texts)]
    views = (vectors := static_vectors(model), open_space(model, vectors))
    alone, around, expected = (verdict.of_labeled(table, "mouse", *queries, ground, *views[:n]) for n in range(3))
    assert AROUND in around.evidence and AROUND not in alone.evidence and around.probability < alone.probability
    assert EXPECTED in expected.evidence and EXPECTED not in around.evidence and expected.says == TWO


def test_a_labeled_sentence_has_no_vote_on_itself(opened):
    _, table, ground = opened["en"]
    rows = table.labeled_rows("bank")
    item, other = (table.occurrence(int(row)) for row in rows[[0, -1]])
    queries = [Query(o.tokens, o.position, table.rows.take(np.array([o.row]))[0].astype(np.float32)) for o in (item, other)]
    assert verdict._are_same_token(table, rows, queries[0]).nonzero()[0].tolist() == [0]
    assert sum(verdict.of_labeled(table, "bank", *queries, ground).shares[0].values()) == pytest.approx(1)
    assert verdict.of_labeled(table, "bank", queries[0], queries[0], ground).probability == 1.0


def test_of_many_labeled_sentences_some_of_every_sense_are_read(opened, tmp_path, monkeypatch):
    labeled = [Sentence(("a", "bank", str(k)), (Target(1, "bank", "money" if k < 400 else "river", "bank"),)) for k in range(402)]
    table, voters = build_index(labeled, FakeEncoder(), tmp_path / "index", model="fake", targets_only=True), []
    labels = calibration.some_rows(table, "bank")[1]
    assert np.bincount(labels).tolist() == [62, 2] and 0 < calibration.trust_of(table, "bank").above_chance <= 1
    monkeypatch.setattr(table, "pos_of", lambda rows: voters.append(rows) or np.full(len(rows), ""))
    queries = [make_query(FakeEncoder(), ["the", "bank", name], 1) for name in "ab"]
    assert verdict.of_labeled(table, "bank", *queries, opened["en"][2]).lemma == ""
    assert len(voters[0]) == 300 and set(table.sense[voters[0]]) == {0, 1}


def test_a_word_without_labels_is_judged_by_what_it_has_around_it(workspace, opened):
    _, _, ground = opened["en"]
    texts = ("She spread *jam* on her toast .", "He ate bread with *jam* .", "The cars stood in a *jam* on the motorway for hours .")
    words = [Word(workspace, word) for word in map(context, texts)]

    def judged(a: Word, b: Word, ground=ground, **changes) -> Verdict:
        return verdict.of_unlabeled(a.query, b.query, replace(evidence.of_words((a, b)), **changes), ground)

    alike, apart = (judged(words[0], other) for other in words[1:])
    assert (alike.says, apart.says) == (ONE, TWO) and alike.senses is None and AROUND in alike.evidence and alike.layer == ground.layer
    assert judged(words[0], words[0]).probability == 1.0
    usual = judged(words[0], words[1], ground=calibration.USUAL)
    assert set(usual.evidence) == {TOKEN} and 0 < usual.probability < 1
    without = replace(ground, centers={**ground.centers, "topic": [0.0], "senses": [0.0]})
    nothing = {"topic": np.zeros((2, 1), np.float32), "parts": None, "space": None}
    assert judged(words[0], words[2], without, **nothing).evidence.keys() == {EXPECTED, TOKEN}


@pytest.mark.parametrize(
    ("probability", "shares", "says", "outvoted"),
    [
        *((0.6, None, CLOSE, False), (0.4, None, CLOSE, False), (0.9, ({"a": 1.0, "b": 0.0}, {"a": 0.8, "b": 0.2}), ONE, False)),
        (0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.2, "b": 0.8}), TWO, False),
        (0.95, ({"a": 1.0, "b": 0.0}, {"a": 0.2, "b": 0.8}), ONE, True),  # one rule: the probability, into which the votes went
        *((0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.8, "b": 0.2}), TWO, True), (0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.5, "b": 0.5}), TWO, False)),
        (0.95, ({"a": 1.0, "b": 0.0}, {"a": 0.35, "b": 0.65}), ONE, False),  # too narrow a lead to be named
    ],
)
def test_a_verdict_says_what_its_number_says(probability, shares, says, outvoted):
    item = Verdict(probability, "1", shares)
    assert (item.says, item.outvoted) == (says, outvoted)
    assert (item.says == CLOSE) == (item.right_of_100 < 100 * SURE)


def test_bundled_calibration_is_that_of_the_table(opened, seen):
    model, table, ground = opened["ko"]
    for lemma in table.lemmas[:6]:
        trust = calibration.trust_of(table, lemma)
        assert (ground.words[lemma].layer, ground.words[lemma].above_chance) == (trust.layer, pytest.approx(trust.above_chance, abs=1e-3))
    views = seen["ko"].views("1")
    assert {name: len(center) for name, center in ground.centers.items()} == {name: rows.shape[1] for name, rows in views.items()}
    measured = calibration.measure(table, seen["ko"])
    assert ground.alone == pytest.approx(measured.alone, abs=0.02) and ground.votes == pytest.approx(measured.votes, abs=0.02)
    assert ground.ring == pytest.approx(measured.ring, abs=0.01)
    named = verdicts.score_named(model, table, calibration.words_to_judge(table))
    assert named["middles in the sense space"] > named["votes at the layer"]
