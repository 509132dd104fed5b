"""The widget of the Mix page. The browser receives what any mix needs at once, so that it reacts to every pixel of a drag.

`mix.js` weights, ranks and draws; `mix.css` is its style. There are two components. One has the constant data, which Streamlit sends once. A
small one has the settings and the layout that only the server can compute.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import softmax

from core.analysis import surroundings
from core.classify.tasks import learned_mixes, task_titles
from core.common import model_layers
from core.common.i18n import t
from core.common.markup import shorten
from core.elmo.mix import scores
from core.figures.style import OWN, layer_color, sense_color
from core.figures.surroundings import SIDES
from core.files.artifacts import text_fingerprint
from core.live.points import NEUTRAL, pack_numbers
from core.live.texts import mix_texts, sense_texts
from core.text.tokens import bare
from core.views.mix import AnyMix
from pages._map import map_view
from pages._widgets.inputs import Chosen
from pages._widgets.instruments import instrument
from pages._widgets.mix_sliders import LIMIT, presets

FOLDER = Path(__file__).parent
LIVE = "mix.live"  # key of the component
CIRCLE, DIAMOND = 0, 1  # numbers of live.js's shapes
live = instrument("mix", FOLDER, "live")  # the component


def static(of: AnyMix, senses: Sequence[str], chosen: tuple[Chosen, ...]) -> dict:
    """Return as JSON all that a mix of these sentences needs, and the texts of the widget. Braces mark values that it fills in.

    For a word without labels, `mix.js` colors a point by the nearer sentence under the visible mix, so both sentences have the same candidates.
    """
    known, n_layers, word = model_layers.in_use(), len(of.lengths), of.lemma or shorten(bare(chosen[0].word), 24)
    numbers = {k: senses.index(o.sense) if o.sense in senses else -1 for k, o in of.examples.items()}
    names = [(sense, sense_color(k)) for k, sense in enumerate(senses)]
    if of.lemma is None:
        numbers = {k: DIAMOND if k >= 0 else CIRCLE for k in of.examples}
        names = [*zip(map_view.side_names(), (SIDES[1], SIDES[2], NEUTRAL), strict=True)] if len(chosen) > 1 else []
    data = {
        "few": model_layers.FEW,
        "colors": [layer_color(str(k)) for k in range(n_layers)],
        "asked": [
            {"title": title_of(item, k), "text": item.text.strip()[:200], "color": OWN[k], "rows": part.rows.tolist()}
            | {name: pack_numbers(getattr(part, name)) for name in ("cross", "grams", "own")}
            | ({} if of.lemma else {"listed": of.listed, "itself": of.itself[k]})
            for k, (item, part) in enumerate(zip(chosen, of.candidates, strict=True))
        ],
        "between": None if of.between is None else pack_numbers(of.between),
        "presets": _presets(n_layers),
        "marks": [  # where the classifiers that ship learned to set the sliders
            {"name": task_titles()[task], "w": (w := scores(shares, LIMIT)).tolist(), "s": softmax(w).round(3).tolist()}
            for task, shares in learned_mixes(n_layers).items()
        ],
        "pairs": None if of.pairs is None else pack_numbers(of.pairs),
        "chance": of.chance,
        "map": {
            "rows": of.ids.tolist(),
            "layers": [np.ravel(flat).round(4).tolist() for flat in of.coordinates],
            "stars": [
                {"asked": k, "label": t("yours, {number}", number=k + 1), "layers": np.asarray(at).round(4).tolist()}
                for k, at in of.stars.items()
            ],
        },
        "lines": {str(k): (*o.around(), numbers[k]) for k, o in of.examples.items()},
        "senses": [{"name": name, "color": color} for name, color in names],
        "text": mix_texts(known, word) | {"norm_help": norm_help()} | (_of_senses(of) if of.lemma else _of_sides(of, word)),
    }
    if of.lemma is None:
        data["close"] = surroundings.CLOSE
    return data | {"key": text_fingerprint([repr(data)])[:16]}


def title_of(item: Chosen, number: int) -> str:
    """Return the title of the list of a sentence."""
    return t("Nearest to “{word}”, sentence {number}", word=shorten(bare(item.word), 24), number=number + 1)


def _presets(n_layers: int) -> list[dict]:
    """Return the presets, and one that shows that softmax depends only on differences, as raw scores."""
    named = [*presets(n_layers).values(), (t("all −6"), [-LIMIT] * n_layers)]
    return [{"name": name, "w": w, "title": t("w = {w}", w=", ".join(f"{x:g}" for x in w))} for name, w in named]


def norm_help() -> str:
    """Return a help text on layer normalization."""
    return t("Each layer’s vector minus its mean, over its standard deviation (Peters et al. 2018, section 3.2); on this page only.")


def _of_senses(of: AnyMix) -> dict:
    """Return the texts for a word with labeled senses."""
    return sense_texts(model_layers.in_use(), of.lemma, len(of.ids)) | {
        "about_map": t("Release a slider and UMAP redraws the map. Lines: the listed sentences.")
    }


def _of_sides(of: AnyMix, word: str) -> dict:
    """Return the texts for a word without labeled senses."""
    n, own = len(of.ids), of.occurrences
    points = t("Circles: words (means). Diamonds: occurrences of “{word}” ({n}).", word=word, n=own)
    if not own:
        points = t("Circles: words (means); “{word}” occurs nowhere else in your corpus.", word=word)
    moves = t("PCA, redrawn when you release.")
    sides = t("Add a second sentence to compare the two.")
    if len(of.candidates) > 1:
        braces = {name: "{" + name + "}" for name in ("first", "second", "neither")}
        sides = t(
            "Of {n} points, {first} are nearer to the first, {second} to the second, {neither} to neither (within {close}).",
            n=n,
            close=surroundings.CLOSE,
            **braces,
        )
    return {
        "map": t("Map of “{word}” in this mix: {n} words and sentences.", n=n, word=word),
        "about_map": f"{points} {moves}",
        "unlabeled": t("“{word}” has no labels, so no accuracy.", word=word),
        "sides": sides,
    }
