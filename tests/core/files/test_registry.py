"""Test downloads and the lookup of names against a server on this machine."""

import hashlib
import json
import shutil
from collections import namedtuple
from pathlib import Path
from unittest.mock import Mock

import pytest

from core.cli.neighbors import in_shards
from core.cluster.worker_model import name_for_worker
from core.common import config
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.files import download as fetching
from core.files import registry
from core.files.download import DownloadStopped, Progress, download
from core.files.published import CatalogEntry, RemoteFile
from core.files.registry import entries, fetch, is_transformer, model_files, resolve
from core.index.tables import index_at
from tests.core.files.server import DATA, SHA256, serving

MD5 = hashlib.md5(DATA).hexdigest()


@pytest.fixture
def server():
    with serving() as running:
        yield running


def left(folder) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def test_a_dropped_connection_is_taken_up_where_it_ended(server, tmp_path):
    server.state["cut"] = [100_000, 0, 150_000]
    heard: list[Progress] = []
    target = download(f"{server.url}/plain", tmp_path / "d" / "w", size=len(DATA), sha256=SHA256, md5=MD5, report=heard.append)
    assert target.read_bytes() == DATA and left(tmp_path / "d") == {"w"}
    assert [r.get("Range") for r in server.state["requests"]] == [None, "bytes=100000-", "bytes=100000-", "bytes=250000-"]
    assert all("If-Range" in r for r in server.state["requests"][1:])
    assert (heard[-1].name, heard[-1].done, heard[-1].total) == ("w", len(DATA), len(DATA)) and heard[-1].bytes_per_s > 0


def test_a_later_call_resumes_what_an_earlier_one_left_unless_the_file_is_another(server, tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "TRIES", 1)
    for again, data in (("plain", DATA), ("plain", DATA[::-1]), ("norange", DATA)):  # the same, one that has changed, and from elsewhere
        server.state.update(cut=[100_000, 0], data=DATA)
        with pytest.raises(MissingArtifact, match=r"w from 127\.0\.0\.1 failed: .* 100,000 bytes kept"):
            download(f"{server.url}/plain", tmp_path / "w")
        assert not (tmp_path / "w").exists() and (tmp_path / "w.part").stat().st_size == 100_000
        server.state.update(cut=[], data=data)
        download(f"{server.url}/{again}", tmp_path / "w")
        assert (tmp_path / "w").read_bytes() == data and left(tmp_path) - {"cache"} == {"w"}
        assert server.state["requests"][-1].get("Range") == (None if again == "norange" else "bytes=100000-")
        (tmp_path / "w").unlink()


def test_a_part_that_is_complete_or_too_long_is_settled_with_the_server(server, tmp_path):
    note = json.dumps({"url": f"{server.url}/plain", "validator": "", "total": len(DATA)})
    for part in (DATA, DATA + b"more"):
        (tmp_path / "w.part").write_bytes(part)
        (tmp_path / "w.part.json").write_text(note)
        download(f"{server.url}/plain", tmp_path / "w", size=len(DATA), sha256=SHA256)
        assert (tmp_path / "w").read_bytes() == DATA
    (tmp_path / "w.part").write_bytes(DATA[:10])
    (tmp_path / "w.part.json").write_text("{damaged")
    download(f"{server.url}/plain", tmp_path / "w", sha256=SHA256)


def test_a_server_that_cannot_resume_fails_at_first_or_states_no_size_is_requested_until_the_file_is_complete(server, tmp_path):
    server.state.update(failures=3)
    for kind in ("norange", "wrongrange", "nolength", "status/503"):
        server.state["cut"] = [100_000, 200_000] if kind.endswith("range") else []
        assert download(f"{server.url}/{kind}", tmp_path / "w", sha256=SHA256).read_bytes() == DATA


@pytest.mark.parametrize(
    ("path", "options", "requests", "message"),
    [
        ("plain", {"size": 3}, 1, "offers w with 512,000 bytes instead of 3"),
        ("nolength", {"size": 3}, 1, "sent over 3 bytes of w"),
        ("plain", {"sha256": SHA256, "md5": "0000"}, 1, f"w from .* has md5 {MD5}, not 0000"),
        ("plain", {"sha256": "0000", "md5": MD5}, 1, f"w from .* has sha256 {SHA256}, not 0000"),
        ("status/404", {}, 1, r"127\.0\.0\.1 answers 404 Not Found for http.*/status/404\. Use another source"),
        ("status/503", {}, fetching.TRIES, "server: 503"),
        ("cut", {}, fetching.TRIES, "connection lost"),
        ("silent", {"timeout_s": 0.1}, None, r"w from .* failed: timeout.* 1,000 bytes"),
        ("moved/http://example.org/w", {}, 1, "is not an https address"),
        ("moved/file:///etc/passwd", {}, None, "is not allowed"),
    ],
)
def test_a_download_that_fails_is_explained_and_gets_no_name(server, tmp_path, path, options, requests, message):
    server.state["cut"] = [0] * 50 if path == "cut" else []
    with pytest.raises((CorruptArtifact, MissingArtifact, BadInput), match=message):
        download(f"{server.url}/{path.replace('cut', 'norange')}", tmp_path / "w", **options)
    assert requests in (None, len(server.state["requests"])) and left(tmp_path) <= {"w.part", "w.part.json"}
    assert path == "silent" or "w.part" not in left(tmp_path)


