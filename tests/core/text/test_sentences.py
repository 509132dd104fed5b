"""Test every format of sentences, and the error, with its line, for everything that can be wrong with one."""

import json
import os

import pytest

from core.common import reports
from core.common.errors import BadInput, MissingArtifact
from core.text.file_lines import iterate_lines
from core.text.sentences import LabeledRow, Sentence, Target, fingerprint, read_labeled, read_lines, read_sentences, sentences_from_text
from tests.tiny import spaced_tokens

BANK = {"tokens": ["The", "banks", "rose"], "position": 1, "word": "banks", "lemma": "bank", "pos": "noun", "sense": "river edge"}
ROW = {"word": "bank", "tokens": ["The", "bank"], "position": 1, "label": "money"}


@pytest.mark.parametrize("suffix", ["", ".xz", ".gz"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_plain_text_is_split_and_tokenized_whatever_ends_its_lines(write, suffix, end):
    path = write(f"a.txt{suffix}", "\ufeff" + end.join(["He didn't go. Why?", "", "x" * 40_000, "강둑에 앉았다."]))
    first, second, *_, last = spaced_tokens(read_sentences(path, lines="keep"))
    assert (first, second, last) == ("He did n't go .", "Why ?", "강둑에 앉았다 .")
    assert [len(tokens) for tokens in read_lines(path)] == [7, 0, 1, 3]
    assert spaced_tokens(read_sentences(path, limit=1)) == ["He did n't go ."]
    with pytest.raises(BadInput, match=r"a\.jsonl.*, line 2"):
        read_sentences(write(f"a.jsonl{suffix}", end.join(['{"text": "The bank closed."}', '{"text": [1]}'])))


@pytest.mark.parametrize("name", ["a.jsonl", "a.json"])
def test_rows_keep_their_tokens_and_targets(write, name):
    went = {**ROW, "word": "go", "tokens": ["He", "went"]}  # a label counts as sense, and its word as lemma
    rows = [BANK, went, {"text": "One. Two."}, {"tokens": ["New York", "!"]}, ["as", "it", "is"], "Plain text."]
    sentences = read_sentences(write(name, rows if name == "a.jsonl" else json.dumps(rows)))
    assert spaced_tokens(sentences) == ["The banks rose", "He went", "One .", "Two .", "New York !", "as it is", "Plain text ."]
    assert sentences[0].targets == (Target(1, "banks", "river edge", "bank", "noun"),)
    assert sentences[1].targets == (Target(1, "went", "money", "go", None),) and not any(s.targets for s in sentences[2:])


def test_rows_on_the_same_sentence_become_one_with_several_targets(write):
    second = {**BANK, "position": 2, "word": "rose", "lemma": "rise", "pos": "verb", "sense": 2}
    merged, again, *others = read_sentences(write("a.jsonl", [BANK, second, BANK, ["same"], ["same"]]))
    assert [(t.position, t.word, t.sense) for t in merged.targets] == [(1, "banks", "river edge"), (2, "rose", "2")]
    assert again.targets == merged.targets[:1] and len(others) == 2


@pytest.mark.parametrize(
    "row",
    [
        *({"text": "Rain fell", "tokens": tokens} for tokens in (None, [], [{"text": "Rain", "id": 0}, {"text": "fell", "id": 1}])),
        *({"tokens": ["Rain", "fell"]} | other for other in ({"label": 1}, {"label": [0, 1]}, {"position": None, "pos": ["NN", "VB"]})),
    ],
)
def test_other_annotation_of_a_json_row_is_not_read(write, row):
    (sentence,) = read_sentences(write("a.jsonl", [row]))
    assert sentence.tokens == ("Rain", "fell") and sentence.targets == ()


@pytest.mark.parametrize("sense", [None, "", " ", "nan", "None", float("nan")])
def test_a_row_without_a_sense_is_a_sentence_but_not_a_label(write, sense):
    rows = [{**BANK, "sense": sense}, {**ROW, "label": sense}, ROW]
    assert [s.targets[0].sense for s in read_sentences(write("a.jsonl", rows))] == [None, None, "money"]
    with reports.collecting() as found:
        assert [row.label for row in read_labeled(write("a.jsonl", rows))] == ["money"]
    assert list(found.values()) == ["a.jsonl: rows without a sense, not counted as labels: 2."]


def test_the_word_of_a_row_with_a_blank_label_may_be_a_lemma(write):
    row = {"word": "go", "tokens": ["He", "went"], "position": 1}
    path = write("a.jsonl", [{**row, "label": "move"}, {**row, "tokens": ["She", "went"], "label": ""}])
    assert [row.label for row in read_labeled(path)] == ["move"]
    assert [(s.targets[0].lemma, s.targets[0].sense) for s in read_sentences(path)] == [("go", "move"), ("go", None)]


@pytest.mark.parametrize(
    ("name", "content", "column", "texts"),
    [
        ("a.csv", '1,"He said ""no"". Twice."\n2,Yes.', "2", ['He said " no " .', "Twice .", "Yes ."]),
        ("a.csv.xz", 'one,other\n1,"He said ""no"".\nTwice."\n2,Yes.', "Other", ['He said " no " .', "Twice .", "Yes ."]),
        ("a.csv", '"He said ""no"". Twice."\nYes.\n', None, ['He said " no " .', "Twice .", "Yes ."]),
        ("a.csv", "text\nHello, world is here.\nSo; it is, too\n", None, ["Hello , world is here .", "So ; it is , too"]),
        *(("a.tsv", "review\nHello\tworld.\n", None, ["Hello world ."]), ("a.tsv", "No, no.\nYes.\n", None, ["No , no .", "Yes ."])),
        ("a.json", '[["Rain fell.", "The sun shone."], ["So", "it is"]]', None, ["Rain fell .", "The sun shone .", "So it is"]),
        ("a.csv", "Text,id,,\nHello.,1,,\nYes.,2,, ,\n", None, ["Hello .", "Yes ."]),  # empty cells that a spreadsheet adds
        *(("a.csv", f"{name}\nRain\n", None, ["Rain"]) for name in ("text ", "\u1107\u1169\u11ab\u1106\u116e\u11ab")),
        *(("a.csv", f",{name}\n0,Rain\n1,Sun\n", None, ["Rain", "Sun"]) for name in ("0", "remark")),  # row numbers of pandas
        ("a.csv", "review,comment\n5,Rain\n4,Sun\n", None, ["Rain", "Sun"]),  # a usual name, but of a column of numbers
        ("a.jsonl", '{"review": 5, "comment": "Rain"}', None, ["Rain"]),
        ("a.jsonl", '{"Body": "One."}\n{"Body": null, "text": "No."}\n{"text": "No."}\n["Two"]', "body", ["One .", "Two"]),
        ("a.json", '[{"text": "No."}, {"text": "No.", "Body": "One."}, "Two."]', "Body", ["One .", "Two ."]),
        ("a.jsonl", '{"tokens": ["One"], "text": "One", "id": 1}', "body", ["One"]),
    ],
)
def test_tables_give_their_text_column(write, name, content, column, texts):
    with reports.collecting():  # of rows without text
        assert spaced_tokens(read_sentences(write(name, content), text_column=column)) == texts


def test_labeled_rows_take_label_or_sense_and_a_word_or_its_lemma_but_not_one_place_off(write):
    rows = read_labeled(write("a.jsonl", [ROW, {**BANK, "word": "BANKS"}, {**ROW, "label": 3, "document": "a"}]))
    assert rows[0] == LabeledRow("bank", ("The", "bank"), 1, "money")
    assert (rows[1].label, rows[2].label, rows[2].document) == ("river edge", "3", "a")
    assert [row.word for row in rows] == ["bank"] * 3  # "banks" has the lemma "bank"
    assert read_labeled(write("a.json", json.dumps([ROW]))) == rows[:1]
    went = {"word": "go", "tokens": ["He", "went", "to", "go"], "position": 1, "label": "move"}
    assert len(read_labeled(write("a.jsonl", [went, ROW]))) == 2
    off = {**ROW, "tokens": ["The", "bank", "sank"], "position": 2}
    with pytest.raises(BadInput, match=r"line 1: token 2 is 'sank', not 'bank'; the same in 3 of 3 rows\. Positions count"):
        read_labeled(write("b.jsonl", [off, off, went]))


def test_pasted_text_is_read_like_a_file():
    assert spaced_tokens(sentences_from_text("\ufeffOne.  Two\0\ud800!\n\nThree")) == ["One .", "Two !", "Three"]
    for text, message in (("", "No text yet"), (" \n ", "No text yet"), ("x" * 1_000_001, "1,000,001 characters")):
        with pytest.raises(BadInput, match=message):
            sentences_from_text(text)


def test_fingerprints_tell_tokens_targets_and_order_apart():
    a, b = Sentence(("a", "b")), Sentence(("a", "b"), (Target(0, "a", "x"),))
    kinds = [[a], [b], [a, b], [b, a], [Sentence(("a",)), Sentence(("b",))], [Sentence(("a", "b"), (Target(0, "a", "y"),))]]
    assert len({fingerprint(sentences) for sentences in kinds}) == len(kinds)


@pytest.mark.parametrize(
    ("row", "column", "date"),
    [
        *(({"published": None, "year": 2021}, "published", None), ({"Published": "1850", "year": 2021}, "published", "1850")),
        *(({"Year": 2021}, None, "2021"), ({"Date": "1850", "year": 2021}, None, "1850"), ({"date": None, "year": 2021}, None, "2021")),
        *(
            ({"date": "n.d.", "year": 2021}, None, "2021"),
            ({"date": "n.d.", "year": "?"}, None, "n.d."),
            ({"pub_date": 1850}, None, "1850"),
        ),
        *(({"year": 2021.0, "month": 5.0, "day": "12"}, None, "2021-05-12"), ({"year": 2021, "month": 5}, "year", "2021")),
        *(({"date": " ", "year": 2021}, None, "2021"), ({"date": "1850\ud800"}, None, "1850 ")),
    ],
)
def test_dates_of_json_rows_are_those_of_the_chosen_column(write, tmp_path, row, column, date):
    rows = [{"Text": "A bank.", "Document": "d"} | row, {"text": "A river.", "published": "1900"}]
    first, _ = read_sentences(write("a.jsonl", rows), date_column=column)
    assert (first.tokens, first.document, first.date) == (("A", "bank", "."), "d", date)
    with pytest.raises(BadInput, match=r"a\.jsonl, line 1: no column 'yaer' among \['Text', .*\]\. Give the dates"):
        read_sentences(tmp_path / "a.jsonl", date_column="yaer")


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.jsonl"])
def test_nul_byte_among_many_lines_is_read_as_a_blank_and_noted_and_a_binary_file_refused(write, name):
    wrap = (lambda text: json.dumps({"text": text})) if name == "a.jsonl" else str
    lines = [wrap("text"), *[wrap("A river.")] * 6_000, wrap("Oh! bank.").replace("!", "\0")]
    with reports.collecting() as found:
        sentences = read_sentences(write(name, "\n".join(lines)), lines="keep")
    assert sentences[-1].tokens == ("Oh", "bank", ".") and len(sentences) == 6_002 - (name == "a.csv")
    assert list(found.values()) == [f"{name}: lines with NUL bytes, read as blanks: 1 (first: line 6002)."]
    for content in ("Hi.\nA bank.\n".encode("utf-16-le") * 40, b"A bank.\0\n" * 40, b"\0\x01\x02" * 40):  # of a binary file
        with pytest.raises(BadInput, match=r"b\.txt, line 1: a NUL byte\. Save it as UTF-8"):
            read_sentences(write("b.txt", content))


@pytest.mark.parametrize(
    ("text", "encoding", "read_as"),
    [
        ("Die Bänke sind grün. Das Café ist zu.", "mac_roman", "CP1250"),  # wrong, so the note matters
        ("Die Bänke sind grün. Das Café ist zu.", "cp1252", "CP1252"),
        ("비가 와서 우산을 폈다.", "cp949", "CP949"),
    ],
)
def test_text_in_a_guessed_encoding_is_noted(write, text, encoding, read_as):
    for name in ("a.txt", "a.txt.gz"):
        path = write(name, b"Plain to begin with.\n" * 9 + f"{text}\n".encode(encoding) * 5)
        with reports.collecting() as found:
            assert [line.strip() for _, line in iterate_lines(path)][9:] == [text] * 5 or encoding == "mac_roman"
        said = f"{name} is not UTF-8 (line 10) and was read as {read_as}. If letters look wrong, save it as UTF-8."
        assert found[(name, "encoding")] == said


LONG = " ".join(["word"] * 5_001)
REFUSED = [
    *((name, text, f"{name} has no sentence") for name, text in (("a.txt", " \n\n"), ("a.json", ""), ("a.csv", "text\n"))),
    ("noname", "x", "noname: save it as .txt"),
    ("a.txt", "fine, wie schön\n".encode() + b"fa\xe7ade", r"a\.txt, line 2: byte 3 \(0xe7\) is not UTF-8\. Save it as UTF-8"),
    *(("a.csv", b"text\na\0b", r"a\.csv, line 2: a NUL byte"), ("a.jsonl", [LONG.split()], r"line 1: 5,001 tokens")),
    ("a.jsonl", '["a"]\n{"tokens": ["a"', r"line 2: not JSON \(.*\)\. Use "),
    *(
        ("a.jsonl", "[" * 100_000, "line 1: too many nested levels"),
        ("a.jsonl", '{"position": Infinity}', "line 1: Infinity is not a JSON"),
    ),
    *(("a.jsonl", [["a"], 7], r"line 2: 7 is not a row\. Use"), ("a.jsonl", [{"words": ["a"]}], r"line 1: a row of 'words' is not a row")),
    *(("a.jsonl", [{}], "an empty row is not a row"), ("a.jsonl", [{"text": None}], r"a\.jsonl has no sentence")),
    *(("a.jsonl", [{"tokens": tokens}], rf"{name} is not a list of words") for tokens, name in (("a b", "line 1: 'a b'"), ([], r"\[\]"))),
    ("a.jsonl", [["a", 1, ["b"], None]], r"\['a', 1, \.\.\., null\] is not a list of words"),
    *(("a.jsonl", [["a", " "]], "is not a list of words.*none blank"), ("a.jsonl", '["a\\u0000"]', "no NUL")),
    ("a.jsonl", '["\\ud800"]', r"line 1: '\\ud800' instead of text.*unpaired surrogate"),
    ("a.jsonl", [{**BANK, "position": 3}], r"line 1: position 3 in 3 tokens\. Use a whole number, 0 to 2"),
    *(("a.jsonl", [{**BANK, "position": k}], f"position {name} in") for k, name in ((-1, "-1"), (True, "True"), ("1", "'1'"))),
    ("a.jsonl", [{**BANK, "position": 0}], r"line 1: token 0 is 'The', not 'banks'\. Positions count tokens from 0"),
    ("a.jsonl", [{**BANK, "sense": ["x"]}], r"\['x'\] instead of text"),
    *(("a.json", '{"a": 1}', "line 1: a row of 'a' is not"), ("a.json", '{\n"a": 1}', r"a\.json: a row of 'a' instead of sentences")),
    ("a.json", '[["a"], 7, 7, ["b"]]', r"a\.json, item 1: 7 is not a row; errors also in item 2\."),
    ("a.json", '[[["a"], ["b"]]]', r"item 0: \[\.\.\., \.\.\.\] is not a list of words"),
    ("a.csv", "id,title\n1,x", r"line 1: no column 'text' among \['id', 'title'\]\. Give the text"),
    ("a.csv", 'text,id\nfine,1\n"never closed, and so on,2\n', r"a\.csv, line 3: not a table row .*unclosed quote"),
    ("a.csv", "id,text\n1,fine\n2,Well, no\n3,a,b", r"line 3: 3 cells for 2 columns; errors also in line 4\. Quote a cell"),
    ("a.csv", "id,text\n1,fine\n2", r"line 3: 1 column\. Text is in column 2"),
]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("fine\n" + "x" * 1_000_001, r"line 2: over 1,000,000 bytes without line break"),
        ("x" * 50_001, r"line 1: 50,001 characters\. Split it at sentence ends: at most 50,000"),
        (LONG, r"line 1: 5,001 tokens\. Split it: at most 5,000"),
    ],
)
def test_a_line_of_one_sentence_may_be_too_long(write, content, message):
    with pytest.raises(BadInput, match=message):
        read_lines(write("a.txt", content))
    assert all(len(" ".join(s.tokens)) <= 5_000 for s in read_sentences(write("a.txt", content)))


