"""Test pages with other models: any depth, a second model, a GPU, AllenNLP, transformers."""

import functools
import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
import torch

from core.common import device
from core.common.config import ModelShape
from core.common.memo import Kept
from core.common.model_layers import Layers
from core.elmo import models
from core.elmo.language_model import Softmax
from core.elmo.model import BiLM
from core.elmo.weights import save_safetensors
from core.engines.allennlp_engine import EngineResult
from pages._cached import cache
from pages._frame.in_use import THEIRS, InUse
from pages._models.compare import default_sides
from pages._widgets.components import presets
from tests.app.visit import PATHS, address_of, captions, html_of, opened, opened_whole, tables

SHAPE = ModelShape(filters=((1, 8), (2, 8), (3, 16)), character_dim=8, n_highway=1, hidden=24, projection=12, n_layers=1)
WITH_LAYERS = [f"pages/{name}.py" for name in ("neighbors", "mix", "about", "why", "predict")]
WORDS = ["</S>", "<S>", "<UNK>", "the", "bank", "river", "of", "money", "a", "."]


def random_model(folder: Path, n_layers: int) -> str:
    """Write a random biLM with `n` LSTM layers, and return its folder."""
    shape = replace(SHAPE, n_layers=n_layers)
    model = BiLM(shape, torch.Generator().manual_seed(n_layers))
    save_safetensors(model, folder, softmax=Softmax(len(WORDS), shape.projection), words=WORDS)
    return str(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a function from a number of LSTM layers to the folder of a random biLM, written once per number."""
    return functools.cache(lambda n_layers: random_model(tmp_path_factory.mktemp("models") / f"lstm-{n_layers}", n_layers))


@pytest.fixture
def deep(folder) -> str:
    return folder(4)


@pytest.mark.parametrize(("path", "n_layers"), [*((path, 4) for path in PATHS), *((path, 1) for path in WITH_LAYERS)])
def test_every_page_opens_with_a_model_of_any_depth(path, n_layers, folder):
    assert len(opened_whole(path, model=folder(n_layers)).title) == 1


@pytest.mark.parametrize(("path", "key"), {"app.py": "layer", "pages/neighbors.py": "nlayer", "pages/map.py": "view"}.items())
def test_missing_layers_in_an_address_are_replaced(path, key, folder):
    page = opened(path, model=folder(1), **{key: "2"})
    assert [info.value for info in page.info if "no layer 2" in info.value] == ["lstm\\-1 has no layer 2: its layers are 0 to 1."]
    assert page.session_state[key] in (None, "1", "mix", "senses") and key not in page.query_params
    if key == "nlayer":
        page = opened(path, model=folder(1), nlayer="mix", s="1,2,3")
        assert any("has 2 layers. Layer weights reset" in info.value for info in page.info) and page.text_input(key="s").value == "1,1"


def test_mix_has_a_slider_for_each_layer(folder):
    assert opened("pages/mix.py", model=folder(4)).slider(key="w4").label == "w₄, layer 4"
    assert [len(w) for _, w in presets(5).values()] == [5] * 6 and presets(33)["last"][1].count(6.0) == 4


def test_models_of_different_depth_are_compared_layer_by_layer(folder):
    sides = {"first": "elmo-mini · 2", "second": f"{folder(4)} · 4"}
    while (page := opened_whole("pages/compare.py", **sides)).get("progress"):
        pass
    table = next(item for item in tables(page) if "layers" in item)
    assert list(table["layers"]) == [3, 5] and (table["tokens per second"] > 0).all() and (table["weights, MB"] > 0).all()
    assert "elmo-mini is best at layer" in html_of(page) and "shuffled labels " in html_of(page)


PAIR = {"a": "A heron stood in the reeds by the bank.", "b": "Her bank closed three branches.", "ai": "bank", "bi": "bank"}


def test_home_shows_the_second_model_at_the_same_depth(deep):
    alone, both = opened("app.py", layer="1", **PAIR), opened_whole("app.py", layer="1", beside=deep, **PAIR)
    said = [next(item for item in html_of(page).split("What to notice.")[1:]) for page in (alone, both)]
    assert "lstm-4 at the same depth (layer 2): " in said[1] and "at the same depth" not in said[0]
    first, second = (tables(page)[0] for page in (alone, both))
    assert second[: len(first)].equals(first)
    assert [*second["vectors"][len(first) :]] == [*(f"lstm-4, layer {k}" for k in range(5)), "lstm-4, layer mix"]


def test_layers_of_two_models_are_aligned_by_depth():
    assert [Layers(3).at_depth(space, Layers(7)) for space in Layers(3).spaces] == ["0", "3", "6", "mix"]
    assert [Layers(7).at_depth(space, Layers(3)) for space in ("0", "3", "6", "mix")] == ["0", "1", "2", "mix"]


def test_neighbors_lists_those_of_the_second_model(deep):
    page = opened_whole("pages/neighbors.py", beside=deep, nlayer="2", among="same word", **PAIR)
    message = html_of(page)
    assert "In lstm-4, layer 4, they share" in message and message.count('data-take="a:') == 8  # a click takes from the first model's lists
    assert {"First sentence", "Second sentence", "lstm-4: First sentence", "lstm-4: Second sentence"} <= set(tables(page)[-1]["context"])


def test_switch_of_the_model_keeps_sentences_and_depth(deep):
    page = opened("pages/mix.py", beside=deep, **PAIR)
    page.session_state["nlayer"] = "1"
    page.segmented_control(key="front").set_value("2").run()
    assert address_of(page, "front") == "2"
    assert [item.key for item in page.slider if item.key.startswith("w")] == ["w0", "w1", "w2", "w3", "w4"]
    assert page.session_state["nlayer"] == "2" and page.session_state["a"] == PAIR["a"]
    assert not page.info  # nothing had to be forgotten


def test_compare_opens_on_the_two_models(deep):
    assert "lstm-4 is hidden" in captions(opened("pages/results.py", beside=deep))
    in_use = InUse("elmo-mini", "glove-mini", "sentences", "Elmoscope")
    assert default_sides(replace(in_use, other_model=deep)) == ("elmo-mini · 2", f"{deep} · 4")
    assert default_sides(in_use) == ("glove-mini", "elmo-mini · 2")


def test_invalid_second_model_is_explained():
    page = opened("app.py", beside="/no/such/model", **PAIR)
    assert any("Unknown model" in item.value for item in page.error) and "cosine" in html_of(page)
    assert "Choose two models of one language" in captions(opened_whole("app.py", beside="elmo-ko-mini", **PAIR))


def test_device_is_offered_only_with_a_gpu_and_the_model_is_opened_on_the_chosen_one(monkeypatch):
    request, open_model = [], models.open_model

    def opened_there(name: str, *, device: str = "cpu", **given):
        request.append(device)
        return open_model(name, **given)  # there is no card here

    monkeypatch.setattr(cache, "open_model", opened_there)
    monkeypatch.setattr(cache, "memo", Kept())  # nothing was opened or computed before
    monkeypatch.setattr(device, "present", lambda: ("cpu",))
    page = opened("pages/map.py", device="cuda")  # a link from a machine that has a card
    assert "device" not in {box.key for box in page.selectbox}
    monkeypatch.setattr(device, "present", lambda: ("cuda", "cpu"))
    box = opened("pages/neighbors.py").selectbox(key="device")
    assert box.value == "cpu" and box.options == ["CPU", "GPU (CUDA)"]
    assert set(request) == {"cpu"}  # never a card unasked
    monkeypatch.setattr(cache, "memo", Kept())
    box.set_value("cuda").run()
    assert request[-1] == "cuda"


@pytest.mark.parametrize("path", ["app.py", "pages/predict.py"])
def test_difference_from_allennlp_is_in_the_sidebar(monkeypatch, path: str):
    def embed(name: str, sentences: tuple[tuple[str, ...], ...]) -> EngineResult:
        layers = [each + 0.25 for each in cache.model(name).encoder.encode([list(tokens) for tokens in sentences])]
        return EngineResult(layers=layers, seconds=1.5, load_seconds=0.0)

    monkeypatch.setattr(cache.allennlp_setup, "is_ready", lambda: True)
    monkeypatch.setattr(cache, "by_allennlp", embed)
    lines = [item.value for item in opened_whole(path, engine=THEIRS).sidebar.caption]
    assert any("at most 2.5e-01. It took 1500 ms, Elmoscope " in line for line in lines)


needs_package = pytest.mark.skipif(find_spec("transformers") is None, reason="tests/requirements-transformers.txt is not installed")
ALONE = {"pages/how.py": "without char-CNN or LSTMs", "pages/predict.py": "predicts no words"}


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> str:
    from tests.core.engines.test_transformer import bert

    return str(bert(tmp_path_factory.mktemp("models") / "my-bert", layers=6))


@needs_package
@pytest.mark.parametrize("path", PATHS)
def test_every_page_opens_with_a_transformer_or_says_that_it_needs_elmo(bert, path):
    page = opened_whole(path, model=bert)
    assert len(page.title) == 1
    if path in ALONE:
        assert ALONE[path] in html_of(page) and html_of(page).count("What to notice") == 1


@needs_package
def test_layers_of_a_transformer_are_on_a_slider(bert):
    page = opened("pages/neighbors.py", model=bert, nlayer="3")
    slider = page.select_slider(key="nlayer")
    assert slider.options == ["the embeddings", *(f"layer {k} of 6" for k in range(1, 7)), "the layer mix"] and slider.value == "3"
    assert html_of(page).count("my-bert, ") == 2 and address_of(page, "nlayer") == "3"
    assert [item.key for item in opened("pages/mix.py", model=bert).slider if item.key.startswith("w")] == [f"w{k}" for k in range(7)]
    assert "dhalf" not in opened("pages/why.py", model=bert).session_state  # it has no direction


@needs_package
def test_masked_language_model_predicts_a_word(tmp_path):
    from tests.core.engines.test_transformer import with_head

    page = opened_whole("pages/predict.py", model=str(with_head(tmp_path / "masked-bert")), ptext="We sat on the bank.", pat="bank")
    assert "In place of “bank”, from both sides" in html_of(page) and html_of(page).count("What to notice") == 1
    offered = [item for item in page.button if str(item.key).startswith("masked_")]
    assert len(offered) == 10 and "pheat" not in {item.key for item in page.slider}  # nothing is drawn
    word = offered[0].label.split("**")[1].removeprefix("…")
    offered[0].click().run()
    assert f"on the {word}" in page.text_area(key="ptext").value


@pytest.mark.skipif(find_spec("transformers") is not None, reason="the package is installed")
@pytest.mark.parametrize("path", ["app.py", "pages/neighbors.py", "pages/map.py", "pages/how.py", "pages/compare.py"])
def test_missing_transformers_package_is_explained(tmp_path, path):
    folder = tmp_path / "my-bert"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "num_hidden_layers": 4}))
    (folder / "model.safetensors").write_bytes(b"\0" * 16)
    page = opened(path, model=str(folder))
    assert any("my\\-bert is a transformer" in item.value and "pip install transformers" in item.value for item in page.error)
