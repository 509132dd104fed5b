"""Training data: text files to ids on disk, sentences laid out packed, and a stream of batches that resumes exactly."""

import gzip
import hashlib
import lzma
import re
from itertools import islice

import numpy as np
import pytest

from core.common import reports
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.text.tokens import tokenize
from core.training.data import Corpus, prepare, read_lines


@pytest.fixture
def prepared(tmp_path):
    """A small corpus of two domains: 40 sentences of 1 to 12 tokens, and 10 of news."""
    (tmp_path / "books-00.txt").write_text("\n".join(" ".join(f"w{(n * k) % 17}" for k in range(n % 12 + 1)) for n in range(40)))
    (tmp_path / "wikinews-00.txt").write_text("\n".join(f"news{n} today" for n in range(10)))
    return prepare([tmp_path / "books-00.txt", tmp_path / "wikinews-00.txt"], tmp_path / "prepared", print, processes=1)


def test_more_files_than_a_byte_counts_keep_their_sentences_apart(tmp_path):
    files = [tmp_path / f"part{number}-00.txt" for number in range(300)]
    for number, file in enumerate(files):
        file.write_text(f"w{number} is here" if number else "w0 is here\nw0 is there")
    folder = prepare(files, tmp_path / "prepared", print, processes=1)
    domains = np.load(folder / "domains.npy")
    assert domains.tolist() == [0, *range(300)]
    corpus = Corpus(folder)
    assert [corpus.types[int(corpus.ids[start])] for start in corpus.starts[:-1]] == [f"w{number}" for number in domains]
    assert [corpus.meta["files"][number] for number in domains[-2:]] == ["part298-00.txt", "part299-00.txt"]


@pytest.mark.parametrize(("suffix", "pack"), [(".txt", bytes), (".GZ", gzip.compress)])
def test_text_is_unpacked_and_decoded_whatever_its_suffix_and_encoding(tmp_path, suffix, pack):
    path = tmp_path / f"a{suffix}"
    for text, encoding in (("은행에 갔다.\n강둑에 앉았다.\n", "cp949"), ("A “café” in the façade.\n", "cp1252"), ("Ένα", "utf-8")):
        path.write_bytes(pack(text.encode(encoding)))
        with reports.collecting() as notes:
            prepare([path], tmp_path / encoding, print, processes=1)
        assert "".join(read_lines(path)) == text
        assert [encoding.upper() in note for note in notes.values()] == [True] * (encoding != "utf-8")
    path.write_bytes(pack("\u00e9t\u00e9\n".encode() * 9 + b"bank\n" * 60_000 + b"caf\xe9\n" * 4))
    with reports.collecting() as notes:
        prepare([path], tmp_path / "mixed", print, processes=2)
    assert [re.search("shown as .: 4", note) is not None for note in notes.values()] == [True]
    for binary in (np.random.default_rng(0).bytes(5000), "the bank".encode("utf-16-le"), b"the\0bank\n"):
        path.write_bytes(pack(binary))
        with pytest.raises(BadInput, match=r"line \d: a NUL byte|not text in any known encoding"):
            prepare([path], tmp_path / "binary", print, processes=1)


