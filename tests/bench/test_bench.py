"""Test how rows are measured and written and that each suite runs (tiny sizes, no speed is asserted)."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.bench import __main__ as command
from tests.bench import engine, precision, rows
from tests.bench.measure import Figure, Row, Setting, check, difference, figure, paired, quotient


@pytest.fixture
def setting(tmp_path) -> Setting:
    return Setting(folder=tmp_path, threads=1, quick=True)


def run(name: str, setting: Setting) -> list[Row]:
    result = list(command.run_suite(name, setting))
    for row in result:
        assert row["suite"] == name and row["name"] and all(item["passed"] for item in row["checks"])
        assert (row["ours"] is None) == (row["not_run"] is not None)
        if row["ours"]:
            assert row["ours"]["low"] <= row["ours"]["value"] <= row["ours"]["high"] and row["ours"]["unit"]
            assert row["conditions"]["quick"] and row["conditions"]["threads"] == 1 and row["conditions"]["sizes"]
            assert row["conditions"]["machine"] and row["conditions"]["date"] and row["conditions"]["versions"]["numpy"]
    json.dumps(result, allow_nan=False)
    return result


def measured(value: float, unit: str = "x") -> Figure:
    return figure("f", [value], unit)


def test_two_sides_take_turns_and_the_first_round_is_not_counted():
    order = []
    pair = paired(lambda: (1.0, order.append("o")), lambda: (2.0, order.append("p") or len(order)), 3)
    assert "".join(order) == "po" + "op" + "po" + "op"
    assert pair.ours == [1.0] * 3 and pair.peer == [2.0] * 3 and pair.peer_result == 8
    assert pair.times_faster()["value"] == 2.0


@pytest.mark.parametrize("apart", [2e-5, float("inf"), float("nan")])
def test_a_peer_that_answers_differently_fails_the_row_however_fast_we_are(setting, apart):
    checks = [check("same", 0.0), check("layers", apart)]
    row = setting.row("r", ours=measured(1.0), ratio=measured(100.0), checks=checks)
    assert rows.cells(row)[-1].startswith("ANSWERS DIFFER; layers: ")
    json.dumps(row, allow_nan=False)
    assert rows.cells(setting.row("r", ours=measured(1.0), ratio=measured(100.0), checks=checks[:1], sizes="3 words"))[-1] == "3 words"


@pytest.mark.parametrize(
    ("ratio", "shown"),
    [
        (quotient("peer's time / ours", [4.0, 6.0], [2.0, 2.0], "x"), "2.5 x (2 to 3)"),
        (quotient("peer's time / ours", [1.0, 6.0], [2.0, 2.0], "x"), "1.75 x (0.5 to 3), within noise"),
        (quotient("our time / hello's", [4.0, 4.0], [2.0, 2.0], "x"), "0.5 x (0.5 to 0.5), slower"),
        (quotient("ours / torch.mm's", [1.0], [2.0], "of its rate"), "0.5 of its rate (0.5 to 0.5)"),
    ],
)
def test_a_row_states_where_the_peer_is_faster(setting, ratio, shown):
    assert rows.cells(setting.row("r", ours=measured(1.0), ratio=ratio))[3] == shown


def test_difference_is_the_largest_and_without_end_where_shapes_differ():
    item = [np.array([[1.0, 2.0]]), np.array([3.0])]
    assert difference(item, [np.array([[1.0, 2.5]]), np.array([2.75])]) == 0.5
    assert difference([], []) == 0.0 and difference([np.empty((3, 0))], [np.empty((3, 0))]) == 0.0
    for other in ([item[0]], [item[0], np.array([3.0, 3.0])], [item[0], np.array([np.nan])]):
        assert difference(item, other) == float("inf")


def test_engine_runs_without_allennlp_and_says_what_it_left_out(setting, monkeypatch):
    monkeypatch.setattr(engine, "is_ready", lambda: False)
    result = {row["name"]: row for row in run("engine", setting)}
    left_out = [row for row in result.values() if row["not_run"]]
    assert len(left_out) == 4 and all("allennlp setup" in row["not_run"] for row in left_out)
    assert result["share of torch.mm's rate, small"]["ratio"]["value"] > 0
    assert set(result["cost against text length"]["details"]["tokens_per_second"]) == {"100", "200", "400"}


@pytest.mark.skipif(not engine.is_ready(), reason="AllenNLP's environment is not made: core allennlp setup")
def test_engine_compares_all_layers_with_allennlps(setting, monkeypatch):
    monkeypatch.setattr(engine, "_lengths", lambda setting: iter(()))
    compared = [row for row in run("engine", setting) if row["checks"]]
    assert len(compared) == 4 and all(row["peer"]["what"] == "AllenNLP 2.10.1" for row in compared)


def test_suites_without_a_peer_run_and_check_their_answers(setting, monkeypatch):
    near = {"cosine": 0.9995, "overlap": 0.99, "sentences": 20}  # measured by tests/core/elmo/test_model.py
    monkeypatch.setattr(precision, "_near", lambda precision, n: near)
    monkeypatch.setenv("CHROMIUM", str(setting.folder / "none"))
    neighbors = run("neighbors", setting)
    assert len(neighbors) == 4 and all(row["checks"] for row in neighbors[:3])
    precisions = run("precision", setting)
    assert len(precisions) == 8 and all(len(row["checks"]) == 2 and row["details"]["nearness"] == near for row in precisions)
    pages = run("pages", setting)
    assert len(pages) == 4 and all("playwright install chromium" in row["not_run"] for row in pages)


def test_bench_keeps_rows_and_leaves_those_of_other_suites(monkeypatch, tmp_path, capsys):
    def run_suite(name, setting):
        setting = replace(setting, suite=name)
        yield setting.row("a step", not_run="no clock") if name == "pages" else setting.row("a thing", ours=measured(1234.5, "ms"))

    monkeypatch.setattr(command, "run_suite", run_suite)
    file = tmp_path / "results" / "speed.json"
    for suite in ("pages", "neighbors", "pages"):
        assert command.main(["--json", "--suite", suite, "--output", str(file)]) == 0
        assert json.loads(capsys.readouterr().out)["rows"][0]["suite"] == suite
    kept = json.loads(file.read_text("utf-8"))
    assert set(kept) == {"machine", "date", "rows"} and [row["suite"] for row in kept["rows"]] == ["neighbors", "pages"]
    assert kept["rows"][1]["not_run"] == "not run here: no clock" and kept["rows"][1]["ours"] is None


@pytest.mark.parametrize(
    ("words", "named"),
    [(["--quick", "--output", "f.json"], "--quick"), (["--output", "o.json"], "o.json"), (["--suite", "speed"], "'speed'")],
)
def test_bench_refuses_what_it_cannot_do(tmp_path, monkeypatch, capsys, words, named):
    monkeypatch.chdir(tmp_path)
    Path("o.json").write_text('{"rows": 3}')
    assert command.main(words) == 2 and named in capsys.readouterr().err


def test_the_readme_shows_every_row_that_was_measured():
    measured_rows = json.loads(rows.FILE.read_text("utf-8"))
    readme = rows.README.read_text("utf-8")
    assert rows.written(readme, measured_rows) == readme, "python -m tests.bench.rows"
