"""Search finds what a plain scan finds, in any order, and no pattern can run on for ever."""

import re
import time
from dataclasses import replace
from itertools import groupby

import numpy as np
import pytest

from core.common.errors import BadInput
from core.corpus import concordance, measures
from core.corpus.concordance import forms, label_of, lines, sort_hits
from core.corpus.encoded import EncodedCorpus, encode
from core.corpus.search import KINDS, LEMMA, PATTERN, WORD, Hits, find, similar
from core.text import languages
from core.text.sentences import Sentence, read_sentences, sentences_from_text, stream_sentences
from core.text.tokens import tokenize

TEXTS = {"a": ["The bank of the river.", "A bank lent the bank money.", "I don't bank on it."], "b": ["No river here.", "The Bank!"]}
SMALL = [Sentence(tuple(tokenize(text)), document=name) for name, texts in TEXTS.items() for text in texts]


@pytest.fixture(scope="module")
def sentences() -> list[Sentence]:
    return [Sentence(s.tokens, s.targets, document=f"d{k % 7}") for k, s in enumerate(read_sentences("assets/sentences.jsonl", limit=2544))]


@pytest.fixture(scope="module")
def ours(sentences) -> EncodedCorpus:
    return encode(sentences)


def corpus_of(*texts) -> EncodedCorpus:
    return encode([Sentence(tuple(text)) for text in texts])


def hit_words(line: concordance.Line) -> tuple[str, ...]:
    return line.tokens[line.first : line.end]


def places(corpus: EncodedCorpus, hits: Hits) -> list[tuple[int, int]]:
    return [(line.sentence, line.first) for line in lines(corpus, hits, 0, len(hits))]


@pytest.mark.parametrize(
    ("query", "parts", "kind"),
    [
        *((word, [word.casefold()], WORD) for word in ("bank", "The", "SPRING", ",", "n't", "\N{SNOWMAN}")),
        *((phrase, phrase.split(), WORD) for phrase in ("of the", "on the bank", "the bank of the river", "did not")),
        *(("It's", ["it", "'s"], WORD), ("bank*", ["bank.*"], WORD), ("the * of", ["the", ".*", "of"], WORD)),
        *(("un*ed", ["un.*ed"], WORD), ("a *ing *", ["a", ".*ing", ".*"], WORD)),
        *(("bank*", ["bank.*"], LEMMA), ("go * the", ["go|goes|going|went|gone", ".*", "the"], LEMMA)),
        *((each, [each], PATTERN) for each in ("bank(s|ed)?", "[^aeiou]{3,5}", "(?:un|re).+ed", r"\d+", "b.{2}k", "colou?r", r"\w+ing")),
        *(
            (each, [each], PATTERN)
            for each in (r"[\w'-]+", r"\W", "[]x.]", "[^]a-z]+", r"\(.*\)", "[()*+]+", "a+?b", "x{2,3}y*", r"[\]a]b")
        ),
    ],
)
def test_a_query_finds_what_a_plain_scan_of_each_sentence_finds(ours, sentences, query, parts, kind):
    expected = [
        (n, k)
        for n, sentence in enumerate(sentences)
        for k in range(len(sentence.tokens) - len(parts) + 1)
        if all(re.fullmatch(part, token.casefold()) for part, token in zip(parts, sentence.tokens[k:], strict=False))
    ]
    assert expected or kind == PATTERN or "*" not in query
    assert places(ours, find(ours, query, kind=kind)) == expected


def test_a_lemma_is_found_in_all_its_forms_and_they_are_shown(ours):
    hits = find(ours, "go", kind=LEMMA)
    counted = dict(forms(ours, hits))
    assert {"go", "went", "goes", "going", "gone"} == set(counted) and sum(counted.values()) == len(hits)
    assert all(n == len(find(ours, form)) for form, n in counted.items())
    for lemma, words in {"be": ("is", "were", "been"), "can": ("could", "ca"), "carry": ("carried",), "go to": ("went to",)}.items():
        assert dict(forms(ours, find(ours, lemma, kind=LEMMA))).keys() >= {*words}


