"""Notebooks of the model itself: How it works, its card, Next word, spellings, the quiz, and the lessons."""

# %% parameters
model_name = "elmo-mini"
vectors_name = "glove-mini"
text = "We moored the boat at the bank."
position = 6  # position of the word in the text
raw = [0.0, 0.0, 0.0]  # weights of the layer mix, before the softmax
gamma = 1.0
quantity = "perplexity"  # the training curve
other = "The bank raised its rates again."  # the text that `text` is compared with
among = 10_000  # the most frequent words of the vocabulary; None: all
number = None  # number of the quiz; None: today's
corpus = "sentences"
treatment = "raw"  # vectors: raw, mean (minus the mean) or top (minus the main directions)
word = "all words"
threshold = None  # the cosine from which two vectors count as one sense; None: equally many errors of both kinds
layer = "2"

# %%
import numpy as np
import pandas as pd
from elmoscope.core.common import model_layers
from elmoscope.core.elmo.models import open_model
from elmoscope.core.text import languages

model = open_model(model_name)
model_layers.use(model.layers)  # how many it has, and what they are called
languages.use(model.language.code)  # how its text is cut into tokens

# %% how
from elmoscope.core.analysis.walk import walk
from elmoscope.core.common.limits import limits

path = walk(model.encoder, languages.tokenize(text)[: limits().max_words], position)
widths = [(bank.width, path.spelling.window(int(bank.places[bank.strongest[0]]), bank.width)) for bank in path.banks]
path.spelling.signs, path.spelling.ids[: path.spelling.used].tolist(), widths  # steps 1 and 2: bytes; the strongest window of each width

# %% how
gates = ("forget_gate", "input_gate", "output_gate")  # steps 5 and 6: mean openness of each LSTM's forget, input and output gates
pd.DataFrame(
    {
        f"{name}, layer {k + 1}": {gate: float(getattr(step, gate).mean()) for gate in gates}
        for name, direction in (("forward", path.forward), ("backward", path.backward))
        for k, step in enumerate(direction.steps)
    }
).round(3)

# %% how
from elmoscope.core.figures.walk import heat_figure, limit_of

layer = path.layers[-1]  # step 7: the last layer, a row a word, forward half and backward half
heat_figure(layer, [token[:12] for token in path.tokens], key="layers", limit=limit_of(layer), bold=path.position, row=20)

# %% how
from elmoscope.core.elmo.mix import mixed
from scipy.special import softmax

h = path.layers[:, path.position]  # step 9: (layers, numbers) of the target word
weights = softmax(raw[: len(h)])
parts = np.stack([*(gamma * weights[:, None] * h), mixed(h, weights, gamma)])
names = [f"s{k} h{k}" for k in range(len(h))]
heat_figure(parts, [*names, "ELMo"], key="mix", limit=limit_of(parts), bold=len(h), row=34)

# %% about
from elmoscope.core.figures.measures import find_axis, panel_figure
from elmoscope.core.views.card import knowledge_panels, read_card

card = read_card(model.folder, model.fingerprint)
panels = knowledge_panels(card.measures) if card.measures else []
drawn = [panel_figure(panel, limits=find_axis(panels)) for panel in panels]
{panel.title: (panel.accuracy, panel.baseline_name, panel.baseline) for panel in panels}

# %% about
from elmoscope.core.figures.measures import quantity_titles, training_figure

quantity = quantity if quantity in quantity_titles() else next(iter(quantity_titles()))
training_figure(card.log.steps, card.log.validations, card.log.ends(), quantity=quantity) if card.log else None

# %% predict
from elmoscope.core.analysis import expectation
from elmoscope.core.elmo.models import open_language_model

language_model = open_language_model(model)
read = expectation.read(language_model, expectation.sentences_of(text))
after, before = (expectation.expected_next(language_model, read, backward=backward) for backward in (False, True))
pd.concat(
    [pd.DataFrame([(p.word, p.probability) for p in expected.likeliest]) for expected in (before, after)], axis=1, keys=["before", "after"]
)

# %% predict
pd.DataFrame({"word": read.tokens, "from the left, bits": read.forward, "from the right, bits": read.backward}).round(2)

# %% predict
from elmoscope.core.figures.walk import versions_figure

old = expectation.read(language_model, expectation.sentences_of(other))
pairs = expectation.aligned(old.tokens, read.tokens)
versions = list(zip(zip(*pairs), (old, read)))  # the numbers of the words in each; None where a version has no word
lines = [
    [[float("nan") if k is None else float(values[k]) for k in places] for values in (version.forward, version.backward)]
    for places, version in versions
]
versions_figure([(None if i is None else old.tokens[i], None if j is None else read.tokens[j]) for i, j in pairs], *lines)

# %% spelling
from elmoscope.core.analysis import spelling
from elmoscope.core.figures.walk import cosine_table, windows_figure

words, _ = spelling.split_words(text, 8)
fired = [spelling.firing(model.encoder.model.characters, word) for word in words]
windows_figure(fired[0])

# %% spelling
from elmoscope.core.common.directions import unit
from elmoscope.core.static.vectors import open_vectors

vectors = open_vectors(vectors_name)
rows = model.encoder.word_vectors(list(words))  # layer 0: one vector per spelling
common = spelling.list_words(model.folder, vectors)[0][:among]
cosines = unit(rows) @ unit(model.encoder.word_vectors(common)).T
nearest = [[k for k in np.argsort(-row, kind="stable") if common[k] != word][:10] for word, row in zip(words, cosines)]
{word: [(common[k], round(float(row[k]), 4)) for k in numbers] for word, numbers, row in zip(words, nearest, cosines)}

# %% spelling
from elmoscope.core.figures.style import LAYER_COLORS

