"""The notebooks of views of layers: the map, the mix, How it works, and About."""

from core.common import model_layers
from core.common.i18n import t
from pages._export.recipe import OPEN, WORKSPACE, NotebookRecipe, Settings, chosen, names_in_use, sentence, word, words_in_use


def map_(settings: Settings) -> NotebookRecipe:
    shows = t("A word’s labeled sentences on a map per layer, with 1-NN accuracy; without labels, its occurrences and nearby words.")
    view, plan = chosen(settings, "view", model_layers.in_use().top), chosen(settings, "layout", "umap")
    ends = tuple(str(settings.get(key) or "") for key in ("right", "left", "up", "down"))
    ends = ends if {*ends[2:]}.isdisjoint({"", "–"}) else ends[:2]
    assignments = words_in_use(
        settings,
        word=chosen(settings, "map_word", word(settings)),
        plan=plan,
        ends=ends if plan == "poles" and all(ends[:2]) else (),  # none: the word's two most frequent senses
        around_plan=chosen(settings, "around", "spread"),  # of a word without labels
        layer=view if view in (*model_layers.in_use().spaces, model_layers.SENSES) else model_layers.in_use().top,
    )
    return NotebookRecipe(shows, assignments, (WORKSPACE, _MAP, _AROUND, _AROUND_MAP, _SCORES))


_MAP = """\
from core.analysis.word_maps import ALL_WORDS
from core.figures.maps import MapLook, map_figure
from core.figures.style import mark
from core.views import layouts

table = workspace.targets
word = table.lemma_of(word) or word
labeled = word == ALL_WORDS or word in table.lemmas
in_senses = layer == "senses" and labeled
own = tuple(each for each in words if (lemma := each.lemma_in(table)) and word in (lemma, ALL_WORDS))  # are drawn as stars
request = layouts.LayoutRequest(word=word, contexts=own, plan="umap" if in_senses else plan, ends=ends, senses=in_senses)
layout = layouts.compute(workspace, request) if labeled else None


def map_of_meanings():
    senses = [one.sense for one in layout.occurrences]
    places = layout.coordinates[layout.names.index(layer)][:, :2]
    hovers = [mark(one.tokens, one.position) for one in layout.occurrences]
    return map_figure(places, senses, hovers, layout.rows.tolist(), sorted(set(senses)), MapLook(layer=layer, key="map"))


map_of_meanings() if layout else "no labels: see below"
"""
_AROUND = """\
from core.views import around


def words_around():
    \"\"\"Its occurrences and the nearest words of both sentences, which of the two each leans to.\"\"\"
    own = tuple(words) if any(each.spelling == word for each in words) else ()
    return around.compute(workspace, around.AroundRequest(word=word, contexts=own, plan=around_plan))


result = None if labeled else words_around()
leans = result.cosines[result.at(layer)] if result else []  # of each sentence with every point
dict(zip(result.points.words, (leans[0] - leans[1]).round(3).tolist())) if len(leans) == 2 else None
"""
_AROUND_MAP = """\
from core.figures.maps import MapLook, Star
from core.figures.surroundings import lean_map


def map_around():
    k = result.at(layer)
    stars = [Star(f"yours, {n}", "", {layer: tuple(map(float, at))}) for n, at in enumerate(result.stars[k], 1)]
    look = MapLook(layer=layer, key="around", stars=stars, width=700, height=500)
    return lean_map(result, result.points.words, result.points.words, look)


map_around() if result else None
"""
_SCORES = """\
from core.figures.measures import accuracy_lines


def scores():
    first = layout.reports["0"]
    shares = {"1-NN": {space: report.one_nn for space, report in layout.reports.items()}}
    static = layout.static.one_nn if layout.static else None
    return accuracy_lines(shares, null=first.null_mean, majority=first.majority, static=static)


scores() if layout and layout.reports else None
"""


def mix(settings: Settings) -> NotebookRecipe:
    shows = t("Layers weighted by hand: nearest sentences, sense accuracy and the map.")
    assignments = words_in_use(
        settings,
        raw=[chosen(settings, f"w{k}", 0.0) for k in range(model_layers.in_use().n)],  # before the softmax
        gamma=chosen(settings, "gamma", 1.0),
        normalized=bool(settings.get("norm")),  # layer normalization before the layers are weighed
    )
    return NotebookRecipe(shows, assignments, (WORKSPACE, _MIX, _MIX_NEAREST, _MIX_SENSES, _MIX_MAP))


