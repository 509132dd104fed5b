"""Test that user texts are stored completely, that unreadable files are named, that plans are true, and that reading can resume."""

import json
from contextlib import nullcontext
from pathlib import Path
from unittest.mock import Mock

import docx
import numpy as np
import pytest

from core.common import config, reports
from core.common.errors import BadInput
from core.corpus.concordance import lines
from core.corpus.encoded import encode, open_encoded
from core.corpus.search import find
from core.files.quotas import VISIT
from core.files.registry import entries
from core.index import build as building
from core.index import tables as planning
from core.index.build import build_index
from core.index.sense_space import keeps_substitutes, substitutes_of
from core.index.table import OccurrenceTable
from core.index.tables import measure_pace, open_table, plan_for
from core.text import languages, own_corpus
from core.text.corpora import open_corpus
from core.text.own_corpus import Source, files_in, forget, keep_files, keep_text
from core.text.sentences import Sentence, Target, fingerprint, read_sentences, sentences_from_text
from tests.tiny import spaced_tokens, tiny_encoder

LETTER = "Dear Ann, the bank of the river flooded.\nThe bank lent us nothing. We moved on."
SONG = "text,year\nA bird sang in spring.,1990\nThe spring of the clock broke.,1991\n"
LABELED = {"tokens": ["The", "bank", "shut"], "position": 1, "word": "bank", "lemma": "bank", "sense": "money"}
MANY = [Sentence(tuple(f"w{(7 * n + k) % 23}" for k in range(1 + n % 9)), document=f"d{n % 4}") for n in range(60)]
N_TOKENS = sum(len(sentence.tokens) for sentence in MANY)


def written(folder: Path, **files: str | bytes) -> list[Source]:
    """Write files ("a_txt" is a.txt) in order."""
    paths = [folder / name.replace("_", ".") for name in files]
    for path, content in zip(paths, files.values(), strict=True):
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return [Source(path.name, path) for path in paths]


def test_every_file_comes_back_with_its_sentences_its_labels_and_its_name(tmp_path):
    rows = [{"text": "One night it rained.", "document": "chapter 1"}, LABELED, LABELED | {"position": 2, "word": "shut", "lemma": "shut"}]
    sources = written(tmp_path, a_txt=LETTER, song_csv=SONG, book_jsonl="\n".join(map(json.dumps, rows)), list_json='[["One", "list"]]')
    (tmp_path / "other").mkdir()
    sources += written(tmp_path / "other", a_txt="Second.")
    kept, alone = keep_files(sources), [sentence for source in sources for sentence in read_sentences(source.path)]
    back = read_sentences(kept.path)
    assert kept.skipped == () and [(s.tokens, s.targets) for s in back] == [(s.tokens, s.targets) for s in alone]
    names = ["a.txt"] * 3 + ["song.csv"] * 2 + ["chapter 1", "book.jsonl", "list.json", "a.txt (2)"]
    assert [s.document for s in back] == names and back[6].targets[0] == Target(1, "bank", "money", "bank") and len(back[6].targets) == 2


def test_a_text_is_stored_once_under_each_name_in_no_list_and_only_its_owner_may_read_it(tmp_path):
    sources = written(tmp_path, a_txt=LETTER)
    path, again = keep_files(sources).path, keep_files(sources).path
    assert path == again and len(list(path.parent.iterdir())) == 1
    assert keep_files([Source("b.txt", sources[0].path)]).path != path
    assert own_corpus.is_own(str(path)) and not own_corpus.is_own("sentences")
    assert not [entry.name for entry in entries("corpus") if path.stem in entry.name or ".own" in entry.name]
    assert path.stat().st_mode & 0o077 == 0 and path.parent.stat().st_mode & 0o077 == 0


