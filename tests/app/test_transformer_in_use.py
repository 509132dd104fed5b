"""A transformer in ELMo's place: every page about words shows it, and what belongs to ELMo alone says so in one sentence."""

import json
from importlib.util import find_spec

import pytest

from tests.app.visit import PATHS
from tests.app.visit import html_of, opened

needs_package = pytest.mark.skipif(find_spec("transformers") is None, reason="tests/requirements-transformers.txt is not installed")
ALONE = {"pages/how.py": "without char-CNN or LSTMs", "pages/predict.py": "predicts no words"}


@pytest.fixture(scope="module")
def bert(tmp_path_factory) -> str:
    from tests.core.engines.test_transformer import bert

    return str(bert(tmp_path_factory.mktemp("models") / "my-bert", layers=6))


@needs_package
@pytest.mark.parametrize("path", [path for path in PATHS if path not in ALONE])
def test_every_page_about_words_opens_with_a_transformer(bert, path):
    page = opened(path, model=bert)
    assert not page.exception and not page.error, [item.value for item in page.error]
    assert len(page.title) == 1


@needs_package
def test_its_layers_stand_on_a_slider_by_their_names(bert):
    page = opened("pages/neighbors.py", model=bert, nlayer="3")
    slider = page.select_slider(key="nlayer")
    assert slider.options == ["the embeddings", *(f"layer {k} of 6" for k in range(1, 7)), "the layer mix"] and slider.value == "3"
    assert html_of(page).count("my-bert, ") == 2 and page.query_params["nlayer"] in ("3", ["3"])
    assert [item.key for item in opened("pages/mix.py", model=bert).slider if item.key.startswith("w")] == [f"w{k}" for k in range(7)]


@needs_package
@pytest.mark.parametrize(("path", "said"), ALONE.items())
def test_what_belongs_to_elmo_alone_says_so_and_leads_on(bert, path, said):
    page = opened(path, model=bert)
    assert not page.exception and not page.error and said in html_of(page)
    assert html_of(page).count("What to notice") == 1


@needs_package
def test_a_head_for_masked_words_is_asked_what_stands_in_a_word_s_place(tmp_path):
    from tests.core.engines.test_masked import with_head

    page = opened("pages/predict.py", model=str(with_head(tmp_path / "masked-bert")), ptext="We sat on the bank.", pat="bank")
    assert not page.exception and not page.error
    message = [block.proto.body for block in page.get("html")]
    assert (
        sum("In place of “bank”, from both sides" in item for item in message) == 1
        and sum("What to notice" in item for item in message) == 1
    )
    offered = [item for item in page.button if str(item.key).startswith("masked_")]
    assert len(offered) == 10
    assert page.title[0].value == "What word could stand here?" and "pheat" not in {item.key for item in page.slider}  # nothing is drawn
    word = offered[0].label.split("**")[1].removeprefix("…")
    offered[0].click().run()
    assert not page.exception and f"on the {word}" in page.text_area(key="ptext").value


@needs_package
def test_no_half_of_its_vectors_is_asked_about(bert):
    page = opened("pages/why.py", model=bert)
    assert "dhalf" not in page.session_state and "Past, future, both" not in html_of(page)
    assert "dhalf" in opened("pages/why.py").session_state


@pytest.mark.skipif(find_spec("transformers") is not None, reason="the package is installed")
@pytest.mark.parametrize("path", ["app.py", "pages/neighbors.py", "pages/map.py", "pages/how.py", "pages/compare.py"])
def test_without_the_package_one_sentence_says_how_to_get_it(tmp_path, path):
    folder = tmp_path / "my-bert"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "num_hidden_layers": 4}))
    (folder / "model.safetensors").write_bytes(b"\0" * 16)
    page = opened(path, model=str(folder))
    assert not page.exception
    assert any("my\\-bert is a transformer" in item.value and "pip install transformers" in item.value for item in page.error)
