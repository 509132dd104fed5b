"""Weights in fewer bits: near to float32 on the bundled model, the same sentence the same in any batch, off unless asked for."""

import json

import numpy as np
import pytest
import torch

from core.cli.main import main
from core.common.config import FLOAT16, FLOAT32, INT8, PRECISIONS, ModelShape
from core.common.errors import BadInput
from core.elmo import low_precision
from core.elmo.encoder import Encoder
from core.elmo.model import BiLM
from core.elmo.models import BUNDLED_MODEL, open_model
from core.elmo.weights import save_hdf5
from tests.bench.precision import COSINE, OVERLAP, _near

SHAPE = ModelShape(filters=((1, 8), (2, 8), (3, 16)), hidden=96, projection=24)
TARGET = ["the", "bank", "of", "the", "river"]
OTHERS = [["a"], ["he", "sat", "on", "the", "grassy", "bank", "and", "watched"], ["money", "!"] * 7]


@pytest.fixture(scope="module")
def model() -> BiLM:
    torch.manual_seed(3)
    return BiLM(SHAPE)


@pytest.mark.parametrize("precision", [INT8, FLOAT16])
def test_the_bundled_models_vectors_and_their_neighbors_hardly_change(precision):
    near = _near(precision, 150)
    assert near["cosine"] > COSINE and near["overlap"] > OVERLAP
    assert near["lowest"] > 0.99  # no token is lost for the mean's sake
    assert near["lowest"] > 0.99999 or precision != FLOAT16


@pytest.mark.parametrize("precision", [INT8, FLOAT16])
def test_a_sentence_is_the_same_alone_and_in_any_batch(model, precision):
    encoder = Encoder(model, precision=precision)
    (alone,) = encoder.encode([TARGET])
    for batch_tokens in (1, 4096):
        encoder.batch_tokens = batch_tokens
        np.testing.assert_allclose(encoder.encode([*OTHERS, TARGET])[-1], alone, atol=1e-5, rtol=0)


def test_whole_numbers_multiply_as_they_should():
    """By hand: a row's largest is 127 steps, an output's largest weight 63; zeros stay zeros."""
    weight = torch.tensor([[63.0, -21.0], [0.0, 0.0], [-0.63, 0.32]])
    x = torch.tensor([[127.0, -127.0], [0.0, 0.0], [1.27, 0.64]])
    wanted = torch.tensor([[127 * 84.0, 0.0, -0.95 * 127], [0.0, 0.0, 0.0], [1.27 * 63 - 0.64 * 21, 0.0, 0.64 * 0.32 - 1.27 * 0.63]])
    result = low_precision._int8(weight)(x)
    torch.testing.assert_close(result, wanted, atol=1e-2, rtol=1e-3)
    largest = low_precision._int8(torch.full((8, 256), 5.0))(torch.full((3, 256), 2.0))  # pairs of products do not overflow
    torch.testing.assert_close(largest, torch.full((3, 8), 2560.0), rtol=1e-5, atol=0)


def test_states_go_on_from_batch_to_batch(model):
    exact, result = (Encoder(model, precision=p).encode_streams([[TARGET, TARGET], [["a"], TARGET]]) for p in (FLOAT32, INT8))
    for a, b in zip(exact, result, strict=True):
        for item, other in zip(a, b, strict=True):
            np.testing.assert_allclose(other, item, atol=0.05)
    assert np.abs(result[0][1][1:] - result[1][1][1:]).max() > 0.01  # what came before differs


def test_float32_is_the_model_itself_and_no_other_encoder_changes_it(model):
    plain = Encoder(model)
    (before,) = plain.encode([TARGET])
    engine = torch.backends.quantized.engine
    Encoder(model, precision=INT8).encode([TARGET])
    assert plain.stacks is model and torch.backends.quantized.engine == engine
    np.testing.assert_array_equal(plain.encode([TARGET])[0], before)


def test_unavailable_precisions_are_refused_with_the_available_ones(model, monkeypatch):
    with pytest.raises(BadInput, match=r"int4.*float32, float16, int8"):
        Encoder(model, precision="int4")
    monkeypatch.setattr(low_precision, "ENGINE", "elsewhere")
    assert Encoder(model, precision=FLOAT32).stacks is model
    with pytest.raises(BadInput, match=r"int8 needs .* Use float32"):
        Encoder(model, precision=INT8)


def test_vectors_of_another_precision_are_not_taken_for_the_models_own():
    exact, narrower = open_model(BUNDLED_MODEL), open_model(BUNDLED_MODEL, precision=INT8)
    assert narrower.fingerprint == f"{exact.fingerprint}-int8" and exact.encoder.precision == FLOAT32 == PRECISIONS[0]


def test_embed_takes_a_precision(model, tmp_path, refused):
    save_hdf5(model, tmp_path / "model")
    (tmp_path / "in.json").write_text(json.dumps([TARGET]))
    files = ["--input", str(tmp_path / "in.json"), "--model", str(tmp_path / "model")]
    result = {}
    for precision in PRECISIONS:
        out = str(tmp_path / f"{precision}.npz")
        assert main(["embed", *files, "--output", out, "--precision", precision]) == 0
        with np.load(out) as arrays:
            result[precision] = arrays["0"]
    for narrower, apart in ((FLOAT16, 1e-3), (INT8, 0.05)):
        assert 0 < np.abs(result[narrower] - result[FLOAT32]).max() < apart
    request = ("embed", *files, "--output", tmp_path / "x.npz", "--precision", INT8, "--engine", "allennlp")
    assert "leave out --cluster and --engine allennlp" in refused(*request)