def test_a_text_is_tokenized_again_where_another_language_is_in_use():
    korean, text = languages.get_language("ko"), "그는 “은행에서” 나왔다."
    own_tokens = Sentence(("은행에서,", "나왔다"), (Target(0, "은행에서,", "돈", "은행"),))
    labeled = Sentence(("은행에서", "나왔다"), (Target(0, "은행에서", "돈", "은행"),))
    corpus = own_corpus.keep_sentences([*sentences_from_text(text), labeled, own_tokens])
    assert [s.tokens[:3] for s in open_corpus(corpus.name)] == [("그는", '"', "은행에서"), labeled.tokens, own_tokens.tokens]
    read = open_corpus(corpus.name, korean)
    with languages.reading(korean):
        in_korean = keep_text(text, "은행")
    assert read[0].tokens == read_sentences(in_korean.path)[0].tokens and read[1].targets == (Target(0, "은행", "돈", "은행"),)
    assert read[2] == own_tokens and len(find(open_encoded(corpus.name, korean), "은행").first) == 2
    assert open_corpus(in_korean.name)[0].tokens == ("그는", '"', "은행에서", '"', "나왔다", ".")
    (indexed := config.cache_folder() / "indexes" / f"model-{fingerprint(read)[:16]}").mkdir(parents=True)
    forget(corpus.name)
    assert not indexed.exists()


@pytest.mark.parametrize("name", ["<img src=x onerror=alert(1)>.txt", "a" * 300 + ".txt", "caf\udce9.txt", "눈.txt"])
def test_any_file_name_makes_a_document(tmp_path, name):
    document = read_sentences(keep_files([Source(name, written(tmp_path, a_txt=LETTER)[0].path)]).path)[0].document
    assert document and len(document) <= 200 and document[:4] == name[:4].replace("\udce9", "?")


def test_a_folder_gives_its_texts_in_order_without_hidden_files_and_links(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / ".git").mkdir()
    for name in ("b.txt", "a.TXT", "sub/c.csv", ".hidden.txt", ".git/d.txt", "picture.png", "notes.md", "sub/more.md", "talk.srt"):
        (tmp_path / name).write_text("title,body\nA long title of words,Rain.\nAnd one more title here,\n")
    (tmp_path / "link.txt").symlink_to("/etc/hostname")
    (tmp_path / "other").symlink_to("/etc")
    with reports.collecting() as notes:
        sources = files_in(f" {tmp_path} ")
    assert [source.name for source in sources] == ["a.TXT", "b.txt", "notes.md", "sub/c.csv"]
    assert list(notes.values()) == ["Files and folders not read: 5 (other, link.txt, picture.png, …)."]
    skipped = [(item.name, item.why) for item in keep_files(sources).skipped]  # with the notes on a file that was read
    assert [name for name, _ in skipped] == ["notes.md", "sub/c.csv", "sub/c.csv"] and "Save its text as .txt" in skipped[0][1]
    assert "not from “title”" in skipped[1][1] and "1 row without text" in skipped[2][1]


def test_missing_large_and_empty_folders_are_refused(tmp_path, monkeypatch):
    for folder in ("", "/no/such/folder", "\x00", "a" * 5000, "~nobody-of-that-name"):
        with pytest.raises(BadInput, match="No folder"):
            files_in(folder)
    (tmp_path / "a.png").write_text("x")
    with pytest.raises(BadInput, match="has no text"):
        files_in(str(tmp_path))
    monkeypatch.setattr(own_corpus, "MAX_LOOKED_AT", 0)
    with pytest.raises(BadInput, match="over 0 files"):
        files_in(str(tmp_path))


def test_files_that_cannot_be_read_are_left_out_and_named_and_the_others_are_read(tmp_path):
    files = {
        "a_txt": b"",
        "b_txt": "fa\xe7ade\n".encode() + "caf\xe9".encode("latin-1"),
        "c_csv": b"id,year\n1,1990\n",
        "d_docx": b"no zip",
    }
    kept = keep_files(written(tmp_path, **files, good_txt=LETTER))
    assert [s.document for s in read_sentences(kept.path)] == ["good.txt"] * 3
    assert [skipped.name for skipped in kept.skipped] == ["a.txt", "b.txt", "c.csv", "d.docx"]
    for skipped, why in zip(kept.skipped, ("is empty", "is not UTF-8", "no column 'text'", "not a .docx"), strict=True):
        assert why in skipped.why
        with pytest.raises(BadInput, match=why):
            keep_files([Source(skipped.name, tmp_path / skipped.name)])


