"""Labeled spans of tokens, BIO tags and CoNLL's brackets; F1 as in conlleval; a linear-chain CRF and Viterbi decoding.

A span is right if its first token, last token and label are (Tjong Kim Sang & Buchholz 2000). An I- tag that continues nothing begins a span, as
in conlleval. IOB1 is read the same way. The CRF (Lafferty et al. 2001) is a custom implementation, since pytorch-crf was last released in 2019.
Its tests compare it with the sum over all paths.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import torch
from torch import Tensor, nn

from .task import Example

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
    """Return precision, recall and F1 of counts."""
    precision, recall = right / max(predicted, 1), right / max(gold, 1)
    return {"precision": precision, "recall": recall, "f1": 2 * precision * recall / max(precision + recall, 1e-12)}


FORBIDDEN = -1e4  # added to the score of a step that BIO does not allow


def bio_tags(labels: Sequence[str]) -> list[str]:
    """Return the K = 1 + 2 * labels tags."""
    return ["O", *(f"{begin}-{label}" for label in labels for begin in "BI")]


def true_tags(examples: Sequence[Example], tags: Sequence[str], width: int) -> Tensor:
    """Return tag numbers (B, T) of one-sentence examples whose targets are spans. Labels without a tag become O; padding is -1."""
    number = {tag: k for k, tag in enumerate(tags)}
    rows = torch.full((len(examples), width), -1)
    for row, example in zip(rows, examples, strict=True):
        sentence = tags_of(example.target, len(example.passages[0][0]))
        row[: len(sentence)] = torch.tensor([number.get(tag, 0) for tag in sentence])
    return rows


def bio_rules(tags: Sequence[str]) -> tuple[Tensor, Tensor]:
    """Return (K, K) for steps and (K,) for the first tag: 0 where BIO allows it, FORBIDDEN where an I- tag would continue nothing."""
    steps, first = torch.zeros(len(tags), len(tags)), torch.zeros(len(tags))
    for k, tag in enumerate(tags):
        if tag.startswith("I-"):
            first[k] = FORBIDDEN
            for j, before in enumerate(tags):
                if before[2:] != tag[2:] or before == "O":
                    steps[j, k] = FORBIDDEN
    return steps, first


def viterbi(scores: Tensor, steps: Tensor, first: Tensor) -> list[int]:
    """Return the best path of T tags for scores (T, K), steps (K, K) and first tags (K,)."""
    best = scores[0] + first
    back = []
    for row in scores[1:]:
        through, which = (best[:, None] + steps).max(dim=0)
        best = through + row
        back.append(which)
    path = [int(best.argmax())]
    for which in reversed(back):
        path.append(int(which[path[-1]]))
    return path[::-1]


class CRF(nn.Module):
    """Learned scores of steps between tags, with steps that BIO forbids."""

    def __init__(self, tags: Sequence[str]) -> None:
        super().__init__()
        self.steps, self.first = nn.Parameter(torch.zeros(len(tags), len(tags))), nn.Parameter(torch.zeros(len(tags)))
        rules = bio_rules(tags)
        self.register_buffer("step_rules", rules[0], persistent=False)
        self.register_buffer("first_rules", rules[1], persistent=False)

    def loss(self, scores: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Return the mean negative log-likelihood of the paths `tags` (B, T) given scores (B, T, K). The mask begins every row."""
        return (self._partition(scores, mask) - self._of_path(scores, tags, mask)).mean()

    def best(self, scores: Tensor) -> list[int]:
        """Return the best path of one text, T tags for scores (T, K)."""
        return viterbi(scores, self.steps + self.step_rules, self.first + self.first_rules)

    def _partition(self, scores: Tensor, mask: Tensor) -> Tensor:
        """Return the log of the sum over all paths (B,)."""
        total, steps = scores[:, 0] + self.first + self.first_rules, self.steps + self.step_rules
        for k in range(1, scores.shape[1]):
            longer = torch.logsumexp(total[:, :, None] + steps, dim=1) + scores[:, k]  # (B, K)
            total = torch.where(mask[:, k, None], longer, total)
        return torch.logsumexp(total, dim=1)

    def _of_path(self, scores: Tensor, tags: Tensor, mask: Tensor) -> Tensor:
        """Return the score of each given path (B,)."""
        emitted = (scores.gather(2, tags[..., None])[..., 0] * mask).sum(dim=1)
        steps = ((self.steps + self.step_rules)[tags[:, :-1], tags[:, 1:]] * mask[:, 1:]).sum(dim=1)
        return emitted + steps + (self.first + self.first_rules)[tags[:, 0]]
