"""The command line as a contract (DESIGN, section 6): keys of every JSON answer, files, exit statuses, errors.

Most tests call `core.cli.main.main` in this process with a tiny model made here; three start a real `python -m core`.
"""

import gzip
import json
import lzma
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import numpy as np
import pytest
import torch

from core.classify import experiments
from core.cli import main
from core.common import config
from core.common.config import ASSETS, NEIGHBORS, ROOT, ModelShape
from core.common.errors import CorruptArtifact
from core.elmo.encoder import Encoder
from core.elmo.language_model import SPECIALS, Softmax
from core.elmo.weights import load_bilm, save_safetensors
from core.index.table import OccurrenceTable
from core.lab import probes, sense_scores
from core.lab.__main__ import lab
from core.tasks import results as task_results
from core.text import languages
from core.text.tokens import tokenize
from core.training import recipe
from core.training.trainer import Trainer
from tests.core.cli.test_outputs import commands
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

LAYER_FOUND = dict.fromkeys(("one_nn", "low", "high", "null", "silhouette", "same", "other", "gap"), 0.5)
SENTENCES_FOUND = {"1": LAYER_FOUND, "mix": LAYER_FOUND, "n": 4, "words": 2, "majority": 0.5}
SENTENCES_FOUND["best_mix"] = {"one_nn": 0.5, "weights": [1.0]}

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


def senseval(n: int, word: str = "bank") -> bytes:
    """Return a packed file of n instances of a word in the form of Senseval-2, of two senses."""
    mark = '<wf pos="X">{}</wf>'.format
    instances = [
        f'<instance id="{k}"><answer instance="{k}" senseid="s{k % 2}"/><context><head>{mark(word)}</head> {mark(k)}</context></instance>'
        for k in range(n)
    ]
    return lzma.compress(f'<lexelt item="{word}-n">{"".join(instances)}</lexelt>'.encode())


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


def one_object(status: int, out: str, err: str) -> dict:
    assert status == 0, err
    assert out.endswith("\n") and out.count("\n") == 1  # the object on its line, and nothing else
    value = json.loads(out, parse_constant=lambda name: pytest.fail(f"{name} is no JSON"))
    assert isinstance(value, dict)
    return value


@pytest.fixture
def answer(call) -> Callable:
    """`answer("embed", ...)` adds --json and returns the one object on stdout, which has the keys of the command."""

    def run(*words) -> dict:
        value = one_object(*call(*words, "--json"))
        assert set(value) == set((KEYS.get(words[0]) or KEYS[f"{words[0]} {words[1]}"]).split())
        return value

    return run


def is_one_line_error(status: int, out: str, err: str) -> str:
    assert (status, out) == (2, "")
    assert err.startswith("error: ") and err.endswith("\n") and err.count("\n") == 1 and len(err) > 20
    assert "Traceback" not in err
    return err


@pytest.fixture
def refused(call) -> Callable:
    """`refused("embed", ...)` -> the only line on stderr."""
    return lambda *words: is_one_line_error(*call(*words))


