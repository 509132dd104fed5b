"""Tasks, heads by name, and the commands train, classify and train-heads, with a tiny model, vectors and files made here."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from core.classify import tasks
from core.classify.head import load_head
from core.classify.model import VARIANTS, NetworkConfig
from core.classify.train import TrainConfig
from core.cli import shared
from core.cli.main import main
from core.common.config import ASSETS
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.elmo.language_model import SPECIALS, Softmax
from core.elmo.models import Model, model_fingerprint
from core.elmo.weights import save_safetensors
from core.files.artifacts import read_json, write_json
from core.static.vectors import open_vectors
from core.text import languages
from core.text.tokens import bare
from tests.tiny import SHAPE, table, tiny_encoder, tiny_vectors

torch.set_num_threads(1)
RESULT = {"accuracy", "macro_f1", "confusion", "seconds", "mix", "n", "labels", "task", "variant", "per_class", "ece", "data"}


@pytest.fixture(scope="session")
def model(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("models") / "tiny"
    words = [*SPECIALS, "the"]
    save_safetensors(tiny_encoder().model, folder, softmax=Softmax(len(words), SHAPE.projection), words=words)
    return folder


@pytest.fixture(scope="session")
def vectors(tmp_path_factory) -> Path:
    path, made = tmp_path_factory.mktemp("vectors") / "tiny.txt", tiny_vectors()
    path.write_text("".join(f"{word} {' '.join(f'{x:.4f}' for x in made.vector(word))}\n" for word in made.words))
    return path


@pytest.fixture
def own(tmp_path) -> Path:
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps({"headline": row.text, "topic": row.label}) + "\n" for row in table(200).rows))
    return path


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Small networks and few epochs, whatever a task asks for."""
    network = NetworkConfig(word_dim=6, hidden=5, mean_hidden=8)

    def config(task, *, seed=0, epochs=None):
        return TrainConfig(network=network, epochs=epochs or 2, learning_rate=0.02, analyzer=task.analyzer, seed=seed)

    monkeypatch.setattr(tasks, "task_config", config)


@pytest.fixture
def call(call, model, vectors):
    """`call("train", ...)` -> (exit status, stdout, stderr), with the tiny model and vectors."""
    return lambda *words: call(*words, "--model", model, "--vectors", vectors)


def test_train_answers_with_the_keys_of_the_contract(answer, own):
    result = answer("train", "--task", "topics", "--variant", "glove+elmo", "--train", own)
    assert set(result) == RESULT and result["task"] == "topics" and result["labels"] == ["money", "sky", "sport"]
    assert result["n"] == 40 == sum(map(sum, result["confusion"])) and 0 <= result["accuracy"] <= 1
    assert sum(result["mix"]["s"]) == pytest.approx(1) and re.fullmatch(r"[0-9a-f]{64}", result["data"])
    right = sum(row[k] for k, row in enumerate(result["confusion"]))
    assert result["accuracy"] == pytest.approx(right / 40)


def test_several_runs_are_listed_and_summed_up(answer, own):
    result = answer(
        "train", "--task", "topics", "--variant", "glove", "--variant=tfidf", "--train", own, "--seeds", 0, "--seeds", 1, "--epochs", 1
    )
    assert set(result) == {"task", "runs", "summary"} and len(result["runs"]) == 4
    assert all(set(run) == RESULT | {"seed"} for run in result["runs"]) and result["runs"][0]["mix"] is None
    accuracies = [run["accuracy"] for run in result["runs"] if run["variant"] == "glove"]
    assert result["summary"]["glove"]["accuracy"]["mean"] == pytest.approx(np.mean(accuracies))
    assert result["summary"]["glove"]["accuracy"]["spread"] == pytest.approx(np.std(accuracies, ddof=1))
    assert result["summary"]["tfidf"]["accuracy"]["spread"] == 0 and result["summary"]["tfidf"]["runs"] == 2


def test_folds_test_every_row_once_and_save_no_head(answer, own, private_cache):
    result = answer("train", "--task", "topics", "--variant", "mean-glove", "--train", own, "--folds", 4)
    assert [run["fold"] for run in result["runs"]] == [0, 1, 2, 3] and sum(run["n"] for run in result["runs"]) == 200
    assert not (private_cache / "heads").exists()


