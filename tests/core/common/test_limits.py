"""Test the limits: set by environment variables, stricter on a public server, and respected when files are opened."""

import os

import platformdirs.macos
import pytest

from core.common import config
from core.common.config import ROOT
from core.common.errors import BadInput, ElmoscopeError
from core.common.limits import PUBLIC, SWITCH, VARIABLES, Limits, limits
from core.files import registry
from core.files import user_names as own_texts
from core.text import own_corpus
from core.text.corpora import open_corpus


def test_each_cap_is_set_by_its_variable_and_stricter_on_a_public_server(monkeypatch):
    assert limits() == Limits()
    for variable, name in VARIABLES.items():
        text, value = ("off", False) if isinstance(getattr(Limits(), name), bool) else ("7", 7)
        monkeypatch.setenv(variable, text)
        assert getattr(limits(), name) == value, variable
        monkeypatch.delenv(variable)
    monkeypatch.setenv(SWITCH, "on")
    assert not (limits().uploads or limits().paths or limits().downloads)
    assert all(getattr(limits(), name) < getattr(Limits(), name) for name in PUBLIC)
    monkeypatch.setenv("ELMOSCOPE_UPLOADS", "on")
    assert limits().uploads and not limits().paths


def test_cache_is_in_the_system_s_cache_folder_or_where_the_variable_says(tmp_path, monkeypatch):
    monkeypatch.delenv("ELMOSCOPE_CACHE", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(platformdirs, "PlatformDirs", platformdirs.macos.MacOS)
    assert config.cache_folder() == tmp_path / "Library" / "Caches" / "elmoscope"
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path / "named"))
    assert config.cache_folder() == tmp_path / "named"


@pytest.mark.parametrize("value", ["0", "-1", "many", "1e6", "9" * 13, "¹", "perhaps"])
def test_a_value_that_is_no_number_or_switch_is_named_with_its_variable(monkeypatch, value):
    variable, message = ("ELMOSCOPE_UPLOADS", "on or off") if value == "perhaps" else ("ELMOSCOPE_MAX_JOBS", "a whole number")
    monkeypatch.setenv(variable, value)
    with pytest.raises(BadInput, match=f"{variable}.*{message}"):
        limits()


def test_every_variable_is_explained_in_the_readme():
    text = (ROOT / "core" / "common" / "README.md").read_text(encoding="utf-8")
    assert [name for name in (SWITCH, *VARIABLES) if name not in text] == []


def test_where_paths_are_switched_off_only_names_and_brought_texts_open(monkeypatch, tmp_path):
    kept = own_corpus.keep_text("The bank was steep. The bank lent money.", "mine")
    (tmp_path / "secret.txt").write_text("Nobody should read this.")
    monkeypatch.setenv("ELMOSCOPE_PATHS", "off")
    assert registry.resolve("sentences", "corpus").name == "sentences.jsonl"
    assert len(open_corpus(str(kept.path))) == 2
    out = kept.path.parent / os.pardir / os.pardir / os.pardir / "secret.txt"
    inside = kept.path.parent / "link.jsonl"
    inside.symlink_to(tmp_path / "secret.txt")
    for path in (tmp_path / "secret.txt", out, inside, kept.path.parent, "/etc/passwd", "/proc/self/environ", "~", ".."):
        with pytest.raises(BadInput, match="on this server"):
            registry.resolve(path, "corpus")
    with pytest.raises(BadInput, match="on this server"):
        own_corpus.files_in(str(tmp_path))
    monkeypatch.chdir(tmp_path)  # the folder the server was started in
    with pytest.raises(ElmoscopeError, match="Unknown corpus"):
        registry.resolve("secret.txt", "corpus")


@pytest.mark.parametrize("kind", ["model", "vectors", "corpus"])
def test_where_paths_are_switched_off_what_is_there_and_what_is_not_are_answered_alike(monkeypatch, tmp_path, kind):
    monkeypatch.setenv("ELMOSCOPE_PATHS", "off")
    monkeypatch.chdir(tmp_path)
    own = own_texts.corpus_folder()
    places = [tmp_path / "a folder", own, own / "sub", tmp_path / "cache" / "models"]
    names = ["secret.txt", "with blanks.txt", f"{'0' * 32}.jsonl.bak"]
    paths = [str(place / name) for place in places for name in names] + [names[1], "./secret.txt", "here.txt", "~", "a folder"]

    def answers() -> list[str]:
        result = []
        for path in paths:
            with pytest.raises(ElmoscopeError) as message:
                registry.resolve(path, kind)
            result.append(f"{type(message.value).__name__}: {message.value}")
        return result

    missing = answers()
    for path in (tmp_path / path for path in paths if path not in ("~", "a folder")):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("One line. Nobody should know that it is here.")
    assert answers() == missing
