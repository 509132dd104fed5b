"""The CRF and Viterbi against every path written out."""

from itertools import pairwise, product

import pytest
import torch

from core.tasks.spans import CRF, bio_rules, viterbi

TAGS = ["O", "B-a", "I-a", "B-b", "I-b"]


@pytest.fixture
def crf() -> CRF:
    torch.manual_seed(3)
    crf = CRF(TAGS)
    torch.nn.init.normal_(crf.steps)
    torch.nn.init.normal_(crf.first)
    return crf


def path_score(crf: CRF, scores: torch.Tensor, path: tuple[int, ...]) -> torch.Tensor:
    first, steps = crf.first + crf.first_rules, crf.steps + crf.step_rules
    return first[path[0]] + sum(scores[k, tag] for k, tag in enumerate(path)) + sum(steps[a, b] for a, b in pairwise(path))


def test_the_loss_is_the_share_of_a_path_among_all(crf):
    scores = torch.randn(2, 4, len(TAGS))
    lengths, tags = (4, 2), torch.tensor([[1, 2, 0, 3], [0, 3, 0, 0]])
    mask = torch.arange(4) < torch.tensor(lengths)[:, None]
    expected = []
    for row, n in enumerate(lengths):
        every = torch.stack([path_score(crf, scores[row], path) for path in product(range(len(TAGS)), repeat=n)])
        expected.append(every.logsumexp(0) - path_score(crf, scores[row], tuple(tags[row, :n].tolist())))
    assert torch.allclose(crf.loss(scores, tags, mask), torch.stack(expected).mean(), atol=1e-4)


def test_the_best_path_is_the_best_of_all(crf):
    for seed in range(5):
        scores = torch.randn(4, len(TAGS), generator=torch.Generator().manual_seed(seed))
        best = max(product(range(len(TAGS)), repeat=4), key=lambda path: float(path_score(crf, scores, path).detach()))
        assert crf.best(scores) == list(best)


def test_no_path_breaks_the_rules_of_bio():
    steps, first = bio_rules(TAGS)
    for seed in range(20):
        scores = 5 * torch.randn(6, len(TAGS), generator=torch.Generator().manual_seed(seed))
        tags = [TAGS[k] for k in viterbi(scores, steps, first)]
        for before, tag in zip(["O", *tags], tags, strict=False):
            assert not tag.startswith("I-") or before[2:] == tag[2:], tags
