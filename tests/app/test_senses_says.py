"""What the pages One dot, Flip, What decided it and Senses found say is true of any numbers: empty, one, tied, missing, foreign."""

from __future__ import annotations

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core import editing
from pages._shared import flip_quiz, flip_says
from pages._shared.flip_says import CLEAR, NEVER, ShownPath

WORDS = st.sampled_from(["jam", "the", "배", "\u2060가", "🎉", "<b>", "a&b", ".", "x" * 60])
LEADS = st.one_of(st.sampled_from([0.0, 0.001, -0.001, CLEAR, 0.2, -0.2]), st.floats(-2, 2, width=32))


def sentences(lines: list[str]) -> list[str]:
    """At most two lines, none of them empty, none with markup of the input's own."""
    assert 0 < len(lines) <= 2 and all(line.strip() for line in lines)
    assert not any(re.search(r"<(?!/?b>)", line) for line in lines)
    return lines


@st.composite
def paths(draw) -> ShownPath:
    n = draw(st.integers(2, 8))
    steps = [editing.Step(("jam",), 0)]
    for k in range(1, n):
        old, new = draw(st.one_of(st.tuples(WORDS, WORDS), st.tuples(WORDS, st.none()), st.tuples(st.none(), WORDS)))
        steps.append(editing.Step(("jam",), 0, None if new is None else 0, old, new, k))
    pair = draw(
        st.sampled_from([("river edge", "money <house>"), ("as in the first sentence", "as in the second"), ("말", "馬")])
    )
    margins = {name: np.array(draw(st.lists(LEADS, min_size=n, max_size=n))) for name in ("0", "1", "2", "mix")}
    layer = draw(st.sampled_from(["1", "2", "mix"]))
    margins[layer][0] = -abs(margins[layer][0])  # the first step is read as the first sense
    read = [pair[int(lead > 0)] for lead in margins[layer]]
    return ShownPath(steps, read, margins, pair, layer, [*pair], "", [], 0)


@given(paths(), st.data())
def test_flip_says_where_it_flips_and_how_the_guess_fared(shown: ShownPath, data):
    guess = data.draw(st.sampled_from([None, NEVER, *range(1, len(shown.steps))]))
    lines = sentences(flip_says.noticed(shown, guess))
    margins, over = shown.margins[shown.layer], shown.margins[shown.layer] > 0
    changes = [k for k in range(1, len(over)) if over[k] != over[k - 1]]
    told = re.search(r"at edit (\d+) of (\d+)", lines[0])
    if told:
        assert (int(told[1]), int(told[2])) == (changes[0], len(margins) - 1)
        assert ("too close" in lines[0]) == (margins[changes[0]] < CLEAR)
    else:
        assert not changes or np.abs(margins).max() < CLEAR
    if again := re.search(r"changes again at edit ([\d, ]+)", lines[0]):
        assert [int(k) for k in again[1].split(",")] == changes[1:]
    if lead := re.search(r"leads by (\d+\.\d+)", lines[0]):
        assert float(lead[1]) == round(float(margins[changes[0]]), 2) > 0 and changes[1:] == []
    if guess is not None:
        assert ("guess was right" in lines[1]) == (guess == (changes[0] if changes else NEVER))
    for name in {"1", "2", "mix"} - {shown.layer}:
        first = next(iter(editing.flips(shown.margins[name])), None)
        place = "in the mix" if name == "mix" else f"at layer {name}"
        assert f"{place} {f'at edit {first}' if first else 'never'}" in lines[1].replace("Elsewhere", "elsewhere")


@given(st.lists(st.floats(-1, 1, width=32), min_size=2, max_size=4), st.data())
def test_the_quiz_tells_the_lead_and_who_is_wrong(cosines, data):
    senses = tuple(["river <edge>", "money", "말", "sound"][: len(cosines)])
    gold, before, answer = (data.draw(st.sampled_from(senses)) for _ in range(3))
    edit = data.draw(st.sampled_from([None, (0, "a", "b")]))
    question = editing.Question(
        "w", ("a", "w"), 1, senses, tuple(cosines), gold, edit, gold if edit else None, before if edit else None
    )
    lines = sentences(flip_quiz.told(question, answer))
    ordered = sorted(cosines)
    assert f"by {ordered[-1] - ordered[-2]:.2f} in cosine" in lines[0]
    assert ("the model is wrong" in lines[1]) == (question.model != gold)
    if edit:
        assert ("did not turn it" in lines[1]) == (before == question.model)
    sentences(flip_quiz.scored([question], [answer]))
