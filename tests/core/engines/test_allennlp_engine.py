"""The AllenNLP engine: the pipe to its worker, its environment, and its layers (where it is installed)."""

import json
import os
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest

from core.common.config import data_folder
from core.common.errors import BadInput, EngineUnavailable
from core.elmo.encoder import Encoder
from core.engines import allennlp_engine as allennlp
from core.engines import allennlp_setup
from core.engines.allennlp_engine import AllenNLPEngine
from core.engines.allennlp_setup import is_ready, setup
from tests.golden.make_allennlp import FILE, MODELS, SENTENCES

PING_ANSWER = {"ok": True, "allennlp": "2.10.1", "torch": "1.12.1", "python": "3.10.13"}
ANSWERING = f"""
import json, sys
for line in sys.stdin:
    request = json.loads(line)
    print(json.dumps({{**{PING_ANSWER}, "id": request.get("id")}}), flush=True)
"""

GOLDEN = (data_folder() or allennlp_setup.WORKER.parent / "none") / "elmo_fixtures" / "allennlp"
needs_golden = pytest.mark.skipif(not (is_ready() and GOLDEN.is_dir()), reason="needs its environment and elmo_fixtures/allennlp")


@pytest.fixture
def engine_of(tmp_path, monkeypatch):
    """Return a function that makes an engine whose worker is this source; without a source, its program does not exist."""

    def make(source: str | None) -> AllenNLPEngine:
        script = tmp_path / "worker.py"
        script.write_text(source or "", "utf-8")
        command = ["/no/such/program"] if source is None else [sys.executable, "-I", str(script)]
        monkeypatch.setattr(allennlp, "worker_command", lambda: command)
        return AllenNLPEngine()

    return make


@pytest.fixture
def files(tmp_path):
    """Two files that exist: options and weights for workers that do not read them."""
    (tmp_path / "options.json").touch()
    (tmp_path / "weights.hdf5").touch()
    return tmp_path / "options.json", tmp_path / "weights.hdf5"


def test_a_worker_answers_again_and_again_also_after_a_refused_request(engine_of, files):
    refusal = {"ok": False, "error": "ValueError: no such layer"}
    refused = f"json.dumps({{**{refusal}, 'id': request['id']}}) if request['op'] == 'embed' else "
    with engine_of(ANSWERING.replace("print(", f"print({refused}")) as engine:
        first, process = engine.ping(), engine._worker.process
        with pytest.raises(BadInput, match="could not embed this: ValueError: no such layer"):
            engine.embed([["a"]], *files)
        assert first == engine.ping() == {"allennlp": "2.10.1", "torch": "1.12.1", "python": "3.10.13"}
        assert engine._worker.process is process and process.poll() is None
    assert process.poll() is not None


def test_a_worker_that_dies_is_named_with_its_status_and_last_words_and_the_next_call_starts_another(engine_of):
    dying = "    if request['id'] == 1:\n        sys.exit('Segmentation fault, so to speak')\n    print("
    with engine_of(ANSWERING.replace("    print(", dying)) as engine:
        with pytest.raises(EngineUnavailable, match=r"exit status 1\).*'ping'.*Segmentation fault, so to speak") as caught:
            engine.ping()
        assert "python -m core allennlp setup" in str(caught.value) and "\n" not in str(caught.value)
        assert engine.ping()["allennlp"] == "2.10.1"


NO_ANSWERS = ["Loading weights...", "{}", "[1]", '{"ok": "yes"}', '{"ok": true, "id": 99}']
LINE = "import sys, time\nsys.stdin.readline()\nprint({!r}, flush=True)\ntime.sleep(60)"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("", "exit status 0"),  # it dies at once
        *((ANSWERING, "no readable result"), (None, "not start")),
        *((LINE.format(line), f"worker answered 'embed' with '{re.escape(line)}") for line in NO_ANSWERS),
    ],
)
def test_a_worker_without_a_result_is_an_unavailable_engine(engine_of, files, source, message):
    with engine_of(source) as engine:
        with pytest.raises(EngineUnavailable, match=message):
            engine.embed([["word"] * 1000] * 500, *files, timeout_s=20.0)
        assert engine._worker is None or source == ANSWERING


