"""Test that a command replaces only what it wrote itself and nobody has changed since, or what the user allows; never an input."""

import json
import os

import pytest

from core.common import config
from core.common.errors import BadInput
from core.files import outputs
from core.files.artifacts import replacing
from core.files.outputs import Outputs

OWN = r"rows\.arrow|meta\.json"


def write(path, text, command="senses change", **how) -> None:
    run = Outputs(command, named=(path,), files=(path,), **how)
    with run.guarding(), replacing(path) as temporary:
        temporary.write_text(text)


def write_folder(folder, text, changed="", **how) -> None:
    run = Outputs("train", named=(folder,), **how)
    with run.guarding():
        run.check_folder(folder, OWN)
        with replacing(folder, pattern=OWN) as temporary:
            temporary.mkdir()
            for name in ("rows.arrow", "meta.json"):
                (temporary / name).write_text(text)
        if changed:
            with replacing(folder / "meta.json") as temporary:
                temporary.write_text(changed)


def test_a_command_replaces_its_own_file_until_somebody_changes_it(tmp_path):
    path = tmp_path / "a.csv"
    for text in ("one", "two", "three"):
        write(path, text, inputs=(tmp_path,))  # also in a folder that it reads
        assert path.read_text() == text
    with pytest.raises(BadInput, match="“senses spread” did not write it"):
        write(path, "other", command="senses spread")
    times = path.stat().st_mtime_ns
    path.write_text("THREE")  # of the same size, and made to look as old
    os.utime(path, ns=(times, times))
    with pytest.raises(BadInput, match="was changed after “senses change” wrote it"):
        write(path, "four")
    assert path.read_text() == "THREE"
    write(path, "four", overwrite=True)
    write(path, "five")
    assert path.read_text() == "five"


def test_a_file_that_was_moved_or_whose_record_is_lost_is_of_others(tmp_path, monkeypatch):
    write(tmp_path / "a.csv", "one")
    (tmp_path / "a.csv").rename(tmp_path / "b.csv")
    with pytest.raises(BadInput, match="did not write it"):
        write(tmp_path / "b.csv", "two")
    write(tmp_path / "a.csv", "one")
    for damage in ("", "[]", '{"x": 1}', "\0"):
        (config.cache_folder() / outputs.RECORD).write_text(damage)
        with pytest.raises(BadInput, match=r"a\.csv exists and “senses change” did not write it\. Name another, or add --overwrite\."):
            write(tmp_path / "a.csv", "two")
    write(tmp_path / "a.csv", "two", overwrite=True)
    write(tmp_path / "a.csv", "three")
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path / "a.csv" / "cache"))  # cannot be written, so that nothing is recorded
    write(tmp_path / "c.csv", "one")
    with pytest.raises(BadInput, match="did not write it"):
        write(tmp_path / "c.csv", "two")


MINE = "data/mine.csv"


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize(
    ("read", "written"),
    [(MINE, MINE), ("link.csv", MINE), (MINE, "link.csv"), (MINE, "hard.csv"), (MINE, f"data/../{MINE}"), ("data", MINE), ("links", MINE)],
)
def test_an_input_is_never_replaced_whatever_name_it_has(tmp_path, read, written, overwrite):
    mine = tmp_path / MINE
    mine.parent.mkdir()
    mine.write_text("mine")
    (tmp_path / "link.csv").symlink_to(mine)
    os.link(mine, tmp_path / "hard.csv")
    (tmp_path / "links").symlink_to(tmp_path / "data")
    with pytest.raises(BadInput, match=r"(is read by this command|is in a folder that this command reads,) and stays as it is"):
        write(tmp_path / written, "new", inputs=(tmp_path / read,), overwrite=overwrite)
    assert mine.read_text() == "mine"


def test_folders_pipes_and_one_name_for_two_outputs_are_refused(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("folder", "is a folder"), ("pipe", "is not a file")):
        with pytest.raises(BadInput, match=message):
            write(tmp_path / name, "new", overwrite=True)
    for files in (("a", "x/../a"), ("a", "a/b"), ("a/b/c", "a")):
        run = Outputs("senses spread", files=tuple(tmp_path / name for name in files))
        with pytest.raises(BadInput, match="is named for two outputs"), run.guarding():
            pass
    for work in ("gl", "gl/work"):
        with pytest.raises(BadInput, match="gl is named for two outputs"):
            Outputs("glove", named=(tmp_path / "gl", tmp_path / work)).check_folder(tmp_path / "gl", OWN)


def test_a_write_protected_file_stays_in_every_case(tmp_path):
    write(tmp_path / "a.csv", "one")
    write_folder(tmp_path / "head", "one")
    for path, write_again in ((tmp_path / "a.csv", write), (tmp_path / "head" / "meta.json", write_folder)):
        path.chmod(0o444)
        for overwrite in (False, True):
            with pytest.raises(BadInput, match=f"{path.name} is write-protected"):
                write_again(path if write_again is write else path.parent, "two", overwrite=overwrite)
        assert path.read_text() == "one"


