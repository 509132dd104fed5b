"""Notebooks of a word in two sentences: Home, Neighbors, Why, Map and Mix."""

# %% parameters
model_name = "elmo-mini"
vectors_name = "glove-mini"
corpus = "sentences"
sentences = [("He lit a match.", 3, ""), ("We won the match.", 3, "")]  # text, position of the word, what an ambiguous spelling is read as
word = "match"
plan = "umap"  # the layout: umap, pca, poles or 3d
ends = ()  # ends of the axes of "poles"; (): the word's two most frequent senses
around_plan = "spread"  # the layout of a word without labels
space = "senses"  # Home: the space of the picture; Why: that in which edits are read
layer = "2"
raw = [0.0, 0.0, 0.0]  # weights of the layers, before the softmax
gamma = 1.0
normalized = False  # layer normalization before the layers are weighed
mix = ""  # weights of the layer mix, such as "1,1,1"
among = "same word"
k = 8
order = "left to right"  # order of the edits
how = "drop"  # change made to each word: drop, mask or swap
swap = "thing"
half = "both"  # past, future or both
sense = None  # None: the nearest

# %%
import pandas as pd
from elmoscope.core.common import model_layers
from elmoscope.core.common.limits import limits
from elmoscope.core.text.readings import WordInContext
from elmoscope.core.workspace import open_workspace

workspace = open_workspace(model_name, vectors_name, corpus)
model = workspace.model
model_layers.use(workspace.layers)  # how many it has, and what they are called
texts = [tuple(model.language.tokenize(text)[: limits().max_words]) for text, *_ in sentences]
words = [WordInContext(tokens, position, read_as) for tokens, (_, position, read_as) in zip(texts, sentences)]

# %% home
from elmoscope.core.views import pair

if len(words) < 2:
    raise SystemExit("A word is compared in two sentences. Add one to `sentences`.")
result = pair.compute(workspace, pair.PairRequest(first=words[0], second=words[-1]))
verdict = result.judgment.verdict  # as `python -m core verdict` gives it
(verdict.says, round(verdict.probability, 4), verdict.say_certainty(), verdict.senses) if verdict else "no verdict: two words"

# %% home
result.bars  # cosines; GloVe's is missing where it lacks one of the words

# %% home
from elmoscope.core.figures.maps import scene_figure

typed = [(word.tokens, word.position) for word in (words[0], words[-1])]
spaces = result.scene.spaces if result.scene else ()  # a model without a softmax has no sense space
scene_figure(result.scene, space if space in spaces else spaces[-1], typed) if spaces else None

# %% home
from elmoscope.core.figures.influence import curves_figure
from elmoscope.core.live.widgets import decisive_rows
from elmoscope.core.senses.densities import densities_of

rows = decisive_rows(densities_of(workspace, labeled=bool(result.judgment.lemma)), result.judgment)
curves_figure(rows) if rows else None

# %% home
from elmoscope.core.common.errors import ElmoscopeError
from elmoscope.core.views import substitutes

try:  # as `python -m core substitutes` gives them
    expected = substitutes.compute(workspace, substitutes.SubstitutesRequest(words=tuple(words)))
except ElmoscopeError as no_softmax:
    expected = ()
    print(no_softmax)
substitutes.tabulate(expected)

# %% neighbors
from elmoscope.core.views import neighbors

requests = [neighbors.NeighborsRequest(word=word, space=layer, weights=mix, among=among, k=k) for word in words]
results = [neighbors.compute(workspace, request) for request in requests]  # every token is encoded once and stored on disk
tables = [result.table(context) for result, context in zip(results, ("first", "second"))]
pd.concat(tables)

# %% neighbors
word = words[0].word
[
    (neighbor.word, round(neighbor.cosine, 4)) for neighbor in workspace.vectors.neighbors(word, k)
] if word in workspace.vectors else "unknown"

# %% why
from elmoscope.core.views import why

path = why.compute_edits(workspace, why.EditsRequest(first=words[0], second=words[-1], order=order, space=space))
path.table()  # without labeled senses: the sentence that each step is nearer to

# %% why
from elmoscope.core.figures.influence import margin_figure

margin_figure(
    {space: path.margins[space]}, {space: path.flips[space]}, path.ends, [" ".join(step.tokens) for step in path.steps], chosen=space
)

# %% why
from elmoscope.core.senses import influence
from elmoscope.core.views import why

word = words[0]
request = why.AttributionRequest(word=word, other=words[-1], how=how, swap=swap, weights=mix)
answer = why.compute_attribution(workspace, request)
answer.table()

# %% why
result = answer.influence
if answer.by == why.BY_SENSES:
    sense = sense if sense in result.senses else influence.verdict(result, layer, half).sense
    values = [influence.parts(result, view, half, sense) for view in result.views]  # positive: it speaks for the sense
