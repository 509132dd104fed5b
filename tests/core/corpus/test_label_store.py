"""Saved labels: what several tabs and processes write at once, what cannot be read, what a corpus no longer has."""

import gc
import json
import os
from pathlib import Path

import pytest

from core.common import reports
from core.common.errors import BadInput
from core.corpus import label_files
from core.corpus.spread import MOST_CHARACTERS, Labels
from core.files import user_names
from core.text.own_corpus import keep_text
from tests.core.files.test_kill import kills
from tests.memory import FORK, run_at_once

EACH = 200
ROW = {"tokens": ["The", "bank0", "."], "position": 1, "sense": "money"}
GLOSS = "a place where water meets the land, as at the side of a river or of a lake; sense {} of a dictionary"


def sentence(k: int) -> label_files.Token:
    return ("The", f"bank{k}", "."), 1


SENTENCES = [sentence(k) for k in range(400)]


@pytest.fixture
def path() -> Path:
    return label_files.stored_file("sentences", "bank")


def label(path: Path, labels: Labels, k: int, sense: str) -> Labels:
    return label_files.change_stored(path, "bank", labels, lambda now: now.label([sentence(k)], sense))


def given(path: Path) -> dict:
    return dict(label_files.read_stored(path, "bank"))


def test_two_tabs_keep_each_others_labels_and_a_rename_reaches_them(path):
    first, second = Labels(), Labels()
    for k in (0, 1, 2):
        second = label(path, second, k, "money")
    first = label(path, first, 5, "river")
    assert given(path) == dict.fromkeys(SENTENCES[:3], "money") | {SENTENCES[5]: "river"} and first.senses == ("money", "river")
    label_files.change_stored(path, "bank", second, lambda now: now.rename("river", "shore"))
    assert given(path)[SENTENCES[5]] == "shore"


def test_undo_takes_back_only_ones_own_step(path):
    first = label(path, Labels(), 0, "money")
    label(path, Labels(), 1, "river")
    first = label_files.change_stored(path, "bank", first, Labels.undo)
    assert given(path) == {SENTENCES[1]: "river"} and not first.steps
    first = label(path, first, 2, "money")
    label(path, Labels(), 2, "slope")  # the other tab sees it otherwise, later
    assert dict(label_files.change_stored(path, "bank", first, Labels.undo).given) == {SENTENCES[1]: "river", SENTENCES[2]: "slope"}


def test_both_copies_of_a_sentence_have_its_label_and_the_file_opens_again(path, tmp_path):
    sentences = [SENTENCES[0], SENTENCES[1], SENTENCES[1], SENTENCES[3]]
    labels = Labels()
    for k, sense in enumerate(("river", "money", "river", "river")):
        labels = label_files.change_stored(path, "bank", labels, lambda now, k=k, sense=sense: now.label([sentences[k]], sense))
    assert given(path) == {SENTENCES[0]: "river", SENTENCES[1]: "river", SENTENCES[3]: "river"}
    here = label_files.numbered(labels.given, sentences)
    assert here.given == tuple((k, "river") for k in range(4))
    (download := tmp_path / "download.jsonl").write_text(label_files.format_labels("bank", sentences, here, None), "utf-8")
    assert set(label_files.read_labels(download, sentences).labels.given) == set(here.given)


@pytest.mark.parametrize(
    "damage",
    [
        '{"tokens": ["The", "bank0", "."], "position": 1, "sense": "money"}\n',  # a second sense for a sentence
        *('{"tokens": ["The", "ba', "not a row\n", '{"tokens": ["The", "bank"], "position": 7, "sense": "money"}\n'),
        *('{"tokens": ["The", "bank"], "position": 1}\n', "\x00\x00\x00\n"),
        bytes(range(256)) * 10,  # no text
    ],
)
def test_a_file_that_cannot_be_read_is_set_aside_complete_and_its_rows_stay_in_use(path, damage):
    labels = Labels()
    for k in range(5):
        labels = label(path, labels, k, "river")
    with path.open("ab") as stream:
        stream.write(damage if isinstance(damage, bytes) else damage.encode())
    before = path.read_bytes()
    expected = {SENTENCES[k]: "river" for k in range(1 if b"bank0" in before.splitlines()[5] else 0, 5)}
    assert given(path) == expected
    (aside,) = label_files.find_set_aside(path)
    assert aside.read_bytes() == before
    label(path, Labels(), 9, "money")
    assert given(path) == expected | {SENTENCES[9]: "money"}
    path.write_text("{", "utf-8")
    assert given(path) == {}  # and the second one has another name
    assert [each.read_bytes() for each in label_files.find_set_aside(path)] == [before, b"{"]


