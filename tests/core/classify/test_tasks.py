"""Test tasks, heads by name, and the commands train, classify and train-heads with tiny models, vectors and files."""

import json
import re
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
import torch

from core.classify import head, tasks
from core.classify.head import load_head
from core.classify.model import VARIANTS
from core.cli import shared
from core.cli.main import main
from core.common.config import ASSETS
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.elmo.models import Model, model_fingerprint
from core.elmo.weights import save_safetensors
from core.files.artifacts import read_json, write_json
from core.static.vectors import open_vectors
from core.text import languages
from core.text.tokens import bare
from tests.tiny import CONFIG, table, tiny_encoder, tiny_vectors

torch.set_num_threads(1)
RESULT = {"accuracy", "macro_f1", "confusion", "seconds", "mix", "n", "labels", "task", "variant", "per_class", "ece", "data"}


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    save_safetensors(tiny_encoder().model, folder := tmp_path_factory.mktemp("models") / "tiny")
    return folder


@pytest.fixture(scope="session")
def vectors(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "tiny.txt"
    path.write_text("the 0.1 0.2\nbank 0.3 -0.2\ngoal -0.1 0.4\ncomet 0.2 0.2\n")
    return path


@pytest.fixture
def own(tmp_path) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps({"headline": row.text, "topic": row.label}) + "\n" for row in table(200).rows))
    return path


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Train small networks for few epochs, whatever the task."""

    def config(task, *, seed=0, epochs=None):
        return replace(CONFIG, epochs=epochs or 2, analyzer=task.analyzer, seed=seed)

    monkeypatch.setattr(tasks, "task_config", config)


@pytest.fixture
def call(call, model, vectors):
    """Return a function that calls a command with the tiny model and vectors: (exit status, stdout, stderr)."""
    return lambda *words: call(*words, "--model", model, "--vectors", vectors)


def test_one_run_has_its_scores_folds_test_every_row_once_and_several_runs_are_summed_up(answer, own, private_cache):
    result = answer("train", "--task", "topics", "--variant", "mean-glove", "--train", own, "--folds", 4)
    assert [run["fold"] for run in result["runs"]] == [0, 1, 2, 3] and sum(run["n"] for run in result["runs"]) == 200
    assert not (private_cache / "heads").exists()
    result = answer("train", "--task", "topics", "--variant", "glove+elmo", "--train", own)
    assert set(result) == RESULT and result["n"] == 40 == sum(map(sum, result["confusion"]))
    assert result["accuracy"] == pytest.approx(sum(row[k] for k, row in enumerate(result["confusion"])) / 40)
    result = answer("train", "--task=topics", "--variant=glove", "--variant=tfidf", "--train", own, "--seeds=0", "--seeds=1", "--epochs=1")
    assert len(result["runs"]) == 4 and all(set(run) == RESULT | {"seed"} for run in result["runs"])
    accuracies = [run["accuracy"] for run in result["runs"] if run["variant"] == "glove"]
    assert result["summary"]["glove"]["accuracy"]["mean"] == pytest.approx(np.mean(accuracies))
    assert result["summary"]["glove"]["accuracy"]["spread"] == pytest.approx(np.std(accuracies, ddof=1))
    assert result["summary"]["tfidf"]["accuracy"]["spread"] == 0 and result["summary"]["tfidf"]["runs"] == 2


def test_rows_that_are_only_trained_on_are_read_by_the_named_columns(answer, tmp_path):
    for name, first in (("a.csv", 0), ("b.csv", 40)):
        rows = (f"{'apple' if k % 2 else 'pear'} {k},{k % 2}\n" for k in range(first, first + 40))
        (tmp_path / name).write_text("remark,fruit\n" + "".join(rows))
    files = ("--train", tmp_path / "a.csv", "--extra", tmp_path / "b.csv")
    result = answer("train", "--task", "fruit", "--variant", "tfidf", *files, "--text-column", "remark", "--label-column", "fruit")
    assert result["labels"] == ["0", "1"]


def test_what_was_trained_classifies_and_layers_are_kept_for_the_next_run(answer, own, private_cache):
    answer("train", "--task", "topics", "--variant", "embedding+elmo", "--variant=glove", "--variant=tfidf", "--train", own)
    assert len(list((private_cache / "features").iterdir())) == 1 and not list((private_cache / "training").iterdir())
    result = answer("classify", "--task", "topics", "--text", "the new comet says")
    assert list(result["variants"]) == ["glove", "embedding+elmo", "tfidf"]
    for facts in result["variants"].values():
        assert set(facts) == {"label", "probabilities", "seconds"} and sum(facts["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        assert facts["label"] == max(facts["probabilities"], key=facts["probabilities"].get)


@pytest.mark.parametrize(
    ("command", "arguments", "message"),
    [
        *(("train", ["--variant", "bert"], "Unknown variant 'bert'"), ("train", ["--task", "a/b"], "A task’s name is letters")),
        *(("train", ["--train", "none.csv"], "No file none.csv"), ("train", ["--text-column", "body"], "no column 'body'")),
        *(("train", ["--label-column", "x"], "no column 'x'"), ("train", ["--folds", "900"], "range 0<=x<=100")),
        ("train", ["--test", "OWN", "--order"], "leave --folds and"),
        ("classify", ["--task", "none-such", "--text", "Hello"], "no trained head for the task 'none-such'"),
        ("classify", ["--text", "   "], "no word to classify"),
        ("classify", ["--text", "Hi", "--variant", "glove"], "variant 'glove'"),
    ],
)
def test_a_wrong_argument_is_one_line_and_status_2(own, command, arguments, message, refused):
    usual = ["--task", "topics", *(["--variant", "tfidf", "--train", own] if command == "train" else [])]
    assert message in refused(command, *usual, *(own if argument == "OWN" else argument for argument in arguments))


@pytest.mark.parametrize(("place", "name", "line", "first"), [(shared, "note", "epoch 2 of", ("2", "3")), (head, "save_head", "", ("",))])
def test_a_killed_run_goes_on_from_its_last_epoch_although_its_head_was_not_saved(
    call, own, private_cache, monkeypatch, place, name, line, first
):
    def killed(noted, *_):
        if line in str(noted):
            raise KeyboardInterrupt

    arguments = ("train", "--task", "topics", "--variant", "glove", "--train", own, "--epochs", 4)
    with monkeypatch.context() as patch:
        patch.setattr(place, name, killed)
        assert call(*arguments)[0] == 130
    assert len(list((private_cache / "training").glob("*.pt"))) == 1
    status, out, err = call(*arguments)
    assert status == 0 and min(re.findall(r"epoch (\d+) of at most 4", err), default="") in first and out.startswith("topics, glove: ")
    assert (private_cache / "heads" / "topics" / "glove" / "meta.json").is_file() and not list((private_cache / "training").iterdir())


@pytest.fixture
def data(tmp_path) -> Path:
    """Return a folder laid out as the local data are, with few rows."""
    folder, rows, classes = tmp_path / "data", table(120).rows, {"sport": 2, "money": 3, "sky": 4}
    spam = "".join(f"{'spam' if r.label == 'money' else 'ham'},{r.text}\n" for r in (*rows, *rows[:5]))
    for name, content in {
        "ag_news/train_subset.csv": "class,text\n" + "".join(f"{classes[r.label]},{r.text}\n" for r in rows),
        "ag_news/test.csv": "".join(f'"{classes[r.label]}","{r.text} x","A #39;s story"\n' for r in rows),
        "sms_spam/spam.csv": "v1,v2\n" + spam,
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return folder


def test_train_heads_makes_every_variant_and_then_keeps_what_is_made(answer, refused, data, tmp_path):
    assert "needs none/ag_news/train_subset.csv" in refused("lab", "train-heads", "--data", "none")
    output = tmp_path / "heads"
    first = answer("lab", "train-heads", "--data", data, "--output", output, "--tasks", "spam")
    assert not first["kept"] and {path.name for path in (output / "spam").iterdir()} == set(VARIANTS)
    meta = read_json(output / "spam" / "tfidf" / "meta.json")
    assert meta["shape"]["analyzer"] == "char" and meta["labels"] == ["ham", "spam"] and "5 rows repeat" in str(meta["notes"])
    changed = output / "spam" / "glove" / "meta.json"
    write_json(changed, read_json(changed) | {"data": "other"})
    (output / "spam" / "elmo" / "weights.safetensors").unlink()
    again = answer("lab", "train-heads", "--data", data, "--output", output, "--tasks", "spam", "--overwrite")
    assert {made["variant"] for made in again["made"]} == {"glove", "elmo"} and len(again["kept"]) == len(VARIANTS) - 2


def test_experiments_state_their_summary_as_json(answer, data, tmp_path):
    once = ("--output", tmp_path / "results.jsonl", "--only", "spam-duplicates", "--seeds", 0)
    result = answer("lab", "experiments", "--data", data, *once)
    assert result["made"] == 3 and result["summary"]["spam-duplicates"]["tfidf"]["accuracy"] > 0.5


def test_tasks_know_their_files_labels_columns_and_cleaning_and_whether_they_are_here(data, monkeypatch):
    news, title, spam = (tasks.task_named(name) for name in ("news", "news-title", "spam"))
    made = tasks.open_data(news, **tasks.task_files(news, data))
    assert made.labels == ("Sports", "Business", "Sci/Tech") and len(made.test) == 120
    assert made.test[0].text.endswith("x A's story")
    made = tasks.open_data(title, **tasks.task_files(title, data))
    assert made.test[0].text.endswith(" x") and len(made.test) == 24
    assert len(tasks.open_data(spam, **tasks.task_files(spam, data)).test) == 24
    assert tasks.clean_ag_news("Barnes  amp; Noble #151;so; no. 39; it's fine & done") == "Barnes & Noble —so; no. 39; it's fine & done"
    assert tasks.text_tokens(news, "Haiti #39;s plan") == ("Haiti", "'s", "plan") and len(tasks.text_tokens(spam, "word " * 999)) == 128
    with pytest.raises(MissingArtifact, match=r"sst5/train\.txt\.xz, which is not there"):
        tasks.task_files(tasks.task_named("sentiment"), data)
    monkeypatch.setenv("ELMOSCOPE_DATA", str(data))
    assert tasks.is_here("spam") and not tasks.is_here("sentiment")
    monkeypatch.setattr(tasks.published, "find", Mock(side_effect=CorruptArtifact("changed")))
    assert not tasks.is_here("spam")


def test_heads_are_where_output_says_and_those_of_another_model_are_left_out_or_refused_when_named(answer, own, model, vectors, tmp_path):
    answer("train", "--task", "topics", "--variant", "elmo", "--variant=glove", "--train", own, "--output", tmp_path / "mine")
    assert set(answer("classify", "--task", "topics", "--text", "a loan", "--heads", tmp_path / "mine")["variants"]) == {"elmo", "glove"}
    other = {"model": Model("other", model, tiny_encoder(1), "0" * 16), "vectors": open_vectors(str(vectors)), "folder": tmp_path / "mine"}
    opened = tasks.open_heads(tasks.task_named("topics"), **other)
    assert set(opened.heads) == {"glove"} and "was trained with" in opened.problems[0]
    with pytest.raises(CorruptArtifact, match="was trained with"):
        tasks.open_heads(tasks.task_named("topics"), ["elmo"], **other)


def test_bundled_heads_fit_the_bundled_model_and_vectors():
    fingerprint = model_fingerprint(ASSETS / "elmo-mini")
    vectors = tasks.vectors_fingerprint(open_vectors("glove-mini"))
    assert tasks.vectors_fingerprint(tiny_vectors()) != tasks.vectors_fingerprint(tiny_vectors(seed=1)) != vectors
    for meta in (ASSETS / "heads").rglob("meta.json"):
        load_head(meta.parent, model=fingerprint, vectors=vectors)
    assert sum(file.stat().st_size for file in (ASSETS / "heads").rglob("*")) < 20_000_000


def test_labels_of_the_news_are_counted_as_their_file_counts(tmp_path):
    assert [tasks.counts_from_0(numbers, tasks.NEWS) for numbers in ("123", "1234", "0123")] == [False, False, True]

    def news(numbers: str):
        rows = (f"{number},a title of {number} and {k}\n" for k in range(12) for number in numbers)
        (tmp_path / "news.csv").write_text("label,title\n" + "".join(rows))
        return tasks.open_data(tasks.TASKS["news-title"], tmp_path / "news.csv")

    data = news("023")
    assert data.labels == ("World", "Business", "Sci/Tech")
    assert all(data.labels[example.label] == tasks.NEWS[int(example.text.split()[3])] for example in (*data.train, *data.test))
    with pytest.raises(BadInput, match="both 0 and 4"):
        news("01234")


KOREAN = [("아이들이 학교에서 선생님을 만났다.", "학교"), ("은행에서 돈을 빌렸다.", "은행"), ("눈이 내려서 길이 미끄럽다.", "눈")]


@pytest.fixture
def korean(tmp_path) -> Path:
    path, ends = tmp_path / "korean.jsonl", "하나 둘 셋 넷 다섯"
    rows = [{"text": f"{text} {ends[k % 9 :]} {k}번째.", "label": label} for k, (text, label) in enumerate(KOREAN * 20)]
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_korean_texts_are_cut_as_their_model_reads_them_when_a_head_learns_and_when_it_answers(korean):
    data = tasks.open_data(tasks.task_named("own"), korean, language=languages.get_language("ko"))
    tokens, vectors = {token for example in data.train for token in example.tokens}, open_vectors("glove-ko-mini")
    assert data.language == "ko" and {"학교", "은행", "눈"} <= tokens
    assert sum(vectors.vector(token) is not None for token in tokens) > 0.7 * len(tokens)
    english = tasks.open_data(tasks.task_named("own"), korean)
    assert english.language == "en" and english.fingerprint != data.fingerprint


def test_heads_of_a_korean_model_answer_in_korean_and_one_of_another_language_is_left_out(korean, tmp_path):
    variants = ("tfidf", "embedding")  # which do not read the model, but its language

    def open_trained(model: str, *names: str) -> tasks.OpenHeads:
        places = ["--train", str(korean), "--output", str(tmp_path / "heads"), "--model", model]
        assert main(["train", "--task", "own", "--seeds", "0", *places, *(f"--variant={name}" for name in names)]) == 0
        return tasks.open_heads(tasks.task_named("own"), model=None, vectors=None, folder=tmp_path / "heads")

    opened = open_trained("elmo-ko-mini", *variants)
    assert opened.language.code == "ko" and [bare(token) for token in opened.tokens("눈이 왔다.")] == ["눈", "이", "왔", "다", "."]
    tokens, answers = tasks.classify_text(opened, KOREAN[0][0], model=None, vectors=None)
    assert "학교" in map(bare, tokens) and answers.keys() == set(variants)
    assert all(answer.label in ("학교", "은행", "눈") for answer in answers.values())
    opened = open_trained("elmo-mini", "embedding")
    assert len(opened.heads) == 1 and len(opened.problems) == 1 and "reads text as" in opened.problems[0]
