"""Notebooks of the model itself: How it works, its card, Next word, spellings and the quiz."""

# %% parameters
model_name = "elmo-mini"
vectors_name = "glove-mini"
text = "We moored the boat at the bank."
position = 6  # of the word in the text
raw = [0.0, 0.0, 0.0]  # weights of the layer mix, before the softmax
gamma = 1.0
quantity = "perplexity"  # the training curve
other = "The bank raised its rates again."  # the text that `text` is compared with
among = 10_000  # the most frequent words of the vocabulary; None: all
number = None  # of the quiz; None: today's

# %%
from elmoscope.core.common import model_layers
from elmoscope.core.elmo.models import open_model
from elmoscope.core.text import languages

model = open_model(model_name)
model_layers.use(model.layers)  # how many it has, and what they are called
languages.use(model.language.code)  # how its text is cut into tokens

# %% how
import numpy as np
import pandas as pd
from elmoscope.core.analysis.walk import walk

path = walk(model.encoder, languages.tokenize(text), position)
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
import pandas as pd
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


def along(values, places):
    """Return values at places, NaN where a version has no word."""
    return [float("nan") if k is None else float(values[k]) for k in places]


lines = [
    [along(values, [pair[side] for pair in pairs]) for values in (reading.forward, reading.backward)]
    for side, reading in ((0, old), (1, read))
]
versions_figure([(None if i is None else old.tokens[i], None if j is None else read.tokens[j]) for i, j in pairs], *lines)

# %% spelling
from elmoscope.core.analysis import spelling
from elmoscope.core.figures.walk import cosine_table, windows_figure

words, _ = spelling.split_words(text, 8)
fired = [spelling.firing(model.encoder.model.characters, word) for word in words]
windows_figure(fired[0])

# %% spelling
import numpy as np
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
import pandas as pd
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
