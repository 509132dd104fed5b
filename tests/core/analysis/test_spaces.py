"""Two spaces: what is the same is found the same, what is unrelated is not, whichever comes first."""

import numpy as np
import pytest

from core.analysis import spaces
from core.common.config import ASSETS
from core.common.directions import unit
from core.common.errors import BadInput
from core.static.vectors import load_vectors

WORDS = tuple(f"w{k}" for k in range(400))


def noise(seed: int, n: int = 400, dims: int = 20) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(n, dims)).astype(np.float32)


def kernels_by_hand(*pair: np.ndarray) -> float:
    """Song et al. (2012), eq. 5, with the words' kernels written out, as a CKA."""

    def hsic(k: np.ndarray, m: np.ndarray) -> float:
        n, item = len(k), np.ones(len(k))
        k, m = k - np.diag(np.diag(k)), m - np.diag(np.diag(m))
        total = np.trace(k @ m) + (item @ k @ item) * (item @ m @ item) / ((n - 1) * (n - 2)) - 2 / (n - 2) * (item @ k @ m @ item)
        return total / (n * (n - 3))

    k, m = (space.astype(np.float64) @ space.T.astype(np.float64) for space in pair)
    return hsic(k, m) / np.sqrt(hsic(k, k) * hsic(m, m))


def test_cka_is_that_of_kernels_by_hand_and_1_for_a_space_turned_scaled_and_moved():
    def cka(*pair: np.ndarray) -> float:
        return spaces.cka_matrix([*pair])[0, 1]

    space, turn = noise(0), np.linalg.qr(noise(1, n=20))[0]
    assert [cka(space, other) for other in (space, 7 * space @ turn + 3)] == pytest.approx([1, 1], abs=1e-6)
    assert cka(np.ones((10, 3)), noise(0, n=10)) == 0  # without spread
    a, b = noise(3, dims=5), noise(4, dims=9) + noise(3, dims=9)
    assert cka(a, b) == pytest.approx(kernels_by_hand(a, b), rel=1e-6)
    assert cka(a + 3, 2 * b - 1) == pytest.approx(kernels_by_hand(a, b), rel=1e-4)


def test_a_cka_has_its_rank_among_words_paired_at_random():
    same = spaces.test_cka(noise(1, n=60), noise(1, n=60) + noise(2, n=60))
    assert same.p == pytest.approx(1 / 200) and same.cka > 0.3 and abs(same.random) < 0.02 and same.n == 60
    assert 0.2 < np.mean([spaces.test_cka(noise(seed, n=60), noise(seed + 50, n=60)).p for seed in range(12)]) < 0.8
    assert spaces.test_cka(np.ones((60, 3)), noise(0, n=60)).p == 1


def test_overlap_with_itself_is_complete_and_chance_is_what_unrelated_spaces_have(monkeypatch):
    same = spaces.compare(noise(0), noise(0), WORDS)
    assert (same.share == 1).all() and (same.jaccard == 1).all() and same.profile == pytest.approx(1, abs=1e-5)
    other = spaces.compare(noise(0), noise(1), WORDS)
    assert other.share.mean() == pytest.approx(other.chance, abs=0.01)
    monkeypatch.setattr(spaces, "BLOCK", 7)
    parts = spaces.compare(noise(0), noise(1), WORDS)
    assert np.array_equal(other.first, parts.first) and other.profile == pytest.approx(parts.profile, abs=1e-5)


def test_a_comparison_is_symmetric_with_the_mean_cosine_over_all_pairs_at_random():
    crowded = noise(0) + 1.0
    crowded[:40] = 0  # words without a vector
    there, back = spaces.compare(crowded, noise(1, dims=30), WORDS), spaces.compare(noise(1, dims=30), crowded, WORDS)
    assert np.array_equal(there.shared, back.shared) and np.array_equal(there.first, back.second)
    assert np.array_equal(there.most_changed(), back.most_changed())
    assert there.profile == pytest.approx(back.profile, abs=1e-6)
    cosines = (unit(crowded) @ unit(crowded).T)[np.triu_indices(400, 1)]
    assert there.random[0] == back.random[1] == pytest.approx(cosines.mean(), abs=1e-4) and there.random[0] > 0.3
    assert abs(there.random[1]) < 0.02


def test_the_one_word_that_moved_is_the_most_changed():
    angles = np.repeat([0.0, 1.5], [4, 4]) + np.tile([0, 0.01, 0.02, 0.03], 2)
    first = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    second = first[[0, 6, 2, 3, 4, 5, 6, 7]]  # word 1 moves to words 4 to 7
    result = spaces.compare(first, second, tuple("abcdefgh"), k=3)
    assert result.most_changed()[0] == 1 and result.shared[1] == 0 and set(result.first[1].tolist()) == {0, 2, 3}
    assert result.jaccard[0] == pytest.approx(2 / 4)  # a's were b, c, d; now c, d and another


