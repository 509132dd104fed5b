"""What Home and every verdict say is true of the numbers they name, for input of any kind."""

import re

from hypothesis import given
from hypothesis import strategies as st

from core.analysis.anisotropy import Level
from core.senses.verdict import CLOSE, ONE, TWO, Verdict
from pages._home.notices import EQUAL, Seen, noticed
from pages._word import verdict_words
from tests.app.visit import written

cosines = st.one_of(st.floats(-1, 1), st.just(1.0), st.just(0.99996))
words = st.sampled_from([("bank", "bank"), ("BANK", "bank"), ("mouse", "mice"), ("<b>", "x"), ("눈", "눈"), ("🎉", "🎉"), ("", "")])


@st.composite
def seen(draw) -> Seen:
    pair, spaces = draw(words), ("0", "1", "2", "mix")
    known = draw(st.booleans())
    in_glove = (known, known if pair[0] == pair[1] else draw(st.booleans()))
    numbers = {name: draw(cosines) for name in spaces}
    level = st.lists(st.floats(-1, 1), min_size=3, max_size=3).map(sorted).map(lambda v: Level(v[1], v[0], v[2]))
    return Seen(pair, draw(st.booleans()), numbers, draw(st.sampled_from(spaces)), draw(st.none() | level), in_glove)


@given(seen())
def test_every_sentence_of_home_is_true(one: Seen):
    lines = written(noticed(one))
    text = " ".join(lines)
    assert 1 <= len(lines) <= 3 and "<b>" not in text
    level = one.random
    shown = {f"{value:.2f}" for value in one.cosines.values()} | {"1.00"}
    shown |= {f"{value:.2f}" for value in (level.mean, level.low, level.high)} if level else set()
    assert set(re.findall(r"-?\d\.\d\d", text)) <= shown
    one_spelling = one.words[0].casefold() == one.words[1].casefold()
    if "both have one vector" in text:
        assert one.cosines["0"] > EQUAL and (one.one_word or one_spelling)
    if "too (cosine 1.00)" in text:
        assert one.cosines[one.layer] > EQUAL
    if "Spelt in two ways" in text:
        assert one.cosines["0"] <= EQUAL
    assert ("are two words" in text) == (not one.one_word and not one_spelling)
    assert ("is not in GloVe" in text) == (len({w for w, known in zip(one.words, one.in_glove, strict=True) if not known}) == 1)
    assert ("Neither word" in text) == (len({w for w, known in zip(one.words, one.in_glove, strict=True) if not known}) == 2)
    for word in re.findall("“([^”]*)” is not in GloVe", text):
        assert word.replace("&lt;", "<").replace("&gt;", ">") in one.words
    assert ("Two random words have" in text) == (level is not None and one.layer != "0")
    if "random words" in text:
        cosine, low, high = (round(value, 2) for value in (one.cosines[one.layer], level.low, level.high))
        said = {"nearer": "nearer than that" in text, "farther": "farther apart" in text, "among": "lie among them" in text}
        true = {"nearer": cosine > high, "farther": cosine < low, "among": low <= cosine <= high}
        assert said == true


shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=2, max_size=3).map(
    lambda s: dict(zip(("river", "<money>", "row"), s, strict=False))
)
verdicts = st.builds(Verdict, st.floats(0, 1), st.sampled_from(["1", "2", "mix"]), st.none() | st.tuples(shares, shares), st.booleans())


def leaders(of: dict[str, float]) -> list[str]:
    return [sense for sense, share in of.items() if share == max(of.values())]


@given(verdicts)
def test_a_verdict_is_told_as_its_numbers_are(one: Verdict):
    title, sure, why = verdict_words.title(one), verdict_words.certainty(one), *written([verdict_words.reason(one, "<i>jam")])
    assert title == {ONE: "One meaning", TWO: "Two meanings", CLOSE: "Too close to call"}[one.says]
    assert "<i>" not in why and "<money>" not in why
    numbers = [int(n) for n in re.findall(r"\d+", sure)]
    if one.says == CLOSE and one.probability < 1:
        assert numbers[0] == 100 and numbers[1] + numbers[2] == 100
        assert abs(numbers[1] - 100 * (1 - one.probability)) <= 1
    elif one.probability < 1:
        assert abs(numbers[0] - 100 * one.certainty) <= 1 and numbers[0] > 60
    if one.shares is None:
        assert "has no labelled sentences" in why and "jam" in why
        assert ("what the model expects in its place" in why) == one.around
        assert ("may settle it" in why) == (one.around and one.says == CLOSE)
        return
    first, second = map(leaders, one.shares)
    named = re.findall("“([^”]*)”", why)
    plain = [name.replace("&lt;", "<").replace("&gt;", ">") for name in named]
    assert ("no meaning leads" in why) == (len(first) > 1 or len(second) > 1)
    if "nearest to either mean" in why:
        assert plain == first == second
    elif "to the second “" in why:
        assert plain == first + second and (one.says != ONE or one.outvoted)
    elif "nearest to the first mean" in why:
        assert plain == first and len(second) > 1
    elif "nearest to the second mean" in why:
        assert plain == second and len(first) > 1
    else:
        assert len(first) > 1 and len(second) > 1 and not plain
    if one.says == TWO and not one.outvoted:
        assert "nearest to either mean" not in why
    assert ("outweighs them" in why) == one.outvoted
