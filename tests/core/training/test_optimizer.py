"""The orthogonal momentum: its step against the singular value decomposition, by hand, and on a quadratic."""

import pytest
import torch

from core.training.trainer import LIKE_ADAM, OrthogonalMomentum, orthogonal


def test_a_block_becomes_its_nearest_orthonormal_one_which_is_u_v_of_its_singular_values():
    torch.manual_seed(0)
    blocks = torch.randn(3, 9, 4)
    u, _, v = torch.linalg.svd(blocks, full_matrices=False)
    torch.testing.assert_close(orthogonal(blocks), u @ v, atol=1e-5, rtol=0)


def test_a_block_of_one_direction_moves_in_that_direction_alone_and_zeros_remain():
    block = torch.zeros(1, 4, 2)
    assert torch.equal(orthogonal(block), block)
    block[0, :, 0] = 3.0
    assert orthogonal(block)[0].tolist() == [[0.5, 0.0]] * 4


@pytest.mark.parametrize("shape", [(16, 3), (3, 8)])
def test_a_step_has_the_size_that_adam_would_have_whatever_the_gradients_size(shape):
    """Two stacked blocks of 8 rows, and one turned: root mean square LIKE_ADAM * lr * sqrt(rows / (rows * cols) * cols)."""
    torch.manual_seed(1)
    for scale in (1e-4, 1.0, 1e4):
        weight = torch.nn.Parameter(torch.zeros(shape))
        weight.grad = torch.randn(shape) * scale
        OrthogonalMomentum([weight], lr=0.5, rows=8).step()
        assert weight.detach().square().mean().sqrt().item() == pytest.approx(0.5 * LIKE_ADAM, rel=1e-3)


def test_stacked_blocks_move_independently():
    torch.manual_seed(2)
    weight = torch.nn.Parameter(torch.zeros(16, 3))
    weight.grad = torch.cat([torch.randn(8, 3), torch.randn(8, 3) * 1000])
    alone = torch.nn.Parameter(torch.zeros(8, 3))
    alone.grad = weight.grad[:8].clone()
    for p in (weight, alone):
        OrthogonalMomentum([p], lr=0.1, rows=8).step()
    torch.testing.assert_close(weight[:8], alone)


def test_it_finds_the_least_of_a_badly_scaled_quadratic():
    torch.manual_seed(3)
    goal, scale = torch.randn(8, 3), torch.tensor([100.0, 1.0, 0.01])
    weight = torch.nn.Parameter(torch.zeros(8, 3))
    optimizer = OrthogonalMomentum([weight], lr=0.5, rows=8)
    for step in range(300):
        optimizer.param_groups[0]["lr"] = 0.5 * (1 - step / 300)
        weight.grad = scale * (weight.detach() - goal)
        optimizer.step()
    assert (weight - goal).abs().max() < 0.1
