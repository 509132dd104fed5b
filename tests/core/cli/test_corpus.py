"""The corpus commands: as a table, JSON and CSV the same answer."""

import csv
import io

import pytest


@pytest.fixture
def mine(tmp_path):
    path = tmp_path / "mine.csv"
    rows = [("The river bank was steep.", 1990), ("The bank lent money, and banks lend more.", 1991), ("No such word.", 1991)]
    path.write_text("text,year\n" + "".join(f'"{text}",{year}\n' for text, year in rows))
    return str(path)


@pytest.fixture
def printed(call):
    """Return what a corpus command prints."""

    def run(*words: str) -> str:
        status, out, err = call("corpus", *words)
        assert status == 0, err
        return out

    return run


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


def test_collocates_and_keyness_are_the_same_as_json_and_csv(answer, printed, mine):
    words = ("collocates", "bank", "--corpus", mine, "--minimum", "1", "--content")
    result = answer("corpus", *words)
    rows = list(csv.reader(io.StringIO(printed(*words, "--csv"))))
    assert [row[0] for row in rows[1:]] == [item["word"] for item in result["items"]] and "river" in {row[0] for row in rows}
    words = ("keyness", "--corpus", mine, "--against", "sentences", "--minimum", "1", "--most", "5", "--correction", "bonferroni")
    result = answer("corpus", *words)
    rows = list(csv.reader(io.StringIO(printed(*words, "--csv"))))
    assert [row[0] for row in rows[1:]] == [item["word"] for item in (*result["first"], *result["second"])]


def test_a_corpus_is_not_compared_with_itself(refused):
    assert "cannot be compared with itself" in refused("corpus", "keyness", "--against", "sentences")


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
