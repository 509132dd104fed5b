"""Static vectors: neighbors by hand, every file format against gensim's own reader, every malformed file's sentence, and bounds of small packed files."""

import bz2
import gzip
import hashlib
import json
import lzma
import pickle
import tarfile
from functools import partial

import numpy as np
import pytest
import safetensors.numpy
from gensim.models import KeyedVectors

from core.common import reports
from core.common.config import ASSETS
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.static import formats
from core.static import vectors as static_vectors
from core.static.vectors import StaticVectors, cosines, evaluate_vectors, load_vectors, static_contexts
from core.text.tokens import JOINER
from core.training.glove import save_glove
from tests.tiny import zipped

WORDS = ["the", "bank", "river", "élan", "the end"]
ROWS = np.array([[1, 0, 0], [0.5, -2.25, 3], [1e-3, 7, -1], [0, 0, 0.125], [4, 5, 6]], np.float32)
BOM = b"\xef\xbb\xbf"
GLOVE = "".join(f"{word} {' '.join(str(x) for x in row)}\n" for word, row in zip(WORDS, ROWS.tolist(), strict=True)).encode()


def read(tmp_path, data: bytes | str, name: str = "v.txt") -> StaticVectors:
    (tmp_path / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return load_vectors(tmp_path / name)


def vectors_of(rows: dict[str, list[float]]) -> StaticVectors:
    return StaticVectors(list(rows), np.array(list(rows.values()), np.float32), name="toy", provenance={})


@pytest.fixture
def compass() -> StaticVectors:
    """Directions in the plane: 0, 60, 90 and 180 degrees, lengths 2, 1, 3, 1, and a vector of zeros."""
    root = 3**0.5 / 2
    return vectors_of({"east": [2, 0], "northeast": [0.5, root], "north": [0, 3], "west": [-1, 0], "here": [0, 0]})


def test_neighbors_are_ordered_by_the_cosine_worked_out_by_hand(compass):
    result = compass.neighbors("east", 10)
    assert [n.word for n in result] == ["northeast", "north", "here", "west"]
    assert [n.cosine for n in result] == pytest.approx([0.5, 0, 0, -1], abs=1e-6)  # cos 60, cos 90, no direction, cos 180
    assert [compass.cosine("east", word) for word in ("northeast", "west", "east")] == pytest.approx([0.5, -1, 1])
    assert [compass.cosine(*pair) for pair in (("east", "nowhere"), ("here", "here"), ("east", "here"))] == [None] * 3
    with pytest.raises(BadInput, match=r"^The vector of “here” in .* is all zeros, so it has no neighbors\. Choose another word\."):
        compass.neighbors("here", 1)
    with pytest.raises(BadInput, match="at least 1"):
        compass.neighbors("east", 0)
    result = vectors_of({"말": [1.5, 0.5, 0.5], f"{JOINER}말": [0.5, 1.5, 0.5], "소": [0.5, 0.5, 1.5]})  # one word, with a joiner or not
    assert [n.word for n in result.neighbors("말")] == [n.word for n in result.neighbors(f"{JOINER}말")] == ["소"]


def test_a_word_is_looked_up_as_spelled_then_in_lower_case(tmp_path):
    vectors = vectors_of({"Bush": [1, 0], "bush": [0, 1], "tree": [1, 1], "o'clock": [1, 2], "Paris": [2, 1], "NATO": [2, 2]})
    assert [vectors.spelling(w) for w in ("Bush", "BUSH", "Tree", "shrub")] == ["Bush", "bush", "tree", None]
    assert [vectors.spelling(w) for w in ("O\u2019clock", "tree ", "paris", "Nato")] == ["o'clock", "tree", "Paris", "NATO"]
    assert vectors.vector("BUSH").tolist() == [0, 1] and "TREE" in vectors and "shrub" not in vectors
    with pytest.raises(ValueError):
        vectors.vector("tree")[0] = 9  # vectors are shared and cannot be changed
    vectors = read(tmp_path, "cafe\u0301 1 2\ncaf\u00e9 3 4\n\u00e9lan 5 6\n")  # however an accent is written
    assert list(vectors.words) == ["caf\u00e9", "\u00e9lan"] and vectors.provenance["duplicates"] == 1
    assert vectors.find_spelling("Cafe\u0301") == "caf\u00e9" and "e\u0301lan" in vectors
    for _ in range(2):  # the second time from its cache
        places, rows = vectors.vectors_of(["cafe\u0301", "zzqx", "\u00c9LAN", "zzqx"])
        assert places.tolist() == [0, 2] and rows.tolist() == [[1, 2], [5, 6]]


def test_an_unknown_word_has_no_vector_and_its_near_spellings_are_named(compass):
    assert compass.vector("nroth") is None
    with pytest.raises(BadInput, match=r"^'nroth' is not in toy \(5 words\)\. Similar spellings: north(, northeast)?\.$"):
        compass.neighbors("nroth", 3)
    with pytest.raises(BadInput, match=r"Similar spellings: none\."):
        compass.neighbors("", 3)
    vectors = vectors_of({w: [1.0] for w in ("receive", "deceive", "receiver", "receivership", "relieve", "Recieved")})
    assert set(vectors.near_spellings("recieve")) == {"receive", "receiver", "relieve", "Recieved"}  # of the same letter and length
    tagged = ["bank_NOUN", "/c/en/bank", "bank|NOUN", "\uc740\ud589/NNG", "embankment_NOUN"]
    vectors = vectors_of({word: [1.0] for word in tagged})
    assert vectors.near_spellings("Bank") == tagged[:3] and vectors.near_spellings("\uc740\ud589") == [tagged[3]]


def test_evaluation_reports_how_many_questions_the_words_allow(monkeypatch):
    digits = {"boy": "1000", "girl": "0100", "king": "1010", "queen": "0110", "love": "1111", "sex": "1110", "tiger": "0011"}
    rows = {word: list(map(float, row)) for word, row in (digits | {"cat": "0001", "book": "1001", "paper": "3001"}).items()}
    monkeypatch.setattr(static_vectors, "ANALOGY_WORDS", 10)
    result = evaluate_vectors(vectors_of(rows))
    assert result["analogies"]["questions"] == 19544
    assert result["analogies"]["semantic"] == {"accuracy": 1.0, "asked": 2}  # boy girl king queen, and the other way round
    assert result["analogies"]["syntactic"] == {"accuracy": None, "asked": 0}
    assert 0 < result["wordsim353"]["covered"] < 0.05 and -1 <= result["wordsim353"]["spearman"] <= 1
    assert evaluate_vectors(vectors_of({"zzz": [1.0]}))["simlex999"] == {"spearman": None, "covered": 0.0}
    for row in ([0.0, 0.0], [1.0, 1.0]):
        assert evaluate_vectors(vectors_of(dict.fromkeys(rows, row)))["wordsim353"]["spearman"] is None


def test_the_command_evaluates_each_file_of_vectors_and_notes_what_a_file_lacks(tmp_path, answer, call, refused):
    (tmp_path / "own.txt").write_text("boy 1 0 0\ngirl 0 1 0\nking 1 0 1\nqueen 0 1 1\n", encoding="utf-8")
    result = answer("evaluate", "vectors", tmp_path / "own.txt")[str(tmp_path / "own.txt")]
    assert result == evaluate_vectors(load_vectors(tmp_path / "own.txt")) and result["analogies"]["all"]["asked"] == 2
    assert "own.txt: none known, none known, 1.0000" in call("evaluate", "vectors", tmp_path / "own.txt")[1]
    assert "Missing argument" in refused("evaluate", "vectors")
    (tmp_path / "own.txt").write_bytes(b"3 2\na 1 2\nb 3 4\n")
    _, out, notes = call("static-neighbors", "--vectors", tmp_path / "own.txt", "--word", "a")
    assert out.split()[1] == "b" and notes == "own.txt: the first line promises 3 words, but the file has 2.\n"


TARS = [tarfile.TarInfo("a.txt").tobuf(form) + GLOVE for form in (tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT)]
PACKERS = {  # equal bytes at any time: they are in the tests’ names
    "toy.txt.xz": lzma.compress,
    "toy.txt.gz": partial(gzip.compress, mtime=0),
    "toy.bz2": bz2.compress,
    "toy.zip": lambda data: zipped({"a.txt": data}),
}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("toy.txt", GLOVE),
        ("toy.zip", zipped(dict.fromkeys(("folder/", "folder/toy.txt", "folder/.DS_Store", "__MACOSX/folder/._toy.txt"), GLOVE))),
        *((f"toy.txt{packed}", GLOVE) for packed in formats.PACKED),  # known by content
        *((f"toy.txt{packed}", lzma.compress(GLOVE)) for packed in formats.PACKED),
        ("toy.vec", b"5 3\n" + GLOVE.replace(b"the end", b"the\xc2\xa0end").replace(b" ", b"\t")),
        ("toy.txt", GLOVE.replace(b"\n", b" \r\n") + b"\n\n"),
        *((name, pack(BOM + GLOVE)) for name, pack in (("toy.txt", bytes), *PACKERS.items())),
        ("toy.vec", BOM + b"5 3\n" + GLOVE),
    ],
)
def test_text_files_are_read_however_they_are_packed(tmp_path, name, data):
    vectors = read(tmp_path, data, name)
    assert [w.replace("\xa0", " ") for w in vectors.words] == WORDS and vectors.name == "toy"
    np.testing.assert_array_equal(vectors.keyed.vectors, ROWS)
    assert vectors.provenance["format"] == ("word2vec text" if name.endswith("vec") else "GloVe text")


