"""The biLM against plain numpy loops written from its equations, and the gradient of its time loop against differences."""

from collections.abc import Iterator

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.config import ModelShape
from core.elmo import recurrence
from core.elmo.model import BiLM, CharacterCNN, ProjectedLSTM
from core.text.tokens import character_ids

TINY = ModelShape(filters=((1, 4), (2, 4), (3, 6)), hidden=7, projection=5, n_highway=2)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def numpy_steps(layer: ProjectedLSTM, x: np.ndarray, clips: tuple[float, float] = (3.0, 3.0)) -> Iterator[dict[str, np.ndarray]]:
    """The steps over one sentence (T, P) by Sak et al. (2014), eqs. 1-7, without peepholes."""
    w_x, w_h, b, w_p = (p.detach().double().numpy() for p in (layer.input_weight, layer.state_weight, layer.bias, layer.projection))
    h, c = np.zeros(w_p.shape[0]), np.zeros(w_p.shape[1])
    for x_t in x:
        i, f, o, g = np.split(w_x @ x_t + w_h @ h + b, 4)
        i, f, o, g, before = sigmoid(i), sigmoid(f), sigmoid(o), np.tanh(g), c
        c = np.clip(f * c + i * g, -clips[0], clips[0])
        hidden = o * np.tanh(c)
        h = np.clip(w_p @ hidden, -clips[1], clips[1])
        gates = {"input_gate": i, "forget_gate": f, "output_gate": o, "candidate": g}
        yield gates | {"cell_before": before, "cell": c, "hidden": hidden, "output": h}


def test_character_cnn_is_convolutions_maximum_relu_highway_and_projection():
    torch.manual_seed(2)
    cnn = CharacterCNN(TINY)
    ids = character_ids(["bank", "\ud55c"])
    table = cnn.embedding.weight.detach().numpy()
    for token, row in zip(cnn(torch.from_numpy(ids)).detach().numpy(), ids, strict=True):
        x, pooled = table[row], []  # (50, 16)
        for conv, (width, count) in zip(cnn.convolutions, TINY.filters, strict=True):
            w, b = conv.weight.detach().numpy(), conv.bias.detach().numpy()  # (n, 16, width)
            answers = [[(x[s : s + width].T * w[k]).sum() + b[k] for s in range(51 - width)] for k in range(count)]
            pooled += [max(0.0, max(row)) for row in answers]
        y = np.array(pooled)
        for highway in cnn.highways:  # eq. 3 of Srivastava et al. (2015)
            w_t, b_t, w_c, b_c = (p.detach().numpy() for p in (*highway.transform.parameters(), *highway.carry.parameters()))
            gate = sigmoid(w_c @ y + b_c)
            y = gate * np.maximum(w_t @ y + b_t, 0) + (1 - gate) * y
        w, b = (p.detach().numpy() for p in cnn.projection.parameters())
        np.testing.assert_allclose(token, w @ y + b, atol=1e-5)


@pytest.fixture(scope="module")
def biased_cnn() -> CharacterCNN:
    """Filters whose strongest answer can be padding alone."""
    torch.manual_seed(3)
    cnn = CharacterCNN(ModelShape(filters=((1, 3), (2, 3), (7, 5)), hidden=2, projection=2)).eval().requires_grad_(False)
    for conv in cnn.convolutions:
        conv.bias.uniform_(-0.5, 0.5)
    return cnn


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6))
@settings(max_examples=60)
def test_leaving_out_the_padding_behind_the_end_mark_changes_no_filter(biased_cnn, words):
    cnn = biased_cnn
    with torch.no_grad():
        ids = torch.from_numpy(character_ids(words))
        x = cnn.embedding(ids).transpose(1, 2)  # all 50 characters
        full = torch.cat([torch.relu(conv(x)).amax(dim=2) for conv in cnn.convolutions], dim=1)
        torch.testing.assert_close(cnn.pooled(ids), full, atol=1e-6, rtol=0)


@pytest.mark.parametrize(("clips", "bite"), [((3.0, 3.0), False), ((0.2, 0.1), True), ((np.inf, np.inf), False)])
def test_projected_lstm_equals_a_plain_loop_over_its_equations(clips, bite):
    torch.manual_seed(4)
    layer = ProjectedLSTM(ModelShape(filters=((1, 1),), hidden=7, projection=5, cell_clip=clips[0], projection_clip=clips[1]))
    x = torch.randn(9, 5)
    steps = list(numpy_steps(layer, x.double().numpy(), clips))
    assert [np.abs([step[name] for step in steps]).max() == clip for name, clip in zip(("cell", "output"), clips, strict=True)] == [
        bite
    ] * 2
    with torch.no_grad():
        out, (h, c) = layer(x, [1] * 9)
    np.testing.assert_allclose(out.numpy(), [step["output"] for step in steps], atol=1e-6)
    np.testing.assert_allclose(h[0].numpy(), steps[-1]["output"], atol=1e-6)
    np.testing.assert_allclose(c[0].numpy(), steps[-1]["cell"], atol=1e-6)


def test_forget_gate_starts_open_and_the_other_gates_at_zero():
    bias = ProjectedLSTM(TINY).bias.detach().split(TINY.hidden)
    assert [part.unique().tolist() for part in bias] == [[0.0], [1.0], [0.0], [0.0]]


