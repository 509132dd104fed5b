"""The notebooks of the lessons. Each computes its figures and its table again."""

from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import shorten
from pages._export.recipe import OPEN, NotebookRecipe, Settings, chosen, names_in_use


def lessons(settings: Settings) -> NotebookRecipe:
    """Return the notebook of the lesson in the URL."""
    name = str(chosen(settings, "lesson", "cone"))
    if name not in LESSONS:
        raise BadInput(t("“{view}” has no notebook. Choose another view.", view=shorten(name)))
    return LESSONS[name](settings)


def _anisotropy(settings: Settings) -> NotebookRecipe:
    shows = t("Cosines of two different words and of one word, by layer: raw, minus the mean, minus top directions.")
    assignments = names_in_use(settings, "model", "corpus") | {"treatment": chosen(settings, "cone", "raw")}
    return NotebookRecipe(shows, assignments, (OPEN, _ANISOTROPY, _ANISOTROPY_TABLE, _ANISOTROPY_FIGURE))


_ANISOTROPY = """\
from core.evaluation import anisotropy
from core.index.tables import open_table

table = open_table(corpus, model, targets_only=True)  # a corpus without labels is read whole
found = anisotropy.measure(anisotropy.sample(table))
found.measured, found.controls  # the words that are measured, and those that chose k
"""
_ANISOTROPY_TABLE = """\
import pandas as pd

rows = [
    {"layer": layer, "vectors": name, "k": panel.k, **panel.mean, "self-similarity": panel.alike.mean,
     "low": panel.alike.low, "high": panel.alike.high, "variance": panel.explained.mean, "AUC": panel.auc.mean()}
    for layer, panels in enumerate(found.panels)
    for name, panel in panels.items()
]
pd.DataFrame(rows).round(3)
"""
_ANISOTROPY_FIGURE = """\
from core.figures.lessons import RANDOM_PAIRS, ONE_SENSE, ONE_WORD, Row, density_rows

colors = {kind: color for kind, color in zip(("random", "word", "sense"), (RANDOM_PAIRS, ONE_WORD, ONE_SENSE)) if kind in found.pairs}
drawn = [Row(f"layer {layer}", "", {kind: panels[treatment].density[kind] for kind in colors}) for layer, panels in enumerate(found.panels)]
density_rows(drawn, anisotropy.GRID, colors, span=(-0.85, 1.0), key="cone")
"""


def _write_apart(settings: Settings) -> NotebookRecipe:
    shows = t("Cosines of same-sense and different-sense pairs by layer, and a threshold’s errors.")
    assignments = names_in_use(settings, "model", "corpus") | {
        "word": chosen(settings, "apart_word", "all words"),
        "threshold": chosen(settings, "apart_at", None),
    }
    return NotebookRecipe(shows, assignments, (OPEN, LABELED, _APART, _APART_TABLE, _APART_FIGURE))


LABELED = """\
from core.index.tables import open_table

table = open_table(corpus, model, targets_only=True)
if not len(table.labeled_rows()):  # no senses there: the labeled sentences of the model's language
    table = open_table(model.language.sentences, model, targets_only=True)
spaces = [*map(str, range(table.meta["layers"])), "mix"]
"""
_APART = """\
from core.evaluation import apart

every = {name: apart.measure_spread(table, name) for name in spaces}
top = spaces[-2]
threshold = every[top].balanced() if threshold is None else threshold
found = {name: one.of(word) if word in one.words else one for name, one in every.items()}
"""
_APART_TABLE = """\
import pandas as pd

rows = []
for name, one in found.items():
    auc, errors, (same, other) = one.auc(), one.errors(threshold), one.means()
    rows.append({"space": name, "one sense": same, "two senses": other, "AUC": auc.mean + 0.5,
                 "AUC, 95%": auc.cell(".3f", times=1, more=0.5), "missed": errors.missed, "false alarms": errors.passed})
pd.DataFrame(rows).round(3)
"""
_APART_FIGURE = """\
from core.figures.lessons import ONE_SENSE, ONE_WORD, Row, density_rows
from core.evaluation.anisotropy import GRID

colors = {"same sense": ONE_SENSE, "different senses": ONE_WORD}
drawn = [Row(name, "", dict(zip(colors, one.densities()))) for name, one in found.items()]
density_rows(drawn, GRID, colors, span=(-0.5, 1.0), key="apart", at=threshold)
"""