def test_what_was_trained_classifies_and_layers_are_kept_for_the_next_run(answer, own, private_cache):
    answer("train", "--task", "topics", "--variant", "embedding+elmo", "--variant=glove", "--variant=tfidf", "--train", own)
    assert len(list((private_cache / "features").iterdir())) == 1 and not list((private_cache / "training").iterdir())
    result = answer("classify", "--task", "topics", "--text", "the new comet says")
    assert set(result) == {"text", "task", "variants"} and list(result["variants"]) == ["glove", "embedding+elmo", "tfidf"]
    for facts in result["variants"].values():
        assert set(facts) == {"label", "probabilities", "seconds"} and facts["seconds"] > 0
        assert sum(facts["probabilities"].values()) == pytest.approx(1, abs=1e-5)
        assert facts["label"] == max(facts["probabilities"], key=facts["probabilities"].get)
    item = answer("classify", "--task", "topics", "--text", "the new comet says", "--variant", "tfidf")
    assert item["variants"]["tfidf"]["probabilities"] == result["variants"]["tfidf"]["probabilities"]


def test_heads_lie_where_output_says(answer, own, tmp_path):
    answer("train", "--task", "topics", "--variant", "tfidf", "--train", own, "--output", tmp_path / "mine")
    assert load_head(tmp_path / "mine" / "topics" / "tfidf").meta["task"] == "topics"
    result = answer("classify", "--task", "topics", "--text", "a loan", "--heads", tmp_path / "mine")
    assert set(result["variants"]) == {"tfidf"}


def test_people_get_lines_and_the_notes_go_to_stderr(call, own):
    status, out, err = call("train", "--task", "topics", "--variant", "glove", "--train", own)
    assert status == 0 and out.startswith("topics, glove: accuracy") and "epoch 1 of at most 2" in err
    status, out, _ = call("classify", "--task", "topics", "--text", "the cup")
    assert status == 0 and out.startswith("glove") and "%" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "--task", "topics", "--variant", "bert", "--train", "OWN"], "no variant 'bert'"),
        (["train", "--task", "a/b", "--variant", "tfidf", "--train", "OWN"], "A task’s name is letters"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "none.csv"], "No file none.csv"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "OWN", "--text-column", "body"], "no column 'body'"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "OWN", "--label-column", "x"], "no column 'x'"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "OWN", "--share", "0"], "Shares must lie"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "OWN", "--folds", "1"], "2 to 100 folds"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "OWN", "--folds", "900"], "range 0<=x<=100"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "OWN", "--test", "OWN", "--order"], "leave --folds and"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "EMPTY"], "is empty"),
        (["train", "--task", "topics", "--variant", "tfidf", "--train", "ONE"], "only one label, 'a'"),
        (["classify", "--task", "none-such", "--text", "Hello"], "no trained head for the task 'none-such'"),
        (["classify", "--task", "topics", "--text", "   "], "no word to classify"),
        (["classify", "--task", "topics", "--text", "Hi", "--variant", "glove"], "variant 'glove'"),
        (["lab", "train-heads", "--data", "none"], "needs none/ag_news/train_subset.csv"),
    ],
)
def test_a_wrong_argument_is_one_line_and_status_2(own, tmp_path, arguments, message, refused):
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "one.csv").write_text("label,text\na,One\na,Two\na,Three\n")
    places = {"OWN": own, "EMPTY": tmp_path / "empty.csv", "ONE": tmp_path / "one.csv"}
    assert message in refused(*(places.get(argument, argument) for argument in arguments))


def test_a_run_that_was_killed_goes_on_from_its_last_epoch(call, own, private_cache, monkeypatch):
    def killed(line):
        if "epoch 2 of" in line:
            raise KeyboardInterrupt

    arguments = ("train", "--task", "topics", "--variant", "glove", "--train", own, "--epochs", 4)
    with monkeypatch.context() as patch:
        patch.setattr(shared, "note", killed)
        assert call(*arguments)[0] == 130
    assert len(list((private_cache / "training").glob("*.pt"))) == 1
    status, _, err = call(*arguments)
    assert status == 0 and "epoch 1 of" not in err and "epoch 3 of" in err
    assert not list((private_cache / "training").iterdir())


@pytest.fixture
def data(tmp_path) -> Path:
    """A folder laid out as the local data are, with few rows."""
    folder, rows = tmp_path / "data", table(120).rows
    for part in ("ag_news", "sms_spam", "sst5"):
        (folder / part).mkdir(parents=True)
    classes = {"sport": 2, "money": 3, "sky": 4}
    (folder / "ag_news" / "train_subset.csv").write_text("class,text\n" + "".join(f'{classes[r.label]},"{r.text}"\n' for r in rows))
    lines = [f'"{classes[r.label]}","{r.text} x","A #39;s story"\n' for r in rows]
    (folder / "ag_news" / "test.csv").write_text("".join(lines))
    spam = "".join(f"{'spam' if r.label == 'money' else 'ham'},{r.text}\n" for r in (*rows, *rows[:5]))
    (folder / "sms_spam" / "spam.csv").write_text("v1,v2\n" + spam)
    return folder


