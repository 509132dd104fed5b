"""What the pages Why and Senses say is true of any numbers: empty, one, tied, missing, foreign."""

import re
from types import SimpleNamespace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.senses import clusters, edits
from core.senses import influence as inf
from core.senses.verdict import CLOSE, ONE, TWO, Verdict
from core.views.edits import EditPath
from core.views.induction import Occurrences
from pages._senses import show
from pages._why import influence_notices
from pages._why.edits import CLEAR, NEVER, describe_path, explain_reference
from pages._why.influence_notices import Options
from pages._widgets.inputs import Chosen
from tests.app.visit import written

WORDS = st.sampled_from(["jam", "the", "배", "\u2060가", "🎉", "<b>", "a&b", ".", "x" * 60])


def sentences(lines: list[str]) -> list[str]:
    """At most two lines, none of them empty, none with markup of the input's own."""
    assert 0 < len(lines) <= 2 and all(line.strip() for line in lines)
    assert not any(re.search(r"<(?!/?b>)", line) for line in written(lines))
    return written(lines)








COSINES = st.one_of(st.sampled_from([0.0, 0.5, 0.51, 1.0]), st.floats(-1, 1, width=32))


@st.composite
def influences(draw) -> inf.Influence:
    n = draw(st.integers(0, 5))
    values = st.lists(COSINES, min_size=4 * 3 * 2, max_size=4 * 3 * 2).map(lambda v: np.array(v).reshape(4, 3, 2))
    tokens = tuple(draw(st.lists(WORDS, min_size=n + 1, max_size=n + 1)))
    at = draw(st.integers(0, n))
    varied = np.array([draw(values) for _ in range(n)]).reshape(n, 4, 3, 2)
    changed = tuple(k for k in range(n + 1) if k != at)
    views, senses = ("0", "1", "2", "mix"), ("river <edge>", "말")
    cosines, alone, spread, least = draw(values), draw(values), np.abs(draw(values)), draw(values)
    return inf.Influence(tokens, at, changed, views, senses, cosines, varied, alone, np.abs(varied[..., 0]), spread, least)


@given(influences(), st.sampled_from(["0", "1", "2", "mix"]), st.sampled_from(inf.HALVES), st.sets(st.integers(0, 5)))
def test_only_a_word_of_meaning_is_named_as_what_decided(result, view, half, content):
    options = Options("drop", "", view, "", half)
    chosen = Chosen("no example of ours", result.tokens, result.position)
    stands = inf.verdict(result, view, half)
    lines = sentences(influence_notices.write_notices(result, options, stands, chosen, content))
    assert ("too close to call" in lines[0]) == (stands.margin < inf.CLEAR)
    if view != "0" and "matters most" in lines[-1]:
        values = inf.parts(result, view, half, stands.sense)
        allowed = [float(abs(v)) for k, v in zip(result.changed, values, strict=True) if k in content]
        match = re.search(r"matters most: it (?:adds|lowers).*?(\d+\.\d+)", lines[-1])
        assert float(match[1]) == float(f"{max(allowed):.2f}") and max(allowed) >= inf.CLEAR
    if (sides := re.search(r"(past|future) half (adds more|decides)", lines[-1])) and result.changed:
        added = inf.gains(result, view)
        apart = abs(added[inf.PAST] - added[inf.FUTURE])
        assert sides[1] == inf.settles(result, view) and (sides[2] == "decides") == (apart >= inf.LARGE)
    assert ("none of these senses" in lines[0]) == (stands.far and view != "0" and stands.margin >= inf.CLEAR)
    apart = sentences(influence_notices.describe_apart(result, options, content, "cat"))
    if view != "0" and result.changed:
        values = inf.measure_apart(result, view, half)
        allowed = [float(v) for k, v in zip(result.changed, values, strict=True) if k in content]
        most = max(allowed, key=abs, default=0.0)
        assert ("too close to call" in apart[0]) == (np.abs(values).max() < inf.CLEAR) and "“cat”" in apart[0]
        assert ("only function words" in apart[0]) == (abs(most) < inf.CLEAR <= np.abs(values).max())
        if abs(most) >= inf.CLEAR:
            assert f"is {abs(most):.2f} {'nearer' if most > 0 else 'further'}" in apart[0]
    moves = sentences(influence_notices.describe_moves(result, options, content))
    assert ("There is no other word" in moves[0]) == (not result.changed)


