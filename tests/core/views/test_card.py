"""A model's papers: its log, its measures, and what is said where there are none."""

import json
from dataclasses import replace

import pytest

from core.common.config import ASSETS
from core.common.errors import CorruptArtifact
from core.elmo.models import model_fingerprint
from core.elmo.weights import load_bilm, save_safetensors
from core.views.card import measure_rows, read_card, read_log
from tests.tiny import SHAPE, tiny_encoder


@pytest.fixture
def folder(tmp_path):
    save_safetensors(tiny_encoder().model, tmp_path / "model")
    return tmp_path / "model"


def test_a_model_with_weights_alone_has_a_card_of_its_shape_and_no_measures_of_other_weights(folder):
    card, model = read_card(folder, model_fingerprint(folder)), load_bilm(folder)
    assert card.shape == SHAPE and card.meta == {} and card.log is None and card.measures is None
    parts = {"char-CNN": [model.characters], "LSTMs": [model.forward_layers, model.backward_layers]}
    assert card.parameters == {name: sum(p.numel() for part in of for p in part.parameters()) for name, of in parts.items()}
    for fingerprint, shown in (("other", None), (model_fingerprint(folder), {"senses": {}})):
        (folder / "measures.json").write_text(json.dumps({"fingerprint": fingerprint, "measures": {"senses": {}}}))
        assert read_card(folder, model_fingerprint(folder)).measures == shown


def test_a_log_tells_steps_from_validations_and_where_each_stage_ended_and_what_is_none_is_refused_by_name(tmp_path):
    lines = [{"stage": "start", "types": 5}, {"stage": "table", "tokens": 100, "loss": 6.0}, {"stage": "characters", "r2": 0.7}]
    lines += [{"stage": "table", "tokens": 200, "forward": 300.0}, {"stage": "joint", "tokens": 300, "loss": 5.0}]
    (tmp_path / "log.json").write_text(json.dumps(lines))
    log = read_log(tmp_path / "log.json")
    assert log.ends() == {"table": 200, "joint": 300}
    assert [line["tokens"] for line in log.steps] == [100, 300] and [line["forward"] for line in log.validations] == [300.0]
    for text in ("{", "{}", "[1]", '[{"stage": "table", "loss": 1}]', '[{"stage": "table", "forward": 1, "tokens": "x"}]'):
        (tmp_path / "log.json").write_text(text)
        with pytest.raises(CorruptArtifact, match=r"log\.json"):
            read_log(tmp_path / "log.json")


def test_the_table_has_every_measure_with_its_baselines_and_differences(model):
    measures = read_card(model.folder, model.fingerprint).measures
    rows, own = {row["measure"]: row for row in measure_rows(measures)}, measures["sentences"]
    row, counted = rows["Our own sentences, 1-NN leaving one out"], rows["The same, weighted by the sense's frequency"]
    columns = ("without context", "layer 1", "best mix", "other words’ static vectors")
    expected = own["0"]["null"], *(own[name]["one_nn"] for name in ("1", "best_mix", "static"))
    assert tuple(row[column] for column in columns) == pytest.approx(expected, abs=1e-4)
    assert row["layer 1 minus static"] == pytest.approx(100 * own["1"]["less_static"]["mean"], abs=0.05)
    assert counted["layer 2"] == pytest.approx(measures["all_words"]["2"]["with_frequency"]["accuracy"], abs=1e-4)
    assert rows["Cosine within a sense minus across senses (one spelling)"]["mix"] == pytest.approx(own["mix"]["gap"], abs=1e-4)


def test_a_card_that_says_nothing_is_empty_and_one_in_one_language_is_reported_in_every():
    card = read_card(ASSETS / "elmo-mini", "x")
    assert [replace(card, meta={"card": papers}).papers("en") for papers in (None, [], "x", {"en": 3}, {})] == [{}] * 5
    assert replace(card, meta={"card": {"How": "so", "Good for": 3}}).papers("ko") == {"How": "so", "Good for": "3"}