@pytest.mark.parametrize(
    ("verb", "forms", "others"),
    [
        ("먹다", "밥을 먹었다.|밥을 먹는다.|밥을 먹고 잤다.", "먹을 갈았다.|먹이 검다."),  # 먹 alone is the ink
        ("듣다", "음악을 듣는다.|음악을 들었다.|음악을 들으면 좋다.", "짐을 들고 갔다.|들이 넓다."),
        *(("춥다", "날이 춥다.|날이 추워서 싫다.", "날이 덥다."), ("사랑하다", "너를 사랑해.|사랑하는 사람이 왔다.", "사랑이 온다.")),
        *(("알다", "그를 아는 사람이 왔다.|답을 알았다.", "아이가 왔다."), ("팔다", "책을 팝니다.|책을 파는 가게이다.", "파가 맵다.")),
    ],
)
def test_a_korean_verb_is_found_in_its_forms_alone_where_its_stem_is_a_noun(verb, forms, others):
    with languages.reading(languages.get_language("ko")):
        corpus = encode(sentences_from_text("\n".join([*forms.split("|"), *others.split("|")]), lines="keep"))
        assert corpus.sentence[find(corpus, verb, kind=LEMMA).first].tolist() == list(range(len(forms.split("|"))))


CUT = {"배의": 1, "앞이": 1, "비와": 1, "끝나고": 1, "배의 앞이": 1, "나고": 0, "의 앞이": 0, "배의앞이": 0, "ㅋ" * 30: 0, "1,000": 1}


@pytest.mark.parametrize(("query", "n"), CUT.items())
def test_a_korean_word_is_found_however_its_sentence_is_cut(query, n):
    with languages.reading(languages.get_language("ko")):
        corpus = encode(sentences_from_text("1,000원짜리 배의 앞이 안 보인다. 비와 바람이 끝나고 비 와 있다."))
        assert [line.hit for line in lines(corpus, find(corpus, query), 0, 9)] == [query] * n


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        *((r"[^\W\d_]+", [0, 2, 3]), (r"[\D]+", [0, 2, 3, 4, 5]), (r"[\W_]", [4, 5])),
        *(("straße", [3]), ("STRAßE", [3]), ("stra(?:ß|x)e", [3]), ("caf\u00c9", [0])),
    ],
)
def test_a_pattern_means_the_letters_of_every_script_as_they_are_stored(pattern, found):
    corpus = corpus_of(("caf\u00e9",), ("\u0663",), ("은행",), ("Straße",), ("_",), ("\N{SNOWMAN}",))
    assert find(corpus, pattern, kind=PATTERN).first.tolist() == found


def test_no_phrase_runs_over_the_end_of_a_sentence_or_of_the_corpus_which_may_be_empty():
    corpus = corpus_of("ab", "c", "", "a")
    assert [len(find(corpus, query)) for query in ("a b", "b c", "a b c", "a b c d e f", "c a")] == [1, 0, 0, 0, 0]
    assert [len(find(encode([]), "bank", kind=kind)) for kind in KINDS] == [0] * len(KINDS)
    assert [n for _, n, _ in measures.by_stretch(encode([]), find(encode([]), "bank"))] == [0] * 10


def test_a_query_is_split_as_texts_are_or_as_a_file_with_its_own_tokens_and_is_no_pattern():
    corpus = corpus_of(("do", "n't", "go"), ("don't", "go"), ("New York", "is"))
    assert places(corpus, find(corpus, "don't go")) == [(0, 0), (1, 0)]
    assert [hit_words(line) for line in lines(corpus, find(corpus, "don't"))] == [("do", "n't"), ("don't",)]
    assert [hit_words(line) for line in lines(corpus, find(corpus, "new york"))] == [("New York",)]
    assert places(corpus, find(corpus, "don't *")) == [(0, 0)]
    assert len(find(corpus, ".*")) == len(find(corpus, "[dg]o")) == 0 and len(find(corpus_of(("five", "*", "six")), "*")) == 1