cosine_table(words, spelling.cosine_matrix(list(rows)), LAYER_COLORS["1"], key="cosines")

# %% guess
from elmoscope.core.senses import quiz
from elmoscope.core.workspace import open_workspace

space = open_workspace(model_name).require_sense_space()
questions = quiz.quiz(quiz.today() if number is None else number, model.language)
readings = [quiz.reading(model, question, space) for question in questions]  # the sentence itself does not vote
pd.DataFrame(
    [
        {"sentence": question.text, "word": question.word, "label": question.label}
        | {"model": reading.sense, "share": reading.share, "layer": reading.layer}
        for question, reading in zip(questions, readings)
    ]
)

# %% cone
from elmoscope.core.index.tables import open_table
from elmoscope.core.senses import cosines

table = open_table(corpus, model, targets_only=True)  # all of a corpus without labels
shape = cosines.measure(cosines.sample(table))
shape.measured, shape.controls  # the words that are measured, and those that chose k

# %% cone
pd.DataFrame(shape.table({}))

# %% cone
from elmoscope.core.figures.lessons import ONE_SENSE, ONE_WORD, RANDOM_PAIRS, Row, density_rows

colors = {
    kind: color
    for kind, color in zip(("random", "word", "sense"), (RANDOM_PAIRS, ONE_WORD, ONE_SENSE))
    if kind in shape.panels[0]["raw"].mean
}
density = [
    Row(f"layer {layer}", "", {kind: panels[treatment].density[kind] for kind in colors}) for layer, panels in enumerate(shape.panels)
]
density_rows(density, cosines.GRID, colors, span=(-0.85, 1.0), key="cone")

# %% apart
from elmoscope.core.index.tables import open_table
from elmoscope.core.senses import cosines

table = open_table(corpus, model, targets_only=True)
if not len(table.labeled_rows()):  # no senses there: the labeled sentences of the model's language
    table = open_table(model.language.sentences, model, targets_only=True)
spaces = [*map(str, range(table.meta["layers"])), "mix"]
of_all = {name: cosines.measure_spread(table, name) for name in spaces}
top = spaces[-2]
threshold = of_all[top].balanced() if threshold is None else threshold
spreads = {name: spread.of(word) if word in spread.words else spread for name, spread in of_all.items()}
rows = []
for name, spread in spreads.items():
    auc, (missed, passed), (same, different) = spread.auc(), spread.errors(threshold), spread.means()
    row = {"space": name, "one sense": same, "two senses": different, "AUC": auc.mean + 0.5}
    rows.append(row | {"AUC, 95%": auc.cell(".3f", times=1, more=0.5), "missed": missed, "false alarms": passed})
pd.DataFrame(rows).round(3)

# %% apart
from elmoscope.core.figures.lessons import ONE_SENSE, ONE_WORD, Row, density_rows
from elmoscope.core.senses.cosines import GRID

colors = {"same sense": ONE_SENSE, "different senses": ONE_WORD}
density = [Row(name, "", dict(zip(colors, spread.densities()))) for name, spread in spreads.items()]
density_rows(density, GRID, colors, span=(-0.5, 1.0), key="apart", threshold=threshold)

# %% homonyms
from elmoscope.core.index.tables import open_table
from elmoscope.core.senses import relations

table = open_table(model.language.sentences, model, targets_only=True)
compared = relations.pairs(table, relations.read(model.language.code), layer)
compared.ahead  # homonyms minus each other relation, words resampled

# %% homonyms
from elmoscope.core.figures.lessons import Dots, interval_dots

rows = [Dots(kind, share.value, share.low, share.high) for kind, share in compared.kinds.items()]
interval_dots(rows, title="same-sense pair is closer", zero=0.5, key="homonyms")

# %% homonyms
pairs = zip(compared.relations, compared.auc)
pd.DataFrame([{"word": r.word, "senses": " / ".join(r.senses), "kind": r.kind, "AUC": auc, "why": r.reason} for r, auc in pairs])

# %% control context before
from elmoscope.core.views.card import read_lessons

parts = read_lessons(model.folder, model.fingerprint)  # python -m core.lab lessons makes it
list(parts)

# %% control
layers = parts.get("control", {}).get("layers", {})
rows = [{"layer": k, "rank": rank, **scores, **scores["selectivity"]} for k, ranks in layers.items() for rank, scores in ranks.items()]
pd.DataFrame(rows)

# %% control
from elmoscope.core.figures.lessons import rank_lines

ranks = layers.get(layer, {})
lines = {name: [scores[name] for scores in ranks.values()] for name in ("tags", "control")}
level = ("word's most frequent tag", parts["control"]["type"]) if ranks else None
rank_lines(list(map(int, ranks)), lines, level=level, title="rank", key="control") if ranks else None

# %% context
measured = parts.get("context", {"words": [], "one_nn": {}})
pd.DataFrame(measured["one_nn"], index=measured["words"])

# %% before
measured = parts.get("before", {"words": [], "one_nn": {}, "ari": {}})
pd.DataFrame(
    {measure: {name: sum(values) / len(values) for name, values in measured[measure].items()} for measure in ("one_nn", "ari")}
).round(3)

# %% context before
from elmoscope.core.common.significance import compare_pairs
from elmoscope.core.figures.lessons import Dots, interval_dots

rows = []
for name, values in measured["one_nn"].items():
    share = compare_pairs(values, [0] * len(values))
    rows.append(Dots(name, share.mean, share.low, share.high, dict(zip(measured["words"], values))))
interval_dots(rows, title="nearest sentence has the same sense", zero=None, key="context") if rows else None

# %% context before
from elmoscope.core.views.card import less

{name: less(measured, layer, name) for name in measured["one_nn"] if name != layer}  # word by word, words resampled
