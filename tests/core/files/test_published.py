"""Test the published data sets, `fetch` and the tasks that use what was fetched, against a server on this machine."""

import hashlib
import json
import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from core.classify import tasks
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.files import published
from tests.core.files.server import Handler, serving

TRAIN, TEST, SUBSET = "ag_news/train.csv", "ag_news/test.csv", "ag_news/train_subset.csv"
TOPICS = ("talks", "goal", "stocks", "chip")  # of classes 1 to 4


def rows(n: int, start: int = 0) -> str:
    """Return rows as AG News has them: class, title, description, no names on top."""
    return "".join(f'"{k % 4 + 1}","Title {k}","A #39;s story of {TOPICS[k % 4]} {k}"\n' for k in range(start, start + n))


FILES = {"train.csv": rows(4000).encode(), "test.csv": rows(40, 5000).encode()}


class Publisher(Handler):
    def serve_plain(self, rest, state, data) -> None:
        super().serve_plain(rest, state, state["files"][rest])


@pytest.fixture
def server(monkeypatch):
    with serving(Publisher, files=FILES) as running:
        for name, data in FILES.items():
            facts = {"url": f"{running.url}/plain/{name}", "md5": hashlib.md5(data).hexdigest(), "size": len(data)}
            monkeypatch.setitem(published.PUBLISHED, f"ag_news/{name}", replace(published.PUBLISHED[f"ag_news/{name}"], **facts))
        yield running


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    monkeypatch.delenv("ELMOSCOPE_DATA", raising=False)


def own(folder: Path, *names: str) -> Path:
    (folder / "ag_news").mkdir(parents=True)
    for name in names:
        named = "class,text\n" + "".join(f'{k % 4 + 1},"{TOPICS[k % 4]} {k}"\n' for k in range(40))
        (folder / name).write_text(named if name == SUBSET else rows(40, 6000))
    return folder


def test_a_file_of_others_in_a_named_folder_stays(server, tmp_path):
    path = tmp_path / "mine" / TEST
    path.parent.mkdir(parents=True)
    path.write_text("edited by hand")
    with pytest.raises(BadInput, match=r"is not the published file\. Rename it, or name another folder"):
        published.fetch([TEST], tmp_path / "mine")
    assert path.read_text() == "edited by hand" and not server.state["requests"]


def test_a_fetched_file_that_was_cut_or_altered_is_noticed_and_fetched_again(server):
    path = published.fetch([TEST]) / TEST
    for changed in (FILES["test.csv"][:-9], FILES["test.csv"].replace(b"goal", b"gaol")):
        path.write_bytes(changed)
        os.utime(path, ns=(time.time_ns(), time.time_ns() + len(changed)))
        with pytest.raises(CorruptArtifact, match=r"test\.csv has a wrong size .* Run: python -m core fetch ag_news"):
            published.find(TEST)
        with pytest.raises(CorruptArtifact, match="has a wrong size or md5"):
            tasks.task_files(tasks.task_named("news-title"), published.fetched_folder())
        published.fetch([TEST])
        assert published.find(TEST).read_bytes() == FILES["test.csv"]


def test_news_trains_on_all_rows_where_they_have_been_fetched_unless_a_named_folder_has_some(server, tmp_path, monkeypatch):
    news, folder = tasks.task_named("news"), own(tmp_path / "data", SUBSET, TEST)
    subset = {"train": folder / SUBSET, "test": folder / TEST}
    assert tasks.task_files(news, folder) == subset and published.find(TRAIN) is None
    fetched = published.fetch([TRAIN, TEST])
    expected = {"train": fetched / TRAIN, "test": fetched / TEST}
    assert tasks.task_files(news) == expected == tasks.task_files(news, fetched)
    assert tasks.task_files(tasks.task_named("news-title")) == {"train": fetched / TEST}
    assert tasks.task_files(news, folder) == subset  # whatever the cache holds
    monkeypatch.setenv("ELMOSCOPE_DATA", str(folder))
    assert tasks.task_files(news) == {"train": fetched / TRAIN, "test": folder / TEST}
    dataset = tasks.open_data(news, **expected)
    assert len(dataset.train) + len(dataset.valid) == 4000 and len(dataset.test) == 40
    assert dataset.labels == tasks.NEWS and dataset.test[0].text == "Title 5000 A's story of talks 5000"


def test_a_missing_file_is_named_with_how_to_get_it(tmp_path):
    news, spam = tasks.task_named("news"), tasks.task_named("spam")
    with pytest.raises(MissingArtifact, match=r"needs ag_news/train\.csv, which .* Fetch it: python -m core fetch ag_news$"):
        tasks.task_files(news)
    with pytest.raises(MissingArtifact, match=r"needs sms_spam/spam\.csv, which is not there\. Name .* in ELMOSCOPE_DATA"):
        tasks.task_files(spam)
    with pytest.raises(MissingArtifact, match=r"data/ag_news/test\.csv, .* fetch it \(.*fetch ag_news\) and name .*cache/data"):
        tasks.task_files(news, own(tmp_path / "data", SUBSET))
    with pytest.raises(MissingArtifact, match=r"data/sms_spam/spam\.csv, which is not there\. Name the folder that holds it\.$"):
        tasks.task_files(spam, tmp_path / "data")


def test_the_command_fetches_both_files_once_into_the_cache(server, call, private_cache):
    status, out, err = call("fetch", "ag_news", "--json")
    files = [{"name": f"ag_news/{n}", "bytes": len(d), "md5": hashlib.md5(d).hexdigest()} for n, d in FILES.items()]
    assert status == 0 and json.loads(out) == {"folder": str(private_cache / "data"), "files": files}
    assert {path.name: path.read_bytes() for path in (private_cache / "data" / "ag_news").iterdir()} == FILES
    size = f"{len(FILES['train.csv']):,}"
    assert f"{TRAIN}: for research, non-commercial use, from http" in err and f"{TRAIN}, bytes: {size} of {size}" in err
    status, out, err = call("fetch", "ag_news")
    assert status == 0 and str(private_cache / "data" / TEST) in out and len(server.state["requests"]) == 2
