"""Test that files are complete or missing, that errors name them, and that they state what made them."""

import ast
import errno
import os
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock, call

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.common.config import ROOT
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.files import artifacts, atomic
from core.files.artifacts import parse_json, read_json, replacing, safe_name, text_fingerprint, write_json
from core.files.atomic import locked
from core.files.published import RemoteFile

OWN = r"rows\.arrow|maps(/\w+\.map)?"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name != "cache"}


def write_files(folder: Path, *names: str, content: str = "") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)


def write_folder(folder: Path, *names: str, pattern: str = "", content: str = "") -> None:
    with replacing(folder, pattern=pattern) as temporary:
        write_files(temporary, *names, content=content)


def test_a_file_appears_complete_or_stays_as_it_was_after_a_failure(tmp_path):
    target = tmp_path / "new" / "a.npz"
    with replacing(target) as temporary:
        assert temporary.parent == target.parent and temporary.suffix == ".npz"
        temporary.write_text("first")
        assert not target.exists()
    for failure in (ValueError("ours"), KeyboardInterrupt()):
        with pytest.raises(type(failure)), replacing(target) as temporary:
            temporary.write_text("half")
            raise failure
        assert target.read_text() == "first" and names(target.parent) == {"a.npz"}


def test_a_folder_that_exists_is_swapped_completely_or_not_at_all(tmp_path, monkeypatch):
    for name in ("one", "two"):
        write_folder(tmp_path / "index", name, pattern="one|two")
    assert names(tmp_path) == {"index"} and names(tmp_path / "index") == {"two"}
    rename, outcomes = os.rename, iter([None, None, OSError(errno.EIO, "failing disk"), None])

    def failing(source, target):
        if error := next(outcomes):
            raise error
        rename(source, target)

    monkeypatch.setattr(atomic, "_exchange", lambda first, second: False)
    monkeypatch.setattr(os, "rename", failing)
    with pytest.raises(OSError, match="failing disk"):
        write_folder(tmp_path / "index", "new", pattern="two")
    assert names(tmp_path) == {"index"} and names(tmp_path / "index") == {"two"}


def test_two_writers_of_one_folder_leave_one_complete_folder(tmp_path):
    def write(number: int) -> None:
        for _ in range(20):
            write_folder(tmp_path / "index", "a", "b", content=str(number))

    with ThreadPoolExecutor() as pool:
        list(pool.map(write, range(2)))
    assert names(tmp_path) == {"index"} and names(tmp_path / "index") == {"a", "b"}
    assert (tmp_path / "index" / "a").read_text() == (tmp_path / "index" / "b").read_text()


def test_a_full_disk_and_a_file_in_the_way_are_reported_and_errors_elsewhere_are_not_blamed_on_the_place(tmp_path):
    (tmp_path / "file").write_text("")
    for write in (lambda: write_json(tmp_path / "file" / "a.json", {}), lambda: write_folder(tmp_path / "file", "a")):
        with pytest.raises(BadInput, match="cannot be written"):
            write()
    for place, error, expected, message in (
        ("index.arrow", OSError(errno.ENOSPC, "full"), BadInput, r"index\.arrow cannot be written: No space left on device\. Free"),
        ("b/c/a", PermissionError(errno.EACCES, "no", str(tmp_path / "b")), BadInput, r"b/c/a cannot be written"),  # of a folder above
        ("a", PermissionError(errno.EACCES, "no", "/somewhere/else"), PermissionError, "no"),
    ):
        with pytest.raises(expected, match=message), replacing(tmp_path / place):
            raise error
    with pytest.raises(FileNotFoundError), replacing(tmp_path / "a"):
        pass
    assert names(tmp_path) <= {"file", "b"}


def test_json_comes_back_as_written_and_refuses_what_it_cannot_express(tmp_path):
    path = tmp_path / "a.json"
    write_json(path, {"file": RemoteFile("x"), "path": Path("x"), "mean": np.float32(0.5), "row": np.arange(3), "word": "낱말 \ud800"})
    assert read_json(path) == {"file": asdict(RemoteFile("x")), "path": "x", "mean": 0.5, "row": [0, 1, 2], "word": "낱말 \ud800"}
    write_json(path, ["낱말"])
    for value in (float("nan"), object()):
        with pytest.raises((ValueError, TypeError)):
            write_json(path, {"loss": value})
    assert path.read_text(encoding="utf-8").split() == ["[", '"낱말"', "]"] and names(tmp_path) == {"a.json"}


BAD_JSON = [
    *((b"{", "not JSON"), (b"", "not JSON"), (b'{"a": NaN}', "NaN"), (b"\xff\xfe[]", "not UTF-8")),
    (b"[" + b"9" * 5000 + b"]", "4300 digits"),
    *((opening * 100_000, "too many nested levels") for opening in (b"[", b'{"a":')),
]


@pytest.mark.parametrize(("data", "message"), BAD_JSON, ids=range(len(BAD_JSON)))
def test_a_damaged_json_file_is_named_with_its_error(tmp_path, data, message):
    path = tmp_path / "meta.json"
    path.write_bytes(data)
    with pytest.raises(CorruptArtifact, match=rf"meta\.json is damaged: .*{message}.*Delete and remake it"):
        read_json(path)
    with pytest.raises(ValueError, match=message):
        parse_json(data)


def test_a_json_file_that_is_missing_too_large_or_of_another_kind_is_named(tmp_path, monkeypatch):
    write_json(tmp_path / "a.json", list(range(100)))
    for name, error in (("gone.json", r"No file .*gone\.json"), ("", "is a folder"), ("a.json", "list instead of dict")):
        with pytest.raises((MissingArtifact, CorruptArtifact), match=error):
            read_json(tmp_path / name, expect=dict)
    monkeypatch.setattr(artifacts, "MAX_JSON_BYTES", 10)
    with pytest.raises(CorruptArtifact, match=r"a\.json is \d+ bytes, above the limit of 10 bytes"):
        read_json(tmp_path / "a.json")


