"""The cluster: two real worker processes give what one machine gives, whatever is killed on the way."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from unittest.mock import Mock

import dask
import numpy as np
import pytest
from distributed import LocalCluster

from core.cluster import approximate
from core.cluster import shards as index
from core.cluster.jobs import ShardJob, connected, run_jobs
from core.cluster.store import open_store
from core.cluster.worker_model import SpreadEncoder, counter, held
from core.common.config import ASSETS
from core.common.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact
from core.elmo.encoder import Encoder
from core.elmo.models import model_fingerprint
from core.elmo.weights import load_bilm, save_safetensors
from core.index import build as building
from core.index import neighbors, rows
from core.index.build import build_index
from core.index.neighbors import ANY, OTHER, SAME
from core.index.rows import Query, make_query
from core.index.table import OccurrenceTable
from core.text.sentences import Sentence, Target
from core.training.glove import count_pairs
from tests.raw_client import free_port
from tests.tiny import tiny_encoder

ROUND = 1_000  # tokens, so that few sentences make several shards


def sentences_of(n: int, seed: int = 0) -> list[Sentence]:
    """Return sentences of a few words each; "banks", labeled as "bank", is in the last ones alone."""
    rng, words = np.random.default_rng(seed), [f"w{k}" for k in range(100)]
    result = [Sentence(tuple(rng.choice(words, rng.integers(4, 30)).tolist())) for _ in range(n)]
    result[3] = Sentence(("the", "bank", "of", "w1"), (Target(1, "bank", "firm", "bank"),))
    result[-2] = Sentence(("two", "banks", "of", "w1"), (Target(1, "banks", "edge", "bank"),))
    result[-1] = Sentence(("the", "bank", "of", "w2"))
    return result


@pytest.fixture(scope="module", autouse=True)
def short_rounds():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(building, "TOKENS_PER_ROUND", ROUND)
        patch.setattr(index, "TOKENS_PER_ROUND", ROUND)
        yield


@pytest.fixture(scope="module")
def address():
    """The scheduler of two single-thread workers, processes of their own."""
    lost = {"distributed.comm.timeouts.connect": "5s"}  # how long the scheduler tries to reach a worker that was killed; 30 s else
    with dask.config.set(lost), LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


@pytest.fixture
def client(address):
    with connected(address) as client:
        yield client


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    save_safetensors(tiny_encoder().model, folder)
    return folder


@pytest.fixture(scope="module")
def encoder(model) -> Encoder:
    return Encoder(load_bilm(model), name=str(model))


@pytest.fixture(scope="module")
def corpus() -> list[Sentence]:
    return sentences_of(300)  # about 5,000 tokens: five rounds


@pytest.fixture(scope="module")
def built(model, encoder, corpus, tmp_path_factory) -> OccurrenceTable:
    return build_index(corpus, encoder, tmp_path_factory.mktemp("one") / "index", model=model_fingerprint(model))


@pytest.fixture(scope="module")
def real(tmp_path_factory) -> tuple[index.Shards, OccurrenceTable]:
    folder = shutil.copytree(ASSETS / "targets", tmp_path_factory.mktemp("real") / "targets")
    shards = index.open_shards(folder)
    approximate.build(shards)
    return shards, OccurrenceTable(folder)


def build(client, corpus, where, model, **more) -> index.Shards:
    return index.build(client, corpus, where, model=str(model), model_fingerprint=model_fingerprint(model), **more)


@pytest.fixture(scope="module")
def many(address, corpus, model, tmp_path_factory) -> index.Shards:
    with connected(address) as client:
        return build(client, corpus, tmp_path_factory.mktemp("many") / "index", model)


def assert_same_rows(shards: index.Shards, built: OccurrenceTable) -> None:
    """Compare all columns. One number of a vector in ten thousand may be float16's next: BLAS rounds the char-CNN by the number of new words."""
    store, equal = open_store(shards.url), []
    row = sentence = 0
    for shard in shards.shards:
        table = OccurrenceTable(store.fetch(shard.name))
        here = slice(row, row + len(table))
        assert (shard.first_row, shard.first_sentence, shard.rows) == (row, sentence, len(table))
        for codes, names in (("word", "words"), ("sense", "senses"), ("lemma", "lemmas")):
            values, expected = (
                [getattr(each, names)[code] if code >= 0 else None for code in getattr(each, codes)[span]]
                for each, span in ((table, slice(None)), (built, here))
            )
            assert values == expected
        np.testing.assert_array_equal(table.sentence + sentence, built.sentence[here])
        np.testing.assert_array_equal(table.position, built.position[here])
        np.testing.assert_allclose(table.rows.gram, built.rows.gram[here], rtol=2e-3)
        rows = np.arange(len(table))
        result, expected = table.rows.take(rows), built.rows.take(rows + row)
        np.testing.assert_allclose(result, expected, rtol=2**-10, atol=1e-6)
        equal.append((result == expected).ravel())
        assert table.sentences.to_pylist() == built.sentences.to_pylist()[sentence : sentence + shard.sentences]
        row, sentence = row + len(table), sentence + shard.sentences
    assert (row, sentence) == (len(built), len(built.sentences)) and np.concatenate(equal).mean() >= 0.9999


