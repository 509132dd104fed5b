"""Test lines, collocates and keywords of a corpus, by the groups that the model finds among others."""

import json
from itertools import pairwise

import numpy as np
import pytest

from core.common.errors import BadInput
from core.corpus.concordance import BY_SENSE, BY_SUBSTITUTES
from core.views import concordance, induction, substitutes
from core.views.concordance import GROUPS, LABELS, CollocatesRequest, ConcordanceRequest, KeynessRequest
from core.workspace import Workspace
from tests.tiny import write_dated_text

RIVER, MONEY = {"grassy", "muddy", "grew", "reeds", "boat", "drifted"}, {"lent", "loan", "refused", "sum", "large"}


@pytest.fixture(scope="module")
def workspace(workspace, tmp_path_factory) -> Workspace:
    return workspace.with_corpus(write_dated_text(tmp_path_factory.mktemp("text")))


@pytest.fixture(scope="module")
def bundled(workspace) -> Workspace:
    return workspace.with_corpus("")


@pytest.fixture(scope="module")
def columns(workspace) -> tuple[concordance.SenseColumn, ...]:
    return concordance.collocates(workspace, CollocatesRequest(query="bank", senses=GROUPS, minimum=3, grammar=False)).senses


def test_each_group_found_is_a_column_of_its_own_words_and_lines_sorted_by_group_are_in_that_order(workspace, columns):
    result = induction.compute(workspace, induction.InductionRequest(word="bank"))
    assert [column.sense for column in columns] == list(result.groups.names)
    assert [column.n for column in columns] == np.bincount(result.groups.numbers).tolist()
    of = {word.word: column.sense for column in columns for word in column.words[:4]}
    river, money = ({of[word] for word in words if word in of} for words in (RIVER, MONEY))
    assert river and money and not river & money  # no group is both the river's and the money's
    assert all(a.z >= b.z > 0 for column in columns for a, b in pairwise(column.words))
    hits = concordance.hits_of(workspace, ConcordanceRequest(query="bank", order="sense", senses=GROUPS))
    of, names = concordance.senses_of(workspace, "bank", hits, GROUPS)
    assert names == [column.sense for column in columns] and (np.diff(of) >= 0).all()


def test_each_word_of_a_column_opens_its_lines(workspace, columns):
    def lines(**conditions):
        return concordance.concordance(workspace, ConcordanceRequest(query="bank", number=50, **conditions))

    for column in columns:
        every = lines(sense=column.sense, senses=GROUPS)
        assert every.n == column.n
        for word in column.words:
            own = lines(near=word.word, sense=column.sense, senses=GROUPS)
            assert (own.n, lines(near=word.word).n) == (word.n, word.n + word.elsewhere)  # once a sentence here
            assert {line.sentence for line in own.lines} <= {line.sentence for line in every.lines}


def test_a_group_that_is_none_and_a_word_too_rare_for_groups_are_named(workspace):
    with pytest.raises(BadInput, match=r"No sense .nowhere. of this word here\. It has: "):
        concordance.concordance(workspace, ConcordanceRequest(query="bank", sense="nowhere", senses=GROUPS))
    with pytest.raises(BadInput, match="Too few sentences to look for meanings in"):
        concordance.collocates(workspace, CollocatesRequest(query="church", senses=GROUPS))


@pytest.fixture(scope="module")
def open_rows(bundled, tmp_path_factory):
    def opened(*rows: tuple[str, str, str, int]) -> Workspace:
        path = tmp_path_factory.mktemp("rows") / "rows.jsonl"
        lines = [{"text": text, "document": name, **({"date": date} if date else {})} for name, date, text, n in rows for _ in range(n)]
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
        return bundled.with_corpus(str(path))

    return opened


def test_figures_of_chosen_documents_are_of_these_alone(open_rows):
    workspace = open_rows(("a", "", "the bank is here now.", 50), ("b", "", "nothing of it is here.", 50))
    assert concordance.concordance(workspace, ConcordanceRequest(query="bank", documents=("a",))).deviation == pytest.approx(0, abs=1e-9)
    workspace = open_rows(("a", "1990", "strong bank here now today.", 10), ("b", "1990", "strong bank here now today.", 90))
    part = concordance.concordance(workspace, ConcordanceRequest(query="bank", documents=("a",)))
    assert (part.n, part.tokens, part.dates, part.documents) == (10, 60, (("1990", 10, 60),), (("a", 10, 60),))
    result = concordance.collocates(workspace, CollocatesRequest(query="bank", documents=("a",)))
    strong = next(item for item in result.items if item.word == "strong")
    assert (result.tokens, strong.frequency, strong.together, strong.log_dice) == (60, 10, 10, 14)
    with pytest.raises(BadInput, match=r"No document is called “nosuch”\. Choose from: a, b\."):
        concordance.collocates(workspace, CollocatesRequest(query="bank", documents=("nosuch",)))


