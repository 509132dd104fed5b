"""Our engine against AllenNLP 2.10.1's own answers: kept ones always, fresh ones where its environment is."""

import numpy as np
import pytest

from core.common.config import ASSETS
from core.elmo.encoder import Encoder
from core.elmo.weights import load_bilm, save_hdf5
from core.engines import allennlp_engine as allennlp
from tests.golden.make_allennlp import FILE, ORIGINAL, SENTENCES, SMALL, random_bilm

MODELS = {
    "small": lambda: random_bilm(SMALL, 1),
    "original": lambda: random_bilm(ORIGINAL, 2),
    "elmo-mini": lambda: load_bilm(ASSETS / "elmo-mini"),
}


@pytest.mark.parametrize("name", MODELS)
def test_layers_equal_what_allennlp_answered(name: str):
    """To 1e-5; elmo-mini's whole-word windows sum to large numbers and back, which other processors' convolutions round by 5e-5."""
    atol = 2e-4 if name == "elmo-mini" else 1e-5
    with np.load(FILE) as kept:
        for k, layers in enumerate(Encoder(MODELS[name]()).encode(SENTENCES)):
            np.testing.assert_allclose(layers, kept[f"{name}/{k}"], atol=atol, rtol=0)


@pytest.mark.skipif(not allennlp.is_ready(), reason="AllenNLP's environment is not set up: python -m core allennlp setup")
def test_allennlp_loads_our_bundled_model_and_agrees(tmp_path):
    model = load_bilm(ASSETS / "elmo-mini")
    save_hdf5(model, tmp_path)
    with allennlp.AllenNLPEngine() as engine:
        theirs = engine.embed(SENTENCES, tmp_path / "options.json", tmp_path / "weights.hdf5").layers
    for ours, other in zip(Encoder(model).encode(SENTENCES), theirs, strict=True):
        np.testing.assert_allclose(ours, other, atol=1e-5, rtol=0)