@pytest.mark.parametrize("name", ["toy.bin", "toy.bin.gz", "toy.txt", "toy.gz"])
def test_files_that_gensim_writes_are_read_as_gensim_reads_them(tmp_path, name):
    keyed, path = KeyedVectors(3), tmp_path / name
    keyed.add_vectors([word.replace(" ", "_") for word in WORDS], ROWS)
    keyed.save_word2vec_format(str(path), binary=name != "toy.txt")
    theirs, ours = KeyedVectors.load_word2vec_format(str(path), binary=name != "toy.txt"), load_vectors(path)
    assert ours.words == theirs.index_to_key and np.array_equal(ours.keyed.vectors, theirs.vectors)
    assert ours.provenance["format"] == ("word2vec text" if name == "toy.txt" else "word2vec binary")


REPLACED = "\ufffd replaces unreadable bytes."
W2V = b"2 2\na 1 2\nb 3 4\n"
NINE = b"".join(b"w%d 0.25 -0.5 1.5\n" % k for k in range(9))
RATINGS = b"".join(b"%d 3 1\n" % k for k in (4, 1, 4, 1, 4))  # a matrix of whole numbers
MATRIX = b"0.1 0.2 0.3 0.4\n0.5 0.6 0.7 0.8\n1 0.1 0.2 0.3\n"
FIFTY = b"the" + b" 0.25" * 50 + b"\n"
BINARY = b"2 2\na " + np.array([1, 2], "<f4").tobytes() + b"\nb " + np.array([3, 4], "<f4").tobytes() + b"\n"
PICKLES = [pickle.dumps(value, protocol) for value in ({"a": [1.0]}, [1.0], np.ones(2)) for protocol in range(6)]
NUMBERED = [b"".join(b"%d\t%b\n" % (k, line) for k, line in enumerate(NINE.splitlines(), start)) for start in (0, 1)]
JOINED = [
    *(b"bank 0.4 0.5 0.6river 0.7 0.8 0.9\n", b"bank 0.4 0.5 0.6\rriver 0.7 0.8 0.9\n", b"bank 0.4 0.5 0.6 river 0.75 0.85 0.95\n"),
    *(b"bank 0.4 -5 6\tthe river 0.7 0.8 9\n", b"bank 0.4 5 6river bank 0.7 0.8 0.9\n"),
]
NO_NUMBER = "v.txt, line 1: expected a word and 1 to 10,000 numbers, not 0."
WRONG_TEXTS = {  # what is said, and the files
    "v.txt is empty.": (b"", b" \n\n"),
    "v.txt, line 2: 1 number instead of 2.": (b"a 1 2\nb 3\n",),
    "v.txt, line 3: 'x' is not a number.": (b"a 1 2\n\nb 3 x\n",),
    "v.txt, line 2: not a number, or above 1e15.": [b"a 1 2\nb 3 " + number + b"\n" for number in (b"nan", b"-1e30", b"1e999")],
    "v.txt, line 2: no word before the numbers.": (b"a 1 2\n 3 4\n", b"3 4\n" + MATRIX),
    "v.txt, line 1: no word before the numbers.": (MATRIX, b"-1.5e+00 2.5e-01\n0.0e+00 1.0e-01\n", RATINGS, RATINGS.replace(b"4 ", b"-4 ")),
    "v.txt, line 2: ": (b"a 1 2\nb 1_0 2\n",),
    NO_NUMBER: (b"hello\nworld\n", *(NINE.replace(b" ", sep) for sep in (b", ", b" , ", b"; ", b","))),
    "v.txt, line 2: '0.25,' is not a number.": (b"9 3\n" + NINE.replace(b" ", b", "),),
    "v.txt, line 1: '9 3 w0' contains numbers.": (b"9 3 " + NINE,),
    "v.txt, line 1: 'w0 0.0 w1 0.1": (b" ".join(b"w%d 0.%d" % (k, k) for k in range(9)),),
    "a row number before": NUMBERED,
    f"{NO_NUMBER} Separate the numbers by blanks, and write decimals with a point.": (b"a 0,1 0,2\nb 0,3 0,4\n", b"d0;d1\nbank;0.1;-0.2\n"),
    f"{NO_NUMBER} This is JSON: save the vectors as text": (b'{"bank": [0.1, 0.2]}', b'[\n {"word": "bank", "vector": [0.1, 0.2]}\n]'),
    f"{NO_NUMBER} This is a web page or a server’s error": (b"\n<!DOCTYPE html>\n<html></html>", b'<?xml version="1.0"?>\n<Error></Error>'),
    f"{NO_NUMBER} This is only Git LFS’s link": (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 123\n",),
    "one number for each word, as in a list of frequencies.": (b"bank 28787591\nriver 2778\n", b"word\tin all\nbank\t287.5\nriver\t27.7\n"),
    "v.txt, line 2: a count before the numbers.": (b"2 3\nbank 9 0.1 0.2 0.3\nriver 7 0.1 0.5 0.2\n",),
    "v.txt, line 2: a row number before the word.": (b'"V1" "V2" "V3"\n"1" "bank" 0.1 0.2\n"2" "river" 0.1 0.5\n',),
    "neither text nor a word2vec header.": (bytes(range(256)), gzip.compress(gzip.compress(GLOVE), mtime=0), b"\x93NUMPY\x01\x00v\x00{}"),
    "v.txt, line 1: expected a word and 1 to 10,000 numbers": (b"2 1000000000000\na 1 2\n", b"2 0\na\n"),
    "v.txt, line 4: 'is' is not a number.": (b"2 2\na 1 2\nb 3 4\nthat is all\n",),
    "v.txt, line 10: 4 numbers instead of 3.": (NINE + b"bank -0.125 1 2 3\n",),  # no number is part of a word
    "line 10: 'bank 0.4 ": [NINE + joined + NINE.replace(b"w", b"v") for joined in JOINED],
    "line 11: 'bank 0.4 ": [b"19 3\n" + NINE + joined + NINE.replace(b"w", b"v") for joined in JOINED],
    "v.txt, line 2: 'b 3 4c' contains numbers. A line break may be missing": (b"a 1 2\nb 3 4c 5 6\n",),
    "v.txt, line 2: 'b .3 .4 c' contains numbers.": (b"a .1 .2\nb .3 .4 c .5 .6\n",),
    "v.txt, line 2: 'bank 0.5 0.1 1e-3 river' contains": (FIFTY + b"bank 0.5 0.1 1e-3 river" + b" 0.5" * 50,),  # cut
}


@pytest.mark.parametrize(
    ("name", "data", "error", "said"),
    [
        *(("v.txt", data, BadInput, said) for said, files in WRONG_TEXTS.items() for data in files),
        ("v.txt", b"2 2\n", CorruptArtifact, "v.txt ends after 0 of 2 words."),
        ("v.bin", BINARY[:-3], CorruptArtifact, "v.bin ends after 1 of 2 words."),
        ("v.bin", BINARY + b"rest", BadInput, "v.bin, word 2: bytes left over: 4."),
        ("v.bin", BINARY.replace(b"2 2", b"2 1", 1), BadInput, "v.bin, word "),
        ("v.bin", b"\xba\x16\x4f\x2f\x0c\x00\x00\x00", BadInput, "v.bin is a fastText model. Choose its .vec file."),
        ("v.bin", BINARY.replace(np.float32(3).tobytes(), np.float32("inf").tobytes()), BadInput, "v.bin, word 2: not a number"),
        ("v.bin", b"2 2\n" + b"\x01" * (1 << 21), BadInput, "v.bin, word 1: no word ends within 1 MB."),
        *(("v.kv", data, BadInput, "v.kv is a pickle and may run code") for data in PICKLES),
        *(("v.tar.gz", gzip.compress(tar, mtime=0), BadInput, "v.tar.gz is a tar archive. Unpack it and choose the file") for tar in TARS),
        *(("v.tar", tar, BadInput, "v.tar is a tar archive.") for tar in TARS),
        ("v.gz", b"not vectors", BadInput, "v.gz, line 1: expected a word and 1 to 10,000 numbers, not 0."),
        ("v.gz", b"\0not gzip at all", CorruptArtifact, "Cannot read all of v.gz: Not a gzipped file"),
        ("v.gz", gzip.compress(GLOVE * 900, mtime=0)[:-40], CorruptArtifact, "Cannot read all of v.gz: "),
        ("v.xz", lzma.compress(GLOVE)[:-8], CorruptArtifact, "Cannot read all of v.xz: "),
        ("v.zip", zipped({"a.txt": GLOVE})[:-9], CorruptArtifact, "Cannot read all of v.zip: File is not a zip file."),
        ("v.zip", zipped({"50d.txt": GLOVE, "100d.txt": GLOVE}), BadInput, "one vector file, not 50d.txt, 100d.txt: unpack one."),
        ("v.zip", zipped({}), BadInput, "not none"),
    ],
)
def test_each_malformed_file_is_refused_in_a_sentence(tmp_path, name, data, error, said):
    with pytest.raises(error) as caught:
        read(tmp_path, data, name)
    assert said in str(caught.value) and str(caught.value).endswith(".") and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "words", "noted"),
    [
        (W2V[:-6], "a", "the first line promises 2 words, but the file has 1."),
        (b"1000000000000 2\na 1 2\n", "a", "the first line promises 1,000,000,000,000 words, but the file has 1."),
        (b"1 2\na 1 2\nb 3 4\n", "a b", "the first line promises 1 words, but the file has 2."),
        (b"2 3\na 1 2\nb 3 4\n", "a b", "the first line promises 3 numbers per word, but the lines have 2."),
        (b"1000000000000 2" + BINARY[3:], "a b", "the first line promises 1,000,000,000,000 words, but the file has 2."),
        (b"a 1 2\nb\xe9 3 4\n", "a b\ufffd", f"words that are not UTF-8: 1 (first: line 2). {REPLACED}"),
        (b"a 1 2\nb\0 3 4\n", "a b\ufffd", f"words that are not UTF-8: 1 (first: line 2). {REPLACED}"),
        (BINARY.replace(b"b ", b"b\xc3 "), "a b\ufffd", f"words that are not UTF-8: 1 (first: word 2). {REPLACED}"),
        (b"a 1 2\na 5 6\nb 3 4\n", "a b", "repeated words left out: 1."),
        (b'"a" 1 2\n"b" 3 4\n', "a b", "words read without their quotation marks: 2."),
        *((b'"%b" 1 2\n"b" 3 4\n' % mark, '" b', "words read without their quotation marks: 2.") for mark in (b'""', b'\\"')),
        *((data, "a b", "") for data in (W2V, BINARY, BOM + BINARY, b"\n\na 1 2\nb 3 4", b" a 1 2\n b 3 4\n", W2V.replace(b"\n", b"\r"))),
        *((data, "a b", "") for data in (W2V.replace(b" ", b"   "), W2V.replace(b" ", b"\t").replace(b"\n", b" \t\r\n"))),
        *((W2V.decode().encode(codec), "a b", "") for codec in ("utf-16", "utf-16-be", "utf-32")),
        ("a 1 2\nb 3 4\n".encode("utf-16-le"), "a b", ""),
        *((pack(W2V), "a b", "") for pack in PACKERS.values()),  # whatever the file is called
    ],
)
def test_files_that_differ_from_their_format_are_read_with_a_note(tmp_path, data, words, noted):
    vectors = read(tmp_path, data)
    assert vectors.words == words.split() and vectors.notes == ((f"v.txt: {noted}",) if noted else ())
    assert vectors.keyed.vectors.tolist() == [[1, 2], [3, 4]][: len(vectors.words)]


