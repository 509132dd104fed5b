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
    files, sums, asked = FILES, True, []

    def do_GET(self):
        path = urlsplit(self.path).path
        self.asked.append(path)
        if path == f"/api/models/{NAME}":
            siblings = [{"rfilename": name, "size": len(data)} for name, data in self.files.items()]
            for one in siblings:
                if one["rfilename"].endswith(".safetensors"):
                    data = FILES["model.safetensors"] if self.sums else b"other"
                    one["lfs"] = {"sha256": hashlib.sha256(data).hexdigest()}
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
    with pytest.raises(MissingArtifact, match="is not on this machine yet"):
        registry.resolve(NAME, "model")
    assert server.asked == [] and registry.place_of(NAME, "model") is None
    folder = registry.resolve(NAME, "model", allow_download=True)
    assert {path.name for path in folder.iterdir()} == {"config.json", "tokenizer.json", "model.safetensors"}
    assert folder == hub.place(NAME) == registry.place_of(NAME, "model") and name_of(folder) == "tiny-bert"
    assert not [path for path in server.asked if path.endswith((".bin", ".py"))]
    assert server.asked[-1].endswith("config.json")  # a folder with it is whole
    server.asked.clear()
    assert registry.resolve(NAME, "model") == folder and server.asked == []


def test_size_and_licence_are_said_before(server):
    found = hub.look_up(NAME)
    assert (found.licence, found.size_mb) == ("apache-2.0", (len(CONFIG) + 2 + 5000) / 1e6)
    assert not hub.place(NAME).exists()


def test_what_is_not_what_was_published_is_removed(server):
    server.sums = False
    with pytest.raises(CorruptArtifact, match="sha256"):
        hub.fetch(NAME)
    assert registry.place_of(NAME, "model") is None
    server.sums = True
    assert registry.resolve(NAME, "model", allow_download=True).is_dir()


def test_pickled_weights_alone_and_unknown_names_are_refused_in_a_sentence(server, monkeypatch):
    server.files = {"config.json": CONFIG, "pytorch_model.bin": b"never"}
    with pytest.raises(MissingArtifact, match="Pickled weights are not opened"):
        hub.fetch(NAME)
    with pytest.raises(MissingArtifact, match="404"):
        hub.fetch("someone/nothing")
    monkeypatch.setenv("ELMOSCOPE_DOWNLOADS", "off")
    server.asked.clear()
    with pytest.raises(BadInput, match="switched off"):
        hub.fetch(NAME)
    assert server.asked == []


@pytest.mark.parametrize("name", ["bert", "a/b/c", "../x", "a/..", "/etc/passwd", "a b/c", "", "C:\\x/y"])
def test_what_is_no_published_name(name):
    assert not hub.is_name(name)
