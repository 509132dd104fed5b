"""The notebooks of Your texts: a concordance, collocates, keywords."""

from core.common.i18n import t
from core.text import languages
from pages._export.recipe import NotebookRecipe, Settings, chosen, names_in_use, word

_WORKSPACE = """\
from core.workspace import open_workspace

workspace = open_workspace(model_name, corpus=corpus)
"""


def corpus(settings: Settings) -> NotebookRecipe:
    shows = t("A concordance of a word or phrase.")
    assignments = names_in_use(settings, "model", "corpus") | {
        "query": chosen(settings, "find", word(settings)),
        "kind": chosen(settings, "find_kind", "word"),
        "order": chosen(settings, "find_order", "text"),
        "documents": tuple(settings.get("docs") or ()),
    }
    return NotebookRecipe(shows, assignments, (_WORKSPACE, _SEARCH, _SPREAD))


_SEARCH = """\
import pandas as pd

from core.views.concordance import ConcordanceRequest, concordance

request = ConcordanceRequest(query=query, kind=kind, order=order, documents=documents, number=200)
result = concordance(workspace, request)
print(f"{result.n:,} occurrences, {result.per_million:,.0f} per million, DP {result.deviation:.2f}; forms: {dict(result.forms)}")
pd.DataFrame([(line.before, line.hit, line.after) for line in result.lines], columns=["before", "found", "after"])
"""

_SPREAD = """\
parts = result.dates or (result.documents if len(result.documents) > 1 else result.stretches)
pd.DataFrame(parts, columns=["part", "occurrences", "tokens"])
"""


def collocates(settings: Settings) -> NotebookRecipe:
    shows = t("The collocates of a word, whole and by its senses.")
    example = languages.in_use().examples.get("collocates", "")
    assignments = names_in_use(settings, "model", "corpus") | {
        "query": chosen(settings, "find", example or word(settings)),
        "kind": chosen(settings, "collocate_kind", "lemma"),
        "window": int(chosen(settings, "window", 5)),
        "minimum": int(chosen(settings, "minimum", 2)),
        "order": chosen(settings, "collocate_order", "log_dice"),
        "senses": settings.get("by_sense", "labels"),
        "grammar": bool(settings.get("grammar")),
    }
    return NotebookRecipe(shows, assignments, (_WORKSPACE, _COLLOCATES, _BY_SENSE))


_COLLOCATES = """\
import pandas as pd

from core.views.concordance import CollocatesRequest, collocates

about = {"query": query, "kind": kind, "window": window, "minimum": minimum, "order": order, "senses": senses, "grammar": grammar}
result = collocates(workspace, CollocatesRequest(**about))
rows = [(item.word, item.log_dice, item.log_likelihood, item.together, item.frequency) for item in result.items]
pd.DataFrame(rows, columns=["word", "logDice", "log-likelihood", "together", "in the corpus"])
"""

_BY_SENSE = """\
rows = [(column.sense, item.word, item.z, item.here, item.elsewhere) for column in result.senses for item in column.words]
pd.DataFrame(rows, columns=["sense", "word", "z", "here", "other senses"])
"""


def keyness(settings: Settings) -> NotebookRecipe:
    shows = t("What a corpus says more often than another.")
    assignments = names_in_use(settings, "model", "corpus") | {
        "against": str(settings.get("against") or ""),
        "minimum": int(chosen(settings, "key_minimum", 5)),
        "correction": chosen(settings, "correction", "benjamini-hochberg"),
        "most": int(chosen(settings, "key_most", 100)),
    }
    return NotebookRecipe(shows, assignments, (_WORKSPACE, _KEYWORDS))


_KEYWORDS = """\
import pandas as pd

from core.views.concordance import KeynessRequest, keyness

request = KeynessRequest(against=against, minimum=minimum, correction=correction, most=most)
result = keyness(workspace, request)
rows = [(word.word, word.first, word.second, word.log_likelihood, word.log_ratio, word.p) for word in (*result.first, *result.second)]
pd.DataFrame(rows, columns=["word", *result.names, "log-likelihood", "log ratio", "p, corrected"])
"""
