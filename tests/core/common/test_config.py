"""core.common.config: where things lie."""

import platformdirs.macos

from core.common import config


def test_the_cache_lies_where_the_system_has_such_things_but_one_that_is_there_stays(tmp_path, monkeypatch):
    monkeypatch.delenv("ELMOSCOPE_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(platformdirs, "PlatformDirs", platformdirs.macos.MacOS)
    assert config.cache_folder() == tmp_path / "Library" / "Caches" / "elmoscope"
    earlier = tmp_path / ".cache" / "elmoscope"
    earlier.mkdir(parents=True)
    assert config.cache_folder() == earlier
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path / "named"))
    assert config.cache_folder() == tmp_path / "named"
