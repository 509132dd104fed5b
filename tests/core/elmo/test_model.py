"""The biLM against plain numpy loops of its equations, the gradient of its time loop against differences, and weights in fewer bits."""

import json
from collections.abc import Iterator
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import expit

from core.cli.main import main
from core.common.config import FLOAT16, FLOAT32, INT8, PRECISIONS, ModelShape
from core.common.errors import BadInput
from core.elmo import model as model_module
from core.elmo import recurrence
from core.elmo.encoder import Encoder
from core.elmo.model import BiLM, CharacterCNN, ProjectedLSTM
from core.elmo.models import open_model
from core.elmo.weights import save_hdf5
from core.text.tokens import character_ids
from tests.bench.precision import COSINE, OVERLAP, _near


def numpy_steps(layer: ProjectedLSTM, x: np.ndarray, clips: tuple[float, float] = (3.0, 3.0)) -> Iterator[dict[str, np.ndarray]]:
    """The steps over one sentence (T, P) by Sak et al. (2014), eqs. 1-7, without peepholes."""
    w_x, w_h, b, w_p = (p.detach().double().numpy() for p in (layer.input_weight, layer.state_weight, layer.bias, layer.projection))
    h, c = np.zeros(w_p.shape[0]), np.zeros(w_p.shape[1])
    for x_t in x:
        i, f, o, g = np.split(w_x @ x_t + w_h @ h + b, 4)
        c = np.clip(expit(f) * c + expit(i) * np.tanh(g), -clips[0], clips[0])
        h = np.clip(w_p @ (expit(o) * np.tanh(c)), -clips[1], clips[1])
        yield {"cell": c, "output": h}


@given(st.lists(st.text(max_size=60), min_size=1, max_size=6))
@settings(max_examples=60)
def test_leaving_out_the_padding_behind_the_end_mark_changes_no_filter(words):
    torch.manual_seed(3)
    cnn = CharacterCNN(ModelShape(filters=((1, 3), (2, 3), (7, 5)), hidden=2, projection=2))
    with torch.no_grad():
        for conv in cnn.convolutions:
            conv.bias.uniform_(-0.5, 0.5)  # a filter's strongest answer can be to padding alone
        ids = torch.from_numpy(character_ids(words))
        x = cnn.embedding(ids).transpose(1, 2)  # all 50 characters
        full = torch.cat([torch.relu(conv(x)).amax(dim=2) for conv in cnn.convolutions], dim=1)
        torch.testing.assert_close(cnn.pooled(ids), full, atol=1e-6, rtol=0)


@pytest.mark.parametrize(("clips", "bite"), [((3.0, 3.0), False), ((0.2, 0.1), True), ((np.inf, np.inf), False)])
@pytest.mark.parametrize("skip", [True, False])
def test_both_stacks_are_plain_loops_over_the_equations_with_or_without_skip_connections(clips, bite, skip):
    torch.manual_seed(5)
    shape = {"n_layers": 3, "skip_connections": skip, "cell_clip": clips[0], "projection_clip": clips[1]}
    model = BiLM(ModelShape(filters=((1, 1),), hidden=7, projection=5, **shape)).requires_grad_(False)
    x = torch.randn(9, 5)
    for backward, layers in ((False, model.forward_layers), (True, model.backward_layers)):
        expected = x.double().numpy()
        outputs, last = model.run_direction(x, [1] * 9, backward=backward)
        for j, (layer, output, (h, c)) in enumerate(zip(layers, outputs, last, strict=True)):
            steps = list(numpy_steps(layer, expected, clips))
            assert j or (np.abs([step["cell"] for step in steps]).max() == clips[0]) == bite
            assert j or (np.abs([step["output"] for step in steps]).max() == clips[1]) == bite
            np.testing.assert_allclose(h[0].numpy(), steps[-1]["output"], atol=1e-5)
            np.testing.assert_allclose(c[0].numpy(), steps[-1]["cell"], atol=1e-5)
            expected = np.array([step["output"] for step in steps]) + (expected if skip and j else 0)
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
@pytest.mark.parametrize("block_bytes", [128 << 20, 1])
def test_inference_and_compiled_cells_give_the_loops_outputs_and_gradients_also_where_clips_bite(clips, block_bytes, monkeypatch):
    monkeypatch.setattr(recurrence, "BLOCK_BYTES", block_bytes)
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
    names = ("input_weight", "state_weight", "bias", "projection")
    with torch.inference_mode():
        out, (h, c) = recurrence.run_lstm(exact[0], BATCH_SIZES, SimpleNamespace(clips=clips, **dict(zip(names, exact[1:], strict=True))))
    torch.testing.assert_close(out, result[0][0], atol=1e-12, rtol=0)
    torch.testing.assert_close(h, out[[9, 7, 5]], atol=0, rtol=0)  # each sentence's last output, longest first
    assert c.shape == (3, 24)


