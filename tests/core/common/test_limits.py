"""core.common.limits: every cap in one place, set by the environment, stricter by one switch; and what the readers make of them."""

import os
from dataclasses import fields

import pytest

from core.common.config import ROOT
from core.common.errors import BadInput, ElmoscopeError
from core.common.limits import PUBLIC, SWITCH, VARIABLES, Limits, check_allowed, limits
from core.files import registry
from core.files import user_names as own_texts
from core.text import own_corpus
from core.text.corpora import open_corpus


def test_each_cap_is_set_by_the_variable_of_its_name(monkeypatch):
    assert limits() == Limits()
    for variable, name in VARIABLES.items():
        text, value = ("off", False) if isinstance(getattr(Limits(), name), bool) else ("7", 7)
        monkeypatch.setenv(variable, text)
        assert getattr(limits(), name) == value, variable
        monkeypatch.delenv(variable)


def test_a_public_server_is_stricter_in_everything_it_names_unless_told_otherwise(monkeypatch):
    monkeypatch.setenv(SWITCH, "on")
    assert not (limits().uploads or limits().paths or limits().downloads)
    assert all(getattr(limits(), name) < getattr(Limits(), name) for name in PUBLIC)
    monkeypatch.setenv("ELMOSCOPE_UPLOADS", "on")
    assert limits().uploads and not limits().paths


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [
        *(("ELMOSCOPE_MAX_JOBS", value, "ELMOSCOPE_MAX_JOBS") for value in ("0", "-1", "many", "1e6", "9" * 13, "¹")),
        ("ELMOSCOPE_UPLOADS", "perhaps", "on or off"),
    ],
)
def test_a_value_that_is_no_number_or_switch_is_named_with_its_variable(monkeypatch, variable, value, message):
    monkeypatch.setenv(variable, value)
    with pytest.raises(BadInput, match=message):
        limits()


def test_every_variable_is_explained_in_the_readme_and_every_number_is_positive():
    text = (ROOT / "core" / "common" / "README.md").read_text(encoding="utf-8")
    assert [name for name in (SWITCH, *VARIABLES) if name not in text] == []
    assert all(getattr(Limits(), field.name) >= 1 for field in fields(Limits) if field.type == "int")


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
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.txt").write_text("A file of the folder the server was started in.")
    with pytest.raises(Exception, match="Unknown corpus"):
        registry.resolve("here.txt", "corpus")


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


@pytest.mark.parametrize("what", ["uploads", "paths", "downloads"])
def test_what_is_switched_off_is_reported_with_its_variable(monkeypatch, what):
    check_allowed(what)
    monkeypatch.setenv(f"ELMOSCOPE_{what.upper()}", "off")
    with pytest.raises(BadInput, match=f"ELMOSCOPE_{what.upper()}"):
        check_allowed(what)
