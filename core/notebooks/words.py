"""Notebooks of a word in two sentences: Home, Neighbors and Why."""

# %% parameters
model_name = "elmo-mini"
vectors_name = "glove-mini"
corpus = "sentences"
sentences = [("He lit a match.", 3, ""), ("We won the match.", 3, "")]  # text, position of the word, what an ambiguous spelling is read as
space = "senses"  # Home: the space of the picture; Why: that in which edits are read
layer = "2"
mix = ""  # weights of the layer mix, such as "1,1,1"
among = "same word"
k = 12
order = "left to right"  # of the edits
how = "drop"  # what is done to each word: drop, mask or swap
swap = "thing"
half = "both"  # past, future or both
sense = None  # None: the nearest

# %%
from elmoscope.core.common import model_layers
from elmoscope.core.text.readings import WordInContext
from elmoscope.core.workspace import open_workspace

workspace = open_workspace(model_name, vectors_name, corpus)
model = workspace.model
model_layers.use(workspace.layers)  # how many it has, and what they are called
words = [WordInContext(tuple(model.language.tokenize(text)), position, read_as) for text, position, read_as in sentences]

# %% home
from elmoscope.core.views import pair

result = pair.compute(workspace, pair.PairRequest(first=words[0], second=words[-1]))
verdict = result.judgment.verdict  # as `python -m core verdict` gives it
(verdict.says, round(verdict.probability, 4), verdict.say_certainty(), verdict.senses) if verdict else "no verdict: two words"

# %% home
result.bars  # cosines; GloVe's is missing where it lacks one of the words

# %% home
from elmoscope.core.figures.maps import scene_figure

typed = [(word.tokens, word.position) for word in (words[0], words[-1])]
scene_figure(result.scene, space, typed) if result.scene else None

# %% home
from elmoscope.core.figures.influence import curves_figure
from elmoscope.core.live.widgets import decisive_rows
from elmoscope.core.senses.calibration import densities_of

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
import pandas as pd
from elmoscope.core.views import neighbors


def nearest(word, context):
    """Return the neighbors of a word in its sentence as a table."""
    request = neighbors.NeighborsRequest(word=word, space=layer, weights=mix, among=among, k=k)
    return neighbors.compute(workspace, request).table(context)  # every token is encoded once and stored on disk


tables = [nearest(word, context) for word, context in zip(words, ("first", "second"))]
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
import pandas as pd

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
from elmoscope.core.elmo.models import open_language_model
from elmoscope.core.elmo.substitutes import Substitutes

try:
    substitutes = Substitutes(open_language_model(model))
except ElmoscopeError as no_softmax:
    substitutes = None
    print(no_softmax)

# %% why
changes = influence.expectations(substitutes, word.tokens, word.position, how=how, swap=swap) if substitutes else {}
pd.DataFrame([(word.tokens[k], round(c.size, 4), c.come, c.go) for k, c in changes.items()], columns=["word", "change", "come in", "go"])
