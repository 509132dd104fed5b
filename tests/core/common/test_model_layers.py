"""Test the names and the number of layers of a model that is not opened."""

import json

import pytest

from core.common import model_layers
from core.common.config import ASSETS, MINI
from core.common.model_layers import Layers


@pytest.mark.parametrize("n", [2, 5, 13])
def test_every_space_of_a_model_has_a_name_of_its_own(n):
    for layers in (Layers(n), Layers(n, "my-bert")):
        assert layers.spaces == (*map(str, range(n)), "mix") and layers.top == str(n - 1)
        for name in (layers.title, layers.heading, layers.label):
            assert len({name(space) for space in layers.spaces}) == n + 1
        assert set(layers.some) <= set(layers.spaces) and len(layers.some) == (n + 1 if n <= 5 else 4)
        assert layers.at_depth("senses", Layers(13)) == "senses"


# of BERT, GPT-2, DistilBERT, T5 and BART, whose encoder alone is used
CONFIGS = [({"num_hidden_layers": 6}, 7), ({"n_layer": 12}, 13), ({"n_layers": 4}, 5), ({"num_layers": 2}, 3)]
CONFIGS += [({"encoder_layers": 3, "num_hidden_layers": 9}, 4), ({"text_config": {"num_hidden_layers": 5}}, 6)]


@pytest.mark.parametrize(("config", "n"), CONFIGS)
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
    wrong = (None, 0, -1, 2.5, "2", [2], float("inf"), float("nan"), 10**5, 10**30)
    broken = ["", "{}", "[1]", '{"lstm": 3}', '{"lstm":' * 100_000]
    broken += [json.dumps({**options, "lstm": {**options["lstm"], "n_layers": n}}) for n in (True, *wrong)]
    for name, texts in (("options", broken), ("config", [json.dumps({"num_hidden_layers": n}) for n in wrong])):
        for text in texts:
            (tmp_path / f"{name}.json").write_text(text)
            assert model_layers.of_folder(tmp_path) == Layers()
        (tmp_path / f"{name}.json").unlink()
