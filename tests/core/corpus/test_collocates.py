"""Collocates are those that a loop over every token counts; by sense they are told apart; keyness is symmetric; bad input is a sentence."""

from collections import Counter

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from core.common.errors import BadInput
from core.corpus.concordance import WIDEST, by_sense, collocates, label_of, lines, near, with_word_near
from core.corpus.encoded import EncodedCorpus, encode
from core.corpus.measures import keywords, log_dice
from core.corpus.search import LEMMA, WORD, find
from core.text.corpora import open_corpus
from core.text.sentences import Sentence, Target


@pytest.fixture(scope="module")
def ours() -> EncodedCorpus:
    return encode(open_corpus("sentences"))


def counted(corpus: EncodedCorpus, query: str, kind: str, window: int) -> tuple[Counter, int]:
    """Word -> its tokens within the window of a hit, each once, no hit's own; and how many tokens that are, by looking at all of them."""
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


def test_measures_are_of_these_counts(ours):
    hits = find(ours, "bank", kind=LEMMA)
    around, _, _ = near(ours, hits, 5)
    own = Counter(ours.word_list[k] for k in ours.word[hits.first])
    rest = len(ours) - len(hits) - len(around)
    for item in collocates(ours, hits):
        assert item.frequency == len(find(ours, item.word))
        assert item.pairs <= min(item.together, len(hits)) and item.log_dice == log_dice(item.pairs, len(hits), item.frequency)
        elsewhere = item.frequency - item.together - own[item.word]
        table = [[item.together, elsewhere], [len(around) - item.together, rest - elsewhere]]
        expected = chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic
        assert item.log_likelihood == pytest.approx(expected if item.together * rest >= elsewhere * len(around) else 0)


def corpus_of(*texts: str) -> EncodedCorpus:
    return encode([Sentence(tuple(text.split())) for text in texts])


def test_a_token_counts_once_where_hits_meet_or_overlap_and_hits_do_not_count():
    corpus = corpus_of("bank x bank bank y")
    items = collocates(corpus, find(corpus, "bank"), minimum=1)
    assert sorted((item.word, item.together, item.left, item.right) for item in items) == [("x", 1, 0, 1), ("y", 1, 0, 1)]
    corpus = corpus_of(*["ha ha ha ha ha bank river"] * 6, *["river river water water ha boat"] * 20)
    # 162 tokens: 30 in hits, 12 near (bank and river 6 each), and 120 others with 40 of river and none of bank
    g2 = {item.word: item.log_likelihood for item in collocates(corpus, find(corpus, "ha ha"), minimum=1)}
    tables = {"river": [[6, 40], [6, 80]], "bank": [[6, 0], [6, 120]]}
    assert g2 == pytest.approx(
        {word: chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic for word, table in tables.items()}
    )


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


def test_by_sense_each_sense_is_reported_by_its_own_words():
    def sentence(words: str, sense: str) -> Sentence:
        tokens = tuple(words.split())
        return Sentence(tokens, (Target(tokens.index("bank"), "bank", sense, "bank"),))

    river = ["the bank of a muddy river", "a river bank", "by the river bank"]
    money = ["the bank lent money", "my money is in the bank", "money of the bank"]
    corpus = encode([*(sentence(text, "river") for text in river), *(sentence(text, "money") for text in money)])
    hits = find(corpus, "bank")
    lists = by_sense(corpus, hits, label_of(corpus, hits), minimum=2)
    named = {corpus.senses[k]: words for k, words in lists.items()}
    assert [(named[sense][0].word, named[sense][0].n, named[sense][0].elsewhere) for sense in named] == [(sense, 3, 0) for sense in named]
    assert named["money"][0].z > 0 and "river" not in {word.word for word in named["money"]}


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
        table = [[a, b], [len(first) - a, len(second) - b]]
        assert (item.first, item.second) == (a, b)
        assert item.log_likelihood == pytest.approx(chi2_contingency(table, correction=False, lambda_="log-likelihood").statistic)
        assert (item.log_ratio > 0) == (a / len(first) > b / len(second))
        assert item.first_per_million == pytest.approx(1e6 * a / len(first))
