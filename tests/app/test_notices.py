"""Test that the sentences of notices are true for any numbers: empty, one, tied, missing, foreign."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.analysis.axes import CLOSE as CLOSE_COSINE
from core.analysis.spaces import Comparison
from core.corpus.encoded import encode
from core.corpus.search import find
from core.index.neighbors import Neighbor, TypeNeighbor
from core.index.rows import Occurrence
from core.senses import influence as inf
from core.senses.verdict import Verdict
from core.text.readings import WordInContext
from core.text.sentences import Sentence
from core.views.card import Panel
from core.views.neighbors import Neighbors
from pages._map import measures
from pages._map.measures import NAMED, describe_leans, describe_scores
from pages._models import about, compare
from pages._neighbors.show import write_notices
from pages._texts import concordance
from pages._why import influence_notices
from pages._why.influence_notices import Options
from pages._widgets import verdict
from pages._widgets.inputs import Chosen
from tests.app.visit import written

SHARES = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.50004, 1.0]), st.floats(0, 1))


def sentences(lines: list[str], most: int = 2) -> list[str]:
    """At most so many lines, none of them empty, none with markup of the input's own."""
    assert 0 < len(lines) <= most and all(line.strip() for line in lines)
    assert not any(re.search(r"<(?!/?b>)", line) for line in written(lines))
    return written(lines)


@pytest.mark.parametrize(
    ("accuracy", "baseline", "name", "said"),
    [
        ({"0": 0.5, "1": 0.7, "2": 0.7}, 0.5, "chance", "best at layer 1, 2 (70.0%), weakest at layer 0; 20.0 points above chance."),
        ({"0": 0.5, "2": 0.50004}, 0.6, "usual tag", "50.0% at layer 0, 2; 10.0 points below the usual tag."),
        ({"0": 0.5, "1": 0.70004}, 0.7, "usual tag", "best at layer 1 (70.0%), weakest at layer 0; no better than the usual tag."),
    ],
)
def test_about_names_the_best_layers_and_their_lead(accuracy: dict[str, float], baseline: float, name: str, said: str):
    assert about._write_notices([Panel("Task", "data", accuracy, baseline, name)]) == [f"<b>Task</b>: {said}"]


def test_map_has_one_chance_in_the_notice_and_in_the_figure():
    figures = (("0", 0.46, 0.48), ("1", 0.88, 0.49))
    spaces = {name: SimpleNamespace(one_nn=share, null_mean=null, null_95=0.9, n=32) for name, share, null in figures}
    assert " ".join(sentences(measures.write_notices("bank", spaces), most=3)).count("chance 48%") == 2
    assert "chance 48%" in measures.accuracy(spaces, None, base=spaces["0"], majority=False)[1]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), SHARES, SHARES, st.sampled_from([[], [("<i>a", 1.5, 7)]]))
def test_compare_counts_shared_neighbors(shared: list[int], cka: float, p: float, halves: list):
    n, k = len(shared), 3
    first = np.tile(np.arange(k), (n, 1))
    second = np.array([[*range(s), *range(10, 10 + k - s)] for s in shared])
    both = {"first": first, "second": second, "cosines": (first, second), "shared": np.array(shared)}
    c = Comparison(words=tuple("w" * n), **both, profile=np.zeros(n), chance=0.1, random=(0.2, 0.1))
    paired = SimpleNamespace(random=0.01, p=p, n=n)
    result = SimpleNamespace(names=("<i>a", "b"), comparison=c, cka_pair=cka, paired=paired, halves=halves, shift=None, shared=0)
    said = " ".join(sentences(compare.write_notices(result), most=5))
    assert f"<b>{np.mean(shared):.1f}</b> of a word’s {k} neighbors on average ({n:,} words" in said
    assert ("nearly every list is identical" in said) == (min(shared) == k)
    assert (f"{np.mean(np.array(shared) == 0):.0%} of words share none" in said) == (min(shared) < k)
    assert f"<b>{cka:.2f}</b>" in said and ("inconclusive" in said) == (p > compare.LEVEL)
    assert ("share 1.5 neighbors (7 words, chance 1.50)" in " ".join(compare.describe_halves(result))) == bool(halves)


