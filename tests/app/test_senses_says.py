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
LEADS = st.one_of(st.sampled_from([0.0, 0.001, -0.001, CLEAR, 0.2, -0.2]), st.floats(-2, 2, width=32))


def sentences(lines: list[str]) -> list[str]:
    """At most two lines, none of them empty, none with markup of the input's own."""
    assert 0 < len(lines) <= 2 and all(line.strip() for line in lines)
    assert not any(re.search(r"<(?!/?b>)", line) for line in written(lines))
    return written(lines)


@st.composite
def paths(draw) -> tuple[EditPath, Verdict | None]:
    n = draw(st.integers(2, 8))
    steps = [edits.EditStep(("jam",), 0)]
    for k in range(1, n):
        old, new = draw(st.one_of(st.tuples(WORDS, WORDS), st.tuples(WORDS, st.none()), st.tuples(st.none(), WORDS)))
        steps.append(edits.EditStep(("jam",), 0, None if new is None else 0, old, new, k))
    pair = draw(st.sampled_from([("river edge", "money <house>"), ("the first sentence", "the second sentence"), ("말", "馬")]))
    margins = {name: np.array(draw(st.lists(LEADS, min_size=n, max_size=n))) for name in ("0", "1", "2", "mix")}
    layer = draw(st.sampled_from(["1", "2", "mix"]))
    margins[layer][0] = -abs(margins[layer][0])  # the first step is read as the first sense
    read = [pair[int(lead > 0)] for lead in margins[layer]]
    path = EditPath(alignment=None, steps=steps, space=layer, lemma="", senses=pair, read=read, ends=pair, margins=margins, way=None)
    return path, draw(st.none() | st.builds(Verdict, st.floats(0, 1), st.just("1")))


@given(paths(), st.data())
def test_flip_says_where_it_flips_and_how_the_guess_fared(pathway, data):
    path, verdict = pathway
    guess = data.draw(st.sampled_from([None, NEVER, *range(1, len(path.steps))]))
    lines = sentences(describe_path(path, verdict, guess))
    margins, over = path.margins[path.space], path.margins[path.space] > 0
    changes = [k for k in range(1, len(over)) if over[k] != over[k - 1]]
    message = re.search(r"at edit (\d+) of (\d+)", lines[0])
    if message:
        assert (int(message[1]), int(message[2])) == (changes[0], len(margins) - 1)
        assert ("too close" in lines[0]) == (margins[changes[0]] < CLEAR)
    else:
        assert not changes or np.abs(margins).max() < CLEAR
    if again := re.search(r"changes again at edits? ([\d, ]+)", lines[0]):
        assert [int(k) for k in again[1].split(",")] == changes[1:]
    if lead := re.search(r"leads by (\d+\.\d+)", lines[0]):
        assert float(lead[1]) == round(float(margins[changes[0]]), 2) > 0 and changes[1:] == []
    if "in both sentences" in lines[0]:
        assert not changes and path.read[-1] == path.ends[0]
        says = verdict.says if verdict else None
        message = {
            ONE: "the verdict agrees" in lines[0],
            TWO: "the verdict is two meanings" in lines[0],
            CLOSE: "too close to call" in lines[0],
        }
        assert [item for item, true in message.items() if true] == ([says] if says else [])
        for number in re.findall(r"right in (\d+) of 100", lines[0]):
            assert 64 <= int(number) <= 99 and abs(int(number) - 100 * verdict.certainty) <= 1
    if guess is not None:
        assert ("guess was right" in lines[1]) == (guess == (changes[0] if changes else NEVER))
    for name in {"1", "2", "mix"} - {path.space}:
        first = next(iter(edits.flips(path.margins[name])), None)
        place = "in the layer mix" if name == "mix" else f"at layer {name}"
        assert f"{place} {f'at edit {first}' if first else 'never'}" in lines[1].replace("Elsewhere", "elsewhere")


@given(st.none() | st.builds(Verdict, st.floats(0, 1), st.just("1")), WORDS, WORDS)
def test_flip_says_of_a_word_without_labels_that_it_passes_over_anyway_and_what_the_verdict_is(message, first, second):
    said = explain_reference(True, first, second, message)
    assert "even within one sense" in said and ("The verdict on the word" in said) == (message is not None)
    assert ("Two words, " in said) == (message is None and first.casefold() != second.casefold())


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


@given(
    st.sampled_from([1, 2, 5]),
    st.sampled_from([10, 29, 30, 100, 101]),
    st.sampled_from([1, 2, 8]),
    st.one_of(st.none(), st.tuples(st.floats(-0.5, 1), st.floats(0, 0.5))),
    st.sampled_from([0.0, 1.9, 2.1]),
    st.booleans(),
)
def test_groups_are_judged_by_the_labels_where_there_are_some(suggested, n, number, rand, z, small):
    agreement = rand and clusters.Agreement(
        rand=rand[0], rand_null=(0.0, rand[1]), v=0.1, v_null=(0.0, 0.1), mutual=0.05, purity=0.5, purity_null=(0.5, 0.5), n=n
    )
    heights = tuple(0.1 for _ in clusters.NUMBERS)
    passed_over = (8,) if small else ()
    s = clusters.Suggestion(number=suggested, best=max(2, suggested), silhouettes=heights, limit=heights, small=passed_over, p=0.005)
    result = Occurrences("<jam>", n, [None] * n, np.zeros((n, 2)), s, np.zeros((n, 2)), False)
    groups = SimpleNamespace(agreement=agreement, words=[[("word", z)]] * number)
    first, *figures = show.write_notices(result, groups, number)
    sentences([first])
    assert len(re.sub("<[^>]*>", "", first).split()) <= 15
    assert ("chart suggests" in first) == (number != suggested)
    if number == suggested:
        assert ("one group" in first or "Inconclusive" in first) == (suggested == 1)
        assert (f"<b>{suggested} groups</b>" in first) == (suggested > 1)
        assert ("fewer than five" in first) == (suggested == 1 and small)
    if number == suggested > 1 and agreement:
        assert ("no better than chance" in first) == (agreement.rand <= agreement.rand_null[1])
    elif number == suggested > 1 and n <= clusters.MANY:
        assert ("no nearby word" in first) == (z < show.CLEAR_Z)
    assert any("Rand" in line for line in figures) == bool(number > 1 and agreement)