def test_one_file_is_downloaded_once_at_a_time_until_it_has_its_name(server, tmp_path, monkeypatch):
    """Between the end of the lock and the renaming another could begin a part of its own, and rename that."""
    refused, put = [], fetching.rename

    def begin_again(when: str) -> None:
        if when not in refused:
            refused.append(when)
            with pytest.raises(MissingArtifact, match=r"w is already downloading elsewhere"):
                download(f"{server.url}/plain", tmp_path / "w")

    monkeypatch.setattr(fetching, "rename", lambda source, target: (begin_again("at the end"), put(source, target)))
    download(f"{server.url}/plain", tmp_path / "w", sha256=SHA256, report=lambda _: begin_again("at the beginning"))
    assert refused == ["at the beginning", "at the end"] and left(tmp_path) == {"w"}


def test_only_https_is_fetched_and_redirects_may_not_leave_it(server, tmp_path):
    for url in ("http://example.org/w", "ftp://127.0.0.1/w", "file:///etc/passwd", "https://", "w", "https://[bad"):
        with pytest.raises(BadInput, match="is not an https address"):
            download(url, tmp_path / "w")
    download(f"{server.url}/moved/{server.url}/plain", tmp_path / "w", sha256=SHA256)
    secure = fetching.urllib.request.Request("https://example.org/w")
    with pytest.raises(BadInput, match=r"redirects to http://127\.0\.0\.1/w, not https"):
        fetching._Redirects().redirect_request(secure, None, 302, "Found", {}, "http://127.0.0.1/w")
    assert left(tmp_path) == {"w"}


def test_a_missing_network_or_server_is_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(fetching, "BACKOFF_S", 0.01)
    with pytest.raises(MissingArtifact, match=r"w from 127\.0\.0\.1 failed: .*refused.*Try again"):
        download("http://127.0.0.1:9/w", tmp_path / "w")
    monkeypatch.setattr(fetching.socket, "getaddrinfo", Mock(side_effect=fetching.socket.gaierror(-2, "Name or service not known")))
    with pytest.raises(MissingArtifact, match=r"example\.org not found \(for w\)\. Check the network"):
        download("https://example.org/w", tmp_path / "w")


def test_a_disk_without_room_is_reported_before_and_while_it_fills(server, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda _: usage(1, 1, 1000))
        with pytest.raises(BadInput, match=r"w needs 1 MB; .* has 0 MB\. Free space, or set ELMOSCOPE_CACHE"):
            download(f"{server.url}/plain", tmp_path / "w")
    receive = fetching._Transfer.receive

    def receive_on_a_full_disk(self, *args):
        self.stream = Mock(wraps=self.stream, write=Mock(side_effect=OSError(28, "No space left on device")))
        return receive(self, *args)

    monkeypatch.setattr(fetching._Transfer, "receive", receive_on_a_full_disk)
    with pytest.raises(BadInput, match="w cannot be written: No space left on device"):
        download(f"{server.url}/plain", tmp_path / "w")


def make_folder(folder: Path, *files: str) -> Path:
    folder.mkdir(parents=True)
    for name in files or ("options.json", "weights.hdf5"):
        (folder / name).write_text("{}")
    return folder


