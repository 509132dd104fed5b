"""Models of any depth: random biLMs of one, three and four LSTM layers open every page, and what they have not is said."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from core.common.config import ModelShape
from core.elmo.language_model import Softmax
from core.elmo.model import BiLM
from core.elmo.weights import save_safetensors
from pages._widgets.components import presets
from tests.app.visit import PATHS
from tests.app.visit import html_of, opened, tables

SHAPE = ModelShape(filters=((1, 8), (2, 8), (3, 16)), character_dim=8, n_highway=1, hidden=24, projection=12, n_layers=1)
WITH_LAYERS = [f"pages/{name}.py" for name in ("neighbors", "mix", "about", "why", "predict")]
WORDS = ["</S>", "<S>", "<UNK>", "the", "bank", "river", "of", "money", "a", "."]


def random_model(folder: Path, n_layers: int) -> Path:
    """A folder with a random biLM of so many LSTM layers."""
    shape = replace(SHAPE, n_layers=n_layers)
    model = BiLM(shape, torch.Generator().manual_seed(n_layers))
    save_safetensors(model, folder, softmax=Softmax(len(WORDS), shape.projection), words=WORDS)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Makes a folder with a random biLM of so many LSTM layers, once."""
    made: dict[int, Path] = {}

    def of(n_layers: int) -> str:
        if n_layers not in made:
            made[n_layers] = random_model(tmp_path_factory.mktemp("models") / f"lstm-{n_layers}", n_layers)
        return str(made[n_layers])

    return of


@pytest.mark.parametrize(("path", "n_layers"), [*((path, 4) for path in PATHS), *((path, 1) for path in WITH_LAYERS)])
def test_every_page_opens_with_a_model_of_any_depth(path, n_layers, folder):
    page = opened(path, model=folder(n_layers))
    assert not page.exception, [item.value for item in page.exception]
    assert len(page.title) == 1
    assert not page.error, [item.value for item in page.error]


ADDRESSES = {"app.py": "layer", "pages/neighbors.py": "nlayer", "pages/map.py": "view"}


@pytest.mark.parametrize(("path", "key"), ADDRESSES.items())
def test_an_address_that_names_a_layer_which_the_model_has_not_opens_at_its_top_and_says_so(path, key, folder):
    page = opened(path, model=folder(1), **{key: "2"})
    message = [info.value for info in page.info if "no layer 2" in info.value]
    assert message == ["lstm\\-1 has no layer 2: its layers are 0 to 1."] and not page.exception
    assert page.session_state[key] in (None, "1", "mix", "senses") and key not in page.query_params


def test_of_a_model_that_is_not_there_no_layers_are_told():
    page = opened("pages/neighbors.py", model="nonsense", nlayer="9", s="1,2")
    assert not page.info and "Unknown model" in page.error[-1].value


def test_weights_of_another_depth_give_way_to_equal_ones(folder):
    page = opened("pages/neighbors.py", model=folder(3), nlayer="mix", s="1,2,3")
    assert any("has 4 layers. Layer weights reset" in info.value for info in page.info)
    assert page.text_input(key="s").value == "1,1,1,1" and not page.error and not page.exception


def test_the_sliders_of_a_mix_are_the_model_s_own(folder):
    page = opened("pages/mix.py", model=folder(4))
    assert [slider.key for slider in page.slider if slider.key.startswith("w")] == ["w0", "w1", "w2", "w3", "w4"]
    assert page.slider(key="w4").label == "w₄, layer 4"
    assert [len(w) for _, w in presets(5).values()] == [5] * 6 and presets(33)["last"][1].count(6.0) == 4


def test_two_models_are_set_beside_each_other_layer_by_layer(folder):
    page = opened("pages/compare.py", first="elmo-mini · 2", second=f"{folder(4)} · 4")
    while "all sentences are read" in html_of(page) or any(button.key == "compare.stop" for button in page.button):
        page = opened("pages/compare.py", first="elmo-mini · 2", second=f"{folder(4)} · 4")
    assert not page.exception and not page.error
    table = next(item for item in tables(page) if "layers" in item)
    assert list(table["layers"]) == [3, 5] and (table["tokens per second"] > 0).all() and (table["weights, MB"] > 0).all()
    assert "elmo-mini is best at layer" in html_of(page) and "shuffled labels " in html_of(page)
