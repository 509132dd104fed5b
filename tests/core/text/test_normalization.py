"""Text out of PDF files, e-books and web pages: what is read, what is shown, and where it is."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text import languages
from core.text.normalization import JOINER, cut_words, fold_case, legible, plain_word, read
from core.text.sentence_ends import split_sentences
from core.text.sentences import read_sentences
from core.text.tokens import as_in_text, find_word, join_tokens, spans_in, tokenize

EN, KO = languages.get_language("en"), languages.get_language("ko")


INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202c\u2066\u2069\u061c\u034f\u180e\u2063\u206f\ufff9"


@pytest.mark.parametrize("sign", [*INVISIBLE, *"\U000e0041\ufe0f\U000e0101\x02\x08\x7f"])
def test_invisible_characters_are_not_read_and_stay_where_they_were_written(sign):
    text = f"{sign}The ban{sign}king{sign} sector{sign}, {sign}\u201cgr{sign}ew{sign}\u201d."
    tokens = EN.tokenize(text)
    assert tokens == tokenize(text) == EN.tokenize("The banking sector, \u201cgrew\u201d.")
    spans = spans_in(tokens, text)
    assert [text[a:b] for a, b in spans] == ["The", f"ban{sign}king", "sector", ",", "\u201c", f"gr{sign}ew", "\u201d", "."]
    assert "".join(as_in_text(tokens, text)) == text
    assert find_word(tokens, f"bank{sign}ing") == [1] and fold_case(f"Bank{sign}ing") == "banking"
    assert fold_case("\u2764\ufe0f") == fold_case("\u2764") and fold_case("\ufe0f") == "\ufe0f"  # a letter's form, and alone


def test_a_korean_text_is_read_without_its_invisible_characters_and_keeps_the_joiners_of_its_tokens():
    plain, written = "눈이 내려서 눈을 감았다.", "\ufeff눈\u200b이 내\u00ad려서 눈\u2060을\u200b 감았다."
    assert KO.tokenize(written) == KO.tokenize(plain) and f"{JOINER}이" in KO.tokenize(plain)
    assert [written[a:b] for a, b in spans_in(KO.tokenize(written), written)][:3] == ["눈", "이", "내\u00ad려서"]
    assert plain_word("\u200b") == "\u200b" and plain_word("a\u200b") == "a" and plain_word(f"{JOINER}이\u200b") == f"{JOINER}이"
    assert [token.strip(JOINER) for token in KO.tokenize("한-\n미 회담")][:3] == ["한", "-", "미"]  # no line end cuts Hangul with a hyphen


@pytest.mark.parametrize(
    ("written", "tokens"),
    [
        ("The o\ufb03ce is \ufb01ne, \ufb02at and e\ufb00ortless.", ["The", "office", "is", "fine", ",", "flat", "and", "effortless", "."]),
        ("_The Bank._ (_is_) snake_case __x__", ["The", "Bank", ".", "(", "is", ")", "snake_case", "__x__"]),
        ("council¹ met,² 10 km² x² sec⁻¹", ["council", "met", ",", "10", "km²", "x²", "sec", "⁻", "¹"]),
        ("\uff42\uff41\uff4e\uff4b \uff11\uff12 \U0001d41b\U0001d41a\U0001d427\U0001d424", ["bank", "12", "bank"]),
        ("a well\u2010known, well\u2011known word", ["a", "well-known", ",", "well-known", "word"]),
        ("10\u00a0km of\u202fthe\u2007bank\u3000here", ["10", "km", "of", "the", "bank", "here"]),
        ("blank\u3164bank\u2800of\ufffcit", ["blank", "bank", "of", "it"]),
        ("\U0001f468\u200d\U0001f469\u200d\U0001f467 1\ufe0f\u20e3", ["\U0001f468\u200d\U0001f469\u200d\U0001f467", "1\ufe0f\u20e3"]),
        ("cafe\u034f\u0301 cafe\u0301\u200b", ["caf\u00e9", "caf\u00e9"]),
        ("\u0e44\u0e17\u0e22\u200b\u0e04\u0e19", ["\u0e44\u0e17\u0e22", "\u0e04\u0e19"]),
        ("A well-known bank, e-mail\u2026 AT&T", ["A", "well-known", "bank", ",", "e-mail", "\u2026", "AT&T"]),  # ordinary text
    ],
)
def test_ligatures_hyphens_and_blanks_are_read_in_their_plain_form_and_shown_as_written(write, written, tokens):
    assert EN.tokenize(written) == tokens
    spans = spans_in(tokens, written)
    assert None not in spans and [legible(written[a:b]) for a, b in spans] == tokens
    (sentence,) = read_sentences(write("a.jsonl", [{"tokens": tokens, "text": written}]))
    assert (sentence.text or join_tokens(tokens)) == "".join(as_in_text(tokens, written)) == written


@pytest.mark.parametrize(
    ("written", "tokens"),
    [
        *(("the impor-\ntance of it", ["the", "importance", "of", "it"]), ("the coun-\r\ncil", ["the", "council"])),
        ("pre-  \n   venting", ["preventing"]),
        *((f"im{hyphen}\nportance", ["importance"]) for hyphen in "\u00ad\u00ac\u2010\u2011"),  # \u00ac: as programs read scanned pages
        *(("IMPOR-\nTANCE", ["IMPORTANCE"]), ("the govern-\nment's plan", ["the", "government", "'s", "plan"])),
        *(("a well-\nknown man", ["a", "well-known", "man"]), ("Anglo-\nSaxon", ["Anglo-Saxon"])),
        *(("co-\noperate", ["cooperate"]), ("newly-\nformed", ["newly-formed"])),  # the more frequent form; on no list, but each part is
        *(("state-of-\nthe-art", ["state-of-the-art"]), ("pre-\nand post-war", ["pre", "-", "and", "post-war"])),
        ("10-\nyear", ["10", "-", "year"]),
        *((f"impor{hyphen}tance", ["importance"]) for hyphen in ("- ", "\u00ad ", "\u00ac ", "\x02\u00a0")),  # pasted
        *(("the bank\u00ad and we", ["the", "bank", "and", "we"]), ("mid- or late", ["mid", "-", "or", "late"])),
        ("long- and short-term", ["long", "-", "and", "short-term"]),
    ],
)
def test_words_that_a_line_end_cuts_in_two_are_read_as_one(written, tokens):
    assert EN.tokenize(written) == tokens
    assert None not in spans_in(tokens, written) and spans_in(tokens, written)[-1][1] == len(written)


SIGNS = "a-\n \u00ad\u200b\ufb01\u0301\u1112\u1161\u11ab\ufe0f\u200d\U0001f468"


@given(st.text(alphabet=st.characters() | st.sampled_from(SIGNS), max_size=60))
@settings(max_examples=300)
def test_any_text_is_read_with_the_places_of_its_characters(text):
    for choose in (lambda word: True, lambda word: word.is_soft):
        plain = read(text, choose)
        assert plain.text == legible(text, choose) == unicodedata.normalize("NFC", plain.text)
        assert list(plain.begins) == sorted(plain.begins) and list(plain.ends) == sorted(plain.ends)
        places = list(zip(plain.begins, plain.ends, plain.text, strict=True))
        assert all(0 <= a <= b <= len(text) for a, b, _ in places)
        seen = {k for a, b, _ in places for k in range(a, b)} | {k for word in cut_words(text) for k in range(word.start, word.end)}
        assert {unicodedata.category(text[k]) for k in {*range(len(text))} - seen} <= {"Cf", "Cc", "Mn", "Lo", "Cn", "Pc", "No"}


@pytest.mark.parametrize("sign", ["\u200b", "\u00ad", "\ufeff", "\u200e", "\u2060"])
def test_sentences_end_where_they_would_without_invisible_characters_and_not_within_a_word(sign):
    text = f"He left.{sign} Why?{sign}{sign} {sign}Dr.{sign} {sign}Lee was late, e.g.{sign} {sign}today. {sign}The end."
    sentences = split_sentences(text)
    assert [legible(sentence).strip() for sentence in sentences] == split_sentences(text.replace(sign, ""))
    assert "".join(sentences).replace(" ", "") == text.replace(" ", "")
    assert split_sentences(f"The im{sign}por-\ntance of it. The end.\nNew") == [f"The im{sign}por-\ntance of it.", "The end.", "New"]
