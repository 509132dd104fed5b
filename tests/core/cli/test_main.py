"""The command line as a contract (DESIGN, section 6): keys of every JSON answer, files, exit statuses, errors.

Most tests call `core.cli.main.main` in this process with a tiny model made here; some start a real `python -m core`.
"""

import gzip
import json
import lzma
import math
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import click
import numpy as np
import pytest
import torch

from core.__main__ import main as start
from core.classify import experiments
from core.cli import main
from core.common import config
from core.common.config import ASSETS, ROOT, ModelShape
from core.common.errors import CorruptArtifact
from core.elmo.encoder import Encoder
from core.elmo.language_model import SPECIALS, Softmax
from core.elmo.weights import load_bilm, save_safetensors
from core.lab import probes, sense_scores
from core.lab.__main__ import lab
from core.tasks import results as task_results
from core.text import languages
from core.text.tokens import tokenize
from core.training import recipe
from core.training.trainer import Trainer
from tests.core.cli.test_outputs import commands, contents
from tests.tiny import SHAPE, tiny_encoder

torch.set_num_threads(1)  # tiny products: threads only get in each other's way
WORDS = [*SPECIALS, "the", "bank", "river", "money", "of", "a", "."]
CORPUS = [
    {"tokens": ["the", "bank", "of", "the", "river"], "position": 1, "word": "bank", "sense": "edge"},
    {"tokens": ["a", "bank", "of", "money", "."], "position": 1, "word": "bank", "sense": "firm"},
    {"tokens": ["banks", "of", "a", "river"], "position": 0, "word": "banks", "lemma": "bank", "sense": "edge"},
    {"tokens": ["the", "money", "of", "a", "bank"]},
]
TEXT = "the bank of the river\nthe money of the bank\n" * 20

PROVENANCE = "code_version environment date"
KEYS = {  # of each command's JSON: a contract (DESIGN, section 6)
    "embed": "model sentences tokens seconds",
    "neighbors": "query neighbors",
    "static-neighbors": "word neighbors",
    "evaluate senses": "0 1 2 mix most_frequent n model n_train unseen best_mix static order documents dropped",
    "lab card": f"format fingerprint model measures output {PROVENANCE}",
    "evaluate perplexity": "forward backward mean tokens unknown_share charged_forward charged_backward unknown_types",
    "evaluate blimp": "model accuracy published",
    "predict": "predictions text direction unknown",
    "substitutes": "word sentence tokens position direction substitutes",
    "index": f"occurrences types bytes seconds tokens_per_second format sentences layers dim model corpus {PROVENANCE}",
    "pretrain": f"model corpus config prepared weights_sha256 language license {PROVENANCE}",
    "glove": "vectors format version name model code_version words dim stored_as corpus config losses training_seconds language license "
    "cosine_kept sha256",
    "convert": "model output",
}


def save_model(folder: Path, seed: int = 0, softmax: Softmax | None = None) -> Path:
    save_safetensors(tiny_encoder(seed).model, folder, softmax=softmax or Softmax(len(WORDS), SHAPE.projection), words=WORDS)
    return folder


