"""What the pages What it knows, Spelling, Compare, Results and Your corpus say is true of any numbers: empty, one, tied,
missing, foreign."""

import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from core.analysis.spaces import Comparison
from core.analysis.spelling import Firing, Window
from core.corpus.encoded import encode
from core.corpus.search import find
from core.figures.measures import Panel
from core.static.vectors import StaticNeighbor
from core.text.sentences import Sentence
from pages._classify import results
from pages._how import spellings
from pages._models import about, compare
from pages._texts import concordance
from tests.app.visit import written

WORDS = st.sampled_from(["jam", "the", "배", "\u2060가", "🎉", "<i>", "a&b", ".", "x" * 60])
SHARES = st.one_of(st.sampled_from([0.0, 0.25, 0.5, 0.50004, 1.0]), st.floats(0, 1))


def plain(lines: list[str]) -> str:
    """The lines in one, none of them empty, with no markup but our own."""
    said = " ".join(written(lines))
    assert all(line.strip() for line in lines) and not re.search(r"<(?!/?b>)", said)
    return said


@given(st.dictionaries(st.sampled_from(["0", "1", "2"]), SHARES, min_size=1), SHARES, st.sampled_from(["chance", "most frequent tag"]))
def test_what_it_knows_names_the_best_layers_and_their_lead(accuracy: dict[str, float], baseline: float, name: str):
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
def test_compare_says_how_many_neighbors_stay(shared: list[int], cka: float, p: float, halves: list):
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
def test_a_search_says_how_often_and_beside_what(drawn: list, query: str):
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
