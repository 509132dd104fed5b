"""What Home and every verdict say is true of the picture and the numbers they name, for input of any kind."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.senses.scene import Scene
from core.senses.verdict import CLEAR, CLOSE, ONE, TWO, Verdict
from pages._home.show import say_picture
from pages._word import verdict


shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=2, max_size=3).map(
    lambda s: dict(zip(("river", "<money>", "row"), s, strict=False))
)
layers = st.sampled_from(["1", "2", "mix"])
verdicts = st.builds(Verdict, st.floats(0, 1), layers, st.none() | st.tuples(shares, shares), layers, st.booleans())






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