def write_jsonl(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def labeled(word: str, sentence: str, label: str) -> dict:
    tokens = sentence.split()
    return {"word": word, "tokens": tokens, "position": tokens.index(word), "label": label}


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    """A folder with a tiny random biLM, its softmax and vocabulary."""
    return save_model(tmp_path_factory.mktemp("models") / "tiny")


@pytest.fixture(scope="session")
def foreseeing(tmp_path_factory) -> Path:
    """A model whose softmax heeds no state: "bank" is eight times as likely as each of the nine others."""
    softmax = Softmax(len(WORDS), SHAPE.projection).requires_grad_(False)
    softmax.weight.zero_()
    softmax.bias[WORDS.index("bank")] = math.log(8)
    return save_model(tmp_path_factory.mktemp("models") / "foreseeing", softmax=softmax)


@pytest.fixture(scope="session")
def mute(model, tmp_path_factory) -> Path:
    """A model whose softmax has lost its words."""
    return shutil.copytree(model, tmp_path_factory.mktemp("models") / "mute", ignore=shutil.ignore_patterns("vocabulary.txt"))


@pytest.fixture
def corpus(tmp_path) -> Path:
    return write_jsonl(tmp_path / "corpus.jsonl", CORPUS)


@pytest.fixture
def answer(call) -> Callable:
    """`answer("embed", ...)` adds --json and returns the one object on stdout, which has the keys of the command."""

    def run(*words) -> dict:
        status, out, err = call(*words, "--json")
        assert status == 0, err
        assert out.endswith("\n") and out.count("\n") == 1  # the object on its line, and nothing else
        value = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
        assert set(value) == set((KEYS.get(words[0]) or KEYS[f"{words[0]} {words[1]}"]).split())
        return value

    return run


def test_embed_reads_a_text_line_by_line_and_keeps_the_number_of_each_line(call, model, tmp_path):
    lines = ["Dr. Lee didn't sit. He stood.", "", "the bank"]  # one line is one sentence, whatever is in it
    tokens = [["Dr.", "Lee", "did", "n't", "sit", ".", "He", "stood", "."], [], ["the", "bank"]]
    (expected,) = Encoder(load_bilm(model)).encode(tokens[:1])
    for name, content in {
        "unix.txt": "\n".join(lines) + "\n",
        "windows.txt": "\r\n".join(lines),
        "mac.txt": "\r".join(lines) + "\r",
        "in.csv": 'n,text\n1,"Dr. Lee didn\'t sit. He stood."\n2,\n3,the bank\n',
        "in.tsv": "n\ttext\n1\tDr. Lee didn't sit. He stood.\n2\t \n3\tthe bank\n",
        "in.jsonl": "\n".join(json.dumps({"text": line}) for line in lines),
        "in.json": json.dumps(lines),
        "tokens.json": json.dumps(tokens),
        "tokens.jsonl": "\n".join(map(json.dumps, tokens)),
    }.items():
        (tmp_path / name).write_bytes(content.encode())
        status, _, notes = call("embed", "--model", model, "--input", tmp_path / name, "--output", tmp_path / "out.npz")
        assert status == 0 and "1 of 3 sentences are blank" in notes, name
        with np.load(tmp_path / "out.npz") as file:
            assert file.files == ["0", "1", "2"] and file["0"].dtype == np.float32, name
            assert [file[k].shape for k in file.files] == [(3, 9, 16), (3, 0, 16), (3, 2, 16)], name  # (L, T, D)
            np.testing.assert_allclose(file["0"], expected, atol=1e-6)


def test_a_tilde_is_the_home_folder_and_the_named_column_is_read(answer, refused, model, tmp_path, monkeypatch):
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    (home / "in.csv").write_text("title,verse\nthe bank,of a river\n")
    column = ("--text-column", "verse", "--model", model)
    assert answer("embed", "--input", "~/in.csv", "--output", "~/new/out.npz", *column)["tokens"] == 3  # those of the named column
    assert answer("index", "build", "--corpus", "~/in.csv", "--output", "~/index", *column)["occurrences"] == 3
    assert "home/none.jsonl" in refused("senses", "spread", "--word", "bank", "--labels", "~/none.jsonl")
    assert {path.name for path in home.iterdir()} == {"in.csv", "new", "index"} and not (tmp_path / "~").exists()


def test_embed_stateful_names_stream_and_sentence(answer, model, tmp_path):
    streams = [[["the", "bank"], ["the", "bank"], []], [["money"], ["a", "river", "."], ["of"]]]
    (tmp_path / "in.json").write_text(json.dumps(streams))
    result = answer("embed", "--model", model, "--input", tmp_path / "in.json", "--output", tmp_path / "out.npz", "--stateful")
    assert (result["sentences"], result["tokens"]) == (6, 9)
    with np.load(tmp_path / "out.npz") as file:
        assert file.files == ["0/0", "0/1", "0/2", "1/0", "1/1", "1/2"]
        for k, stream in enumerate(Encoder(load_bilm(model)).encode_streams(streams)):
            for n, expected in enumerate(stream):
                np.testing.assert_allclose(file[f"{k}/{n}"], expected, atol=1e-6)


@pytest.fixture
def neighbors(answer, model, corpus) -> Callable:
    """Return the answer on "bank" in a sentence."""
    fixed = ("neighbors", "--word", "bank", "--model", model, "--corpus", corpus)
    return lambda sentence, *more: answer(*fixed, "--sentence", sentence, *more)


def test_neighbors_are_the_tokens_of_the_corpus_by_the_chosen_layer_weights_and_words(neighbors):
    every = neighbors("the bank", "--k", 50)
    rows = every["neighbors"]
    assert len(rows) == sum(len(row["tokens"]) for row in CORPUS)
    assert all(set(row) == {"word", "sentence", "position", "sense", "cosine"} for row in rows)
    assert all(tokenize(row["sentence"])[row["position"]] == row["word"] for row in rows)
    assert sorted(row["sense"] for row in rows if row["sense"]) == ["edge", "edge", "firm"]
    assert every["query"]["weights"] == [0.0, 0.0, 1.0]  # the top layer, as on pages
    others = neighbors("the bank", "--other-words", "--k", 50)["neighbors"]
    assert others == [n for n in rows if n["word"] not in ("bank", "banks")] and len(others) == len(rows) - 4
    layer = neighbors("the bank", "--layer", 1, "--k", 50)["neighbors"]
    assert neighbors("the bank", "--weights", "0,2,0", "--k", 50)["neighbors"] == layer != rows
    text, tokens = "Let's see the bank.", ["Let", "'s", "see", "the", "bank", "."]
    query = {"word": "bank", "sentence": text, "tokens": tokens, "position": 4, "layer": "mix", "weights": [0.0, 0.0, 2.0]}
    assert neighbors(text, "--weights", "0,0,2")["query"] == query
    result = neighbors("the bank of a river", "--layer", "senses", "--k", 50)
    assert (result["query"]["layer"], result["query"]["weights"]) == ("senses", [1.0]) and len(result["neighbors"]) == len(rows)


def test_position_chooses_among_two_places_and_the_first_is_taken_with_a_note_without_it(call, neighbors, model, corpus):
    text = "the bank of a bank"
    status, out, err = call("neighbors", "--word", "bank", "--sentence", text, "--model", model, "--corpus", corpus, "--k", 3)
    assert status == 0 and "'bank' is at 1, 4" in err and "tokens: 19 of 19" in err
    assert out.count("\n") == 3 and "bank of the river" in out  # a table for people
    assert [neighbors(text, *more)["query"]["position"] for more in ((), ("--position", 4))] == [1, 4]


def test_an_index_folder_serves_as_corpus_under_its_own_model_only(answer, neighbors, refused, model, corpus, tmp_path):
    answer("index", "build", "--corpus", corpus, "--output", tmp_path / "index", "--model", model)
    assert neighbors("the bank", "--corpus", tmp_path / "index") == neighbors("the bank")
    request = ("neighbors", "--word", "bank", "--sentence", "the bank", "--corpus", tmp_path / "index", "--model")
    assert "is from a model other than" in refused(*request, save_model(tmp_path / "other", seed=1))
    assert "index approximate DIR --senses" in refused(*request, model, "--layer", "senses", "--approximate")


def test_static_neighbors_are_cosines_of_the_named_vectors(answer, tmp_path):
    (tmp_path / "v.txt").write_text("bank 2 0\nriver 3 4\nmoney 0 5\ndebt -1 0\n")
    near = answer("static-neighbors", "--word", "bank", "--vectors", tmp_path / "v.txt", "--k", 2)["neighbors"]
    assert [(each["word"], round(each["cosine"], 5)) for each in near] == [("river", 0.6), ("money", 0)]


def test_evaluate_senses_counts_dropped_training_rows_and_unseen_words(call, model, tmp_path):
    rows = [labeled("bank", sentence, "edge") for sentence in ("the bank of a river", "money of the bank", "a bank .")]
    test = write_jsonl(tmp_path / "test.jsonl", [rows[0], labeled("river", "a river", "water")])
    train = write_jsonl(tmp_path / "train.jsonl", [*rows, *rows[:1]])
    request = ("evaluate", "senses", "--train", train, "--test", test, "--model", model)
    status, out, err = call(*request, "--json")
    result = json.loads(out)
    assert (status, result["dropped"], result["n_train"], result["n"], result["unseen"]) == (0, 2, 2, 2, 1)
    assert result["mix"]["nearest"] == {"macro": 0.5, "pooled": 0.5}  # the unseen word counts as wrong
    assert "2 training rows whose sentence is in the test set were dropped." in err
    assert call(*request)[1].endswith("1 test row of words without a training row: counted as wrong\n")


def test_evaluate_senses_splits_one_set_by_its_share_and_seed(answer, model, tmp_path):
    rows = [labeled("bank", f"{a} bank of {b} {c}", a) for a in ("the", "a") for b in WORDS[3:] for c in WORDS[3:]]
    request = ("evaluate", "senses", "--model", model, "--data", write_jsonl(tmp_path / "rows.jsonl", rows))
    result = answer(*request)
    assert result["n"] + result["n_train"] == len(rows) and 0.1 < result["n"] / len(rows) < 0.3
    assert answer(*request, "--seed", 1) != result and answer(*request, "--share", 0.5)["n"] > result["n"]


@pytest.fixture
def card(tmp_path, monkeypatch) -> tuple:
    """The command for a card of a folder of data sets with a few rows each, without labeled words."""
    monkeypatch.setattr(sense_scores, "own_sentences", lambda *_, **__: {"n": 4})  # else the bundled corpus is indexed
    monkeypatch.setattr(probes, "LEAST_STEPS", 20)
    texts = {"conll2000/train": "the D\nbank N\n", "conll2000/test": "the D\nbank N\n", "corpus/valid": "the bank\na river .\n"}
    for name, text in texts.items():
        path = tmp_path / "data" / f"{name}.txt.xz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(lzma.compress(text.encode()))
    return "lab", "card", "--data", tmp_path / "data", "--model"


def test_a_card_stores_every_measure_with_its_command_and_keeps_those_of_the_same_weights(answer, model, foreseeing, card, tmp_path):
    output = ("--output", tmp_path / "card" / "measures.json")
    result = answer(*card, model, *output, "--limit-text", 1)
    assert list(result["measures"]) == ["perplexity", "tags", "sentences", "random"]  # and none whose data are missing
    assert json.loads(output[1].read_text()) == {key: value for key, value in result.items() if key != "output"}
    for name, facts in result["measures"].items():
        limit = " --limit-text=1" if name == "perplexity" else ""
        assert facts["seconds"] >= 0 and facts["command"] == f"python -m core.lab card --data=FOLDER --only={name}{limit} --model={model}"
    (card[3] / "conll2000" / "test.txt.xz").unlink()
    assert answer(*card, model, *output, "--only", "tags")["measures"]["tags"] == result["measures"]["tags"]
    other = answer(*card, foreseeing, *output, "--only", "perplexity")
    assert list(other["measures"]) == ["perplexity"]  # other weights: nothing of the earlier card holds
    save_safetensors(load_bilm(model), tmp_path / "mute")  # without a softmax, and next to the model
    assert "perplexity" not in answer(*card, tmp_path / "mute")["measures"] and (tmp_path / "mute" / "measures.json").is_file()


def test_evaluate_perplexity_skips_blank_lines_and_charges_unknown_words(answer, call, foreseeing, tmp_path):
    with gzip.open(tmp_path / "text.txt.gz", "wt") as file:
        file.write("the bank\n\na zebra\nan okapi\n")
    request = ("evaluate", "perplexity", "--model", foreseeing, "--text", tmp_path / "text.txt.gz")
    result = answer(*request, "--limit", 2)
    # The ten words weigh 8 + 9 = 17. Scored each way: the, bank, a and two boundaries; the zebra is context only.
    assert result["mean"] == pytest.approx(math.exp((math.log(17 / 8) + 4 * math.log(17)) / 5), rel=1e-3)
    assert (result["tokens"], result["unknown_share"]) == (5, 0.25)
    lines = call(*request)[1].splitlines()
    assert len(lines) == 2 and "among the text's 3 different unknown words" in lines[1]
    assert len(call(*request, "--limit", 1)[1].splitlines()) == 1  # which has no unknown word


def test_evaluate_blimp_prints_accuracies_next_to_published_ones(answer, call, foreseeing, tmp_path):
    row = {"sentence_good": "the bank", "sentence_bad": "the river", "linguistics_term": "ellipsis"}
    write_jsonl(tmp_path / "a.jsonl", [row, row | {"sentence_good": "a river", "sentence_bad": "a bank"}])
    words = ("evaluate", "blimp", "--data", tmp_path, "--model", foreseeing)
    assert answer(*words)["published"]["ellipsis"]["LSTM"] == 67.6
    assert call(*words)[1].splitlines()[2].split() == ["ellipsis", "2", "50.0", "50.0", "50.0", "36.9", "67.6", "77.2", "89.4"]


def test_substitutes_are_words_of_the_place(answer, foreseeing):
    words = ("--word", "river", "--sentence", "the river of money .", "--k", 2, "--direction", "forward")
    value = answer("substitutes", "--model", foreseeing, *words)
    assert (value["position"], value["direction"], value["tokens"][1], value["substitutes"][0]["word"]) == (1, "forward", "river", "bank")


def test_predict_goes_on_from_the_last_sentence_forward_and_before_the_first_backward(answer, model, foreseeing):
    def predictions(text: str, direction: str) -> list:
        return answer("predict", "--text", text, "--direction", direction, "--model", model)["predictions"]

    first, last = "A river.", "The bank of"
    assert predictions(f"{first} {last}", "forward") == predictions(last, "forward") != predictions(first, "forward")
    assert predictions(f"{first} {last}", "backward") == predictions(first, "backward") != predictions(last, "backward")
    result = answer("predict", "--text", last, "--k", 3, "--model", foreseeing)
    # <UNK> and the boundary behind are no answers, and keep their share: ten words weigh 8 + 9.
    assert result["predictions"][0] == {"word": "bank", "probability": pytest.approx(8 / 17, abs=1e-3)}
    assert (len(result["predictions"]), result["text"], result["unknown"]) == (3, last, pytest.approx(1 / 17, abs=1e-3))


@pytest.fixture
def build(answer, model, corpus, tmp_path) -> Callable:
    """Build an index in tmp_path / "index" and return the answer."""
    fixed = ("index", "build", "--output", tmp_path / "index", "--model", model, "--corpus", corpus)
    return lambda *more: answer(*fixed, *more)


def test_index_build_says_what_was_made_and_joins_lines_as_requested(answer, build, tmp_path):
    built = build()
    types = len({token for row in CORPUS for token in row["tokens"]})
    assert [built[name] for name in ("occurrences", "types", "sentences", "layers", "dim")] == [19, types, 4, 3, 16]
    assert built["bytes"] == sum(path.stat().st_size for path in (tmp_path / "index").iterdir())
    assert answer("index", "info", tmp_path / "index") == built
    (tmp_path / "t.txt").write_text("the bank\nof the river\nis steep")
    for lines, n in (("detect", 3), ("join", 1), ("keep", 3)):
        assert build("--corpus", tmp_path / "t.txt", "--lines", lines)["sentences"] == n


FILES_OF_OTHERS = [  # a command without --output, a file in that folder, and the message
    ("index build --corpus {corpus} --model {model}", "thesis.txt", "has other files (thesis.txt)"),
    ("index build --corpus {corpus} --model {model}", "meta.json", "has other files (meta.json)"),
    ("glove --corpus {corpus}", "thesis.txt", "has other files (thesis.txt)"),
    ("convert --model {model}", "weights.hdf5", "weights.hdf5 exists and “convert” did not"),
    ("convert --model {model}", "options.json", "options.json exists and “convert” did not"),
    ("train --task spam --variant tfidf --train none.csv", "spam/tfidf/novel.txt", "has other files (novel.txt)"),
    ("lab train-heads --tasks spam --data {dir}", "spam/tfidf/novel.txt", "has other files (novel.txt)"),
    ("tasks train --task names --variant elmo --data {dir}", "names/elmo/novel.txt", "has other files (novel.txt)"),
    ("lab bundle", "notes.txt", "has other files (notes.txt)"),
    ("lab bundle --language ko", "notes.txt", "has other files (notes.txt)"),
    ("pretrain --corpus {corpus}", "notes.txt", "has other files (notes.txt)"),
    ("pretrain --corpus {corpus}", "begun.json", "has other files (begun.json)"),
    *(("pretrain --corpus {corpus}", name, f"already holds a training ({name})") for name in ("model", "table.pt", "log.jsonl")),
    ("pretrain --corpus {corpus} --resume", "model", "model is a file"),
    *(("pretrain --corpus {corpus} --resume", name, "no begun.json with its settings") for name in ("table.pt", "log.jsonl")),
]


@pytest.mark.parametrize(("command", "name", "said"), FILES_OF_OTHERS)
def test_no_command_writes_over_files_of_others(refused, model, corpus, tmp_path, command, name, said):
    path = tmp_path / "output" / name
    path.parent.mkdir(parents=True)
    words = command.format(corpus=corpus, model=model, dir=tmp_path).split()
    for content in ("mine", '{"steps": ["coffee"]}'):
        path.write_text(content)
        assert said in refused(*words, "--output", tmp_path / "output")
        assert path.read_text() == content and [each for each in (tmp_path / "output").rglob("*") if each.is_file()] == [path]
    assert (ASSETS / "SHA256").is_file()  # which `bundle` deletes when it begins


def test_a_damaged_index_is_named_and_replaced_on_request(build, refused, model, corpus, tmp_path):
    folder = tmp_path / "index"
    expected = build()["occurrences"]
    meta = json.loads((folder / "meta.json").read_text())
    for broken, said in (({**meta, "types": None}, "no types"), ({**meta, "seconds": ["?"]}, "seconds is")):
        (folder / "meta.json").write_text(json.dumps(broken))
        for command in ("info", "approximate"):
            assert f"meta.json is damaged: {said}" in refused("index", command, folder)
    for name in ("meta.json", "occurrences.arrow", "sentences.arrow"):
        (folder / name).write_bytes(b"")
        said = refused("index", "build", "--corpus", corpus, "--output", folder, "--model", model)
        assert f"{name} was changed after “index build” wrote it" in said
        assert build("--overwrite")["occurrences"] == expected


GLOVE = ("glove", "--epochs", 1, "--dim", 4, "--processes", 1)


def test_embed_and_glove_leave_what_lies_where_a_cluster_would_work(answer, refused, model, tmp_path):
    (tmp_path / "text.txt").write_text(TEXT)
    parts, counts = tmp_path / "o.npz.parts", tmp_path / "work" / "counts"
    for folder in (parts, counts):
        folder.mkdir(parents=True)
        (folder / "thesis.txt").write_text("mine")
    embed = ("embed", "--model", model, "--input", tmp_path / "text.txt", "--output", tmp_path / "o.npz")
    for command in (embed, (*GLOVE, "--corpus", tmp_path / "text.txt", "--output", tmp_path / "gl", "--work", tmp_path / "work")):
        assert "has other files (thesis.txt)" in refused(*command, "--cluster", "tcp://nowhere:1")
        answer(*command)
    assert (parts / "thesis.txt").read_text() == (counts / "thesis.txt").read_text() == "mine"


def test_glove_works_next_to_its_output_and_is_not_trained_on_an_older_text(answer, refused, tmp_path):
    (tmp_path / "A.txt").write_text(TEXT)
    (tmp_path / "B.txt").write_text("debt is what counts .\n" * 20)
    for output in (f"{tmp_path}/gl/", tmp_path / "gl"):
        assert answer(*GLOVE, "--corpus", tmp_path / "A.txt", "--output", output)["vectors"] == str(tmp_path / "gl")
    assert {path.name for path in tmp_path.iterdir()} == {"A.txt", "B.txt", "gl", "gl-work", "cache"}
    command = (*GLOVE, "--output", tmp_path / "new", "--corpus", tmp_path / "A.txt")
    for words, message in (
        (("--epochs", 0), "epochs must be from 1"),
        (("--language", "xx"), "Unknown language"),
        (("--hold-out", 1), "below 1"),
    ):
        assert message in refused(*command[:1], *command[3:], *words) and not (tmp_path / "new-work").exists()
    assert "has other files (meta.json)" in refused(*command, "--work", tmp_path / "gl")
    command = (*GLOVE, "--output", tmp_path / "gl", "--corpus", tmp_path / "B.txt")
    error = refused(*command)
    assert "A.txt (" in error and "now B.txt (" in error and "bank" in (tmp_path / "gl" / "words.txt").read_text()
    answer(*command, "--work", tmp_path / "work")
    assert "debt" in (tmp_path / "gl" / "words.txt").read_text()


def test_a_file_of_results_is_not_cut_where_it_holds_something_else(tmp_path):
    (tmp_path / "notes.txt").write_text("the first line\nthe last, which has no end")
    (tmp_path / "results.json").write_text('{"mine": 1}')
    for read, name in ((experiments._whole_lines, "notes.txt"), (task_results.read_results, "results.json")):
        with pytest.raises(CorruptArtifact, match="holds something other than results"):
            read(tmp_path / name)
    assert (tmp_path / "notes.txt").read_text().endswith("which has no end")


def test_convert_writes_a_folder_of_its_own_with_the_language_of_the_model(answer, refused, model, tmp_path):
    for _ in range(2):
        answer("convert", "--model", model, "--output", tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["options.json", "weights.hdf5"]
    for more in ((), ("--overwrite",)):
        assert "is read by this command" in refused("convert", "--model", tmp_path / "new", "--output", tmp_path / "new", *more)
    shutil.copytree(model, tmp_path / "model")
    (tmp_path / "model" / "meta.json").write_text('{"language": "ko"}')
    assert "has other files" in refused("convert", "--model", model, "--output", tmp_path / "model")
    answer("convert", "--model", tmp_path / "model", "--output", tmp_path / "korean")
    assert languages.of_model(tmp_path / "korean").code == "ko"


@pytest.fixture
def training(tmp_path, monkeypatch) -> tuple[list, list[str]]:
    """Arguments of a tiny training, and a list that fills with the stage of every step taken; a small char-CNN."""
    monkeypatch.setattr(config, "MINI", ModelShape(filters=((1, 4), (2, 4), (3, 8)), n_highway=0))
    words = ["the", "bank", "river", "money", "of", "a", "water", "boat"]
    lines = [" ".join(np.random.default_rng(k).choice(words, 4 + k % 5)) + " ." for k in range(60)]
    (tmp_path / "text.txt").write_text("\n".join(lines) + "\n")
    steps, run = [], Trainer.run

    def counted(trainer):
        for progress in run(trainer):
            steps.append("table" if trainer.table else "joint")
            yield progress

    monkeypatch.setattr(Trainer, "run", counted)
    options = "--tokens 3000 --hidden 16 --projection 8 --vocabulary 50 --batch-tokens 200 --negatives 20 --threads 1"
    return ["pretrain", "--corpus", tmp_path / "text.txt", "--output", tmp_path / "run", *options.split()], steps


@pytest.fixture
def begun(call, training, monkeypatch) -> tuple[list, list[str]]:
    """A training that the keyboard stopped as its last stage began, and the list of further steps."""
    arguments, steps = training
    with monkeypatch.context() as patched:
        patched.setattr(recipe, "_joint_stage", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        status, out, err = call(*arguments, "--json")
    assert (status, out) == (130, "") and "Traceback" not in err and "text.txt: 60 sentences" in err
    assert "too small" not in err  # 3,000 tokens are 6 times this text
    assert set(steps) == {"table"}
    steps.clear()
    return arguments, steps


def test_pretrain_says_first_that_a_text_is_too_small_or_has_no_words(call, refused, training, tmp_path, monkeypatch):
    (tmp_path / "empty.txt").write_text("\n")
    said = refused("pretrain", "--corpus", tmp_path / "empty.txt", "--output", tmp_path / "empty", "--threads", 1)
    assert "no words to learn from" in said
    monkeypatch.setattr(recipe, "_table_stage", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    note = call(*training[0], "--tokens", 30_000)[2]
    assert re.search(r"The text is too small \(60 sentences, \d+ tokens\): --tokens 30,000 reads it \d\d times\. Give more text", note)


def test_pretrain_goes_on_where_it_was_stopped_and_does_nothing_twice(answer, refused, begun, tmp_path):
    arguments, steps = begun
    model = tmp_path / "run" / "model"
    assert not model.exists()
    assert "Add --resume" in refused(*arguments)  # what is there is not overwritten by mistake
    result = answer(*arguments, "--resume")
    assert set(steps) == {"joint"}  # the first stage was not done again
    assert result["model"] == str(model) and result["prepared"]["sentences"] == 60
    steps.clear()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    assert answer(*arguments, "--resume")["weights_sha256"] == result["weights_sha256"]
    words = (model / "vocabulary.txt").read_text().split("\n")
    assert set(words) == {*SPECIALS, "the", "bank", "river", "money", "of", "a", "water", "boat", "."}
    (model / "meta.json").write_text('{"language": "en", "note": "mine"}')
    assert "meta.json was changed after “pretrain” wrote it" in refused(*arguments, "--resume")
    answer(*arguments, "--resume", "--overwrite")
    (model / "notes.txt").write_text("mine")
    assert "has other files (notes.txt)" in refused(*arguments, "--resume", "--overwrite")
    assert steps == [] and (model / "notes.txt").read_text() == (tmp_path / "run" / "notes.txt").read_text() == "mine"


CHANGES = [  # an option of a training that is begun, and the difference that is named
    (["--corpus", "{dir}/other.txt"], r"corpus: text\.txt \([0-9a-f]{12}\), now other\.txt \([0-9a-f]{12}\)"),
    *((["--seed", "5"], "seed: 0, now 5"), (["--hidden", "8"], r"shape\.hidden: 16, now 8")),
    (["--valid", "{dir}/other.txt"], r"valid: none, now other\.txt"),
    (["--start-vectors", "{dir}/vectors.txt"], r"start: , now vectors [0-9a-f]{16}"),
    (["--start-model", "{model}"], r"start: , now model [0-9a-f]{16}"),
]


def test_a_begun_training_goes_on_as_it_was_begun_or_not_at_all(answer, refused, begun, foreseeing, tmp_path):
    arguments, steps = begun
    (tmp_path / "other.txt").write_text("the river of money\n" * 9)
    (tmp_path / "vectors.txt").write_text("the 1 2\nbank 2 1\n")
    before = contents(tmp_path / "run")
    for change, said in CHANGES:
        begin = 3 if change[0] == "--corpus" else 1  # which may be given several times
        words = [word.format(dir=tmp_path, model=foreseeing) for word in change]
        assert re.search(said, refused("pretrain", *arguments[begin:], *words, "--resume")) and steps == []
        assert contents(tmp_path / "run") == before
    for name in ("characters.pt", "table.pt", "begun.json", "prepared/meta.json", "prepared/ids.npy"):
        path = tmp_path / "run" / name
        for damage in (before[path][: len(before[path]) // 2], b""):
            path.write_bytes(damage)
            assert path.parent.name in refused(*arguments, "--resume") and steps == []
        path.write_bytes(before[path])
    with (tmp_path / "run" / "log.jsonl").open("a") as log:
        log.write('{"stage": "ta')  # it was killed while it wrote
    answer(*arguments, "--resume")
    log = json.loads((tmp_path / "run" / "model" / "training_log.json").read_text())
    assert [line["stage"] for line in log] == ["characters"]


def test_pretrain_scales_its_softmax_to_what_the_held_out_text_says(answer, training, tmp_path):
    (tmp_path / "valid.txt").write_text("the bank of the river .\nmoney of the bank .\n")
    result = answer(*training[0], "--valid", tmp_path / "valid.txt")
    log = json.loads((tmp_path / "run" / "model" / "training_log.json").read_text())
    said = next(line for line in log if line["stage"] == "scale")
    assert said["scale"] in recipe.SCALES and said["perplexity"] <= said["unscaled"]
    measured = answer("evaluate", "perplexity", "--text", tmp_path / "valid.txt", "--model", result["model"])
    assert measured["mean"] == pytest.approx(said["perplexity"], rel=1e-2)  # float16 weights


EMBED = ["embed", "--model", "{model}", "--output", "{dir}/out.npz", "--input"]
ASK = ["neighbors", "--word", "bank", "--sentence", "the bank of a river", "--model", "{model}", "--corpus", "{corpus}"]
SENSES = [*ASK, "--layer", "senses"]
VERDICT = ["verdict", "--model", "{model}", "--sentence"]
PERPLEXITY = ["evaluate", "perplexity", "--text", "{dir}/text.txt", "--model", "{model}"]
PRETRAIN = ["pretrain", "--corpus", "{dir}/text.txt", "--output", "{dir}/p"]
TRAIN = ["train", "--task", "t", "--variant", "tfidf", "--train", "x.csv"]
SPREAD = ["senses", "spread", "--word", "bank", "--labels"]
MISTAKES = {
    "an unknown option": ([*ASK, "--color"], "--color"),
    "an empty word": ([*ASK, "--word", " "], "--word is empty. Name a token of the sentence."),
    "a request without a part": (["view", "pair", "--request", '{{"first": {{"text": "A bank."}}}}'], "The request lacks 'second'"),
    "a text with --stateful": ([*EMBED, "{dir}/text.txt", "--stateful"], "--stateful needs a .json"),
    "output of another kind": ([*EMBED, "{dir}/ok.json", "--output", "{dir}/out.npy"], ".npz"),
    "an empty sentence": ([*ASK, "--sentence", ""], "'--sentence' is a text of 0 words"),
    "a verdict on a number": ([*VERDICT, "the 5 miles", "--sentence", "5 of", "--word", "5"], "No verdict is given on '5': it has no"),
    "the sense space of a cluster": ([*SENSES, "--cluster", "tcp://127.0.0.1:1"], "leave out --cluster"),
    "the sense space with weights": ([*SENSES, "--weights", "1,1,1"], "leave out --weights"),
    "a language and a model": ([*VERDICT, "a", "--sentence", "a", "--language", "ko"], "read by elmo-ko-mini, not by {model}. Leave out"),
    "two ways to split": (["evaluate", "senses", "--train", "a", "--test", "b", "--data", "c"], "got --train and --test and --data"),
    "only tested rows": (["evaluate", "senses", "--train", "{dir}/rows.jsonl", "--test", "{dir}/rows.jsonl"], "All 2 training rows"),
    "a card without data": (["lab", "card", "--data", "{dir}/none"], "no folder"),
    "a model without a softmax": (["predict", "--text", "the", "--model", "{mute}"], "predicts no words"),
    "a command of 300 letters": (["x" * 300], "No such command 'xxx"),
    "a folder for a file": ([*EMBED, "{dir}"], "'--input': {dir} is a folder. Choose a file."),
    "a column of a text": ([*EMBED, "{dir}/text.txt", "--text-column", "body"], "A .txt file has no columns: leave out --text-column."),
    "an empty column": ([*EMBED, "{dir}/ok.json", "--text-column", ""], "--text-column is empty. Give it a value, or leave it out."),
    "a file twice": ([*PERPLEXITY, "--text", "{dir}/x/../text.txt"], "text.txt twice. Name it once."),
    "a share of no rows": ([*TRAIN, "--share", "0"], "--share must be above 0 and at most 1, got 0."),
    "a word of one sentence": ([*VERDICT, "the bank", "--sentence", "a river", "--word", "bank"], "Sentence 2: 'bank' is not a token"),
    "too many substitutes": (["substitutes", *ASK[1:5], "--k", "1001"], "'--k': 1001 is not in the range 1<=x<=1000."),
    "a column for two": ([*TRAIN, "--text-column", "a", "--label-column", "a"], "--text-column and --label-column both name a."),
    "a word like an option": (["corpus", "search", "-ing"], "No such option '-i'. Write -ing after --, if it is no option: -- -ing"),
    "a corpus and itself": (["corpus", "keyness", "--against", "sentences"], "cannot be compared with itself"),
    "two forms of an answer": (["corpus", "search", "bank", "--csv"], "--json and --csv are two forms of one answer."),
    "a split of two files": (["evaluate", "senses", "--train", "a", "--test", "b", "--seed", "0"], "leave out --share and --seed"),
    "uses with a side": (["senses", "change", "--uses", "u.csv", "--first-dates", "1800.."], "leave out --first-dates."),
    "a start in another shape": ([*PRETRAIN, "--start-model", "{model}", "--hidden", "9"], "leave out --hidden, which is 16 there."),
    "a share of a text above 1": ([*PERPLEXITY, "--hold-out", "2"], "between 0 and 1, got 2."),
    "a share of a text without a line": ([*PERPLEXITY, "--hold-out", "0.01"], "A share of 0.01 of the lines holds out no"),
    "two starts of a training": ([*PRETRAIN, "--start-model", "{model}", "--start-vectors", "{dir}/v.txt"], "leave out --start-vectors"),
    "a start from too many numbers": ([*PRETRAIN, "--projection", "8", "--start-vectors", "{dir}/v7.txt"], "--projection 10"),
    "a training of the table alone": ([*PRETRAIN, "--table-share", "1"], "--table-share"),
    **{
        f"texts in {name}": (["lab", "texts", f"{{dir}}/{name}"], "is not a catalog's name")
        for name in ("novel.txt", "ko.mo", "novel", "..po", "a b.po")
    },
    **{
        f"{command[0]} to {place[:6]}": ([*command, "{dir}/ok.json", "--output", place], f"'--output': {place} cannot be written: {reason}")
        for command in (["embed", "--input"], ["pretrain", "--corpus"], SPREAD)
        for place, reason in (("{dir}/ok.json/x", "{dir}/ok.json is not a folder"), ("a" * 300, "File name too long"))
    },
    **{
        f"{words[0]} {option} without a name": ([*words, option, ""], f"'{option}': the path is empty. Name a {what}.")
        for words, option, what in (
            *(([*SPREAD, "{corpus}"], "--output", "file"), (["senses", "change", "--word", "bank"], "--graph", "folder")),
            (["pretrain", "--corpus", "{dir}/text.txt"], "--output", "folder"),
        )
    },
}


FILES = {"ok.json": '[["the"]]', "text.txt": "the\n", "empty.txt": "\n", "v.txt": "a 1 0\nb 0 1\n", "v7.txt": "the 1 2 3 4 5 6 7\n"}
FILES |= {"rows.jsonl": '{"word": "a", "tokens": ["a"], "position": 0, "label": "x"}\n' * 2}
FILES |= dict.fromkeys(("novel.txt", "ko.mo", "novel", "..po", "a b.po"), "mine")


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_line_on_stderr_and_status_2(refused, model, mute, corpus, tmp_path, mistake):
    for name, content in FILES.items():
        (tmp_path / name).write_text(content)
    before = contents(tmp_path)
    words, said = MISTAKES[mistake]
    places = {"model": model, "corpus": corpus, "dir": tmp_path, "mute": mute}
    assert said.format(**places) in refused(*(word.format(**places) for word in words), "--json")
    assert contents(tmp_path) == before  # no half-made file stays behind


def test_an_option_with_one_value_is_given_once(capsys):
    many = ["--variant", "tfidf", "--variant", "glove", "--order", "--order"]
    assert main.main(["train", "--task", "t", *many, "--train", "a.csv", "--train", "b.csv"]) == 2
    assert capsys.readouterr().err == "error: --train is given twice. Give it once. See: python -m core train --help\n"


def test_a_verdict_reads_as_many_words_as_the_page(call, model):
    status, _, err = call("verdict", "--word", "bank", "--sentence", "a " * 120 + "bank", "--sentence", "the bank", "--model", model)
    note, error = err.splitlines()
    assert (status, note) == (2, "Only the first 120 words of a sentence are read.") and "'bank' is not a token" in error


def test_a_cache_that_cannot_be_written_is_named(refused, model, corpus, tmp_path, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_CACHE", str(corpus / "cache"))
    for command in (TRAIN, ["neighbors", "--word", "bank", "--sentence", "the bank", "--model", model, "--corpus", corpus]):
        assert "ELMOSCOPE_CACHE" in refused(*command)


def test_a_command_that_is_stopped_while_it_starts_causes_no_traceback(monkeypatch, capsys):
    monkeypatch.setattr(main, "main", Mock(side_effect=KeyboardInterrupt))
    assert (start(), capsys.readouterr().err) == (130, "stopped.\n")


def test_an_argument_that_is_no_utf8_is_answered_in_plain_json(answer, model):
    result = answer("predict", "--text", "the \udcff", "--model", model)  # as Python hands on the byte ff
    assert result["text"] == "the \udcff"


def test_a_defect_of_ours_is_not_dressed_up_as_a_user_s_mistake(model, monkeypatch):
    monkeypatch.setattr(Encoder, "directions", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        main.main(["predict", "--text", "the", "--model", str(model)])


COMMANDS = dict(commands(main.elmoscope))
LAB = dict(commands(lab, "lab "))


@pytest.mark.parametrize("command", COMMANDS | LAB)
def test_help_explains_every_argument_of_a_command(call, command):
    status, out, err = call(*command.split(), "--help")
    assert (status, err) == (0, "")
    made = (COMMANDS | LAB)[command]
    assert command.replace("lab ", "core.lab ") in out.split("\n")[0]
    for parameter in made.get_params(click.Context(made)):
        assert all(name in out for name in parameter.opts if name.startswith("-"))
        said, shown = ("".join(text.split()) for text in (parameter.help, out))  # a line may break at a hyphen
        assert said and said in shown, parameter


def test_no_help_waits_for_torch():
    lines = [["--help"], *([*command.split(), "--help"] for command in COMMANDS)]
    code = f"import sys; from core.cli.main import main; print(sum(map(main, {lines!r})), 'torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 False" and all(f"\n  {command.split()[0]} " in done.stdout for command in COMMANDS)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_an_answer_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "core", "embed", "--help"]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "error: the output cannot be written: No space left on device.\n")


@pytest.mark.parametrize("command", ["static-neighbors --word river --json", "embed --help"])
def test_a_reader_that_stops_reading_causes_no_traceback(command):
    command = [sys.executable, "-m", "core", *command.split()]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    process.stdout.close()  # as `| head -0` does
    err = process.stderr.read()
    assert process.wait(timeout=120) == 0 and err == ""
    process.stderr.close()
