"""core.text.sentences: every format, and a sentence with the line for everything that can be wrong with one."""

import gzip
import json
import lzma
from pathlib import Path

import pytest

from core.common.errors import BadInput, MissingArtifact
from core.text import sentences as corpus
from core.text.file_lines import iterate_lines
from core.text.sentences import LabeledRow, Sentence, Target, fingerprint, read_labeled, read_sentences, sentences_from_text


@pytest.fixture
def file(tmp_path):
    """Writes text, bytes or rows to a file of that name."""

    def write(name: str, content) -> Path:
        if isinstance(content, list):
            content = "\n".join(json.dumps(row) for row in content)
        data = content.encode() if isinstance(content, str) else content
        pack = {".xz": lzma.compress, ".gz": gzip.compress}.get(Path(name).suffix, bytes)
        (tmp_path / name).write_bytes(pack(data))
        return tmp_path / name

    return write


def words(sentences: list[Sentence]) -> list[str]:
    return [" ".join(sentence.tokens) for sentence in sentences]


BANK = {"tokens": ["The", "banks", "rose"], "position": 1, "word": "banks", "lemma": "bank", "pos": "noun", "sense": "river edge"}
ROW = {"word": "bank", "tokens": ["The", "bank"], "position": 1, "label": "money"}


@pytest.mark.parametrize("suffix", ["", ".xz", ".gz"])
def test_plain_text_is_split_and_tokenized(file, suffix):
    path = file(f"a.txt{suffix}", "\ufeffHe didn't go. Why?\r\n\r\n  \n강둑에 앉았다.")
    assert words(read_sentences(path)) == ["He did n't go .", "Why ?", "강둑에 앉았다 ."]
    assert words(read_sentences(path, limit=1)) == ["He did n't go ."]


def test_jsonl_rows_keep_their_tokens_and_targets(file):
    path = file("a.jsonl", [BANK, {"text": "One. Two."}, {"tokens": ["New York", "!"]}, ["as", "it", "is"], "Plain text."])
    sentences = read_sentences(path)
    assert words(sentences) == ["The banks rose", "One .", "Two .", "New York !", "as it is", "Plain text ."]
    assert sentences[0].targets == (Target(1, "banks", "river edge", "bank", "noun"),)
    assert not any(sentence.targets for sentence in sentences[1:])


def test_rows_on_the_same_sentence_become_one_with_several_targets(file):
    second = {**BANK, "position": 2, "word": "rose", "lemma": "rise", "pos": "verb", "sense": 2}
    (merged, again) = read_sentences(file("a.jsonl", [BANK, second, BANK]))
    assert [(t.position, t.word, t.sense) for t in merged.targets] == [(1, "banks", "river edge"), (2, "rose", "2")]
    assert again.targets == merged.targets[:1]
    assert len(read_sentences(file("b.jsonl", [["same"], ["same"]]))) == 2


def test_a_label_counts_as_sense_and_its_word_as_lemma(file):
    (sentence,) = read_sentences(file("a.jsonl", [{**ROW, "word": "go", "tokens": ["He", "went"]}]))
    assert sentence.targets == (Target(1, "went", "money", "go", None),)


def test_a_json_list_is_one_sentence_per_item(file):
    path = file("a.json", json.dumps([["The", "bank"], "A river. A bank.", BANK]))
    assert words(read_sentences(path)) == ["The bank", "A river .", "A bank .", "The banks rose"]


@pytest.mark.parametrize(
    ("name", "content", "column"),
    [
        ("a.csv", 'id,Text\n1,"He said ""no"".\nTwice."\n\n2,Yes.\n', None),
        ("a.csv", 'id;Text\n1;"He said ""no"".\nTwice."\n2;Yes.\n', "text"),
        ("a.tsv", 'id\treview\n1\tHe said "no". Twice.\n2\tYes.\n', None),
        ("a.csv", '1,"He said ""no"". Twice."\n2,Yes.', "2"),
        ("a.csv", '"He said ""no"". Twice."\nYes.\n', None),
        ("a.csv.xz", 'one,other\n1,"He said ""no"". Twice."\n2,Yes.', "Other"),
    ],
)
def test_tables_give_their_text_column(file, name, content, column):
    assert words(read_sentences(file(name, content), text_column=column)) == ['He said " no " .', "Twice .", "Yes ."]


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("a.csv", "text\nHello, world is here.\nSo; it is, too\n", ["Hello , world is here .", "So ; it is , too"]),
        ("a.tsv", "text\nHello\tworld.\n", ["Hello world ."]),
        ("a.csv", "text,id,,\nHello.,1,,\nYes.,2,, ,\n", ["Hello .", "Yes ."]),  # empty cells that a spreadsheet adds
    ],
)
def test_what_stands_behind_a_mark_in_a_table_of_one_column_belongs_to_its_text(file, name, content, texts):
    assert words(read_sentences(file(name, content))) == texts


