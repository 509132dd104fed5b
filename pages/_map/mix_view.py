"""The Mix page's instrument: what core sends to the reader's browser once, so that every pixel of a drag is answered there.

`mix.js` weighs, ranks and draws; `mix.css` is its look. Two components: one with all that any mix needs, the same from run to run
(Streamlit sends it once), and a small one with what is set and the layout that only the server can make. That one also tells
whether the browser could run the first: where it could not, the page is drawn by Streamlit alone.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.special import softmax

from core.classify.tasks import TASKS, heads_metas, task_titles
from core.common import model_layers
from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.figures.style import OWN, layer_colour, sense_colour
from core.files.artifacts import text_fingerprint
from core.index.any_mix import Candidates
from core.index.table import OccurrenceTable
from core.text.tokens import bare
from core.views.mix import AnyMix
from pages._cached.kept import kept
from pages._map import map_view, mix_words
from pages._widgets.inputs import Chosen
from pages._widgets.instruments import instrument, packed, said
from pages._widgets.mix_sliders import LIMIT, presets, slider_name

FOLDER = Path(__file__).parent
LIVE = "mix.live"  # key of the component
TOP = 5.0  # of the slider of gamma
_live = instrument("mix", FOLDER, "live")


def live(data: dict, taken) -> None:
    """Mount the instrument; `taken` is called when the reader has let go, `setting` then has what was set."""
    _live(key=LIVE, data=data, on_set_change=taken)


def setting(n_layers: int) -> tuple[list[float], float, bool] | None:
    """What the reader's browser says was set: raw scores, gamma, layer normalisation; None where that is no such thing."""
    given = said(LIVE)
    numbers = given.get("w"), given.get("gamma")
    if not isinstance(numbers[0], list) or len(numbers[0]) != n_layers:
        return None
    try:
        w = [float(item) for item in numbers[0]]
        gamma = float(numbers[1])
    except (TypeError, ValueError):
        return None
    if not np.isfinite([*w, gamma]).all():
        return None
    return [round(min(LIMIT, max(-LIMIT, item)), 1) for item in w], round(min(TOP, max(0.1, gamma)), 1), bool(given.get("norm"))


@kept(24)
def static(of: AnyMix, _table: OccurrenceTable, chosen: tuple[Chosen, ...], code: str) -> dict:
    """All that any mix of these sentences needs, as JSON; `_table` has its rows; `code`: the reader's language."""
    n_layers = len(of.lengths)
    data = {
        "lengths": of.lengths.tolist(),
        "few": model_layers.FEW,
        "colours": [layer_colour(str(k)) for k in range(n_layers)],
        "asked": [_asked(item, number, part) for number, (item, part) in enumerate(zip(chosen, of.candidates, strict=True))],
        "between": None if of.between is None else packed(of.between),
        "presets": _presets(n_layers),
        "marks": _marks(n_layers),
        "pairs": None if of.pairs is None else packed(of.pairs),
        "chance": of.chance,
        "map": _map(of),
    }
    if of.lemma is None:
        for item, itself in zip(data["asked"], of.itself, strict=True):
            item |= {"listed": of.listed, "itself": itself}
        word = bare(chosen[0].word)[:24]
        data |= mix_words.static(of, _table) | {"text": text_of(word, n_layers) | mix_words.text(of, word)}
    else:
        senses = _table.senses_of(of.lemma)
        rows = dict.fromkeys(int(row) for row in np.concatenate([*(part.rows for part in of.candidates), of.ids]))
        data |= {
            "lines": {str(row): _line(_table, row, senses) for row in rows},
            "senses": [{"name": sense, "colour": sense_colour(k)} for k, sense in enumerate(senses)],
            "text": text_of(of.lemma, n_layers) | _text(of.lemma, len(of.ids), n_layers),
        }
    return data | {"key": text_fingerprint([repr(data)])[:16]}


def title_of(item: Chosen, number: int) -> str:
    """What stands above the list of one of both sentences."""
    return t("Nearest to “{word}”, sentence {number}", word=bare(item.word)[:24], number=number + 1)


