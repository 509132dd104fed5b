"""The sentences of two sides: by dates however they are written, no sentence on both, joined Korean pieces by their word."""

import csv
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from core.common.errors import BadInput
from core.text import own_corpus
from core.text.dates import parse_dates
from core.views import change, compare
from core.views.sides import LeftOutSentences, Side, bands_of, choose, dated_texts, dates_of, split_at
from core.workspace import Workspace

RIVER = ["We sat on the bank {k} and watched boats.", "The river bank {k} was muddy after rain."]
RIVER += ["Reeds grew along the bank {k} of the stream."]
MONEY = ["The bank {k} lent money to the farmers.", "She paid the check {k} into her bank.", "A bank {k} raised its rates again."]


def sentences(frames: list[str], n: int) -> list[str]:
    return [frames[k % len(frames)].format(k=f"number {k}") for k in range(n)]


@pytest.fixture(scope="module")
def open_dated(workspace, tmp_path_factory):
    """`open_dated(river, money)` -> a workspace over sentences of both senses with these dates."""

    def opened(river: list[str], money: list[str]) -> Workspace:
        path = tmp_path_factory.mktemp("table") / "dated.csv"
        rows = [*zip(river, sentences(RIVER, len(river)), strict=True), *zip(money, sentences(MONEY, len(money)), strict=True)]
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("date", "text"), *rows])
        return workspace.with_corpus(str(path))

    return opened


EARLY, LATE = Side(end="1899"), Side(start="1900")
BANK = change.ChangeRequest(word="bank", first=EARLY, second=LATE)
WRITTEN = ("Jan 1850|12 May 1850|May 12, 1850|1850-05-12T00:00:00Z|1850.0|Spring 1850", "1950년|1950년 5월 3일|May 1950|1950")
MONTHS = ("1850-05-01|3 May 1850|May 1850|1850-05-31|5/1850|1850년 5월", "1 June 1850|1850-06|Jul 1850|1850-12-31")


@pytest.mark.parametrize(
    ("early", "late", "sides"),
    [
        ("810|811|812|813|814|815", "905|950|1010|1020", "..899 | 900.."),
        ("0810|0811|0812|0813|0814|0815", "0905|0950|1010|1020", "..0899 | 0900.."),
        ("1830|c. 1831|ca. 1832|[1833]|1834?|circa 1835", "1950|195-|1950s|c1955", "1800..1899 | 1900..1999"),
        ("|".join(f"0{k}/02/1850" for k in range(1, 7)), "1.2.1950|2.2.1950|3.2.1950|4.2.1950", "1850..1899 | 1900..1999"),
        (*WRITTEN, "..1899 | 1900.."),
        ("44 BC|1st century BC|500-400 BC|c. 44 BC|-44|기원전 1세기", "AD 14|14 AD|2nd century|0014", "..1 BC | AD 1.."),
        (*MONTHS, "..1850-05 | June 1850.."),
        ("1850-1|1850-01|Jan 1850|1850-01-05|1/1850|1850년 1월", "1850-2|1850-3|1850-8|1850-12", "..1850-1 | 1850/2.."),
    ],
)
def test_texts_are_on_the_side_of_their_date_however_it_is_written(open_dated, early, late, sides):
    workspace = open_dated(early.split("|"), late.split("|"))
    chosen = choose(workspace, *(Side(start=start, end=end) for start, end in (side.split("..") for side in sides.split(" | "))))
    assert [int(mask.sum()) for mask in chosen.masks] == [6, 4] and not chosen.left_out.describe()


def test_dates_that_cannot_be_placed_or_are_outside_both_sides_are_counted_and_reported(open_dated):
    workspace = open_dated(["1830"] * 6 + ["n.d."] * 4 + ["12/05/50"] * 2, ["1950"] * 6 + ["1895–1905"] * 3 + ["19th century"])
    first = Side(start="1820", end="1899")
    result = change.compute(workspace, replace(BANK, first=first))
    assert result.left_out.describe() == [
        "Without a readable date (such as “12/05/50”), so in no time span: 6 of 22 sentences.",
        "4 of 22 sentences left out: date only partly within a side (such as “1895–1905”).",
    ]
    workspace = open_dated(["1830"] * 6 + ["1875"] * 2, ["1950"] * 6 + ["n.d.", "1700"])
    notes = choose(workspace, Side(start="1800", end="1849"), LATE).left_out.describe()
    assert notes[1] == "3 of 16 sentences left out: date on neither side."
    assert not choose(workspace, Side(start="1800", end="1849"), Side()).left_out.outside