def test_a_corpus_ends_at_its_limits_and_reports_it(tmp_path, monkeypatch):
    sources = written(tmp_path, a_txt="One two.\nThree four.\nFive six.", b_txt="Seven eight.", c_txt="Nine ten.")
    monkeypatch.setenv("ELMOSCOPE_MAX_SENTENCES", "4")
    kept = keep_files(sources)
    assert len(read_sentences(kept.path)) == 4 and [s.name for s in kept.skipped] == ["c.txt"]
    monkeypatch.setenv("ELMOSCOPE_MAX_TOKENS", "7")
    kept = keep_files(sources[:2])
    assert [s.tokens[0] for s in read_sentences(kept.path)] == ["One", "Three"] and "First 2 sentences only" in kept.skipped[0].why
    monkeypatch.setenv("ELMOSCOPE_MAX_FILE_MB", "1")
    sources[0].path.write_text("One two. " * 120_000)
    with pytest.raises(BadInput, match="above the limit"):
        keep_files(sources[:1])
    monkeypatch.setenv("ELMOSCOPE_MAX_FILES", "2")
    with pytest.raises(BadInput, match="3 files; choose at most"):
        keep_files(sources)


def test_word_documents_are_read_with_their_tables_in_order(tmp_path):
    document, path = docx.Document(), tmp_path / "a.docx"
    document.save(str(path))
    with pytest.raises(BadInput, match="has no text"):
        read_sentences(path)
    document.add_paragraph("The bank lent money. She left.")
    document.add_table(1, 2).rows[0].cells[1].text = "A cell of a table."
    document.save(str(path))
    assert spaced_tokens(read_sentences(path)) == ["The bank lent money .", "She left .", "A cell of a table ."]


def test_texts_are_shown_with_the_blanks_and_quotation_marks_that_were_written(model):
    first, second = (keep_text(f"“The {gap} bank”,\tshe said.\nPlain as it is.", "a") for gap in (" ", "   "))
    corpus, tables = encode(read_sentences(first.path)), [open_table(str(kept.path), model) for kept in (first, second)]
    assert [table.occurrence(0).sentence for table in tables] == ["“The   bank”,\tshe said.", "“The     bank”,\tshe said."]
    assert lines(corpus, find(corpus, "bank"), 0, 1)[0].text == "“The   bank”,\tshe said."


@pytest.mark.parametrize("has_substitutes", [False, True])
def test_the_plan_gives_the_rows_of_the_index_and_about_its_bytes(tmp_path, model, has_substitutes):
    sentences = [Sentence(s.tokens, document=f"d{k % 3}") for k, s in enumerate(read_sentences("assets/sentences.jsonl", limit=150))]
    result = plan_for(sentences, model, targets_only=not has_substitutes)
    substitutes = {"substitutes": substitutes_of(model)} if has_substitutes else {}
    table = build_index(sentences, model.encoder, tmp_path / "index", model="mini", **substitutes)
    assert result.keeps_substitutes == keeps_substitutes(table) == has_substitutes
    assert result.tokens == len(table) and result.words == len(table.types) and result.sentences == len(table.sentences)
    size = sum(path.stat().st_size for path in (tmp_path / "index").iterdir())
    assert abs(result.index_bytes / size - 1) < 0.05 and result.working_bytes > result.index_bytes


class Clock:
    """An encoder that takes 1 s for each token and 2 s for each new spelling, and its substitutes, which take 0.6 s."""

    now, sample, known = 0.0, None, frozenset()

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        spellings = {token for tokens in sentences for token in tokens}
        self.now += sum(map(len, sentences)) + 2 * len(spellings - self.known)
        self.known |= spellings
        return [np.zeros((3, len(tokens), 4), np.float32) for tokens in sentences]

    def places_in(self, layers: np.ndarray) -> np.ndarray:
        return layers[0]

    def vectors(self, places: np.ndarray, words: list[str]) -> None:
        self.now += 0.6 * len(words)


