"""Labeled spans of tokens: conversion from and to BIO tags and CoNLL's brackets, and precision, recall and F1 as in conlleval.

A span is right if its first token, last token and label are (Tjong Kim Sang & Buchholz 2000). An I- tag that continues nothing begins a
span, as in conlleval. IOB1 is read the same way.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

Labeled = tuple[int, int, str]  # first token, last token, label


def spans_of(tags: Sequence[str]) -> list[Labeled]:
    """BIO (or IOB1) tags -> spans in their order.

    >>> spans_of(["B-person", "I-person", "O", "I-place"])
    [(0, 1, 'person'), (3, 3, 'place')]
    """
    spans: list[Labeled] = []
    inside = False
    for k, tag in enumerate(tags):
        kind, _, label = tag.partition("-")
        if kind == "O":
            inside = False
        elif kind == "I" and inside and spans[-1][2] == label:
            spans[-1] = (spans[-1][0], k, label)
        else:
            spans.append((k, k, label))
            inside = True
    return spans


def tags_of(spans: Iterable[Labeled], length: int) -> list[str]:
    """Return the BIO tags of a sentence of `length` tokens for spans that do not overlap."""
    tags = ["O"] * length
    for first, last, label in spans:
        tags[first : last + 1] = [f"B-{label}", *[f"I-{label}"] * (last - first)]
    return tags


def spans_of_brackets(column: Sequence[str]) -> list[Labeled]:
    """One predicate's column of CoNLL-2005 ("(ARG0*", "*", "*)") -> spans; ValueError where a bracket has no other half.

    >>> spans_of_brackets(["(ARG0*", "*)", "(V*)", "*"])
    [(0, 1, 'ARG0'), (2, 2, 'V')]
    """
    results = []
    opened = None
    for k, cell in enumerate(column):
        before, star, after = cell.partition("*")
        if not star or before.count("(") > 1 or after not in ("", ")") or (before and not before.startswith("(")):
            raise ValueError(f"{cell!r} is no cell of brackets")
        if before:
            if opened is not None:
                raise ValueError(f"{cell!r} opens within another argument")
            opened = k, before[1:]
        if after:
            if opened is None:
                raise ValueError(f"{cell!r} closes what was not opened")
            results.append((opened[0], k, opened[1]))
            opened = None
    if opened is not None:
        raise ValueError(f"{opened[1]} is not closed")
    return results


def join_arguments(spans: Iterable[Labeled]) -> list[tuple]:
    """Prepare arguments as CoNLL-2005's scorer does: without the verb, a C- part joined to the last argument of its role before it.

    Each is (role, (first, last), (first, last) of its continuation, ...).
    """
    rows: list[tuple] = []
    for first, last, label in sorted(spans):
        if label == "V" or label == "C-V":
            continue
        role = label.removeprefix("C-")
        earlier = next((k for k in reversed(range(len(rows))) if rows[k][0] == role), None) if label != role else None
        if earlier is None:
            rows.append((role, (first, last)))
        else:
            rows[earlier] = (*rows[earlier], (first, last))
    return rows


def span_f1(gold: Iterable[Iterable], predicted: Iterable[Iterable]) -> dict[str, float]:
    """Return precision, recall and F1 over the spans of all sentences, each counted as often as it occurs."""
    right = n_gold = n_predicted = 0
    for truth, predicted_spans in zip(gold, predicted, strict=True):
        truth, predicted_spans = Counter(truth), Counter(predicted_spans)
        right += (truth & predicted_spans).total()
        n_gold, n_predicted = n_gold + truth.total(), n_predicted + predicted_spans.total()
    return f1(right, n_predicted, n_gold) | {"gold": n_gold, "predicted": n_predicted, "right": right}


def f1(right: int, predicted: int, gold: int) -> dict[str, float]:
    precision, recall = right / max(predicted, 1), right / max(gold, 1)
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / max(precision + recall, 1e-12)}
