"""Test the evidence for one meaning: views of a word without labels, votes by the middles of senses, and the bundled histograms."""

import numpy as np
import pytest

from core.common.config import ASSETS
from core.common.directions import unit
from core.common.errors import MissingArtifact
from core.common.model_layers import SENSES
from core.files.artifacts import read_json
from core.senses import calibration, densities, evidence
from core.senses.evidence import LABELED_COLUMNS, UNLABELED_COLUMNS, VIEWS, Evidence, centers, centroid_shares, cosines
from core.text import languages
from core.workspace import open_workspace

LAYERS = {"0", "1", "2", "mix"}


def test_a_view_is_less_the_word_alone_and_every_word_counts_alike_in_its_center():
    result = Evidence(np.array([[[3.0, 4.0]]]), np.array([[[0.0, 2.0]]]), np.ones((1, 2)), np.array([[0.0, 5.0]]))
    views = result.views("0")
    assert views["token"].tolist() == pytest.approx(np.array([[0.6, -0.2]]), abs=1e-6) and views["topic"].tolist() == [[0, 1]]
    rows = np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    views = dict.fromkeys(VIEWS, rows)
    center = centers(views, np.array([0, 0, 1, 1]))
    assert center["token"].tolist() == [1.0, 0.25]  # of (2, 0) and (0, 0.5)
    zero = dict.fromkeys(VIEWS, np.zeros(2))
    assert cosines(views, zero, np.array([0, 0, 0]), np.array([1, 2, 3])).tolist() == [[1] * len(VIEWS), [0] * len(VIEWS), [0] * len(VIEWS)]


NOUNS = np.full(18, "noun")


def rows(n: int = 12, senses: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % senses
    return unit(rng.normal(size=(n, 16)) + 2 * rng.normal(size=(senses, 16))[labels]), labels


def test_a_sentence_is_given_to_its_own_sense_by_the_middles_of_the_others():
    directions, labels = rows()
    for k, label in enumerate(labels):
        others = [j for j in range(len(labels)) if j != k]
        given = centroid_shares(directions[others], labels[others], directions[[k]], 3, NOUNS[others])[0]
        middles = [unit(directions[others][labels[others] == sense].sum(axis=0)) for sense in range(3)]
        raised = np.exp([evidence.SHARPNESS * directions[k] @ middle for middle in middles])
        assert np.allclose(given, raised / raised.sum()) and given.argmax() == label
    assert np.allclose(centroid_shares(directions, labels, np.zeros((1, 16)), 3, NOUNS[:12]), 1 / 3)  # without a direction
    directions, _ = rows(4, 1)
    alone = centroid_shares(directions[:2], np.array([0, 0]), directions[[3]], 2, NOUNS[:2])
    assert alone.tolist() == [[1.0, 0.0]]  # nothing is left of a sense


def test_a_sense_has_a_middle_in_each_part_of_speech_with_enough_sentences_and_the_nearer_one_counts():
    """Nouns lie at one axis and verbs at another; between them, where one middle would be, is the other sense."""
    noun, verb, other = np.eye(3)
    directions = unit(np.stack([noun, noun, noun, verb, verb, verb, noun + verb + 0.3 * other]))
    labels, pos = np.array([0, 0, 0, 0, 0, 0, 1]), np.array(["noun"] * 3 + ["verb"] * 3 + ["noun"])
    item = centroid_shares(directions, labels, unit(np.stack([noun, verb])), 2, NOUNS[:7])
    two = centroid_shares(directions, labels, unit(np.stack([noun, verb])), 2, pos)
    raised = np.exp(evidence.SHARPNESS * np.array([1, directions[6] @ noun]))
    assert np.allclose(two, raised / raised.sum()) and (two[:, 0] > item[:, 0]).all()
    directions, labels = rows(18)
    pos = np.where(np.arange(18) < 2 * evidence.FEWEST, "verb", "noun")  # two of six are verbs
    plain = centroid_shares(directions, labels, directions, 3, NOUNS)
    assert np.allclose(centroid_shares(directions, labels, directions, 3, pos), plain, rtol=0, atol=1e-12)
    pos[6] = "verb"  # a third one of sense 0
    assert not np.allclose(centroid_shares(directions, labels, directions, 3, pos), plain)


@pytest.mark.parametrize("code", ["en", "ko"])
def test_each_kind_of_evidence_has_a_histogram(workspace, code):
    workspace = workspace.with_model(languages.get_language(code).model)
    for labeled, columns in ((True, LABELED_COLUMNS), (False, UNLABELED_COLUMNS)):
        result = densities.densities_of(workspace, labeled=labeled)
        assert set(result) == {*columns, *LAYERS}
        for kind, density in result.items():
            assert density.edges.shape == (densities.BINS + 1,) and (np.diff(density.edges) > 0).all()
            for shares in (density.same, density.different):
                assert shares.shape == (densities.BINS,) and shares.min() >= 0 and shares.sum() == pytest.approx(1), kind
    if code == "en":
        stored = read_json(ASSETS / "targets" / calibration.FILE, expect=dict)["densities"]["labeled"]
        made = densities.densities_as_json(densities.densities_of(workspace, labeled=True), {})["labeled"]
        assert stored.keys() == made.keys() and made[SENSES]["same"] == pytest.approx(stored[SENSES]["same"], abs=1e-4)


def test_a_model_without_labeled_sentences_has_none_until_they_can_be_read(model, monkeypatch):
    def targets_refused(*_):
        raise MissingArtifact("targets")

    workspace = open_workspace(model)
    with monkeypatch.context() as patch:
        patch.setattr(workspace.opener, "targets", targets_refused)
        assert densities.densities_of(workspace, labeled=True) == {}
        assert calibration.calibration_of(workspace) is calibration.USUAL
    assert set(densities.densities_of(workspace, labeled=True)) == {*LABELED_COLUMNS, *LAYERS}
    assert "bank" in calibration.calibration_of(workspace).words


def test_words_weigh_alike_and_outliers_are_in_the_last_bins():
    values = [np.array([0.1] * 98 + [0.9, 50.0]), np.array([0.9, 0.1])]
    same = [np.array([False] * 98 + [True, True]), np.array([True, False])]
    density = densities.count_density(values, same)
    assert density.different.sum() == pytest.approx(1) and density.same.sum() == pytest.approx(1)
    assert density.edges[-1] < 50 and density.same[-1] == pytest.approx(0.25)
