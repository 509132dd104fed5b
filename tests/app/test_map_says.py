"""What the Map page says is true of the numbers it names: none, one, tied, one-sided, at layer 0."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.surroundings import CLOSE
from pages._map.measures import NAMED, describe_leans, describe_occurrences, describe_scores
from tests.app.visit import written

cosine = st.one_of(st.sampled_from([0.0, 0.5, 0.51, 1.0]), st.floats(-1, 1))


@given(st.lists(st.tuples(st.text("ab<", min_size=1, max_size=3), cosine, cosine), max_size=8), cosine, st.one_of(st.none(), cosine))
def test_as_many_words_are_nearer_to_a_star_as_is_said(points, stars, large):
    near = np.array([[a for _, a, _ in points], [b for _, _, b in points]]).reshape(2, -1)
    lines = describe_leans([word for word, _, _ in points], near, "2", stars, large)
    message, lean = " ".join(written(lines)), near[0] - near[1]
    first, second = int((lean >= CLOSE).sum()), int((lean <= -CLOSE).sum())
    assert len(lines) <= 3 and "<" not in message.replace("&lt;", "")
    assert ("no words near" in message) == (not points)
    assert ("no word is" in message) == bool(points and not first and not second)
    if first or second:
        counts = re.search(r"At layer 2, of (\d+) words (\d+) are nearer to the first sentence, (\d+) to the second\.", message)
        assert [int(count) for count in counts.groups()] == [len(points), first, second]
        assert message.count("“") == min(first, NAMED) + min(second, NAMED)
    if "The cosine" in message:
        assert f"at layer 2 is {stars:.2f}".replace("-0.00", "0.00").replace("-", "−") in message




@given(st.sampled_from(["0", "1", "2", "mix"]), *[st.floats(0, 1)] * 4, st.integers(2, 300), st.sampled_from([None, "ba<r"]))
def test_no_layer_is_held_against_itself_and_chance_is_not_beaten_by_luck(where, best, zero, chance, usual, n, word):
    message = " ".join(written(describe_scores(word, (where, best), zero, chance, usual, n)))
    assert f"{best:.0%}" in message and f"Of {n} " in message and "<" not in re.sub("</?b>", "", message).replace("&lt;", "")
    inconclusive = best <= usual + 1e-9
    assert ("Inconclusive" in message) == inconclusive and f"chance {chance:.0%}" in message
    assert message.count("layer 0") == (where == "0" or not inconclusive)
    if not inconclusive and where != "0":
        assert f"(layer 0 {zero:.0%})" in message


@pytest.mark.parametrize("word", [None, "bar"])
def test_one_meaning_is_nothing_to_tell_apart(word):
    assert ("only one labeled sense" if word else "two senses") in describe_scores(word, ("0", 0.0), 0.0, 0.0, 0.0, 0)[0]
    assert not re.search(r"\d", " ".join(describe_scores(word, ("0", 0.0), 0.0, 0.0, 0.0, 0)))


