"""One meaning or two: said as often rightly as is claimed, of every example, and of nothing that cannot be known."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from core.cli import main
from core.elmo.models import open_model
from core.files.artifacts import write_json
from core.index.build import build_index
from core.index.neighbors import Query, make_query
from core.index.sense_space import open_space
from core.index.table import OccurrenceTable
from core.index.tables import open_table
from core.lab import verdicts
from core.senses import calibration, evidence, verdict
from core.senses.evaluate import static_vectors
from core.senses.verdict import CLOSE, ONE, SURE, TWO, Verdict
from core.text import languages
from core.text.readings import WordInContext
from core.text.sentences import Sentence, Target
from core.text.tokens import find_word, tokenize
from core.views import pair as pair_view
from core.workspace import Word, open_workspace

CODES = ("en", "ko")


@pytest.fixture(scope="module")
def opened():
    """Return the model, table and calibration of each language."""
    result = {}
    for code in CODES:
        model = open_model(languages.get_language(code).model)
        table = open_table(model.language.sentences, model, targets_only=True).basic
        result[code] = model, table, calibration.read(table.folder)
    return result


@pytest.mark.parametrize("code", CODES)
def test_every_example_is_two_meanings(opened, code: str):
    pairs = languages.get_language(code).examples["pairs"]
    assert len(pairs) >= 8
    workspace = open_workspace(opened[code][0].name)
    wrong = {word: pair_view.judge(workspace, *workspace.words(*pair)).verdict for word, pair in pairs.items()}
    wrong = {word: (item.says, round(item.probability, 2)) for word, item in wrong.items() if item.says != TWO}
    assert not wrong


@pytest.fixture(scope="module")
def seen(opened):
    """Return the evidence of all judged rows for each language."""
    return {
        code: evidence.of_rows(model.encoder, vectors, table, calibration.rows_to_judge(table), open_space(model, vectors))
        for code, (model, table, _) in opened.items()
        if (vectors := static_vectors(model))
    }


def judged_by_others(opened, seen, code: str, labels: bool) -> verdicts.Judged:
    """Pairs of the labeled sentences, each word judged by what the others teach."""
    model, table, ground = opened[code]
    words = calibration.words_to_judge(table)
    judged = verdicts.pairs_of(model, table, words) if labels else calibration.pairs_unlabeled(table, words, seen[code], ground.layer)[0]
    return verdicts.held_out(judged, len(words))


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("labels", [True, False], ids=["labels", "no labels"])
def test_it_is_right_as_often_as_it_says(opened, seen, code: str, labels: bool):
    """Bins with fewer than 2% of the pairs say little and are left out."""
    judged = judged_by_others(opened, seen, code, labels)
    for low, high, claimed, true, share in verdicts.reliability(judged):
        assert share < (0.02 if code == "en" else 0.05) or true > claimed - 0.05, (low, high, claimed, true)
    figures = verdicts.figures(judged)
    right, called = {("en", True): (0.9, 0.88), ("en", False): (0.79, 0.65), ("ko", True): (0.78, 0.5), ("ko", False): (0.68, 0.3)}[
        code, labels
    ]
    assert figures["right of these"] > right and figures["called"] > called


def test_a_draft_through_a_window_is_air_and_a_tear_on_a_cheek_is_no_rip():
    """Words whose layer 1 leads elsewhere: the sense that is named is that of the sense space."""
    workspace = open_workspace()
    tears = context("A tear ran down her cheek.", "tear"), context("There was a tear in his shirt.", "tear")
    draft = context("The draft came through the open window.", "draft"), context("He was called up in the draft.", "draft")
    for pair, senses in ((tears, ("drop from the eye", "rip")), (draft, ("air current", "military call-up"))):
        verdict = pair_view.judge(workspace, *pair).verdict
        assert (verdict.named_in, verdict.says, verdict.senses) == ("senses", TWO, senses)


def test_the_command_says_how_sure_a_verdict_is_as_home_does(capsys):
    """Expect both shares, and no rate, where a verdict is too close to call."""
    for pair, line in (
        (
            ("He wiped a tear from his eye.", "The tear in my jeans is getting bigger."),
            r"Too close to call\. Of 100 such pairs, \d+ have two meanings, \d+ have one\.",
        ),
        (("Her tears fell on the letter.", "Tears ran down his face."), r"One meaning\. Right for \d+ of 100 such pairs\."),
    ):
        assert main.main(["verdict", "--word", "tear", "--sentence", pair[0], "--sentence", pair[1]]) == 0
        first, *others = capsys.readouterr().out.splitlines()
        assert re.fullmatch(line, first) and others[-1].startswith("nearest senses in the sense space: ")


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("The lot was full, so we parked on the street.", "They plan to turn the empty lot into a park.", ["lot", "lot"]),
        ("He got a good price at the banks.", "The bank is a good neighbor.", ["good", "good"]),
        ("Two cranes waded through the pond.", "The CRANE lifted a beam.", ["cranes", "CRANE"]),
    ],
)
def test_the_command_without_a_word_compares_the_word_that_both_sentences_have(first, second, words, capsys):
    request = ["verdict", "--sentence", first, "--sentence", second]
    assert main.main([*request, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert main.main([*request, "--word", words[0], "--json"]) == 0
    assert answer["words"] == words and answer == json.loads(capsys.readouterr().out)


def test_the_command_without_a_word_needs_one_in_each_sentence(capsys):
    assert main.main(["verdict", "--sentence", "The lot was full.", "--sentence", "  "]) == 2
    assert "Sentence 2 is empty" in capsys.readouterr().err


def test_a_verdict_on_names_says_that_its_rate_is_of_common_words(opened):
    """Not where names were among the labeled meanings (Turkey), nor of a word that only begins its sentence."""
    model, *_ = opened["en"]
    workspace = open_workspace(model)
    for word, texts, is_name in (
        ("Jordan", ("They flew to Jordan in spring.", "We saw Michael Jordan play."), True),
        ("jam", ("Jam is sweet.", "She spread jam on her toast."), False),
        ("Spring", ("We met in Spring.", "The Spring was cold."), True),
        ("turkey", ("We flew to Turkey in spring.", "They ate turkey at noon."), False),
    ):
        pair = [model.language.tokenize(text) for text in texts]
        contexts = [WordInContext(tuple(tokens), find_word(tokens, word)[0]) for tokens in pair]
        item = pair_view.judge(workspace, *contexts).verdict
        assert item.name == is_name, word
        assert item.say_certainty().endswith(" Measured on common words, not names.") == is_name, word


def test_the_order_of_the_sentences_changes_no_verdict(opened):
    """Every labeled pair in two forms of a word ("fair", "fairs"), and as many in one, by labels and without."""
    model, table, _ = opened["en"]
    workspace = open_workspace(model)  # reads each sentence once
    random = np.random.default_rng(0)
    asked_of = []
    for lemma in table.lemmas:
        rows = table.labeled_rows(lemma)
        forms = [int(row) for row in rows if table.words[table.word[row]] != lemma]
        asked_of += [(row, int(other)) for row in forms for other in random.choice(rows, 1) if row != other]
    random.shuffle(asked_of)
    for first, second in asked_of[:40]:
        a, b = (WordInContext(o.tokens, o.position) for o in map(table.occurrence, (first, second)))
        item, other = pair_view.judge(workspace, a, b), pair_view.judge(workspace, b, a)
        assert item.verdict.says == other.verdict.says and item.lemma == other.lemma
        assert item.verdict.probability == pytest.approx(other.verdict.probability, abs=1e-4)
        words = [Word(workspace, context) for context in (a, b)]
        unlabeled = [verdict._without_labels(*each).probability for each in (words, words[::-1])]
        assert unlabeled[0] == pytest.approx(unlabeled[1], abs=1e-4)


def test_words_are_read_as_they_are_written(opened):
    workspace = open_workspace(opened["en"][0])
    fair = context("He got a fair deal from the judge.", "fair"), context("The fairs were held in May.", "fairs")
    assert pair_view.judge(workspace, *fair).verdict.says == pair_view.judge(workspace, *fair[::-1]).verdict.says == TWO
    turkey = context("We all love Turkey.", "Turkey"), context("We all love turkey.", "turkey")
    assert pair_view.judge(workspace, *turkey).verdict.says == TWO  # the same place in the same sentence but for the capital that is a name
    polish = context("They sell Polish there.", "Polish"), context("They sell polish there.", "polish")
    assert pair_view.judge(workspace, *polish).verdict.probability < 1
    opening = context("Bank robbers fled.", "Bank"), context("bank robbers fled.", "bank")
    assert pair_view.judge(workspace, *opening).verdict.probability == 1.0


def test_a_word_that_is_spelled_like_a_form_of_another_keeps_itself(opened):
    workspace = open_workspace(opened["en"][0])
    wound = context("The nurse cleaned the wound on his arm.", "wound"), context("A deep wound takes weeks to heal.", "wound")
    assert pair_view.judge(workspace, *wound).lemma == ""  # no sense of "wind" votes
    assert not pair_view.judge(workspace, wound[0], context("A cold wind blew from the north.", "wind")).one_word
    as_wind = [replace(word, read_as="wind") for word in wound]
    assert pair_view.judge(workspace, *as_wind).lemma == "wind" and pair_view.judge(workspace, *as_wind).verdict.senses
    assert pair_view.judge(workspace, context("Prices fell again.", "fell"), context("The tree fell.", "fell")).lemma == "fall"
    for first, second in (
        (("He sharpened a saw.", "saw"), ("They see us.", "see")),
        (("She lay on the ground.", "ground"), ("Grind it.", "Grind")),
    ):
        assert not pair_view.judge(workspace, context(*first), context(*second)).one_word


def context(text: str, word: str) -> WordInContext:
    tokens = tokenize(text)
    return WordInContext(tuple(tokens), find_word(tokens, word)[0])


def test_calibration_in_another_format_is_ignored(opened, tmp_path):
    message = calibration.as_json(opened["en"][2])
    for votes, known in ((message["votes"], True), (message["votes"][2:], False)):
        write_json(tmp_path / calibration.FILE, message | {"votes": votes})
        assert (calibration.read(tmp_path) is not None) is known
    write_json(tmp_path / calibration.FILE, {name: value for name, value in message.items() if name != "ring"})
    assert calibration.read(tmp_path) is None and calibration.read(tmp_path / "none") is None


def test_the_words_around_settle_what_the_vectors_leave_open(opened):
    model, table, ground = opened["en"]
    queries = []
    for text in ("The cat chased a mouse across the kitchen floor.", "Click the left button of the mouse to open the file."):
        tokens = model.language.tokenize(text)
        queries.append(make_query(model.encoder, tokens, tokens.index("mouse")))
    vectors = static_vectors(model)
    alone = verdict.of_labeled(table, "mouse", *queries, ground)
    around = verdict.of_labeled(table, "mouse", *queries, ground, vectors)
    assert around.around and not alone.around and around.probability < alone.probability
    expected = verdict.of_labeled(table, "mouse", *queries, ground, vectors, open_space(model, vectors))
    assert expected.expected and not around.expected and expected.says == TWO


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


def test_a_labeled_sentence_has_no_vote_on_itself(opened):
    _, table, ground = opened["en"]
    rows = table.labeled_rows("bank")
    item, other = (table.occurrence(int(row)) for row in rows[[0, -1]])
    queries = [Query(o.tokens, o.position, table.rows.take(np.array([o.row]))[0].astype(np.float32)) for o in (item, other)]
    result = verdict.of_labeled(table, "bank", *queries, ground)
    left = verdict._own(table, rows, queries[0])
    assert left.sum() == 1 and left[0]
    assert sum(result.shares[0].values()) == pytest.approx(1)
    assert verdict.of_labeled(table, "bank", queries[0], queries[0], ground).probability == 1.0


def test_a_word_without_labels_is_judged_by_what_it_has_around_it(opened):
    model, _, ground = opened["en"]
    texts = ("She spread jam on her toast .", "He ate bread with jam and butter .", "The cars stood in a jam on the motorway for hours .")
    workspace = open_workspace(model)
    words = [workspace.word(text.split(), text.split().index("jam")) for text in texts]

    def judged(a: Word, b: Word, ground=ground, has_vectors: bool = True) -> Verdict:
        seen = evidence.of_words((a, b))
        seen = seen if has_vectors else replace(seen, topic=np.zeros((2, 1), np.float32), parts=None, space=None)
        return verdict.of_unlabeled(a.query, b.query, seen, ground)

    alike, apart = (judged(words[0], other) for other in words[1:])
    assert (alike.says, apart.says) == (ONE, TWO) and alike.senses is None and alike.around
    assert alike.layer == ground.layer
    assert judged(words[0], words[0]).probability == 1.0
    usual = judged(words[0], words[1], ground=calibration.USUAL)
    assert not usual.around and 0 < usual.probability < 1
    assert judged(
        words[0], words[2], has_vectors=False, ground=replace(ground, centers={**ground.centers, "topic": [0.0], "senses": [0.0]})
    ).around


@pytest.mark.parametrize(
    ("probability", "shares", "says", "outvoted"),
    [
        (0.9, None, ONE, False),
        (0.1, None, TWO, False),
        (0.6, None, CLOSE, False),
        (0.4, None, CLOSE, False),
        (0.9, ({"a": 1.0, "b": 0.0}, {"a": 0.8, "b": 0.2}), ONE, False),
        (0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.2, "b": 0.8}), TWO, False),
        (0.95, ({"a": 1.0, "b": 0.0}, {"a": 0.2, "b": 0.8}), ONE, True),  # one rule: the probability, into which the votes went
        (0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.8, "b": 0.2}), TWO, True),
        (0.1, ({"a": 1.0, "b": 0.0}, {"a": 0.5, "b": 0.5}), TWO, False),
        (0.95, ({"a": 1.0, "b": 0.0}, {"a": 0.35, "b": 0.65}), ONE, False),  # too narrow a lead to be named
    ],
)
def test_a_verdict_says_what_its_number_says(probability, shares, says, outvoted):
    item = Verdict(probability, "1", shares)
    assert (item.says, item.outvoted) == (says, outvoted)
    assert (item.says == CLOSE) == (item.right_of_100 < 100 * SURE)


def test_bundled_calibration_is_that_of_the_table(opened, seen):
    _, table, ground = opened["ko"]
    for lemma in table.lemmas[:6]:
        trust = calibration.trust_of(table, lemma)
        assert (ground.words[lemma].layer, ground.words[lemma].above_chance) == (trust.layer, pytest.approx(trust.above_chance, abs=1e-3))
    views = seen["ko"].views("1")
    assert {name: len(center) for name, center in ground.centers.items()} == {name: rows.shape[1] for name, rows in views.items()}
    measured = calibration.measure(table, seen["ko"])
    assert ground.alone == pytest.approx(measured.alone, abs=0.02) and ground.votes == pytest.approx(measured.votes, abs=0.02)
    assert ground.ring == pytest.approx(measured.ring, abs=0.01)


def test_more_senses_are_named_correctly_in_the_sense_space_than_at_the_layer(opened):
    model, table, _ = opened["ko"]
    named = verdicts.score_named(model, table, calibration.words_to_judge(table))
    assert named["middles in the sense space"] > named["votes at the layer"]
