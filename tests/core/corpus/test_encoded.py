"""An encoded corpus holds what its sentences hold, in memory and mapped from disk; bad files are a sentence."""

import json
import lzma
import shutil

import numpy as np
import pytest

from core.common import reports
from core.common.errors import BadInput, CorruptArtifact
from core.corpus import encoded
from core.corpus.encoded import ARRAYS, encode, open_encoded, open_folder
from core.text import languages, own_corpus
from core.text.corpora import open_corpus
from core.text.own_corpus import Source
from core.text.sentences import Sentence, Target


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return open_corpus("sentences")


def test_it_holds_every_token_label_and_text(sentences):
    corpus = encode(sentences)
    assert len(corpus) == sum(len(s.tokens) for s in sentences) and corpus.n_sentences == len(sentences)
    for k in (0, 17, len(sentences) - 1):
        assert (corpus.tokens(k), corpus.texts_of(np.array([k]))) == (sentences[k].tokens, [sentences[k].text])
    assert corpus.word_list == sorted({token.casefold() for s in sentences for token in s.tokens})
    targets = [(s.tokens[t.position], t.sense) for s in sentences for t in s.targets]
    names = [corpus.spelling_list[k] for k in corpus.spelling[corpus.label_at]]
    assert list(zip(names, (corpus.senses[k] for k in corpus.label_sense), strict=True)) == targets
    corpus = encode([Sentence(("a", "bank", "of", "a", "bank"), (Target(4, "bank", "river", "bank"), Target(1, "bank", "money", "Bank")))])
    assert corpus.label_at.tolist() == [1, 4] and [corpus.senses[k] for k in corpus.label_sense] == ["money", "river"]


def test_on_disk_it_is_the_same_and_mapped(sentences, tmp_path):
    corpus = encode([*sentences[:50], Sentence(("Dated", "text"), document="d", date="1999", text="Dated   text")])
    corpus.save(tmp_path / "corpus")
    again = open_folder(tmp_path / "corpus")
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(again, name), getattr(corpus, name))
        assert isinstance(getattr(again, name).base, np.memmap) or not getattr(corpus, name).size
    assert (again.word_list, again.spelling_list, again.dates) == (corpus.word_list, corpus.spelling_list, ["1999"])
    chosen = np.array([0, 50])
    assert again.texts_of(chosen) == corpus.texts_of(chosen) and again.texts_of(chosen)[1] == "Dated   text"


def test_a_damaged_one_is_named_and_made_again_and_a_file_without_a_sentence_is_refused(tmp_path):
    (path := tmp_path / "a.txt").write_text("The otter dived. The otter came up.")
    folder = open_encoded(str(path)).folder
    (folder / "word.npy").write_bytes(b"nothing")
    with pytest.raises(CorruptArtifact, match="is damaged"):
        open_folder(folder)
    assert len(open_encoded(str(path))) == 9
    path.write_text(" \n")
    with pytest.raises(BadInput, match=r"a\.txt has no sentence"):
        open_encoded(str(path))


def test_a_file_is_encoded_once_for_its_content_and_its_language(tmp_path, monkeypatch):
    path, other = tmp_path / "a.txt", tmp_path / "b.txt"
    for file in (path, other):
        file.write_text("은행에서 돈을 찾았다.")
    first = open_encoded(str(path))
    with monkeypatch.context() as patch:
        patch.setattr(encoded, "encode", lambda *_, **__: pytest.fail("it is there"))
        assert open_encoded(str(other)).folder == first.folder and open_encoded(str(other)).documents == ["b.txt"]
    assert open_encoded(str(path), languages.get_language("ko")).folder != first.folder


def test_what_another_visit_removes_at_once_is_still_there_for_this_one(tmp_path, monkeypatch):
    (path := tmp_path / "a.txt").write_text("The otter dived. The otter came up.")
    open_folder = encoded.open_folder

    def open_after_removal(folder):
        shutil.rmtree(folder, ignore_errors=True)
        return open_folder(folder)

    monkeypatch.setattr(encoded, "open_folder", open_after_removal)
    assert len(open_encoded(str(path))) == 9


def test_reading_reports_how_far_it_is_and_can_be_stopped(tmp_path, private_cache, monkeypatch):
    monkeypatch.setattr(reports, "REPORTED_EVERY_S", 0)
    path, seen = tmp_path / "a.txt.xz", []
    path.write_bytes(lzma.compress(b"One otter dived here today.\n" * 6_000))
    open_encoded(str(path), report=lambda *facts: seen.append(facts))
    assert len(seen) >= 2 and all(0 < done <= total and speed > 0 for done, total, speed in seen)

    def stop(*_) -> None:
        raise KeyboardInterrupt

    path.write_bytes(lzma.compress(b"One otter dived there today.\n" * 6_000))
    with pytest.raises(KeyboardInterrupt):
        open_encoded(str(path), report=stop)
    assert not [folder for folder in (private_cache / "encoded").iterdir() if not (folder / "meta.json").is_file()]


def test_dates_come_from_a_column_of_a_table_and_from_rows(tmp_path):
    table, rows = tmp_path / "a.csv", tmp_path / "a.jsonl"
    table.write_text("when,text\n1990-01-02,The otter dived. It came up.\n1991-05-06,No otter.\n,Undated.\n")
    corpus = open_encoded(own_corpus.keep_files([Source("a.csv", table)], date_column="when").name)
    assert corpus.dates == ["1990-01-02", "1991-05-06"] and corpus.date.tolist() == [0, 0, 1, -1]
    rows.write_text("\n".join(json.dumps({"text": "An otter.", "date": year}) for year in (2001, 1999, [])))
    assert [open_encoded(str(rows)).dates[k] for k in (0, 1)] == ["1999", "2001"]
    assert open_encoded(str(rows)).date.tolist() == [1, 0, -1]
    with pytest.raises(BadInput, match=r"no column 'year' among \[.*\]\. Give the dates’ column"):
        own_corpus.keep_files([Source("a.csv", table)], date_column="year")
