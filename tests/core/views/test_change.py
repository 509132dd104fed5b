"""A word between two corpora and two spans of dates: what changed is found, what did not is not, what is wrong is said."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from core.cli.main import main
from core.common.errors import BadInput
from core.corpus import label_files, usage_graphs
from core.corpus.spread import Labels
from core.views import change, induction
from core.views.sides import Side
from tests.tiny import write_dated_text, write_two_texts


@pytest.fixture(scope="module")
def sides(tmp_path_factory) -> tuple[Side, Side]:
    first, second = write_two_texts(tmp_path_factory.mktemp("texts"))
    return Side(corpus=first), Side(corpus=second)


@pytest.fixture(scope="module")
def bank(workspace, sides):
    return change.compute(workspace, change.ChangeRequest(word="bank", first=sides[0], second=sides[1]))


def test_a_word_of_another_sense_has_changed_and_one_of_the_same_has_not(workspace, sides, bank):
    assert (bank.change.first, bank.change.second, bank.everything) == (16, 16, (16, 16))
    assert max(bank.change.p, bank.change.measures["apd"].p, bank.change.measures["prt"].p) <= 0.01
    assert {o.tokens[o.position].casefold() for o in bank.items} == {"bank"} and len(bank.names) == bank.groups.max() + 1 >= 2
    garden = change.compute(workspace, change.ChangeRequest(word="Garden", first=sides[0], second=sides[1]))  # each sentence is there twice
    assert garden.change.p > 0.5
    assert garden.change.measures["apd"].value == pytest.approx(garden.change.measures["apd"].null, abs=0.05)


def test_a_repeated_sentence_counts_once_on_a_side(workspace, sides, bank, tmp_path):
    repeated, index = tmp_path / "repeated.txt", tmp_path / "index"
    repeated.write_text("\n\n".join([Path(sides[0].corpus).read_text("utf-8")] * 3), "utf-8")
    assert main(["index", "build", "--corpus", str(repeated), "--output", str(index)]) == 0
    for first in map(str, (repeated, index)):
        both = Side(corpus=first), sides[1]
        result = change.compute(workspace, change.ChangeRequest(word="bank", first=both[0], second=both[1]))
        assert (result.change.first, result.everything, result.left_out.copies) == (16, (16, 16), 32)
        assert result.change.p == bank.change.p
        assert result.left_out.describe()[-1] == "Repeated sentences, counted once: 32."
    lists = [change.rank(change.read(workspace, first, sides[1]), at_least=8) for first in (both[0], sides[0])]
    assert len({tuple((item.word, item.change.first, item.change.p) for item in each) for each in lists}) == 1


def test_noise_of_a_usage_graph_is_in_no_group(workspace, bank, tmp_path):
    files = change.graph_files(bank)
    header, *rows = files["clusters.csv"].splitlines()
    noisy = [header, *(row.rsplit("\t", 1)[0] + "\t-1" if k % 4 == 0 else row for k, row in enumerate(rows))]
    (tmp_path / "uses.csv").write_text(files["uses.csv"], "utf-8")
    (tmp_path / "clusters.csv").write_text("\n".join(noisy), "utf-8")
    word, *corpora = usage_graphs.keep_sides(tmp_path / "uses.csv", tmp_path / "clusters.csv")
    first, second = (Side(corpus=name) for name in corpora)
    result = change.compute(workspace, change.ChangeRequest(word=word, first=first, second=second))
    assert result.labeled and set(result.names) == {str(group) for group in bank.groups.tolist()}
    assert change.graph_files(result)["clusters.csv"].count("\t-1") == 8 and [sum(band.counts) for band in result.bands] == [12, 12]
    assert change.describe_groups(result) == "Sentences without a label, in no group: 8."


def test_words_of_like_frequency_stand_next_to_it_and_the_list_has_what_changed_first(workspace, sides):
    control = change.control(workspace, change.ChangeRequest(word="bank", first=sides[0], second=sides[1]))
    assert "garden" in control.words and "bank" not in control.words
    assert control.below == len(control.words)  # nothing else changed as much
    assert change.control(workspace, change.ChangeRequest(word="unheard", first=sides[0], second=sides[1])) is None
    ranked = change.rank(change.read(workspace, *sides), at_least=8)
    assert ranked[0].word == "bank" and "garden" in [item.word for item in ranked]
    assert all(item.corrected >= item.change.p for item in ranked)
    with pytest.raises(BadInput, match="No word occurs 500 times on both sides"):
        change.rank(change.read(workspace, *sides), at_least=500)


def test_spans_of_dates_are_two_sides_and_bands_over_time(workspace, tmp_path):
    dated = write_dated_text(tmp_path)
    early, late = Side(corpus=dated, end="1849"), Side(corpus=dated, start="1850", end="1899")
    result = change.compute(workspace, change.ChangeRequest(word="bank", first=early, second=late))
    assert (result.change.first, result.change.second, result.change.shuffled) == (16, 16, "documents") and result.change.p <= 0.01
    assert len(result.bands) == 6 and result.bands[0].name.startswith("1840")  # of 32 sentences


def test_what_cannot_be_compared_is_reported(workspace, sides):
    for word, start, message in (
        ("bridge", "", "“bridge” is in 3 and 1 sentences; change needs 5 .* Choose another word, or add texts"),
        ("bank", "1800", "has no dates: add a date column"),
    ):
        with pytest.raises(BadInput, match=message):
            change.compute(workspace, change.ChangeRequest(word=word, first=replace(sides[0], start=start), second=sides[1]))


@pytest.mark.usefixtures("one_opener")
def test_the_command_reads_the_usage_graph_that_it_writes_and_its_judgments(sides, answer, tmp_path):
    both = ("--first", sides[0].corpus, "--second", sides[1].corpus)
    facts = answer("senses", "change", "--word", "bank", *both, "--graph", tmp_path)
    again = answer("senses", "change", "--uses", tmp_path / "uses.csv", "--clusters", tmp_path / "clusters.csv")
    assert again["groups_are_labels"] and again["first"] + again["second"] == 32
    assert again["measures"]["jsd"]["value"] == pytest.approx(facts["measures"]["jsd"]["value"], abs=1e-6)
    judgments = tmp_path / "judgments.csv"
    rows = judgments.read_text("utf-8").splitlines()
    second = [row.replace("elmoscope senses", "ann") for row in rows[1:]]
    second[0] = "\t".join([*second[0].split("\t")[:3], "3", "", "bank"])  # of many pairs one is judged otherwise
    judgments.write_text("\n".join([*rows, *second]) + "\n", "utf-8")
    judged = answer("senses", "change", "--uses", tmp_path / "uses.csv", "--judgments", judgments)["judgments"]
    assert judged["pairs"] == 32 * 31 / 2 and 0.9 < judged["alpha"] < 1 and judged["spearman"] > 0.3  # of one group are nearer
    assert answer("senses", "change", *both, "--at-least", 8)["words"][0]["word"] == "bank"


def test_a_wrong_command_is_one_sentence(sides, refused):
    both = ("--first", sides[0].corpus, "--second", sides[1].corpus)
    for words, message in (
        (("--judgments", sides[0].corpus, "--word", "bank"), "--judgments belong to a file of uses"),
        ((*both, "--first-dates", "1850", "--word", "bank"), "Write it as 1850..1899"),
        ((*both[:2], "--second-dates", "1890..1900..", "--word", "bank"), "'1890..1900..'. Write it as 1850..1899"),
        ((*both, "--graph", "x"), "name it with --word"),
    ):
        assert message in refused("senses", "change", *words)


@pytest.mark.usefixtures("one_opener")
def test_labels_spread_on_the_command_line(workspace, answer, tmp_path):
    items = induction.compute(workspace, induction.InductionRequest(word="bank")).occurrences.items
    gold = np.array([o.sense for o in items])
    chosen = [(int(k), sense) for sense in np.unique(gold) for k in np.flatnonzero(gold == sense)[:2]]
    paths = [tmp_path / "mine.jsonl", tmp_path / "hers.jsonl"]
    for path, given in zip(paths, (chosen, [*chosen[:-1], (chosen[-1][0], chosen[0][1])]), strict=True):
        path.write_text(label_files.format_labels("bank", label_files.tokens_of(items), Labels(tuple(given)), None), "utf-8")
    outputs = ("--output", tmp_path / "all.jsonl", "--csv", tmp_path / "all.csv")
    facts = answer("senses", "spread", "--word", "bank", "--labels", paths[0], "--second", paths[1], *outputs)
    right = [row["sense"] == sense for row, sense in zip(facts["sentences"], gold, strict=True)]
    assert np.mean(right) >= 0.9 and facts["alpha"] < 1 and len(facts["doubtful"]) == 10
    assert [len(path.read_text("utf-8").splitlines()) for path in outputs[1::2]] == [len(gold), len(gold) + 1]


def test_groups_are_as_many_as_asked_and_nothing_is_compared_while_texts_are_read(workspace, sides, monkeypatch):
    request = change.ChangeRequest(word="bank", first=sides[0], second=sides[1], number=3)
    assert change.compute(workspace, request).groups.max() == 2
    monkeypatch.setattr(workspace.opener, "every_token", lambda *_: None)
    assert change.compute(workspace, replace(request, word="banked")) is None


def test_a_words_own_sentences_give_what_the_table_of_its_whole_corpus_gives(workspace, sides, bank, tmp_path, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(workspace.opener, "every_token", lambda *_: pytest.fail("a whole corpus was read"))
        alone = change.compute(workspace, change.ChangeRequest(word="garden", first=sides[0], second=sides[1], space="1"))
    tables = [Side(corpus=str(tmp_path / name)) for name in ("one", "two")]
    for side, indexed in zip(sides, tables, strict=True):
        assert main(["index", "build", "--corpus", side.corpus, "--output", indexed.corpus]) == 0
    for word, space, of in (("bank", "senses", bank), ("garden", "1", alone)):
        other = change.compute(workspace, change.ChangeRequest(word=word, first=tables[0], second=tables[1], space=space))
        assert [o.sentence for o in of.items] == [o.sentence for o in other.items]
        assert (of.names, of.everything, of.groups.tolist()) == (other.names, other.everything, other.groups.tolist())
        assert of.change.measures["apd"].null == pytest.approx(other.change.measures["apd"].null, abs=1e-4)
