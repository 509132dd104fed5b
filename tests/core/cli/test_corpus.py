"""The corpus commands: as a table, JSON and CSV the same answer."""

import csv
import io

import pytest


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text('text,year\nThe river bank was steep.,1990\n"The bank lent money, and banks lend more.",1991\nNo such word.,1991\n')
    return str(path)


@pytest.fixture
def printed(call):
    """Return what a corpus command prints."""
    return lambda *words: call("corpus", *words)[1]


def test_a_search_is_the_same_as_table_json_and_csv(answer, printed, mine):
    words = ("search", "bank", "--corpus", mine, "--kind", "lemma")
    result = answer("corpus", *words)
    assert (result["n"], result["forms"], result["dates"]) == (3, [["bank", 2], ["banks", 1]], [["1990", 1, 6], ["1991", 2, 14]])
    assert [line["hit"] for line in result["lines"]] == ["bank", "bank", "banks"] and result["deviation"] > 0
    rows = list(csv.DictReader(io.StringIO(printed(*words, "--csv"))))
    expected = [("1990", "The river", "bank"), ("1991", "The", "bank"), ("1991", "The bank lent money, and", "banks")]
    assert [(row["date"], row["before"], row["found"]) for row in rows] == expected
    table = printed(*words)
    assert "3 occurrences" in table and "bank 2, banks 1" in table and "The river  bank   was steep." in table


@pytest.mark.parametrize(
    ("command", "lists"),
    [
        ("collocates bank --minimum 1 --content", ("items",)),
        ("keyness --against sentences --minimum 1 --most 5 --correction bonferroni", ("first", "second")),
    ],
)
def test_collocates_and_keyness_are_the_same_as_json_and_csv(answer, printed, mine, command, lists):
    words = (*command.split(), "--corpus", mine)
    result = answer("corpus", *words)
    rows = list(csv.reader(io.StringIO(printed(*words, "--csv"))))
    assert [row[0] for row in rows[1:]] == [item["word"] for name in lists for item in result[name]] != []


def test_an_empty_answer_has_its_reason_and_a_folder_is_no_text(printed, refused, mine, tmp_path):
    for words, reason in {
        ("search", "bank", "--first", 9): "--first 9 is after the last line, 1.",
        ("collocates", "xyzzy"): "It does not occur.",
        ("collocates", "bank", "--minimum", 99): "No word is within 5 words of it 99 times or more.",
        ("keyness", "--minimum", 10**6): "No word with 1,000,000 occurrences or more is a keyword of either corpus.",
    }.items():
        assert reason in printed(*words, "--corpus", mine)
        assert "is an index or another folder. Name the file of its text." in refused("corpus", *words, "--corpus", tmp_path)


def test_what_is_left_out_of_a_file_is_noted_each_time(tmp_path, call):
    path = tmp_path / "news.csv"
    rows = [f"A long title of many words,It rained on day {k}." for k in range(30)]
    path.write_text("\n".join(["title,body", *rows[:9], "one,two,three", *rows[9:]]) + "\n")
    for _ in range(2):  # read, and then from the cache
        status, out, err = call("corpus", "search", "rained", "--corpus", str(path))
        assert status == 0 and "30 occurrences" in out
        assert err.splitlines()[-2:] == [
            "news.csv: the text is read from “body”, not from “title”. Name the column to read, or call it “text”.",
            "news.csv: rows left out: 1. The first is line 11: 3 cells for 2 columns.",
        ]