ODD = [("배 jam 배 jam . jam the", "<i>"), ("🎉 jam .", "b"), ("the <i>", "c")]
HITS = [
    ([("jam", "a")], "zebra", "“zebra” does not occur."),
    ([("jam", "a")], "jam", "“jam” is the only token.|1 token is few"),
    ([("the jam", "a")], "jam", "“jam” occurs once in 2 tokens.|2 tokens are few"),
    ([("the jam", "a"), ("a jam", "b")], "jam", "2 times (500,000 per million tokens).|In 2 of 2 documents.|4 tokens are few"),
    (ODD, "jam", "occurs 4 times|In 2 of 3 documents, densest in &lt;i&gt;.|Most often after “배” (2).|12 tokens are few"),
    ([("the <i> the", "a")] * 2, "<i>", "“&lt;i&gt;” occurs 2|often after “the” (2).|often before “the” (2).|6 tokens are"),
]


@pytest.mark.parametrize(("documents", "query", "lines"), HITS)
def test_search_counts_occurrences_and_adjacent_words(documents: list, query: str, lines: str):
    corpus = encode([Sentence(tuple(text.split()), document=name) for text, name in documents])
    said = written(concordance.describe_hits(corpus, query, False, find(corpus, query)))
    assert all(expected in line for expected, line in zip(lines.split("|"), said, strict=True)), said


ANY_WORDS = st.sampled_from(["jam", "the", "배", "\u2060가", "🎉", "<b>", "a&b", ".", "x" * 60])
COSINES = st.one_of(st.sampled_from([0.0, 0.5, 0.51, 1.0]), st.floats(-1, 1, width=32))


@st.composite
def influences(draw) -> inf.Influence:
    n = draw(st.integers(0, 5))
    values = st.lists(COSINES, min_size=4 * 3 * 2, max_size=4 * 3 * 2).map(lambda v: np.array(v).reshape(4, 3, 2))
    tokens = tuple(draw(st.lists(ANY_WORDS, min_size=n + 1, max_size=n + 1)))
    at = draw(st.integers(0, n))
    varied = np.array([draw(values) for _ in range(n)]).reshape(n, 4, 3, 2)
    changed = tuple(k for k in range(n + 1) if k != at)
    views, senses = ("0", "1", "2", "mix"), ("river <edge>", "말")
    cosines, alone, spread, least = draw(values), draw(values), np.abs(draw(values)), draw(values)
    return inf.Influence(tokens, at, changed, views, senses, cosines, varied, alone, np.abs(varied[..., 0]), spread, least)


@given(influences(), st.sampled_from(["0", "1", "2", "mix"]), st.sampled_from(inf.HALVES), st.sets(st.integers(0, 5)))
def test_why_names_only_content_words(result, view, half, content):
    options = Options("drop", "", view, "", half)
    chosen = Chosen("no example of ours", result.tokens, result.position)
    stands = inf.verdict(result, view, half)
    lines = sentences(influence_notices.write_notices(result, options, stands, chosen, content))
    assert ("too close to call" in lines[0]) == (stands.margin < inf.CLEAR)
    if view != "0" and (match := re.search(r"matters most: it (?:adds|lowers).*?(\d+\.\d+)", lines[-1])):
        values = inf.parts(result, view, half, stands.sense)
        largest = max(float(abs(v)) for k, v in zip(result.changed, values, strict=True) if k in content)
        assert match[1] == f"{largest:.2f}" and largest >= inf.CLEAR
    if (sides := re.search(r"(past|future) half (adds more|decides)", lines[-1])) and result.changed:
        added = inf.gains(result, view)
        apart = abs(added[inf.PAST] - added[inf.FUTURE])
        assert sides[1] == inf.settles(result, view) and (sides[2] == "decides") == (apart >= inf.LARGE)
    assert ("none of these senses" in lines[0]) == (stands.far and view != "0" and stands.margin >= inf.CLEAR)
    apart = sentences(influence_notices.describe_apart(result, options, content, "cat"))
    if view != "0" and result.changed:
        values = inf.measure_apart(result, view, half)
        strongest = max([float(v) for k, v in zip(result.changed, values, strict=True) if k in content], key=abs, default=0.0)
        assert ("too close to call" in apart[0]) == (np.abs(values).max() < inf.CLEAR) and "“cat”" in apart[0]
        assert ("only function words and signs" in apart[0]) == (abs(strongest) < inf.CLEAR <= np.abs(values).max())
        if abs(strongest) >= inf.CLEAR:
            assert f"is {abs(strongest):.2f} {'nearer' if strongest > 0 else 'further'}" in apart[0]
    assert ("There is no other word" in sentences(influence_notices.describe_moves(result, options, content))[0]) == (not result.changed)