@pytest.mark.parametrize("header", ["", "2 3\n"])
@pytest.mark.parametrize(
    "heading", ["word 0 1 2", "word 1 2 3", "\t0\t1\t2", '"" 0 1 2', "word d0 d1 d2", '"V1" "V2" "V3"', "# 2019, 9 news"]
)
def test_a_row_of_column_names_is_left_out_with_a_note_and_no_word(tmp_path, header, heading):
    vectors = read(tmp_path, f"{header}{heading}\nbank 0.5 1 2\nriver 0 0.25 2\n")
    assert vectors.words == ["bank", "river"] and vectors.vector("bank").tolist() == [0.5, 1, 2]
    assert vectors.notes == ("v.txt: the first row is a heading and was left out.",)
    for rows in ("# 1 2 3\nb 4 5 6\n", "a 0 1 3\nb 0.5 1 2\n", "a 0 1\nb 0.5 1\n", "a 1 2 3\n", "a 0.5 1 2\nb 0 1 2\n"):  # no heading
        vectors = read(tmp_path, rows)
        assert vectors.words == [rows[0], "b"][: rows.count("\n")] and vectors.notes == ()


def test_phrases_that_pandas_quotes_are_read_without_quotation_marks(tmp_path):
    vectors = read(tmp_path, ' 0 1 2\nbank 0.1 0 1\n"New York" 0.1 0.5 1\n"a ""b""" 0.1 0.5 1\n" \u22120.5 .25 1\n')
    assert vectors.words == ["bank", "New York", 'a "b"', '"'] and vectors.vector('"').tolist() == [-0.5, 0.25, 1]
    assert vectors.notes[1:] == ("v.txt: words read without their quotation marks: 2.",)


