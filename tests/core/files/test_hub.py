"""Test what is fetched from Hugging Face's hub, and what is refused, against a server on this machine with the hub's paths."""

import hashlib
import json
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.common.model_layers import name_of
from core.files import published, registry
from tests.core.files.server import Handler, Server, serving

NAME, REVISION = "someone/tiny-bert", "0a" * 20
CONFIG = json.dumps({"model_type": "bert", "num_hidden_layers": 2}).encode()
WANTED = {"config.json": CONFIG, "tokenizer.json": b"{}", "model.safetensors": b"\1" * 5000}
FILES = WANTED | {"pytorch_model.bin": b"never", "run.py": b"never"}


class Hub(Handler):
    """A hub with `state["files"]`, which states their git sums and the sums of large files as the state says."""

    def do_GET(self):
        state, path = self.server.state, urlsplit(self.path).path
        state["paths"].append(path)
        if path.startswith(f"/{NAME}/resolve/{REVISION}/"):
            return self.serve_body(state["files"][path.rpartition("/")[2]])
        if path != f"/api/models/{NAME}":
            return self.send_error(404)
        siblings = [{"rfilename": name, "size": len(data)} for name, data in state["files"].items()]
        for item in siblings:
            data = state["files"][item["rfilename"]]
            if state["has_git_sums"]:
                item["blobId"] = hashlib.sha1(f"blob {len(data)}\0".encode() + data).hexdigest()
            if item["rfilename"].endswith(".safetensors"):
                item["lfs"] = {"sha256": hashlib.sha256(state["weights"]).hexdigest()}
                item["blobId"] = hashlib.sha1(b"the pointer").hexdigest()
        return self.serve_body(json.dumps({"sha": REVISION, "siblings": siblings, "tags": ["bert", "license:apache-2.0"]}).encode())


@pytest.fixture
def server(monkeypatch) -> Iterator[Server]:
    with serving(Hub, files=FILES, has_git_sums=True, weights=FILES["model.safetensors"]) as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        yield running


def test_nothing_is_fetched_until_it_is_allowed_and_then_neither_pickles_nor_code(server):
    result = published.describe_hub_model(NAME)
    assert (result.license, result.size_mb) == ("apache-2.0", (len(CONFIG) + 2 + 5000) / 1e6)
    paths = server.state["paths"]
    paths.clear()
    with pytest.raises(MissingArtifact, match="No folder or local model"):
        registry.resolve(NAME, "model")
    assert paths == [] and registry.place_of(NAME, "model") is None and not published.hub_folder(NAME).exists()
    folder = registry.resolve(NAME, "model", allow_download=True)
    assert {path.name for path in folder.iterdir()} == {*WANTED}
    assert folder == published.hub_folder(NAME) == registry.place_of(NAME, "model") and name_of(folder) == "tiny-bert"
    assert not [path for path in paths if path.endswith((".bin", ".py"))] and paths[-1].endswith("config.json")  # with it a folder is whole
    paths.clear()
    assert registry.resolve(NAME, "model") == folder and paths == []


@pytest.mark.parametrize("has_sums", [True, False])
def test_what_had_arrived_of_an_earlier_revision_is_not_kept(server, has_sums):
    server.state["has_git_sums"] = has_sums
    folder = published.hub_folder(NAME)
    folder.mkdir(parents=True)
    for name, data in (("tokenizer.json", b"[]"), ("model.safetensors", b"\2" * 5000), ("config.json", b"{}" + b" " * 40)):
        (folder / name).write_bytes(data)
    assert published.fetch_hub_model(NAME) == folder
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == WANTED
    server.state["paths"].clear()
    published.fetch_hub_model(NAME)
    kept = [] if has_sums else ["config.json", "tokenizer.json"]  # whose sums nobody states, so they are fetched again
    assert sorted(path.rpartition("/")[2] for path in server.state["paths"] if "/resolve/" in path) == kept


def test_a_fetch_that_replaces_files_leaves_no_folder_that_looks_whole(server):
    folder = published.fetch_hub_model(NAME)
    (folder / "model.safetensors").write_bytes(b"\2" * 5000)
    server.state["weights"] = b"other"
    with pytest.raises(CorruptArtifact, match="sha256"):
        published.fetch_hub_model(NAME)
    assert not (folder / "config.json").exists() and registry.place_of(NAME, "model") is None


def test_pickled_weights_alone_and_unknown_names_are_refused_in_a_sentence(server, monkeypatch):
    server.state["files"] = {"config.json": CONFIG, "pytorch_model.bin": b"never"}
    with pytest.raises(MissingArtifact, match=r"with \*\.safetensors on"):
        published.fetch_hub_model(NAME)
    with pytest.raises(MissingArtifact, match="404"):
        published.fetch_hub_model("someone/nothing")
    monkeypatch.setenv("ELMOSCOPE_DOWNLOADS", "off")
    server.state["paths"].clear()
    with pytest.raises(BadInput, match="Downloads are off"):
        published.fetch_hub_model(NAME)
    assert server.state["paths"] == []


def test_names_are_an_owner_and_a_model_and_two_never_share_a_folder():
    for name in ("bert", "a/b/c", "../x", "a/..", "/etc/passwd", "a b/c", "", "C:\\x/y", "a--b/c", "a/b--c"):  # nor has the hub such names
        assert not published.is_hub_name(name), name
    names = [f"{owner}/{name}" for owner in ("a", "a-", "a-b", "a.b") for name in ("c", "c-", "b-c")]
    assert len({published.hub_folder(name) for name in names if published.is_hub_name(name)}) == len(names)
