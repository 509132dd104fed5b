"""Makes allennlp.npz: what AllenNLP 2.10.1 itself answers for random biLMs of two published shapes and for elmo-mini.

usage: python -m tests.golden.make_allennlp      (needs `python -m core allennlp setup` once)

The random weights are drawn by NumPy from a seed, so that a machine without Python 3.10 can draw the same and compare.
"""

import tempfile
from pathlib import Path

import numpy as np
import torch

from core.common.config import ASSETS, ModelShape
from core.elmo.encoder import Encoder
from core.elmo.model import BiLM
from core.elmo.weights import load_bilm, save_hdf5
from core.engines.allennlp_engine import AllenNLPEngine
from core.text.tokens import tokenize

FILE = Path(__file__).with_name("allennlp.npz")
SENTENCES = [*map(tokenize, ("She sat on the bank of the river.", "He opened an account at the bank, didn't he?"))]
SENTENCES += [["🎉", "naïve", "x" * 60]]


def random_bilm(shape: ModelShape, seed: int) -> BiLM:
    """A biLM whose weights are NumPy's normal draws, scaled to keep signals alive; the padding row stays zero."""
    model, rng = BiLM(shape), np.random.default_rng(seed)
    with torch.no_grad():
        for name, value in model.state_dict().items():
            spread = 0.1 if name.endswith("bias") else value.shape[-1] ** -0.5 if "convolutions" not in name else 0.1
            value.copy_(torch.from_numpy(rng.normal(0.0, spread, tuple(value.shape)).astype(np.float32)))
        model.characters.embedding.weight[0] = 0
    return model


MODELS = {
    "small": lambda: random_bilm(ModelShape(), 1),
    "original": lambda: random_bilm(ModelShape(hidden=4096, projection=512, n_highway=2), 2),
    "elmo-mini": lambda: load_bilm(ASSETS / "elmo-mini"),
}


def main() -> None:
    kept = {}
    with AllenNLPEngine() as engine:
        print(engine.ping())
        for name, make in MODELS.items():
            model = make()
            with tempfile.TemporaryDirectory() as folder:
                save_hdf5(model, Path(folder))
                theirs = engine.embed(SENTENCES, f"{folder}/options.json", f"{folder}/weights.hdf5", timeout_s=600).layers
            ours = Encoder(model).encode(SENTENCES)
            print(name, "max |difference|:", max(float(np.abs(a - b).max()) for a, b in zip(ours, theirs, strict=True)))
            kept |= {f"{name}/{k}": array for k, array in enumerate(theirs)}
    np.savez_compressed(FILE, **kept)


if __name__ == "__main__":
    main()