NOT, BANKS = "do n’t|do n't", "bank ’s|bank 's"
TYPED = {"don't": NOT, "do*n't": NOT, "bank’s": BANKS, "*’s": BANKS, "bank*'s": BANKS, "*ank's": BANKS, "Bank ": "bank|bank"}
TYPED |= {"o’cl*": "o’clock", "#*": "# tag", "$*": "$ 5", "istanbul": "İstanbul", "İSTANBUL": "İstanbul"}


@pytest.mark.parametrize(("query", "hits"), TYPED.items())
def test_curly_apostrophes_clitics_and_marks_are_found_as_they_are_typed(query, hits):
    corpus = corpus_of(("do", "n’t", "bank", "’s", "o’clock"), ("İstanbul",), ("do", "n't", "bank", "'s", "#", "tag", "$", "5"))
    for kind in (WORD, LEMMA):
        assert [" ".join(hit_words(line)) for line in lines(corpus, find(corpus, query, kind=kind))] == hits.split("|")
    assert len(find(corpus, "o’clock", kind=PATTERN)) == 1


def test_sorted_by_context_is_sorted_as_the_words_are(ours):
    hits = find(ours, "the")
    right, left = (lambda line: line.tokens[line.end :][:4]), (lambda line: line.tokens[: line.first][:-5:-1])
    for orders, around in ((concordance.BY_RIGHT, right), (concordance.BY_LEFT, left)):
        for step, by in enumerate(orders):
            shown = lines(ours, sort_hits(ours, hits, by), 0, len(hits))
            context = [[token.casefold() for token in around(line)[step:]] for line in shown]
            assert context == sorted(context) and len(context) == len(hits)
    for by in concordance.ORDERS:
        assert sorted(places(ours, sort_hits(ours, hits, by))) == places(ours, hits)


def test_lines_have_the_labels_of_their_sentences_and_are_sorted_by_source_by_sense_and_at_random(ours, sentences):
    hits = find(ours, "bank")
    labels = [ours.senses[k] if k >= 0 else None for k in label_of(ours, hits)]
    expected = [next((t.sense for t in sentences[n].targets if t.position == k), None) for n, k in places(ours, hits)]
    assert labels == expected == [line.sense for line in lines(ours, hits, 0, 99)]
    documents = [line.document for line in lines(ours, sort_hits(ours, hits, concordance.BY_SOURCE), 0, 99)]
    assert documents == sorted(documents)
    senses = [line.sense for line in lines(ours, sort_hits(ours, hits, concordance.BY_SENSE), 0, 99)]
    groups = [sense for sense, _ in groupby(senses)]
    assert len(groups) == len(set(senses)) == 3 and groups[-1] is None  # unlabeled ones at the end
    np.testing.assert_array_equal(sort_hits(ours, hits, concordance.BY_SENSE, senses=np.arange(len(hits))[::-1]).first, hits.first[::-1])
    shuffled, other = (sort_hits(ours, hits, concordance.AT_RANDOM, seed=seed).first.tolist() for seed in (3, 4))
    assert hits.first.tolist() != shuffled != other


def test_counts_of_documents_and_of_stretches_add_up(ours, sentences):
    hits = find(ours, "bank")
    counts, n_tokens = measures.by_document(ours, hits), sum(len(s.tokens) for s in sentences)
    for parts in (counts, measures.by_stretch(ours, hits)):
        assert (sum(n for _, n, _ in parts), sum(size for *_, size in parts)) == (len(hits), n_tokens)
    assert len(find(ours.of_documents(["d1", "d2"]), "bank")) == counts[1][1] + counts[2][1]
    every = find(corpus := corpus_of("abcdefg"), r"\w", kind=PATTERN)
    assert measures.by_stretch(corpus, every, 3) == [("1", 3, 3), ("2", 2, 2), ("3", 2, 2)]