def test_an_index_in_shards_is_row_for_row_that_of_one_machine(many, built):
    assert len(many.shards) >= 4
    assert_same_rows(many, built)
    for fact in ("occurrences", "types", "sentences", "layers", "dim", "model", "corpus"):
        assert many.meta[fact] == built.meta[fact]
    assert open_store(many.url).names("") == {"index.json", "shards"}
    assert index.open_shards(f"file://{many.url}").shards == many.shards


def test_a_worker_killed_while_it_works_loses_nothing_and_doubles_nothing(client, corpus, model, built, tmp_path):
    pids, seen = client.run(os.getpid), []

    def kill_one(*numbers) -> None:
        seen.append(numbers)
        if len(seen) == 1:
            os.kill(next(iter(pids.values())), signal.SIGKILL)

    made = build(client, corpus, tmp_path / "index", model, report=kill_one)
    assert_same_rows(made, built)
    assert len(seen) == len(made.shards) and seen[-1][:2] == (len(built), len(built))


def test_a_client_that_stops_goes_on_where_it_was(client, corpus, model, built, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        build(client, corpus, tmp_path / "index", model, report=Mock(side_effect=[None, KeyboardInterrupt]))
    with pytest.raises(MissingArtifact, match=r"lacks index\.json"):
        index.open_shards(tmp_path / "index")
    made_before = {path: path.stat().st_mtime_ns for path in (tmp_path / "index" / "shards").glob("*/meta.json")}
    assert len(made_before) >= 2
    assert_same_rows(build(client, corpus, tmp_path / "index", model), built)
    assert all(path.stat().st_mtime_ns == at for path, at in made_before.items())


def test_a_folder_with_files_among_ours_is_refused_before_any_work(tmp_path, refused):
    """By their folders' names alone these would count as ours."""
    good = "0000001-0123456789ab"
    for name in ("sentences/my_novel.txt", "shards/glass.txt", f"shards/{good}/thesis.txt", ".staging/a.txt", "index.json", "notes.txt"):
        place = tmp_path / name.replace("/", "-")
        (place / name).parent.mkdir(parents=True)
        (place / name).write_text("{}")
        with pytest.raises(BadInput, match=rf"has other files \({name}\)"):
            index.build(None, [], place, model="none", model_fingerprint="none")
        # before the model, the corpus or the cluster is looked for
        said = refused("index", "build", "--corpus", "none", "--output", place, "--cluster", "none", "--model", "none")
        assert (f"has other files ({name})" in said or f"{name} exists and" in said) and (place / name).read_text() == "{}"


def test_another_corpus_takes_the_place_of_the_first_and_only_files_of_our_form_are_removed(client, model, tmp_path):
    place = tmp_path / "index"
    build(client, sentences_of(60), place, model)
    seen = index.Store.names

    def names(store, name):  # somebody puts a file there while the workers work
        for folder in ("sentences", "shards"):
            (place / folder).mkdir(exist_ok=True)
            (place / folder / "late.txt").write_text("mine")
        return seen(store, name)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(index.Store, "names", names)
        other = build(client, sentences_of(60, seed=1), place, model)
    assert (place / "sentences" / "late.txt").read_text() == (place / "shards" / "late.txt").read_text() == "mine"
    assert not list((place / "sentences").glob("*.json")) and not (place / ".staging").exists()
    assert {s.name for s in other.shards} == {f"shards/{p.name}" for p in (place / "shards").iterdir() if p.is_dir()}


def test_an_object_store_gives_the_same_rows(corpus, model, built):
    """memory:// lives in one process, so its workers do too; shards are copied from it to be mapped."""
    url = "memory://an/index"
    with (
        LocalCluster(n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0") as cluster,
        connected(cluster.scheduler_address) as client,
    ):
        made, fresh = (build(client, corpus[:100], url, model) for _ in range(2))
    assert made.shards == fresh.shards == index.open_shards(url).shards
    table = OccurrenceTable(open_store(url).fetch(made.shards[0].name))
    np.testing.assert_allclose(table.rows.take(np.arange(50)), built.rows.take(np.arange(50)), rtol=2**-10, atol=1e-6)
    rows = sum(shard.rows for shard in made.shards)
    assert rows == sum(len(s.tokens) for s in corpus[:100]) and index.info(url)["bytes"] > rows * 3 * 16 * 2


@pytest.fixture
def manifest(many) -> dict:
    return json.loads(open_store(many.url).read("index.json"))


HOSTILE = ["../../../../../victim", "..", ".", "", "/etc", "0000000-0123456789ab/..", "0000000-0123456789AB", "0000000-0123456789ab\n"]
HOSTILE += ["..\\..\\victim", "C:\\victim", "0000000-0123456789ab\0", None, 5, ["a"], {}]


@pytest.mark.parametrize("name", HOSTILE, ids=repr)
def test_a_shard_of_another_name_is_no_shard_and_no_folder_is_touched(manifest, tmp_path, monkeypatch, name):
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path / "a" / "cache"))
    (tmp_path / "victim").mkdir()
    (tmp_path / "victim" / "thesis.txt").write_text("mine")
    manifest["shards"][0]["name"] = name
    for url in ("memory://evil", str(tmp_path / "local")):
        open_store(url).write("index.json", json.dumps(manifest).encode())
        with pytest.raises(CorruptArtifact, match=r"index\.json is damaged: .* is not a shard name\. Rebuild the index\.") as refused:
            index.open_shards(url)
        assert len(str(refused.value).splitlines()) == 1
        shard = index.Shard(f"shards/{name}", 0, 1, 0, 1, "evil")
        with pytest.raises(CorruptArtifact, match="has the unknown name"):
            approximate.open_shard(url, shard)
    assert (tmp_path / "victim" / "thesis.txt").read_text() == "mine"
    assert not (tmp_path / "a").exists()


