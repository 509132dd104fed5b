"""The texts of the steps of How it works: title, text, shapes, equations and sources."""

from dataclasses import dataclass

import numpy as np

from core.common import markup
from core.common.config import ModelShape
from core.common.i18n import t
from core.text.tokens import write_word

Rows = list[dict]  # rows of a step's data table


@dataclass(frozen=True, slots=True)
class Step:
    title: str
    words: str  # may hold HTML, of ours
    shape: str
    equations: tuple[str, ...]  # LaTeX
    source: str


def steps(shape: ModelShape) -> tuple[Step, ...]:
    """Return all nine steps in the language of the interface, for a model of that shape."""
    c, f, p, n, d = shape.character_dim, shape.n_filters, shape.projection, shape.max_characters, shape.dim
    n_layers = shape.n_layers + 1
    skip = shape.skip_connections and shape.n_layers > 1
    numbers = t(
        "A word is UTF-8 bytes between ⟨ and ⟩, padded (·) to {n}. Each has a learned vector of {size} numbers (a column).", size=c, n=n
    )
    best = t("Each filter slides over the word and keeps its best match (dot), at least 0. Shown: the strongest of {n:,} per width.", n=f)
    gates = (r"i, f, o = \sigma(W x_t + U h_{t-1} + b)", r"g = \tanh(W x_t + U h_{t-1} + b)")
    gates += (
        rf"c_t = \mathrm{{clip}}_{{{_clip(shape.cell_clip)}}}(f \odot c_{{t-1}} + i \odot g)",
        rf"h_t = \mathrm{{clip}}_{{{_clip(shape.projection_clip)}}}(P\,(o \odot \tanh c_t))",
    )
    sizes = f"({p},) + ({p},) → ({shape.hidden},) → ({p},)"
    source = t("Hochreiter and Schmidhuber 1997, Sak et al. 2014")
    cells = {"n": shape.hidden, "p": p}
    forward = t("{n:,} cells keep (f), add (i) new content (g) and output (o), projected to {p} numbers. Later words are unseen.", **cells)
    backward = t("A separate LSTM stack reads right to left and sees only later words. The two directions never interact.")
    halves = t("Each word has a forward and a backward half per layer. Layer 0 repeats the spelling vector.")
    layers = (r"h_{k,0} = [x_k;\, x_k]", r"h_{k,j} = [\overrightarrow{h}_{k,j};\, \overleftarrow{h}_{k,j}]")
    if skip:
        halves += " " + t("Skip connections add each higher LSTM’s input to its output.")
        layers += (r"\overrightarrow{h}_{k,2} = \mathrm{LSTM}_2(\overrightarrow{h}_{\cdot,1})_k + \overrightarrow{h}_{k,1}",)
    cosine = r"\cos(x, x') = \frac{\langle x, x' \rangle}{\lVert x \rVert\, \lVert x' \rVert}"
    angle = r"\cos\varphi = \frac{\langle h, h' \rangle}{\lVert h \rVert\, \lVert h' \rVert}"
    convolution = (r"a_{f,i} = \langle W_f,\, x_{i:i+w-1} \rangle + b_f", r"y_f = \max_i\, \mathrm{ReLU}(a_{f,i})")
    mixture = (r"\mathrm{ELMo}_k = \gamma \sum_{j=0}^{L} s_j\, h_{k,j}", r"s = \mathrm{softmax}(w)")
    spelled = t("The vector is built from letters, so even a typo has neighbors. Each spelling below is read alone.")
    turned = t("In another sentence the word has another vector. The cosine of the angle between them is 1 where both have one direction.")
    weighted = t("A task learns a weight s<sub>j</sub> per layer and a scale γ. The weighted sum is the word’s ELMo vector.")
    ids = (r"x_i = E_{c_i}, \qquad c_i \in \{0, \dots, 261\}",)
    kim = t("Kim et al. 2016, section 2.2, with ReLU for tanh")
    as_bytes = t("Kim et al. 2016, section 2.2. Numbers: byte + 1, as in AllenNLP.")
    all_layers = f"2 · ({p},) → ({d},), {n_layers} ×"
    return (
        Step(t("Characters become numbers"), numbers, f"({n},) → ({n}, {c})", ids, as_bytes),
        Step(t("Filters detect character patterns"), best, f"({n}, {c}) → ({f},)", convolution, kim),
        _describe_projection(shape, f, p),
        Step(t("Any spelling has a vector"), spelled, f"({n},) → ({p},)", (cosine,), t("Peters et al. 2018, section 3.1")),
        Step(t("Reading forward"), forward, sizes, gates, source),
        Step(t("Reading backward"), backward, sizes, tuple(gate.replace("t-1", "t+1") for gate in gates), source),
        Step(t("Layers side by side"), halves, all_layers, layers, t("Peters et al. 2018, sections 3.1, 3.2 and 3.4")),
        Step(t("The angle between two vectors"), turned, f"({d},), ({d},) → 1", (angle,), ""),
        Step(t("Layer mix for a task"), weighted, f"({n_layers}, {d}) → ({d},)", mixture, t("Peters et al. 2018, eq. 1")),
    )


def _describe_projection(shape: ModelShape, f: int, p: int) -> Step:
    """Return the step from filters to the vector of the spelling, with or without a highway layer."""
    if shape.n_highway:
        words = t("A gate g replaces part of each number. A matrix projects {f:,} to {p}: the spelling’s vector in any sentence.", p=p, f=f)
        equations = (r"z = g \odot r + (1 - g) \odot y", r"r = \mathrm{ReLU}(W_t\, y + b_t)")
        equations += (r"g = \sigma(W_c\, y + b_c)", r"x = W_p\, z + b_p")
        source = t("Srivastava et al. 2015, eq. 3; Peters et al. 2018, section 3.4")
        return Step(t("Highway and projection"), words, f"({f},) → ({f},) → ({p},)", equations, source)
    has_wide_windows = max(width for width, _ in shape.filters) > 7
    words = t("A matrix projects {f:,} numbers to {p}: the spelling’s vector in every sentence.", p=p, f=f) + " "
    words += t("Wide windows replace ELMo’s highway layer.") if has_wide_windows else t("This model has no highway layer.")
    source = t("Peters et al. 2018, section 3.4")
    return Step(t("Projection to {p} numbers", p=p), words, f"({f},) → ({p},)", (r"x = W_p\, y + b_p",), source)


def _clip(value: float) -> str:
    return f"{value:g}" if np.isfinite(value) else r"\infty"


def shorten(token: str, length: int = 18) -> str:
    return markup.shorten(write_word(token), length)
