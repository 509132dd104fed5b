"""Test the names and the number of layers of a model that is not opened."""

import json

import pytest

from core.common import i18n, model_layers
from core.common.config import ASSETS, MINI
from core.common.model_layers import Layers
from core.figures.style import LAYER_COLORS, layer_color


@pytest.mark.parametrize("n", [2, 3, 5, 13, 33])
def test_every_space_of_a_model_has_a_name_of_its_own(n):
    for layers in (Layers(n), Layers(n, "my-bert")):
        assert layers.spaces == (*map(str, range(n)), "mix") and layers.top == str(n - 1)
        for name in (layers.title, layers.heading, layers.label):
            assert len({name(space) for space in layers.spaces}) == n + 1
        assert set(layers.some) <= set(layers.spaces) and len(layers.some) == (n + 1 if n <= 5 else 4)


def test_the_layers_of_other_models_are_named_and_the_sense_space_stays_itself_at_any_depth():
    bert = Layers(7, "my-bert")
    assert [bert.title(space) for space in ("0", "3", "mix")] == ["the embeddings", "layer 3 of 6", "the layer mix"]
    i18n.use("ko")
    assert bert.title("3") == "6층 가운데 3층"
    assert Layers().at_depth("senses", Layers(13)) == "senses" and "senses" not in Layers().spaces


def test_colors_go_from_light_to_dark_however_many_layers_there_are():
    assert [layer_color(space) for space in Layers().spaces] == list(LAYER_COLORS.values())
    model_layers.use(Layers(13, "deep"))
    blues = [layer_color(space) for space in Layers(13).alone]
    assert len(set(blues)) == 13 and (blues[0], blues[-1]) == (LAYER_COLORS["0"], LAYER_COLORS["2"])
    assert [int(item[1:3], 16) for item in blues] == sorted((int(item[1:3], 16) for item in blues), reverse=True)


@pytest.mark.parametrize(
    ("config", "n"),
    [
        ({"num_hidden_layers": 6}, 7),  # BERT and its like
        ({"n_layer": 12}, 13),  # GPT-2
        ({"n_layers": 4}, 5),  # DistilBERT
        ({"num_layers": 2}, 3),  # T5
        ({"encoder_layers": 3, "num_hidden_layers": 9}, 4),  # BART, whose encoder alone is used
        ({"text_config": {"num_hidden_layers": 5}}, 6),
    ],
)
def test_a_transformer_s_depth_is_read_from_its_configuration(tmp_path, config, n):
    folder = tmp_path / "a<b>'s"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(config))
    assert model_layers.of_folder(folder) == Layers(n, "a-b--s")


def test_an_elmo_s_depth_is_read_from_its_options_and_what_cannot_be_read_is_elmo_mini_s(tmp_path):
    assert model_layers.name_of(tmp_path / "models--someone--tiny-bert" / "snapshots" / "0a1b2c") == "tiny-bert"  # of the hub
    assert model_layers.of_folder(ASSETS / "elmo-mini") == Layers(3)
    options = MINI.to_options()
    options["lstm"]["n_layers"] = 4
    (tmp_path / "options.json").write_text(json.dumps(options))
    assert model_layers.of_folder(tmp_path) == Layers(5)
    broken = ["", "{}", "[1]", '{"lstm": 3}', '{"lstm":' * 100_000]
    for n in (None, True, 0, -1, 2.5, "2", [2], float("inf"), float("nan"), 10**5, 10**30):
        options["lstm"]["n_layers"] = n
        broken.append(json.dumps(options))
    for text in broken:
        (tmp_path / "options.json").write_text(text)
        assert model_layers.of_folder(tmp_path) == Layers()
    (tmp_path / "options.json").unlink()
    for n in (None, 0, -1, 2.5, "2", [2], float("inf"), 10**30):
        (tmp_path / "config.json").write_text(json.dumps({"num_hidden_layers": n}))
        assert model_layers.of_folder(tmp_path) == Layers()
