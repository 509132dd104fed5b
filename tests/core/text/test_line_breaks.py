"""Test that the shape of a text decides what its line breaks mean, that nothing is lost, and that little is held in memory."""

import textwrap
from collections import deque

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.text.sentence_ends import DETECT, JOIN, KEEP, LONGEST, join_lines, sentences_in, shape_of
from core.text.sentences import read_sentences
from tests.memory import measure_peak

PROSE = [
    "It was a bright cold day in the harbour, and the clocks of the old town were striking eleven.",
    "Anna walked slowly along the quay, her collar turned up against the wind.",
    "She had not slept well.",
    "The well-known letter of the previous evening lay unopened in her bag, and she thought about it at every corner of the street.",
    "“I shall not hurry,” she told the gulls that sat in a row on the wall of the customs house.",
    "They did not answer, but one of them looked at her with its yellow eye as if it had known her for a long time.",
    "At the bank she turned left--there was no other way--and went up the steps to the door which her father had painted green.",
]
SONNET = """Shall I compare thee to a summer's day?
Thou art more lovely and more temperate:
Rough winds do shake the darling buds of May,
And summer's lease hath all too short a date;
Sometime too hot the eye of heaven shines,
And often is his gold complexion dimm'd;
And every fair from fair sometime declines,
By chance or nature's changing course untrimm'd."""
SHOPPING = """eggs
a loaf of bread from the baker at the corner of the square
milk
two pounds of flour, if there is any left, and sugar
butter"""
TABLE = """| word | how often | where it stands most often   |
|------|-----------|------------------------------|
| bank | 12        | near the river, at the shore |
| play | 120       | in the theatre and at home   |"""
LETTER = """Hi Anna,

thanks for the quick answer. I had a look at the numbers and they seem
to be all right, although the third column is not quite what I had
expected in March.

> On Tuesday we went through the whole list again and found that two of
> the entries had been counted twice.
> > Did anybody tell the people at the bank about this? They will want
> > to know before the end of the month.

- the receipts of February
- a list of the members who paid twice and want all of their money back

Best wishes,
Tom"""
KOREAN = [
    "강가의 은행나무 아래에서 아이들이 하루 종일 뛰어놀다가 해가 질 무렵에야 집으로 돌아갔다.",
    "어머니는 저녁을 차려 놓고 창밖을 오래 바라보았다.",
    "마을 은행에서 돈을 찾아 온 아버지는 겨울에 입을 두꺼운 외투와 새 신발을 사 주겠다고 약속하였다.",
    "그날 밤에는 눈이 많이 내렸고 아침이 되자 온 마을의 지붕과 들판이 하얗게 덮여 있었다.",
]


def read(text: str, lines: str = DETECT) -> list[str]:
    return [sentence for _, sentence in sentences_in(enumerate(text.splitlines(True)), lines)]


def wrapped(sentences: list[str], width: int = 72, paragraphs: int = 6, first: str = "", between: str = "\n\n") -> str:
    return between.join([textwrap.fill(" ".join(sentences), width, initial_indent=first)] * paragraphs)


@pytest.mark.parametrize("width", [60, 72, 100])
@pytest.mark.parametrize("sentences", [PROSE, KOREAN], ids=["English", "Korean"])
def test_wrapped_paragraphs_give_their_sentences_back(sentences, width):
    assert read(wrapped(sentences, width)) == sentences * 6


@pytest.mark.parametrize(
    "text",
    [
        *(wrapped(PROSE).replace("\n", end) for end in ("\r\n", "\r", "\r\r\n", "\n\n")),
        wrapped(PROSE, first="    ", between="\n"),
        textwrap.indent(wrapped(PROSE), "  "),
        textwrap.indent(wrapped(PROSE), "> ", lambda line: True),
        "\n\n".join(textwrap.fill(" ".join(PROSE), width) for width in (69, 71, 70, 72, 68, 70)),  # wrapped by hand
    ],
    ids=["Windows", "old Mac", "carriage returns twice", "every other line blank", "indented", "all indented", "quoted", "ragged"],
)
def test_prose_is_read_in_paragraphs_however_its_lines_end(text):
    assert [sentence.removeprefix("> ").replace("\u200b", "") for sentence in read(text)] == PROSE * 6