@pytest.mark.parametrize("skip", [True, False])
def test_both_stacks_are_plain_loops_with_or_without_skip_connections(skip):
    torch.manual_seed(5)
    model = BiLM(ModelShape(filters=((1, 1),), hidden=6, projection=4, n_layers=3, skip_connections=skip)).requires_grad_(False)
    x = torch.randn(6, 4)
    for backward, layers in ((False, model.forward_layers), (True, model.backward_layers)):
        expected = x.double().numpy()
        outputs, _ = model.run_direction(x, [1] * 6, backward=backward)
        assert len(outputs) == 3
        for j, (layer, output) in enumerate(zip(layers, outputs, strict=True)):
            expected = np.array([step["output"] for step in numpy_steps(layer, expected)]) + (expected if skip and j else 0)
            np.testing.assert_allclose(output.numpy(), expected, atol=1e-5)


def _weights(hidden=4, projection=3, scale=1.5):
    torch.manual_seed(6)
    shapes = ((4 * hidden, projection), (4 * hidden, projection), (4 * hidden,), (projection, hidden))
    return [(scale * torch.randn(*s, dtype=torch.double)).requires_grad_() for s in shapes]


BATCH_SIZES = [3, 3, 2, 1, 1]  # three sentences of 5, 3 and 2 tokens


@pytest.mark.parametrize("clips", [(0.5, 0.9), (3.0, 3.0), (float("inf"), float("inf"))])
def test_the_written_out_gradient_of_the_loop_is_right_also_where_clips_bite(clips):
    weights, x = _weights(), torch.randn(10, 3, dtype=torch.double, requires_grad=True)
    out = recurrence._Recurrence.apply(x, BATCH_SIZES, clips, *weights)
    clipped = (out.abs() == clips[1]).sum().item()
    assert (0 < clipped < out.numel()) if clips[1] < 1 else not clipped
    assert torch.autograd.gradcheck(lambda x, *w: recurrence._Recurrence.apply(x, BATCH_SIZES, clips, *w), (x, *weights))


@pytest.mark.parametrize("clips", [(0.5, 0.4), (50.0, 50.0)])
def test_compiled_cells_give_the_loops_outputs_and_gradients_also_where_clips_bite(clips):
    exact = [torch.randn(10, 3, dtype=torch.double), *(w.detach() for w in _weights(hidden=24, scale=0.5))]
    pull, result = torch.randn(10, 3), []
    for loop, inputs in ((recurrence._Recurrence, exact), (recurrence._Fused, [x.float() for x in exact])):
        inputs = [x.clone().requires_grad_() for x in inputs]
        out = loop.apply(inputs[0], BATCH_SIZES, clips, *inputs[1:])
        result.append([out, *torch.autograd.grad((out * pull).sum(), inputs)])
    clipped = (result[0][0].abs() == clips[1]).sum().item()
    assert (0 < clipped < 30) if clips[1] < 1 else not clipped
    for plain, ours in zip(*result, strict=True):
        torch.testing.assert_close(ours.double(), plain, atol=2e-5, rtol=1e-4)


@pytest.mark.parametrize("clips", [(0.5, 0.9), (3.0, 3.0)])
@pytest.mark.parametrize("block_bytes", [128 << 20, 1])
def test_inference_and_training_run_the_same_loop(clips, block_bytes, monkeypatch):
    monkeypatch.setattr(recurrence, "BLOCK_BYTES", block_bytes)
    weights, x = [w.detach() for w in _weights()], torch.randn(10, 3, dtype=torch.double)
    out, (h, c) = recurrence._infer(x, BATCH_SIZES, clips, *weights, None)
    torch.testing.assert_close(out, recurrence._Recurrence.apply(x, BATCH_SIZES, clips, *weights), atol=1e-12, rtol=0)
    torch.testing.assert_close(h, out[[9, 7, 5]], atol=0, rtol=0)  # each sentence's last output, longest first
    assert c.shape == (3, 4)


def test_a_sentence_cut_in_two_with_its_state_handed_on_gives_the_same_outputs():
    weights, x = [w.detach() for w in _weights()], torch.randn(8, 3, dtype=torch.double)
    whole, _ = recurrence._infer(x, [1] * 8, (3.0, 3.0), *weights, None)
    first, state = recurrence._infer(x[:5], [1] * 5, (3.0, 3.0), *weights, None)
    kept = [part.clone() for part in state]
    second, _ = recurrence._infer(x[5:], [1] * 3, (3.0, 3.0), *weights, state)
    torch.testing.assert_close(torch.cat([first, second]), whole, atol=1e-12, rtol=0)
    for before, after in zip(kept, state, strict=True):  # the state that was given is not written into
        torch.testing.assert_close(before, after, atol=0, rtol=0)
    assert recurrence._infer(x[:0], [], (3.0, 3.0), *weights, None)[0].shape == (0, 3)


def test_options_json_and_shape_are_each_others_inverse():
    for shape in (ModelShape(), TINY, ModelShape(skip_connections=False, n_layers=1)):
        assert ModelShape.from_options(shape.to_options()) == shape
