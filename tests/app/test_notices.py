"""Test that the sentences of notices are true for any numbers: empty, one, tied, missing, foreign."""

import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.analysis.axes import CLOSE as CLOSE_COSINE
from core.analysis.spaces import Comparison
from core.corpus.encoded import encode
from core.corpus.search import find
from core.figures.measures import Panel
from core.index.neighbors import Neighbor, TypeNeighbor
from core.index.rows import Occurrence
from core.senses import influence as inf
from core.senses.verdict import CLEAR, CLOSE, ONE, TWO, Verdict
from core.text.readings import WordInContext
from core.text.sentences import Sentence
from core.views.neighbors import Neighbors
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


def plain(lines: list[str]) -> str:
    """The lines in one, none of them empty, with no markup but our own."""
    said = " ".join(written(lines))
    assert all(line.strip() for line in lines) and not re.search(r"<(?!/?b>)", said)
    return said


@given(st.dictionaries(st.sampled_from(["0", "1", "2"]), SHARES, min_size=1), SHARES, st.sampled_from(["chance", "most frequent tag"]))
def test_about_names_the_best_layers_and_their_lead(accuracy: dict[str, float], baseline: float, name: str):
    said = plain(about._write_notices([Panel("Task", "data", accuracy, baseline, name)]))
    shown = {layer: f"{value:.1%}" for layer, value in accuracy.items()}
    top, low = f"{max(accuracy.values()):.1%}", f"{min(accuracy.values()):.1%}"
    if result := re.search(r"best at layer ([\d, ]+) \((.+?)\), weakest at layer ([\d, ]+);", said):
        assert result[2] == top != low
        assert result[1].split(", ") == [layer for layer, value in shown.items() if value == top]
        assert result[3].split(", ") == [layer for layer, value in shown.items() if value == low]
    else:
        assert top == low and f"{top} at layer {', '.join(accuracy)};" in said
    lead = 100 * (max(accuracy.values()) - baseline)
    beside = name if name == "chance" else f"the {name}"
    if result := re.search(r"([\d.]+) points (above|below) (.+)\.$", said):
        assert result[1] == f"{abs(lead):.1f}" != "0.0" and result[3] == beside and (result[2] == "above") == (lead > 0)
    else:
        assert f"{abs(lead):.1f}" == "0.0" and f"no better than {beside}." in said


@given(st.lists(st.integers(0, 3), min_size=1, max_size=12), SHARES, SHARES, st.sampled_from([[], [("<i>a", 1.5, 7)]]))
def test_compare_counts_shared_neighbors(shared: list[int], cka: float, p: float, halves: list):
    n, k = len(shared), 3
    first = np.tile(np.arange(k), (n, 1))
    second = np.array([[*range(s), *range(10, 10 + k - s)] for s in shared])
    words = tuple(f"w{j}" for j in range(n))
    both = {"first": first, "second": second, "cosines": (first, second), "shared": np.array(shared)}
    c = Comparison(words=words, **both, profile=np.zeros(n), chance=0.1, random=(0.2, 0.1))
    paired = SimpleNamespace(random=0.01, p=p, n=n)
    result = SimpleNamespace(names=("<i>a", "b"), comparison=c, cka_pair=cka, paired=paired, halves=halves, shift=None, shared=0)
    said = plain(compare.write_notices(result))
    assert f"<b>{np.mean(shared):.1f}</b> of a word’s {k} neighbors on average ({n:,} words" in said
    none = float(np.mean(np.array(shared) == 0))
    assert ("nearly every list is identical" in said) == all(s == k for s in shared)
    assert (f"{none:.0%} of words share none" in said) == (not all(s == k for s in shared))
    assert f"<b>{cka:.2f}</b>" in said and ("inconclusive" in said) == (p > compare.LEVEL)
    assert ("share 1.5 neighbors (7 words)" in " ".join(compare.describe_halves(result))) == bool(halves)