@pytest.mark.parametrize("damage", ["", "not a row\n"])
def test_a_file_edited_by_hand_keeps_its_other_fields_and_its_guesses(path, damage):
    tokens, position = sentence(0)
    rows = [{"tokens": tokens, "position": position, "sense": "river", "lemma": "bank 1", "annotator": name} for name in "AB"]
    guess = {"tokens": ["A", "bank"], "position": 1, "sense": "money", "given": False, "probability": 0.7}
    label(path, Labels(), 1, "money")
    with path.open("a") as file:
        file.write("".join(json.dumps(each) + "\n" for each in [*rows, guess]) + damage)
    label(path, Labels(), 0, "slope")
    label(path, Labels(), 1, "")
    stored = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [{**rows[k], "tokens": list(tokens), "sense": "slope"}.items() <= stored[k].items() for k in range(2)] == [True, True]
    assert stored[2:] == [guess]


def test_labels_stay_on_their_sentences_when_the_corpus_changes_and_are_renamed_with_the_others(path, tmp_path):
    labels = label(path, label(path, Labels(), 0, "money"), 7, "river")
    moved = [SENTENCES[9], SENTENCES[7], (("Another", "one"), 1)]
    here = label_files.numbered(labels.given, moved)
    assert (here.given, here.elsewhere) == (((1, "river"),), ((SENTENCES[0], "money"),))
    label_files.change_stored(path, "bank", labels, lambda now: now.label([moved[2]], "river"))
    assert given(path) == {SENTENCES[0]: "money", SENTENCES[7]: "river", moved[2]: "river"}
    read = label_files.read_labels(path, moved[:2])
    path.write_text(label_files.format_labels("bank", moved[:2], read.labels.rename("river", "shore"), None), "utf-8")
    assert label_files.read_senses(path) == {SENTENCES[0]: "money", SENTENCES[7]: "shore", moved[2]: "shore"}


def test_labels_of_other_words_are_left_out_and_carried_unchanged(tmp_path):
    file = tmp_path / "words.jsonl"
    rows = [ROW | {"lemma": "Bank"}, ROW | {"tokens": ["My", "bank", "."]}]
    other = {"tokens": ["A", "spring"], "position": 1, "lemma": "spring", "sense": "money"}
    file.write_text("".join(json.dumps(row) + "\n" for row in (*rows, other)), "utf-8")
    with reports.collecting() as notes:
        read = label_files.read_labels(file, SENTENCES, word="bank")
    assert [sense for _, sense in read.by_sentence] == ["money", "money"] and [*notes.values()] == ["1 label of another word is left out."]
    text, carried = label_files.carry_rows("", file, [], {"money": "cash"}.get, "bank")
    assert ([json.loads(line)["sense"] for line in text.splitlines()], carried) == (["cash", "cash", "money"], 3)
    file.write_text(json.dumps(other), "utf-8")
    assert len(label_files.read_senses(file, "springs")) == 1  # a form of its lemma


def test_a_sense_may_be_a_number_and_pandas_may_write_it_with_a_point(tmp_path):
    file = tmp_path / "numbers.jsonl"
    for number, text in ((1, "1"), (1.0, "1"), (2.5, "2.5"), (0, "0"), ("1", "1")):
        for position in (1, 1.0):
            file.write_text(json.dumps({"tokens": ["The", "bank"], "position": position, "sense": number}), "utf-8")
            assert label_files.read_senses(file) == {(("The", "bank"), 1): text}


def test_a_sense_in_a_file_may_be_longer_than_a_typed_one(path, tmp_path):
    file = tmp_path / "glosses.jsonl"
    given_labels = [(SENTENCES[k], GLOSS.format(k % 2)) for k in range(4)]
    file.write_text(label_files.format_rows("bank", given_labels), "utf-8")
    labels = label_files.read_labels(file, SENTENCES).labels
    assert labels.label([9], "x" * 200).senses == (GLOSS.format(0), GLOSS.format(1), "x" * MOST_CHARACTERS)
    text, carried = label_files.carry_rows(label_files.format_labels("bank", SENTENCES[:2], labels, None), file, SENTENCES[:2])
    assert carried == 2 and [json.loads(line)["sense"] for line in text.splitlines()] == [sense for _, sense in given_labels]


@pytest.mark.parametrize(
    ("sense", "merged"),
    [("old", "new"), (" ol\u00add\n", "new"), (3, "new"), (3.0, "new"), (1, 1), ("river", "river"), (True, True), (None, None)],
)
def test_a_merge_renames_the_sense_of_a_row_of_another_sentence_as_it_is_read(tmp_path, sense, merged):
    file = tmp_path / "labels.json"  # with lines
    file.write_text(json.dumps(ROW | {"tokens": ["Another", "bank"], "sense": sense}) + "\nno row", "utf-8")
    text, carried = label_files.carry_rows("", file, SENTENCES, {"old": "new", "3": "new"}.get if merged == "new" else lambda name: name)
    first, second = text.splitlines()
    assert (json.loads(first)["sense"], second, carried) == (merged, "no row", 2)