LABELED_REFUSED = [
    *(("a.jsonl", "", "a.jsonl holds no row"), ("a.csv", "x", r"a\.csv is not a \.jsonl or \.json file")),
    ("a.jsonl", [{"tokens": ["a"]}], "line 1: a row of 'tokens', without word and position and label"),
    *(("a.jsonl", [["a"]], r"\['a'\], without word"), ("a.jsonl", [{**ROW, "position": 2}], "position 2 in 2 tokens")),
    ("a.jsonl", [{**ROW, "label": True}], "True instead of text"),
    ("a.jsonl", [{**ROW, "tokens": "The bank"}], "'The bank' is not a list of words"),
]
ALL_REFUSED = [(read, *row) for read, rows in ((read_sentences, REFUSED), (read_labeled, LABELED_REFUSED)) for row in rows]


@pytest.mark.parametrize(("read", "name", "content", "message"), ALL_REFUSED, ids=range(len(ALL_REFUSED)))
def test_what_cannot_be_read_is_reported_with_its_line(write, read, name, content, message):
    with pytest.raises(BadInput, match=message) as caught:
        read(write(name, content))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600


@pytest.mark.parametrize("column", ["txt", "3", "0", "²", "999999999999", ""])
def test_a_column_that_is_not_there_is_reported_with_those_that_are(write, column):
    for name, content in (("a.csv", "id,text\n1,x"), ("a.jsonl", [{"id": 1, "text": "x"}] * 9)):
        with pytest.raises(BadInput, match=r"no column '.*' among \['id', 'text'\]\. Give the text"):
            read_sentences(write(name, content), text_column=column)