def test_shared_words_are_ordered_alike_from_both_sides():
    a = spaces.Space("a", tuple(f"w{k}x" for k in range(30)), noise(0, n=30))
    b = spaces.Space("b", (*reversed(a.words), "only", "12", ","), noise(0, n=33))
    words = spaces.find_common_words([a, b], max_words=25)
    assert words == spaces.find_common_words([b, a], max_words=25) and len(words) == 25
    assert set(words[:2]) == {"w14x", "w15x"}  # their worse rank is the best
    assert np.array_equal(spaces.on_words(b, words[:1])[0], b.vectors[b.words.index(words[0])])
    with pytest.raises(BadInput, match="share: 0 of the 20 needed"):
        spaces.find_common_words([a, spaces.Space("c", ("x",), noise(0, n=1))])


def test_the_deeper_a_layer_of_the_bundled_model_the_further_it_is_from_glove(table):
    layers = [spaces.type_space(str(k), table, np.eye(3)[k]) for k in range(3)]
    bundled = load_vectors(ASSETS / "glove-mini")
    compared = [*layers, spaces.static_space("glove-mini", bundled.words, np.stack([bundled.vector(w) for w in bundled.words]))]
    words = spaces.find_common_words(compared)
    matrix = spaces.cka_matrix([spaces.on_words(space, words) for space in compared])
    assert len(words) > 100 and np.allclose(matrix, matrix.T) and np.allclose(np.diag(matrix), 1)
    assert matrix[1, 2] > matrix[1, 3] and matrix[0, 3] > matrix[1, 3] > matrix[2, 3]


def test_a_corpus_next_to_itself_has_not_moved_but_its_halves_have(table):
    words, layers = spaces.find_common_words([spaces.type_space("2", table, np.eye(3)[2], fewest=4)]), np.eye(3)
    moved = spaces.shift(table, table, words, (layers[2], layers[2]))
    assert moved.between == pytest.approx(0, abs=1e-5)
    assert (moved.within > 0.01).mean() > 0.9 and np.nanmax(moved.excess) < 0 and (moved.counts[:, 0] >= 4).all()
    still = spaces.shift(table, table, words, (layers[0], layers[0]))  # layer 0: a lower-case spelling has one vector
    assert np.median(still.within) < 0.01
    (kept, n), (alike, _) = (spaces.halves_overlap(table, words, layers[k], k=10) for k in (2, 0))
    assert n == len(words) and 0 < kept < 9 < alike  # in layer 0 sentences change nothing but capitals
    assert spaces.halves_overlap(table, words[:3], layers[2], k=10) == (0.0, 0)


def test_halves_of_a_corpus_hold_whole_texts(table):
    words = [word for word in ("bank", "spring", "club") if word in table.words]
    compared = spaces._half_sums(table, words, np.eye(3)[2], None)[1]
    assert (np.abs(compared[0] - compared[1]) <= 1).all()  # every other sentence of a word
    texts = (np.arange(len(table.sentences)) < len(table.sentences) // 2).astype(int)
    sentences = [table.sentence[table.word == table.words.index(word)] for word in words]
    counts = spaces._half_sums(table, words, np.eye(3)[2], texts)[1]
    assert [sorted(each) for each in counts.T] == [sorted(np.bincount(texts[rows], minlength=2)) for rows in sentences]  # one text a half


def test_telling_words_are_those_with_company_in_both_spaces_the_most_changed_first():
    random = np.random.default_rng(3)
    centers = random.normal(size=(2, 4, 20))  # four groups in each space; the second deals its words out anew
    group, other = np.arange(80) % 4, np.arange(80) // 4 % 4
    first, second = (centers[k][g] + 0.1 * random.normal(size=(80, 20)) for k, g in enumerate((group, other)))
    first[0] = random.normal(size=20) * 3  # w0 stands alone in the first: its neighbors there are nobody's choice
    words = WORDS[:80]
    result = spaces.compare(first.astype(np.float32), second.astype(np.float32), words)
    near = [cosines[:, :3].mean(axis=1) for cosines in result.cosines]
    close = [k for k in range(80) if all(each[k] >= np.median(each) for each in near)]
    message = result.telling([words[0], *(words[k] for k in close[:5]), "not there"])
    assert message[-1] == 0 and set(message) == {0, *close[:5]}
    assert [result.shared[k] for k in message[:-1]] == sorted(result.shared[k] for k in close[:5])
