"""Search finds what a plain scan finds, sorts by context, and no pattern can run on for ever."""

import re
import time

import pytest

from core.common.errors import BadInput
from core.text.concordance import BY_LEFT, BY_RIGHT, Concordance, checked_pattern
from core.text.sentences import Sentence, read_sentences
from core.text.tokens import tokenize

TEXTS = {"a": ["The bank of the river.", "A bank lent the bank money.", "I don't bank on it."], "b": ["No river here.", "The Bank!"]}
SMALL = [Sentence(tuple(tokenize(text)), document=name) for name, texts in TEXTS.items() for text in texts]


@pytest.fixture(scope="module")
def ours() -> Concordance:
    sentences = read_sentences("assets/sentences.jsonl")
    return Concordance([Sentence(s.tokens, document=f"d{k % 7}") for k, s in enumerate(sentences)])


def scanned(found_in: Concordance, fits) -> list[tuple[int, int]]:
    """(sentence, position) of tokens whose case-folded spelling fits, by looking at every one of them."""
    return [(n, k) for n, s in enumerate(found_in.sentences) for k, token in enumerate(s.tokens) if fits(token.casefold())]


def places(found_in: Concordance, hits) -> list[tuple[int, int]]:
    return [(line.sentence, len(line.left)) for line in found_in.lines(hits, len(hits))]


@pytest.mark.parametrize("word", ["bank", "The", "SPRING", ",", "n't", "\N{SNOWMAN}"])
def test_a_search_finds_what_a_plain_scan_finds(ours, word):
    assert places(ours, ours.find(word)) == scanned(ours, lambda token: token == word.casefold())


@pytest.mark.parametrize("pattern", ["bank(s|ed)?", "[^aeiou]{3,5}", "(?:un|re).+ed", r"\d+", "b.{2}k", "colou?r"])
def test_a_pattern_finds_what_a_plain_scan_finds(ours, pattern):
    expected = scanned(ours, lambda token: re.fullmatch(pattern, token) is not None)
    assert places(ours, ours.find(pattern, pattern=True)) == expected


@pytest.mark.parametrize("phrase", ["of the", "on the bank", "the bank of the river", "did not", "It's"])
def test_a_phrase_is_found_within_sentences_only(ours, phrase):
    wanted = [token.casefold() for token in tokenize(phrase)]
    expected = [
        (n, k)
        for n, sentence in enumerate(ours.sentences)
        for k in range(len(sentence.tokens))
        if [token.casefold() for token in sentence.tokens[k : k + len(wanted)]] == wanted
    ]
    assert places(ours, ours.find(phrase)) == expected


def test_no_phrase_runs_over_the_end_of_a_sentence_or_of_the_corpus():
    found_in = Concordance([Sentence(("a", "b")), Sentence(("c",)), Sentence(()), Sentence(("a",))])
    assert [len(found_in.find(query)) for query in ("a b", "b c", "a b c", "a b c d e f", "c a")] == [1, 0, 0, 0, 0]


def test_a_query_is_split_as_texts_are_and_as_a_file_with_its_own_tokens_may_be():
    found_in = Concordance([Sentence(("do", "n't", "go")), Sentence(("don't", "go")), Sentence(("New York", "is"))])
    assert places(found_in, found_in.find("don't go")) == [(0, 0), (1, 0)]
    assert [line.words for line in found_in.lines(found_in.find("don't"), 9)] == [("do", "n't"), ("don't",)]
    assert [line.words for line in found_in.lines(found_in.find("new york"), 9)] == [("New York",)]


def test_lines_show_the_sentence_around_the_find_and_its_document():
    found_in = Concordance(SMALL)
    lines = found_in.lines(found_in.find("bank"), 99)
    assert [(line.document, line.sentence, line.words[0]) for line in lines] == [
        ("a", 0, "bank"),
        ("a", 1, "bank"),
        ("a", 1, "bank"),
        ("a", 2, "bank"),
        ("b", 4, "Bank"),
    ]
    assert (lines[2].left, lines[2].right) == (("A", "bank", "lent", "the"), ("money", "."))
    assert all((*line.left, *line.words, *line.right) == SMALL[line.sentence].tokens for line in lines)


def test_sorted_by_context_is_sorted_as_the_words_are(ours):
    hits = ours.find("the")
    lines = ours.lines(ours.ordered(hits, BY_RIGHT), len(hits))
    after = [tuple(token.casefold() for token in line.right[:4]) for line in lines]
    assert after == sorted(after) and len(lines) == len(hits)
    lines = ours.lines(ours.ordered(hits, BY_LEFT), len(hits))
    before = [tuple(token.casefold() for token in line.left[:-5:-1]) for line in lines]
    assert before == sorted(before)
    assert sorted(places(ours, ours.ordered(hits, BY_LEFT))) == places(ours, hits)


