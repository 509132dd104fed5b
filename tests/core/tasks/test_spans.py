"""Test spans as tags and brackets, their counts against the scorers of CoNLL, and the CRF against all paths."""

from itertools import pairwise, product

import pytest
import torch

from core.tasks.spans import CRF, join_arguments, span_f1, spans_of, spans_of_brackets, tags_of


@pytest.mark.parametrize(
    ("gold", "said", "right", "n_said", "n_gold"),
    [
        # the worked example of seqeval's README: one name begun a word too early, one right, F1 of 0.50
        (["O O O B-MISC I-MISC I-MISC O", "B-PER I-PER O"], ["O O B-MISC I-MISC I-MISC I-MISC O", "B-PER I-PER O"], 1, 2, 2),
        (["B-A I-A O B-B", "O B-A O O"], ["B-A I-A O B-A", "O O O O"], 1, 2, 3),
        (["O O"], ["O O"], 0, 0, 0),
    ],
)
def test_spans_are_counted_as_by_hand(gold, said, right, n_said, n_gold):
    result = span_f1([spans_of(row.split()) for row in gold], [spans_of(row.split()) for row in said])
    assert (result["right"], result["predicted"], result["gold"]) == (right, n_said, n_gold)
    assert (result["precision"], result["recall"]) == pytest.approx((right / max(n_said, 1), right / max(n_gold, 1)))
    assert result["f1"] == pytest.approx(2 * right / max(n_said + n_gold, 1))


def test_spans_are_read_from_tags_as_by_conlleval_and_from_complete_brackets_of_conll_2005():
    assert spans_of(["O", "I-A", "I-A", "I-B", "B-B", "O", "I-B"]) == [(1, 2, "A"), (3, 3, "B"), (4, 4, "B"), (6, 6, "B")]
    tags = ["O", "B-A", "I-A", "B-A", "B-B", "O"]
    assert tags_of(spans_of(tags), len(tags)) == tags
    assert spans_of_brackets(["(ARG0*", "*)", "(V*)", "*", "(ARGM-TMP*)"]) == [(0, 1, "ARG0"), (2, 2, "V"), (4, 4, "ARGM-TMP")]
    for column in (["(ARG0*"], ["*)"], ["(A*", "(B*)"], ["ARG0"], ["(A*", "*))"]):
        with pytest.raises(ValueError):
            spans_of_brackets(column)


def test_arguments_are_compared_without_the_verb_and_with_their_continuation():
    gold = [(0, 0, "ARG1"), (1, 1, "V"), (3, 4, "C-ARG1"), (5, 5, "ARG0")]
    assert join_arguments(gold) == [("ARG1", (0, 0), (3, 4)), ("ARG0", (5, 5))]
    half = [(0, 0, "ARG1"), (1, 1, "V"), (5, 5, "ARG0")]  # half of a split argument is wrong
    result = span_f1([join_arguments(gold)], [join_arguments(half)])
    assert (result["right"], result["predicted"], result["gold"]) == (1, 2, 2)


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


def test_the_loss_is_the_share_of_a_path_among_all_and_the_best_path_the_best_of_all(crf):
    scores = torch.randn(2, 4, len(TAGS))
    lengths, tags = (4, 2), torch.tensor([[1, 2, 0, 3], [0, 3, 0, 0]])
    mask = torch.arange(4) < torch.tensor(lengths)[:, None]
    expected = []
    for row, n in enumerate(lengths):
        every = torch.stack([path_score(crf, scores[row], path) for path in product(range(len(TAGS)), repeat=n)])
        expected.append(every.logsumexp(0) - path_score(crf, scores[row], tuple(tags[row, :n].tolist())))
    assert torch.allclose(crf.loss(scores, tags, mask), torch.stack(expected).mean(), atol=1e-4)
    for seed in range(5):
        scores = torch.randn(4, len(TAGS), generator=torch.Generator().manual_seed(seed))
        best = max(product(range(len(TAGS)), repeat=4), key=lambda path: float(path_score(crf, scores, path).detach()))
        assert crf.best(scores) == list(best)
