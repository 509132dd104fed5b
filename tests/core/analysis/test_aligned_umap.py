"""Maps: PCA, Procrustes and insertion by hand; aligned UMAP by what its maps must and must not do."""

import json
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from safetensors.numpy import save
from sklearn import manifold

from core.analysis import aligned_umap as projection
from core.analysis.aligned_umap import FrozenMaps, ProjectionConfig, aligned_maps, follow, insert, procrustes, trustworthiness
from core.analysis.word_maps import follow_mix
from core.common.errors import BadInput, CorruptArtifact

pytestmark = pytest.mark.filterwarnings("ignore:Tensorflow not installed:ImportWarning")  # umap's, on import

SMALL = ProjectionConfig(n_neighbors=8, n_epochs=60)


def words_in_layers(n_words: int, n_each: int, *, dims: int = 24) -> list[np.ndarray]:
    """Three spaces as ELMo's are: one vector a word, then each word spread out into two senses, more and more."""
    rng = np.random.default_rng(0)
    words = np.repeat(rng.normal(size=(n_words, dims)), n_each, axis=0)
    senses = rng.normal(size=(2 * n_words, dims))[np.repeat(np.arange(n_words), n_each) * 2 + np.arange(len(words)) % 2]
    noise = rng.normal(size=words.shape)
    return [words, words + 0.5 * senses + 0.25 * noise, words + 0.8 * senses + 0.4 * noise]


@pytest.fixture(scope="module")
def maps() -> FrozenMaps:
    return aligned_maps(words_in_layers(10, 20), ["0", "1", "2"], SMALL)


@pytest.mark.parametrize("mirrored", [False, True])
def test_procrustes_undoes_any_turn_mirror_scale_and_shift(mirrored):
    fixed = np.random.default_rng(0).normal(size=(6, 2))
    turn = np.array([[0.6, -0.8], [0.8, 0.6]]) @ np.diag([1, -1 if mirrored else 1])
    np.testing.assert_allclose(procrustes(3 * fixed @ turn + [5, 7], fixed), fixed, atol=1e-4)
    np.testing.assert_allclose(procrustes(fixed * 3, fixed, scale=False), (fixed - fixed.mean(0)) * 3 + fixed.mean(0), atol=1e-5)
    np.testing.assert_allclose(procrustes(np.ones((6, 2)), fixed), np.broadcast_to(fixed.mean(0), (6, 2)), atol=1e-6)  # equal points


def test_a_point_lands_on_its_equal_and_with_the_majority_of_its_neighbors():
    coordinates = np.repeat([[-1.0, 0], [1, 0]], 6, axis=0) + np.random.default_rng(0).normal(scale=0.03, size=(12, 2))
    landed = insert(coordinates, [[3, 0, 1, 2, 4, 5, 6, 7]], [[1.0, *np.linspace(0.9, 0.5, 7)]])[0]
    assert np.linalg.norm(landed - coordinates[3]) < 1e-3
    for rows, cosines in (
        ([0, 1, 2, 3, 4, 9], [0.8, 0.79, 0.78, 0.77, 0.76, 0.78]),  # a lone neighbor is far
        ([9, 1, 2, 3, 4, 5], [0.81, 0.79, 0.78, 0.77, 0.76, 0.75]),  # and the nearest by a little
    ):
        assert np.linalg.norm(insert(coordinates, [rows], [cosines])[0] - [-1, 0]) < 0.06
    landed = insert(coordinates, [np.arange(12)], np.full((1, 12), 0.7))[0]  # between two clusters
    assert min(np.linalg.norm(landed - [-1, 0]), np.linalg.norm(landed - [1, 0])) < 0.1


def test_trustworthiness_is_1_for_the_points_themselves_and_low_for_a_random_map_also_of_a_sample(monkeypatch):
    angles = np.linspace(0, 3, 80)
    circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    shuffled = np.random.default_rng(0).permutation(circle)
    assert trustworthiness(circle, circle) == pytest.approx(1) and trustworthiness(circle[:2], shuffled[:2]) == 1
    monkeypatch.setattr(projection, "SAMPLE", 50)
    assert trustworthiness(circle, circle) > 0.999  # steps of equal length, left and right, are ties
    assert trustworthiness(circle, shuffled) == trustworthiness(circle, shuffled) < 0.8


