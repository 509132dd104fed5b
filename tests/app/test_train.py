"""Test the Train page: columns, refused files, commands and results."""

import ast
import shlex
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from core.classify.model import VARIANTS
from core.classify.tables import Table, TableRow
from core.classify.trainings import FEWEST, Order, check_classes, cost, learned_weights, left_of_all, results_rows
from core.cli.main import elmoscope, parsed
from core.common.config import cache_folder
from core.common.errors import LEFT, STOPPED, BadInput
from core.text.languages import get_language
from pages._cached import cache, classifiers
from pages._cached.shared_jobs import duration
from pages._classify.order import _check_split
from pages._classify.train import Training, notebook
from pages._frame.jobs import QUEUE, JobEnded, Queue
from tests.app.visit import code_cells, opened


def make_order(**options) -> Order:
    default = {"task": "own", "title": "own.csv", "files": {"train": "own.csv"}, "columns": {}, "variants": ("tfidf", "glove")}
    default |= {"seeds": (0,), "share": 1.0, "epochs": 3, "model": "elmo-mini", "vectors": "glove-mini"}
    return Order(**default | options)


def write_rows(path: Path, n: int) -> Path:
    path.write_text(rows(n))
    return path


def rows(n: int) -> str:
    return "text,label\n" + "".join(f"{'ab'[k % 2]} remark number {k},{'ab'[k % 2]}\n" for k in range(n))


def test_classes_are_refused_if_all_have_too_few_different_texts():
    def check(texts: list[str], labels: Iterable[str]) -> None:
        check_classes(Table("own.csv", tuple(map(TableRow, texts, labels)), ("text",), "topic"), "own.csv")

    with pytest.raises(BadInput, match=f"2 of 2 classes under “topic” in own.csv have fewer than {FEWEST} different"):
        check(["the same"] * 8, "aabbaabb")  # a repeated text makes no class larger
    check([f"text number {k}" for k in range(41)], [*"ab" * 20, "rare"])  # the split handles a rare class


def test_too_small_split_is_refused_before_training(tmp_path):
    columns = {"text_columns": ["text"], "label_column": "label"}
    with pytest.raises(BadInput, match="row"):
        _check_split("own", {"train": write_rows(tmp_path / "own.csv", 6)}, columns, 0.01)
    _check_split("own", {"train": write_rows(tmp_path / "own.csv", 90)}, columns, 1.0)


def test_remaining_time_covers_all_runs():
    assert left_of_all([1, 1, 1], 0, spent=10, left=20) == 20 + 2 * 30
    assert left_of_all([1, 2], 0, spent=10, left=0) == 20 and left_of_all([1, 2], 1, spent=50, left=3) == 3
    assert min(map(cost, VARIANTS.values())) > 0
    assert [duration(s) for s in (4.6, 600, 9000)] == ["5 s", "10 min", "2.5 h"]


def test_continued_training_shows_all_epochs(tmp_path):
    order = make_order(files={"train": write_rows(tmp_path / "own.csv", 200)}, variants=("embedding",), epochs=12)

    def epochs(upto: int) -> list[int]:
        training = Training(order, Queue().add())
        training.start(cache.model("elmo-mini"), cache.vectors("glove-mini"))
        while training.job.is_active:
            if max(map(len, training.curves.values()), default=0) >= upto:
                training.job.end()
            training.job.wait(0.001)
        assert training.job.error is None and len([*(cache_folder() / "training").glob("*.pt")]) == 1
        return [point["epoch"] for point in training.curves["embedding", 0]]

    first, whole = epochs(upto=2), epochs(upto=99)
    assert 2 <= len(first) < len(whole) and whole == [*range(1, len(whole) + 1)]
    assert epochs(upto=99) == whole  # a reload loses no result


STAGES = [(("tfidf",), "Reading the texts"), (("mean-elmo",), "training runs (1)"), (("elmo", "tfidf"), "training runs (2)")]