@pytest.mark.parametrize(
    ("dates", "parts", "undated"),
    [
        (("1991-02-03", None, "1990", "1991-11-30"), [("1990", 1, 2), ("1991", 2, 4)], 1),
        (("25/12/1985", "03/12/1987", "c. 1985"), [("1985", 2, 4), ("1986", 0, 0), ("1987", 1, 2)], 0),
        (("1810", "1861", "1819", "n.d."), [("1810s", 2, 4), *((f"{year}s", 0, 0) for year in range(1820, 1860, 10)), ("1860s", 1, 2)], 1),
        (("1350s", "802"), [("800–899", 1, 2), *((f"{k}–{k + 99}", 0, 0) for k in range(900, 1300, 100)), ("1300–1399", 1, 2)], 0),
        (("May 1850", "April 1850", "May 1850"), [("April 1850", 1, 2), ("May 1850", 2, 4)], 0),  # within one year
        (("2 BC", "0002", "2 BC–AD 2"), [("2 BC", 1, 2), ("1 BC", 0, 0), ("0001", 0, 0), ("0002", 1, 2)], 0),
        (("spring", "autumn", "12/05/50"), [], 3),
        (("19th century", "18th century", "1850"), [("1700–1799", 1, 2), ("1800–1899", 2, 4)], 0),
        (("1850", "1851", "before 1850", "1845–1855"), [("1850", 1, 2), ("1851", 1, 2)], 0),  # two dates are within no bar
        *((("before 1850", "after 1860"), [], 0), (("2020-01-02 00:13:22", "2020-01-02 10:00:00"), [("2020-01-02", 2, 4)], 0)),
    ],
)
def test_hits_by_date_are_in_order_of_time_and_unread_dates_are_counted(dates, parts, undated):
    corpus = encode([Sentence(("a", "bank"), date=date) for date in dates])
    assert measures.by_date(corpus, find(corpus, "bank")) == parts
    assert corpus.undated.sum() == undated


def test_some_documents_of_a_corpus_are_a_corpus_of_their_own(sentences):
    texts = (None, "one", "two")
    marked = [replace(s, document=f"d{k % 5}", date=str(1800 + k % 7), text=texts[k % 3]) for k, s in enumerate(sentences[:400])]
    part, alone = encode(marked).of_documents(["d1", "d3"]), encode([s for s in marked if s.document in ("d1", "d3")])
    assert part.word_list == alone.word_list and part.frequency.tolist() == alone.frequency.tolist()
    assert (part.documents, part.dates, sorted(part.senses)) == (alone.documents, alone.dates, sorted(alone.senses))
    assert part.document_sizes.tolist() == alone.document_sizes.tolist()
    for query in ("the", "bank", "ba*"):
        found, expected = lines(part, find(part, query), 0, 999), lines(alone, find(alone, query), 0, 999)
        assert [line._replace(sentence=0) for line in found] == [line._replace(sentence=0) for line in expected]
        assert [marked[line.sentence].tokens for line in found] == [line.tokens for line in found]


def test_words_spelled_nearly_alike_are_proposed():
    corpus = encode(SMALL)
    assert "river" in similar(corpus, "rivr") and "bank" in similar(corpus, "bnak") and similar(corpus, "zzzz") == []
    corpus = corpus_of(("어젯밤", "일"), ("밤길", "을"), ("방", "에서"))
    assert similar(corpus, "밤") == ["밤길", "어젯밤"] and similar(corpus, "닭") == []


