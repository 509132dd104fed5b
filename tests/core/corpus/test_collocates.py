"""Collocates are those that a loop over every token counts, and keyness is the G test of two counts."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from core.common.errors import BadInput
from core.corpus.concordance import WIDEST, by_sense, collocates, label_of, lines, near, with_word_near
from core.corpus.encoded import EncodedCorpus, encode
from core.corpus.measures import keywords
from core.corpus.search import LEMMA, WORD, find
from core.text.corpora import open_corpus
from core.text.sentences import Sentence


@pytest.fixture(scope="module")
def ours() -> EncodedCorpus:
    return encode(open_corpus("sentences"))


def counted(corpus: EncodedCorpus, query: str, kind: str, window: int) -> tuple[Counter, int]:
    """Return the number of each word's tokens within the window of a hit, each once and no hit's own, and their sum."""
    own, near_by = set(), set()
    for line in lines(corpus, find(corpus, query, kind=kind), 0, 100_000):
        own |= {(line.sentence, k) for k in range(line.first, line.end)}
        span = [*range(line.first - window, line.first), *range(line.end, line.end + window)]
        near_by |= {(line.sentence, k) for k in span if 0 <= k < len(line.tokens)}
    near_by -= own
    return Counter(corpus.tokens(sentence)[k].casefold() for sentence, k in near_by), len(near_by)


@pytest.mark.parametrize(
    ("query", "kind", "window"), [("bank", WORD, 1), ("the", WORD, 3), ("of the", WORD, 10), ("go", LEMMA, 5), ("n't", WORD, 2)]
)
def test_counts_are_those_of_a_loop_over_all_tokens(ours, query, kind, window):
    expected, n = counted(ours, query, kind, window)
    items = collocates(ours, find(ours, query, kind=kind), window=window, minimum=1)
    assert {item.word: item.together for item in items} == {w: c for w, c in expected.items() if any(map(str.isalpha, w))}
    assert all(item.left + item.right == item.together for item in items) and len(near(ours, find(ours, query, kind=kind), window)[0]) == n
    assert [item.log_dice for item in items] == sorted((item.log_dice for item in items), reverse=True)


def log_likelihood(a: int, b: int, n: int, m: int) -> float:
    return chi2_contingency([[a, b], [n - a, m - b]], correction=False, lambda_="log-likelihood").statistic


def corpus_of(*texts: str) -> EncodedCorpus:
    return encode([Sentence(tuple(text.split())) for text in texts])


def test_a_token_counts_once_where_hits_meet_or_overlap_and_hits_do_not_count():
    corpus = corpus_of("bank x bank bank y")
    items = collocates(corpus, find(corpus, "bank"), minimum=1)
    assert sorted((item.word, item.together, item.left, item.right) for item in items) == [("x", 1, 0, 1), ("y", 1, 0, 1)]
    corpus = corpus_of(*["ha ha ha ha ha bank river boat"] * 6, *["river water boat boat ha boat"] * 20)
    # 168 tokens: 30 in hits, 18 near (bank, river and boat 6 each), and 120 others with 20 of river, 60 of boat and none of bank
    g2 = {item.word: item.log_likelihood for item in collocates(corpus, find(corpus, "ha ha"), minimum=1)}
    for word, elsewhere in (("river", 20), ("bank", 0)):
        assert g2[word] == pytest.approx(log_likelihood(6, elsewhere, 18, 120))
    assert g2["boat"] == 0  # of which there are fewer than elsewhere


@pytest.mark.parametrize(
    ("sentences", "pairs", "dice"),
    [
        (["tea tea bank tea tea ."] * 10, 10, 14 + np.log2(2 * 10 / 50)),  # a hit counts the word once
        (["bank tea bank"] * 4, 4, 14 + np.log2(2 * 4 / 12)),  # a token counts for one hit
        *((["bank tea bank tea bank"], 2, 14 + np.log2(2 * 2 / 5)), (["strong tea and bank"] * 7, 7, 14)),
        (["bank tea here", "a bank tea", "bank men drink"], 2, 14 + np.log2(2 * 2 / 5)),
        (["tea bank"] * 3 + ["tea"] * 3 + ["bank"] * 6, 3, 14 + np.log2(2 * 3 / 15)),
    ],
)
def test_log_dice_is_at_most_14_however_often_a_word_is_near(sentences, pairs, dice):
    corpus = corpus_of(*sentences)
    tea = next(item for item in collocates(corpus, find(corpus, "bank"), minimum=1) if item.word == "tea")
    assert (tea.pairs, tea.log_dice) == (pairs, pytest.approx(dice))


def test_a_near_word_is_read_as_a_query_is():
    corpus = corpus_of("The Bank lends MONEY .", "a café bank .", "a bank of grass \u2060이 .")
    hits = find(corpus, "bank")
    for word, n in (("money", 1), ("Money", 1), (" MONEY ", 1), ("cafe\u0301", 1), ("Café", 1), ("이", 1), ("\u2060이", 1), ("gold", 0)):
        assert with_word_near(corpus, hits, word, 5).sum() == n, word
    corpus = corpus_of("New York has a bank .", "a bank in New York .", "New bank York", "bank .", "New York")
    hits = find(corpus, "bank")
    for query, window, near_by in (  # a phrase is near within the window and the sentence
        *(("new york", 3, [True, True, False, False]), ("New York", 2, [False, True, False, False])),
        *(("york", 1, [False, False, True, False]), ("yo*", 5, [True, True, True, False])),
    ):
        assert with_word_near(corpus, hits, query, window).tolist() == near_by, query


def test_one_sense_a_wide_window_and_a_corpus_without_words_are_refused(ours):
    hits = find(ours, "the")
    with pytest.raises(BadInput, match=r"Two senses are needed: this word has 0 with sentences here\."):
        by_sense(ours, hits, label_of(ours, hits))
    for window in (0, WIDEST + 1):
        with pytest.raises(BadInput, match=rf"A window of {window} words; choose 1 to 10\."):
            collocates(ours, hits, window=window)
    with pytest.raises(BadInput, match="A corpus without words cannot be compared"):
        keywords(ours, encode([]))


def test_words_can_be_left_out_and_many_hits_or_none_have_their_collocates(ours):
    every, content = ({item.word for item in collocates(ours, find(ours, "bank"), without=words)} for words in ((), {"the"}))
    assert "the" in every and content == every - {"the"}
    assert collocates(ours, find(ours, "otterhound"), minimum=1) == []
    corpus = corpus_of(*["the bank"] * 10_000)
    (item,) = collocates(corpus, find(corpus, "the"))
    assert (item.together, item.log_dice, item.log_likelihood) == (10_000, 14, 0)  # nothing is left to compare with


def test_keyness_is_the_g_test_of_the_two_counts_and_the_other_way_round_only_turns_signs():
    sentences = open_corpus("sentences")
    first, second = encode(sentences[:1200]), encode(sentences[1200:])
    forth, back = keywords(first, second), {item.word: item for item in keywords(second, first)}
    assert forth and len(forth) == len(back)
    for item in forth:
        assert back[item.word].log_ratio == pytest.approx(-item.log_ratio) and back[item.word].p == pytest.approx(item.p)
    for item in forth[:40]:
        a, b = len(find(first, item.word)), len(find(second, item.word))
        assert (item.first, item.second) == (a, b)
        assert item.log_likelihood == pytest.approx(log_likelihood(a, b, len(first), len(second)))
        assert (item.log_ratio > 0) == (a / len(first) > b / len(second))
