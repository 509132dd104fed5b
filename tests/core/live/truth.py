"""Pairs of bundled sentences with core's answers, with which those of the page are compared."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

from core.text.readings import WordInContext
from core.text.tokens import join_tokens
from core.views import neighbors, pair, substitutes
from core.views.neighbors import NeighborsRequest
from core.views.pair import PairRequest
from core.views.substitutes import SubstitutesRequest
from core.workspace import Workspace

SAYS = {"one meaning": "one", "two meanings": "two", "too close to call": "close"}
NEAR = 10


@dataclass(frozen=True, slots=True)
class Truth:
    """Two words in context, and core's answers."""

    words: tuple[WordInContext, WordInContext]
    cosines: dict[str, float]
    says: str
    static: float | None
    substitutes: tuple[list[str], ...]
    near: tuple[list[int], ...]  # rows, at layer 1

    @property
    def tokens(self) -> list[list[str]]:
        return [list(word.tokens) for word in self.words]

    @property
    def texts(self) -> list[str]:
        return [join_tokens(tokens) for tokens in self.tokens]

    @property
    def tapped(self) -> list[dict]:
        return [{"position": word.position, "word": word.word} for word in self.words]


def truths(workspace: Workspace, n: int) -> Iterable[Truth]:
    """Yield n pairs over all labeled words in turn, of one meaning and of two by halves."""
    table, draw = workspace.targets.basic, random.Random(0)
    for k in range(n):
        rows = table.labeled_rows(table.lemmas[k % len(table.lemmas)]).tolist()
        first = draw.choice(rows)
        like = [row for row in rows if row != first and (table.sense[row] == table.sense[first]) == bool(k % 2)]
        items = [table.occurrence(row) for row in (first, draw.choice(like))]
        words = tuple(WordInContext(item.tokens, item.position) for item in items)
        known = pair.compute(workspace, PairRequest(first=words[0], second=words[1]))
        near = [neighbors.compute(workspace, NeighborsRequest(word=word, space="1", every_token=False, k=NEAR)) for word in words]
        yield Truth(
            *(words, dict(known.cosines), SAYS[known.judgment.verdict.says], known.static),
            tuple([item.word for item in side.substitutes] for side in substitutes.compute(workspace, SubstitutesRequest(words=words))),
            tuple([entry.occurrence.row for entry in side.entries] for side in near),
        )


def compare(truth: Truth, answer: dict) -> dict[str, float]:
    pairs, listed = answer["pair"], [_nearest(part) for part in answer["around"]["parts"]]
    own, verdict = [[word for word, _ in side["words"]][:5] for side in pairs["expected"]], pairs["judgment"]["verdict"]
    return {
        "cosine": max(abs(value - truth.cosines[space]) for space, value in zip(pairs["spaces"], pairs["values"], strict=True)),
        "static": abs((pairs["cosine"] or 0.0) - (truth.static or 0.0)),
        "same_verdict": float(verdict is not None and verdict["says"] == truth.says),
        "substitutes": sum(len({*a[:5]} & {*b}) for a, b in zip(truth.substitutes, own, strict=True)) / 2,
        "near": sum(len({*a} & {*b}) for a, b in zip(truth.near, listed, strict=True)) / 2,
    }


def _nearest(part: dict) -> list[int]:
    """Return the nearest rows at layer 1, computed from the products of layers that the sliders use."""
    cross, grams = part["cross"], part["grams"]
    cosines = [cross[9 * k + 4] / max(grams[6 * k + 3], 1e-9) ** 0.5 for k in range(len(part["rows"]))]
    return [part["rows"][k] for k in sorted(range(len(cosines)), key=lambda k: -cosines[k])[:NEAR]]