@pytest.fixture
def places(tmp_path, monkeypatch):
    monkeypatch.setattr(config, "ASSETS", tmp_path / "assets")
    monkeypatch.setenv("ELMOSCOPE_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("GENSIM_DATA_DIR", str(tmp_path / "gensim"))
    monkeypatch.chdir(tmp_path)
    return namedtuple("places", "assets data cache gensim")(*(tmp_path / n for n in ("assets", "data", "cache", "gensim")))


def test_a_name_is_looked_for_as_a_path_then_in_assets_data_and_cache(places, tmp_path):
    for expected in (places.cache / "models", places.data / "models", places.data, places.assets):
        make_folder(expected / "elmo-mini")
        assert resolve("elmo-mini", "model") == expected / "elmo-mini"
    assert resolve(make_folder(tmp_path / "mine"), "model") == tmp_path / "mine"
    assert resolve("./mine", "model").samefile(tmp_path / "mine")
    make_folder(places.data / "mine")
    assert resolve("mine", "model").samefile(tmp_path / "mine")


@pytest.mark.parametrize(("name", "kind"), [("glove-mini", "vectors"), ("sentences", "corpus"), ("elmo-mini", "model")])
def test_what_lies_here_under_a_bundled_name_is_not_taken_for_it(name, kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_folder(tmp_path / name, "meta.json", "index.json", "words.txt")
    assert resolve(name, kind).is_relative_to(config.ASSETS) and registry.place_of(name, kind).is_relative_to(config.ASSETS)
    assert registry.place_of(f"./{name}", kind).samefile(tmp_path / name)
    if kind == "corpus":
        assert index_at(name) is None and index_at(f"./{name}") and in_shards(f"./{name}")
        assert not in_shards(name) and not in_shards(f"{name}+python")
    if kind == "model":
        assert (name_for_worker(name), name_for_worker(f"./{name}")) == (name, str(tmp_path / name))  # as workers are told it


def test_corpora_and_vectors_are_found_by_name(places):
    make_folder(places.assets, "sentences.jsonl")
    make_folder(places.gensim / "glove-twitter-25", "glove-twitter-25.gz")
    make_folder(places.cache / "vectors", "glove-twitter-50.gz", "mine.gz")  # as core.workspace keeps them
    for name, kind, place in (
        ("sentences", "corpus", places.assets / "sentences.jsonl"),
        ("glove-twitter-25", "vectors", places.gensim / "glove-twitter-25" / "glove-twitter-25.gz"),
        *((name, "vectors", places.cache / "vectors" / f"{name}.gz") for name in ("glove-twitter-50", "mine")),
    ):
        assert resolve(name, kind) == place
    assert [entry.name for entry in entries("vectors") if entry.available] == ["glove-twitter-25", "glove-twitter-50", "mine.gz"]
    with pytest.raises(MissingArtifact, match=r"glove-wiki-gigaword-50 \(69 MB\) is missing.* add .*vectors/glove-wiki"):
        resolve("glove-wiki-gigaword-50", "vectors")


def test_an_unknown_name_is_reported_with_those_that_are_known(places):
    with pytest.raises(MissingArtifact, match=r"Unknown model 'xyz'\. Choose elmo-mini, .*, allennlp-original-5\.5B, or a path\."):
        resolve("xyz", "model")
    for name in ("", "../assets", "a\0b", "a" * 5000, "~nobody-here/x", ".hidden", "line\nbreak"):
        for kind in ("model", "vectors", "corpus"):
            with pytest.raises(MissingArtifact, match="Unknown ") as caught:
                resolve(name, kind, allow_download=True)
            assert "\n" not in str(caught.value) and "\0" not in str(caught.value)
    with pytest.raises(MissingArtifact, match=r"elmo-mini is missing from .*assets"):
        resolve("elmo-mini", "model")


def test_a_model_folder_needs_options_and_one_weights_file(tmp_path):
    for folder, (options, weights, *others) in (
        ("a", ("options.json", "x.safetensors", "meta.json", ".w.hdf5")),
        ("d", ("options.json", "x.hdf5", "softmax.safetensors", "elmo_small_options.json")),
        ("e", ("options (1).json", "Weights.H5", "config.json")),
        ("f", ("x_OPTIONS.json", "w.HDF5", "options.txt")),
        ("b", ("elmo_small_options.json", "elmo_small_weights.hdf5", "embeddings.hdf5")),
    ):
        assert [path.name for path in model_files(make_folder(tmp_path / folder, options, weights, *others))] == [options, weights]
        assert not is_transformer(tmp_path / folder)
    for hidden in ("._options.json", ".0-1.tmp-2-options.json"):
        assert is_transformer(make_folder(tmp_path / hidden, "config.json", "model.safetensors", hidden))
    for files, message in (
        (["weights.hdf5"], r"c has no options\.json\. Add it, or choose another"),
        (["weights.hdf5", "config.json"], r"c has no options\.json\. Add it, or choose another"),
        (["options.json"], r"c has no weights file \(\*\.hdf5 or \*\.safetensors\)"),
        (["options.json", "a.hdf5", "b.safetensors"], r"c has 2 of weights file .*: a\.hdf5, b\.safetensors\. Keep one"),
        (["x_options.json", "y_options.json", "w.hdf5"], r"c has 2 of options\.json"),
    ):
        folder = make_folder(tmp_path / "c", *files)
        with pytest.raises((MissingArtifact, BadInput), match=message):
            resolve(folder, "model")
        shutil.rmtree(folder)
    with pytest.raises(MissingArtifact, match=r"has no options\.json\. Choose .*/a, the folder inside it\."):
        resolve(tmp_path, "model")
    with pytest.raises(BadInput, match=r"options\.json is not a folder"):
        resolve(tmp_path / "a" / "options.json", "model")


def test_entries_state_what_is_here_and_where_the_rest_comes_from(places):
    make_folder(places.assets / "elmo-mini", "options.json")
    with pytest.raises(MissingArtifact, match=r"assets/elmo-mini has no weights file"):
        resolve("elmo-mini", "model")
    make_folder(places.cache / "models" / "elmo-mini")
    assert resolve("elmo-mini", "model") == places.cache / "models" / "elmo-mini"  # the first complete copy
    make_folder(places.cache / "models" / "my-own")
    make_folder(places.data / "models" / "broken", "options.json")
    listed = {entry.name: entry for entry in entries("model")}
    assert {name for name, entry in listed.items() if entry.available} == {"elmo-mini", "my-own"}
    assert (listed["my-own"].source, listed["allennlp-small"].source, "broken" in listed) == ("local", "download", False)
    make_folder(places.cache / "vectors", "w.gz", "x.gz.part", "x.gz.part.json")  # the last two: an unfinished download
    assert [entry.name for entry in entries("vectors") if entry.source == "local"] == ["w.gz"]
    texts = ["my letters.txt", "letters (1).txt", "a&b.txt", "은행, 둘.txt"]  # of any ordinary name, and no other files
    make_folder(places.data / "corpora", *texts, "Thumbs.db")
    make_folder(places.data / "corpora" / "letters", "a.txt")
    assert [entry.name for entry in entries("corpus") if entry.source == "local"] == sorted(texts)
    assert [resolve(name, "corpus").name for name in texts] == texts
    assert all(entry.title and entry.license for kind in ("model", "vectors", "corpus") for entry in entries(kind))


@pytest.fixture
def remote(server, places, monkeypatch):
    """An entry on this test's server: its options are JSON, its weights DATA, of which no checksum is known."""
    files = RemoteFile("options.json", f"{server.url}/options"), RemoteFile("weights.hdf5", f"{server.url}/plain")
    entry = CatalogEntry("far-away", "model", "far-away", files, 0.5, "download", "ours")
    monkeypatch.setattr(registry, "catalog", lambda: (entry,))
    return entry


def test_a_model_is_downloaded_if_that_is_allowed_and_keeps_its_first_checksum(server, remote, places):
    with pytest.raises(MissingArtifact, match=r"far-away \(0\.5 MB\) is missing\. Allow its download \(--download\), or fill"):
        resolve("far-away", "model")
    assert not server.state["requests"]
    heard: list[Progress] = []
    folder = resolve("far-away", "model", allow_download=True, report=heard.append)
    assert folder == places.cache / "models" / "far-away" and (folder / "weights.hdf5").read_bytes() == DATA
    assert {progress.name for progress in heard} == {"options.json", "weights.hdf5"}
    assert json.loads((places.cache / "checksums" / "far-away.json").read_text())["weights.hdf5"] == SHA256
    (folder / "weights.hdf5").write_bytes(DATA)  # touched, not changed
    server.state["requests"].clear()
    assert resolve("far-away", "model") == resolve("far-away", "model", allow_download=True) == folder
    assert not server.state["requests"] and entries("model")[0].available
    (folder / "weights.hdf5").write_bytes(DATA[:-1] + b"x")
    with pytest.raises(CorruptArtifact, match=r"weights\.hdf5 has sha256 .*, not .* as first downloaded .*far-away\.json\)"):
        resolve("far-away", "model")
    shutil.rmtree(folder)
    server.state["data"] = DATA[::-1]
    with pytest.raises(CorruptArtifact, match="Delete and download again"):
        resolve("far-away", "model", allow_download=True)


def test_a_stopped_download_and_a_login_page_are_not_a_model(server, remote, places):
    server.state["options"] = b"<html>Please log in</html>"
    with pytest.raises(CorruptArtifact, match="Wrong download for"):
        fetch(remote)
    assert left(places.cache / "models" / "far-away") == set()
    server.state.update(requests=[], options=b"{}", cut=[100_000])
    with pytest.raises(DownloadStopped, match="bytes are kept"):
        fetch(remote, stop=lambda: len(server.state["requests"]) > 1)
    assert not entries("model")[0].available
    with pytest.raises(MissingArtifact, match="is missing"):
        resolve("far-away", "model")
    assert model_files(resolve("far-away", "model", allow_download=True))