def test_a_worker_that_hangs_is_killed_at_the_time_limit(engine_of, files, monkeypatch):
    started, start_worker = [], allennlp._Worker
    monkeypatch.setattr(allennlp, "_Worker", lambda command: started.append(start_worker(command)) or started[-1])
    source = "import sys, time\nprint('thinking', file=sys.stderr, flush=True)\ntime.sleep(600)"  # it does not even read
    with engine_of(source) as engine:
        start = time.monotonic()
        with pytest.raises(EngineUnavailable, match=r"within 1 s.*last error: 'thinking'.*fewer sentences"):
            engine.embed([["word"] * 1000] * 500, *files, timeout_s=1.0)
        assert time.monotonic() - start < 5.0 and started[0].process.poll() is not None


def test_calls_from_many_threads_each_get_their_own_answer(engine_of):
    echoing = ANSWERING.replace('"id":', '"python": str(request["id"]), "id":')
    with engine_of(echoing) as engine, ThreadPoolExecutor(20) as threads:
        seen = list(threads.map(lambda _: engine.ping()["python"], range(20)))
    assert sorted(map(int, seen)) == list(range(1, 21))


@pytest.mark.parametrize(
    ("sentences", "stateful", "message"),
    [
        *((["not a list"], False, "must be a list of tokens, got 'not a list'"), ("text", False, "takes a list of token lists")),
        *(([["a", 1]], False, "must be a list of tokens"), ([["a"]], True, "must be a list of tokens")),
        *(([[["a"]], [["a"], ["b"]]], True, "equally long; these have \\[1, 2\\]"), ([["a"]], False, r"no file gone\.hdf5")),
    ],
)
def test_wrong_sentences_and_missing_weights_are_bad_input_before_anything_starts(engine_of, files, sentences, stateful, message):
    weights = "gone.hdf5" if "gone" in message else files[1]
    with engine_of(None) as engine, pytest.raises(BadInput, match=message):
        engine.embed(sentences, files[0], weights, stateful=stateful)


@pytest.mark.skipif(os.name != "posix", reason="reads the process table")
def test_the_worker_ends_with_its_parent_even_when_that_is_killed():
    source = f"""
import subprocess, sys, time
worker = subprocess.Popen([sys.executable, "-I", {str(allennlp_setup.WORKER)!r}], stdin=subprocess.PIPE)
print(worker.pid, flush=True)
time.sleep(60)"""
    parent = subprocess.Popen([sys.executable, "-c", source], stdout=subprocess.PIPE, text=True)
    pid = parent.stdout.readline().strip()
    parent.kill()
    parent.communicate()

    def runs() -> bool:
        state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True).stdout.strip()
        return bool(state) and not state.startswith("Z")

    deadline = time.monotonic() + 10.0
    while runs() and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not runs()


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """An environment's folder in which nothing is, and no network: pip is a recorded no-op, the worker a fake."""
    folder, commands = tmp_path / "env", []

    def stream(command, report):
        commands.append(command)
        report("Collecting allennlp==2.10.1")
        if not (python := allennlp_setup._python_of(folder)).exists():
            python.parent.mkdir()
            python.symlink_to(sys.executable)

    (tmp_path / "fake_worker.py").write_text(ANSWERING, "utf-8")
    monkeypatch.setenv("ELMOSCOPE_ALLENNLP", str(folder))
    monkeypatch.setattr(allennlp_setup, "WORKER", tmp_path / "fake_worker.py")
    monkeypatch.setattr(allennlp_setup, "_stream", stream)
    monkeypatch.setattr(allennlp_setup, "find_python310", lambda: allennlp_setup.Path(sys.executable))
    return folder, commands