KOREAN = "은행 강 돈 배 눈 대출 이자 나무 다리 숲 머리 the"
ENCODED = [  # a header, words and their encoding, and how many of them are not ASCII
    *((header, KOREAN, codec, " (11 of 12 words)") for header in (b"", b"12 3\n") for codec in ("cp949", "euc-kr")),
    *((b"", "café élan naïve the of", "latin-1", ""), (b"", "берег the река of", "cp1251", ""), (b"", "银行 the 河 of", "gbk", "")),
    *((header, "銀行 the 川", "iso2022_jp", " (2 of 3 words)") for header in (b"", b"3 3\n")),
    (b"", " ".join(["für Straße über", *(f"w{k}" for k in range(997))]), "cp1252", " (3 of 1,000 words)"),
]


@pytest.mark.parametrize(("header", "words", "codec", "share"), ENCODED)
def test_text_in_another_encoding_is_refused_with_its_line(tmp_path, header, words, codec, share):
    text = "\n".join(f"{word} 0.25 -{k}.5 1e-1" for k, word in enumerate(words.split()))
    assert read(tmp_path, header + text.encode()).words == words.split()
    with pytest.raises(BadInput) as caught:
        read(tmp_path, header + text.encode(codec))
    start, end = f"v.txt, line {1 + bool(header)}: not UTF-8 text", ". Save the file as UTF-8."
    assert str(caught.value).startswith(start + share) and str(caught.value).endswith(end)