def test_where_vectors_are_equal_nothing_says_who_is_nearest_and_no_figure_is_given():
    rng = np.random.default_rng(0)
    spellings = np.repeat(rng.normal(size=(6, 20)), 40, axis=0)  # as layer 0: forty occurrences of each of six
    grouped, random = np.repeat(rng.normal(size=(6, 2)), 40, axis=0) + rng.normal(size=(240, 2)) * 0.01, rng.normal(size=(240, 2))
    for vectors, flat in ((spellings, grouped), (spellings, random), (np.ones((80, 3)), random[:80])):
        assert np.isnan(trustworthiness(vectors, flat))
    once = rng.normal(size=(240, 20))
    once[:4] = once[4]  # a few that are equal leave the others' neighbors as they are
    assert trustworthiness(once, random) < 0.6


@pytest.mark.parametrize("n", [20, 40, 240])
def test_a_layout_at_random_has_the_trustworthiness_of_chance_and_trustworthiness_equals_scikit_learn(n):
    rng = np.random.default_rng(n)
    vectors = rng.normal(size=(n, 16))
    result = [trustworthiness(vectors, rng.normal(size=(n, 2))) for _ in range(40)]
    assert np.mean(result) == pytest.approx(projection.by_chance(n), abs=0.03)
    flat, k = vectors[:, :2], min(12, (n - 1) // 2)
    expected = manifold.trustworthiness(vectors, flat, n_neighbors=k, metric="cosine")
    assert trustworthiness(vectors, flat) == pytest.approx(expected, abs=1e-6)


def test_aligned_points_move_at_most_half_as_far_as_in_independent_maps(maps):
    spaces = words_in_layers(10, 20)
    alone = [aligned_maps([space], ["one"], replace(SMALL, seed=k)).coordinates[0] for k, space in enumerate(spaces)]
    independent = np.linalg.norm(np.diff(alone, axis=0), axis=2).mean(axis=1) / 2
    assert (np.array(maps.displacement) <= independent / 2).all(), (maps.displacement, independent)
    assert np.isnan(maps.trustworthiness[0]) and min(maps.trustworthiness[1:]) > 0.85


def test_maps_share_axes_from_minus_1_to_1_and_depend_on_the_seed_alone(maps):
    assert 0.8 < np.abs(maps.coordinates).max() < 1.1  # a disc of equal vectors may be a little over the edge
    assert maps.method == "aligned UMAP" and maps.provenance["distinct"] == [10, 200, 200]
    spaces = words_in_layers(4, 10)
    one, again, other = (aligned_maps(spaces, ["0", "1", "2"], replace(SMALL, seed=seed)).coordinates for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, again)
    assert not np.array_equal(one, other)


def test_equal_vectors_are_compact_separate_discs():
    layer_0 = np.repeat(np.random.default_rng(1).normal(size=(12, 32)), 10, axis=0)
    layer_1 = layer_0 + 0.7 * np.random.default_rng(2).normal(size=layer_0.shape)
    noise = 1e-7 * np.random.default_rng(3).normal(size=layer_0.shape)  # what another batch may do
    result = aligned_maps([layer_0 + noise, layer_1], ["0", "1"], ProjectionConfig(n_epochs=50))
    assert result.provenance["distinct"] == [12, 120]
    discs = result.coordinates[0].reshape(12, 10, 2)
    centers = np.median(discs, axis=1)
    radius = np.linalg.norm(discs - centers[:, None], axis=2).max()
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=2) + 9 * np.eye(12)
    assert radius < 0.03 and apart.min() > 2 * radius
    one_word = aligned_maps(words_in_layers(1, 40), ["0", "1", "2"], SMALL).coordinates
    assert np.ptp(one_word[0], axis=0).max() < 0.06 < 0.3 < np.ptp(one_word[2], axis=0).max()


@pytest.mark.parametrize("n", [1, 3, 15])
def test_few_points_fall_back_to_pca_and_report_it_and_spaces_without_finite_numbers_are_refused(n):
    spaces = words_in_layers(1, n)
    result = aligned_maps([*spaces, spaces[0] * 0], ["0", "1", "2", "zeros"], ProjectionConfig())
    assert result.method == f"PCA ({n} points are too few for UMAP)"
    assert result.coordinates.shape == (4, n, 2) and np.isfinite(result.coordinates).all()
    assert all(np.isnan(t) or 0 <= t <= 1 for t in result.trustworthiness)
    for alike in (np.ones((7, 4)), np.zeros((3, 4))):
        np.testing.assert_array_equal(projection.pca(alike), np.zeros((len(alike), 2)))
    for bad in (np.full((3, 4), np.nan), np.ones(3), np.empty((0, 4))):
        with pytest.raises(BadInput, match="Finite numbers needed"):
            aligned_maps([bad], ["0"], SMALL)


def test_work_is_reported_and_can_be_stopped():
    report = Mock(side_effect=[None, None, KeyboardInterrupt])
    with pytest.raises(KeyboardInterrupt):
        aligned_maps(words_in_layers(2, 10), ["0", "1", "2"], SMALL, report)
    lines = [call.args[0] for call in report.call_args_list]
    assert lines == ["finding the neighbors of 20 points in 3 spaces", "epoch 1 of 60", "epoch 21 of 60"]


