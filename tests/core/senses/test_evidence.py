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
from core.workspace import open_workspace

NOUNS = np.full(12, "noun")


def test_a_view_is_less_the_word_alone_and_every_word_counts_alike_in_its_center():
    result = Evidence(np.array([[[3.0, 4.0]]]), np.array([[[0.0, 2.0]]]), np.ones((1, 2)), np.array([[0.0, 5.0]]))
    views = result.views("0")
    assert views["token"].tolist() == pytest.approx(np.array([[0.6, -0.2]]), abs=1e-6) and views["topic"].tolist() == [[0, 1]]
    views = dict.fromkeys(VIEWS, np.array([[1.0, 0.0], [3.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
    assert centers(views, np.array([0, 0, 1, 1]))["token"].tolist() == [1.0, 0.25]  # of (2, 0) and (0, 0.5)
    pairs = np.array([0, 0, 0]), np.array([1, 2, 3])
    assert cosines(views, dict.fromkeys(VIEWS, np.zeros(2)), *pairs).tolist() == [[k] * len(VIEWS) for k in (1, 0, 0)]


def test_a_sentence_is_given_to_its_own_sense_by_the_middles_of_the_others():
    rng, labels = np.random.default_rng(0), np.arange(12) % 3
    directions = unit(rng.normal(size=(12, 16)) + 2 * rng.normal(size=(3, 16))[labels])
    for k, label in enumerate(labels):
        others = [j for j in range(len(labels)) if j != k]
        given = centroid_shares(directions[others], labels[others], directions[[k]], 3, NOUNS[others])[0]
        middles = [unit(directions[others][labels[others] == sense].sum(axis=0)) for sense in range(3)]
        raised = np.exp([evidence.SHARPNESS * directions[k] @ middle for middle in middles])
        assert np.allclose(given, raised / raised.sum()) and given.argmax() == label
    assert np.allclose(centroid_shares(directions, labels, np.zeros((1, 16)), 3, NOUNS), 1 / 3)  # without a direction
    alone = centroid_shares(directions[:2], np.array([0, 0]), directions[[3]], 2, NOUNS[:2])
    assert alone.tolist() == [[1.0, 0.0]]  # nothing is left of a sense


def test_a_sense_has_a_middle_in_each_part_of_speech_with_enough_sentences_and_the_nearer_one_counts():
    noun, verb, other = np.eye(3)
    directions = unit(np.stack([noun, noun, noun, verb, verb, verb, noun + verb + 0.3 * other]))
    labels, pos = np.array([0, 0, 0, 0, 0, 0, 1]), np.array(["noun"] * 3 + ["verb"] * 3 + ["noun"])
    few = np.array(["noun"] * 4 + ["verb"] * 2 + ["noun"])  # too few verbs for a middle
    one, two, joined = (centroid_shares(directions, labels, np.eye(3)[:2], 2, each) for each in (NOUNS[:7], pos, few))
    raised = np.exp(evidence.SHARPNESS * np.array([1, directions[6] @ noun]))
    assert np.allclose(two, raised / raised.sum()) and (two[:, 0] > one[:, 0]).all() and np.allclose(joined, one)


def test_each_kind_of_evidence_has_a_histogram(workspace):
    for labeled, columns in ((True, LABELED_COLUMNS), (False, UNLABELED_COLUMNS)):
        result = densities.densities_of(workspace, labeled=labeled)
        assert set(result) == {*columns, "0", "1", "2", "mix"}
        assert all((np.diff(density.edges) > 0).all() for density in result.values())
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
    assert densities.densities_of(workspace, labeled=True) and "bank" in calibration.calibration_of(workspace).words


def test_words_weigh_alike_and_outliers_are_in_the_last_bins():
    values = [np.array([0.1] * 98 + [0.9, 50.0]), np.array([0.9, 0.1])]
    density = densities.count_density(values, [np.array([False] * 98 + [True, True]), np.array([True, False])])
    assert density.different.sum() == pytest.approx(1) and density.same.sum() == pytest.approx(1)
    assert density.edges[-1] < 50 and density.same[-1] == pytest.approx(0.25)