def test_labeled_rows_take_label_or_sense(file):
    rows = read_labeled(file("a.jsonl", [ROW, {**BANK, "word": "BANKS"}, {**ROW, "label": 3}]))
    assert rows[0] == LabeledRow("bank", ("The", "bank"), 1, "money")
    assert (rows[1].label, rows[2].label) == ("river edge", "3")
    assert read_labeled(file("a.json", json.dumps([ROW]))) == rows[:1]


def test_labeled_words_may_be_lemmas_but_not_one_place_off(file):
    went = {"word": "go", "tokens": ["He", "went", "to", "go"], "position": 1, "label": "move"}
    assert len(read_labeled(file("a.jsonl", [went, ROW]))) == 2
    off = {**ROW, "tokens": ["The", "bank", "sank"], "position": 2}
    with pytest.raises(BadInput, match=r"line 1: token 2 is 'sank', not 'bank'; the same in 3 of 3 rows\. Positions count"):
        read_labeled(file("b.jsonl", [off, off, went]))


def test_pasted_text_is_read_like_a_file():
    assert words(sentences_from_text("\ufeffOne.  Two\0\ud800!\n\nThree")) == ["One .", "Two !", "Three"]
    for text in ("", " \n "):
        with pytest.raises(BadInput, match="No text yet"):
            sentences_from_text(text)
    with pytest.raises(BadInput, match="1,000,001 characters"):
        sentences_from_text("x" * 1_000_001)


def test_fingerprints_tell_tokens_targets_and_order_apart():
    a, b = Sentence(("a", "b")), Sentence(("a", "b"), (Target(0, "a", "x"),))
    kinds = [[a], [b], [a, b], [b, a], [Sentence(("a",)), Sentence(("b",))], [Sentence(("a", "b"), (Target(0, "a", "y"),))]]
    assert len({fingerprint(sentences) for sentences in kinds}) == len(kinds)


@pytest.mark.parametrize("packed", ["", ".gz"])
def test_a_text_file_that_is_no_utf8_is_read_as_its_bytes_look(tmp_path, packed):
    lines = ["Plain to begin with." for _ in range(9)] + ["비가 와서 우산을 폈다.", "눈이 녹았다."]
    data = "\n".join(lines).encode("cp949")
    path = tmp_path / f"own.txt{packed}"
    path.write_bytes(gzip.compress(data) if packed else data)
    assert [line.strip() for _, line in iterate_lines(path)] == lines
    (tmp_path / "west.txt").write_bytes("The café’s garçon.\n".encode("cp1252"))
    assert read_sentences(tmp_path / "west.txt")[0].tokens[1].startswith("café")