def test_train_heads_makes_every_variant_and_then_keeps_what_is_made(answer, data, tmp_path, private_cache):
    output = tmp_path / "heads"
    first = answer("lab", "train-heads", "--data", data, "--output", output, "--tasks", "spam")
    assert len(first["made"]) == len(VARIANTS) and not first["kept"] and first["bytes"] > 1000
    assert {path.name for path in (output / "spam").iterdir()} == set(VARIANTS)
    meta = read_json(output / "spam" / "tfidf" / "meta.json")
    assert meta["shape"]["analyzer"] == "char" and meta["labels"] == ["ham", "spam"] and "5 rows repeat" in str(meta["notes"])
    write_json(output / "spam" / "glove" / "meta.json", read_json(output / "spam" / "glove" / "meta.json") | {"data": "other"})
    (output / "spam" / "elmo" / "weights.safetensors").unlink()
    again = answer("lab", "train-heads", "--data", data, "--output", output, "--tasks", "spam", "--overwrite")
    assert {made["variant"] for made in again["made"]} == {"glove", "elmo"} and len(again["kept"]) == len(VARIANTS) - 2


def test_tasks_know_their_files_labels_and_columns(data):
    news, title, spam = (tasks.task_named(name) for name in ("news", "news-title", "spam"))
    made = tasks.open_data(news, **tasks.task_files(news, data))
    assert made.labels == ("Sports", "Business", "Sci/Tech") and len(made.test) == 120
    assert made.test[0].text.endswith("x A's story")
    made = tasks.open_data(title, **tasks.task_files(title, data))
    assert made.test[0].text.endswith(" x") and len(made.test) == 24
    assert len(tasks.open_data(spam, **tasks.task_files(spam, data)).test) == 24
    with pytest.raises(MissingArtifact, match=r"sst5/train\.txt\.xz, which is not there"):
        tasks.task_files(tasks.task_named("sentiment"), data)


def test_news_whose_classes_count_from_0_have_the_same_names(tmp_path):
    path = tmp_path / "hf.csv"
    path.write_text("text,label\n" + "".join(f"{row.text},{k % 4}\n" for k, row in enumerate(table(80).rows)))
    assert tasks.open_data(tasks.task_named("news"), path).labels == tasks.NEWS


def test_heads_of_another_model_are_left_out_or_refused_when_named(answer, own, model, vectors, tmp_path):
    answer("train", "--task", "topics", "--variant", "elmo", "--variant=glove", "--train", own, "--output", tmp_path / "mine")
    task, fixed = tasks.task_named("topics"), open_vectors(str(vectors))
    other = Model("other", model, tiny_encoder(1), "0" * 16)
    opened = tasks.open_heads(task, model=other, vectors=fixed, folder=tmp_path / "mine")
    assert set(opened.heads) == {"glove"} and "was trained on other model" in opened.problems[0]
    with pytest.raises(CorruptArtifact, match="was trained on other model"):
        tasks.open_heads(task, ["elmo"], model=other, vectors=fixed, folder=tmp_path / "mine")
    with pytest.raises(BadInput, match="no variant"):
        tasks.open_heads(task, ["bert"], model=other, vectors=fixed)


def test_vectors_are_distinguished_by_what_they_hold(vectors):
    assert tasks.vectors_fingerprint(tiny_vectors()) == tasks.vectors_fingerprint(tiny_vectors())
    assert tasks.vectors_fingerprint(tiny_vectors()) != tasks.vectors_fingerprint(tiny_vectors(seed=1))
    assert tasks.vectors_fingerprint(open_vectors(str(vectors))) != tasks.vectors_fingerprint(tiny_vectors())


def test_texts_are_cleaned_and_cut_as_the_training_texts_were():
    news, other = tasks.task_named("news"), tasks.task_named("mine")
    assert tasks.text_tokens(news, "Haiti #39;s plan") == ("Haiti", "'s", "plan")
    assert len(tasks.text_tokens(other, "word " * 100_000)) == 128