@pytest.mark.parametrize(("variants", "stage"), STAGES)
def test_stage_names_layers_only_if_they_are_computed(variants, stage, tmp_path, monkeypatch):
    order = make_order(files={"train": write_rows(tmp_path / "own.csv", 60)}, variants=variants, epochs=1)
    training, stages = Training(order, Queue().add()), []
    monkeypatch.setattr("pages._classify.train.freeze", lambda *_, **__: stages.append(training.stage) or {}[""])
    with pytest.raises(KeyError):
        training.train(SimpleNamespace(language=get_language("en")), None)
    assert stages[0].endswith(stage)


def with_file(name: str, text: str, **address: str):
    page = opened("pages/train.py", train_task="own", **address)
    page.file_uploader[0].upload(name, text.encode(), "text/csv")
    return page.run()


def test_columns_are_chosen_from_the_file():
    page = with_file("remarks.csv", "shelf,key,remark\n" + "".join(f"{'ab'[k % 2]},k{k},a remark of some length {k}\n" for k in range(60)))
    assert next(box for box in page.selectbox if box.key.startswith("label_column")).value == 1
    assert page.multiselect[0].value == [3] and not page.button(key="train.go").disabled
    page.multiselect[0].set_value([]).run()
    assert page.button(key="train.go").disabled
    assert any("Choose one column of texts" in item.value for item in page.info)


UNUSABLE = {
    "text,label\n" + "".join(f"remark {k},class {k}\n" for k in range(40)): "fewer than 3 different texts",
    "text,label\na b,x\nc d,x\n": "has one class",
    "text\none\ntwo\n": "has one column",
    "text,label\nc,a\nd,b\n": "different texts",
}


@pytest.mark.parametrize(("text", "message"), UNUSABLE.items(), ids=UNUSABLE.values())
def test_unusable_file_is_refused_before_training(text: str, message: str):
    page = with_file("my.csv", text)
    assert page.button(key="train.go").disabled
    assert [message in item.value for item in page.error] == [True] and "--" not in page.error[0].value


def test_learned_weights_are_means_over_seeds_and_a_class_without_test_texts_has_no_f1():
    mixes = {("glove", 0): None, ("mean-elmo", 0): {"s": [0.5] + [0.1] * 5}, ("mean-elmo", 1): {"s": [0.3] + [0.14] * 5}}
    ((_, row),) = learned_weights({key: SimpleNamespace(meta={"mix": mix}) for key, mix in mixes.items()}).items()
    assert row == pytest.approx([0.4, *[0.12] * 5])
    test = {"accuracy": 0.5, "macro_f1": 0.25, "per_class": {"a": {"f1": 0.5, "n": 2}, "rare": {"f1": 0.0, "n": 0}}}
    (row,) = results_rows({("tfidf", 0): SimpleNamespace(meta={"test": test, "seconds": 1.0})})
    assert (row["F1 a"], row["F1 rare"]) == (0.5, None)


@pytest.mark.unread
def test_command_of_a_training_runs_no_injected_command(tmp_path):
    columns = {"text_columns": ["$(touch pwned)", "it's; `touch pwned`"], "label_column": '"'}
    runs = {"variants": ("embedding", "glove"), "seeds": (0, 1), "share": 0.5, "epochs": 12}
    order = make_order(files={"train": tmp_path / 'my "rows" $(touch pwned).csv'}, columns=columns, model="$(touch pwned)", **runs)
    printed = order.command.replace("python", r"printf '%s\n'", 1)
    words = subprocess.run(["sh", "-c", printed], cwd=tmp_path, capture_output=True, text=True, check=True).stdout.splitlines()
    assert not list(tmp_path.iterdir())
    function, as_json = parsed(elmoscope, words[2:])
    read = function.keywords
    table = read["rows"]
    assert (table.train, read["model"].model) == (str(order.files["train"]), order.model) and as_json
    assert {"text_columns": list(table.text_column), "label_column": table.label_column} == columns
    assert {"variants": read["variant"], "seeds": read["seeds"], "share": table.share, "epochs": read["epochs"]} == runs