def _asked(item: Chosen, number: int, part: Candidates) -> dict:
    numbers = {name: packed(getattr(part, name)) for name in ("cross", "grams", "own")}
    title = title_of(item, number)
    return {"title": title, "text": item.text.strip()[:200], "colour": OWN[number], "rows": part.rows.tolist(), **numbers}


def _line(table: OccurrenceTable, row: int, senses: Sequence[str]) -> tuple[str, str, str, int]:
    """What stands left of the word, the word, what stands right of it, and which sense it has (-1: none)."""
    o = table.occurrence(row)
    return *map_view.line(o.tokens, o.position), senses.index(o.sense) if o.sense in senses else -1


def _map(of: AnyMix) -> dict:
    """The dots and the reader's stars in the layers' aligned maps."""
    return {
        "rows": of.ids.tolist(),
        "layers": [np.ravel(flat).round(4).tolist() for flat in of.coordinates],
        "stars": [
            {"asked": k, "label": t("yours, {number}", number=k + 1), "layers": np.asarray(at).round(4).tolist()}
            for k, at in of.stars.items()
        ],
    }


def _presets(n_layers: int) -> list[dict]:
    """The presets, and one that shows that softmax sees differences alone; raw scores."""
    named = [*presets(n_layers).values(), (t("all −6"), [-LIMIT] * n_layers)]
    return [{"name": name, "w": w, "title": t("w = {w}", w=", ".join(f"{x:g}" for x in w))} for name, w in named]


def _marks(n_layers: int) -> list[dict]:
    """Where the classifiers that ship learned to set the sliders: raw scores of the same shares, together 0."""
    results = []
    titles = task_titles()
    for name in TASKS:
        try:
            mix = heads_metas(name).get("elmo", {}).get("mix")
        except ElmoscopeError:  # a head that cannot be read is no mark
            continue
        if mix and len(mix["s"]) == n_layers:
            w = np.log(np.maximum(mix["s"], 1e-9))
            w = np.clip(w - w.mean(), -LIMIT, LIMIT).round(1)
            results.append({"name": titles.get(name, name), "w": w.tolist(), "s": softmax(w).round(3).tolist()})
    return results


def text_of(word: str, n_layers: int) -> dict:
    """The words that the instrument shows of any word, in the reader's language; what it fills in stands in braces."""
    return {
        "title": t("Layer mix of “{word}”", word=word),
        "presets": t("Presets"),
        "learned": t("Learned weights"),
        "layers": [slider_name(k) for k in range(n_layers)],
        "gamma": t("scale γ"),
        "norm": t("Layer normalization"),
        "norm_help": norm_help(),
        "share": t("layer weight s = softmax(w)"),
        "pull": t("s × vector length: effective share"),
        "spoken_share": t("{w}, weight {share}", w="{w}", share="{share}"),
        "softmax": t("Thick bars: s = softmax(w). Thin bars: s × length, the effective share."),
        "alike": t("All w are {w}: the same weights as all {other}, since softmax sees only differences.", w="{w}", other="{other}"),
        "between": t("between your words, cosine {cosine}", cosine="{cosine}"),
        "one_length": t("vector length"),
        "length": t("lengths {lengths} (γ scales both)", lengths="{lengths}"),
        "spoken": t("Layer weights {shares}.", shares="{shares}"),
    }


def map_in_words(word: str, n: int) -> str:
    return t("Map of “{word}” in this mix: {n} sentences colored by sense.", n=n, word=word)


def norm_help() -> str:
    """What layer normalisation does."""
    return t("Each layer's vector minus its mean, over its standard deviation (Peters et al. 2018, section 3.2); on this page only.")


def _text(word: str, n: int, n_layers: int) -> dict:
    """Those of a word whose senses are labelled."""
    return {
        "map": map_in_words(word, n),
        "about_map": t("Release a slider and UMAP redraws the map. Lines: the listed sentences."),
        "accuracy": t("Nearest sentence: same sense"),
        "chance": t("chance {share}", share="{share}"),
        "alone": t("0 to {top}: single layers; each sentence left out in turn.", top=n_layers - 1),
    }