def test_a_pace_separates_spellings_from_tokens_and_counts_what_substitutes_take(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(planning.time, "perf_counter", lambda: clock.now)
    assert measure_pace(clock, MANY) == (pytest.approx(2), pytest.approx(1))
    assert measure_pace(clock, MANY, clock) == (pytest.approx(0), pytest.approx(1.6))


class Stopped(Exception):
    pass


def stop_at(rounds: int):
    return Mock(side_effect=[None] * (rounds - 1) + [Stopped])


def files_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.arrow")}


@pytest.fixture
def short_rounds(monkeypatch):
    monkeypatch.setattr(building, "TOKENS_PER_ROUND", 40)


def index_many(folder: Path, *, sentences=MANY, model: str = "m", rounds: int = 0) -> int:
    """Build an index and stop it after some rounds, if any. Return the number of tokens encoded."""
    encoder, counts = tiny_encoder(), []
    encode = encoder.encode
    encoder.encode = lambda sentences: counts.append(sum(map(len, sentences))) or encode(sentences)
    with pytest.raises(Stopped) if rounds else nullcontext():
        build_index(sentences, encoder, folder, model=model, report=stop_at(rounds) if rounds else None)
    return sum(counts)


@pytest.mark.parametrize("rounds", [1, 3, 5])
def test_reading_that_was_stopped_goes_on_and_ends_byte_for_byte_the_same(tmp_path, short_rounds, rounds):
    place = tmp_path / "broken" / "index"
    index_many(tmp_path / "unbroken" / "index")
    first = index_many(place, rounds=rounds)
    assert not place.exists()
    assert first + index_many(place) == N_TOKENS  # nothing was read twice
    assert files_of(place) == files_of(tmp_path / "unbroken" / "index") and len(files_of(place)) == 3
    assert [path.name for path in place.parent.iterdir()] == ["index"]  # and nothing is left behind


@pytest.mark.parametrize("damage", [b"", b"noise", None])
def test_damaged_parts_and_those_of_other_sentences_or_of_another_model_are_not_used(tmp_path, short_rounds, damage):
    index_many(tmp_path / "a" / "index", rounds=3)
    part = sorted(next((tmp_path / "a").glob(".index.*.parts")).iterdir())[1]
    part.write_bytes(part.read_bytes()[:-30] if damage is None else damage)
    index_many(tmp_path / "a" / "index")
    index_many(tmp_path / "b" / "index", sentences=MANY[1:], rounds=3)
    index_many(tmp_path / "b" / "index", model="other", rounds=3)
    assert index_many(tmp_path / "b" / "index") == N_TOKENS
    assert files_of(tmp_path / "a" / "index") == files_of(tmp_path / "b" / "index")


def test_forgetting_removes_the_corpus_its_index_and_what_a_stop_left(private_cache, monkeypatch, model):
    monkeypatch.setattr(building, "TOKENS_PER_ROUND", 10)
    other, mine = keep_text("Another text stays.", "b").path, keep_text(LETTER, "a").path
    open_table(str(other), model)
    with pytest.raises(Stopped):
        open_table(str(mine), model, report=stop_at(1))
    forget(str(mine))
    left = [path for path in private_cache.rglob("*") if path.is_file()]
    assert other in left and mine not in left and not [path for path in left if path.suffix == ".npz"]
    open_table(str(keep_text(LETTER, "a").path), model)
    forget(str(mine))
    forget("sentences")  # is no user corpus
    (index,) = (private_cache / "indexes").iterdir()
    assert len(OccurrenceTable(index)) == 4


def test_text_beyond_the_limit_is_refused_but_stored_text_needs_no_additional_space(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SESSION_TEXTS", "1")
    with VISIT.within("one"):
        first = keep_text(LETTER, "mine")
        assert keep_text(LETTER, "mine").path == first.path
        with pytest.raises(BadInput, match="You have 1 text, the limit here"):
            keep_text(LETTER + " More.", "mine")
        forget(first.name)
        keep_text(LETTER + " More.", "mine")