def python_m_core(*arguments) -> subprocess.Popen:
    command = [sys.executable, "-m", "core", *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(command, cwd=ROOT, env=os.environ | {"OMP_NUM_THREADS": "1"}, text=True, **pipes)


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


def test_a_tilde_is_the_home_folder(answer, refused, model, tmp_path, monkeypatch):
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home" / "in.txt").write_text("the bank")
    answer("embed", "--model", model, "--input", "~/in.txt", "--output", "~/new/out.npz")
    answer("index", "build", "--model", model, "--corpus", "~/in.txt", "--output", "~/index")
    assert "home/none.jsonl" in refused("senses", "spread", "--word", "bank", "--labels", "~/none.jsonl")
    assert {path.name for path in (tmp_path / "home").iterdir()} == {"in.txt", "new", "index"} and not (tmp_path / "~").exists()


def test_the_named_column_of_a_table_is_read(answer, model, tmp_path):
    (tmp_path / "in.csv").write_text("title,verse\nthe bank,of a river\n")
    column = ("--text-column", "verse", "--model", model)
    assert answer("embed", "--input", tmp_path / "in.csv", "--output", tmp_path / "o.npz", *column)["tokens"] == 3
    assert answer("index", "build", "--corpus", tmp_path / "in.csv", "--output", tmp_path / "i", *column)["occurrences"] == 3


def test_embed_stateful_carries_states_along_each_stream_and_names_stream_and_sentence(answer, model, tmp_path):
    streams = [[["the", "bank"], ["the", "bank"], []], [["money"], ["a", "river", "."], ["of"]]]
    (tmp_path / "in.json").write_text(json.dumps(streams))
    result = answer("embed", "--model", model, "--input", tmp_path / "in.json", "--output", tmp_path / "out.npz", "--stateful")
    assert (result["sentences"], result["tokens"]) == (6, 9)
    with np.load(tmp_path / "out.npz") as file:
        assert file.files == ["0/0", "0/1", "0/2", "1/0", "1/1", "1/2"]
        assert file["0/2"].shape == (3, 0, 16) and file["1/1"].dtype == np.float32
        for k, stream in enumerate(Encoder(load_bilm(model)).encode_streams(streams)):
            for n, expected in enumerate(stream):
                np.testing.assert_allclose(file[f"{k}/{n}"], expected, atol=1e-6)
        assert np.abs(file["0/0"][1:] - file["0/1"][1:]).max() > 1e-4  # the same sentence, later in its stream


@pytest.fixture
def neighbors(answer, model, corpus) -> Callable:
    """Return the answer on "bank" in a sentence."""
    fixed = ("neighbors", "--word", "bank", "--model", model, "--corpus", corpus)
    return lambda sentence, *more: answer(*fixed, "--sentence", sentence, *more)


def test_neighbors_are_the_tokens_of_the_corpus_and_other_words_leave_out_its_forms(neighbors):
    every = neighbors("the bank", "--k", 50)["neighbors"]
    assert len(every) == sum(len(row["tokens"]) for row in CORPUS)
    assert all(set(row) == {"word", "sentence", "position", "sense", "cosine"} for row in every)
    assert all(tokenize(row["sentence"])[row["position"]] == row["word"] for row in every)
    assert sorted(row["sense"] for row in every if row["sense"]) == ["edge", "edge", "firm"]
    others = neighbors("the bank", "--other-words", "--k", 50)["neighbors"]
    assert others == [n for n in every if n["word"] not in ("bank", "banks")] and len(others) == len(every) - 4
    layer = neighbors("the bank", "--layer", 1, "--k", 50)["neighbors"]
    assert neighbors("the bank", "--weights", "0,2,0", "--k", 50)["neighbors"] == layer != every


def test_neighbors_repeat_the_question_with_its_tokens_position_layer_and_weights(neighbors):
    text, tokens = "Let's see the bank.", ["Let", "'s", "see", "the", "bank", "."]
    query = {"word": "bank", "sentence": text, "tokens": tokens, "position": 4, "layer": "mix", "weights": [0.0, 0.0, 2.0]}
    assert neighbors(text, "--weights", "0,0,2")["query"] == query
    assert neighbors("the bank", "--layer", 1)["query"]["weights"] == [0.0, 1.0, 0.0]
    assert neighbors("the bank")["query"]["weights"] == [0.0, 0.0, 1.0]  # the top layer, as on pages
    result = neighbors("the bank of a river", "--layer", "senses", "--k", 50)
    assert (result["query"]["layer"], result["query"]["weights"]) == ("senses", [1.0])
    cosines = [row["cosine"] for row in result["neighbors"]]
    assert len(cosines) == sum(len(row["tokens"]) for row in CORPUS) and cosines == sorted(cosines, reverse=True) and max(cosines) <= 1


def test_position_chooses_among_two_places_and_the_first_is_taken_with_a_note_without_it(call, model, corpus):
    request = ("neighbors", "--word", "bank", "--sentence", "the bank of a bank", "--model", model, "--corpus", corpus, "--json")
    status, out, err = call(*request)
    assert one_object(status, out, err)["query"]["position"] == 1 and "'bank' is at 1, 4" in err and "tokens: 19 of 19" in err
    status, out, _ = call(*request[:-1], "--k", 3)
    assert status == 0 and out.count("\n") == 3 and "bank of the river" in out  # a table for people
    status, out, err = call(*request, "--position", 4)
    assert one_object(status, out, err)["query"]["position"] == 4 and "is at" not in err


def test_an_index_folder_serves_as_corpus_under_its_own_model_only(answer, neighbors, refused, model, corpus, tmp_path):
    answer("index", "build", "--corpus", corpus, "--output", tmp_path / "index", "--model", model)
    assert neighbors("the bank", "--corpus", tmp_path / "index") == neighbors("the bank")
    request = ("neighbors", "--word", "bank", "--sentence", "the bank", "--corpus", tmp_path / "index", "--model")
    assert "is from a model other than" in refused(*request, save_model(tmp_path / "other", seed=1))
    assert "index approximate DIR --senses" in refused(*request, model, "--layer", "senses", "--approximate")


def test_static_neighbors_are_cosines_checked_by_hand_and_by_default_of_the_bundled_vectors(answer, tmp_path):
    (tmp_path / "v.txt").write_text("bank 2 0\nriver 3 4\nmoney 0 5\ndebt -1 0\n")
    near = [{"word": "river", "cosine": pytest.approx(0.6, abs=1e-6)}, {"word": "money", "cosine": pytest.approx(0, abs=1e-6)}]
    given = ("static-neighbors", "--word", "bank", "--vectors", tmp_path / "v.txt", "--k", 2)
    assert answer(*given) == {"word": "bank", "neighbors": near}
    bundled = [n["word"] for n in answer("static-neighbors", "--word", "river")["neighbors"]]
    assert len(bundled) == NEIGHBORS and "river" not in bundled


def test_evaluate_senses_counts_dropped_training_rows_and_unseen_words(call, model, tmp_path):
    rows = [labeled("bank", sentence, "edge") for sentence in ("the bank of a river", "money of the bank", "a bank .")]
    test = write_jsonl(tmp_path / "test.jsonl", [rows[0], labeled("river", "a river", "water")])
    train = write_jsonl(tmp_path / "train.jsonl", [*rows, *rows[:1]])
    status, out, err = call("evaluate", "senses", "--train", train, "--test", test, "--model", model, "--json")
    result = json.loads(out)
    assert (status, result["dropped"], result["n_train"], result["n"], result["unseen"]) == (0, 2, 2, 2, 1)
    assert "2 training rows whose sentence is in the test set were dropped." in err
    text = call("evaluate", "senses", "--train", train, "--test", test, "--model", model)[1]
    assert text.splitlines()[-1] == "1 test row of words without a training row: counted as wrong"
    assert result["mix"]["nearest"] == {"macro": 0.5, "pooled": 0.5}  # the unseen word counts as wrong


def test_evaluate_senses_splits_one_set_so_that_no_sentence_is_on_both_sides(answer, model, tmp_path):
    rows = [labeled("bank", f"{a} bank of {b} {c}", a) for a in ("the", "a") for b in WORDS[3:] for c in WORDS[3:]]
    request = ("evaluate", "senses", "--model", model, "--data", write_jsonl(tmp_path / "rows.jsonl", [*rows, *rows]))
    result = answer(*request)
    assert result["n"] + result["n_train"] == 2 * 98 and 0.1 < result["n"] / 196 < 0.3 and result["n"] % 2 == 0
    assert sum(result["best_mix"]["weights"]) == pytest.approx(1)
    assert answer(*request) == result != answer(*request, "--seed", 1)
    assert answer(*request, "--share", 0.5)["n"] > result["n"]


@pytest.fixture
def card(tmp_path, monkeypatch) -> tuple:
    """The command for a card of a folder of data sets with a few rows each, and no SemCor."""
    monkeypatch.setattr(sense_scores, "own_sentences", lambda *_, **__: SENTENCES_FOUND)  # else the bundled corpus is indexed
    monkeypatch.setattr(probes, "LEAST_STEPS", 20)
    folder = tmp_path / "data"
    for name in ("corpus", "senseval", "conll2000", "semcor"):
        (folder / name).mkdir(parents=True)
    for word in ("hard", "interest", "line", "serve"):
        (folder / "senseval" / f"{word}.pos.xz").write_bytes(senseval(20, word))
    for name in ("train", "test"):
        (folder / "conll2000" / f"{name}.txt.xz").write_bytes(lzma.compress(b"the D\nbank N\n"))
    (folder / "corpus" / "valid.txt.xz").write_bytes(lzma.compress(b"the bank\na river .\n"))
    return "lab", "card", "--data", folder, "--model"


def test_a_card_stores_every_measure_with_its_command_and_keeps_those_of_the_same_weights(call, answer, model, foreseeing, card, tmp_path):
    output = ("--output", tmp_path / "card" / "measures.json")
    status, out, err = call(*card, model, *output, "--limit-text", 1, "--json")
    result = one_object(status, out, err)
    assert set(result) == set(KEYS["lab card"].split())
    assert list(result["measures"]) == ["perplexity", "senses", "tags", "sentences", "random"]
    assert "all_words: left out" in err and "semcor3.tsv.xz" in err
    assert json.loads(output[1].read_text()) == {key: value for key, value in result.items() if key != "output"}
    for name, facts in result["measures"].items():
        limit = " --limit-text=1" if name == "perplexity" else ""
        assert facts["seconds"] >= 0 and facts["command"] == f"python -m core.lab card --data=FOLDER --only={name}{limit} --model={model}"
    (card[3] / "conll2000" / "test.txt.xz").unlink()
    assert answer(*card, model, *output, "--only", "tags")["measures"]["tags"] == result["measures"]["tags"]
    other = answer(*card, foreseeing, *output, "--only", "perplexity")
    assert list(other["measures"]) == ["perplexity"]  # other weights: nothing of the earlier card holds


def test_a_card_of_a_model_without_a_softmax_goes_next_to_it_and_has_no_perplexity(answer, model, card, tmp_path):
    save_safetensors(load_bilm(model), tmp_path / "mute")
    assert "perplexity" not in answer(*card, tmp_path / "mute")["measures"]
    assert (tmp_path / "mute" / "measures.json").is_file()


def test_evaluate_perplexity_of_a_softmax_that_uses_nothing_is_known_by_hand(answer, call, foreseeing, tmp_path):
    with gzip.open(tmp_path / "text.txt.gz", "wt") as file:
        file.write("the bank\n\na zebra\nan okapi\n")
    request = ("evaluate", "perplexity", "--model", foreseeing, "--text", tmp_path / "text.txt.gz")
    result = answer(*request, "--limit", 2)
    # The ten words weigh 8 + 9 = 17. Scored each way: the, bank, a and two boundaries; the zebra is context only.
    expected = math.exp((math.log(17 / 8) + 4 * math.log(17)) / 5)
    assert [result[name] for name in ("forward", "backward", "mean")] == [pytest.approx(expected, rel=1e-3)] * 3
    assert (result["tokens"], result["unknown_share"]) == (5, 0.25)
    lines = call(*request)[1].splitlines()
    assert len(lines) == 2 and lines[1].startswith("unknown words included: forward ")
    assert lines[1].endswith("(the probability of <UNK> is divided equally among the text's 3 different unknown words)")
    assert len(call(*request, "--limit", 1)[1].splitlines()) == 1  # which has no unknown word


def test_evaluate_blimp_prints_accuracies_next_to_published_ones(answer, call, foreseeing, tmp_path):
    row = {"sentence_good": "the bank", "sentence_bad": "the river", "linguistics_term": "ellipsis"}
    write_jsonl(tmp_path / "a.jsonl", [row, row | {"sentence_good": "a river", "sentence_bad": "a bank"}])
    words = ("evaluate", "blimp", "--data", tmp_path, "--model", foreseeing)
    result = answer(*words)
    assert result["accuracy"]["overall"] == {"n": 2, "forward": 0.5, "backward": 0.5, "joined": 0.5}
    assert result["published"]["ellipsis"]["LSTM"] == 67.6
    assert call(*words)[1].splitlines()[2].split() == ["ellipsis", "2", "50.0", "50.0", "50.0", "36.9", "67.6", "77.2", "89.4"]


def test_substitutes_are_words_of_the_place(answer, foreseeing):
    given = ("substitutes", "--model", foreseeing, "--word", "river", "--sentence", "the river of money .", "--k", 2)
    value = answer(*given)
    assert (value["position"], value["direction"], value["tokens"][1]) == (1, "both", "river")
    assert value["substitutes"][0]["word"] == "bank"
    assert answer(*given, "--direction", "forward")["direction"] == "forward"


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_predict_lists_the_likeliest_words_with_probabilities_checked_by_hand(answer, foreseeing, direction):
    request = ("predict", "--text", "money of the", "--direction", direction, "--model", foreseeing)
    result = answer(*request, "--k", 3)
    assert (result["text"], result["direction"]) == ("money of the", direction)
    # <UNK> and the boundary behind are no answers, and keep their share: ten words weigh 8 + 9.
    assert result["predictions"][0] == {"word": "bank", "probability": pytest.approx(8 / 17, abs=1e-3)}
    assert len(result["predictions"]) == 3 and result["unknown"] == pytest.approx(1 / 17, abs=1e-3)


def test_predict_goes_on_from_the_last_sentence_forward_and_before_the_first_backward(answer, model):
    def predictions(text: str, direction: str) -> list:
        return answer("predict", "--text", text, "--direction", direction, "--model", model)["predictions"]

    first, last = "A river.", "The bank of"
    assert predictions(f"{first} {last}", "forward") == predictions(last, "forward") != predictions(first, "forward")
    assert predictions(f"{first} {last}", "backward") == predictions(first, "backward") != predictions(last, "backward")


@pytest.fixture
def build(answer, model, corpus, tmp_path) -> Callable:
    """Build an index in tmp_path / "index" and return the answer."""
    fixed = ("index", "build", "--output", tmp_path / "index", "--model", model, "--corpus", corpus)
    return lambda *more: answer(*fixed, *more)


def test_index_build_says_what_was_made_and_info_says_the_same_later(answer, build, tmp_path):
    built = build()
    assert (built["occurrences"], built["sentences"], built["layers"], built["dim"]) == (19, 4, 3, 16)
    assert built["types"] == len({token for row in CORPUS for token in row["tokens"]})
    assert built["bytes"] == sum(path.stat().st_size for path in (tmp_path / "index").iterdir())
    assert built["seconds"] > 0 and built["tokens_per_second"] > 0
    assert answer("index", "info", tmp_path / "index") == built


def test_index_build_joins_lines_as_requested(build, tmp_path):
    (tmp_path / "t.txt").write_text("the bank\nof the river\nis steep")
    for lines, n in (("detect", 3), ("join", 1), ("keep", 3)):
        build("--corpus", tmp_path / "t.txt", "--lines", lines)
        assert len(OccurrenceTable(tmp_path / "index").sentences) == n


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
    for fact in ("occurrences", "types", "sentences", "seconds", "tokens_per_second", "model", "corpus"):
        for broken, said in (({**meta, fact: None}, f"no {fact}"), ({**meta, fact: ["?"]}, f"{fact} is")):
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
    command = (*GLOVE, "--output", tmp_path / "gl", "--corpus")
    error = refused(*command, tmp_path / "B.txt")
    assert "A.txt (" in error and "now B.txt (" in error
    assert "hold_out: 0.0, now 0.5" in refused(*command, tmp_path / "A.txt", "--hold-out", 0.5)
    assert "bank" in (tmp_path / "gl" / "words.txt").read_text()
    answer(*command, tmp_path / "B.txt", "--work", tmp_path / "work")
    assert "debt" in (tmp_path / "gl" / "words.txt").read_text()


def test_a_file_of_results_is_not_cut_where_it_holds_something_else(tmp_path):
    (tmp_path / "notes.txt").write_text("the first line\nthe last, which has no end")
    (tmp_path / "results.json").write_text('{"mine": 1}')
    for read, name in ((experiments._whole_lines, "notes.txt"), (task_results.read_results, "results.json")):
        with pytest.raises(CorruptArtifact, match="holds something other than results"):
            read(tmp_path / name)
    assert (tmp_path / "notes.txt").read_text().endswith("which has no end")


def test_convert_writes_nothing_into_the_folder_of_a_model(answer, refused, model, tmp_path):
    shutil.copytree(model, tmp_path / "model")
    before = sorted(path.name for path in (tmp_path / "model").iterdir())
    assert "has other files" in refused("convert", "--model", tmp_path / "model", "--output", tmp_path / "model")
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == before
    for _ in range(2):
        answer("convert", "--model", model, "--output", tmp_path / "new")
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == ["options.json", "weights.hdf5"]
    for more in ((), ("--overwrite",)):
        assert "is read by this command" in refused("convert", "--model", tmp_path / "new", "--output", tmp_path / "new", *more)
    (tmp_path / "model" / "meta.json").write_text('{"language": "ko"}')
    for _ in range(2):
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


def test_pretrain_says_first_that_a_text_is_too_small_or_has_no_words(call, training, tmp_path, monkeypatch):
    (tmp_path / "empty.txt").write_text("\n")
    status, out, err = call("pretrain", "--corpus", tmp_path / "empty.txt", "--output", tmp_path / "empty", "--threads", 1)
    assert "no words to learn from" in is_one_line_error(status, out, err.split("0 tokens\n")[-1])  # behind the note on what was read
    monkeypatch.setattr(recipe, "_table_stage", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    note = call(*training[0], "--tokens", 30_000)[2]
    assert re.search(r"The text is too small \(60 sentences, \d+ tokens\): --tokens 30,000 reads it \d\d times\. Give more text", note)


def test_pretrain_goes_on_where_it_was_stopped_and_does_nothing_twice(answer, refused, begun, tmp_path):
    arguments, steps = begun
    assert not (tmp_path / "run" / "model").exists()
    assert "Add --resume" in refused(*arguments)  # what is there is not overwritten by mistake
    result = answer(*arguments, "--resume")
    assert set(steps) == {"joint"}  # the first stage was not done again
    assert result["model"] == str(tmp_path / "run" / "model") and result["prepared"]["sentences"] == 60
    steps.clear()
    again = answer(*arguments, "--resume")
    assert steps == [] and again["weights_sha256"] == result["weights_sha256"]
    words = (tmp_path / "run" / "model" / "vocabulary.txt").read_text().split("\n")
    assert set(words) == {*SPECIALS, "the", "bank", "river", "money", "of", "a", "water", "boat", "."}


CHANGES = [  # an option of a training that is begun, and the difference that is named
    (["--corpus", "{dir}/other.txt"], r"corpus: text\.txt \([0-9a-f]{12}\), now other\.txt \([0-9a-f]{12}\)"),
    *((["--seed", "5"], "seed: 0, now 5"), (["--hold-out", "0.2"], r"hold_out: 0\.0, now 0\.2")),
    (["--valid", "{dir}/other.txt"], r"valid: none, now other\.txt"),
    *((["--tokens", "4000"], "tokens: 3000, now 4000"), (["--hidden", "8"], r"shape\.hidden: 16, now 8")),
    (["--start-vectors", "{dir}/vectors.txt"], r"start: , now vectors [0-9a-f]{16}"),
    (["--start-model", "{model}"], r"start: , now model [0-9a-f]{16}"),
]


def test_a_begun_training_goes_on_as_it_was_begun_or_not_at_all(refused, begun, foreseeing, tmp_path):
    arguments, steps = begun
    (tmp_path / "other.txt").write_text("the river of money\n" * 9)
    (tmp_path / "vectors.txt").write_text("the 1 2\nbank 2 1\n")
    before = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    for change, said in CHANGES:
        begin = 3 if change[0] == "--corpus" else 1  # which may be given several times
        words = [word.format(dir=tmp_path, model=foreseeing) for word in change]
        assert re.search(said, refused("pretrain", *arguments[begin:], *words, "--resume")) and steps == []
        assert before == {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}


def test_a_begun_training_that_is_damaged_is_named(answer, refused, begun, tmp_path):
    arguments, steps = begun
    for name in ("characters.pt", "table.pt", "begun.json", "prepared/meta.json", "prepared/ids.npy"):
        path = tmp_path / "run" / name
        data = path.read_bytes()
        for damage in (data[: len(data) // 2], b""):
            path.write_bytes(damage)
            assert path.parent.name in refused(*arguments, "--resume") and steps == []
        path.write_bytes(data)
    with (tmp_path / "run" / "log.jsonl").open("a") as log:
        log.write('{"stage": "ta')  # it was killed while it wrote
    answer(*arguments, "--resume")
    log = json.loads((tmp_path / "run" / "model" / "training_log.json").read_text())
    assert [line["stage"] for line in log] == ["characters"]


def test_pretrain_keeps_files_next_to_a_training_and_a_model_that_somebody_has_changed(refused, answer, training, tmp_path):
    arguments, steps = training
    model = tmp_path / "run" / "model"
    answer(*arguments)
    (tmp_path / "run" / "notes.txt").write_text("mine")
    answer(*arguments, "--resume")
    (model / "meta.json").write_text('{"language": "en", "note": "mine"}')
    taken = len(steps)
    assert "meta.json was changed after “pretrain” wrote it" in refused(*arguments, "--resume")
    answer(*arguments, "--resume", "--overwrite")
    assert "weights_sha256" in json.loads((model / "meta.json").read_text())
    (model / "notes.txt").write_text("mine")
    assert "has other files (notes.txt)" in refused(*arguments, "--resume", "--overwrite")
    assert len(steps) == taken and (model / "notes.txt").read_text() == (tmp_path / "run" / "notes.txt").read_text() == "mine"


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
SPREAD = ["senses", "spread", "--word", "bank", "--labels"]
MISTAKES = {
    "a missing file of sentences": ([*EMBED, "{dir}/none.json"], "none.json"),
    "a text with --stateful": ([*EMBED, "{dir}/text.txt", "--stateful"], "--stateful needs a .json"),
    "output of another kind": ([*EMBED, "{dir}/ok.json", "--output", "{dir}/out.npy"], ".npz"),
    "an unknown model": ([*EMBED, "{dir}/ok.json", "--model", "elmo-huge"], "elmo-huge"),
    "a model that may be published": ([*EMBED, "x.json", "--model", "nosuch/folder"], "No folder or local model nosuch/folder. Allow its"),
    "a model that is not here yet": (["predict", "--text", "a", "--model", "allennlp-original-5.5B"], "is missing"),
    "a word that is not in the sentence": ([*ASK, "--word", "money"], "'money' is not a token of the text"),
    "a word over two lines": ([*ASK, "--word", "ba\nnk"], "'ba nk' is not a token"),
    "an empty sentence": ([*ASK, "--sentence", ""], "'--sentence' is a text of 0 words"),
    "a verdict on a number": (
        [*VERDICT, "the 5 miles", "--sentence", "5 of a kind", "--word", "5"],
        "No verdict is given on '5': it has no",
    ),
    "a position of another word": ([*ASK, "--position", "0"], "token 0 is 'the', not 'bank'"),
    "a position beyond the sentence": ([*ASK, "--position", "9"], "position 9 is not a token"),
    "a layer beyond the last": ([*ASK, "--layer", "3"], "There is no layer '3'. Use 0 to 2, 'mix' or 'senses'."),
    "the sense space without a softmax": ([*SENSES, "--model", "{mute}"], "has no softmax and vocabulary"),
    "the sense space of a cluster": ([*SENSES, "--cluster", "tcp://127.0.0.1:1"], "leave out --cluster"),
    "the sense space with weights": ([*SENSES, "--weights", "1,1,1"], "leave out --weights"),
    "a layer with weights": ([*ASK, "--layer", "2", "--weights", "0,1,0"], "Layer 2 does not mix layers: leave out --weights."),
    "a language and a model": ([*VERDICT, "a", "--sentence", "a", "--language", "ko"], "read by elmo-ko-mini, not by {model}. Leave out"),
    "no senses to measure on": (["evaluate", "senses"], "needs --train with --test, or --data alone; got neither"),
    "two ways to split": (["evaluate", "senses", "--train", "a", "--test", "b", "--data", "c"], "got --train and --test and --data"),
    "only tested rows": (["evaluate", "senses", "--train", "{dir}/rows.jsonl", "--test", "{dir}/rows.jsonl"], "All 2 training rows"),
    "a card without data": (["lab", "card", "--data", "{dir}/none"], "no folder"),
    "a model without a softmax": (["predict", "--text", "the", "--model", "{mute}"], "predicts no words"),
    "a command of 300 letters": (["x" * 300], "No such command 'xxx"),
    "an option before a command": (["--zebra"], "No such option '--zebra'"),
    "missing labels of a word not read yet": ([*SPREAD, "{dir}/none.jsonl"], "none.jsonl"),
    "no pair of senses": ([*SPREAD, "{corpus}", "--merge", "a"], "“a” is not a pair of senses"),
    "a missing option": (["embed", "--input", "{dir}/ok.json"], "--output"),
    "an unknown option": ([*ASK, "--color"], "--color"),
    "a folder for a file": ([*EMBED, "{dir}"], "'--input': {dir} is a folder. Choose a file."),
    "a column of a text": ([*EMBED, "{dir}/text.txt", "--text-column", "body"], "A .txt file has no columns: leave out --text-column."),
    "a column for two": (
        ["train", "--task", "t", "--variant", "tfidf", "--train", "x.csv", "--text-column", "a", "--label-column", "a"],
        "--text-column and --label-column both name a.",
    ),
    "a word like an option": (["corpus", "search", "-ing"], "No such option '-i'. Write -ing after --, if it is no option: -- -ing"),
    "two forms of an answer": (["corpus", "search", "bank", "--csv"], "--json and --csv are two forms of one answer."),
    "a split of two files": (["evaluate", "senses", "--train", "a", "--test", "b", "--seed", "0"], "leave out --share and --seed"),
    "clusters without uses": (["senses", "change", "--clusters", "c.csv"], "--clusters belong to a file of uses: name it with --uses."),
    "uses with a side": (["senses", "change", "--uses", "u.csv", "--first-dates", "1800.."], "leave out --first-dates."),
    "a start in another shape": ([*PRETRAIN, "--start-model", "{model}", "--hidden", "9"], "leave out --hidden, which is 16 there."),
    "a share of a text above 1": ([*PERPLEXITY, "--hold-out", "2"], "between 0 and 1, got 2."),
    "a share of a text without a line": ([*PERPLEXITY, "--hold-out", "0.01"], "A share of 0.01 of the lines holds out no"),
    "two starts of a training": ([*PRETRAIN, "--start-model", "{model}", "--start-vectors", "{dir}/v.txt"], "leave out --start-vectors"),
    "a start from too many numbers": ([*PRETRAIN, "--projection", "8", "--start-vectors", "{dir}/v7.txt"], "--projection 10"),
    "a training without held-out text": ([*PRETRAIN, "--valid", "nowhere.txt"], "nowhere.txt"),
    "a training of the table alone": ([*PRETRAIN, "--table-share", "1"], "--table-share"),
    "a training in a file": ([*PRETRAIN, "--output", "{dir}/empty.txt"], "empty.txt"),
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
            *((["embed", "--input", "{dir}/ok.json"], "--output", "file"), ([*SPREAD, "{corpus}"], "--output", "file")),
            *(([*SPREAD, "{corpus}"], "--csv", "file"), (["senses", "change", "--word", "bank"], "--graph", "folder")),
            (["pretrain", "--corpus", "{dir}/text.txt"], "--output", "folder"),
        )
    },
}


FILES = {"ok.json": '[["the"]]', "text.txt": "the\n", "empty.txt": "\n", "v.txt": "a 1 0\nb 0 1\n", "v7.txt": "the 1 2 3 4 5 6 7\n"}
FILES |= {"rows.jsonl": '{"word": "a", "tokens": ["a"], "position": 0, "label": "x"}\n' * 2}
FILES |= dict.fromkeys(("novel.txt", "ko.mo", "novel", "..po", "a b.po"), "mine")


def contents(folder: Path) -> dict[Path, bytes]:
    """Return the files of a folder, without those of the cache."""
    paths = (path for path in folder.rglob("*") if path.relative_to(folder).parts[0] != "cache")
    return {path: path.read_bytes() if path.is_file() else b"" for path in paths}


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


def test_a_real_process_ends_with_status_2_and_one_line_after_a_mistake():
    process = python_m_core("static-neighbors", "--word", "a", "--vectors", "none.txt", "--json")
    out, err = process.communicate(timeout=120)
    assert "none.txt" in is_one_line_error(process.returncode, out, err)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
def test_an_answer_that_cannot_be_written_is_an_error():
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "core", "embed", "--help"]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "error: the output cannot be written: No space left on device.\n")


@pytest.mark.parametrize("command", ["static-neighbors --word river --json", "embed --help"])
def test_a_reader_that_stops_reading_causes_no_traceback(command):
    process = python_m_core(*command.split())
    process.stdout.close()  # as `| head -0` does
    err = process.stderr.read()
    assert process.wait(timeout=120) == 0 and err == ""
    process.stderr.close()