def test_no_name_leads_out_of_a_store(tmp_path, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(tmp_path))
    store = open_store("memory://files")
    monkeypatch.setattr(type(store), "names", lambda *_: {"meta.json", "..", ".hidden", "a\\b"})
    store.write("shards/0000000-0123456789ab/meta.json", b"{}")
    assert [path.name for path in store.fetch("shards/0000000-0123456789ab").iterdir()] == ["meta.json"]
    store = open_store(str(tmp_path / "store"))
    for name in ("../a", "a/../../b", "/a", "a//b", "a\\..\\b", "./a"):
        for use in (store.read, store.remove, store.has, lambda name: store.write(name, b"")):
            with pytest.raises(CorruptArtifact, match="has the unknown name"):
                use(name)


def test_a_list_of_shards_without_what_is_used_of_it_is_named(manifest, tmp_path, refused):
    facts = ("occurrences", "types", "sentences", "seconds", "tokens_per_second", "lemmas", "model", "corpus", "layers", "dim", "shards")
    cases = [({key: kept for key, kept in manifest.items() if key != fact}, rf"no {fact}") for fact in facts]
    cases += [({**manifest, fact: []}, fact) for fact in facts]
    for change in ({"rows": -1}, {"rows": 1}, {"sentences": 0}):  # other numbers than the shards hold
        cases.append(({**manifest, "shards": [manifest["shards"][0] | change, *manifest["shards"][1:]]}, ""))
    for broken, said in [*cases, ({"format": 1, "shards": [{}]}, "")]:
        (tmp_path / "index.json").write_text(json.dumps(broken))
        with pytest.raises(CorruptArtifact, match=rf"index\.json is damaged: (no )?{said}"):
            index.open_shards(tmp_path)
    assert "index.json is damaged" in refused("index", "info", tmp_path, "--json")


def test_a_worker_refuses_a_model_with_other_options(model, tmp_path):
    other = shutil.copytree(model, tmp_path / "other")
    for options in other.glob("*options.json"):
        options.write_text(json.dumps((content := json.loads(options.read_text())) | {"lstm": content["lstm"] | {"cell_clip": 1.5}}))
    assert model_fingerprint(other)[:16] == model_fingerprint(model)[:16] and model_fingerprint(other) != model_fingerprint(model)
    with pytest.raises(BadInput, match=r"Worker weights of .* differ"):
        held(str(other), model_fingerprint(model))