@pytest.mark.parametrize("text", [SONNET, SONNET.lower(), SHOPPING, TABLE], ids=["sonnet", "sonnet without capitals", "list", "table"])
def test_lines_of_verse_and_of_lists_stay_apart(text):
    assert shape_of(text.splitlines()).width == float("inf")
    assert all(any(sentence in line for line in text.splitlines()) for sentence in read(text))
    sentences = read("\n\n".join([wrapped(PROSE), textwrap.indent(SONNET, "    "), wrapped(PROSE)]))  # verse in a novel
    assert sentences.count(PROSE[0]) == 12 and {*SONNET.splitlines()[:7]} <= {*sentences}


@pytest.mark.parametrize("lower", [False, True])
def test_sentences_one_a_line_stay_so(lower):
    """Also where they have neither marks nor capitals, and where a splitter would cut one."""
    lines = [f"{k} {sentence}" for k in range(30) for sentence in PROSE]
    lines[3] = '"Really?" he asked! And went away.'
    lines = [line.lower().rstrip(".") for line in lines] if lower else lines
    assert read("\n".join(lines)) == lines
    assert read("\n\n".join(lines)) == lines


def test_a_letter_is_read_with_its_quotations_and_its_list():
    assert read(LETTER) == [
        *("Hi Anna,", "thanks for the quick answer."),
        "I had a look at the numbers and they seem to be all right, although the third column is not quite what I had expected in March.",
        "> On Tuesday we went through the whole list again and found that two of the entries had been counted twice.",
        *("> > Did anybody tell the people at the bank about this?", "They will want to know before the end of the month."),
        *("- the receipts of February", "- a list of the members who paid twice and want all of their money back", "Best wishes,", "Tom"),
    ]


def test_who_knows_better_reports_it():
    assert read("so much depends\nupon\n\na red wheel\nbarrow", JOIN) == ["so much depends upon", "a red wheel barrow"]
    lines = wrapped(PROSE, 72, 1).splitlines()
    assert read("\n".join(lines), KEEP) == [part for line in lines for part in read(line)]


@pytest.mark.parametrize(
    ("before", "after", "whole"),
    [
        *(("the well-", "known man", "the well-\u200bknown man"), ("Anglo-", "Saxon", "Anglo-\u200bSaxon")),  # marked as the end of a line
        *(("the im\u00ad", "portance", "the im\u00adportance"), ("the im\u00ac", "portance", "the im\u00adportance")),
        *(("two-", "and three-year terms", "two- and three-year terms"), ("left--", "there was", "left--there was")),
        *(("left", "--there was", "left--there was"), ("left --", "there was", "left -- there was")),
        *(("春天的花", "开了。", "春天的花开了。"), ("봄이", "왔다.", "봄이 왔다."), ("> so it", ">  is", "> so it is")),
    ],
)
def test_a_blank_stands_between_joined_lines_where_one_belongs(before, after, whole):
    assert join_lines(before, after) == whole
    for indent in ("", "\t", "\u00a0\u00a0"):  # a word goes on in an indented line
        assert read(f"The impor-\n{indent}tance of it.") == ["The impor-\u200btance of it."]
        assert len(read(f"- milk-\n{indent}- bread")) == 2


@pytest.mark.parametrize("size", [88_000, 1_010_000])
def test_a_text_in_one_line_is_read_completely(write, size):
    sentence = f"A  gray gull\tsat on the w{'a' * 900}ll of the bank.  "
    sentences = read_sentences(write("a.txt", sentence * (size // len(sentence))))
    assert len(sentences) == size // len(sentence) and {s.text for s in sentences} == {sentence.strip()}
    for letter in "é눈😀":  # none is cut where the line is read in pieces
        text = "x" + letter * 90_000
        assert "".join("".join(s.tokens) for s in read_sentences(write("a.txt", text))) == text


def test_what_has_no_end_mark_is_cut_at_a_blank_and_read_in_little_memory():
    sentences = read("so it went on and on " * 4_000)
    assert " ".join(sentences).split() == ["so", "it", "went", "on", "and", "on"] * 4_000
    assert max(map(len, sentences)) <= LONGEST and len(sentences) < 20
    lines = ((k, "the lines of this text have no end and no sentence in it has one either\n") for k in range(20_000))
    _, peak = measure_peak(lambda: deque(sentences_in(lines), maxlen=0))
    assert peak < 1  # of 1.5 MB


@given(st.text(alphabet="ab A.!-—>\t\n\r눈中", max_size=400), st.sampled_from([DETECT, JOIN, KEEP]))
def test_no_letter_is_lost_and_none_moved(text, lines):
    assert "".join("".join(read(text, lines)).split()).replace(">", "") == "".join(text.split()).replace(">", "")