LONG = " ".join(["word"] * 5_001)
REFUSED = [
    ("a.txt", "", r"a\.txt has no sentence"),
    ("a.txt", " \n\n", r"a\.txt has no sentence"),
    ("a.json", "", r"a\.json has no sentence"),
    ("a.csv", "text\n", r"a\.csv has no sentence"),
    ("a.doc", "x", r"a\.doc: \.doc files are not read\. Open it in Word or LibreOffice and save it as \.docx"),
    ("noname", "x", "noname: save it as .txt"),
    ("a.txt", "fine, wie schön\n".encode() + b"fa\xe7ade", r"a\.txt, line 2: byte 3 \(0xe7\) is not UTF-8\. Save it as UTF-8"),
    ("a.csv", b"text\na\0b", r"a\.csv, line 2: a NUL byte"),
    ("a.jsonl", [LONG.split()], r"line 1: 5,001 tokens"),
    ("a.jsonl", '["a"]\n{"tokens": ["a"', r"line 2: not JSON \(.*\)\. Use "),
    ("a.jsonl", "[" * 100_000, r"line 1: too many nested levels"),
    ("a.jsonl", '{"tokens": ["a"], "position": NaN}', "line 1: NaN is not a JSON number"),
    ("a.jsonl", [["a"], 7], r"line 2: 7 is not a row\. Use"),
    ("a.jsonl", [{"words": ["a"]}], r"line 1: a row of 'words' is not a row"),
    ("a.jsonl", [{}], "an empty row is not a row"),
    ("a.jsonl", [{"text": None}], r"a\.jsonl has no sentence"),
    ("a.jsonl", [{"tokens": "a b"}], r"line 1: 'a b' is not a list of words"),
    ("a.jsonl", [{"tokens": []}], r"\[\] is not a list of words"),
    ("a.jsonl", [["a", 1, ["b"], None]], r"\['a', 1, \.\.\., null\] is not a list of words"),
    ("a.jsonl", [["a", " "]], "is not a list of words.*none blank"),
    ("a.jsonl", '["\\ud800"]', r"line 1: '\\ud800' instead of text.*unpaired surrogate"),
    ("a.jsonl", '["a\\u0000"]', "no NUL"),
    ("a.jsonl", [{**BANK, "position": 3}], r"line 1: position 3 in 3 tokens\. Use a whole number, 0 to 2"),
    ("a.jsonl", [{**BANK, "position": -1}], "position -1 in"),
    ("a.jsonl", [{**BANK, "position": True}], "position True in"),
    ("a.jsonl", [{**BANK, "position": "1"}], "position '1' in"),
    ("a.jsonl", [{**BANK, "position": None}], "position null in"),
    ("a.jsonl", [{**BANK, "position": 0}], r"line 1: token 0 is 'The', not 'banks'\. Positions count tokens from 0"),
    ("a.jsonl", [{**BANK, "sense": ["x"]}], r"\['x'\] instead of text"),
    ("a.json", '{"a": 1}', r"a\.json: a row of 'a' instead of sentences"),
    ("a.json", '[["a"], 7]', r"a\.json, item 1: 7 is not a row"),
    ("a.json", '[[["a"], ["b"]]]', r"item 0: \[\.\.\., \.\.\.\] is not a list of words"),
    ("a.csv", "id,title\n1,x", r"line 1: no column 'text' among \['id', 'title'\]\. Give the text"),
    ("a.csv", 'text,id\nfine,1\n"never closed, and so on,2\n', r"a\.csv, line 3: no table row .*unclosed quote"),
    ("a.csv", "id,text\n1,fine\n2,Well, no\n3,a,b", r"line 3: 3 cells for 2 columns; errors also in line 4\. Quote a cell"),
    ("a.csv", "id,text\n1,fine\n2", r"line 3: 1 columns\. Text is in column 2"),
]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("fine\n" + "x" * 1_000_001, r"line 2: over 1,000,000 bytes without line break"),
        ("x" * 50_001, r"line 1: 50,001 characters\. Split it at sentence ends: at most 50,000"),
        (LONG, r"line 1: 5,001 tokens\. Split it: at most 5,000"),
    ],
)
def test_a_line_that_is_to_be_one_sentence_may_be_too_long(file, content, message):
    with pytest.raises(BadInput, match=message):
        corpus.read_lines(file("a.txt", content))
    assert all(len(" ".join(s.tokens)) <= 5_000 for s in read_sentences(file("a.txt", content)))


@pytest.mark.parametrize(("name", "content", "message"), REFUSED, ids=range(len(REFUSED)))
def test_what_cannot_be_read_is_reported_with_its_line(file, name, content, message):
    with pytest.raises(BadInput, match=message) as caught:
        read_sentences(file(name, content))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


REFUSED_ROWS = [
    ("a.jsonl", "", "a.jsonl holds no row"),
    ("a.csv", "x", r"a\.csv holds no labeled rows"),
    ("a.jsonl", [{k: v for k, v in ROW.items() if k != "label"}], r"line 1: a row of 'word', 'tokens', 'position', without label"),
    ("a.jsonl", [{"tokens": ["a"]}], "without word and position and label"),
    ("a.jsonl", [["a"]], r"\['a'\], without word"),
    ("a.jsonl", [{**ROW, "position": 2}], "position 2 in 2 tokens"),
    ("a.jsonl", [{**ROW, "label": True}], "True instead of text"),
    ("a.jsonl", [{**ROW, "tokens": "The bank"}], "'The bank' is not a list of words"),
]


@pytest.mark.parametrize(("name", "content", "message"), REFUSED_ROWS, ids=range(len(REFUSED_ROWS)))
def test_labeled_rows_that_cannot_be_used_are_reported_with_their_line(file, name, content, message):
    with pytest.raises(BadInput, match=message):
        read_labeled(file(name, content))


@pytest.mark.parametrize("column", ["txt", "3", "0", "²", "999999999999", ""])
def test_a_column_that_is_not_there_is_reported_with_those_that_are(file, column):
    with pytest.raises(BadInput, match=r"among \['id', 'text'\]"):
        read_sentences(file("a.csv", "id,text\n1,x"), text_column=column)