@pytest.mark.parametrize(("suffix", "compress"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_unreadable_text_files_other_packings_and_tables_are_named(tmp_path, suffix, compress):
    table = "is a table: save its texts as .txt"
    for name, said in {"a.txt.bz2": "Unpack it", "a.ZST": "Unpack it", "a.csv.gz": table, "a.jsonl": table}.items():
        (tmp_path / name).write_bytes(b"x")
        with pytest.raises(BadInput, match=said):
            list(read_lines(tmp_path / name))
    data = compress(" ".join(map(str, np.random.default_rng(0).integers(0, 1 << 60, 2000).tolist())).encode())
    path = tmp_path / f"text{suffix}"
    for damaged in (data[: len(data) // 2], b"not packed at all", data[:5000] + b"\xff" * 4000 + data[9000:]):
        path.write_bytes(damaged)
        with pytest.raises(BadInput, match=rf"text\{suffix} is incomplete"):
            list(read_lines(path))
    path.unlink()
    with pytest.raises(MissingArtifact, match=rf"no text file .*text\{suffix}"):
        list(read_lines(path))


def test_a_small_corpus_is_prepared_as_counted_by_hand(tmp_path):
    lines = ["The bank of the river.", "", "  ", "The bank lent money.", "the the the"]
    (tmp_path / "a-00.xz").write_bytes(lzma.compress("\n".join(lines).encode()))
    (tmp_path / "b-00.txt").write_text("bank bank bank bank\n")
    said = []
    folder = prepare([tmp_path / "a-00.xz", tmp_path / "b-00.txt"], tmp_path / "prepared", said.append, processes=1)
    assert said == ["a-00.xz: 3 sentences, 14 tokens", "b-00.txt: 1 sentences, 4 tokens"]
    corpus = Corpus(folder)
    # bank 6, the 4, "." 2, The 2; then one each, by spelling
    assert corpus.types == ["<S>", "</S>", "bank", "the", ".", "The", "lent", "money", "of", "river"]
    assert [corpus.types[k] for k in corpus.sentence(0)] == ["<S>", *tokenize(lines[0]), "</S>"]
    assert corpus.sentence(3).tolist() == [0, 2, 2, 2, 2, 1]
    assert corpus.domains.tolist() == [0, 0, 0, 1]
    texts = [[name, hashlib.sha256((tmp_path / name).read_bytes()).hexdigest()] for name in ("a-00.xz", "b-00.txt")]
    made_of = {"texts": texts, "language": "en", "hold_out": 0.0, "max_tokens": 60}
    assert corpus.meta == {"files": ["a-00.xz", "b-00.txt"], "sentences": 4, "tokens": 18, "types": 10, "made_of": made_of}


def test_several_processes_prepare_what_one_prepares(tmp_path):
    for name in "abc":
        (tmp_path / f"{name}.txt").write_text(f"{name} one two\ntwo {name} {name}" + " long" * 70)
    files = [tmp_path / f"{name}.txt" for name in "abc"]
    said = []
    item, two = (prepare(files, tmp_path / f"by{n}", said.append, processes=n) for n in (1, 2))
    assert said[0] == "a.txt: 2 sentences, 63 tokens; 1 of them cut at 60 tokens"
    for name in ("ids.npy", "starts.npy", "domains.npy"):
        np.testing.assert_array_equal(np.load(item / name), np.load(two / name))
    assert (item / "types.txt").read_bytes() == (two / "types.txt").read_bytes()
    assert np.diff(np.load(two / "starts.npy")).tolist() == [3, 60] * 3  # a long sentence is cut


def test_a_folder_that_was_prepared_otherwise_is_refused_with_both_named_and_else_left_as_it_is(prepared, tmp_path):
    files = [tmp_path / "books-00.txt", tmp_path / "wikinews-00.txt"]
    before = {path: path.stat().st_mtime_ns for path in prepared.iterdir()}
    prepare(files, prepared, print, processes=2)  # it is ready

    def check(files, said, **options):
        with pytest.raises(BadInput, match=said):
            prepare(files, prepared, print, processes=1, **options)
        assert {path: path.stat().st_mtime_ns for path in prepared.iterdir()} == before

    check(files, r"hold_out: 0\.0, now 0\.5", hold_out=0.5)
    check(files, "language: en, now ko", language="ko")
    texts = r"texts: books-00.txt \([0-9a-f]{12}\) wikinews-00.txt \([0-9a-f]{12}\), now books-00.txt \([0-9a-f]{12}\)"
    check(files[:1], texts)
    files[0].write_text("of the same name")
    check(files, texts)
    (prepared / "meta.json").write_text("{}")
    before[prepared / "meta.json"] = (prepared / "meta.json").stat().st_mtime_ns
    check(files, "does not name the text")


def test_damaged_prepared_text_is_named(prepared, tmp_path):
    whole = {name: (prepared / name).read_bytes() for name in ("meta.json", "ids.npy", "starts.npy", "domains.npy")}
    for name, data in whole.items():
        for damage in (data[: len(data) // 2], b""):
            (prepared / name).write_bytes(damage)
            with pytest.raises(CorruptArtifact, match=r"Delete (it|and remake)"):
                Corpus(prepared)
            if name == "meta.json":
                with pytest.raises(CorruptArtifact, match=r"meta\.json is damaged"):
                    prepare([tmp_path / "books-00.txt", tmp_path / "wikinews-00.txt"], prepared, print, processes=1)
        (prepared / name).write_bytes(data)


def test_text_is_prepared_as_a_complete_and_never_over_files_of_others(prepared, tmp_path, monkeypatch):
    for name in ("novel.txt", "types.txt"):
        mine = tmp_path / f"my {name}" / name
        mine.parent.mkdir()
        mine.write_text("mine")
        with pytest.raises(BadInput, match=rf"has other files \({name}\)"):
            prepare([tmp_path / "books-00.txt"], mine.parent, print, processes=1)
        assert mine.read_text() == "mine" and len(list(mine.parent.iterdir())) == 1
    monkeypatch.setattr("core.training.data.write_json", lambda *_: 1 / 0)  # it stops before the folder is complete
    with pytest.raises(ZeroDivisionError):
        prepare([tmp_path / "books-00.txt"], tmp_path / "new", print, processes=1)
    assert not (tmp_path / "new").exists()


def test_files_without_a_word_to_learn_from_or_to_hold_out_are_refused(tmp_path):
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    files[0].write_text("")
    files[1].write_text("\n \n")
    for chosen, said in (([], "no words"), (files[:1], r"no words.*a\.txt"), (files[1:], r"no words.*b\.txt")):
        with pytest.raises(BadInput, match=said):
            prepare(chosen, tmp_path / "prepared", print, processes=1)
        assert not (tmp_path / "prepared" / "meta.json").exists()
    files[0].write_text("One line.\nAnother line.\n")
    with pytest.raises(BadInput, match=r"A share of 0\.001 of the lines holds out no words"):
        prepare(files[:1], tmp_path / "other", print, processes=1, hold_out=0.001)
    assert not (tmp_path / "other").exists()


def stream(corpus, n, **options):
    options = {"tokens": 40, "seed": 3, "oversample": {"wikinews": 3}} | options
    return list(islice(corpus.batches(**options), n))


def equal(item, other) -> bool:
    return item.batch_sizes == other.batch_sizes and np.array_equal(item.ids, other.ids) and np.array_equal(item.reverse, other.reverse)


def test_batches_resume_exactly_where_they_were_left(prepared):
    whole = stream(Corpus(prepared), 70)  # several epochs
    for skip in (0, 1, 7, 25, 60):
        rest = stream(Corpus(prepared), 70 - skip, skip=skip)
        assert len(rest) == 70 - skip and all(equal(a, b) for a, b in zip(rest, whole[skip:], strict=True))


def test_an_epoch_holds_every_sentence_once_and_the_oversampled_domain_three_times(prepared):
    corpus = Corpus(prepared)
    expected = [tuple(corpus.sentence(n).tolist()) for n in (*range(40), *[*range(40, 50)] * 3)]
    seen, batches = [], corpus.batches(tokens=40, seed=0, oversample={"wikinews": 3})
    while len(seen) < len(expected):
        batch = next(batches)
        starts = np.cumsum([0, *batch.batch_sizes])
        for rank in range(batch.batch_sizes[0]):
            seen.append(tuple(batch.ids[starts[: sum(rank < size for size in batch.batch_sizes)] + rank].tolist()))
    assert sorted(seen) == sorted(expected)