def test_a_link_stays_and_leads_to_the_new_file_which_keeps_its_permissions(tmp_path):
    link, file = tmp_path / "link.csv", tmp_path / "far" / "real.csv"
    link.symlink_to(file)
    write(link, "one")
    file.chmod(0o600)
    write(link, "two")
    assert link.is_symlink() and file.read_text() == "two" and file.stat().st_mode & 0o777 == 0o600


def test_a_folder_is_replaced_only_where_each_file_may_be(tmp_path):
    folder = tmp_path / "head"
    for _ in range(2):
        write_folder(folder, "one", changed="two")  # by the command itself
        assert (folder / "meta.json").read_text() == "two"
    (folder / "meta.json").write_text("edited")
    with pytest.raises(BadInput, match=r"meta\.json was changed after “train” wrote it"):
        write_folder(folder, "three")
    write_folder(folder, "three", overwrite=True)
    assert (folder / "meta.json").read_text() == "three"
    (folder / "notes.txt").write_text("mine")
    for overwrite in (False, True):  # it would be lost, not replaced
        with pytest.raises(BadInput, match=r"has other files \(notes\.txt\)"):
            write_folder(folder, "four", overwrite=overwrite)
    assert (folder / "meta.json").read_text() == "three" and (folder / "notes.txt").read_text() == "mine"


def test_files_of_our_names_that_somebody_else_wrote_stay_and_so_does_a_folder_that_is_read(tmp_path):
    folder = tmp_path / "head"
    folder.mkdir()
    (folder / "meta.json").write_text("mine")
    with pytest.raises(BadInput, match=r"meta\.json exists and “train” did not write it"):
        write_folder(folder, "one")
    run = Outputs("index build", named=(folder,))
    with pytest.raises(BadInput, match="has other files"):
        run.check_folder(folder, OWN, marked=lambda _: False)
    run.check_folder(folder, OWN, marked=lambda _: True)  # in a format of ours: written by the command elsewhere
    for read in (folder, folder / "meta.json"):
        with pytest.raises(BadInput, match="is read by this command"):
            write_folder(folder, "two", inputs=(read,), overwrite=True)
    assert (folder / "meta.json").read_text() == "mine"


@pytest.mark.parametrize("overwrite", [False, True])
def test_a_result_is_kept_next_to_a_file_that_appeared_during_the_work(tmp_path, overwrite):
    path, read = tmp_path / "a.csv", tmp_path / "in.csv"
    run = Outputs("senses change", named=(path,), files=(path,), overwrite=overwrite, inputs=(read,))
    read.write_text("input")
    with pytest.raises(BadInput, match=r"The result is in .*a-2\.csv\."), run.guarding(), replacing(path) as temporary:
        temporary.write_text("result")
        os.link(read, path) if overwrite else path.write_text("mine")
    contents = {each.name: each.read_text() for each in tmp_path.iterdir() if each.is_file()}
    assert contents == {"a.csv": "input" if overwrite else "mine", "a-2.csv": "result", "in.csv": "input"}


def test_of_two_runs_of_a_command_at_once_the_second_result_is_kept_next_to_the_first(tmp_path):
    for started, place in (("one", tmp_path / "a.csv"), ("two", tmp_path / "a.csv")):
        run = Outputs("embed", named=(place,), files=(place,))
        with pytest.raises(BadInput, match=r"written by another run meanwhile.*a-\d\.csv\."), run.guarding():
            write(place, f"{started}, first", command="embed")
            with replacing(place) as temporary:
                temporary.write_text(f"{started}, second")
    contents = {each.name: each.read_text() for each in tmp_path.iterdir() if each.is_file()}
    assert contents == {"a.csv": "two, first", "a-2.csv": "one, second", "a-3.csv": "two, second"}


def test_a_folder_s_result_is_kept_next_to_it_where_a_stranger_came_during_the_work(tmp_path):
    folder = tmp_path / "index"
    run = Outputs("train", named=(folder,))
    run.check_folder(folder, OWN)
    said = r"has other files \(notes\.txt\).* The result is in .*index-2\."
    with pytest.raises(BadInput, match=said), run.guarding(), replacing(folder, pattern=OWN) as temporary:
        temporary.mkdir()
        (temporary / "meta.json").write_text("result")
        folder.mkdir()
        (folder / "notes.txt").write_text("mine")
    assert (folder / "notes.txt").read_text() == "mine" and (tmp_path / "index-2" / "meta.json").read_text() == "result"


def test_the_record_forgets_files_that_are_gone_before_it_grows_too_long(tmp_path, monkeypatch):
    monkeypatch.setattr(outputs, "MOST", 3)
    for k in range(5):
        write(tmp_path / f"{k}.csv", "x")
        if k < 3:
            (tmp_path / f"{k}.csv").unlink()
    record = json.loads((config.cache_folder() / outputs.RECORD).read_text())
    assert len(record) <= 3 and {str(tmp_path / "3.csv"), str(tmp_path / "4.csv")} <= record.keys()