@pytest.mark.parametrize("which", [ANY, SAME, OTHER])
def test_the_nearest_of_all_shards_are_those_of_one_machine_ties_too(many, built, encoder, client, corpus, which, monkeypatch):
    monkeypatch.setattr(rows, "_compiled", [])  # workers have none: its last digits would order ties another way
    for number, position in ((3, 1), (5, 0), (len(corpus) - 1, 2)):
        query = make_query(encoder, list(corpus[number].tokens), position)
        result = neighbors.products(built.rows, query)
        for weights in ([1, 0, 0], [0, 0, 1], [0.2, 0.3, 0.5]):  # layer 0 has as many ties as a word has occurrences
            expected = built.nearest(result, weights, k=60, which=which)
            for workers in (client, None):  # on the cluster, and shard by shard
                got = approximate.ShardedIndex(many, workers).nearest(query, weights, k=60, which=which)
                assert [n.occurrence for n in got] == [n.occurrence for n in expected]
                np.testing.assert_allclose([n.cosine for n in got], [n.cosine for n in expected], atol=2e-7)


def test_an_index_of_one_folder_is_searched_as_a_single_shard_and_exactly_unless_made_approximate(built, encoder, corpus):
    query = make_query(encoder, list(corpus[5].tokens), 0)
    whole = index.open_shards(built.folder)
    assert len(whole.shards) == 1
    assert approximate.ShardedIndex(whole).nearest(query, [1, 1, 1]) == built.nearest(query, [1, 1, 1])
    with pytest.raises(MissingArtifact, match="index approximate"):
        approximate.ApproximateIndex(whole).nearest(query, [1, 1, 1])


@pytest.mark.parametrize("which", [ANY, OTHER])
@pytest.mark.parametrize("weights", [[1, 0, 0], [0, 0, 1], [1, 1, 1]], ids=["layer 0", "layer 2", "mix"])
def test_the_approximate_index_finds_nearly_all_of_the_exact_neighbors(real, which, weights):
    shards, table = real
    hits = wanted = 0
    for row in range(0, len(table), len(table) // 20):
        o = table.occurrence(row)
        query = Query(o.tokens, o.position, table.rows.take(np.array([row]))[0])
        exact = approximate.ShardedIndex(shards).nearest(query, weights, k=20, which=which)
        near = approximate.ApproximateIndex(shards).nearest(query, weights, k=20, which=which)
        cosine = {n.occurrence.row: n.cosine for n in exact}
        same = [n for n in near if n.occurrence.row in cosine]
        np.testing.assert_allclose([n.cosine for n in same], [cosine[n.occurrence.row] for n in same], atol=1e-5)
        hits, wanted = hits + sum(n.cosine >= exact[-1].cosine - 1e-5 for n in near), wanted + len(exact)
    assert hits / wanted > 0.9


def test_spread_batches_give_the_vectors_of_one_machine_and_go_on_after_a_stop(client, model, encoder, corpus, tmp_path):
    tokens = [*(list(s.tokens) for s in corpus), []]
    spread = SpreadEncoder(encoder, client, model_fingerprint(model), store=str(tmp_path / "parts"))
    spread.batch_tokens = encoder.batch_tokens = 2_000
    for expected, result in zip(encoder.encode(tokens), spread.encode(tokens), strict=True):
        np.testing.assert_allclose(result, expected, atol=2e-6)
    kept = {p: p.stat().st_mtime_ns for p in (tmp_path / "parts").iterdir()}
    spread.encode(tokens)
    assert kept and kept == {p: p.stat().st_mtime_ns for p in (tmp_path / "parts").iterdir()}


def test_pairs_counted_by_workers_are_those_of_one_machine(client, tmp_path):
    rng = np.random.default_rng(0)
    chunks = [(rng.integers(-1, 50, 5_000), np.sort(rng.integers(0, 400, 5_000))) for _ in range(6)]
    expected = count_pairs(chunks, n_words=50, window=5)
    for _ in range(2):  # the second time from what is kept
        result = counter(client, str(tmp_path / "counts"))(iter(chunks), n_words=50, window=5)
        for name in ("row", "col", "data"):
            np.testing.assert_array_equal(getattr(result, name), getattr(expected, name))


def test_commands_give_the_same_with_and_without_a_cluster(answer, address, model, tmp_path):
    rows = [{"tokens": list(s.tokens)} for s in sentences_of(200)]
    rows[3] |= {"position": 1, "word": "bank", "sense": "firm"}
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    common, cluster = ("--model", model), ("--cluster", address)
    build = ("index", "build", "--corpus", tmp_path / "c.jsonl", *common, "--output")
    plain, spread = answer(*build, tmp_path / "a"), answer(*build, tmp_path / "b", *cluster)
    assert all(plain[key] == spread[key] for key in ("occurrences", "types", "sentences", "corpus", "model"))
    request = ("neighbors", "--word", "bank", "--sentence", "the bank of w1", *common, "--corpus")
    expected = answer(*request, tmp_path / "a")
    for where, more in ((tmp_path / "a", cluster), (tmp_path / "b", ()), (tmp_path / "b", cluster)):
        result = answer(*request, where, *more)
        assert result["query"] == expected["query"]
        for item, other in zip(result["neighbors"], expected["neighbors"], strict=True):  # the sixth digit of a cosine may differ
            assert item | {"cosine": pytest.approx(item["cosine"], abs=2e-6)} == other
    (tmp_path / "in.json").write_text(json.dumps([row["tokens"] for row in rows]))
    for name, more in (("a.npz", ()), ("b.npz", cluster)):
        answer("embed", "--input", tmp_path / "in.json", "--output", tmp_path / name, *common, *more)
    with np.load(tmp_path / "a.npz") as a, np.load(tmp_path / "b.npz") as b:
        assert a.files == b.files and all(np.allclose(b[key], a[key], rtol=0, atol=2e-6) for key in a.files)
    assert not (tmp_path / "b.npz.parts").exists()
    for name, part in (("train", rows[5:50]), ("test", rows[50:90])):
        labeled = [{"word": "x", **row, "position": 0, "label": str(len(row["tokens"]) % 2)} for row in part]
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in labeled))
    request = ("evaluate", "senses", "--train", tmp_path / "train.jsonl", "--test", tmp_path / "test.jsonl", *common)
    assert answer(*request, *cluster) == answer(*request)