@pytest.mark.parametrize("packed", ["a.txt.xz", "a.txt.gz"])
def test_a_packed_file_that_is_damaged_or_not_packed_is_reported(file, tmp_path, packed):
    whole = file(packed, "A sentence. " * 500).read_bytes()
    for data in (b"plain text", whole[: len(whole) // 2]):
        (tmp_path / packed).write_bytes(data)
        with pytest.raises(BadInput, match=rf"{packed} is incomplete: .*unpack it"):
            read_sentences(tmp_path / packed)


def test_a_packed_file_is_held_to_the_limit_while_it_unpacks(file):
    with pytest.raises(BadInput, match=r"a\.txt\.gz, line 67: over 1,000 bytes unpacked"):
        list(iterate_lines(file("a.txt.gz", "One two three.\n" * 200), max_bytes=1_000))


def test_the_stated_limit_holds_for_a_file_larger_than_it(tmp_path):
    with (tmp_path / "a.txt").open("wb") as stream:
        stream.write(b"First line.\nSecond line.\n")
        stream.truncate(200_000_000)  # sparse: it takes no room
    with pytest.raises(BadInput, match=r"a\.txt is 200\.0 MB, above the limit of 100\.0 MB"):
        read_sentences(tmp_path / "a.txt")
    assert words(read_sentences(tmp_path / "a.txt", limit=1)) == ["First line ."]


def test_missing_files_folders_and_limits_are_reported(tmp_path, file):
    with pytest.raises(MissingArtifact, match="No file"):
        read_sentences(tmp_path / "gone.txt")
    (tmp_path / "folder.txt").mkdir()
    with pytest.raises(BadInput, match="is a folder"):
        read_sentences(tmp_path / "folder.txt")
    with pytest.raises(BadInput, match="limit must be at least 1"):
        read_sentences(file("a.txt", "x"), limit=0)


def test_accents_written_apart_are_read_as_one_and_shown_as_written(file):
    apart = "The cafe\u0301  closed."
    (sentence,) = read_sentences(file("a.txt", apart))
    assert sentence.tokens == ("The", "caf\u00e9", "closed", ".") and sentence.text == apart
    assert "".join(corpus.as_in_text(sentence.tokens, sentence.text)) == apart
    (row,) = read_sentences(
        file(
            "a.jsonl",
            [{"tokens": ["cafe\u0301", "noir"], "position": 0, "word": "caf\u00e9", "sense": "e\u0301", "text": "cafe\u0301   noir"}],
        )
    )
    assert row.tokens == ("caf\u00e9", "noir") and row.targets == (Target(0, "caf\u00e9", "\u00e9"),) and row.text == "cafe\u0301   noir"
    table = file("a.csv", "caf\u00e9,n\nA house.,1\n")
    assert words(read_sentences(table, text_column="cafe\u0301")) == ["A house ."]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_file_has_the_same_sentences_and_lines_whatever_ends_its_lines(tmp_path, end):
    lines = ["The bank closed.", "", "A river.", "x" * 40_000, "Last."]
    (tmp_path / "a.txt").write_bytes(end.join(lines).encode())
    (tmp_path / "a.csv").write_bytes(end.join(["text,n", '"The bank, closed.",1', "A river.,2"]).encode())
    (tmp_path / "a.jsonl").write_bytes(end.join(json.dumps({"text": line}) for line in ("The bank closed.", "A river.")).encode())
    assert words(read_sentences(tmp_path / "a.txt", lines="keep"))[:2] == ["The bank closed .", "A river ."]
    assert [len(tokens) for tokens in corpus.read_lines(tmp_path / "a.txt")][::2] == [4, 3, 2]
    assert words(read_sentences(tmp_path / "a.csv")) == ["The bank , closed .", "A river ."]
    assert words(read_sentences(tmp_path / "a.jsonl")) == ["The bank closed .", "A river ."]
    (tmp_path / "b.jsonl").write_bytes(end.join(['{"text": "One."}', '{"text": 1.5}']).encode())
    with pytest.raises(BadInput, match=r"b\.jsonl, line 2"):
        read_sentences(tmp_path / "b.jsonl")


def test_a_token_with_invisible_characters_is_the_same_token(file):
    rows = [
        {"tokens": ["ban\u00adking", "\u200bsector"], "position": 0, "word": "bank\u200bing", "sense": "a", "text": "ban\u00adking  sector"}
    ]
    (row,) = read_sentences(file("a.jsonl", rows))
    assert row.tokens == ("banking", "sector") and row.targets == (Target(0, "banking", "a"),) and row.text == "ban\u00adking  sector"