def _homonyms(settings: Settings) -> NotebookRecipe:
    shows = t("How well senses separate, by their relation.")
    return NotebookRecipe(
        shows,
        names_in_use(settings, "model") | {"layer": chosen(settings, "relation_layer", model_layers.in_use().top)},
        (OPEN, _RELATIONS, _RELATIONS_FIGURE, _RELATIONS_TABLE),
    )


_RELATIONS = """\
from core.evaluation import relations
from core.index.tables import open_table

table = open_table(model.language.sentences, model, targets_only=True)
found = relations.pairs(table, relations.read(model.language.code), layer)
found.ahead  # homonyms minus each other relation, words resampled
"""
_RELATIONS_FIGURE = """\
from core.figures.lessons import Dots, interval_dots

rows = [Dots(kind, one.mean, one.low, one.high) for kind, one in found.kinds.items()]
interval_dots(rows, title="same-sense pair is closer", zero=0.5, key="homonyms")
"""
_RELATIONS_TABLE = """\
import pandas as pd

pairs = zip(found.relations, found.auc)
pd.DataFrame([{"word": r.word, "senses": " / ".join(r.senses), "kind": r.kind, "AUC": auc, "why": r.reason} for r, auc in pairs])
"""


def _control(settings: Settings) -> NotebookRecipe:
    shows = t("Probe accuracy on real and random tags, by layer and rank.")
    return NotebookRecipe(
        shows,
        names_in_use(settings, "model") | {"layer": chosen(settings, "control_layer", model_layers.in_use().top)},
        (OPEN, _KEPT, _CONTROL_TABLE, _CONTROL_FIGURE),
    )


_KEPT = """\
from core.evaluation import lessons

parts = lessons.read(model.folder, model.fingerprint)  # python -m core.lab lessons makes it
list(parts)
"""
_CONTROL_TABLE = """\
import pandas as pd

layers = parts.get("control", {}).get("layers", {})
rows = [{"layer": k, "rank": rank, **one, **one["selectivity"]} for k, ranks in layers.items() for rank, one in ranks.items()]
pd.DataFrame(rows)
"""
_CONTROL_FIGURE = """\
from core.figures.lessons import rank_lines

ranks = layers.get(layer, {})
lines = {name: [one[name] for one in ranks.values()] for name in ("tags", "control")}
level = ("word's most frequent tag", parts["control"]["type"]) if ranks else None
rank_lines(list(map(int, ranks)), lines, level=level, title="rank", key="control") if ranks else None
"""


def _context(settings: Settings) -> NotebookRecipe:
    shows = t("A layer beside controls with less context or training, by word.")
    return NotebookRecipe(
        shows,
        names_in_use(settings, "model") | {"layer": chosen(settings, "context_layer", "1")},
        (OPEN, _KEPT, _CONTEXT, _CONTEXT_FIGURE, _CONTEXT_LESS),
    )


_CONTEXT = """\
import pandas as pd

found = parts.get("context", {"words": [], "one_nn": {}})
pd.DataFrame(found["one_nn"], index=found["words"])
"""
_CONTEXT_FIGURE = """\
from core.figures.lessons import Dots, interval_dots
from core.common.significance import compare_pairs

rows = []
for name, values in found["one_nn"].items():
    one = compare_pairs(values, [0] * len(values))
    rows.append(Dots(name, one.mean, one.low, one.high, dict(zip(found["words"], values))))
interval_dots(rows, title="nearest sentence has the same sense", zero=None, key="context") if rows else None
"""
_CONTEXT_LESS = """\
from core.evaluation.lessons import less

{name: less(found, layer, name) for name in found["one_nn"] if name != layer}  # word by word, words resampled
"""


def _before(settings: Settings) -> NotebookRecipe:
    shows = t("What ELMo knows before the word, beside layer 1.")
    return NotebookRecipe(shows, names_in_use(settings, "model") | {"layer": "1"}, (OPEN, _KEPT, _BEFORE, _CONTEXT_FIGURE, _CONTEXT_LESS))


_BEFORE = """\
import pandas as pd

found = parts.get("before", {"words": [], "one_nn": {}, "ari": {}})
pd.DataFrame({measure: {name: sum(of) / len(of) for name, of in found[measure].items()} for measure in ("one_nn", "ari")}).round(3)
"""

LESSONS = {"cone": _anisotropy, "apart": _write_apart, "homonyms": _homonyms, "control": _control, "context": _context, "before": _before}