def test_fingerprints_keep_any_texts_apart():
    assert text_fingerprint(["ab"]) != text_fingerprint(["a", "b"]) != text_fingerprint(["b", "a"])
    assert text_fingerprint(iter(["a", "\ud800"])) == text_fingerprint(["a", "\ud800"])


def test_a_reader_who_keeps_a_file_open_on_windows_is_waited_for(monkeypatch):
    replace = Mock(side_effect=[PermissionError(13, "in use"), PermissionError(13, "in use"), None])
    monkeypatch.setattr(atomic, "os", SimpleNamespace(name="nt", replace=replace))
    atomic.rename("new", "old")
    assert replace.call_args_list == [call("new", "old")] * 3


WINDOWS = re.compile(r'[<>:"/\\|?*\x00-\x1f]|[. ]$|^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$', re.IGNORECASE)


HARD_NAMES = ["and/or", "and_or", "A", "a", "what?", "con", "COM1", "nul.txt", "..", "", "é", "e\u0301", "ß", "ss", "a.", "a "]


@given(st.lists(st.text(max_size=8) | st.sampled_from(HARD_NAMES), unique=True, max_size=20))
def test_every_word_has_a_file_name_of_its_own_on_every_system(words: list[str]):
    names = [safe_name(word) for word in words]
    on_some_disk = {unicodedata.normalize("NFD", name.casefold()) for name in names}  # where neither case nor composition counts
    assert len(on_some_disk) == len(words)
    assert not [name for name in names if WINDOWS.search(name) or len(name.encode()) > 200]


def test_text_files_are_written_with_the_same_line_ends_on_every_system():
    """Windows changes the line ends of a text file unless `newline` is set: sums would not match, and words would end in "\\r"."""
    silent = []
    for path in sorted((ROOT / "core").rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        for node in ast.walk(ast.parse(source)) if "write_text(" in source or ".open(" in source else ():
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            mode = next((a.value for a in node.args[:1] if isinstance(a, ast.Constant)), "")
            writes = node.func.attr == "write_text" or (node.func.attr == "open" and mode in ("w", "a", "x", "wt", "at"))
            if writes and not {"newline"} & {keyword.arg for keyword in node.keywords}:
                silent.append((path.relative_to(ROOT).as_posix(), ast.unparse(node.func)))
    assert not silent


@pytest.mark.parametrize("name", ["notes.txt", "rows.arrow.bak", "maps/a.txt", "maps/b/c.map", "photos/a.jpg", ".git/config", "\n.map"])
def test_the_first_file_of_others_is_named_and_nothing_is_lost(tmp_path, name):
    folder = tmp_path / "index"
    write_files(folder, "rows.arrow", "maps/a.map", ".0123abcd-12-0123abcd.tmp-rows.arrow")
    with locked(folder / "rows.arrow"):
        (lock,) = folder.glob(".*.lock")
    lock.touch()  # as a killed process leaves it
    assert atomic.find_foreign_file(folder, OWN) is None
    write_files(folder, name)
    before = sorted(folder.rglob("*"))
    with pytest.raises(BadInput) as refused:
        atomic.check_replaceable(folder, OWN)
    assert f"({name})" in str(refused.value) and "Move them" in str(refused.value)
    with pytest.raises(BadInput, match="has other files"):
        write_folder(folder, "rows.arrow", pattern=OWN)
    assert sorted(folder.rglob("*")) == before


def test_empty_folders_links_and_files_without_our_mark_are_of_others(tmp_path):
    folder, elsewhere = tmp_path / "index", tmp_path / "elsewhere"
    write_files(folder, "rows.arrow")
    write_files(elsewhere, "a.map")
    (folder / "empty").mkdir()
    assert atomic.find_foreign_file(folder, OWN) == "empty"
    (folder / "empty").rmdir()
    (folder / "link").symlink_to(elsewhere)
    assert atomic.find_foreign_file(folder, OWN) == "link"
    (folder / "link").unlink()
    with pytest.raises(BadInput, match=r"has other files \(rows\.arrow\)"):
        atomic.check_replaceable(folder, OWN, marked=lambda folder: False)
    atomic.check_replaceable(folder, OWN, marked=lambda folder: True)
    with pytest.raises(BadInput, match=r"a\.map is a file"):
        atomic.check_replaceable(elsewhere / "a.map", OWN)


def test_the_folder_one_is_in_and_those_above_cannot_be_replaced(tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    for place in (".", "..", "./", "../b/..", os.getcwd(), tmp_path / "a", ""):
        with pytest.raises(BadInput, match="contains your current folder"):
            atomic.check_replaceable(place, OWN)
        with pytest.raises(BadInput, match="contains your current folder"), replacing(place) as temporary:
            temporary.mkdir()
    for place in ("new", "../c/"):
        atomic.check_replaceable(place, OWN)


def test_only_our_own_is_removed_and_the_folder_when_it_is_empty(tmp_path):
    write_files(tmp_path / "parts", "rows.arrow", "thesis.txt")
    atomic.remove_own_files(tmp_path / "parts", OWN)
    assert os.listdir(tmp_path / "parts") == ["thesis.txt"]
    os.remove(tmp_path / "parts" / "thesis.txt")
    for _ in range(2):
        atomic.remove_own_files(tmp_path / "parts", OWN)
        assert not (tmp_path / "parts").exists()
