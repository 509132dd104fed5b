"""Pack a biLM's weights and softmax for the page's engine (network.js, substitutes.js): 8 bits and a scale per row."""

from dataclasses import asdict

import numpy as np

from ..common.errors import BadInput
from ..common.i18n import t
from .pack import WIDE, Pack, as_packed

MOST_PARAMETERS = 32_000_000  # of a model without its softmax: what stays within MOST_BYTES
COMMONEST = 20_000  # words of the softmax that may answer
FINE = 1_500_000  # weights of a convolution up to which its rounding is packed too, as 8 bits more
STATIC = 40_000  # words that have their static vector in the page


def add_network(pack: Pack, bilm) -> dict:
    """Add a core.elmo.model.BiLM to the pack and return its facts. Raises BadInput for one that is too large for a page."""
    shape = bilm.shape
    if shape.n_parameters > MOST_PARAMETERS:
        millions = {"n": shape.n_parameters // 1_000_000, "most": MOST_PARAMETERS // 1_000_000}
        raise BadInput(t("The model has {n} million weights; a page holds at most {most} million. elmo-mini fits.", **millions))
    state = {name: value.detach().float().numpy(force=True) for name, value in bilm.state_dict().items()}
    pack.add("characters.embedding", state["characters.embedding.weight"].astype(np.float32))
    wide = -shape.character_dim % WIDE
    for k, _ in enumerate(shape.filters):
        windows = np.pad(state[f"characters.convolutions.{k}.weight"].transpose(0, 2, 1), ((0, 0), (0, 0), (0, wide)))  # (n, width, dim)
        bias = state[f"characters.convolutions.{k}.bias"]
        flat = windows.reshape(len(windows), -1)
        if flat.size <= FINE:
            pack.add_rows(f"convolution.{k}.rest", flat - as_packed(flat))
        else:
            bias = bias + _strongest(windows - as_packed(flat).reshape(windows.shape), windows, state["characters.embedding.weight"])
        pack.add_rows(f"convolution.{k}", flat)
        pack.add(f"convolution.{k}.bias", bias)
    for k in range(shape.n_highway):
        for part in ("transform", "carry"):
            pack.add_rows(f"highway.{k}.{part}", state[f"characters.highways.{k}.{part}.weight"])
            pack.add(f"highway.{k}.{part}.bias", state[f"characters.highways.{k}.{part}.bias"])
    pack.add_rows("projection", state["characters.projection.weight"].T)  # a row a filter: most are silent at a spelling
    pack.add("projection.bias", state["characters.projection.bias"])
    for direction in ("forward", "backward"):
        for k in range(shape.n_layers):
            name = f"{direction}_layers.{k}"
            for ours, theirs in (("input", "input_weight"), ("state", "state_weight"), ("output", "projection")):
                pack.add_rows(f"{direction}.{k}.{ours}", state[f"{name}.{theirs}"])
            pack.add(f"{direction}.{k}.bias", state[f"{name}.bias"])
    return {"shape": asdict(shape), "anchored": bilm.characters.anchor()}


def add_softmax(pack: Pack, substitutes) -> dict:
    """Add the data of core.elmo.substitutes.Substitutes: the most frequent words, and rarer ones without their names."""
    words, softmax = substitutes.model.vocabulary.words, substitutes.model.softmax
    _, halves, _, columns = substitutes.sample
    named = min(len(words), COMMONEST)
    sampled = np.flatnonzero(columns >= 0)
    rows = np.concatenate([np.arange(named), sampled[sampled >= named]])
    pack.add_rows("softmax", softmax.weight.detach().numpy(force=True)[rows])
    pack.add("softmax.bias", softmax.bias.detach().numpy(force=True)[rows])
    pack.add_lines("softmax.words", list(words[:named]))
    pack.add("sampled", np.searchsorted(rows, sampled).astype(np.int32))
    pack.add("sampled.halves", halves[0].numpy(force=True).astype(np.float32))
    for name, part in zip(("whitening.mean", "whitening"), substitutes.whitening, strict=True):
        pack.add(name, part.numpy(force=True).astype(np.float32))
    return {"vocabulary": len(words)}


def add_static(pack: Pack, vectors) -> dict:
    """Add core.static.vectors.StaticVectors: all spellings in order of frequency, and the vectors of the most frequent."""
    if vectors is None:
        return {}
    pack.add_lines("static.words", vectors.words)
    pack.add_rows("static", vectors.vectors_of(vectors.words[:STATIC])[1])
    return {"static_dim": vectors.dim}


def _strongest(error: np.ndarray, windows: np.ndarray, embedding: np.ndarray, *, block: int = 2048) -> np.ndarray:
    """Return the rounding error (n,) of each filter's response to the characters it responds to most.

    Filters as wide as a word respond to almost nothing else, and their response is a small difference of large sums.
    """
    results = []
    for start in range(0, len(windows), block):
        part = slice(start, start + block)
        characters = (windows[part, :, : embedding.shape[1]] @ embedding.T).argmax(axis=2)  # (block, width)
        results.append((error[part, :, : embedding.shape[1]] * embedding[characters]).sum(axis=(1, 2)))
    return np.concatenate(results)