def test_lines_of_chosen_documents_are_theirs_in_every_order(open_rows):
    workspace = open_rows(("a", "", "A bank lent money.", 3), ("b", "", "The river bank.", 4), ("c", "", "Zebras bank left.", 2))
    for order in ("text", "left", "right2", "source", "random", "substitutes"):
        request = ConcordanceRequest(query="bank", documents=("b", "c"), order=order)
        lines = concordance.HitLines(workspace, request, concordance.hits_of(workspace, request)).lines(0, 10)
        assert sorted(line.document for line, *_ in lines) == ["b"] * 4 + ["c"] * 2, order


def test_what_a_search_without_hits_lacks_is_named(open_rows):
    workspace = open_rows(("a", "", "A bank lent money.", 3), ("b", "", "A river.", 4))
    for query, near, limits in (
        *(("bank", "Money", []), ("bank", "gold", ["“gold” does not occur."]), ("otter", "money", ["“otter” does not occur."])),
        *(("otter", "", ["“otter” does not occur."]), ("bank", "river", ["No occurrence of “bank” meets all conditions."])),
    ):
        result = concordance.concordance(workspace, ConcordanceRequest(query=query, near=near))
        assert result.n == (0 if limits else 3) and concordance.describe_limits(result) == limits


def test_sorted_lines_say_their_sense_slice_by_slice_or_their_likeliest_substitutes(bundled):
    request = concordance.with_senses(bundled, ConcordanceRequest(query="bank", order=BY_SENSE))
    hits = concordance.hits_of(bundled, request)
    _, names = concordance.senses_of(bundled, "bank", hits, LABELS)
    lines = concordance.HitLines(bundled, request, hits)
    shown = lines.lines(0, 8) + lines.lines(8, len(lines))
    assert all(line.sense == names[k] and said.endswith(line.sense) for line, said, k in shown if k >= 0)
    known = [k for *_, k in shown if k >= 0]
    assert request.senses == LABELS and known == sorted(known) and set(known) == set(range(len(names)))
    request = ConcordanceRequest(query="heron", order=BY_SUBSTITUTES)
    (line, said, _), *_ = concordance.HitLines(bundled, request, concordance.hits_of(bundled, request)).lines(0, 1)
    words = bundled.words(f"{line.before} {line.hit} {line.after}", positions=[line.first])
    (answer,) = substitutes.compute(bundled, substitutes.SubstitutesRequest(words=words))
    assert said == ", ".join(item.word for item in answer.substitutes[: concordance.SHOWN])


def test_sentences_that_no_bar_holds_are_counted(open_rows):
    workspace = open_rows(("a", "c. 1850", "A bank.", 3), ("a", "n.d.", "A bank.", 2), ("a", "", "A bank.", 1))
    result = concordance.concordance(workspace, ConcordanceRequest(query="bank"))
    assert (result.dates, result.undated, result.sentences) == ((("c. 1850", 3, 9),), 3, 6)
    assert concordance.describe_limits(result) == ["Without a readable date (such as “n.d.”), so in no time span: 3 of 6 sentences."]
    workspace = open_rows(("a", "1850", "A bank.", 3), ("a", "1851", "A bank.", 3), ("a", "19th century", "A bank.", 2))
    result = concordance.concordance(workspace, ConcordanceRequest(query="bank"))
    assert concordance.describe_limits(result) == ["Sentences in no bar because their dates fit none: 2."]


def test_a_model_sorts_as_many_sentences_as_the_limit_says(open_rows, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_SENTENCES_READ", "5")
    workspace, reports = open_rows(("a", "", "A bank lent money.", 6), ("b", "", "The river bank.", 4)), []
    result = concordance.concordance(workspace, ConcordanceRequest(query="bank", order="substitutes"), lambda *at: reports.append(at[:2]))
    assert (result.n, result.in_order, reports) == (10, 5, [(0, 5)])
    assert "Only the first 5 of 10 are sorted; the others follow in text order." in concordance.describe_limits(result)
    assert [line.document for line in result.lines][5:] == ["a"] + ["b"] * 4


def test_shared_sentences_count_for_one_corpus_of_keyness(bundled, tmp_path):
    small, large = tmp_path / "small.txt", tmp_path / "large.txt"
    own, other = [f"A bank lent number {k} money." for k in range(9)], [f"The river {k} has reeds." for k in range(20)]
    small.write_text("\n".join(own), "utf-8")
    large.write_text("\n".join(own + other), "utf-8")
    for first, second, reduced in ((small, large, 1), (large, small, 0)):
        result = concordance.keyness(bundled.with_corpus(str(first)), KeynessRequest(against=str(second), minimum=1))
        assert (result.shared, result.reduced) == (9, reduced)
        bank = next(word for word in (*result.first, *result.second) if word.word == "bank")
        assert {bank.first, bank.second} == {9, 0}
    (tmp_path / "copy.txt").write_text(small.read_text("utf-8"), "utf-8")
    with pytest.raises(BadInput, match="Both corpora have the same sentences"):
        concordance.keyness(bundled.with_corpus(str(small)), KeynessRequest(against=str(tmp_path / "copy.txt")))
