"""What Home and every verdict say is true of the numbers they name, for input of any kind."""

import re

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.anisotropy import Level
from core.common.i18n import format_number
from core.common.model_layers import Layers
from core.elmo.mix import stops
from core.senses.judge import Judgment
from core.senses.verdict import CLEAR, CLOSE, ONE, TWO, Verdict
from core.views.pair import Angles, Pair
from pages._home.notices import EQUAL, write_notices
from pages._word import verdict_words
from tests.app.visit import written

cosines = st.one_of(st.floats(-1, 1), st.just(1.0), st.just(0.99996))
words = st.sampled_from(
    [("bank", "bank"), ("BANK", "bank"), ("mouse", "mice"), ("<b>", "x"), ("눈", "눈"), ("🎉", "🎉"), ("3", "7"), ("", "")]
)


@st.composite
def seen(draw) -> tuple[Pair, str, Level | None]:
    pair, spaces = draw(words), ("0", "1", "2", "mix")
    known = draw(st.booleans())
    in_glove = (known, known if pair[0] == pair[1] else draw(st.booleans()))
    numbers = {name: draw(cosines) for name in spaces}
    level = st.lists(st.floats(-1, 1), min_size=3, max_size=3).map(sorted).map(lambda v: Level(v[1], v[0], v[2]))
    angles = Angles(Layers(3), stops(3), np.eye(3), (np.ones(6), np.ones(6)), numbers)
    judgment = Judgment(draw(st.booleans()), None, "", "1")
    item = Pair(words=pair, judgment=judgment, scene=None, angles=angles, static=None, in_static=in_glove, random={})
    return item, draw(st.sampled_from(spaces)), draw(st.none() | level)


@given(seen())
def test_every_sentence_of_home_is_true(shown_there):
    item, layer, level = shown_there
    lines = written(write_notices(item, layer, level))
    text = " ".join(lines)
    assert 1 <= len(lines) <= 3 and "<b>" not in text
    shown = {format_number(value, ".2f") for value in item.cosines.values()} | {"1.00"}
    shown |= {format_number(value, ".2f") for value in (level.mean, level.low, level.high)} if level else set()
    assert set(re.findall(r"−?\d\.\d\d", text)) <= shown
    one_spelling = item.words[0].casefold() == item.words[1].casefold()
    if "both vectors are equal" in text:
        assert item.cosines["0"] > EQUAL and (item.one_word or one_spelling)
    numbers = {"at layer 0 (spelling only)": item.cosines["0"], f"at layer {layer}.": item.cosines[layer]}
    for value, place in re.findall(r"(−?\d\.\d\d) (at layer 0 \(spelling only\)|at layer \d\.)", text):
        assert value == format_number(numbers[place], ".2f")
    differ = not item.one_word and not one_spelling
    lettered = all(any(map(str.isalpha, word)) for word in item.words)
    assert ("are different words" in text) == (differ and lettered)
    assert ("are different tokens" in text) == (differ and not lettered)  # "x" and "%" are not two words
    unknown = {word for word, known in zip(item.words, item.in_static, strict=True) if not known}
    said = re.search(r"Not in GloVe: (.*)\. ELMo", text)
    assert {w.replace("&lt;", "<").replace("&gt;", ">") for w in re.findall("“([^”]*)”", said[1] if said else "")} == unknown
    assert ("random pairs" in text) == (level is not None and layer != "0")
    if "random pairs" in text:
        cosine, low, high = (round(value, 2) for value in (item.cosines[layer], level.low, level.high))
        said = {"nearer": "are closer than" in text, "farther": "farther apart than" in text, "among": "That is like random pairs" in text}
        true = {"nearer": cosine > high, "farther": cosine < low, "among": low <= cosine <= high}
        assert said == true


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
    title, sure, why = verdict_words.title(item), item.say_certainty(), *written([verdict_words.reason(item, "<i>jam")])
    assert title == {ONE: "One meaning", TWO: "Two meanings", CLOSE: "Too close to call"}[item.says]
    assert "<i>" not in why and "<money>" not in why
    numbers = [int(n) for n in re.findall(r"\d+", sure)]
    if item.says == CLOSE and item.probability < 1:
        assert numbers[0] == 100 and numbers[1] + numbers[2] == 100
        assert abs(numbers[1] - 100 * (1 - item.probability)) <= 1
    elif item.probability < 1:
        assert abs(numbers[0] - 100 * item.certainty) <= 1 and numbers[0] > 60
    if item.shares is None:
        assert "No labeled sentences" in why and "jam" in why
        assert ("substitutes and context words" in why) == item.around
        assert ("may help" in why) == (item.around and item.says == CLOSE)
        return
    first, second = map(leaders, item.shares)
    named = re.findall("“([^”]*)”", why)
    plain = [name.replace("&lt;", "<").replace("&gt;", ">") for name in named]
    assert ("unclear" in why) == (len(first) > 1 or len(second) > 1)
    if "unclear for both" in why:
        assert len(first) > 1 and len(second) > 1 and not plain
    elif "for both" in why:
        assert plain == first == second
    elif "unclear and" in why:
        assert plain == second and len(first) > 1
    elif "and unclear" in why:
        assert plain == first and len(second) > 1
    else:
        assert plain == first + second and (item.says != ONE or item.outvoted)
    if item.says == TWO and not item.outvoted:
        assert "” for both" not in why
    assert ("outweighs this" in why) == item.outvoted