def test_notebook_of_an_uploaded_file_contains_no_path_of_the_server():
    columns = {"text_columns": ["--output=/x/y"], "label_column": 2}
    order = make_order(title="-rf.csv", files={"train": "/tmp/elmoscope-1/upload-3.csv"}, columns=columns, variants=("tfidf",))
    code = "\n".join(code_cells(notebook(order)))
    line = next(line for line in code.splitlines() if line.startswith("command = "))
    read = parsed(elmoscope, shlex.split(ast.literal_eval(line.removeprefix("command = ")))[3:])[0].keywords["rows"]
    assert (read.train, read.text_column, read.label_column) == ("-rf.csv", ("--output=/x/y",), "2") and "/tmp" not in code


def test_results_are_named_by_the_file_they_were_trained_on():
    page = with_file("first file.csv", rows(60), variants="tfidf")
    page.button(key="train.go").click().run()
    page.session_state["training"].job.wait(60)
    page.run()
    page.file_uploader[0].set_value(("second.csv", rows(60).encode(), "text/csv")).run()
    assert "#### On unseen texts: first file\\.csv" in [line.value for line in page.markdown]


def test_training_that_cannot_start_leaves_the_queue():
    page = opened("pages/train.py", variants="tfidf", model="nonsense")
    page.button(key="train.go").click().run()
    assert any("Unknown model 'nonsense'" in item.value for item in page.main.error)
    assert not QUEUE.waiting and not QUEUE.running


def test_trainings_on_files_of_one_name_are_listed_under_different_names(monkeypatch):
    mine = {}
    monkeypatch.setattr(classifiers, "own_heads", lambda: mine)
    trained = [SimpleNamespace(dataset=object()) for _ in range(5)]
    results = [classifiers.hold("own.csv", item) for item in (*trained[:2], trained[0], *trained[2:])]
    names = ["own.csv", *(f"own.csv ({k})" for k in range(2, 6))]
    assert results == [*((name, "") for name in (names[0], names[1], names[0], names[2], names[3])), (names[4], names[1])]


def test_rows_are_added_to_the_comparison_once_though_some_have_no_spread():
    def script(training, table) -> None:
        from pages._classify import train

        train._actions(training, table)

    table = pd.DataFrame([{"classifier": "tfidf", "accuracy": 0.5}, {"classifier": "glove", "accuracy": 0.5, "± over seeds": 0.1}])
    page = AppTest.from_function(script, args=(Training(make_order(), Queue().add()), table)).run()
    for _ in range(2):
        page.button(key="train.add").click().run()
    assert [(row["model"], row["vectors"]) for row in page.session_state["comparison"]] == [("elmo-mini", "glove-mini")] * 2


def page_of(training: Training) -> AppTest:
    page = opened("pages/train.py")
    page.session_state["training"] = training
    return page.run()


@pytest.mark.parametrize(("why", "message"), [(STOPPED, "Stopped before the first epoch"), (LEFT, "the page was closed")])
def test_a_training_that_ends_while_layers_are_computed_says_why(why, message):
    training = Training(SimpleNamespace(), Queue().add())
    training.job.why_ended = why
    page = page_of(training)
    assert message in [*page.main.info, *page.main.error][0].value
    training.job.end()
    with pytest.raises(JobEnded):
        training._layers(1, 2, 1.0)


def test_training_says_that_it_is_stopping():
    done = threading.Event()
    training = Training(SimpleNamespace(), Queue().add())
    training.job.start(lambda job: done.wait(), failed="")
    page = page_of(training)
    page.button(key="train.stop").click().run()
    assert training.job.is_over() and page.button(key="train.stop").disabled and "Stopping" in page.get("progress")[0].proto.text
    done.set()