def test_bundled_heads_fit_the_bundled_model_and_vectors():
    if not (ASSETS / "heads").is_dir():
        pytest.skip("no heads are bundled yet")
    fingerprint = model_fingerprint(ASSETS / "elmo-mini")
    vectors = tasks.vectors_fingerprint(open_vectors("glove-mini"))
    for meta in (ASSETS / "heads").rglob("meta.json"):
        load_head(meta.parent, model=fingerprint, vectors=vectors)
    assert sum(file.stat().st_size for file in (ASSETS / "heads").rglob("*")) < 20_000_000


@pytest.mark.parametrize(
    ("numbers", "named"),
    [
        ("123", ("World", "Sports", "Business")),  # counted from 1, without a row of class 4
        ("1234", tasks.NEWS),
        ("0123", tasks.NEWS),
        ("023", ("World", "Business", "Sci/Tech")),
    ],
)
def test_labels_of_the_news_are_counted_as_their_file_counts(tmp_path, numbers, named):
    path = tmp_path / "news.csv"
    rows = [f"{number},a title of {number} and {k}" for k in range(12) for number in numbers]
    path.write_text("\n".join(["label,title", *rows]) + "\n")
    data = tasks.open_data(tasks.TASKS["news-title"], path)
    assert data.labels == tuple(named)
    first = min(numbers) == "0"
    for example in (*data.train, *data.valid, *data.test):
        assert data.labels[example.label] == tasks.NEWS[int(example.text.split()[3]) - (not first)]


def test_labels_from_0_to_4_are_no_news(tmp_path):
    (tmp_path / "five.csv").write_text("label,title\n" + "".join(f"{k % 5},title {k}\n" for k in range(50)))
    with pytest.raises(BadInput, match="both 0 and 4"):
        tasks.open_data(tasks.TASKS["news-title"], tmp_path / "five.csv")


KOREAN = [("아이들이 학교에서 선생님을 만났다.", "학교"), ("은행에서 돈을 빌렸다.", "은행"), ("눈이 내려서 길이 미끄럽다.", "눈")]


@pytest.fixture
def korean(tmp_path) -> Path:
    path = tmp_path / "korean.jsonl"
    rows = [
        {"text": f"{text} {'하나 둘 셋 넷 다섯'[k % 9 :]} {k}번째.", "label": label} for k in range(60) for text, label in [KOREAN[k % 3]]
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def trained(rows: Path, folder: Path, variant: str, model: str) -> None:
    words = ["train", "--task", "own", "--variant", variant, "--train", rows, "--seeds", 0, "--output", folder, "--model", model]
    assert main([*map(str, words)]) == 0


def test_korean_texts_are_cut_as_their_model_reads_them_when_a_head_learns_and_when_it_answers(korean):
    ko = languages.get_language("ko")
    data = tasks.open_data(tasks.task_named("own"), korean, language=ko)
    tokens = [token for example in data.train for token in example.tokens]
    vectors = open_vectors("glove-ko-mini")
    assert data.language == "ko" and {"학교", "은행", "눈"} <= set(tokens)
    assert sum(vectors.vector(token) is not None for token in set(tokens)) > 0.7 * len(set(tokens))
    english = tasks.open_data(tasks.task_named("own"), korean)
    assert english.language == "en" and english.fingerprint != data.fingerprint


@pytest.mark.parametrize("variant", ["tfidf", "embedding"])
def test_a_head_of_a_korean_model_answers_in_korean(korean, tmp_path, variant):
    trained(korean, tmp_path / "heads", variant, "elmo-ko-mini")  # which says the language, though these variants do not read it
    opened = tasks.open_heads(tasks.task_named("own"), model=None, vectors=None, folder=tmp_path / "heads")
    assert opened.language.code == "ko" and [bare(token) for token in opened.tokens("눈이 왔다.")] == ["눈", "이", "왔", "다", "."]
    tokens, answers = tasks.classify_text(opened, KOREAN[0][0], model=None, vectors=None)
    assert bare(tokens[2]) == "학교" or "학교" in map(bare, tokens)
    assert answers[variant].label in ("학교", "은행", "눈")


def test_a_head_that_reads_text_as_another_language_than_the_others_is_left_out(korean, tmp_path):
    for variant, model in (("tfidf", "elmo-ko-mini"), ("embedding", "elmo-mini")):
        trained(korean, tmp_path / "heads", variant, model)
    opened = tasks.open_heads(tasks.task_named("own"), model=None, vectors=None, folder=tmp_path / "heads")
    assert len(opened.heads) == 1 and len(opened.problems) == 1 and "reads text as" in opened.problems[0]