def test_setup_makes_an_environment_once(elsewhere):
    (folder, commands), lines = elsewhere, []
    with AllenNLPEngine() as engine, pytest.raises(EngineUnavailable, match=r"not installed in .*Run: python -m core allennlp setup"):
        engine.ping()
    assert setup(lines.append) == folder.resolve()
    assert is_ready() and "Collecting allennlp==2.10.1" in lines
    assert [command[1:4] for command in commands] == [["-I", "-m", "venv"], ["-I", "-m", "pip"]]
    with AllenNLPEngine() as engine:
        assert engine.ping()["allennlp"] == "2.10.1"
    setup(lines.append)
    assert len(commands) == 2
    with allennlp_setup._only_one(folder), pytest.raises(EngineUnavailable, match="being installed"):
        setup(lines.append)


def test_a_half_made_environment_and_one_of_other_requirements_are_made_again(elsewhere, monkeypatch, tmp_path):
    folder, commands = elsewhere
    with pytest.raises(ZeroDivisionError):
        setup(lambda line: line.startswith("Collecting") and 1 / 0)
    (folder / "half").touch()
    assert not is_ready()
    setup(print)
    assert is_ready() and not (folder / "half").exists()
    (tmp_path / "requirements.txt").write_text("allennlp==2.10.1\n")
    monkeypatch.setattr(allennlp_setup, "REQUIREMENTS", tmp_path / "requirements.txt")
    commands.clear()
    assert not is_ready()
    setup(print)
    assert is_ready() and len(commands) == 2


def test_files_of_others_are_never_removed_and_an_environment_made_by_hand_is_used(elsewhere):
    folder, commands = elsewhere
    folder.mkdir()
    (folder / "thesis.txt").touch()
    with pytest.raises(EngineUnavailable, match="has other files"):
        setup(print)
    assert (folder / "thesis.txt").exists()
    python = allennlp_setup._python_of(folder)
    python.parent.mkdir()
    python.symlink_to(sys.executable)
    setup(print)
    assert is_ready() and not commands


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("""print('{"ok": false, "error": "No module named spacy", "importing": true}')""", "No module named spacy"),
        ("print('hello')", "Expecting value"),
        (ANSWERING.replace("2.10.1", "2.9.0"), "it is version 2.9.0"),
    ],
)
def test_an_environment_in_which_allennlp_does_not_start_is_not_ready(elsewhere, source, reason):
    allennlp_setup.WORKER.write_text(source, "utf-8")
    with pytest.raises(EngineUnavailable, match=f"does not start in .*{reason}"):
        setup(print)
    assert not is_ready()


def test_pips_error_reaches_the_user_and_a_raising_report_ends_pip():
    failing = [sys.executable, "-c", "print('ERROR: No matching distribution'); print('bye'); raise SystemExit(3)"]
    with pytest.raises(EngineUnavailable, match=r"not installed: ERROR: No matching distribution\. It needs the network"):
        allennlp_setup._stream(failing, print)
    endless = [sys.executable, "-c", "import time\nprint('x', flush=True)\ntime.sleep(600)"]
    with pytest.raises(ZeroDivisionError):
        allennlp_setup._stream(endless, lambda line: 1 / 0)