def test_the_date_in_a_name_is_that_of_a_document_without_dates_alone(workspace, tmp_path):
    for name, dates, year in (("dated_2003.csv", ["1850", "1851", "", ""], ""), ("blank_2003.csv", [""] * 4, "2003")):
        (tmp_path / name).write_text("date,text\n" + "".join(f"{date},A bank {k}.\n" for k, date in enumerate(dates)), "utf-8")
        facts = dated_texts(workspace, own_corpus.keep_files([own_corpus.Source(name, tmp_path / name)]).name)
        assert facts.dates.of(np.arange(4)) == [date or year for date in dates]
        assert facts.undated.sum() == (0 if year else 2)
    numbers = dict.fromkeys(("pg1342.txt", "1661-0.txt", "IMG_1920.txt", "letters before 1900 b.txt", "19th century"), "")
    dates = {"1850-1859.txt": "1850–1859", "letters 1860s.txt": "1860s", "before 1900.txt": "before 1900", "1500 BC.txt": "1500 BC"}
    dates |= {"기원전 1500년.txt": "기원전 1500년", "NYT_20200102.txt": "2020-01-02", "2009-Obama.txt": "2009", "Emma (1815)": "1815"}
    names = numbers | dates
    path = tmp_path / "named.jsonl"
    path.write_text("".join(json.dumps({"text": f"A bank {k}.", "document": name}) + "\n" for k, name in enumerate(names)), "utf-8")
    assert dict(zip(names, dated_texts(workspace, str(path)).dates.of(np.arange(len(names))), strict=True)) == names
    notes = choose(workspace.with_corpus(str(path)), EARLY, LATE).left_out.describe()
    assert notes[1] == "Sentences dated by their documents’ names: 8."


def test_a_side_without_texts_says_why(open_dated):
    for river, money, side, message in (
        ("n.d.", "s.d.", EARLY, "No date in dated\\.csv can be read, such as “n\\.d\\.”"),
        ("1850", "n.d.", Side(end="1799"), "to 1799; dates run from 1850 to 1850. Without a"),
        ("1850", "1950", Side(end="50"), "“50” is not a date. Write it as 1850, 1850-06, 0850 or 44 BC."),
        ("1850", "1950", Side(start="1840", end="1890.."), "“1890..” is not a date. Write it as 1850"),
        *(("1850", "1950", Side(start=start), f"“{start}” is not a date") for start in ("soon", "before 1840")),
    ):
        with pytest.raises(BadInput, match=message):
            choose(open_dated([river] * 6, [money] * 6), side, LATE)


def test_a_sentence_is_on_one_side_alone(open_dated):
    workspace = open_dated(["1850"] * 12, ["1900"] * 12)
    apart = change.compute(workspace, BANK)
    overlapping = change.compute(workspace, replace(BANK, first=Side(start="1850", end="1900"), second=Side(start="1900", end="1950")))
    assert (overlapping.change.first, overlapping.change.second) == (12, 12)
    assert overlapping.change.p == apart.change.p <= 0.01
    assert overlapping.left_out.describe() == ["Sentences on both sides, counted only on the second: 12."]
    part = change.compute(workspace, replace(BANK, first=LATE, second=Side()))
    assert part.left_out.describe() == ["Sentences on both sides, counted only on the first: 12."]
    assert part.change.p == pytest.approx(apart.change.p, abs=0.005)
    for equal in ((Side(start="1800"), Side(end="1950")), (Side(), Side(corpus=workspace.corpus))):
        with pytest.raises(BadInput, match="Both sides are the same texts"):
            choose(workspace, *equal)
    ranked = change.rank(change.read(workspace, Side(end="1900"), LATE), at_least=12)
    assert all(item.change.first + item.change.second <= 24 for item in ranked)


def test_a_copy_or_a_part_of_a_text_is_that_text(open_dated, tmp_path):
    workspace = open_dated(["1850"] * 12, ["1900"] * 12)

    def left_out(name: str, text: str) -> LeftOutSentences:
        (tmp_path / name).write_text(text, "utf-8")
        return choose(workspace, Side(), Side(corpus=str(tmp_path / name))).left_out

    with pytest.raises(BadInput, match="Both sides are the same texts"):
        left_out("copy.csv", Path(workspace.corpus).read_text("utf-8"))
    assert left_out("part.txt", "\n".join(sentences(MONEY, 12))) == LeftOutSentences(shared=12)
    other = [*sentences(MONEY, 3), *sentences(RIVER, 6), *(f"Sheep {k}." for k in range(30))]
    assert left_out("other.txt", "\n".join(other)).describe() == ["Sentences on both sides, counted on both: 9."]  # they are two texts


def test_a_joined_korean_piece_is_found_on_both_sides(workspace, tmp_path):
    path, request = tmp_path / "ko.jsonl", replace(BANK, word="이")
    rows = [{"text": f"눈이 {k}번 왔다.", "date": year} for year in ("1850", "1900") for k in range(8)]
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    workspace = workspace.with_model("elmo-ko-mini").with_corpus(str(path))
    for space in ("2", "senses"):
        result = change.compute(workspace, replace(request, space=space))
        assert (result.change.first, result.change.second) == (8, 8)
    assert change.control(workspace, request) is not None


