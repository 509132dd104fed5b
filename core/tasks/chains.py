"""Tag sequences: BIO tags, a linear-chain CRF (Lafferty et al. 2001), and Viterbi decoding under the rules of BIO.

The CRF is a custom implementation, since pytorch-crf was last released in 2019. Its tests compare it with the sum over all paths.
"""

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from .spans import tags_of
from .task import Example

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