@pytest.mark.skipif(os.name != "posix" or sys.version_info[:2] == (3, 10), reason="needs shell scripts and a newer Python")
def test_a_python_310_is_found_on_the_path_or_among_pyenvs_or_fetched_by_uv_and_a_shim_that_fails_is_none(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))

    def program(path: str, line: str):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(f"#!/bin/sh\n{line}\n")
        (tmp_path / path).chmod(0o755)

    program("bin/python3.10", "echo 'pyenv: python3.10: command not found' >&2; exit 127")
    program("bin/python3", "echo 3 9 /usr/bin/python3.9")
    program("bin/uv", "echo 'error: failed to look up address'; exit 2")
    with pytest.raises(EngineUnavailable, match=r"needs Python 3\.10; none was found.*uv could not.*run: python -m core allennlp setup"):
        allennlp_setup._choose_python(print)
    fetched = ".local/share/uv/python/cpython-3.10.20-linux/bin/python3.10"
    program(fetched, "echo 3 10 /of/uv")
    (tmp_path / fetched).chmod(0o644)
    program("bin/uv", f"""[ "$*" = "python install 3.10" ] && /bin/chmod +x {tmp_path / fetched}""")
    for answer, path in (("/of/uv", ""), ("/of/pyenv", ".pyenv/versions/3.10.4/bin/python"), ("/on the/path", "bin/python3.10")):
        if path:
            program(path, f"echo 3 10 {answer}")
        assert str(allennlp_setup._choose_python(print)) == answer


@pytest.fixture(scope="module")
def engine():
    with AllenNLPEngine() as engine:
        yield engine


MODEL = GOLDEN / "options.json", GOLDEN / "lm_weights.hdf5"


@needs_golden
def test_streams_reproduce_the_golden_files_and_start_again_at_each_call(engine):
    streams = [[sentence.split(" ") for sentence in stream] for stream in json.loads((GOLDEN / "sentences.json").read_text("utf-8"))]
    engine.embed(streams, *MODEL, stateful=True)
    for i, stream in enumerate(engine.embed(streams, *MODEL, stateful=True).layers):
        with h5py.File(GOLDEN / f"lm_embeddings_{i}.hdf5") as golden:
            assert len(golden) == len(stream) == 10
            for k, layers in enumerate(stream):
                top = np.concatenate(golden[str(k)][...], axis=-1)  # (2, T, 16) -> (T, 32): forward, then backward
                np.testing.assert_allclose(layers[2], top, atol=1e-5, rtol=0)


@needs_golden
def test_sentences_have_the_same_layers_in_any_company(engine):
    sentences = [*SENTENCES, [], ["", "<S>", "x" * 500, "\u0413\u043e\u0434", "\ud800", "a\nb", "\x00"], ["a"]]
    once = engine.embed(sentences, *MODEL, batch_size=2, threads=1).layers
    again = engine.embed(sentences[::-1], *MODEL).layers[::-1]
    for sentence, a, b in zip(sentences, once, again, strict=True):
        assert a.shape == (3, len(sentence), 32) and a.dtype == np.float32 and np.isfinite(a).all()
        np.testing.assert_allclose(a, b, atol=1e-6, rtol=0)
    empty = engine.embed([[[], ["a"]], [[], []]], *MODEL, stateful=True).layers
    assert [[layers.shape for layers in stream] for stream in empty] == [[(3, 0, 32), (3, 1, 32)], [(3, 0, 32)] * 2]


def test_the_worker_refuses_what_it_does_not_know_and_goes_on():
    lines = [b'{"op": "dance", "id": 5}', b'{"op": "embed"}', b"{}"]
    done = subprocess.run([sys.executable, "-I", allennlp_setup.WORKER], input=b"\n".join(lines), capture_output=True, timeout=120)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["ok"] for answer in answers] == [False] * 3
    assert answers[0]["id"] == 5 and "dance" in answers[0]["error"]


@pytest.mark.parametrize("name", MODELS)
def test_layers_equal_what_allennlp_answered(name: str):
    """To 1e-5; elmo-mini's whole-word windows sum to large numbers and back, which other processors' convolutions round by 5e-5."""
    atol = 2e-4 if name == "elmo-mini" else 1e-5
    with np.load(FILE) as kept:
        for k, layers in enumerate(Encoder(MODELS[name]()).encode(SENTENCES)):
            np.testing.assert_allclose(layers, kept[f"{name}/{k}"], atol=atol, rtol=0)
