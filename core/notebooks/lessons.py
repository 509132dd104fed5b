"""Notebooks of the lessons. Each computes its figures and its table again."""

# %% parameters
model_name = "elmo-mini"
corpus = "sentences"
treatment = "raw"  # of the vectors: raw, minus the mean, or minus the main directions
word = "all words"
threshold = None  # the cosine from which two vectors count as one sense; None: equally many errors of both kinds
layer = "2"

# %%
from elmoscope.core.common import model_layers
from elmoscope.core.elmo.models import open_model
from elmoscope.core.text import languages

model = open_model(model_name)
model_layers.use(model.layers)  # how many it has, and what they are called
languages.use(model.language.code)  # how its text is cut into tokens

# %% cone
from elmoscope.core.index.tables import open_table
from elmoscope.core.senses import cosines

table = open_table(corpus, model, targets_only=True)  # all of a corpus without labels
shape = cosines.measure(cosines.sample(table))
shape.measured, shape.controls  # the words that are measured, and those that chose k

# %% cone
import pandas as pd

rows = [
    {"layer": layer, "vectors": name, "k": panel.k, **panel.mean, "self-similarity": panel.alike.mean, "low": panel.alike.low}
    | {"high": panel.alike.high, "variance": panel.explained.mean, "AUC": panel.auc.mean()}
    for layer, panels in enumerate(shape.panels)
    for name, panel in panels.items()
]
pd.DataFrame(rows).round(3)

# %% cone
from elmoscope.core.figures.lessons import ONE_SENSE, ONE_WORD, RANDOM_PAIRS, Row, density_rows

colors = {kind: color for kind, color in zip(("random", "word", "sense"), (RANDOM_PAIRS, ONE_WORD, ONE_SENSE)) if kind in shape.pairs}
density = [
    Row(f"layer {layer}", "", {kind: panels[treatment].density[kind] for kind in colors}) for layer, panels in enumerate(shape.panels)
]
density_rows(density, cosines.GRID, colors, span=(-0.85, 1.0), key="cone")

# %% apart
from elmoscope.core.index.tables import open_table

table = open_table(corpus, model, targets_only=True)
if not len(table.labeled_rows()):  # no senses there: the labeled sentences of the model's language
    table = open_table(model.language.sentences, model, targets_only=True)
spaces = [*map(str, range(table.meta["layers"])), "mix"]

# %% apart
from elmoscope.core.senses import cosines

of_all = {name: cosines.measure_spread(table, name) for name in spaces}
top = spaces[-2]
threshold = of_all[top].balanced() if threshold is None else threshold
spreads = {name: spread.of(word) if word in spread.words else spread for name, spread in of_all.items()}

# %% apart
import pandas as pd

rows = []
for name, spread in spreads.items():
    auc, errors, (same, different) = spread.auc(), spread.errors(threshold), spread.means()
    row = {"space": name, "one sense": same, "two senses": different, "AUC": auc.mean + 0.5}
    rows.append(row | {"AUC, 95%": auc.cell(".3f", times=1, more=0.5), "missed": errors.missed, "false alarms": errors.passed})
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
import pandas as pd

pairs = zip(compared.relations, compared.auc)
pd.DataFrame([{"word": r.word, "senses": " / ".join(r.senses), "kind": r.kind, "AUC": auc, "why": r.reason} for r, auc in pairs])

# %% control context before
from elmoscope.core.views.card import read_lessons

parts = read_lessons(model.folder, model.fingerprint)  # python -m core.lab lessons makes it
list(parts)

# %% control
import pandas as pd

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
import pandas as pd

measured = parts.get("context", {"words": [], "one_nn": {}})
pd.DataFrame(measured["one_nn"], index=measured["words"])

# %% before
import pandas as pd

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