@pytest.mark.parametrize(
    ("query", "kinds", "message"),
    [
        *((query, (WORD, LEMMA), "matches every word") for query in ("*", "**", " * ", "* *")),
        *((query, KINDS, r"\.$") for query in ("", "  \t", "a" * 201, "a " * 13, "a* " * 13)),
        ("bank", ("stem",), r"Unknown kind of search 'stem'\. Choose: word, lemma, pattern"),
        *(
            (query, (PATTERN,), "is not a regular expression")
            for query in ("(", "[a", "a**", "*a", "a{2,1}", "\\", "(?P<x", "a{99999999999999}", "[z-a]")
        ),
        *((query, (PATTERN,), "is not supported") for query in (r"(a)\1", "(?=a)a", "(?>a)b", "(?<!a)b", "a++", r"a\Z", "(?x)a")),
        *((query, (PATTERN,), "could take too long") for query in ("(?:(?:(?:a{99}){99}){99}){99}", "a{2000}")),
        ("x" * 5_000, KINDS, "5,000 characters"),
    ],
)
def test_a_query_that_cannot_be_searched_is_refused_in_a_sentence(query, kinds, message):
    for kind in kinds:
        with pytest.raises(BadInput, match=message):
            find(encode(SMALL), query, kind=kind)


def test_what_a_corpus_lacks_is_named():
    corpus = encode(SMALL)
    hits = find(corpus, "bank")
    with pytest.raises(BadInput, match=r"Unknown order 'length'\. Choose: text,"):
        sort_hits(corpus, hits, "length")
    with pytest.raises(BadInput, match=r"This corpus has no dates\. .*\.$"):
        measures.by_date(corpus, hits)
    with pytest.raises(BadInput, match=r"No document is called “nosuch”\. Choose from: a, b\.$"):
        corpus.of_documents(["a", "nosuch"])