TOKENS = st.lists(st.sampled_from(["jam", "the", "배", "🎉", "<i>", "."]), min_size=1, max_size=6)


@given(
    st.lists(st.tuples(TOKENS, st.sampled_from(["one", "two", "<i>"])), min_size=1, max_size=5),
    st.sampled_from(["jam", "배", "<i>", "zebra"]),
)
@settings(deadline=None)
def test_search_counts_occurrences_and_adjacent_words(drawn: list, query: str):
    opened = encode([Sentence(tuple(tokens), document=name) for tokens, name in drawn])
    hits = find(opened, query)
    said = plain(concordance.describe_hits(opened, query, False, hits))
    n = sum(tokens.count(query) for tokens, _ in drawn)
    total = sum(len(tokens) for tokens, _ in drawn)
    assert len(hits) == n and ("does not occur" in said) == (n == 0)
    if not n:
        return
    once = "is the only token" if total == 1 else f"occurs once in {total:,} tokens"
    assert (once in said) == (n == 1) and (f"occurs {n:,} times" in said) == (n > 1)
    rates = {name: 0.0 for _, name in drawn}
    for name in rates:
        mine = [tokens for tokens, other in drawn if other == name]
        rates[name] = sum(tokens.count(query) for tokens in mine) / sum(map(len, mine))
    top = [name for name, rate in rates.items() if rate == max(rates.values())]
    if dense := re.search(r"densest in (.+?)\.", said):
        assert len(top) == 1 and dense[1] == top[0].replace("<", "&lt;").replace(">", "&gt;")
    else:
        assert len(rates) == 1 or len(top) > 1
    for step, where in ((-1, "after"), (1, "before")):
        beside = Counter(
            tokens[k + step]
            for tokens, _ in drawn
            for k, token in enumerate(tokens)
            if token == query and 0 <= k + step < len(tokens) and any(map(str.isalpha, tokens[k + step]))
        )
        match = re.search(rf"Most often {where} “(.+?)” \((\d+)\)", said)
        often = [word for word, times in beside.items() if times == max(beside.values())]
        if match:
            assert int(match[2]) == max(beside.values()) > 1
            assert sorted(match[1].replace("&lt;", "<").replace("&gt;", ">").split("”, “")) == sorted(often)
        else:
            assert not often or max(beside.values()) < 2 or len(often) > 3
    assert f"{total:,} token{'s are' if total > 1 else ' is'} few" in said


ANY_WORDS = st.sampled_from(["jam", "the", "배", "\u2060가", "🎉", "<b>", "a&b", ".", "x" * 60])


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


cosine = st.one_of(st.sampled_from([0.0, 0.5, 0.51, 1.0]), st.floats(-1, 1))


@given(st.lists(st.tuples(st.text("ab<", min_size=1, max_size=3), cosine, cosine), max_size=8), cosine, st.one_of(st.none(), cosine))
def test_map_counts_the_words_nearer_to_each_star(points, stars, large):
    near = np.array([[a for _, a, _ in points], [b for _, _, b in points]]).reshape(2, -1)
    lines = describe_leans([word for word, _, _ in points], near, "2", stars, large)
    message, lean = " ".join(written(lines)), near[0] - near[1]
    first, second = int((lean >= CLOSE_COSINE).sum()), int((lean <= -CLOSE_COSINE).sum())
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
def test_map_compares_accuracy_with_chance(where, best, zero, chance, usual, n, word):
    message = " ".join(written(describe_scores(word, (where, best), zero, chance, usual, n)))
    assert f"{best:.0%}" in message and f"Of {n} " in message and "<" not in re.sub("</?b>", "", message).replace("&lt;", "")
    inconclusive = best <= usual + 1e-9
    assert ("Inconclusive" in message) == inconclusive and f"chance {chance:.0%}" in message
    assert message.count("layer 0") == (where == "0" or not inconclusive)
    if not inconclusive and where != "0":
        assert f"(layer 0 {zero:.0%})" in message


