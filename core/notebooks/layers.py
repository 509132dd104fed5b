"""Notebooks of the Map and the Mix."""

# %% parameters
model_name = "elmo-mini"
vectors_name = "glove-mini"
corpus = "sentences"
sentences = [("He lit a match.", 3, ""), ("We won the match.", 3, "")]  # text, position of the word, what an ambiguous spelling is read as
word = "match"
plan = "umap"  # the layout: umap, pca, poles or 3d
ends = ()  # of the axes of "poles"; none: the word's two most frequent senses
around_plan = "spread"  # the layout of a word without labels
layer = "2"
raw = [0.0, 0.0, 0.0]  # weights of the layers, before the softmax
gamma = 1.0
normalized = False  # layer normalization before the layers are weighed

# %%
from elmoscope.core.common import model_layers
from elmoscope.core.text.readings import WordInContext
from elmoscope.core.workspace import open_workspace

workspace = open_workspace(model_name, vectors_name, corpus)
model = workspace.model
model_layers.use(workspace.layers)  # how many it has, and what they are called
words = [WordInContext(tuple(model.language.tokenize(text)), position, read_as) for text, position, read_as in sentences]

# %% map
from elmoscope.core.analysis.word_maps import ALL_WORDS
from elmoscope.core.figures.maps import MapLook, map_figure
from elmoscope.core.figures.style import mark
from elmoscope.core.views import layouts

table = workspace.targets
word = table.lemma_of(word) or word
labeled = word == ALL_WORDS or word in table.lemmas
in_senses = layer == "senses" and labeled
starred = tuple(context for context in words if (lemma := context.lemma_in(table)) and word in (lemma, ALL_WORDS))
request = layouts.LayoutRequest(word=word, contexts=starred, plan="umap" if in_senses else plan, ends=ends, senses=in_senses)
layout = layouts.compute(workspace, request) if labeled else None


def map_of_meanings():
    """Draw the word's sentences, colored by sense."""
    senses = [dot.sense for dot in layout.occurrences]
    places = layout.coordinates[layout.names.index(layer)][:, :2]
    hovers = [mark(dot.tokens, dot.position) for dot in layout.occurrences]
    return map_figure(places, senses, hovers, layout.rows.tolist(), sorted(set(senses)), MapLook(layer=layer, key="map"))


map_of_meanings() if layout else "no labels: see below"

# %% map
from elmoscope.core.views import neighbors


def words_around():
    """Return its occurrences and the nearest words of both sentences."""
    contexts = tuple(words) if any(context.spelling == word for context in words) else ()
    return neighbors.compute_around(workspace, neighbors.AroundRequest(word=word, contexts=contexts, plan=around_plan))


result = None if labeled else words_around()
leans = result.cosines[result.at(layer)] if result else []  # of each sentence with every point
result.table() if result else layout.table()

# %% map
from elmoscope.core.figures.maps import MapLook, Star
from elmoscope.core.figures.spaces import lean_map


def map_around():
    """Draw the words around the word, colored by the nearer sentence."""
    k = result.at(layer)
    stars = [Star(f"yours, {n}", "", {layer: tuple(map(float, place))}) for n, place in enumerate(result.stars[k], 1)]
    look = MapLook(layer=layer, key="around", stars=stars, width=700, height=500)
    return lean_map(result, result.points.words, result.points.words, look)


map_around() if result else None

# %% map
from elmoscope.core.figures.measures import accuracy_lines


def scores():
    """Draw how often the nearest sentence has the same sense, by layer."""
    first = layout.reports["0"]
    shares = {space: report.one_nn for space, report in layout.reports.items()}
    static = layout.static.one_nn if layout.static else None
    return accuracy_lines(shares, null=first.null_mean, majority=first.majority, static=static)


scores() if layout and layout.reports else None

# %% mix
from elmoscope.core.views import mix
from scipy.special import softmax

weights = softmax(raw)  # the vector is gamma * sum_j s_j h_j (Peters et al. 2018, eq. 1)
result = mix.compute(workspace, mix.MixRequest(words=tuple(words), weights=tuple(weights.tolist()), normalized=normalized))
weights.round(3), result.pulls.round(3), round(gamma * result.norm, 2)

# %% mix
import pandas as pd
from elmoscope.core.views.neighbors import tabulate_neighbors

pd.concat([tabulate_neighbors(nearest, text) for nearest, (text, *_) in zip(result.neighbors, sentences)])

# %% mix
shares = {layer: report.one_nn for layer, report in result.by_layer.items()}
(result.report and result.report.one_nn), shares  # sentences whose nearest one has the same meaning: this mix, each layer alone

# %% mix
from elmoscope.core.figures.maps import MapLook, map_figure
from elmoscope.core.figures.style import mark


def map_of_mix():
    """Draw the word's sentences in this mix, colored by sense."""
    dots, senses = result.occurrences, [dot.sense for dot in result.occurrences]
    hovers, rows = [mark(dot.tokens, dot.position) for dot in dots], [dot.row for dot in dots]
    return map_figure(result.coordinates, senses, hovers, rows, sorted(set(senses)), MapLook(layer="mix", key="mix"))


map_of_mix() if result.report else dict(zip(result.spellings, (result.leans[0] - result.leans[1]).round(3).tolist()))