def test_saved_maps_come_back_as_they_were(maps, tmp_path):
    path = maps.save(tmp_path / "new" / "bank.safetensors")
    back = FrozenMaps.load(path)
    for name in ("coordinates", "trustworthiness"):  # that of layer 0 is no number
        np.testing.assert_array_equal(getattr(back, name), getattr(maps, name))
    for name in ("names", "method", "config", "displacement", "provenance"):
        assert getattr(back, name) == getattr(maps, name), name
    assert [p.name for p in path.parent.iterdir()] == ["bank.safetensors"]  # no temporary file stays


def test_damaged_and_foreign_files_are_named(maps, tmp_path):
    path = maps.save(tmp_path / "bank.safetensors")
    whole, damaged = path.read_bytes(), "bank.safetensors is damaged"
    facts = {name: getattr(maps, name) for name in ("names", "method", "trustworthiness", "displacement", "provenance")}

    def written(**change) -> bytes:
        return save({"coordinates": maps.coordinates}, {"elmoscope_maps": json.dumps(facts | {"format": 1, "config": {}} | change)})

    wrong = [b"", whole[:100], whole[:-8], b"hello" * 100, save({"weights": np.zeros(3, np.float32)})]  # the last: safetensors, but no map
    wrong += [written(config={"surprise": 0}), written(names=["0"]), written(surprise=1)]
    for content, message in (*((content, damaged) for content in wrong), (written(format=99), "another Elmoscope version")):
        path.write_bytes(content)
        with pytest.raises(CorruptArtifact, match=message):
            FrozenMaps.load(path)


def test_warming_up_from_threads_at_once_is_harmless_and_kept_on_disk_for_the_next_process():
    with ThreadPoolExecutor(3) as threads:
        for done in [threads.submit(projection.compile_layout) for _ in range(3)]:
            done.result()
    assert list(Path(projection._compiled().stats.cache_path).glob("*.nbi"))


def drawn_layers(n: int = 90) -> np.ndarray:
    """(3, n, 20): three clusters that layer 0 does not part, layer 1 a little and layer 2 well."""
    random = np.random.default_rng(5)
    centers = random.normal(size=(3, 20))[np.arange(n) % 3]
    return np.stack([random.normal(size=(n, 20)) + strength * centers for strength in (0.0, 1.0, 3.0)]).astype(np.float32)


def test_a_map_follows_another_mix_as_faithfully_as_one_made_again():
    layers, config = drawn_layers(), ProjectionConfig(n_neighbors=8, n_epochs=120)
    maps = aligned_maps([*layers, layers.mean(axis=0)], ["0", "1", "2", "mix"], config)
    mix = np.tensordot([0.1, 0.3, 0.6], layers, axes=1)
    flat = follow(mix, maps.coordinates[3], config)
    fresh = aligned_maps([mix], ["mix"], config)
    assert trustworthiness(mix, flat) > fresh.trustworthiness[0] - 0.03
    np.testing.assert_array_equal(flat, follow(mix, maps.coordinates[3], config))
    few = drawn_layers(9)[2]  # few points follow by their principal components
    assert follow(few, np.random.default_rng(0).normal(size=(9, 2)), ProjectionConfig()).shape == (9, 2)


def test_a_mix_that_is_one_layer_or_all_alike_has_the_frozen_map_itself():
    layers = drawn_layers()
    maps = aligned_maps([*layers, layers.mean(axis=0)], ["0", "1", "2", "mix"], ProjectionConfig(n_neighbors=8, n_epochs=20))
    for weights, k in (((0, 0, 2), 2), ((0.999, 0.001, 0), 0), ((5, 5, 5), 3)):
        np.testing.assert_array_equal(follow_mix(layers, np.array(weights), maps), maps.coordinates[k])
    for weights in ([-1, 0, 0], [1e-300, 0, 0], [1e6, 1, 1]):  # the first layer's directions, turned around or scaled
        np.testing.assert_array_equal(follow_mix(layers, np.array(weights), maps), maps.coordinates[0])
    widest = np.abs(maps.coordinates).max()
    for weights in ([1, -1, 0], [1, -2, 1.0000001], [1e-4, -2e-4, 1e-4]):  # whose sum is nothing, or nearly
        assert np.abs(follow_mix(layers, np.array(weights), maps)).max() < 4 * widest
    between = follow_mix(layers, np.array([0.2, 0.2, 0.6]), maps)
    assert between.shape == (90, 2) and not (between == maps.coordinates[3]).all()
