"""The notebooks of views of bundled measurements: trained classifiers and experiments."""

from core.common.i18n import t
from pages._export.recipe import NotebookRecipe, Settings, chosen


def train(settings: Settings) -> NotebookRecipe:
    shows = t("The bundled classifiers on unseen texts. Yours have their own notebook.")
    return NotebookRecipe(shows, {"task": "news-title"}, (_TRAINED, _CONFUSION))


_TRAINED = """\
import pandas as pd

from core.classify import tasks

metas = tasks.heads_metas(task)
pd.DataFrame({name: {key: meta["test"][key] for key in ("accuracy", "macro_f1", "ece")} for name, meta in metas.items()}).T
"""
_CONFUSION = """\
from core.figures.classifiers import confusion_figure

best = max(metas, key=lambda name: metas[name]["test"]["accuracy"])
confusion_figure(metas[best]["test"]["confusion"], metas[best]["labels"])
"""


def results(settings: Settings) -> NotebookRecipe:
    shows = t("Every classifier’s accuracy over several seeds, from the bundled results.")
    return NotebookRecipe(shows, {"experiment": chosen(settings, "results_task", "titles")}, (_RUNS, _DOTS, _CONTEXT, _LEADS))


_RUNS = """\
import pandas as pd

from core.evaluation import experiments

lines = experiments.read_results() if experiments.RESULTS.is_file() else []  # python -m core.lab experiments makes it
summary = experiments.summary(lines, experiment)
pd.DataFrame(summary).T
"""
_DOTS = """\
from core.figures.classifiers import accuracy_dots

kinds = {name: experiments.kind_of(name) for name in summary}
accuracy_dots({name: (row["accuracy"], row["spread"]) for name, row in summary.items()}, kinds) if summary else None
"""


_CONTEXT = """\
from core.evaluation.context_gains import sizes

def points_of(share):  # None where a difference has no interval
    return None if share is None else 100 * share


context = [  # is it context? GloVe + ELMo minus each control, and each set of parts minus GloVe alone
    {"labeled": size.labeled, "subsets": size.subsets, "parts": name, "less": other, "points": 100 * lead.difference.mean,
     "low": points_of(lead.difference.low), "high": points_of(lead.difference.high), "p (Holm)": lead.p}
    for size in sizes(lines)
    for leads, of, less in ((size.over_glove, None, "glove"), (size.of_elmo, "glove+elmo", None))
    for key, lead in leads.items()
    for name, other in [(of or key, less or key)]
]
pd.DataFrame(context)
"""
_LEADS = """\
from core.figures.style import SENSE_COLORS
from core.figures.classifiers import leads_figure

points = {}
for row in context:
    if row["less"] == "glove":
        points.setdefault(row["parts"], []).append((row["labeled"], *(row[k] and row[k] / 100 for k in ("points", "low", "high")), row["p (Holm)"] < 0.05))
colors = dict(zip(points, SENSE_COLORS))
leads_figure(points, colors, x="labeled rows", y="points over GloVe alone") if points else None
"""