@given(st.lists(st.tuples(st.text("ab<", min_size=1, max_size=3), COSINES, COSINES), max_size=8), COSINES, st.one_of(st.none(), COSINES))
def test_map_counts_the_words_nearer_to_each_star(points, stars, large):
    near = np.array([[a for _, a, _ in points], [b for _, _, b in points]]).reshape(2, -1)
    lines = describe_leans([word for word, _, _ in points], near, "2", stars, large)
    message, lean = " ".join(written(lines)), near[0] - near[1]
    first, second = int((lean >= CLOSE_COSINE).sum()), int((lean <= -CLOSE_COSINE).sum())
    assert len(lines) <= 3 and "<" not in message.replace("&lt;", "")
    assert ("no words near" in message) == (not points)
    assert ("no word is" in message) == bool(points and not first and not second)
    if first or second:
        assert f"At layer 2, of {len(points)} words {first} are nearer to the first sentence, {second} to the second." in message
        assert message.count("“") == min(first, NAMED) + min(second, NAMED)
    if "The cosine" in message:
        assert f"at layer 2 is {stars:.2f}".replace("-0.00", "0.00").replace("-", "−") in message


@given(st.sampled_from(["0", "1", "2", "mix"]), *[st.floats(0, 1)] * 4, st.integers(2, 300), st.sampled_from([None, "ba<r"]))
def test_map_compares_accuracy_with_chance(where, best, zero, chance, usual, n, word):
    message = " ".join(written(describe_scores(word, (where, best), zero, chance, usual, n)))
    assert f"{best:.0%}" in message and f"Of {n} " in message and "<" not in re.sub("</?b>", "", message).replace("&lt;", "")
    inconclusive = best <= usual + 1e-9
    assert ("Inconclusive" in message) == inconclusive and f"chance {chance:.0%}" in message
    assert (f"(layer 0 {zero:.0%})" in message) == (not inconclusive and where != "0")


def test_map_of_one_sense_states_no_accuracy():
    for word, said in (("bar", "only one labeled sense"), (None, "two senses")):
        lines = describe_scores(word, ("0", 0.0), 0.0, 0.0, 0.0, 0)
        assert said in lines[0] and not re.search(r"\d", " ".join(lines))


def listed(sentence: str, *near: str | tuple[int, str], lemma: str | None = "bank") -> Neighbors:
    """Return the neighbors of a sentence's second word: words, or sentences of "bank" with their row and their sense, if labeled."""
    entries = [
        TypeNeighbor(item, 0.5, 1)
        if isinstance(item, str)
        else Neighbor(Occurrence(item[0], "bank", (str(item[0]), "bank"), 1, item[1] or None, "bank" if item[1] else None), 0.5)
        for item in near
    ]
    return Neighbors(word=WordInContext(tuple(sentence.split()), 1), entries=entries, lemma=lemma)


