"""The texts of the steps of How it works: title, text, shapes, equations and sources."""

from dataclasses import dataclass

import numpy as np

from core.common import markup
from core.common.config import ModelShape
from core.common.i18n import t
from core.text.tokens import write_word

Rows = list[dict]  # of a step's table twin


@dataclass(frozen=True, slots=True)
class Step:
    """The texts of a step."""

    title: str
    words: str  # may hold HTML, of ours
    shape: str
    equations: tuple[str, ...]  # LaTeX
    source: str


def steps(shape: ModelShape) -> tuple[Step, ...]:
    """Return all nine, in the reader's language, for a model of that shape."""
    return (*_of_spelling(shape), *_of_states(shape), *_of_layers(shape))


def _of_spelling(shape: ModelShape) -> tuple[Step, ...]:
    c, f, p, n = shape.character_dim, shape.n_filters, shape.projection, shape.max_characters
    return (
        Step(
            t("Characters become numbers"),
            t(
                "A word is read as UTF-8 bytes between ⟨ and ⟩, padded (·) to {n}. Each has a learned vector of {size} numbers (a column).",
                size=c,
                n=n,
            ),
            f"({n},) → ({n}, {c})",
            (r"x_i = E_{c_i}, \qquad c_i \in \{0, \dots, 261\}",),
            t("Kim et al. 2016, section 2.2. Numbers: byte + 1, as in AllenNLP."),
        ),
        Step(
            t("Filters detect character patterns"),
            t(
                "Each filter slides over the word and keeps its best match (dot), at least zero. Shown: the strongest of {n:,} for each width.",
                n=f,
            ),
            f"({n}, {c}) → ({f},)",
            (r"a_{f,i} = \langle W_f,\, x_{i:i+w-1} \rangle + b_f", r"y_f = \max_i\, \mathrm{ReLU}(a_{f,i})"),
            t("Kim et al. 2016, section 2.2, with ReLU for tanh"),
        ),
        _third(shape, f, p),
        Step(
            t("Any spelling has a vector"),
            t("The vector is built from letters, so even a typo has neighbors. Each spelling below is read alone."),
            f"({n},) → ({p},)",
            (r"\cos(x, x') = \frac{\langle x, x' \rangle}{\lVert x \rVert\, \lVert x' \rVert}",),
            t("Peters et al. 2018, section 3.1"),
        ),
    )


def _third(shape: ModelShape, f: int, p: int) -> Step:
    projection = r"x = W_p\, z + b_p" if shape.n_highway else r"x = W_p\, y + b_p"
    if shape.n_highway:
        return Step(
            t("Highway and projection"),
            t(
                "In the highway layer, a gate g replaces part of each number. A matrix then projects {f:,} numbers to {p}: the spelling’s vector in every sentence.",
                p=p,
                f=f,
            ),
            f"({f},) → ({f},) → ({p},)",
            (r"z = g \odot r + (1 - g) \odot y", r"r = \mathrm{ReLU}(W_t\, y + b_t)", r"g = \sigma(W_c\, y + b_c)", projection),
            t("Srivastava et al. 2015, eq. 3; Peters et al. 2018, section 3.4"),
        )
    wide = max(width for width, _ in shape.filters) > 7
    return Step(
        t("Projection to {p} numbers", p=p),
        t(
            "A matrix projects {f:,} numbers to {p}: the spelling’s vector in every sentence. Wide windows replace ELMo’s highway layer.",
            p=p,
            f=f,
        )
        if wide
        else t(
            "A matrix projects {f:,} numbers to {p}: the spelling’s vector in every sentence. This model has no highway layer.", p=p, f=f
        ),
        f"({f},) → ({p},)",
        (projection,),
        t("Peters et al. 2018, section 3.4"),
    )


def _of_states(shape: ModelShape) -> tuple[Step, ...]:
    equations = (
        r"i, f, o = \sigma(W x_t + U h_{t-1} + b)",
        r"g = \tanh(W x_t + U h_{t-1} + b)",
        rf"c_t = \mathrm{{clip}}_{{{_clip(shape.cell_clip)}}}(f \odot c_{{t-1}} + i \odot g)",
        rf"h_t = \mathrm{{clip}}_{{{_clip(shape.projection_clip)}}}(P\,(o \odot \tanh c_t))",
    )
    sizes = f"({shape.projection},) + ({shape.projection},) → ({shape.hidden},) → ({shape.projection},)"
    source = t("Hochreiter and Schmidhuber 1997, Sak et al. 2014")
    return (
        Step(
            t("Reading forward"),
            t(
                "Reading left to right, {n:,} cells keep (f), add (i) new content (g) and output (o), projected to {p} numbers. Later words are unseen.",
                n=shape.hidden,
                p=shape.projection,
            ),
            sizes,
            equations,
            source,
        ),
        Step(
            t("Reading backward"),
            t("A separate LSTM stack reads right to left and sees only later words. The two directions never interact."),
            sizes,
            tuple(e.replace("t-1", "t+1") for e in equations),
            source,
        ),
    )


def _clip(value: float) -> str:
    return f"{value:g}" if np.isfinite(value) else r"\infty"


def _of_layers(shape: ModelShape) -> tuple[Step, ...]:
    p = shape.projection
    d = shape.dim
    n = shape.n_layers + 1
    skip = shape.skip_connections and shape.n_layers > 1
    return (
        Step(
            t("Layers side by side"),
            t(
                "Each word has a forward and a backward half per layer. Layer 0 repeats the spelling vector. Skip connections add each higher LSTM’s input to its output."
            )
            if skip
            else t("Each word has a forward and a backward half per layer. Layer 0 repeats the spelling vector."),
            f"2 · ({p},) → ({d},), {n} ×",
            (
                r"h_{k,0} = [x_k;\, x_k]",
                r"h_{k,j} = [\overrightarrow{h}_{k,j};\, \overleftarrow{h}_{k,j}]",
                *(
                    (r"\overrightarrow{h}_{k,2} = \mathrm{LSTM}_2(\overrightarrow{h}_{\cdot,1})_k + \overrightarrow{h}_{k,1}",)
                    if skip
                    else ()
                ),
            ),
            t("Peters et al. 2018, sections 3.1, 3.2 and 3.4"),
        ),
        Step(
            t("The angle between two vectors"),
            t("In another sentence the word has another vector. The cosine of the angle between them is 1 where both have one direction."),
            f"({d},), ({d},) → 1",
            (r"\cos\varphi = \frac{\langle h, h' \rangle}{\lVert h \rVert\, \lVert h' \rVert}",),
            "",
        ),
        Step(
            t("Layer mix for a task"),
            t("A task learns a weight s<sub>j</sub> per layer and a scale γ. The weighted sum is the word’s ELMo vector."),
            f"({n}, {d}) → ({d},)",
            (r"\mathrm{ELMo}_k = \gamma \sum_{j=0}^{L} s_j\, h_{k,j}", r"s = \mathrm{softmax}(w)"),
            t("Peters et al. 2018, eq. 1"),
        ),
    )


def shorten(token: str, length: int = 18) -> str:
    """Shorten a token for a label."""
    return markup.shorten(write_word(token), length)
