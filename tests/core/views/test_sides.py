"""The sentences of two sides: by dates however they are written, no sentence on both, joined Korean pieces by their word."""

import csv
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from core.common.errors import BadInput
from core.views import change
from core.views.change import ChangeRequest, RankRequest
from core.views.sides import Side, choose, dates_of, facts_of, split_at
from core.workspace import Workspace, open_workspace

RIVER = [
    "We sat on the bank {k} and watched boats.",
    "The river bank {k} was muddy after rain.",
    "Reeds grew along the bank {k} of the stream.",
]
MONEY = ["The bank {k} lent money to the farmers.", "She paid the check {k} into her bank.", "A bank {k} raised its rates again."]


def sentences(frames: list[str], n: int) -> list[str]:
    return [frames[k % len(frames)].format(k=f"number {k}") for k in range(n)]


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A table of sentences with their dates: those of each date in turn."""

    def written(river: list[str], money: list[str]) -> str:
        path = tmp_path_factory.mktemp("table") / "dated.csv"
        rows = [*zip(river, sentences(RIVER, len(river)), strict=True), *zip(money, sentences(MONEY, len(money)), strict=True)]
        with path.open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("date", "text"), *rows])
        return str(path)

    return written


def sizes(workspace: Workspace, first: Side, second: Side) -> tuple[int, int]:
    return tuple(int(mask.sum()) for mask in choose(workspace, first, second).masks)


@pytest.mark.parametrize(
    ("early", "late", "spans"),
    [
        ([f"{k}" for k in range(810, 816)], ["905", "950", "1010", "1020"], (("", "899"), ("900", ""))),
        ([f"0{k}" for k in range(810, 816)], ["0905", "0950", "1010", "1020"], (("", "0899"), ("0900", ""))),
        (
            ["1830", "c. 1831", "ca. 1832", "[1833]", "1834?", "circa 1835"],
            ["1950", "195-", "1950s", "c1955"],
            (("1800", "1899"), ("1900", "1999")),
        ),
        ([f"{k:02d}/02/1850" for k in range(1, 7)], [f"{k}.2.1950" for k in range(1, 5)], (("1850", "1899"), ("1900", "1999"))),
        (
            ["Jan 1850", "12 May 1850", "May 12, 1850", "1850-05-12T00:00:00Z", "1850.0", "Spring 1850"],
            ["1950년", "1950년 5월 3일", "May 1950", "1950"],
            (("", "1899"), ("1900", "")),
        ),
        (
            ["44 BC", "1st century BC", "500-400 BC", "c. 44 BC", "-44", "기원전 1세기"],
            ["AD 14", "14 AD", "2nd century", "0014"],
            (("", "1 BC"), ("AD 1", "")),
        ),
        (
            ["1850-05-01", "3 May 1850", "May 1850", "1850-05-31", "5/1850", "1850년 5월"],
            ["1 June 1850", "1850-06", "July 1850", "1850-12-31"],
            (("", "1850-05"), ("June 1850", "")),
        ),
    ],
)
def test_texts_are_on_the_side_of_their_date_however_it_is_written(table, early, late, spans):
    workspace = open_workspace(corpus=table(early, late))
    first, second = (Side(start=start, end=end) for start, end in spans)
    assert sizes(workspace, first, second) == (6, 4)
    assert not choose(workspace, first, second).left_out.describe()


def test_dates_that_cannot_be_placed_are_counted_and_reported(table):
    corpus = table(["1830"] * 6 + ["n.d."] * 4 + ["12/05/50"] * 2, ["1950"] * 6 + ["1895–1905"] * 3 + ["19th century"])
    workspace = open_workspace(corpus=corpus)
    chosen = choose(workspace, Side(start="1820", end="1899"), Side(start="1900"))
    assert [int(mask.sum()) for mask in chosen.masks] == [6, 6]
    assert chosen.left_out.describe() == [
        "6 of 22 sentences have no readable date (such as “12/05/50”) and are in no time span.",
        "4 of 22 sentences have a date only partly within a side (such as “1895–1905”) and are left out.",
    ]
    result = change.compute(workspace, ChangeRequest(word="bank", first=Side(start="1820", end="1899"), second=Side(start="1900")))
    assert (result.change.first, result.change.second, result.left_out) == (6, 6, chosen.left_out)


@pytest.mark.parametrize(
    ("dates", "side", "message"),
    [
        (["n.d.", "s.d."], Side(end="1899"), "has no date that can be read, such as “n.d.”"),
        (
            ["1850", "n.d."],
            Side(end="1799"),
            "No text from … to 1799; dates run from 1850 to 1850. 6 of 12 sentences have no readable date",
        ),
        (["1850", "1950"], Side(end="50"), "“50” is no date. Write it as 1850, 1850-06, 0850 or 44 BC."),
        (["1850", "1950"], Side(start="soon"), "“soon” is no date"),
    ],
)
def test_a_side_without_texts_says_why(table, dates, side, message):
    workspace = open_workspace(corpus=table(dates[:1] * 6, dates[1:] * 6))
    with pytest.raises(BadInput, match=message):
        choose(workspace, side, Side(start="1900"))


def test_a_sentence_is_on_one_side_alone(table):
    corpus = table(["1850"] * 12, ["1900"] * 12)
    workspace = open_workspace(corpus=corpus)
    apart = change.compute(workspace, ChangeRequest(word="bank", first=Side(end="1899"), second=Side(start="1900")))
    overlapping = change.compute(
        workspace, ChangeRequest(word="bank", first=Side(start="1850", end="1900"), second=Side(start="1900", end="1950"))
    )
    assert (overlapping.change.first, overlapping.change.second) == (12, 12)
    assert overlapping.change.p == apart.change.p <= 0.01
    assert overlapping.left_out.describe() == ["12 sentences are on both sides and count on the second alone."]
    part = change.compute(workspace, ChangeRequest(word="bank", first=Side(start="1900"), second=Side()))
    assert part.left_out.describe() == ["12 sentences are on both sides and count on the first alone."]
    assert part.change.p == pytest.approx(apart.change.p, abs=0.005)
    with pytest.raises(BadInput, match="Both sides are the same texts"):
        choose(workspace, Side(start="1800"), Side(end="1950"))
    ranked = change.rank(change.read(workspace, Side(end="1900"), Side(start="1900")), RankRequest(at_least=12))
    assert all(each.change.first + each.change.second <= 24 for each in ranked)


def test_a_copy_or_a_part_of_a_text_is_that_text(table, tmp_path):
    corpus = table(["1850"] * 12, ["1900"] * 12)
    workspace = open_workspace(corpus=corpus)
    shutil.copy(corpus, copy := tmp_path / "copy.csv")
    with pytest.raises(BadInput, match="Both sides are the same texts"):
        choose(workspace, Side(), Side(corpus=str(copy)))
    (part := tmp_path / "part.txt").write_text("\n".join(sentences(MONEY, 12)), "utf-8")
    chosen = choose(workspace, Side(), Side(corpus=str(part)))
    assert (chosen.left_out.shared, chosen.left_out.reduced, int(chosen.masks[0].sum())) == (12, 0, 12)
    (other := tmp_path / "other.txt").write_text(
        "\n".join([*sentences(MONEY, 3), *sentences(RIVER, 6), *(f"Sheep {k}." for k in range(30))]), "utf-8"
    )
    assert choose(workspace, Side(), Side(corpus=str(other))).left_out.shared == 0  # some sentences in common do not make one text
    (longer := tmp_path / "longer.csv").write_text(Path(corpus).read_text("utf-8") + "1950,More of a bank.\n", "utf-8")
    chosen = choose(workspace, Side(end="1899"), Side(corpus=str(longer), start="1900"))  # of one text, but no sentence is on both sides
    assert (chosen.left_out.shared, [int(mask.sum()) for mask in chosen.masks]) == (0, [12, 13])


def test_a_joined_korean_piece_is_found_on_both_sides(tmp_path):
    path = tmp_path / "ko.jsonl"
    rows = [{"text": f"눈이 {k}번 왔다.", "date": year} for year in ("1850", "1900") for k in range(8)]
    path.write_text("\n".join(json.dumps(row) for row in rows), "utf-8")
    workspace = open_workspace("elmo-ko-mini", corpus=str(path))
    for space in ("2", "senses"):
        result = change.compute(workspace, ChangeRequest(word="이", first=Side(end="1899"), second=Side(start="1900"), space=space))
        assert (result.change.first, result.change.second) == (8, 8)
    assert change.control(workspace, ChangeRequest(word="이", first=Side(end="1899"), second=Side(start="1900"))) is not None


def test_dates_of_a_page_are_years_and_within_one_year_days(table):
    for early, late, known in (
        (["c. 1850", "1850s", "n.d."], ["44 BC", "before 1700"], ["44 BC", "1699", "1850"]),
        (["1850-05-12", "June 1850"], ["3 May 1850"], ["1850-05-03", "1850-05-12", "1850-06-01"]),
    ):
        corpus = table(early, late)
        workspace = open_workspace(corpus=corpus)
        assert dates_of(facts_of(workspace, corpus)) == known
        for start in known[1:]:
            first, second = choose(workspace, *split_at(corpus, start)).masks
            assert first.any() and second.any() and not (first & second).any()


def test_the_page_opens_on_the_most_frequent_word_that_both_sides_have(table):
    corpus = table(["1850"] * 12, ["1900"] * 12)
    workspace, sides = open_workspace(corpus=corpus), {"first": Side(end="1899"), "second": Side(start="1900")}
    for word, opened in (("bank", "bank"), ("Bank", "Bank"), ("zebra", "bank")):
        assert change.opening_word(workspace, ChangeRequest(word=word, **sides)) == opened
    few = open_workspace(corpus=table(["1850"] * 2, ["1900"] * 2))
    assert change.opening_word(few, ChangeRequest(word="bank", **sides)) == ""


def test_stretches_of_years_have_enough_sentences(table):
    workspace = open_workspace(corpus=table([str(1800 + k) for k in range(6)], [str(1900 + k) for k in range(6)]))
    result = change.compute(workspace, ChangeRequest(word="bank", first=Side(end="1899"), second=Side(start="1900")))
    assert [sum(band.counts) for band in result.bands] == [6, 6]  # of twelve years, the two sides
    assert len(result.names) == 2  # of twelve sentences
    assert change.describe_groups(result) == "12 sentences are few: the sense groups may be chance."
    workspace = open_workspace(corpus=table([str(1800 + k) for k in range(12)], [f"c. {1900 + k}" for k in range(12)]))
    bands = change.compute(workspace, ChangeRequest(word="bank", first=Side(end="1899"), second=Side(start="1900"))).bands
    assert [(band.name, sum(band.counts)) for band in bands] == [("1800–1805", 6), ("1806–1811", 6), ("1900–1905", 6), ("1906–1911", 6)]


def test_the_command_names_sides_and_senses_and_says_what_it_leaves_out(table, capsys, tmp_path):
    from core.cli.main import main

    corpus = table(["1850"] * 12 + ["n.d."] * 6, ["1900"] * 12)
    command = ["senses", "change", "--word", "bank", "--first", corpus, "--first-dates", "..1900", "--second-dates", "1900.."]
    assert main([*command, "--csv", str(tmp_path / "bands.csv")]) == 0
    printed = capsys.readouterr().out
    assert "6 of 30 sentences have no readable date (such as “n.d.”)" in printed
    assert "12 sentences are on both sides and count on the second alone." in printed
    assert "of like frequency" not in printed
    rows = list(csv.reader((tmp_path / "bands.csv").open(encoding="utf-8", newline="")))
    assert [row[0] for row in rows] == ["texts", "first: dated.csv …..1900", "second: dated.csv 1900..…"]
    assert all(rows[0]) and np.array(rows)[1:, 1:].astype(int).sum() == 24
    assert main([*command, "--like-frequency"]) == 0
    assert "words of like frequency" in capsys.readouterr().out


def test_compared_spaces_of_overlapping_texts_report_it(tmp_path):
    from core.views import compare
    from core.views.compare import CompareRequest, SpaceName

    texts = [*sentences(MONEY, 30), *sentences(RIVER, 30)]
    for name, lines in (("all", texts), ("part", texts[:40]), ("other", [line.replace("bank", "shore") for line in texts])):
        (tmp_path / f"{name}.txt").write_text("\n".join(lines), "utf-8")
    workspace = open_workspace(corpus=str(tmp_path / "all.txt"))
    for name, shared in (("part", 40), ("other", 0)):
        sides = (SpaceName("elmo-mini", "1", str(tmp_path / f"{each}.txt")) for each in ("all", name))
        assert compare.compute(workspace, CompareRequest(**dict(zip(("first", "second"), sides, strict=True)))).shared == shared


def test_a_layer_is_read_of_as_many_sentences_as_the_limit_says_with_progress(table, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SENTENCES_READ", "6")
    workspace, reports = open_workspace(corpus=table(["1850"] * 12, ["1900"] * 12)), []
    request = ChangeRequest(word="bank", first=Side(end="1899"), second=Side(start="1900"), space="2")
    result = change.compute(workspace, request, lambda *told: reports.append(told[:2]))
    assert (result.change.first, result.change.second, result.everything) == (6, 6, (12, 12))
    assert reports == [(0, 6), (0, 6)]