def test_dates_of_a_page_are_years_and_within_one_year_days(open_dated):
    for early, late, known in (
        (["c. 1850", "1850s", "n.d."], ["44 BC", "before 1700"], ["44 BC", "1699", "1850"]),
        (["1850-03-01", "until June 1850"], ["1 July 1850"], ["1850-03-01", "1850-06-30", "1850-07-01"]),
        (["1900-02-28"], ["29 Feb 1900", "1900-03-01"], ["1900-02-28", "1900-02-29", "1900-03-01"]),
    ):
        workspace = open_dated(early, late)
        assert dates_of(dated_texts(workspace, workspace.corpus)) == known
        for start in known[1:]:
            first, second = choose(workspace, *split_at(workspace.corpus, start)).masks
            assert first.any() and second.any() and not (first & second).any()


def test_the_page_opens_on_the_most_frequent_word_that_both_sides_have(open_dated):
    workspace = open_dated(["1850"] * 12, ["1900"] * 12)
    for word, opened in (("bank", "bank"), ("Bank", "Bank"), ("zebra", "bank")):
        assert change.opening_word(workspace, replace(BANK, word=word)) == opened
    few = open_dated(["1850"] * 2, ["1900"] * 2)
    assert change.opening_word(few, BANK) == ""


def test_stretches_of_years_have_enough_sentences(open_dated):
    workspace = open_dated([str(1800 + k) for k in range(6)], [str(1900 + k) for k in range(6)])
    result = change.compute(workspace, BANK)
    assert [sum(band.counts) for band in result.bands] == [6, 6]  # of twelve years, the two sides
    assert change.describe_groups(result) == "12 sentences are few: the sense groups may be chance."
    workspace = open_dated([str(1800 + k) for k in range(12)], [f"c. {1900 + k}" for k in range(12)])
    bands = [(band.name, sum(band.counts)) for band in change.compute(workspace, BANK).bands]
    assert bands == [("1800–1805", 6), ("1806–1811", 6), ("1900–1905", 6), ("1906–1911", 6)]
    early, late = (SimpleNamespace(items=range(12), dates=parse_dates([f"{first + k % 4}" for k in range(12)])) for first in (1850, 1860))
    for sides, counts in (((early, early), [12, 12]), ((late, early), [6] * 4)):
        assert [sum(band.counts) for band in bands_of(sides, np.zeros(24, int), 1)] == counts


def test_a_range_of_years_is_on_one_side():
    first, second = [f"{2001 + k % 10}" for k in range(20)], [f"{2011 + k % 6}" for k in range(10)]
    sides = [SimpleNamespace(items=range(len(years)), dates=parse_dates(years)) for years in (first, second)]
    for both in (sides, sides[::-1]):
        bands = [(band.name, sum(band.counts)) for band in bands_of(both, np.zeros(30, int), 1)]
        assert bands == [("2001–2003", 6), ("2004–2006", 6), ("2007–2008", 4), ("2009–2010", 4), ("2011–2013", 6), ("2014–2016", 4)]


@pytest.mark.usefixtures("one_opener")
def test_the_command_names_sides_and_senses_and_says_what_it_leaves_out(open_dated, call, tmp_path):
    corpus = open_dated(["1850"] * 12 + ["n.d."] * 6, ["1900"] * 12).corpus
    command = ["senses", "change", "--word", "bank", "--first", corpus, "--first-dates", "..1900", "--second-dates", "1900.."]
    status, printed, _ = call(*command, "--csv", tmp_path / "bands.csv", "--like-frequency")
    assert status == 0 and "Sentences on both sides, counted only on the second: 12." in printed
    assert " of 1 word of similar frequency" in printed
    rows = list(csv.reader((tmp_path / "bands.csv").open(encoding="utf-8", newline="")))
    assert [row[0] for row in rows] == ["texts", "first: dated.csv …..1900", "second: dated.csv 1900..…"]


def test_compared_spaces_of_overlapping_texts_report_it(workspace, tmp_path):
    texts = [*sentences(MONEY, 30), *sentences(RIVER, 30)]
    for name, lines in (("all", texts), ("part", texts[:40]), ("other", [line.replace("bank", "shore") for line in texts])):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), "utf-8")
    whole, part, other = (compare.SpaceName("elmo-mini", "1", str(tmp_path / f"{name}.txt")) for name in ("all", "part", "other"))
    for side, shared in ((part, 40), (other, 0)):
        assert compare.compute(workspace, compare.CompareRequest(first=whole, second=side)).shared == shared


def test_a_layer_is_read_of_as_many_sentences_as_the_limit_says_with_progress(open_dated, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SENTENCES_READ", "6")
    workspace, reports = open_dated(["1850"] * 12, ["1900"] * 12), []
    result = change.compute(workspace, replace(BANK, space="2"), lambda *told: reports.append(told[:2]))
    assert (result.change.first, result.change.second, result.everything) == (6, 6, (12, 12))
    assert reports == [(0, 6), (0, 6)]
