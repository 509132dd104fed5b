"""Sentences, tokens and character ids: by hand, then for any text at all (Hypothesis), then in time."""

import re
import time
import unicodedata

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.text.morphemes import morphemes
from core.text.normalization import cut_words, fold_case, legible
from core.text.sentence_ends import split_sentences
from core.text.tokens import as_in_text, character_ids, find_word, spans_in, token_spans, tokenize

# Any code point, unpaired surrogates included, and pieces that the patterns care about, put together at random.
PIECES = st.sampled_from([*"'.@-!\n", "n't", "'s", "..", "a.", "1.", "://", "http", "www.", "\u2019", "\x00", "\u3002", "\u200d"])


@pytest.mark.parametrize(
    ("sentence", "tokens"),
    [  # clitics and quotes as in the Penn Treebank; then abbreviations, numbers, addresses, emoji and other scripts
        *(("I don't, can't and won't.", "I do n't , ca n't and wo n't ."), ("DON'T, I'LL!", "DO N'T , I 'LL !")),
        ("They're sure she'd've come; I'm not.", "They 're sure she 'd 've come ; I 'm not ."),
        ("It\u2019s \u201cso\u201d", 'It \'s " so "'),  # curly quotes read as straight ones
        ("don\u02bct, don\u00b4t, don\uff07t", "do n't , do n't , do n't"),
        *(("O'Neill saw the banks' doors", "O'Neill saw the banks ' doors"), ("the 1990's, 3rd, 10km", "the 1990 's , 3rd , 10km")),
        *(("``quoted'' text", "`` quoted '' text"), ("O'Brien's and mother-in-law's", "O'Brien 's and mother-in-law 's")),
        ("the MP3's, man-of-war's-men, rock'n'roll, o'clock", "the MP3 's , man-of-war's-men , rock'n'roll , o'clock"),
        ("Dr. Smith of the U.S. met Mrs. Lee, e.g. today.", "Dr. Smith of the U.S. met Mrs. Lee , e.g. today ."),
        ("She said no. It took 5 ms. One more rep.", "She said no . It took 5 ms . One more rep ."),
        ("See No. 5, nos. 6 and 7. No.", "See No. 5 , nos. 6 and 7 . No ."),  # before a number alone
        *(("Ms. Lee met Gen. Coe", "Ms. Lee met Gen. Coe"), ("Mr.Smith", "Mr . Smith")),  # an abbreviation ends before a letter
        *(("paid $3.14, 1,000 at 12:30, 5% of 1/2", "paid $ 3.14 , 1,000 at 12:30 , 5 % of 1/2"), ("1.2.3a", "1.2 . 3a")),
        ("$1.5bn, 3.2GHz and 2.5x at 7:30am, 7:30a.m. and 5p.m.", "$ 1.5bn , 3.2GHz and 2.5x at 7:30am , 7:30 a.m. and 5 p.m."),
        ("1,000원, 3.5배, 12:30에 2.5kg을, 1,500mg of 5원", "1,000 원 , 3.5 배 , 12:30 에 2.5kg 을 , 1,500mg of 5원"),
        ("AT&T's R&D, S&P 500, you & me, a&b", "AT&T 's R&D , S&P 500 , you & me , a & b"),
        ("a 10-year plan, in 3rd-place", "a 10 - year plan , in 3rd - place"),  # as what ships was trained to read: see README
        ("a state-of-the-art plan -- well... yes", "a state-of-the-art plan -- well ... yes"),
        *(("see http://a.b/c?d=e. (www.x.org)", "see http://a.b/c?d=e . ( www.x.org )"), ("me@x.co.uk!", "me@x.co.uk !")),
        ("foo_bar, #tag", "foo_bar , # tag"),
        ("love\u2764\ufe0f\U0001f602 \U0001f44d\U0001f3fd!", "love \u2764\ufe0f \U0001f602 \U0001f44d\U0001f3fd !"),  # an emoji's signs
        ("\U0001f468\u200d\U0001f467\U0001f1f0\U0001f1f7 1\ufe0f\u20e3", "\U0001f468\u200d\U0001f467 \U0001f1f0\U0001f1f7 1\ufe0f\u20e3"),
        *((text, text.replace(".", " .")) for text in ("한국어 은행에.", "हिन्दी भाषा में.", "مُحَمَّد كَتَبَ.", "שָׁלוֹם עוֹלָם.", "தமிழ் மொழி.")),
        *(("cafe\u0301 ol\u00e9", "caf\u00e9 ol\u00e9"), ("x\u0301y", "x\u0301y")),  # an accent is one with its letter, if Unicode has such
        *(("a\x00b", "a b"), (" \t\u3000\n", ""), ("", "")),
    ],
)
def test_sentences_have_the_expected_tokens(sentence, tokens):
    assert tokenize(sentence) == (tokens.split(" ") if tokens else [])


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        *(("Why?  He was late.", ["Why?", "He was late."]), ("One\nTwo\r\n\n Three ", ["One", "Two", "Three"]), ("", []), (" \n ", [])),
        *(("안녕. 그래\u3002좋아\uff01응", ["안녕.", "그래\u3002", "좋아\uff01", "응"]), ("什么？！他走了。", ["什么？！", "他走了。"])),
        *(("他说：“好。”然后走了。", ["他说：“好。”", "然后走了。"]), ("「行く。」と言った。", ["「行く。」", "と言った。"])),
    ],
)
def test_sentences_end_at_marks_and_line_breaks(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(  # a bar stands where a sentence ends
    "text",
    [
        *("Dr. Lee left. | Why?", 'He said "Go." | Then (so.) | left!', "The U.S. grew. | J. K. Rowling wrote. | She did."),
        *("The answer is no. | He left.", "It is no. 5 of ten. | He left.", "One more rep. | We crossed the col. | Then"),
        *("So did I. | She left.", "Robert I. Sutton wrote it. | By I. Newton."),  # the pronoun, and initials
        *("Wait... what?! | Yes", "Pi is 3.14. ok then"),  # no sentence begins in lower case after one full stop
        *("\u201cReally?\u201d he asked. | He left.", "\u201cReally?\u201d John asked. | \u201cYes.\u201d | He left."),
        *('"정말?" 하고 그가 물었다. | 나는 갔다.', "He came on Jan. 5. | He left.", "He came in Jan. | She left on Mon. Feb. 2."),
        *("See Fig. 3 and pp. 5-7. | We do (see Sect. 2.1). | It is.", "Yahoo! in Korea"),
        *("We like Yahoo! Mail. | Who uses Yahoo! | I do! | So there.", "Wait... what? | Wait... | What?", "Wait . . . what? | No."),
        *("This is plan B. | We left.", "Vitamin C. | It helps.", "He left at 5 p.m. | She stayed until 6 p.m. Monday."),
        *("It is in the U.S. | He left the U.S. Army.", "He works at Acme Inc. | She knows Acme Inc. Chairman Lee."),
        *("He came (at 5 p.m.) and left. | He did (it was late!) go.", "1. Open it. | 2. Take it out."),
        "Smith et al. showed it (p < 0.05). | The E. coli died. | p53 did not.",
        "It was great. :) | thanks! | we went there. | it was fun, approx. five of us, e.g. he.",
        '"I am here." he said. | It is the vol. of viz. a and 10 hrs. of xvii. pages.',
        *("It sank.[12] | We left.[1][a] | Why?\u00b9 | The end.* | No.\u2020 | _Yes._ | So.", "See Fig.[1] and array[1] here."),
        *("It sank.12 | We left.\u201d3 | The end of Sect.2 The way of vol.2 We see 3.2 The.", "He ran to v1.2 It is so."),
        *(
            "회의는 2024. 3. 15. 은행에서 열린다. | 왜?",
            "Am 5. Mai kam er. | Ja.",
            "It was 2024. | He left in 2019. | 5 came. | It is 3. | 은행",
        ),
        *("It is by I. Newton. | So am I. | Mary left.", "Yes\u3002 | no\u3002"),
    ],
)
def test_a_sentence_goes_on_after_marks_that_do_not_end_it_and_ends_after_those_that_do(text):
    assert split_sentences(text.replace(" | ", " ")) == text.split(" | ")


def test_find_word_gives_every_position_whatever_the_case_and_the_accents():
    assert find_word(["The", "bank", "of", "the", "BANK"], "Bank") == [1, 4] and find_word([], "x") == []
    assert find_word(["Stra\u00dfe"], "STRASSE") == find_word(["cafe\u0301"], "caf\u00e9") == find_word(["caf\u00e9"], "CAFE\u0301") == [0]
    assert find_word(["o'clock", "It", "n\u2019t"], "o\u2019clock ") == [0] and find_word(["n\u2019t"], "N'T") == [0]
    assert fold_case("\u03b9\u0308\u0301") == "\u0390".casefold()  # as indexes fold their words


@pytest.mark.parametrize("text", ["The cafe\u0301 ole\u0301's.", unicodedata.normalize("NFD", "눈이 내려서 감았다.")])
def test_text_with_accents_and_syllables_written_apart_has_the_same_tokens_and_their_places_as_written(text):
    whole = unicodedata.normalize("NFC", text)
    assert tokenize(text) == tokenize(whole) and morphemes(text) == morphemes(whole)
    plain, spans = token_spans(text)
    assert [plain.text[a:b] for a, b in spans] == tokenize(whole)
    written = [text[a:b] for a, b in (plain.span(*span) for span in spans)]
    assert [unicodedata.normalize("NFC", piece) for piece in written] == tokenize(whole)
    assert "".join(as_in_text(morphemes(text), text)) == text


@pytest.mark.parametrize("size", [3, 10, 16, 50, 51])
def test_a_token_or_mark_has_the_ids_of_bilm_tf_for_any_number_of_them(size):
    tokens = ["", "a", "Ab", "\x00", "\ud800a\udfff", "transformation", "x" * 1000, "x" * 47 + "\u00e9"]
    for token in (*tokens, "강" * 20, "\U0001f600", "\u05d0"):
        code = [260] * size  # bilm-tf, UnicodeCharsVocabulary._convert_word_to_char_ids: 258 and 259 mark a word, 260 pads
        cut = token.encode("utf-8", "ignore")[: size - 2]  # unpaired surrogates have no bytes
        code[0] = 258
        for k, byte in enumerate(cut, start=1):
            code[k] = byte
        code[len(cut) + 1] = 259
        assert character_ids([token], size)[0].tolist() == [number + 1 for number in code]  # + 1: 0 is left for no token
    marks = character_ids(["<S>", "</S>"], size)
    assert marks.tolist() == [[259, inner, 260] + [261] * (size - 3) for inner in (257, 258)] and marks.dtype == np.int64
    assert character_ids([]).shape == (0, 50)


def _visible(text: str) -> str:
    text = legible(text)
    curly = {**dict.fromkeys("\u2019\u2018\u02bc\uff07\u00b4", "'"), "\u201c": '"', "\u201d": '"', "\x00": " "}
    return re.sub(r"\s", "", "".join(curly.get(c, c) for c in text))


@given(st.lists(st.text() | PIECES | st.characters(categories=["Cs", "Mn", "Nd", "Lo"]), max_size=12).map("".join))
@settings(max_examples=150)
def test_splitting_any_text_loses_nothing_visible_and_leaves_no_blank_sentence(text):
    sentences = split_sentences(text)
    assert _visible(" ".join(sentences)) == _visible(text)
    assert all(s.strip() == s != "" and (len(s.splitlines()) == 1 or any(cut_words(s))) for s in sentences)


def test_tokens_that_are_not_in_a_text_are_missed_in_linear_time():
    start_cpu_s = time.process_time()
    assert set(spans_in(["xy"] * 20_000, "ab " * 100_000)) == {None}
    assert time.process_time() - start_cpu_s < 2


PATHOLOGICAL = [*"a'+.\u0301\u3002\x00", "a.", "n't", "1.", "a@", "www.", "http://", "a-", "a. ", "Mr. ", "!)", ". a", "12:", "! :("]
PATHOLOGICAL += ["_", "a_", "\u00b2", ".[1]", '?" ', ". . ", "p. ", ".  ", "Yahoo! ", "_a_ \ufb01 "]


@pytest.mark.parametrize("piece", PATHOLOGICAL)
def test_60_kb_of_one_piece_repeated_are_read_in_linear_time(piece):
    text = piece * (60_000 // len(piece)) + "1x"
    start_cpu_s = time.process_time()
    tokens, sentences = tokenize(text), split_sentences(text)
    assert time.process_time() - start_cpu_s < 3  # about 0.06 s; a quadratic pattern takes 10 s or more
    assert "".join(tokens) == _visible(text) == _visible("".join(sentences))
