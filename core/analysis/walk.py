"""One token's way through the biLM with all intermediate numbers: characters, filters, highway, LSTM gates, layers.

The numbers are the model's own. Its parts run one after another; what they do not return (the windows of a filter, the gates of an LSTM
step) is computed from their weights by the equations that the parts cite. Shapes follow `core.elmo.model`: projection P, cell H, F
filters, T tokens, L layers.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from ..common.device import device_of
from ..elmo.encoder import Encoder
from ..elmo.model import BiLM, CharacterCNN, Highway, ProjectedLSTM
from ..index.rows import check_place_in
from ..text.tokens import BEGIN_SENTENCE, END_SENTENCE, END_WORD, JOINER, PADDING, SENTENCE_BEGIN, SENTENCE_END, character_ids

BEGIN_SIGN, END_SIGN, PADDING_SIGN = "⟨", "⟩", "·"  # how the marks round a word are written, the same in every language
STRONGEST = 3  # filters of each width that are returned with all their windows


@dataclass(frozen=True, slots=True)
class Spelling:
    """A token as ELMo reads it."""

    ids: np.ndarray  # (S,) int64, padded to the model's size: 50 in ELMo
    signs: tuple[str, ...]  # the marks and bytes before the padding: a printable ASCII character, a mark, else hex
    characters: tuple[str, ...]  # the character each byte is of; "" at the marks
    vectors: np.ndarray  # (S, d) of the ids
    left_out: int  # bytes of the token beyond the first S - 2, which the model never sees

    @property
    def used(self) -> int:
        """Return the number of marks and bytes before the padding."""
        return len(self.signs)

    def window(self, place: int, width: int) -> str:
        """Return the characters a filter covers at a place, padding included; bytes of incomplete characters in hex."""
        text = ""
        end = place + width
        while place < end:
            character = self.characters[place] if place < self.used else ""
            size = len(character.encode("utf-8", "ignore"))
            if is_complete := size > 1 and self.ids[place] > 0xC0 and place + size <= min(end, self.used):  # an id is its byte and one
                text += "-" if character == JOINER else character
            else:
                text += self.signs[place] if place < self.used else PADDING_SIGN
            place += size if is_complete else 1
        return text


@dataclass(frozen=True, slots=True)
class FilterBank:
    """All filters of one width (Kim et al. 2016, section 2.2, with ReLU for tanh as in ELMo)."""

    width: int
    pooled: np.ndarray  # (n,) each filter's highest answer anywhere in the token, after ReLU
    places: np.ndarray  # (n,) where it was given; a place is a window's first character
    strongest: np.ndarray  # (k,) numbers of the filters with the highest of these, highest first
    answers: np.ndarray  # (k, places) their answers before ReLU


@dataclass(frozen=True, slots=True)
class HighwayStep:
    """y = g * transformed + (1 - g) * x, all (F,) (Srivastava et al. 2015, eq. 3)."""

    x: np.ndarray
    transformed: np.ndarray
    gate: np.ndarray
    y: np.ndarray


@dataclass(frozen=True, slots=True)
class LSTMStep:
    """One layer's step at the token (Sak et al. 2014, eqs. 1-7, without peepholes; clips as in ELMo)."""

    x: np.ndarray  # (P,) what comes in from below
    cell_before: np.ndarray  # (H,)
    input_gate: np.ndarray  # (H,), 0 to 1 as the other gates
    forget_gate: np.ndarray  # (H,)
    output_gate: np.ndarray  # (H,)
    candidate: np.ndarray  # (H,), -1 to 1
    cell: np.ndarray  # (H,) clipped
    hidden: np.ndarray  # (H,) output gate * tanh(cell)
    output: np.ndarray  # (P,) projected and clipped
    skip: np.ndarray  # (P,) what the skip connection adds: x, or zeros
    n_cells_clipped: int
    n_outputs_clipped: int

    @property
    def half(self) -> np.ndarray:
        """Return this direction's half (P,) of the layer."""
        return self.output + self.skip

    def most_moved(self, n: int) -> np.ndarray:
        """Return the numbers (n,) of the cells that this step changed most, most changed first."""
        return np.argsort(-np.abs(self.cell - self.cell_before), kind="stable")[:n]

    def arithmetic(self, c: int) -> str:
        """Return a cell's new value as LaTeX with its numbers filled in."""
        f, before, i, g, cell = (float(a[c]) for a in (self.forget_gate, self.cell_before, self.input_gate, self.candidate, self.cell))
        before, g = (f"{v:.2f}" if v >= 0 else f"({v:.2f})" for v in (before, g))
        return rf"\small c_{{{c}}} \approx {f:.2f} \cdot {before} + {i:.2f} \cdot {g} \approx {cell:.2f}"


