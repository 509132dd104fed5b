"""Collocates by the groups that the model finds: real groups of a text without labels, a column each, every word opening its lines."""

import json

import numpy as np
import pytest

from core.cli.main import main
from core.common.errors import BadInput
from core.text import own_corpus
from core.views import concordance, induction
from core.views.concordance import GROUPS, CollocatesRequest, ConcordanceRequest, KeynessRequest
from core.views.induction import InductionRequest
from core.workbench import Bench, open_bench
from tests.core.corpus import two_texts

RIVER, MONEY = {"grassy", "muddy", "grew", "reeds", "boat", "drifted"}, {"lent", "loan", "refused", "sum", "large"}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory) -> str:
    return two_texts.dated(tmp_path_factory.mktemp("text"))


@pytest.fixture(scope="module")
def bench(corpus) -> Bench:
    return open_bench(corpus=corpus)


@pytest.fixture(scope="module")
def columns(bench) -> tuple[concordance.SenseColumn, ...]:
    return concordance.collocates(bench, CollocatesRequest(query="bank", senses=GROUPS, minimum=3, grammar=False)).senses


def test_each_group_found_is_a_column_of_its_own_words(bench, columns):
    result = induction.compute(bench, InductionRequest(word="bank"))
    assert [column.sense for column in columns] == list(result.groups.names)
    assert [column.n for column in columns] == np.bincount(result.groups.of).tolist()
    assert sum(column.n for column in columns) == 32
    of = {word.word: column.sense for column in columns for word in column.words[:4]}
    river, money = ({of[word] for word in words if word in of} for words in (RIVER, MONEY))
    assert river and money
    assert not river & money  # no group is both the river's and the money's
    for column in columns:
        assert all(a.z >= b.z > 0 for a, b in zip(column.words, column.words[1:], strict=False))


def test_each_word_of_a_column_opens_its_lines(bench, columns):
    for column in columns:
        every = concordance.concordance(bench, ConcordanceRequest(query="bank", sense=column.sense, senses=GROUPS, number=50))
        assert every.n == column.n
        for word in column.words:
            request = ConcordanceRequest(query="bank", near=word.word, sense=column.sense, senses=GROUPS, number=50)
            lines = concordance.concordance(bench, request)
            assert lines.n == word.here  # once a sentence here
            elsewhere = concordance.concordance(bench, ConcordanceRequest(query="bank", near=word.word, number=50))
            assert elsewhere.n == word.here + word.elsewhere
            assert {line.sentence for line in lines.lines} <= {line.sentence for line in every.lines}
            for line in lines.lines:
                assert word.word in [token.casefold() for token in (*line.left[-5:], *line.right[:5])]


def test_sorted_by_group_the_lines_of_one_stand_together(bench, columns):
    request = ConcordanceRequest(query="bank", order="sense", senses=GROUPS)
    hits = concordance.hits_of(bench, request)
    of, names = concordance.senses_of(bench, "bank", hits, GROUPS)
    assert names == [column.sense for column in columns]
    assert (np.diff(of) >= 0).all()


def test_a_group_that_is_none_and_a_word_too_rare_for_groups_are_named(bench):
    with pytest.raises(BadInput, match=r"No sense .nowhere. of this word here\. It has: "):
        concordance.concordance(bench, ConcordanceRequest(query="bank", sense="nowhere", senses=GROUPS))
    with pytest.raises(BadInput, match="too few to look for meanings in"):
        concordance.collocates(bench, CollocatesRequest(query="church", senses=GROUPS))


def test_the_command_writes_the_same_columns(corpus, columns, capsys):
    assert main(["corpus", "collocates", "bank", "--corpus", corpus, "--senses", "groups", "--content", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [(column["sense"], column["n"]) for column in facts["senses"]] == [(column.sense, column.n) for column in columns]
    assert [word["word"] for word in facts["senses"][0]["words"]] == [word.word for word in columns[0].words]


def test_a_word_is_a_keyword_of_no_corpus_that_lacks_it():
    kept = own_corpus.keep_text("bank", "mine")
    result = concordance.keyness(open_bench(corpus=kept.name), KeynessRequest(most=10_000))
    assert [word.word for word in result.first] == ["bank"]
    assert all(word.first for word in result.first) and all(word.second for word in result.second)
