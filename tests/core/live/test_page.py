"""What the page is made of: numbers in 8 bits, examples of one's own, models that no page can hold."""

import json
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import core.__main__ as package
from core.common.config import ModelShape
from core.common.errors import BadInput
from core.elmo.model import BiLM
from core.live import notebook, page, weights
from core.live.pack import WIDE, Pack, as_packed, quantize
from core.text.tokens import character_ids

FOLDER = Path(page.__file__).parent


def test_a_row_is_rounded_to_a_127th_of_its_largest():
    matrix = np.array([[0.0, 0.0], [1.0, -0.5], [-1e-3, 1e-3]], np.float32)
    whole, scales = quantize(matrix)
    assert whole.tolist() == [[0, 0], [127, -64], [-127, 127]]
    assert np.abs(as_packed(matrix) - matrix).max() <= scales.max() / 2


def test_columns_are_padded_with_zeros():
    pack = Pack()
    pack.add_rows("m", np.ones((3, WIDE + 1), np.float32))
    assert pack._arrays["m"]["columns"] == 2 * WIDE


def test_what_rounding_takes_from_a_filter_is_given_back_at_what_it_answers_most():
    draw = np.random.default_rng(0)
    windows, embedding = draw.normal(size=(8, 3, 4)).astype(np.float32), draw.normal(size=(10, 4)).astype(np.float32)
    error = windows - as_packed(windows.reshape(8, -1)).reshape(windows.shape)
    strongest = embedding[(windows @ embedding.T).argmax(axis=2)]
    exact, packed = ((of * strongest).sum(axis=(1, 2)) for of in (windows, windows - error))
    np.testing.assert_allclose(packed + weights._strongest(error, windows, embedding), exact, rtol=1e-5)


def test_a_model_too_large_is_named_with_its_size():
    large = SimpleNamespace(shape=SimpleNamespace(n_parameters=93_600_000))
    with pytest.raises(BadInput, match="93 million weights; a page holds at most 32 million"):
        weights.add_network(Pack(), large)


def test_any_model_of_our_size_is_packed():
    shape = ModelShape(filters=((1, 4), (2, 8)), hidden=16, projection=8, n_highway=2)
    pack = Pack()
    facts = weights.add_network(pack, BiLM(shape))
    assert facts["shape"]["n_highway"] == 2 and len(facts["anchored"]) == 2
    assert {"highway.1.carry", "forward.0.input", "backward.1.output", "convolution.1.rest"} <= pack._arrays.keys()


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("size", [3, 10, 50])
def test_the_page_cuts_a_token_as_the_model_does(size):
    words = ["<S>", "</S>", "bank", "transformation", "x" * 60, "강" * 20, "na\u00efve"]
    script = f"{(FOLDER / 'network.js').read_text('utf-8')}; console.log(JSON.stringify({json.dumps(words)}.map((w) => characterIds(w, {size}))))"
    answer = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True, timeout=60).stdout
    assert json.loads(answer) == character_ids(words, size).tolist()


def test_the_page_is_told_how_many_characters_a_token_has():
    shape = ModelShape(filters=((1, 4), (2, 8)), hidden=16, projection=8, max_characters=10)
    assert weights.add_network(Pack(), BiLM(shape))["shape"]["max_characters"] == 10


@pytest.mark.parametrize("given", [[], {}, {"bank": "one"}, {"bank": ["one"]}, {"bank": ["one", ""]}, {"bank": ["one", 2]}])
def test_examples_that_are_none_are_named(given):
    with pytest.raises(BadInput, match=r"mine\.json"):
        page.read_examples(given, "mine.json")


def test_examples_of_one_s_own():
    assert page.read_examples({"bank": ["A bank.", "The bank."]}, "x") == [("bank", "A bank.", "The bank.")]


def test_a_folder_and_an_unwritable_place_are_one_line(tmp_path):
    with pytest.raises(BadInput, match="is a folder"):
        page.write(tmp_path, "x")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written"):
        page.write(tmp_path / "file" / "page.html", "x")
    assert page.write(tmp_path / "page.html", "é") == 2 and not list(tmp_path.glob("*.part"))


def test_the_command_refuses_before_it_works(tmp_path, call):
    (tmp_path / "mine.json").write_text('{"bank": ["one"]}')
    status, _, error = call("live", "--output", tmp_path / "page.html", "--examples", tmp_path / "mine.json")
    assert status == 2 and error.count("\n") == 1
    assert not (tmp_path / "page.html").exists()


def test_a_notebook_shows_the_page_at_its_sentences(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elmoscope.html").write_text("made before")
    shown = package.live("We sat on the bank.", 'The "bank" lent.', layer="1")
    assert isinstance(shown, notebook.LivePage)
    frame = str(shown._repr_html_())
    assert 'src="elmoscope.html#a=We%20sat%20on%20the%20bank.' in frame and "layer=1" in frame and '"bank"' not in frame
