"""GloVe: counts by hand and against a plain loop, eq. 8 and its gradient against NumPy, resuming, saving, a tiny language."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array

from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.static.vectors import load_vectors
from core.training import glove
from core.training.data import prepare
from core.training.glove import GloveConfig, choose_words, count_pairs, fit, initial_state, train_glove

TINY = GloveConfig(dim=4, window=2, x_max=3.0, epochs=3, min_count=1)


def toy_pairs(seed: int = 0, n_words: int = 5) -> coo_array:
    rng = np.random.default_rng(seed)
    rows, columns = np.triu_indices(n_words)
    return coo_array((rng.uniform(0.2, 9, len(rows)).astype(np.float32), (rows.astype(np.int32), columns.astype(np.int32))))


def equation_8(values: np.ndarray, pairs: coo_array, x_max: float) -> tuple[float, int]:
    """J of eq. 8 in float64 over all ordered pairs, and how many they are; values is (2, V, D + 1)."""
    x = np.zeros((values.shape[1],) * 2)
    x[pairs.row, pairs.col] = x[pairs.col, pairs.row] = pairs.data
    (w, b), (context, b_context) = ((half[:, :-1], half[:, -1]) for half in values.astype(np.float64))
    i, j = np.nonzero(x)
    weights = np.where(x[i, j] < x_max, (x[i, j] / x_max) ** 0.75, 1)
    difference = (w[i] * context[j]).sum(1) + b[i] + b_context[j] - np.log(x[i, j])
    return float((weights * difference**2).sum()), len(i)


def test_words_are_merged_in_lower_case_and_odd_signs_left_out():
    types = ["<S>", "</S>", "The", "the", "BANK", ",", "♥", "1990s", "rare", "bank", "--"]
    counts = np.array([9, 9, 3, 5, 2, 7, 99, 4, 1, 2, 2])
    words, numbers = choose_words(types, counts, GloveConfig(min_count=2))
    assert words == ["the", ",", "1990s", "bank", "--"]  # 8, 7, 4, 4, 2; equal ones by name
    assert numbers.tolist() == [-1, -1, 0, 0, 3, 1, -1, 2, -1, 3, 4]
    assert choose_words(types, counts, GloveConfig(min_count=2, max_types=2))[0] == ["the", ","]


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(-1, 4), max_size=9), max_size=6), st.integers(1, 4), st.integers(1, 12))
def test_counts_are_those_of_a_plain_loop_for_any_chunks(sentences, window, size):
    wanted: dict[tuple[int, int], float] = {}
    for words in sentences:
        for at, word in enumerate(words):
            for d in range(1, window + 1):
                for other in (at - d, at + d):
                    if 0 <= other < len(words) and word >= 0 and words[other] >= word:  # each pair from its lower word
                        wanted[word, words[other]] = wanted.get((word, words[other]), 0) + 1 / d
    ids = np.array([word for words in sentences for word in words], np.int64) + 1
    starts = np.cumsum([0, *map(len, sentences)])
    pairs = count_pairs(glove._chunks(ids, starts, np.arange(-1, 5), print, size=size), n_words=5, window=window)
    result = dict(zip(zip(pairs.row.tolist(), pairs.col.tolist(), strict=True), pairs.data.tolist(), strict=True))
    assert result == pytest.approx(wanted, rel=1e-6)


def test_the_loss_is_equation_8():
    pairs, config = toy_pairs(), replace(TINY, epochs=1, lr=1e-6)  # so slow that the vectors stand still
    state = initial_state(5, config)
    state.values += np.random.default_rng(1).normal(size=state.values.shape).astype(np.float32)
    total, n = equation_8(state.values, pairs, config.x_max)
    step = list(fit(pairs, config, state))[-1]
    assert n == 25 and step.loss == pytest.approx(total / n, rel=1e-4)
    assert state.losses == [step.loss] and step.share == 1.0 and step.seconds_left == 0


def test_a_step_goes_down_the_numeric_gradient_over_the_root_of_the_squares():
    values, lr = np.random.default_rng(2).normal(size=(2, 3, 5)), 1e-3  # float64: the same loop, not compiled
    pair = coo_array((np.array([1.7]), (np.array([0]), np.array([2]))))  # X_ij and X_ji share no values
    expected = np.zeros_like(values)
    for at in np.ndindex(values.shape):
        up, down = values.copy(), values.copy()
        up[at] += 1e-6
        down[at] -= 1e-6
        expected[at] = (equation_8(up, pair, 3.0)[0] - equation_8(down, pair, 3.0)[0]) / 4e-6  # of half a term
    moved, squares = values.copy(), np.full_like(values, 4)
    total = glove._sweep(pair.row, pair.col, np.log(pair.data), (pair.data / 3.0) ** 0.75, moved, squares, lr)
    assert total == pytest.approx(equation_8(values, pair, 3.0)[0])
    np.testing.assert_allclose((values - moved) / (lr / 2), expected, atol=1e-6)  # over the root of the squares
    np.testing.assert_allclose(squares, 4 + (lr * expected) ** 2, atol=1e-9)


def test_compiled_training_is_the_plain_loop_and_seeds_decide_it(monkeypatch):
    def trained(seed: int = 0):
        config = replace(TINY, seed=seed)
        state = initial_state(5, config)
        return state, [(e.epoch, round(e.share, 3)) for e in fit(toy_pairs(), config, state, block=4)]

    (compiled, events), (again, _), (other, _) = trained(), trained(), trained(seed=1)
    assert events[:5] == [(1, 0.267), (1, 0.533), (1, 0.8), (1, 1.0), (2, 0.267)]
    monkeypatch.setattr(glove, "_compiled_sweep", lambda: glove._sweep)
    np.testing.assert_array_equal(compiled.values, again.values)
    np.testing.assert_allclose(compiled.values, trained()[0].values, atol=1e-5)
    assert not np.allclose(compiled.values, other.values)


def test_settings_that_cannot_be_and_a_loss_that_runs_away_are_refused():
    for name, value in {"dim": 0, "window": -1, "epochs": 10**9, "x_max": 0, "lr": float("nan"), "seed": -1}.items():
        with pytest.raises(BadInput, match=rf"GloVe's {name} must be from"):
            GloveConfig(**{name: value})
    with pytest.raises(BadInput, match=r"no longer a number in epoch \d+: lower lr"):
        list(fit(toy_pairs(), replace(TINY, lr=1e6, epochs=200), initial_state(5, TINY)))


@pytest.fixture(scope="module")
def language(tmp_path_factory) -> Path:
    """A prepared corpus in which cats and dogs do the same things, and cars and trucks do others."""
    rng, lines = np.random.default_rng(0), []
    for _ in range(1500):
        animal, place = rng.choice(["cat", "Dog"]), rng.choice(["rug", "sofa", "grass"])
        lines.append(f"the {animal} {rng.choice(['sleeps', 'eats', 'purrs'])} on the {place} .")
        vehicle, way = rng.choice(["car", "truck"]), rng.choice(["road", "bridge"])
        lines.append(f"a {vehicle} {rng.choice(['drives', 'stops', 'turns'])} at our {way} .")
    folder = tmp_path_factory.mktemp("glove")
    (folder / "toy.txt").write_text("\n".join(lines))
    return prepare([folder / "toy.txt"], folder / "prepared", print, processes=1)


SMALL = GloveConfig(dim=8, window=3, x_max=50.0, epochs=25, min_count=5)


def test_words_with_like_contexts_end_up_closest(language, tmp_path):
    vectors = load_vectors(train_glove(language, tmp_path / "toy", SMALL, print, work=tmp_path / "work"))
    assert vectors.neighbors("cat", 1)[0].word == "dog" and vectors.neighbors("truck", 1)[0].word == "car"
    meta = json.loads((tmp_path / "toy" / "meta.json").read_text())
    assert meta["corpus"]["files"] == ["toy.txt"] and meta["corpus"]["sentences"] == 3000 and meta["config"]["x_max"] == 50.0
    assert meta["losses"][-1] < meta["losses"][0] and len(meta["losses"]) == 25 and meta["words"] == len(vectors.words)


def test_training_that_was_cut_off_goes_on_as_if_it_had_not_been(language, tmp_path):
    whole, parts = replace(SMALL, epochs=4), replace(SMALL, epochs=2)
    train_glove(language, tmp_path / "whole", whole, print, work=tmp_path / "other work")
    train_glove(language, tmp_path / "parts", parts, print, work=tmp_path / "work")
    heard: list[str] = []
    train_glove(language, tmp_path / "parts", whole, heard.append, work=tmp_path / "work")
    assert [said.split(",")[0] for said in heard if said.startswith("epoch")] == ["epoch 3 of 4", "epoch 4 of 4"]
    halves = torch.load(tmp_path / "work/checkpoint.pt", weights_only=True)["values"].numpy()[:, :, :-1]  # w, w~ without biases
    np.testing.assert_allclose(load_vectors(tmp_path / "parts").keyed.vectors, halves[0] + halves[1], atol=0.02)
    assert np.abs(halves[1]).max() > 0.1
    assert (tmp_path / "whole/vectors.safetensors").read_bytes() == (tmp_path / "parts/vectors.safetensors").read_bytes()
    with pytest.raises(BadInput, match="belongs to another corpus or other settings"):
        train_glove(language, tmp_path / "parts", replace(whole, x_max=9), heard.append, work=tmp_path / "work")
    (tmp_path / "work/checkpoint.pt").write_bytes(b"cut off")
    with pytest.raises(CorruptArtifact, match="is not a readable checkpoint"):
        train_glove(language, tmp_path / "parts", whole, heard.append, work=tmp_path / "work")


def test_a_corpus_that_is_not_there_or_damaged_or_too_small_is_reported(language, tmp_path):
    train = partial(train_glove, output=tmp_path / "out", report=print, work=tmp_path / "work")
    with pytest.raises(MissingArtifact, match=r"No file .*meta\.json"):
        train(tmp_path, config=SMALL)
    with pytest.raises(BadInput, match="No two words"):
        train(language, config=replace(SMALL, min_count=10**6))
    for name in ("meta.json", "ids.npy", "starts.npy", "domains.npy", "types.txt"):
        (tmp_path / name).write_bytes((language / name).read_bytes())
    (tmp_path / "types.txt").write_text("<S>\n</S>\nthe")
    with pytest.raises(CorruptArtifact, match="do not fit together"):
        train(tmp_path, config=SMALL)
    assert not (tmp_path / "out").exists()
