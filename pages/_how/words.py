"""What each step of How it works says before its picture: its title, words, shape, equations and their sources."""

from dataclasses import dataclass

import numpy as np

from core.common.config import ModelShape
from core.common.i18n import t


@dataclass(frozen=True, slots=True)
class Step:
    """A step, before its picture."""

    title: str
    words: str  # may hold HTML, of ours
    shape: str
    equations: tuple[str, ...]  # LaTeX
    source: str


def steps(shape: ModelShape) -> tuple[Step, ...]:
    """All seven, in the reader's language, for a model of that shape."""
    return (*_of_spelling(shape), *_of_states(shape), *_of_layers(shape))


def _of_spelling(shape: ModelShape) -> tuple[Step, ...]:
    c, f, p = shape.character_dim, shape.n_filters, shape.projection
    return (
        Step(
            t("Characters become numbers"),
            t(
                "A word comes in as its UTF-8 bytes. Each byte is a number, ⟨ and ⟩ mark where the word begins and ends, and padding (·) fills "
                "up to 50. Every number has a learned vector of {size}: a column of the picture.",
                size=c,
            ),
            f"(50,) → (50, {c})",
            (r"x_i = E_{c_i}, \qquad c_i \in \{0, \dots, 261\}",),
            t("Character vectors: Kim et al. 2016, section 2.2. The numbers: AllenNLP's, a byte plus one."),
        ),
        Step(
            t("Filters look for runs of characters"),
            t(
                "A filter slides over the word and answers, at each place, how well the characters there fit it. Only its highest answer is kept, "
                "marked with a dot, and below zero it counts as zero. Of {n:,} filters the strongest of each width are shown.",
                n=f,
            ),
            f"(50, {c}) → ({f},)",
            (r"a_{f,i} = \langle W_f,\, x_{i:i+w-1} \rangle + b_f", r"y_f = \max_i\, \mathrm{ReLU}(a_{f,i})"),
            t("Kim et al. 2016, section 2.2, with ReLU where they have tanh, as in ELMo."),
        ),
        _third(shape, f, p),
    )


def _third(shape: ModelShape, f: int, p: int) -> Step:
    projection = r"x = W_p\, z + b_p" if shape.n_highway else r"x = W_p\, y + b_p"
    if shape.n_highway:
        return Step(
            t("The highway, and down to {p} numbers", p=p),
            t(
                "In a highway layer a gate g decides for every number how much of it goes on as it is and how much is replaced by a new "
                "mixture of all. Then one matrix makes {p} numbers of {f:,}: the vector of this spelling, the same in every sentence.",
                p=p,
                f=f,
            ),
            f"({f},) → ({f},) → ({p},)",
            (r"z = g \odot r + (1 - g) \odot y", r"r = \mathrm{ReLU}(W_t\, y + b_t)", r"g = \sigma(W_c\, y + b_c)", projection),
            t("Highway: Srivastava et al. 2015, eq. 3. Projection: Peters et al. 2018, section 3.4."),
        )
    wide = max(width for width, _ in shape.filters) > 7
    return Step(
        t("No highway here: straight down to {p} numbers", p=p),
        t(
            "ELMo “small” has a highway layer at this place, (2048,) → (2048,). This model has none: its room went into windows so wide that "
            "they see whole words, which spelt better. One matrix makes {p} numbers of {f:,}: the vector of this spelling.",
            p=p,
            f=f,
        )
        if wide
        else t(
            "ELMo “small” has a highway layer at this place, (2048,) → (2048,). This model's options ask for none. One matrix makes {p} "
            "numbers of {f:,}: the vector of this spelling.",
            p=p,
            f=f,
        ),
        f"({f},) → ({p},)",
        (projection,),
        t("Projection: Peters et al. 2018, section 3.4. Highway, where there is one: Srivastava et al. 2015, eq. 3."),
    )


def _of_states(shape: ModelShape) -> tuple[Step, ...]:
    equations = (
        r"i, f, o = \sigma(W x_t + U h_{t-1} + b)",
        r"g = \tanh(W x_t + U h_{t-1} + b)",
        rf"c_t = \mathrm{{clip}}_{{{_clip(shape.cell_clip)}}}(f \odot c_{{t-1}} + i \odot g)",
        rf"h_t = \mathrm{{clip}}_{{{_clip(shape.projection_clip)}}}(P\,(o \odot \tanh c_t))",
    )
    sizes = f"({shape.projection},) + ({shape.projection},) → ({shape.hidden},) → ({shape.projection},)"
    source = t("Hochreiter and Schmidhuber 1997; forget gate and projection as in Sak et al. 2014, eqs. 1 to 7; the clips are ELMo's.")
    return (
        Step(
            t("Reading forward"),
            t(
                "The forward LSTM reads from the left. At each word it decides in {n:,} cells how much to keep (f), how much to take in (i) of "
                "what is new (g), and how much to tell (o); {p} numbers of that go on. It has not seen any later word.",
                n=shape.hidden,
                p=shape.projection,
            ),
            sizes,
            equations,
            source,
        ),
        Step(
            t("Reading backward"),
            t(
                "A second stack with weights of its own reads the same sentence from its end, and comes to the word knowing only what stands "
                "behind it. The two directions never meet."
            ),
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
            t("Side by side: the layers"),
            t(
                "Each word has one vector a layer: the forward half, then the backward half. Layer 0 is the spelling's vector twice. From the "
                "second LSTM on, a skip connection adds what came in to what comes out."
            )
            if skip
            else t("Each word has one vector a layer: the forward half, then the backward half. Layer 0 is the spelling's vector twice."),
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
            t("Peters et al. 2018, sections 3.1 and 3.2; the connection between the LSTMs, section 3.4."),
        ),
        Step(
            t("A task's own mix: the vector"),
            t(
                "A task learns a share s<sub>j</sub> for each layer and one scale γ, and is given the weighed sum. Here you set them; the sliders "
                "are those of the Mix page. What comes out is the word's ELMo vector."
            ),
            f"({n}, {d}) → ({d},)",
            (r"\mathrm{ELMo}_k = \gamma \sum_{j=0}^{L} s_j\, h_{k,j}", r"s = \mathrm{softmax}(w)"),
            t("Peters et al. 2018, eq. 1."),
        ),
    )
