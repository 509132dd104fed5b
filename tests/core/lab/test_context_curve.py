"""Test the experiment with few labels: its subsets, the inputs compared with GloVe, the network, and its runs."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.classify import experiments
from core.classify.data import SplitConfig, make_dataset, normal_form, subset
from core.classify.experiments import read_results
from core.classify.model import live_layers
from core.classify.scores import unpacked
from core.classify.tables import Table, TableRow
from core.classify.train import texts_of
from core.elmo.models import Model
from core.lab import context_curve
from core.lab.context_curve import EqualConfig, ShuffledOrder, context_part, fit, shuffled_lstms, shuffled_order, static_part
from tests.tiny import dataset, table, tiny_encoder, tiny_vectors

torch.set_num_threads(1)
TEXT = ("the", "team", "says", "a", "bank", "again", "won", "cup")
QUICK = EqualConfig(width=8, epochs=6, patience=6, learning_rate=0.02)


def test_a_subset_is_nested_in_larger_ones_tested_on_the_same_texts_and_shares_no_text_between_its_parts():
    whole = dataset(400)
    small, large, other = subset(whole, 0.1, 3, n_test=20), subset(whole, 0.5, 3, n_test=20), subset(whole, 0.1, 4, n_test=20)
    n = len({normal_form(e.text) for e in (*whole.train, *whole.valid)})
    assert len(small.train) + len(small.valid) == pytest.approx(n / 10, abs=1) and len(small.valid) == round(n / 10 * 0.1)
    assert {*small.train, *small.valid} < {*large.train, *large.valid}
    assert {e.text for e in small.train} != {e.text for e in other.train}
    assert small.test == large.test == other.test and len(small.test) == 20 and set(small.test) <= set(whole.test)
    rows = table(100).rows
    twice = Table("t", (*rows, *(TableRow(row.text.upper(), row.label) for row in rows)), ("text",), "label")
    result = subset(make_dataset("own", twice, SplitConfig()), 0.6, 0, n_test=10)
    forms = [{normal_form(e.text) for e in part} for part in (result.train, result.valid, result.test)]
    assert not forms[0] & forms[1] and not forms[2] & (forms[0] | forms[1])
    assert len(result.train) == 2 * len(forms[0])


def test_shuffled_words_and_random_lstms_keep_layer_0_and_change_what_context_says():
    encoder = tiny_encoder()
    straight, shuffled = encoder.encode([list(TEXT)])[0], ShuffledOrder(encoder).encode([list(TEXT)])[0]
    np.testing.assert_allclose(shuffled[0], straight[0], atol=1e-6)
    assert np.abs(shuffled[1:] - straight[1:]).max() > 1e-3
    order = shuffled_order(TEXT)
    np.testing.assert_allclose(shuffled[:, order], encoder.encode([[TEXT[k] for k in order]])[0], atol=1e-6)
    assert list(range(len(TEXT))) == sorted(order) != list(order)
    random = shuffled_lstms(encoder)
    for mine, theirs in zip(random.model.forward_layers.parameters(), encoder.model.forward_layers.parameters(), strict=True):
        assert mine.shape == theirs.shape and torch.equal(mine.flatten().sort().values, theirs.flatten().sort().values)
    result = random.encode([list(TEXT)])[0]
    np.testing.assert_allclose(result[0], straight[0], atol=1e-6)
    assert np.abs(result[1:] - straight[1:]).max() > 1e-3
    np.testing.assert_array_equal(encoder.encode([list(TEXT)])[0], straight)  # the trained ones stay


def parts() -> dict:
    vectors, layers = tiny_vectors(), live_layers(tiny_encoder())
    return {"glove": static_part(vectors), "elmo": lambda tokens: layers([tokens])[0], "static": context_part(vectors, commonest=3)}


def test_every_part_is_brought_to_one_scale_and_words_are_left_out_of_a_mean_which_is_never_empty():
    texts = texts_of(dataset(60).train)
    for part in parts().values():
        numbers = np.concatenate([*map(context_curve._standardized([part], texts)[1], texts)])
        has_vector = np.concatenate([~np.isnan(part(text)[0, :, 0]) for text in texts])
        np.testing.assert_allclose(numbers[has_vector].mean(0), 0, atol=1e-3)
        np.testing.assert_allclose(numbers[has_vector].std(0), 1, atol=1e-2)
        assert not numbers[~has_vector].any()
    texts, both = [(word,) for word in TEXT[:2]] + [TEXT], list(parts().values())[:2]
    numbers = context_curve._standardized(both, texts)[1]
    whole, rows = context_curve._means(numbers, texts), [*map(numbers, texts)]
    none, most = (context_curve._words_left_out(rows, replace(QUICK, word_dropout=p), 0)(1) for p in (0.0, 0.9))
    torch.testing.assert_close(none, whole, atol=1e-4, rtol=1e-4)
    torch.testing.assert_close(most[:2], whole[:2], atol=1e-4, rtol=1e-4)  # of one word, which would be left out as a rule
    assert not torch.allclose(most[2], whole[2], atol=1e-3)


def test_the_dropout_of_the_lowest_validation_loss_answers():
    data, some = subset(dataset(300), 1.0, 0, n_test=40), parts()
    result = fit([some["glove"], some["elmo"]], data, QUICK, 5)
    assert result["dropout"] == QUICK.dropouts[int(np.argmin(result["valid_losses"]))]
    assert result["accuracy"] > 0.6  # three topics


@pytest.fixture
def run(monkeypatch, tmp_path):
    """Return a function that returns the lines it wrote, of two subsets of half of some rows."""
    folder = tmp_path / "data" / "ag_news"
    folder.mkdir(parents=True)
    for name, n, seed in (("train_subset.csv", 120, 0), ("test.csv", 60, 1)):
        rows = (f"{1 if row.label == 'sport' else 3},{row.text} {name},x\n" for row in table(n, seed=seed).rows)
        (folder / name).write_text("Class Index,Title,Description\n" + "".join(rows))
    monkeypatch.setattr(context_curve, "SUBSETS", {0.5: 2})
    for module in (context_curve, experiments):
        monkeypatch.setattr(module, "CONTEXT_RUNS", {"context-0.5": 0.5})
    monkeypatch.setattr(context_curve, "TESTED", 30)
    output = tmp_path / "results.jsonl"

    def made(fingerprint: str = "f" * 16) -> list[dict]:
        given = tmp_path / "data", Model("tiny", tmp_path, tiny_encoder(), fingerprint), tiny_vectors()
        return list(context_curve.run_contexts(["context-0.5"], *given, output=output, config=replace(QUICK, epochs=2)))

    made.output = output
    return made


def test_every_subset_has_a_line_for_every_set_of_parts_cut_it_goes_on_and_another_model_runs_only_the_parts_with_elmo(run, monkeypatch):
    lines = run()
    assert [(line["seed"], line["variant"]) for line in lines] == [(s, kind) for s in (0, 1) for kind in context_curve.PARTS]
    assert lines == read_results(run.output) and len({line["data"] for line in lines}) == 2
    for line in lines:
        assert unpacked(line["right"], line["n"]).mean() == pytest.approx(line["accuracy"]) and line["n"] == 30
        assert (line["model"] is None) == (line["variant"] in ("glove", "glove+static"))
        assert (line["mix"] is not None) == (line["variant"].split("+")[-1] in ("random", "shuffled", "elmo"))
    kept = run.output.read_text().splitlines(keepends=True)
    run.output.write_text("".join(kept[:7]) + kept[7][:30])
    monkeypatch.setattr(experiments, "FEWEST", 2)
    assert experiments.context_sizes(read_results(run.output)) == []  # one complete subset
    assert [(line["run"], line["accuracy"]) for line in run()] == [(line["run"], line["accuracy"]) for line in lines[7:]]
    (size,) = experiments.context_sizes(read_results(run.output))
    assert (size.subsets, size.tested, size.labeled) == (2, 30, lines[0]["sizes"]["train"] + lines[0]["sizes"]["valid"])
    with_elmo = [kind for kind in context_curve.PARTS if kind not in context_curve.WITHOUT_ELMO]
    assert [line["variant"] for line in run("e" * 16)] == with_elmo * 2 and len(read_results(run.output)) == len(lines)


def test_the_results_that_ship_hold_every_subset_of_the_smallest_sizes():
    shipped = experiments.context_sizes(read_results())
    assert shipped[0].subsets >= experiments.FEWEST == 6 and shipped[0].tested == context_curve.TESTED
    assert all(size.valid <= 0.11 * size.labeled for size in shipped)  # validation shrinks with training