@pytest.mark.parametrize(
    ("wrong", "is_unprotected"),
    [("tcp://a.invalid:1", True), ("tls://a.invalid:1", False), ("tcp://127.0.0.1:9", False), ("nowhere", None), ("ftp://a:1", None)],
)
def test_a_wrong_address_is_one_sentence_after_a_warning_of_a_cluster_without_tls(
    call, model, tmp_path, monkeypatch, wrong, is_unprotected
):
    monkeypatch.setattr("core.cluster.jobs.CONNECT_S", 0.5)
    (tmp_path / "t.txt").write_text("the bank of w1")
    request = ("index", "build", "--corpus", tmp_path / "t.txt", "--output", tmp_path / "x", "--model", model, "--cluster", wrong)
    status, out, err = call(*request)
    note, mark, error = err.rpartition("error: No Dask scheduler answers at")
    assert (status, out) == (2, "") and mark and f"'{wrong}'" in error and "python -m dask scheduler" in error and error.count("\n") == 1
    assert is_unprotected in (None, "without TLS" in note and wrong in note and "core/cluster/README.md" in note)
    assert not (tmp_path / "x").exists()


def test_a_scheduler_that_stops_answering_is_reported_while_jobs_run(tmp_path, monkeypatch):
    """Stopped, not ended: its connections stay open and nothing else says that it is gone."""
    for name in ("CONNECT_S", "ANSWER_S"):
        monkeypatch.setattr(f"core.cluster.jobs.{name}", 3.0)
    address = f"tcp://127.0.0.1:{free_port()}"
    scheduler = [sys.executable, "-m", "dask", "scheduler", "--host", address, "--no-dashboard"]
    worker = [sys.executable, "-m", "dask", "worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"]
    with (tmp_path / "log.txt").open("w") as log:
        processes = [subprocess.Popen(command, stdout=log, stderr=log) for command in (scheduler, worker)]
    try:
        with monkeypatch.context() as patient:
            patient.setattr("core.cluster.jobs.CONNECT_S", 60.0)
            connection = connected(address)
            client = connection.__enter__()
        answers = run_jobs(client, (ShardJob(f"job {k}", time.sleep, (0.1,)) for k in range(1_000)))
        next(answers)
        processes[0].send_signal(signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(ElmoscopeError, match=rf"^Cluster {address} is gone \(TimeoutError\)"), contextlib.ExitStack() as stack:
            stack.push(connection.__exit__)
            for _ in answers:
                pass
        assert time.monotonic() - began < 60
    finally:
        for process in processes:
            process.send_signal(signal.SIGCONT)
            process.kill()
            process.wait(20)