elif answer.by == why.BY_OTHER:  # no two senses are labeled
    values = [influence.measure_apart(result, view, half) for view in result.views]  # positive: it distinguishes the two words
else:
    values = list(result.moved[:, :, influence.HALVES.index(half)].T)  # 1 - cosine
table = pd.DataFrame(dict(zip(result.views, values)), index=[f"{k + 1} {word.tokens[k]}" for k in result.changed])
table.rename_axis(sense).round(3)

# %% why
from elmoscope.core.figures.influence import HalfBar, halves_figure
from elmoscope.core.figures.style import sense_color

verdicts = [v for view in result.views[1:-1] for v in influence.halves(result, view).values()] if answer.by == why.BY_SENSES else []
halves_figure(
    [HalfBar(v.view, v.half, v.sense, sense_color(answer.senses.index(v.sense)), v.margin, v.alone) for v in verdicts], key="halves"
) if verdicts else None

# %% why
from elmoscope.core.common.errors import ElmoscopeError

try:
    changes = influence.expectations(workspace.substitutes, word.tokens, word.position, how=how, swap=swap)
except ElmoscopeError as no_softmax:
    changes = {}
    print(no_softmax)
pd.DataFrame([(word.tokens[k], round(c.size, 4), c.come, c.go) for k, c in changes.items()], columns=["word", "change", "come in", "go"])

# %% map
from elmoscope.core.analysis.word_maps import ALL_WORDS
from elmoscope.core.figures.maps import word_map
from elmoscope.core.views import layouts

table = workspace.targets
word = table.lemma_of(word) or word
labeled = word == ALL_WORDS or word in table.lemmas
in_senses = layer == "senses" and labeled
starred = tuple(context for context in words if (lemma := context.lemma_in(table)) and word in (lemma, ALL_WORDS))
request = layouts.LayoutRequest(word=word, contexts=starred, plan="umap" if in_senses else plan, ends=ends, senses=in_senses)
layout = layouts.compute(workspace, request) if labeled else None
figure = "no labels: see below"
if layout:
    lemma = starred[0].lemma_in(table) if word == ALL_WORDS and starred else word  # its senses are colored
    places = layout.coordinates[layout.names.index(layer)][:, :2]
    figure = word_map(layout.occurrences, places, layout.senses_of(lemma), lemma, layer=layer, key="map")
figure

# %% map
from elmoscope.core.views import neighbors

result = None
if not labeled:  # its occurrences and the nearest words of both sentences
    contexts = tuple(words) if any(context.spelling == word for context in words) else ()
    result = neighbors.compute_around(workspace, neighbors.AroundRequest(word=word, contexts=contexts, plan=around_plan))
leans = result.cosines[result.at(layer)] if result else []  # cosines of each sentence with every point
result.table() if result else layout.table()

# %% map
from elmoscope.core.figures.maps import MapLook, Star
from elmoscope.core.figures.spaces import lean_map

around = None
if result and len(result.points.words):  # the corpus may lack the word
    places = enumerate(result.stars[result.at(layer)], 1)
    stars = [Star(f"yours, {n}", "", {layer: tuple(map(float, place))}) for n, place in places]
    look = MapLook(layer=layer, key="around", stars=stars, width=700, height=500)
    around = lean_map(result, result.points.words, result.points.words, look)
around

# %% map
from elmoscope.core.figures.measures import accuracy_lines

scores = None
if layout and layout.reports:  # how often the nearest sentence has the same sense, by layer
    first = layout.reports["0"]
    shares = {space: report.one_nn for space, report in layout.reports.items()}
    static = layout.static.one_nn if layout.static else None
    scores = accuracy_lines(shares, null=first.null_mean, majority=first.majority, static=static)
scores

# %% mix
from elmoscope.core.views import mix
from scipy.special import softmax

weights = softmax(raw)  # the vector is gamma * sum_j s_j h_j (Peters et al. 2018, eq. 1)
result = mix.compute(workspace, mix.MixRequest(words=tuple(words), weights=tuple(weights.tolist()), normalized=normalized))
weights.round(3), result.pulls.round(3), round(gamma * result.norm, 2)

# %% mix
from elmoscope.core.views.neighbors import tabulate_neighbors

pd.concat([tabulate_neighbors(nearest, text) for nearest, (text, *_) in zip(result.neighbors, sentences)])

# %% mix
shares = {layer: report.one_nn for layer, report in result.by_layer.items()}
result.report.one_nn if result.report else None, shares  # sentences whose nearest one has the same meaning: this mix, each layer alone

# %% mix
from elmoscope.core.figures.maps import word_map

if result.report:
    senses = workspace.targets.senses_of(result.lemma)
    figure = word_map(result.occurrences, result.coordinates, senses, result.lemma, layer="mix", key="mix")
else:
    figure = dict(zip(result.spellings, (result.leans[0] - result.leans[1]).round(3).tolist()))
figure