@dataclass(frozen=True, slots=True)
class Direction:
    """One stack of LSTMs over the sentence with its boundary tokens, in the order of the sentence."""

    outputs: np.ndarray  # (L - 1, T + 2, P), skip connections added
    steps: tuple[LSTMStep, ...]  # the token's steps, one a layer


@dataclass(frozen=True, slots=True)
class Walk:
    """Every stage of one token in its sentence."""

    tokens: tuple[str, ...]
    position: int
    spelling: Spelling
    banks: tuple[FilterBank, ...]
    highways: tuple[HighwayStep, ...]
    vector: np.ndarray  # (P,) the char-CNN's answer
    shares: np.ndarray  # (F,) part of the vector's squared length that each filter (behind the highway) brings; 1 with the bias's
    bias_share: float
    forward: Direction
    backward: Direction
    layers: np.ndarray  # (L, T, D)

    @property
    def pooled(self) -> np.ndarray:
        """Return the maximum activation of every filter (F,), width by width."""
        return np.concatenate([bank.pooled for bank in self.banks])

    def filter_window(self, number: int) -> tuple[int, str]:
        """Return the width and the text of the window where a filter, numbered among all F, had its maximum."""
        firsts = np.cumsum([0, *(len(bank.pooled) for bank in self.banks)])
        k = int(np.searchsorted(firsts, number, side="right")) - 1  # the bank that has it
        bank = self.banks[k]
        return bank.width, self.spelling.window(int(bank.places[number - firsts[k]]), bank.width)


def walk(encoder: Encoder, tokens: Sequence[str], position: int) -> Walk:
    """Return every stage of the token at `position`. Raises BadInput for an empty sentence or a position outside it."""
    check_place_in(tokens, position)
    model = encoder.model
    with torch.inference_mode():
        spelling, banks = read_spelling(model.characters, tokens[position])
        pooled = torch.from_numpy(np.concatenate([bank.pooled for bank in banks])).to(encoder.device)
        highways, y = _highways(model.characters.highways, pooled)
        vector = model.characters.projection(y)
        shares, bias_share = _shares(model.characters, y, vector)
        x = torch.from_numpy(encoder.word_vectors([SENTENCE_BEGIN, *tokens, SENTENCE_END])).to(encoder.device)  # (T + 2, P)
        forward = _direction(model, x, position + 1, backward=False)
        backward = _direction(model, x, position + 1, backward=True)
    inner = x[1:-1].numpy(force=True)
    layers = [np.concatenate([inner, inner], axis=1)]
    layers += [np.concatenate([f[1:-1], b[1:-1]], axis=1) for f, b in zip(forward.outputs, backward.outputs, strict=True)]
    parts = spelling, banks, highways, vector.numpy(force=True), shares, bias_share, forward, backward
    return Walk(tuple(tokens), position, *parts, np.stack(layers))