def test_a_few_damaged_words_among_others_beyond_ascii_are_replaced(tmp_path):
    words = ["\u00e9lan", "caf\u00e9", "\uac15", "\ubc30"] * 2
    lines = [f"{word}{k} 1 2\n".encode() for k, word in enumerate(words)] + [b"x\xff 3 4\n", b"y\xc3 5 6\n"]
    vectors = read(tmp_path, b"".join(lines))
    assert vectors.words[-2:] == ["x\ufffd", "y\ufffd"] and vectors.vector("y\ufffd").tolist() == [5, 6]
    assert vectors.notes == (f"v.txt: words that are not UTF-8: 2 (first: line 9). {REPLACED}",)


def test_few_control_characters_are_replaced_and_damaged_words_stay_different(tmp_path):
    damaged = [b"ri\xff", b"ri\xfe", b"ri\xff", b"ri\x01", b"so\xff", "so\ufffd".encode()]
    lines = [b"w%d 1 2\n" % k for k in range(60)] + [word + b" %d 9\n" % k for k, word in enumerate(damaged)]
    vectors = read(tmp_path, b"".join(lines))
    assert vectors.words[60:] == ["ri\ufffd", "ri\\xfe", "ri\\x01", "so\\xff", "so\ufffd"]
    assert [vectors.vector(word)[0] for word in vectors.words[60:]] == [0, 1, 3, 4, 5]
    with pytest.raises(BadInput, match=r"^v\.txt, line 1: not UTF-8 text \(2 of 3 words\)"):
        read(tmp_path, b"a\0 1 2\nb\x1b 3 4\nc 5 6\n")