@pytest.fixture(scope="module")
def letters() -> EncodedCorpus:
    """Long words of one letter, on which repeats can share out the letters in every way."""
    return corpus_of(*[tuple("a" * 138 + chr(97 + k // 26) + chr(97 + k % 26) for k in range(676))] * 3)


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|a)*b", "(a|aa)+", "(.*)*x", "(?i)a", "a*a*a*a*b", "a?" * 30 + "a" * 30, "(?:a{1,9}){2,9}b", "(?:a?){999}b", "a*a*a*!"],
)
def test_a_pattern_on_which_backtracking_explodes_ends_at_once(letters, pattern):
    started = time.perf_counter()
    find(letters, pattern, kind=PATTERN)
    assert time.perf_counter() - started < 2


def test_a_pattern_too_large_for_its_time_is_stopped_by_the_clock():
    words = [tuple("".join(chr(97 + (k * 7 + j * j) % 26) for j in range(60)) + str(k) for k in range(40_000))]
    corpus, started = corpus_of(*words), time.perf_counter()
    with pytest.raises(BadInput, match=r"takes too long\. Simplify it"):
        find(corpus, r"(?:\w{0,9}[^b]{0,9}.?){0,9}(?:.{0,40}c.{0,40}){0,4}!", kind=PATTERN)
    assert time.perf_counter() - started < 20  # of a stated bound of 2 s and one part of the words, on a machine shared with others


def test_an_accent_is_found_however_query_and_text_write_it():
    corpus = corpus_of(("le", "caf\u00e9"), ("cafe\u0301", "noir"))
    for query in ("caf\u00e9", "cafe\u0301", "CAFE\u0301"):
        for kind in (WORD, LEMMA):
            assert places(corpus, find(corpus, query, kind=kind)) == [(0, 1), (1, 0)]
    assert places(corpus, find(corpus, "caf.\u0301?", kind=PATTERN)) == [(0, 1), (1, 0)]
    assert similar(corpus, "cafe\u0301s") == ["caf\u00e9"]


def test_what_a_page_opens_with_can_be_searched_whatever_it_is():
    long = "x" * 5_000
    for tokens, word in (((long,), long), (("…", "…", "of"), "of"), (("\u2066", "שלום", "\u2069"), "שלום"), (("…", "…", "?"), "…")):
        corpus = encode([Sentence(tokens)])
        assert corpus.opening_word() == word
        for kind in (WORD, LEMMA):
            assert len(find(corpus, word, kind=kind)) == tokens.count(word)


WRAPPED = """The wardens of the district published an interest-
ing essay on the banks of the river, and they have
shown that the service rendered by the banks in pre-
venting floods between newly-formed channels is well
worth the cost. The interesting part is the im-
portance of the banks for the farmers, who co-
operate with well-
known people of the coun-
cil in the Anglo-
Saxon style. They often co-operate, and the well-known
wardens do so too. Its hand-
woven cloth is zib-
zab, and the zibzab is new."""


@pytest.fixture(scope="module")
def wrapped(tmp_path_factory) -> EncodedCorpus:
    path = tmp_path_factory.mktemp("wrapped") / "a.txt"
    path.write_text(WRAPPED, encoding="utf-8")
    corpus = encode(stream_sentences(path))
    assert [sentence.tokens for sentence in read_sentences(path)] == [corpus.tokens(k) for k in range(corpus.n_sentences)]
    return corpus


@pytest.mark.parametrize(
    ("query", "n"),
    [
        *(("interesting", 2), ("interest-ing", 1), ("preventing", 1), ("importance", 1), ("council", 1), ("newly-formed", 1)),
        *(("newlyformed", 0), ("impor", 0), ("bank", 0), ("the importance of the banks", 1), ("Anglo-Saxon", 1), ("pre*", 1)),
        *(("co-operate", 2), ("cooperate", 1), ("well-known", 2), ("wellknown", 1), ("zibzab", 2), ("zib-zab", 1), ("hand-woven", 1)),
        *(("who cooperate with wellknown people", 1), ("who co-operate with wellknown people of the coun-cil", 1)),
    ],
)
def test_a_word_that_a_line_end_cuts_in_two_is_found_in_both_of_its_forms(wrapped, query, n):
    assert len(find(wrapped, query)) == n
    assert len(find(wrapped.of_documents(wrapped.documents), query)) == n


def test_a_cut_word_is_counted_in_the_form_that_the_corpus_has_elsewhere(wrapped):
    counts = wrapped.counts
    wanted = {"interesting": 2, "co-operate": 2, "well-known": 2, "zibzab": 2, "hand-woven": 1, "anglo-saxon": 1, "council": 1}
    assert {word: counts.get(word) for word in wanted} == wanted
    assert not {"interest-ing", "cooperate", "wellknown", "zib-zab", "handwoven", "coun-cil", "im-portance"} & set(counts)
    assert [line.hit for line in lines(wrapped, find(wrapped, "importance"))] == ["im-\u200bportance"]


@pytest.mark.parametrize("sign", ["\u00ad", "\u200b", "\u2060", "\ufeff", "\u200d", "\u202a", "\u2063"])
def test_invisible_characters_count_neither_in_a_text_nor_in_a_query(tmp_path, sign):
    texts = ("The bank{0}ing sector grew.", "The banking sector shrank.", "Our {0}bank{0}ing{0} hours changed.")
    (tmp_path / "a.txt").write_text("\n".join(texts).format(sign), encoding="utf-8")
    corpus = encode(stream_sentences(tmp_path / "a.txt"))
    assert [len(find(corpus, "banking", kind=kind)) for kind in (WORD, LEMMA, PATTERN)] == [3, 3, 3]
    assert [len(find(corpus, query)) for query in (f"bank{sign}ing", f"bank{sign}*", "bank")] == [3, 3, 0]
    shown = [line.hit for line in lines(corpus, find(corpus, "banking"))]
    assert shown[0] == f"bank{sign}ing" and shown[1] == "banking" and f"bank{sign}ing" in shown[2]
