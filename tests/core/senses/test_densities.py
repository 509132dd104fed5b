"""Histograms of the evidence: those that ship are of the bundled model, and separate same from different meanings as the kinds do."""

import json

import numpy as np
import pytest

from core.common.config import ASSETS
from core.common.errors import MissingArtifact
from core.common.model_layers import SENSES
from core.files.artifacts import write_json
from core.senses import calibration
from core.senses.calibration import BINS, count_density, densities_as_json
from core.senses.evidence import LABELED_COLUMNS, UNLABELED_COLUMNS
from core.text import languages
from core.workspace import open_workspace

CODES = ("en", "ko")
LAYERS = {"0", "1", "2", "mix"}


@pytest.mark.parametrize("code", CODES)
def test_each_kind_of_evidence_has_a_histogram(workspace, code):
    workspace = workspace.beside(languages.get_language(code).model)
    for labeled, columns in ((True, LABELED_COLUMNS), (False, UNLABELED_COLUMNS)):
        result = calibration.densities_of(workspace, labeled=labeled)
        assert set(result) == {*columns, *LAYERS}
        for kind, density in result.items():
            assert density.edges.shape == (BINS + 1,) and (np.diff(density.edges) > 0).all()
            for shares in (density.same, density.different):
                assert shares.shape == (BINS,) and shares.min() >= 0 and shares.sum() == pytest.approx(1), kind


def test_a_model_that_none_were_made_with_has_none(model, tmp_path):
    facts = json.loads((ASSETS / "targets" / calibration.FILE).read_text("utf-8"))
    write_json(tmp_path / calibration.FILE, {name: value for name, value in facts.items() if name != "densities"})
    assert calibration.read(tmp_path).densities == {}

    def targets_of_another_model(*_):
        raise MissingArtifact("targets")

    workspace = open_workspace(model)
    workspace.opener.targets = targets_of_another_model
    assert calibration.densities_of(workspace, labeled=True) == {}


def test_words_weigh_alike_and_outliers_are_in_the_last_bins():
    values = [np.array([0.1] * 98 + [0.9, 50.0]), np.array([0.9, 0.1])]
    same = [np.array([False] * 98 + [True, True]), np.array([True, False])]
    density = count_density(values, same)
    assert density.different.sum() == pytest.approx(1) and density.same.sum() == pytest.approx(1)
    assert density.edges[-1] < 50 and density.same[-1] == pytest.approx(0.25)


def test_the_file_says_what_the_histograms_say(workspace):
    facts = json.loads((ASSETS / "targets" / "verdict.json").read_text("utf-8"))
    made = calibration.densities_of(workspace, labeled=True)
    assert facts["densities"]["labeled"].keys() == made.keys()
    assert densities_as_json(made, {})["labeled"][SENSES]["same"] == pytest.approx(facts["densities"]["labeled"][SENSES]["same"], abs=1e-4)