@torch.inference_mode()
def read_spelling(characters: CharacterCNN, token: str) -> tuple[Spelling, tuple[FilterBank, ...]]:
    """Return a token's character vectors and the activations of each convolution."""
    ids = character_ids([token], characters.max_characters)
    used = int((ids[0] == END_WORD).argmax()) + 1
    names = [_name(int(number)) for number in ids[0, :used]]
    owners = [c for c in token for _ in c.encode("utf-8", "ignore")] if names[1:2] != [token] else [""]
    vectors = characters.embedding(torch.from_numpy(ids).to(device_of(characters)))[0]  # (S, d)
    spelling = Spelling(ids[0], tuple(names), ("", *owners[: used - 2], ""), vectors.numpy(force=True), max(0, len(owners) - (used - 2)))
    # Behind the end mark all windows are the same run of padding: one place of them is enough, as in CharacterCNN.pooled.
    x = vectors[: used + characters.widest].t().expand(2, -1, -1)  # (2, 16, characters): twice, as in CharacterCNN.pooled
    banks = []
    for convolution in characters.convolutions:
        answers = convolution(x)[0]  # (n, places)
        best, places = answers.max(dim=1)
        strongest = torch.argsort(best, descending=True, stable=True)[:STRONGEST]
        arrays = torch.relu(best), places, strongest, answers[strongest]
        banks.append(FilterBank(convolution.kernel_size[0], *(array.numpy(force=True) for array in arrays)))
    return spelling, tuple(banks)


def _name(number: int) -> str:
    """Return how an id is written; ids 1 to 256 are a byte plus one."""
    marks = {BEGIN_SENTENCE: SENTENCE_BEGIN, END_SENTENCE: SENTENCE_END, END_WORD: END_SIGN, PADDING: PADDING_SIGN}
    if number > 256:
        return marks.get(number, BEGIN_SIGN)
    byte = number - 1
    return chr(byte) if 0x20 < byte < 0x7F else f"{byte:02x}"


def _highways(layers: list[Highway], x: Tensor) -> tuple[tuple[HighwayStep, ...], Tensor]:
    steps = []
    for highway in layers:
        y = highway(x)
        arrays = x, torch.relu(highway.transform(x)), torch.sigmoid(highway.carry(x)), y
        steps.append(HighwayStep(*(array.numpy(force=True) for array in arrays)))
        x = y
    return tuple(steps), x


def _shares(characters: CharacterCNN, y: Tensor, vector: Tensor) -> tuple[np.ndarray, float]:
    """Return the shares of |v|^2 = sum_f y_f (w_f . v) + b . v, from v = sum_f y_f w_f + b."""
    length = float(vector @ vector) or 1.0
    shares = y * (characters.projection.weight.t() @ vector) / length
    return shares.numpy(force=True), float(characters.projection.bias @ vector) / length


def _direction(model: BiLM, x: Tensor, position: int, *, backward: bool) -> Direction:
    """Run one direction over token vectors (T + 2, P) and return its steps at the token's row."""
    if backward:
        x, position = x.flip(0), len(x) - 1 - position
    outputs, _ = model.run_direction(x, [1] * len(x), backward=backward)
    _, states = model.run_direction(x[:position], [1] * position, backward=backward)  # position > 0: a boundary comes first
    steps = []
    below = x[position]
    for j, (layer, (h, c)) in enumerate(zip(model.backward_layers if backward else model.forward_layers, states, strict=True)):
        step = _step(layer, below, h[0], c[0], skip=bool(j) and model.shape.skip_connections)
        steps.append(step)
        below = torch.from_numpy(step.half).to(x.device)
    stacked = torch.stack(outputs)
    return Direction((stacked.flip(1) if backward else stacked).numpy(force=True), tuple(steps))


def _step(layer: ProjectedLSTM, x: Tensor, h: Tensor, c: Tensor, *, skip: bool) -> LSTMStep:
    hidden = layer.projection.shape[1]
    cell_clip, output_clip = layer.clips
    *gates, new = (layer.input_weight @ x + layer.state_weight @ h + layer.bias).split(hidden)
    i, f, o = (gate.sigmoid() for gate in gates)
    new = new.tanh()
    free = f * c + i * new
    cell = free.clamp(-cell_clip, cell_clip)
    output = o * cell.tanh()
    projected = layer.projection @ output
    parts = (x, c, i, f, o, new, cell, output, projected.clamp(-output_clip, output_clip), x if skip else torch.zeros_like(x))
    clipped = int((free.abs() > cell_clip).sum()), int((projected.abs() > output_clip).sum())
    return LSTMStep(*(part.numpy(force=True) for part in parts), *clipped)