@pytest.mark.parametrize("header", [b"", b"7 3\n"])
def test_words_with_blanks_keep_them(tmp_path, header):
    words = ["the", "of", ". . .", "at name@example.com", "section 9", "to  be", "2008"]
    lines = "".join(f"{word} 0.25 -0.5 1.125\n" for word in words)
    assert read(tmp_path, header + lines.encode()).words == words
    first = header + "".join(sorted(lines.splitlines(keepends=True))).encode()  # ". . ." comes first
    assert sorted(read(tmp_path, first).words) == sorted(words)


PHRASES = "route 66 diner; at 5 p.m.; at 5.30 p.m.; the 9 11 attacks; a 4 4 2 formation; version 1.5 2nd edition; do 1.5 to 2.5 miles"


def test_words_that_are_numbers_and_phrases_with_numbers_are_read(tmp_path):
    for words in ("0.5 2019 1e-3 the", "0 1 2", "1.0 2.0 3.0", "nan inf", "1 2 0.5"):
        assert read(tmp_path, "".join(f"{word} 0.1 0.2\n" for word in words.split())).words == words.split()
    for number in (" 0.125", " -1", " 7"):
        assert read(tmp_path, "".join(f"{word}{number * 50}\n" for word in ("the", *PHRASES.split("; ")))).words[1:] == PHRASES.split("; ")
    assert read(tmp_path, "1 percent 0.1 0.2\n2 0.5 0.1\n").words == ["1 percent", "2"]
    assert read(tmp_path, "2 2\n0.5 0.1 0.2\n0.7 0.1 0.2\n").words == ["0.5", "0.7"]  # the header promises two numbers after each word


