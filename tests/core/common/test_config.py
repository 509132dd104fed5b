"""core.common.config: where things lie."""

import numpy as np
import platformdirs.macos
import pytest

from core.common import config
from core.common.directions import unit, unit_rows
from core.common.errors import BadInput


def test_cache_is_in_the_system_s_cache_folder_or_where_the_variable_says(tmp_path, monkeypatch):
    monkeypatch.delenv("ELMOSCOPE_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(platformdirs, "PlatformDirs", platformdirs.macos.MacOS)
    assert config.cache_folder() == tmp_path / "Library" / "Caches" / "elmoscope"
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path / "named"))
    assert config.cache_folder() == tmp_path / "named"


def test_rows_of_finite_numbers_have_length_one_and_zeros_stay_zeros():
    result = unit(np.array([[[3.0, 4.0], [0.0, 0.0]], [[-1e-3, 0.0], [5.0, 12.0]]], np.float32))
    np.testing.assert_allclose(result, [[[0.6, 0.8], [0, 0]], [[-1, 0], [5 / 13, 12 / 13]]], rtol=1e-6)
    assert result.dtype == np.float32 and unit(np.array([0.0, -2.0])).tolist() == [0, -1]
    assert unit_rows([[3, 4]], np.float64).tolist() == [[0.6, 0.8]]
    for wrong in ([1.0, 2.0], [[np.nan, 1.0]], np.empty((0, 3))):
        with pytest.raises(BadInput, match="Finite numbers needed"):
            unit_rows(wrong)
