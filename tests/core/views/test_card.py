"""A model's papers: its log, its measures, and what is said where there are none."""

import json
from dataclasses import replace

import pytest

from core.common.config import ASSETS
from core.common.errors import CorruptArtifact
from core.common.significance import Paired
from core.elmo.models import model_fingerprint
from core.elmo.weights import load_bilm, save_safetensors
from core.views.card import knowledge_panels, measure_rows, read_card, read_log
from tests.tiny import SHAPE, tiny_encoder

LAYERS = ("0", "1", "2", "mix", "best_mix")
LESS = {"mean": 0.02, "low": -0.01, "high": 0.05, "p": 0.2, "groups": 9}


def measures() -> dict:
    """Return measures, some of them with the static context and the order of the layers."""
    tags = {name: {"accuracy": 0.8 + k / 100} for k, name in enumerate(LAYERS)}
    senses = {name: {"nearest": {"macro": 0.5 + k / 100}, "centroid": {"macro": 0.1}} for k, name in enumerate(LAYERS)}
    own = {name: {"one_nn": 0.4 + k / 10, "null": 0.39, "gap": k / 100} for k, name in enumerate(LAYERS)}
    all_words = {name: {"accuracy": 0.5, "with_frequency": {"accuracy": 0.6, "ambiguous": 0.55}} for name in LAYERS}
    for result in (tags, own, all_words):
        result["best_mix"]["weights"] = [0.5, 0.25, 0.25]
    senses["best_mix"] = {"nearest": {"macro": 0.6, "weights": [0.1, 0.8, 0.1]}, "centroid": {"macro": 0.2, "weights": [0, 0, 1]}}
    own["1"]["less_static"], senses["2"]["less_static"] = LESS, {"nearest": LESS, "centroid": LESS}
    own |= {"static": {"one_nn": 0.45}, "order": LESS}
    senses |= {"static": {"nearest": {"macro": 0.4}}, "order": {"nearest": LESS | {"low": 0.01}, "centroid": LESS}}
    return {
        "perplexity": {"forward": 90.04, "backward": 91.0, "tokens": 7, "command": "python -m core evaluate perplexity"},
        "tags": {**tags, "n": 3, "most_frequent": {"accuracy": 0.7}},
        "senses": {**senses, "n": 4, "most_frequent": {"macro": 0.45, "pooled": 0.6}},
        "all_words": {**all_words, "n": 8, "most_frequent": {"accuracy": 0.56, "ambiguous": 0.5}},
        "sentences": {**own, "n": 5, "spellings": 2},
    }


@pytest.fixture
def folder(tmp_path):
    save_safetensors(tiny_encoder().model, tmp_path / "model")
    return tmp_path / "model"


def test_a_model_with_weights_alone_has_a_card_of_its_shape_and_no_measures_of_other_weights(folder):
    card, model = read_card(folder, model_fingerprint(folder)), load_bilm(folder)
    assert card.shape == SHAPE and card.meta == {} and card.log is None and card.measures is None
    parts = {"char-CNN": [model.characters], "LSTMs": [model.forward_layers, model.backward_layers]}
    assert card.parameters == {name: sum(p.numel() for part in of for p in part.parameters()) for name, of in parts.items()}
    for fingerprint, shown in (("other", None), (model_fingerprint(folder), measures())):
        (folder / "measures.json").write_text(json.dumps({"fingerprint": fingerprint, "measures": measures()}))
        assert read_card(folder, model_fingerprint(folder)).measures == shown


def test_a_log_tells_steps_from_validations_and_where_each_stage_ended_and_what_is_none_is_refused_by_name(tmp_path):
    lines = [
        {"stage": "start", "types": 5},
        {"stage": "table", "step": 20, "tokens": 100, "loss": 6.0, "tokens_per_second": 10.0, "learning_rate": 0.1},
        {"stage": "table", "tokens": 200, "forward": 300.0, "backward": 310.0},
        {"stage": "characters", "r2": 0.7},
        {"stage": "joint", "step": 20, "tokens": 300, "loss": 5.0, "tokens_per_second": 9.0, "learning_rate": 0.1},
    ]
    (tmp_path / "log.json").write_text(json.dumps(lines))
    log = read_log(tmp_path / "log.json")
    assert log.ends() == {"table": 200, "joint": 300}
    assert [line["tokens"] for line in log.steps] == [100, 300] and [line["forward"] for line in log.validations] == [300.0]
    for text in ("{", "{}", "[1]", '[{"stage": "table", "loss": 1}]', '[{"stage": "table", "forward": 1, "tokens": "x"}]'):
        (tmp_path / "log.json").write_text(text)
        with pytest.raises(CorruptArtifact, match=r"log\.json"):
            read_log(tmp_path / "log.json")


def test_panels_and_table_have_every_measure_with_its_baselines_and_differences():
    panels = knowledge_panels(measures())
    assert [p.title for p in panels] == ["Parts of speech", "Senses of four words", "Senses of all words", "Senses in our sentences"]
    assert [p.baseline for p in panels] == [0.7, 0.45, 0.56, 0.39] and [p.static for p in panels] == [None, 0.4, None, 0.45]
    tags, four, every, own = panels
    assert four.accuracy == {"0": 0.5, "1": 0.51, "2": 0.52} and every.accuracy["2"] == 0.5  # all words by plain centroid, as published
    less = Paired(**LESS)
    assert (tags.order, own.order, four.order) == (None, less, replace(less, low=0.01))
    assert own.less_static == {"1": less} and four.less_static == {"2": less}
    rows = {row["measure"]: row for row in measure_rows(measures())}
    perplexity = rows["Perplexity: forward, backward"]
    assert perplexity["result"] == "90.0, 91.0" and perplexity["command"].startswith("python -m core evaluate")
    assert rows["Cosine within a sense minus across senses (one spelling)"]["layer 0"] == 0.0
    assert "PTB" in rows["Parts of speech (CoNLL-2000), linear probe"]["published"]
    plain, counted = rows["All-words senses (SemCor), nearest centroid"], rows["The same, weighted by the sense's frequency"]
    assert (plain["layer 2"], counted["layer 2"], counted["without context"]) == (0.5, 0.6, 0.56)
    ours = rows["Our own sentences, 1-NN leaving one out"]
    assert (ours["layer 2"], ours["its weights"]) == (0.6, "0.50, 0.25, 0.25")
    assert (ours["layer 1 minus static"], ours["layer 1 minus static, 95%"]) == (2.0, "[−1.0 to +5.0]")
    senses = rows["Word senses (Senseval-2: hard, interest, line, serve), nearest neighbor, macro"]
    assert senses["its weights"] == "0.10, 0.80, 0.10" and senses["layer 1 minus layer 2"] == 2.0
    assert senses["layer 1 minus layer 2, 95%"] == "[+1.0 to +5.0]"


@pytest.mark.parametrize("message", [None, [], "x", {"en": 3}, {}])
def test_a_card_that_says_nothing_is_empty_and_one_in_one_language_is_reported_in_every(message):
    card = read_card(ASSETS / "elmo-mini", "x")
    assert replace(card, meta={"card": message}).papers("en") == {}
    assert replace(card, meta={"card": {"How": "so", "Good for": 3}}).papers("ko") == {"How": "so", "Good for": "3"}