_MIX = """\
from scipy.special import softmax

from core.views import mix

weights = softmax(raw)  # the vector is gamma * sum_j s_j h_j (Peters et al. 2018, eq. 1)
result = mix.compute(workspace, mix.MixRequest(words=tuple(words), weights=tuple(weights.tolist()), normalized=normalized))
weights.round(3), result.pulls.round(3), round(gamma * result.norm, 2)
"""
_MIX_NEAREST = """\
import pandas as pd

from core.index.neighbors import TypeNeighbor


def row(near):
    if isinstance(near, TypeNeighbor):  # a word without labels: the nearest spellings
        return near.word, near.cosine, f"mean of {near.occurrences}"
    return near.occurrence.sense, near.cosine, near.occurrence.sentence


pd.concat([pd.DataFrame([row(near) for near in each]) for each in result.near], keys=["first", "second"][: len(words)])
"""
_MIX_SENSES = """\
shares = {layer: report.one_nn for layer, report in result.alone.items()}
(result.report and result.report.one_nn), shares  # sentences whose nearest one has the same meaning: this mix, each layer alone
"""
_MIX_MAP = """\
from core.figures.maps import MapLook, map_figure
from core.figures.style import mark


def map_of_mix():
    dots, senses = result.occurrences, [one.sense for one in result.occurrences]
    hovers, rows = [mark(one.tokens, one.position) for one in dots], [one.row for one in dots]
    return map_figure(result.coordinates, senses, hovers, rows, sorted(set(senses)), MapLook(layer="mix", key="mix"))


map_of_mix() if result.report else dict(zip(result.spellings, (result.leans[0] - result.leans[1]).round(3).tolist()))
"""


def how(settings: Settings) -> NotebookRecipe:
    shows = t("A word from characters to vector, step by step.")
    text, position = sentence(settings)
    assignments = names_in_use(settings, "model") | {
        "text": text,
        "position": position,
        "raw": [chosen(settings, f"w{k}", 0.0) for k in range(model_layers.in_use().n)],  # of the mix, before the softmax
        "gamma": chosen(settings, "gamma", 1.0),
    }
    return NotebookRecipe(shows, assignments, (OPEN, _SPELLING, _STATES, _LAYERS, _VECTOR))


_SPELLING = """\
import numpy as np
import pandas as pd

from core.analysis.walk import walk

way = walk(model.encoder, languages.tokenize(text), position)
widths = [(bank.width, way.spelling.window(int(bank.places[bank.strongest[0]]), bank.width)) for bank in way.banks]
way.spelling.signs, way.spelling.ids[: way.spelling.used].tolist(), widths  # steps 1 and 2: bytes; the strongest window of each width
"""
_STATES = """\
gates = ("forget_gate", "input_gate", "output_gate")  # steps 5 and 6: how much each LSTM keeps, takes in and tells, on average
pd.DataFrame(
    {
        f"{name}, layer {k + 1}": {gate: float(getattr(step, gate).mean()) for gate in gates}
        for name, direction in (("forward", way.forward), ("backward", way.backward))
        for k, step in enumerate(direction.steps)
    }
).round(3)
"""
_LAYERS = """\

from core.figures.walk import heat_figure, limit_of

layer = way.layers[-1]  # step 7: the last layer, a row a word, forward half and backward half
heat_figure(layer, [token[:12] for token in way.tokens], key="layers", limit=limit_of(layer), bold=way.position, row=20)
"""
_VECTOR = """\
from scipy.special import softmax

from core.elmo.mix import mixed

h = way.layers[:, way.position]  # step 9: (layers, numbers) of the word in question
weights = softmax(raw[: len(h)])
parts = np.stack([*(gamma * weights[:, None] * h), mixed(h, weights, gamma)])
names = [f"s{k} h{k}" for k in range(len(h))]
heat_figure(parts, [*names, "ELMo"], key="mix", limit=limit_of(parts), bold=len(h), row=34)
"""


def model(settings: Settings) -> NotebookRecipe:
    shows = t("What each layer knows, by task, and how the model learned.")
    assignments = names_in_use(settings, "model") | {"quantity": chosen(settings, "curve", "perplexity")}
    return NotebookRecipe(shows, assignments, (OPEN, _PANELS, _TRAINING))


_PANELS = """\
from core.evaluation.card import knowledge_panels, read_card
from core.figures.measures import find_axis, panel_figure

card = read_card(model.folder, model.fingerprint)
panels = knowledge_panels(card.measures) if card.measures else []
drawn = [panel_figure(panel, limits=find_axis(panels)) for panel in panels]
{panel.title: (panel.accuracy, panel.baseline_name, panel.baseline) for panel in panels}
"""
_TRAINING = """\
from core.figures.measures import quantity_titles
from core.figures.measures import training_figure

quantity = quantity if quantity in quantity_titles() else next(iter(quantity_titles()))
training_figure(card.log.steps, card.log.validations, card.log.ends(), quantity=quantity) if card.log else None
"""
