"""Test the folders, the facts of the installation, the import of libraries, and vectors of length 1."""

import sys
import threading

import numpy as np
import platformdirs.macos
import pytest

from core import __version__
from core.common import config, installation
from core.common.directions import unit, unit_rows
from core.common.errors import BadInput
from core.common.libraries import import_library


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


def test_a_report_states_versions_and_settings_as_the_readme_does():
    assert f"Version {__version__}." in (config.ROOT / "README.md").read_text(encoding="utf-8")
    text = installation.describe_installation({"model": "elmo-mini"})
    lines = dict(line.split(": ", 1) for line in text.splitlines())
    assert lines["elmoscope"] == __version__ and lines["model"] == "elmo-mini" and {*installation.STATED} <= lines.keys()


def test_second_import_waits_for_the_first(tmp_path, monkeypatch):
    started, may_end, order = threading.Event(), threading.Event(), []
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "signals", type("Signals", (), {"started": started, "may_end": may_end, "order": order}))
    (tmp_path / "first_library.py").write_text("import signals\nsignals.started.set()\nsignals.may_end.wait(20)\nsignals.order.append(1)\n")
    (tmp_path / "second_library.py").write_text("import signals\nsignals.order.append(2)\n")
    threads = [threading.Thread(target=import_library, args=(name,)) for name in ("first_library", "second_library")]
    threads[0].start()
    assert started.wait(20)
    threads[1].start()
    threads[1].join(0.2)
    assert order == []
    may_end.set()
    for thread in threads:
        thread.join(20)
    assert order == [1, 2]