def binary(words: list[bytes], rows: np.ndarray, end: bytes = b"") -> bytes:
    entries = (word + b" " + row.tobytes() + end for word, row in zip(words, rows, strict=True))
    return b"%d %d\n" % rows.shape + b"".join(entries)


@pytest.mark.parametrize("word", [b"New York", b"a b", b"one of the", b"a the", b"end ", "Sao Tom\u00e9".encode()])
@pytest.mark.parametrize("place", [0, 3, 8])
def test_a_binary_file_with_a_blank_in_a_word_is_refused(tmp_path, word, place):
    rows, words = np.random.default_rng(0).normal(size=(9, 25)).astype("<f4"), [b"w%d" % k for k in range(9)]
    for end in (b"", b"\n"):
        words[place] = word
        with pytest.raises((BadInput, CorruptArtifact), match=r"^v\.bin"):
            read(tmp_path, binary(words, rows, end), "v.bin")
        words[place] = word.replace(b" ", b"_")
        vectors = read(tmp_path, binary(words, rows, end), "v.bin")
        assert len(vectors.words) == 9 and vectors.notes == () and np.array_equal(vectors.keyed.vectors, rows)


@pytest.mark.parametrize("phrase", ["x y z", "\ub3c8 \uc740", "\ub3c8 1 2 \ubd84", "caf\u00e9 \u00e9l", "A I C"])
def test_a_binary_file_with_a_phrase_whose_end_looks_like_numbers_is_refused(tmp_path, phrase):
    """The four bytes of the last number look like letters ("333?"), so that the next word is not suspicious."""
    rows = np.array([[0.1, 0.2, 0.3, 0.4, 0.5, 0.7]] * 3, "<f4")
    with pytest.raises(BadInput, match=r"^v\.bin, word 1: its numbers are not those of a vector\. A word may contain a blank"):
        read(tmp_path, binary([phrase.encode(), b"bank", b"loan"], rows), "v.bin")
    rows[::2, 1:3] = (2e-19, 1e-30)  # tiny numbers are no letters
    assert np.array_equal(read(tmp_path, binary([b"a", b"bank", b"loan"], rows), "v.bin").keyed.vectors, rows)


def numbers(bits: tuple[int, ...] = ROWS.shape, scales: tuple[int, ...] = ROWS.shape[:1], scale: float = 1) -> bytes:
    return safetensors.numpy.save({"vectors": np.ones(bits, np.int8), "scales": np.full(scales, scale, np.float32)})


@pytest.mark.parametrize(
    ("file", "data", "error", "said"),
    [
        ("words.txt", b"the\nbank\nriver\nelan\nend", CorruptArtifact, "words.txt is damaged: checksum"),
        ("vectors.safetensors", b"\x00" * 90, CorruptArtifact, "vectors.safetensors is damaged: checksum"),
        ("meta.json", b"{", CorruptArtifact, "JSONDecodeError"),
        ("meta.json", b'{"format": "elmoscope-vectors", "version": 2}', CorruptArtifact, "not in vector format version 1"),
        ("meta.json", b"[]", CorruptArtifact, "not in vector format version 1. Choose another."),
        *(("words.txt", None, MissingArtifact, "has no words.txt."), ("meta.json", None, MissingArtifact, "has no meta.json")),
        *(("checked", numbers(scale=value), CorruptArtifact, "not a number, or above 1e15") for value in (np.nan, np.inf, 1e20)),
        *(("checked", numbers(scales=shape), CorruptArtifact, "5 words, vectors of shape (5, 3)") for shape in ((1,), ROWS.shape)),
        *(("checked", numbers(shape), CorruptArtifact, f"5 words, vectors of shape {shape}") for shape in ((5,), (5, 0))),
        ("checked", numbers((5, 5), (5, 5)), CorruptArtifact, "5 words, vectors of shape (5, 5)"),
    ],
)
def test_a_folder_is_read_up_to_its_rounding_and_a_damaged_or_missing_one_refused_in_a_sentence(tmp_path, file, data, error, said):
    """Write `data` to a file. The checksum in meta.json matches a "checked" one."""
    folder = tmp_path / "mini"
    with pytest.raises(MissingArtifact, match=r"No vector file .*mini"):
        load_vectors(folder)
    save_glove(folder, WORDS, ROWS, {})
    vectors = load_vectors(folder)
    assert vectors.words == WORDS and vectors.name == "mini"
    assert (np.abs(vectors.keyed.vectors - ROWS) <= np.abs(ROWS).max(axis=1, keepdims=True) / 254 + 1e-6).all()  # rounded to 8 bits
    if file == "checked":
        meta, file = json.loads((folder / "meta.json").read_text()), "vectors.safetensors"
        meta["sha256"][file] = hashlib.sha256(data).hexdigest()
        (folder / "meta.json").write_text(json.dumps(meta))
    (folder / file).unlink() if data is None else (folder / file).write_bytes(data)
    with pytest.raises(error) as caught:
        load_vectors(folder)
    assert said in str(caught.value)


