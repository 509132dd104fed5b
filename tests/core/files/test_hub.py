"""core.files.hub against a server of this machine with the hub's paths: what is fetched, what is refused, what is said before."""

import hashlib
import http.server
import json
import threading
from urllib.parse import urlsplit

import pytest

from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.common.model_layers import name_of
from core.files import hub, registry

NAME, REVISION = "someone/tiny-bert", "0a" * 20
CONFIG = json.dumps({"model_type": "bert", "num_hidden_layers": 2}).encode()
FILES = {
    "config.json": CONFIG,
    "tokenizer.json": b"{}",
    "model.safetensors": b"\1" * 5000,
    "pytorch_model.bin": b"never",
    "run.py": b"never",
}


class Hub(http.server.BaseHTTPRequestHandler):
    files, sums, git_sums, asked = FILES, True, True, []

    def do_GET(self):
        path = urlsplit(self.path).path
        self.asked.append(path)
        if path == f"/api/models/{NAME}":
            siblings = [{"rfilename": name, "size": len(data)} for name, data in self.files.items()]
            for item in siblings if self.git_sums else ():
                data = self.files[item["rfilename"]]
                item["blobId"] = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
            for item in siblings:
                if item["rfilename"].endswith(".safetensors"):
                    data = FILES["model.safetensors"] if self.sums else b"other"
                    item["lfs"] = {"sha256": hashlib.sha256(data).hexdigest()}
            body = json.dumps({"sha": REVISION, "siblings": siblings, "tags": ["bert", "license:apache-2.0"]}).encode()
        elif path.startswith(f"/{NAME}/resolve/{REVISION}/"):
            body = self.files[path.rpartition("/")[2]]
        else:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    """The handler's class, so that a test can say what it has."""
    handler = type("Handler", (Hub,), {"asked": []})
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path / "cache"))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as running:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{running.server_port}")
        threading.Thread(target=running.serve_forever, daemon=True).start()
        yield handler
        running.shutdown()


def test_nothing_is_asked_until_it_is_allowed_and_then_neither_pickles_nor_code_are(server):
    with pytest.raises(MissingArtifact, match="No folder or local model"):
        registry.resolve(NAME, "model")
    assert server.asked == [] and registry.place_of(NAME, "model") is None
    folder = registry.resolve(NAME, "model", allow_download=True)
    assert {path.name for path in folder.iterdir()} == {"config.json", "tokenizer.json", "model.safetensors"}
    assert folder == hub.place(NAME) == registry.place_of(NAME, "model") and name_of(folder) == "tiny-bert"
    assert not [path for path in server.asked if path.endswith((".bin", ".py"))]
    assert server.asked[-1].endswith("config.json")  # a folder with it is whole
    server.asked.clear()
    assert registry.resolve(NAME, "model") == folder and server.asked == []


def test_size_and_license_are_reported_before(server):
    result = hub.look_up(NAME)
    assert (result.license, result.size_mb) == ("apache-2.0", (len(CONFIG) + 2 + 5000) / 1e6)
    assert not hub.place(NAME).exists()


@pytest.mark.parametrize("has_sums", [True, False])
def test_what_had_arrived_of_an_earlier_revision_is_not_kept(server, has_sums):
    """A fetch that was cut goes on with one revision's files, never with those of two."""
    server.git_sums = has_sums
    folder = hub.place(NAME)
    folder.mkdir(parents=True)
    for name, data in (("tokenizer.json", b"[]"), ("model.safetensors", b"\2" * 5000), ("config.json", b"{}" + b" " * 40)):
        (folder / name).write_bytes(data)
    assert hub.fetch(NAME) == folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == {
        name: FILES[name] for name in ("tokenizer.json", "model.safetensors", "config.json")
    }
    server.asked.clear()
    hub.fetch(NAME)
    kept = [] if has_sums else ["config.json", "tokenizer.json"]  # whose sums nobody states, so they are fetched again
    assert sorted(path.rpartition("/")[2] for path in server.asked if "/resolve/" in path) == kept


def test_a_fetch_that_replaces_files_leaves_no_folder_that_looks_whole(server, monkeypatch):
    folder = hub.fetch(NAME)
    (folder / "model.safetensors").write_bytes(b"\2" * 5000)
    server.sums = False
    with pytest.raises(CorruptArtifact, match="sha256"):
        hub.fetch(NAME)
    assert not (folder / "config.json").exists() and registry.place_of(NAME, "model") is None


def test_two_names_never_share_a_folder():
    assert not hub.is_name("a--b/c") and not hub.is_name("a/b--c")  # nor has the hub such names
    names = [f"{owner}/{name}" for owner in ("a", "a-", "a-b", "a.b") for name in ("c", "c-", "b-c")]
    assert len({hub.place(name) for name in names if hub.is_name(name)}) == len(names)


def test_pickled_weights_alone_and_unknown_names_are_refused_in_a_sentence(server, monkeypatch):
    server.files = {"config.json": CONFIG, "pytorch_model.bin": b"never"}
    with pytest.raises(MissingArtifact, match="Pickled weights are not opened"):
        hub.fetch(NAME)
    with pytest.raises(MissingArtifact, match="404"):
        hub.fetch("someone/nothing")
    monkeypatch.setenv("ELMOSCOPE_DOWNLOADS", "off")
    server.asked.clear()
    with pytest.raises(BadInput, match="Downloads are off"):
        hub.fetch(NAME)
    assert server.asked == []


@pytest.mark.parametrize("name", ["bert", "a/b/c", "../x", "a/..", "/etc/passwd", "a b/c", "", "C:\\x/y"])
def test_what_is_no_published_name(name):
    assert not hub.is_name(name)
