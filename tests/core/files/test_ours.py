"""What may be replaced or removed: files of our own names and marks, never one of somebody's."""

import os

import pytest

from core.common.errors import BadInput
from core.files import atomic
from core.files.artifacts import replacing

OWN = r"rows\.arrow|maps(/\w+\.map)?"


def folder_of(folder, *names) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


@pytest.mark.parametrize("name", ["notes.txt", "rows.arrow.bak", "maps/a.txt", "maps/b/c.map", "photos/a.jpg", ".git/config", "\n.map"])
def test_the_first_file_of_somebody_s_is_named_and_nothing_is_lost(tmp_path, name):
    folder = tmp_path / "index"
    folder_of(folder, "rows.arrow", "maps/a.map", ".0123abcd-12-0123abcd.tmp-rows.arrow")
    assert atomic.find_foreign_file(folder, OWN) is None
    folder_of(folder, name)
    before = sorted(folder.rglob("*"))
    with pytest.raises(BadInput) as refused:
        atomic.check_replaceable(folder, OWN)
    assert f"({name})" in str(refused.value) and "Move them" in str(refused.value)
    with pytest.raises(BadInput, match="has other files"), replacing(folder, pattern=OWN) as temporary:
        folder_of(temporary, "rows.arrow")
    assert sorted(folder.rglob("*")) == before


def test_a_folder_that_is_empty_or_a_link_is_somebody_s_too(tmp_path):
    (tmp_path / "index" / "empty").mkdir(parents=True)
    assert atomic.find_foreign_file(tmp_path / "index", OWN) == "empty"
    (tmp_path / "index" / "empty").rmdir()
    folder_of(tmp_path / "elsewhere", "a.map")
    (tmp_path / "index" / "link").symlink_to(tmp_path / "elsewhere")
    assert atomic.find_foreign_file(tmp_path / "index", OWN) == "link"


def test_what_bears_our_names_without_our_mark_is_somebody_s(tmp_path):
    folder_of(tmp_path / "index", "rows.arrow")
    with pytest.raises(BadInput, match=r"has other files \(rows\.arrow\)"):
        atomic.check_replaceable(tmp_path / "index", OWN, marked=lambda folder: False)
    atomic.check_replaceable(tmp_path / "index", OWN, marked=lambda folder: True)


def test_the_folder_one_is_in_and_those_above_cannot_be_replaced(tmp_path, monkeypatch):
    (tmp_path / "a" / "b").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "a" / "b")
    for place in (".", "..", "./", "../b/..", os.getcwd(), tmp_path / "a", ""):
        with pytest.raises(BadInput, match="contains your current folder"):
            atomic.check_replaceable(place, OWN)
        with pytest.raises(BadInput, match="contains your current folder"), replacing(place) as temporary:
            temporary.mkdir()
    atomic.check_replaceable("new", OWN)
    atomic.check_replaceable("../c/", OWN)


def test_a_file_is_no_folder_to_replace(tmp_path):
    folder_of(tmp_path, "mine")
    with pytest.raises(BadInput, match="mine is a file"):
        atomic.check_replaceable(tmp_path / "mine", OWN)


def test_only_our_own_is_removed_and_the_folder_when_it_is_empty(tmp_path):
    folder_of(tmp_path / "parts", "rows.arrow", "thesis.txt")
    atomic.remove_own_files(tmp_path / "parts", OWN)
    assert os.listdir(tmp_path / "parts") == ["thesis.txt"]
    os.remove(tmp_path / "parts" / "thesis.txt")
    atomic.remove_own_files(tmp_path / "parts", OWN)
    assert not (tmp_path / "parts").exists()
    atomic.remove_own_files(tmp_path / "parts", OWN)
