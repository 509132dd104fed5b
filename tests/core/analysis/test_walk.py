"""The walk shows the model's own numbers: every stage against the encoder, the LSTM's and filters' by their equations."""

import functools

import numpy as np
import pytest
import torch

from core.analysis.walk import walk
from core.common.config import ModelShape
from core.common.errors import BadInput
from core.elmo.encoder import Encoder
from core.elmo.model import BiLM
from core.elmo.models import BUNDLED_MODEL, open_model
from core.figures.walk import heat_figure, limit_of
from core.text.tokens import character_ids, tokenize

torch.set_num_threads(1)
SHAPES = {  # with highway layers, with none but whole-word windows, without skip connections, three LSTMs
    "highways": ModelShape(filters=((1, 4), (2, 4), (3, 8)), hidden=12, projection=6, n_highway=2),
    "wide": ModelShape(filters=((1, 4), (7, 20), (12, 40), (50, 5)), hidden=12, projection=6, n_highway=0),
    "plain": ModelShape(filters=((3, 8),), hidden=5, projection=4, n_highway=1, n_layers=3, skip_connections=False),
    "clipped": ModelShape(filters=((3, 8),), hidden=9, projection=4, cell_clip=0.005, projection_clip=0.002),
}


@functools.cache
def encoder_of(name: str) -> Encoder:
    """Return the bundled model without the spellings that ship, which another processor rounded, or a small random one."""
    if name == "bundled":
        return Encoder(open_model(BUNDLED_MODEL).encoder.model)
    torch.manual_seed(1)
    model = BiLM(SHAPES[name])
    for convolution in model.characters.convolutions:
        torch.nn.init.normal_(convolution.bias, std=0.1)
    return Encoder(model)


close = functools.partial(np.testing.assert_allclose, atol=1e-5, rtol=0)


def check(encoder: Encoder, tokens: list[str], position: int) -> None:
    way, p = walk(encoder, tokens, position), encoder.model.shape.projection
    layers = encoder.encode([tokens])[0]
    close(way.layers, layers)
    close(way.vector, encoder.word_vectors([tokens[position]])[0])
    with torch.inference_mode():
        close(way.pooled, encoder.model.characters.pooled(torch.from_numpy(character_ids([tokens[position]])))[0])
    for direction, half in ((way.forward, slice(p)), (way.backward, slice(p, None))):
        close(direction.outputs[:, 1:-1], layers[1:, :, half])
        for step, layer in zip(direction.steps, layers[1:], strict=True):
            close(step.half, layer[position, half])
    assert way.shares.sum() + way.bias_share == pytest.approx(1, abs=1e-4)


ODD = [["bank"], ["눈이", "온다"], ["x" * 80, "é", "🎉"], ["\ud800", "a"], ["<S>", "</S>"]]


@pytest.mark.parametrize("name", ["bundled", *SHAPES])
def test_any_shape_and_any_token_is_walked_to_the_encoders_own_numbers(name: str):
    for tokens in [tokenize("We sat on the grassy bank and watched the boats go by.")] if name == "bundled" else ODD:
        for position in {0, len(tokens) // 2, len(tokens) - 1}:
            check(encoder_of(name), tokens, position)


def test_clips_are_counted_where_they_bite():
    way = walk(encoder_of("clipped"), ["the", "bank"], 1)
    for step in (*way.forward.steps, *way.backward.steps):
        assert step.n_cells_clipped == (np.abs(step.cell) >= np.float32(0.005)).sum()
        assert np.abs(step.output).max() <= np.float32(0.002)
    assert any(step.n_cells_clipped for step in way.forward.steps) and any(step.n_outputs_clipped for step in way.forward.steps)


def test_highway_steps_are_equation_3_and_lead_on_from_the_filters():
    way = walk(encoder_of("highways"), ["bank"], 0)
    assert len(way.highways) == 2 and not walk(encoder_of("wide"), ["bank"], 0).highways
    for step, x in zip(way.highways, (way.pooled, way.highways[0].y), strict=True):
        close(step.x, x)
        close(step.y, step.gate * step.transformed + (1 - step.gate) * step.x)
        assert ((step.gate > 0) & (step.gate < 1)).all() and (step.transformed >= 0).all()


def test_a_token_is_spelled_in_bytes_with_marks_and_windows_read_on_into_the_padding():
    spelling = walk(encoder_of("wide"), ["née"], 0).spelling
    assert spelling.signs == ("⟨", "n", "c3", "a9", "e", "⟩") and spelling.characters == ("", "n", "é", "é", "e", "")
    assert spelling.ids[: spelling.used].tolist() == [259, 111, 196, 170, 102, 260] and (spelling.ids[spelling.used :] == 261).all()
    assert spelling.window(4, 4) == "e⟩··" and spelling.window(20, 3) == "···"
    korean = walk(encoder_of("bundled"), ["\u2060은행"], 0).spelling
    assert korean.window(0, 11) == "⟨-은행⟩" and korean.window(5, 5) == "9d80행"  # a character of which bytes are missing stays bytes
    assert (spelling.left_out, walk(encoder_of("wide"), ["x" * 60], 0).spelling.left_out) == (0, 12)


def test_a_filters_window_is_found_by_its_number_and_what_is_not_there_is_refused():
    way = walk(encoder_of("highways"), ["bank"], 0)
    assert way.filter_window(4 + 3) == (2, way.spelling.window(int(way.banks[1].places[3]), 2))
    for tokens, position, message in (([], 0, "Empty sentence"), (["a"], 1, "Position 1 is outside")):
        with pytest.raises(BadInput, match=message):
            walk(encoder_of("wide"), tokens, position)


def test_the_cells_shown_are_those_that_moved_most_and_a_heat_map_has_zero_in_its_middle():
    step = walk(encoder_of("highways"), ["the", "bank"], 1).forward.steps[0]
    moved = np.abs(step.cell - step.cell_before)
    assert moved[step.most_moved(3)].tolist() == sorted(moved, reverse=True)[:3]
    assert step.arithmetic(7).startswith(r"\small c_{7} \approx ") and step.arithmetic(7).endswith(rf" \approx {step.cell[7]:.2f}")
    figure = heat_figure(np.array([[-1.0, np.nan, 4.0]]), ["row"], key="k", limit=2.0)
    assert (figure.data[0].zmin, figure.data[0].zmax) == (-2.0, 2.0)
    assert list(figure.data[0].colorbar.ticktext) == ["≤ −2", "0", "≥ 2"]  # numbers go beyond its scale
    assert limit_of(np.array([np.nan, -3.0]), share=100.0) == 3.0 and limit_of(np.zeros(4)) > 0