def test_a_static_context_sums_the_other_words_and_drops_the_commonest():
    vectors = vectors_of({"the": [9, 9], "bank": [5, 5], "river": [0, 2], "money": [3, 0]})
    sentences = [("The", "bank", "of", "the", "river"), ("money", "Money", "bank", "River"), ("bank", "zorgle")]
    result = static_contexts(vectors, sentences, [(1, 2), (2, 3), (0, 1)], commonest=1)
    assert result.tolist() == [[0, 2], [6, 2], [0, 0]]  # "of" and "zorgle" have no vector; "the" is common, whatever its case
    assert static_contexts(vectors, sentences[:1], [(0, 3)], commonest=0).tolist() == [[9, 11]]  # a multiword's place is left out
    plane = np.array([[2.0, 0], [0, 5], [0, 0]])
    assert cosines(plane)[0] == pytest.approx([1, 0, 0]) and cosines(plane[:2], centered=True)[0, 1] == pytest.approx(-1)


LINE = b"bank 0.1 0.2 0.3 0.4\n"
MB = 1 << 20
WASTE = {
    "equal lines": LINE * 600_000,
    "blank lines": LINE + b"\n" * (12 * MB) + LINE,
    "blank beginning": b"\n" * (12 * MB) + LINE,
    "blanks": (LINE[:-1] + b" " * 500_000 + b"\n") * 24,
    "old line breaks": LINE.replace(b"\n", b"\r") + b"\r" * (12 * MB),
    "equal words of a binary file": b"9000000 1\n" + b"w \0\0\0\0" * 2_000_000,
    "endless line": b"bank 0.1 0.2\rdog 0.1 0.2\r" + b"x" * (12 * MB),
    "utf-16": (LINE.decode() + "\n" * (12 * MB)).encode("utf-16"),
}


@pytest.mark.parametrize(("waste", "name"), zip(WASTE, [*PACKERS] * 2, strict=True))
def test_file_of_blanks_or_repetitions_is_refused_after_a_few_megabytes(tmp_path, waste, name):
    sizes: list[int] = []
    message = rf"^{name}( is empty|, |: only .* MB read are vectors\. Remove blank lines)"
    with reports.watch_steps(sizes.append), pytest.raises(BadInput, match=message):
        read(tmp_path, PACKERS[name](WASTE[waste]), name)
    assert sum(sizes) < 10 * MB and max(sizes, default=0) <= MB  # of 12 or more


def test_vectors_beyond_the_memory_limit_are_refused(tmp_path, monkeypatch):
    many = b"".join(b"word%d" % k + b" 0" * 100 + b"\n" for k in range(3_000))
    assert len(read(tmp_path, gzip.compress(many)).words) == 3_000
    long = b"".join(b"x" * 500_000 + b"%d 0.1 0.2\n" % k for k in range(6))  # long words count too
    monkeypatch.setenv("ELMOSCOPE_MAX_VECTORS_MB", "1")
    for data in (many, long):
        with pytest.raises(BadInput, match=r"^v\.txt exceeds 1 MB of vectors\. Use fewer words"):
            read(tmp_path, gzip.compress(data))
    monkeypatch.setenv("ELMOSCOPE_MAX_VECTORS_MB", "20")  # the file of int8 is smaller
    with pytest.raises(BadInput, match=r"^glove-mini exceeds 20 MB of vectors\. Use fewer words, or raise ELMOSCOPE_MAX_VECTORS_MB"):
        load_vectors(ASSETS / "glove-mini")


def test_ordinary_vectors_of_high_precision_are_accepted(tmp_path):
    """Use several megabytes of long numbers, blanks and repetitions, which would exceed too tight a bound."""
    rows = np.random.default_rng(0).normal(size=(2_400, 100))
    lines = [f"word{k % 1_500} {'  '.join(f'{x:+.18f}' for x in row)}" for k, row in enumerate(rows)] * 2
    assert len(read(tmp_path, "\n".join(lines)).words) == 1_500
    assert (tmp_path / "v.txt").stat().st_size > formats.FREE_BYTES


def test_reading_ends_when_its_job_is_stopped(tmp_path, steps_until_stopped):
    path = tmp_path / "a.txt"
    path.write_bytes(b"".join(b"word%d 0.1 0.2\n" % k for k in range(1_000)))
    assert steps_until_stopped(10, load_vectors, path) == 10