SHORES = listed("the bank", (1, "shore"), (2, "shore"), (3, "money"))
FOREIGN = listed("a bank", (1, "<i>"), (4, ""))
BOTH = listed("the bank", (1, "shore"), (2, "money"))
TIED = listed("a bank", (1, "shore"), (2, "money"), (3, "<i>"))
LISTS = [
    (listed("the bank"), listed("a bank"), "2", "Both lists are empty."),
    (listed("the bank", "a"), listed("a bank"), "2", "One list is empty."),
    (listed("some jaguar", "a", "b"), listed("the bank", "b"), "2", "Two different words. At layer 2 their lists share 1 of 2."),
    (listed("two banks", "a", "b"), listed("the bank", "b"), "2", "Two forms of one word. At layer 2 their lists share 1 of 2."),
    (listed("the bank", "a"), listed("the bank", "a"), "2", "Both sentences are the same, so"),
    (listed("the bank", "a", "b"), listed("a BANK", "b", "a"), "mix", "In the layer mix the two lists have the same 2 in a different"),
    (listed("the bank", "a"), listed("a bank", "a"), "0", "At layer 0 the lists are identical: it reads only the spelling."),
    (listed("the bank", "a"), listed("a BANK", "a"), "0", "At layer 0 the two lists are identical."),
    (listed("the bank", "a", "b"), listed("a bank", "b", "c"), "1", "At layer 1 the lists share 1 of 2; GloVe’s are identical."),
    (SHORES, FOREIGN, "1", "share 1 of 3 sentences;|first sentence: 2 of 3 mean “shore”; second sentence: the only neighbor"),
    (BOTH, TIED, "1", "share 2 of 3|“shore” and “money” tie, 1 of 2 each; second sentence: 3 senses tie."),
    (listed("the bank", (1, "shore"), lemma=None), listed("a bank", (2, "shore"), lemma="wing"), "1", "share 0 of 1"),
]


@pytest.mark.parametrize(("first", "second", "layer", "lines"), LISTS)
def test_notices_on_neighbors_are_true(first: Neighbors, second: Neighbors, layer: str, lines: str):
    said = written(write_notices(first, second, layer, static_has=True))
    assert all(expected in line for expected, line in zip(lines.split("|"), said, strict=True)), said
    assert "<i>" not in " ".join(said)
    assert ("not in GloVe" in write_notices(first, second, layer, static_has=False)[0]) == ("GloVe’s" in said[0])


RIVER, MONEY = {"river": 1.0, "<money>": 0.0}, {"river": 0.0, "<money>": 1.0}
RIGHT = "Right for {} of 100 such pairs."


@pytest.mark.parametrize(
    ("probability", "shares", "title", "certainty"),
    [
        (0.9, None, "One meaning", RIGHT.format(90)),
        (0.4, None, "Too close to call", "Of 100 such pairs, 60 have two meanings, 40 have one."),
        (0.5, (RIVER, MONEY), "Too close to call", "Of 100 such pairs, 50 have two meanings, 50 have one."),
        (1.0, None, "One meaning", "Same sentence, same word."),
        (0.9, (RIVER, {"river": 0.75, "<money>": 0.25}), "One meaning: <i>river</i>", RIGHT.format(90)),
        (0.0, (RIVER, MONEY), "Two meanings: <i>river</i> and <i>&lt;money&gt;</i>", RIGHT.format(99)),
        (0.95, (RIVER, MONEY), "One meaning", RIGHT.format(95)),  # the senses do not agree with the verdict
        (0.1, (RIVER, {"river": 0.5, "<money>": 0.5}), "Two meanings", RIGHT.format(90)),  # no sense leads clearly
    ],
)
def test_sentences_on_a_verdict_are_true(probability: float, shares: tuple | None, title: str, certainty: str):
    item = Verdict(probability, "1", shares)
    assert (str(verdict.title_with_senses(item)), item.say_certainty()) == (title, certainty)
    assert verdict.say_verdict(item) == title.partition(":")[0]
