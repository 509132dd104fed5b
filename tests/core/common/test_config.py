"""core.common.config: where things lie."""

import platformdirs.macos

from core.common import config


def test_cache_is_in_the_system_s_cache_folder_or_where_the_variable_says(tmp_path, monkeypatch):
    monkeypatch.delenv("ELMOSCOPE_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(platformdirs, "PlatformDirs", platformdirs.macos.MacOS)
    assert config.cache_folder() == tmp_path / "Library" / "Caches" / "elmoscope"
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path / "named"))
    assert config.cache_folder() == tmp_path / "named"
