"""An auxiliary loss that makes the states keep the topic: beside the next word, each state also tells what comes later or came before.

Through a linear map of its own, (P, P) a layer and direction, every state predicts content words of its sentence: single words at
two distances drawn each step, under the same sampled softmax as the next word (several words ahead with one network, as Gloeckle et
al. 2024, "Better & Faster LLMs via Multi-token Prediction"), both further on in its reading direction or one of them among those it
has read; or the mean of the output vectors of those to come (continuous outputs, Kumar and Tsvetkov 2019). The maps are dropped after
the training: the model stays ELMo's.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor, nn

NEAREST = 2  # the next word is the language model's own
WORDS, AROUND, BAG = TARGETS = "words", "around", "bag"  # words ahead; one ahead, one behind, and so on; the mean of those ahead
RARITY = 1e-3  # a of the weights a / (a + p(word)) (Arora et al. 2017, "smooth inverse frequency")


class TopicMaps(nn.Module):
    """One map for each layer of each direction, to either side that is asked for; they begin as the identity."""

    def __init__(self, n_layers: int, projection: int, *, sides: int = 1) -> None:
        super().__init__()
        self.maps = nn.Parameter(torch.eye(projection).repeat(sides, 2, n_layers, 1, 1))  # (ahead, behind; directions; layers, P, P)

    def forward(self, layer: int, h: Tensor, *, backward: bool, behind: bool = False) -> Tensor:
        """States of a layer (n, P) -> what is compared with words further on, or behind, in the direction's reading, (n, P)."""
        return h @ self.maps[int(behind), int(backward), layer]


def rows_ahead(batch_sizes: list[int], distance: int, device: torch.device | None = None) -> tuple[Tensor, Tensor]:
    """Rows of every token that has one `distance` before it in its sentence, and the rows of those: (targets, contexts)."""
    starts = np.concatenate([[0], np.cumsum(batch_sizes)]).astype(np.int64)
    after = batch_sizes[distance:]
    targets = [np.arange(n) + s for n, s in zip(after, starts[distance:-1], strict=True)] or [np.arange(0)]
    contexts = [np.arange(n) + s for n, s in zip(after, starts[: len(after)], strict=True)] or [np.arange(0)]
    result = (torch.from_numpy(np.concatenate(rows)) for rows in (targets, contexts))
    return tuple(rows if device is None else rows.to(device) for rows in result)


def draw_distances(n: int, reach: int, generator: torch.Generator) -> list[int]:
    """`n` distances from NEAREST to `reach`, each once at most."""
    choice = torch.randperm(reach - NEAREST + 1, generator=generator)[:n] + NEAREST
    return choice.tolist()


def words_loss(
    states: Sequence[Tensor],
    mapped: Callable[..., Tensor],
    content: Tensor,
    batch_sizes: list[int],
    distances: list[tuple[int, bool]],
    softmax_loss: Callable[[Tensor, Tensor], Tensor],
) -> Tensor:
    """Sum over layers of the loss of the content words at those (distance, behind), the mean of each distance's mean. `mapped(layer, h,
    behind=)` is `TopicMaps`' for one direction; `softmax_loss(h, rows)` is the loss of the words that stand there."""
    results = []
    for distance, behind in distances:
        later, earlier = rows_ahead(batch_sizes, distance, content.device)
        rows, contexts = (earlier, later) if behind else (later, earlier)
        wanted = content[rows]
        if bool(wanted.any()):
            rows, contexts = rows[wanted], contexts[wanted]
            results += [softmax_loss(mapped(j, h[contexts], behind=behind), rows) for j, h in enumerate(states)]
    return torch.stack(results).sum() / len(distances) if results else states[0].new_zeros(())


def bag_loss(
    states: Sequence[Tensor], mapped: Callable[[int, Tensor], Tensor], vectors: Tensor, batch_sizes: list[int], reach: int
) -> Tensor:
    """Sum over layers of the mean of 1 - cosine to the sum of `vectors` (N, P) of the tokens NEAREST to `reach` further on. A token that is
    no content word has a vector of zeros."""
    bags = torch.zeros_like(vectors)
    for distance in range(NEAREST, min(reach, len(batch_sizes) - 1) + 1):
        rows, contexts = rows_ahead(batch_sizes, distance, bags.device)
        bags.index_add_(0, contexts, vectors[rows])
    some = (bags.square().sum(1) > 0).nonzero()[:, 0]
    if not len(some):
        return states[0].new_zeros(())
    bags = bags[some]
    cosines = [nn.functional.cosine_similarity(mapped(j, h[some]), bags).mean() for j, h in enumerate(states)]
    return len(states) - torch.stack(cosines).sum()