@pytest.mark.parametrize("word", [None, "bar"])
def test_map_of_one_sense_states_no_accuracy(word):
    assert ("only one labeled sense" if word else "two senses") in describe_scores(word, ("0", 0.0), 0.0, 0.0, 0.0, 0)[0]
    assert not re.search(r"\d", " ".join(describe_scores(word, ("0", 0.0), 0.0, 0.0, 0.0, 0)))


SENSES = ("shore", "money", "<i>row</i>")


def neighbor(row: int, sense: str | None, lemma: str | None) -> Neighbor:
    return Neighbor(Occurrence(row, "bank", ("a", "bank"), 1, sense, lemma if sense else None), 0.5)


occurrences = st.lists(
    st.builds(neighbor, st.integers(0, 8), st.sampled_from([None, *SENSES]), st.sampled_from(["bank", "wing"])),
    max_size=6,
    unique_by=lambda n: n.occurrence.row,
)
types = st.lists(st.sampled_from("abcdef").map(lambda w: TypeNeighbor(w, 0.5, 1)), max_size=6, unique_by=lambda n: n.word)
target_sentences = st.sampled_from([("the", "bank"), ("a", "BANK"), ("some", "jaguar"), ("\u2060bank", "bank")])


@st.composite
def two_lists(draw) -> tuple[Neighbors, Neighbors]:
    kind = draw(st.sampled_from([occurrences, types]))
    first, second = draw(kind), draw(kind)
    if draw(st.booleans()):
        second = draw(st.permutations(first))
    lemmas = st.sampled_from([None, "bank"])
    return tuple(Neighbors(word=WordInContext(draw(target_sentences), 1), entries=each, lemma=draw(lemmas)) for each in (first, second))


def names(item: Neighbors) -> list:
    return [n.occurrence.row if isinstance(n, Neighbor) else n.word for n in item.entries]


@given(two_lists(), st.sampled_from(["0", "2", "mix", "senses"]), st.booleans())
def test_notices_on_neighbors_are_true(pair, layer, known):
    first, second = pair
    lines = written(write_notices(first, second, layer, static_has=known))
    a, b, message = names(first), names(second), " ".join(lines)
    assert len(lines) <= 2
    assert ("identical." in message.split("GloVe")[0]) <= (a == b != [])
    assert ("in a different order" in message) <= (set(a) == set(b) and a != b)
    assert ("Both lists are empty" in message) == (not a and not b)
    assert ("One list is empty" in message) == (bool(a) != bool(b))
    assert ("GloVe’s are identical" in message) <= (known and first.word.spelling == second.word.spelling)
    if shared := re.search(r"share (\d+) of (\d+)", message):
        assert (int(shared[1]), int(shared[2])) == (len(set(a) & set(b)), max(len(a), len(b)))
    assert "<i>" not in message
    for item, where in ((first, "first"), (second, "second")):
        own = [n.occurrence.sense for n in item.entries if isinstance(n, Neighbor) and n.occurrence.lemma == item.lemma == "bank"]
        assert not own or where in message  # labeled neighbors of the word are spoken of ...
        if not own and len(lines) == 2:
            assert where not in lines[1]  # ... and those of other words never


shares = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75]), min_size=2, max_size=3).map(
    lambda s: dict(zip(("river", "<money>", "row"), s, strict=False))
)
layers = st.sampled_from(["1", "2", "mix"])
verdicts = st.builds(Verdict, st.floats(0, 1), layers, st.none() | st.tuples(shares, shares), layers, st.booleans())


def leaders(of: dict[str, float]) -> list[str]:
    """The sense that leads clearly, alone; all that it does not lead clearly, with it."""
    return [sense for sense, share in of.items() if max(of.values()) - share < CLEAR]


@given(verdicts)
def test_sentences_on_a_verdict_are_true(item: Verdict):
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