def test_documents_filter_and_their_counts_add_up(ours):
    hits = ours.find("bank")
    counts = ours.by_document(hits)
    assert sum(n for _, n, _ in counts) == len(hits) == sum(ours.by_stretch(hits))
    assert sum(size for _, _, size in counts) == sum(len(s.tokens) for s in ours.sentences)
    for name, n, _ in counts:
        kept = ours.find("bank", documents=[name])
        assert len(kept) == n and {line.document for line in ours.lines(kept, n)} <= {name}
    assert len(ours.find("bank", documents=["d1", "d2"])) == counts[1][1] + counts[2][1]
    assert len(ours.find("bank", documents=[])) == len(hits)


def test_the_word_beside_is_the_commonest_word_there(ours):
    hits = ours.find("the")
    words, n = ours.commonest_beside(hits, 1)
    after = [line.right[0].casefold() for line in ours.lines(hits, len(hits)) if line.right]
    assert all(after.count(word) == n for word in words)
    assert all(after.count(other) < n for other in set(after) - set(words) if any(map(str.isalpha, other)))
    tied = Concordance([Sentence(("a", word, "b")) for word in ("one", "two", "one", "two")])
    assert tied.commonest_beside(tied.find("a"), 1) == (["one", "two"], 2)  # nobody alone stands there most often
    many = Concordance([Sentence(("a", word)) for word in ("one", "two", "three", "four")])
    assert many.commonest_beside(many.find("a"), 1) is None
    one = Concordance([Sentence(("bank",))])
    assert one.commonest_beside(one.find("bank"), 1) is None


def test_words_spelt_nearly_alike_are_proposed():
    found_in = Concordance(SMALL)
    assert "river" in found_in.like("rivr") and "bank" in found_in.like("bnak") and found_in.like("zzzz") == []


def test_a_corpus_without_tokens_can_be_searched():
    found_in = Concordance([])
    assert len(found_in.find("bank")) == 0 and found_in.by_stretch(found_in.find("bank")) == [0] * 10


# --- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", "  \t", "a" * 201, "a " * 13])
@pytest.mark.parametrize("pattern", [False, True])
def test_a_query_that_is_none_or_too_long_is_refused_in_a_sentence(query, pattern):
    with pytest.raises(BadInput, match=r"\.$"):
        Concordance(SMALL).find(query, pattern=pattern)


@pytest.mark.parametrize("pattern", ["(", "[a", "a**", "*a", "a{2,1}", "\\", "(?P<x", "a{99999999999999}", "[z-a]"])
def test_what_is_no_regular_expression_is_named(pattern):
    with pytest.raises(BadInput, match="is no regular expression"):
        Concordance(SMALL).find(pattern, pattern=True)


@pytest.mark.parametrize(
    "pattern",
    [
        "(a+)+$",
        "(a|a)*b",
        "(a|aa)+",
        "(.*)*x",
        r"(a)\1",
        "(?=a)a",
        "(?i)a",
        "a*a*a*a*b",
        "a?" * 30 + "a" * 30,
        "(?:a{1,9}){2,9}b",
        "(?>a)b",
    ],
)
def test_a_pattern_that_could_run_on_for_ever_is_refused(pattern):
    with pytest.raises(BadInput, match="could take too long"):
        checked_pattern(pattern)


@pytest.mark.parametrize(
    "pattern", ["bank(s|ed)?", r"\(.*\)", "[()*+]+", "[]x]*", "[^]]+", ".*ing", "a+?b", "a{2}", "x{2,3}y*", "(?:un)?real", r"[\]a]b"]
)
def test_ordinary_patterns_are_taken(pattern):
    assert checked_pattern(pattern).pattern == pattern


def test_the_worst_pattern_that_is_taken_ends_soon():
    """Long words of one letter, on which repeats can share the letters in every way."""
    found_in = Concordance([Sentence(tuple("a" * 38 + chr(97 + k // 26) + chr(97 + k % 26) for k in range(676)))] * 3)
    started = time.perf_counter()
    try:
        found_in.find("a*a*a*!", pattern=True)
    except BadInput as error:
        assert "takes too long" in str(error)
    assert time.perf_counter() - started < 10  # of a stated bound of 2 s, on a machine shared with others


def test_plain_text_is_never_read_as_a_pattern(ours):
    assert len(ours.find(".*")) == 0 and len(ours.find("ban[kg]")) == 0


def test_an_accent_is_found_however_query_and_text_write_it():
    texts = Concordance([Sentence(("le", "caf\u00e9")), Sentence(("cafe\u0301", "noir"))])
    for query in ("caf\u00e9", "cafe\u0301", "CAFE\u0301"):
        assert places(texts, texts.find(query)) == [(0, 1), (1, 0)]
    assert places(texts, texts.find("caf.\u0301?", pattern=True)) == [(0, 1), (1, 0)]
    assert texts.like("cafe\u0301s") == ["caf\u00e9"]