TARGET = ["the", "bank", "of", "the", "river"]
OTHERS = [["a"], ["he", "sat", "on", "the", "grassy", "bank", "and", "watched"], ["money", "!"] * 7]


@pytest.fixture(scope="module")
def narrowed() -> BiLM:
    torch.manual_seed(3)
    return BiLM(ModelShape(filters=((1, 8), (2, 8), (3, 16)), hidden=96, projection=24))


@pytest.mark.parametrize("precision", [INT8, FLOAT16])
def test_the_bundled_models_vectors_and_their_neighbors_hardly_change(precision):
    near = _near(precision, 150)
    assert near["cosine"] > COSINE and near["overlap"] > OVERLAP
    assert near["lowest"] > 0.99  # no token is lost for the mean's sake
    assert near["lowest"] > 0.99999 or precision != FLOAT16


@pytest.mark.parametrize("precision", [INT8, FLOAT16])
def test_a_sentence_is_the_same_alone_and_in_any_batch_and_other_precisions_do_not_change(narrowed, precision):
    plain, engine = Encoder(narrowed).encode([TARGET])[0], torch.backends.quantized.engine
    encoder = Encoder(narrowed, precision=precision)
    (alone,) = encoder.encode([TARGET])
    assert np.array_equal(Encoder(narrowed).encode([TARGET])[0], plain) and torch.backends.quantized.engine == engine
    for batch_tokens in (1, 4096):
        encoder.batch_tokens = batch_tokens
        np.testing.assert_allclose(encoder.encode([*OTHERS, TARGET])[-1], alone, atol=1e-5, rtol=0)


def test_whole_numbers_multiply_as_they_should():
    """By hand: a row's largest is 127 steps, an output's largest weight 63; zeros stay zeros."""
    weight = torch.tensor([[63.0, -21.0], [0.0, 0.0], [-0.63, 0.32]])
    x = torch.tensor([[127.0, -127.0], [0.0, 0.0], [1.27, 0.64]])
    wanted = torch.tensor([[127 * 84.0, 0.0, -0.95 * 127], [0.0, 0.0, 0.0], [1.27 * 63 - 0.64 * 21, 0.0, 0.64 * 0.32 - 1.27 * 0.63]])
    torch.testing.assert_close(model_module._int8(weight)(x), wanted, atol=1e-2, rtol=1e-3)
    largest = model_module._int8(torch.full((8, 256), 5.0))(torch.full((3, 256), 2.0))  # pairs of products do not overflow
    torch.testing.assert_close(largest, torch.full((3, 8), 2560.0), rtol=1e-5, atol=0)


def test_unavailable_precisions_are_refused_with_the_available_ones(narrowed, monkeypatch):
    with pytest.raises(BadInput, match=r"int4.*float32, float16, int8"):
        Encoder(narrowed, precision="int4")
    monkeypatch.setattr(model_module, "ENGINE", "elsewhere")
    with pytest.raises(BadInput, match=r"int8 needs .* Use float32"):
        Encoder(narrowed, precision=INT8)


def test_embed_takes_a_precision(narrowed, tmp_path, refused):
    save_hdf5(narrowed, tmp_path / "model")
    (tmp_path / "in.json").write_text(json.dumps([TARGET]))
    command = ["embed", "--input", tmp_path / "in.json", "--model", tmp_path / "model", "--output", tmp_path / "out.npz", "--overwrite"]
    result = {}
    for precision in PRECISIONS:
        assert main([*map(str, command), "--precision", precision]) == 0
        with np.load(tmp_path / "out.npz") as arrays:
            result[precision] = arrays["0"]
    for narrower, apart in ((FLOAT16, 1e-3), (INT8, 0.05)):
        assert 0 < np.abs(result[narrower] - result[FLOAT32]).max() < apart
    assert "leave out --cluster and --engine allennlp" in refused(*command, "--precision", INT8, "--engine", "allennlp")
    assert open_model(str(tmp_path / "model"), precision=INT8).fingerprint == f"{open_model(str(tmp_path / 'model')).fingerprint}-int8"
