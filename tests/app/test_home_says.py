"""What Home and every verdict say is true of the picture and the numbers they name, for input of any kind."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.senses.scene import Scene
from core.senses.verdict import CLEAR, CLOSE, ONE, TWO, Verdict
from pages._home.show import say_picture
from pages._widgets import verdict

MOST_WORDS = 15

shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=2, max_size=3).map(
    lambda s: dict(zip(("river", "<money>", "row"), s, strict=False))
)
layers = st.sampled_from(["1", "2", "mix"])
verdicts = st.builds(Verdict, st.floats(0, 1), layers, st.none() | st.tuples(shares, shares), layers, st.booleans())


@st.composite
def scenes(draw) -> Scene:
    labeled = draw(st.booleans())
    points = np.array([[[0, 0]] * 4, [[1, 2], [0, 1], [3, 1], [2, 2]]], np.float32)
    stars = np.array([[[0, 0]] * 2, [[1, 1], [2, 0]]], np.float32)
    near = draw(st.tuples(st.sampled_from([0, 1]), st.sampled_from([0, 1])))
    return Scene(
        spaces=("0", "senses"),
        points=points,
        stars=stars,
        senses=("river", "<money>") if labeled else (),
        sense_of=np.array([0, 0, 1, 1]),
        in_own=(2, 4) if labeled else (),
        nearest=(near, near) if labeled else (),
        texts=("a", "b", "c", "d"),
        positions=(0, 0, 0, 0) if labeled else (),
        distance=None if labeled else draw(st.floats(0, 2)),
        ring=None if labeled else draw(st.none() | st.floats(0, 1)),
        labeled=labeled,
    )


@given(scenes(), st.sampled_from(["0", "senses"]), st.none() | verdicts)
def test_what_home_says_of_its_picture_is_true(scene: Scene, space: str, verdict: Verdict | None):
    text = str(say_picture(scene, space, verdict))
    assert len(text.split()) <= MOST_WORDS
    if space == "0":
        assert "share one point" in text
    elif not scene.labeled:
        assert ("farther apart" in text) == (scene.ring is not None and scene.distance > scene.ring)
    else:
        first, second = (scene.senses[k] for k in scene.nearest[1])
        disagrees = verdict is not None and verdict.says != CLOSE and (first == second) != (verdict.says == ONE)
        assert ("disagree" in text) == disagrees
        assert re.findall("“([^”]*)”", text) == ([] if disagrees else [first] if first == second else [first, second])


def leaders(of: dict[str, float]) -> list[str]:
    """The sense that leads clearly, alone; all that it does not lead clearly, with it."""
    return [sense for sense, share in of.items() if max(of.values()) - share < CLEAR]


@given(verdicts)
def test_a_verdict_is_told_as_its_numbers_are(item: Verdict):
    title, sure, named = verdict.say_verdict(item), item.say_certainty(), str(verdict.title_with_senses(item))
    assert title == {ONE: "One meaning", TWO: "Two meanings", CLOSE: "Too close to call"}[item.says]
    assert named.startswith(title) and "<money>" not in named
    numbers = [int(n) for n in re.findall(r"\d+", sure)]
    if item.says == CLOSE and item.probability < 1:
        assert numbers[0] == 100 and numbers[1] + numbers[2] == 100
        assert abs(numbers[1] - 100 * (1 - item.probability)) <= 1
    elif item.probability < 1:
        assert abs(numbers[0] - 100 * item.certainty) <= 1 and numbers[0] > 60
    senses = [name.replace("&lt;", "<").replace("&gt;", ">") for name in re.findall("<i>(.*?)</i>", named)]
    if item.shares is None or item.says == CLOSE:
        assert not senses
        return
    first, second = map(leaders, item.shares)
    clear = len(first) == len(second) == 1
    assert senses == ([] if not clear or (first == second) != (item.says == ONE) else first if first == second else first + second)