@pytest.mark.parametrize("name", ["a.txt.xz", "a.txt.gz"])
def test_a_packed_file_that_is_damaged_not_packed_or_too_large_is_reported(write, name):
    path = write(name, "A sentence.\n" * 500)
    packed = path.read_bytes()
    with pytest.raises(BadInput, match=rf"{name}, line 84: over 1,000 bytes unpacked"):
        list(iterate_lines(path, max_bytes=1_000))
    for data in (b"plain text", packed[: len(packed) // 2]):
        path.write_bytes(data)
        with pytest.raises(BadInput, match=rf"{name} is incomplete: .*unpack it"):
            read_sentences(path)


def test_missing_and_large_files_folders_and_wrong_limits_are_reported(write, tmp_path):
    os.truncate(write("a.txt", b"First line.\nSecond line.\n"), 200_000_000)  # sparse: it takes no room
    assert spaced_tokens(read_sentences(tmp_path / "a.txt", limit=1)) == ["First line ."]
    (tmp_path / "folder.txt").mkdir()
    for name, limit, error, message in (
        ("a.txt", None, BadInput, r"a\.txt is 200\.0 MB, above the limit of 100\.0 MB"),
        *(("gone.txt", None, MissingArtifact, "No file"), ("folder.txt", None, BadInput, "is a folder")),
        ("a.txt", 0, BadInput, "limit must be at least 1"),
    ):
        with pytest.raises(error, match=message):
            read_sentences(tmp_path / name, limit=limit)


def test_a_token_is_the_same_however_it_is_written(write):
    facts = {"tokens": ["cafe\u0301", "\u200bno\u00adir"], "position": 0, "word": "caf\u00e9\u200b", "sense": "e\u0301"}
    (row,) = read_sentences(write("a.jsonl", [facts | {"text": "cafe\u0301  no\u00adir"}]))
    assert (row.tokens, row.targets, row.text) == (("caf\u00e9", "noir"), (Target(0, "caf\u00e9", "\u00e9"),), "cafe\u0301  no\u00adir")
    apart = "The cafe\u0301  closed."  # of no tokens
    (sentence,) = read_sentences(write("a.txt", apart))
    assert sentence.tokens == ("The", "caf\u00e9", "closed", ".") and sentence.text == apart
    assert spaced_tokens(read_sentences(write("a.csv", "caf\u00e9,n\nA house.,1\n"), text_column="cafe\u0301")) == ["A house ."]