def test_a_file_without_labeled_sentences_is_named_with_its_line(tmp_path):
    for rows, message in (
        *(([ROW | {"sense": sense}], "has no labeled sentence") for sense in (None, " ", "nan")),
        ([{key: ROW[key] for key in ("tokens", "position")}], "line 1: .*without “sense”"),
        *(([ROW | {"sense": sense}], "instead of text") for sense in (True, ["a"])),
        ([ROW | {"position": None, "sense": None}], "without “position”"),
        *(([ROW | {"position": 0.5}], "position 0.5 in 3 tokens"), ([ROW | {"position": 5}], "line 1: position 5 in 3 tokens")),
        ([ROW, {"text": "x"}], "line 2: a row of 'text' is not a labeled sentence"),
        ([ROW, ROW | {"sense": "river"}], "line 2: this sentence is “money” and “river”"),
        ([ROW | {"tokens": ["Another", "bank"]}], "labels none of these 400 sentences"),
        *(([], "labels.jsonl has no labeled sentence. Choose another file."), ('{"tokens": ["a"', "line 1")),
    ):
        (tmp_path / "labels.jsonl").write_text(rows if isinstance(rows, str) else "\n".join(map(json.dumps, rows)), "utf-8")
        with pytest.raises(BadInput, match=message):
            label_files.read_labels(tmp_path / "labels.jsonl", SENTENCES)


def test_rows_without_a_sense_and_guesses_are_no_labels_but_are_carried_through(tmp_path):
    file = tmp_path / "labels.jsonl"
    rows = [{"tokens": tokens, "position": position, "note": k} for k, (tokens, position) in enumerate(SENTENCES[:5])]
    for row, sense in zip(rows, (None, "", float("nan"), "river", "None"), strict=True):
        row |= {"label" if sense == "river" else "sense": sense, "probability": float("nan")}
    rows[4]["given"] = True  # a person's sense called None
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    with reports.collecting() as found:
        assert label_files.read_senses(file) == {SENTENCES[3]: "river", SENTENCES[4]: "None"}
    assert list(found.values()) == ["labels.jsonl: rows without a sense, not counted as labels: 3."]
    text, carried = label_files.carry_rows(label_files.format_rows("bank", [(SENTENCES[0], "money")]), file, SENTENCES)
    first, *others = map(json.loads, text.splitlines())
    assert (first["sense"], first["note"], first["given"], carried) == ("money", 0, True, 2)
    assert [(row["note"], row["sense"], row["probability"]) for row in others] == [(1, "", None), (2, None, None)]
    for guess in (False, 0, 0.0, "false", "False"):  # and no person's
        file.write_text("\n".join(map(json.dumps, [ROW | {"given": guess}, ROW | {"tokens": ["A", "bank"]}])), "utf-8")
        assert label_files.read_senses(file) == {(("A", "bank"), 1): "money"}


def test_a_corpus_labels_are_removed_with_it_and_no_others(tmp_path):
    kept = keep_text("The bank lent money.", "notes.txt")
    paths = [label_files.stored_file(name, word) for name in (kept.name, "sentences") for word in ("bank", "money")]
    assert label_files.stored_file(str(kept.path), "bank") == paths[0]  # by path or by name
    for each in paths:
        label(each, Labels(), 0, "a")
    paths[0].with_stem(f"{paths[0].stem}-unreadable").write_text("old", "utf-8")
    label_files.forget_stored(kept.name)
    assert [each.is_file() for each in paths] == [False, False, True, True]
    assert not paths[0].parent.exists()
    assert user_names.corpus_exists(kept.name)


def test_what_cannot_be_saved_or_read_is_reported_and_the_file_stays(path, monkeypatch):
    labels = label(path, Labels(), 0, "money")
    before = path.read_bytes()

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch, pytest.raises(label_files.CannotSave, match="cannot be written: Permission denied"):
        patch.setattr(os, "fsync", refuse)
        label(path, labels, 1, "money")
    assert path.read_bytes() == before
    monkeypatch.setattr(Path, "stat", refuse)
    with pytest.raises(label_files.CannotSave, match="Labels cannot be saved: Permission denied"):
        given(path)


def test_two_processes_that_label_the_same_word_at_once_lose_nothing(path):
    started = FORK.Barrier(2)

    def write(first: int) -> None:
        gc.freeze()
        labels = Labels()
        started.wait()
        for k in range(first, first + EACH):
            labels = label(path, labels, k, ("money", "river")[k % 2])

    run_at_once(write, 0, EACH)
    assert given(path) == {SENTENCES[k]: ("money", "river")[k % 2] for k in range(2 * EACH)}
    assert [each.name for each in path.parent.iterdir()] == [path.name]  # no lock, no temporary file, nothing set aside


def test_a_writer_killed_before_any_of_its_changes_loses_no_label_that_was_saved(path):
    saved: set = set()
    for number, has_ended in kills(lambda k: label(path, Labels(), k, "money")):
        stored = given(path).keys()
        assert saved <= stored <= saved | {sentence(number)} and not label_files.find_set_aside(path)
        assert not has_ended or sentence(number) in stored
        saved = set(stored)
    assert number > 5
