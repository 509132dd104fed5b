"""The data tables of the words that decide and of the two directions."""

import pandas as pd

from core.common.i18n import t
from core.figures.influence import half_name
from core.figures.style import layer_title
from core.senses import influence
from core.senses.influence import Influence
from core.text.tokens import join_tokens


def of_words(result: Influence) -> pd.DataFrame:
    """Return a row for each word, layer and direction: how far it moves the vector, and toward which senses (differences of cosines)."""
    rows = []
    for n, position in enumerate(result.changed):
        for v, view in enumerate(result.views):
            for h, half in enumerate(influence.HALVES):
                row = {t("place"): position + 1, t("word"): result.tokens[position], t("layer"): layer_title(view)}
                row |= {t("half"): half_name(half), t("moves it (1 − cosine)"): round(float(result.moved[n, v, h]), 4)}
                change = result.cosines[v, h] - result.varied[n, v, h]
                row |= {t("toward {sense}", sense=s): round(float(c), 4) for s, c in zip(result.senses, change, strict=True)}
                rows.append(row)
    return pd.DataFrame(rows)


def of_halves(result: Influence) -> pd.DataFrame:
    """Return a row for each layer and direction: its sense, the lead, and the cosine to every sense."""
    rows = []
    for v, view in enumerate(result.views):
        added = influence.gains(result, view)
        chosen = influence.verdict(result, view, influence.BOTH).sense
        for h, verdict in enumerate(influence.halves(result, view).values()):
            row = {t("sentence"): join_tokens(list(result.tokens)), t("layer"): layer_title(view)}
            row |= {t("half"): half_name(verdict.half), t("nearest sense"): verdict.sense}
            row |= {t("lead"): round(verdict.margin, 4), t("lead without a sentence"): round(verdict.alone, 4)}
            row[t("the sentence adds (standard deviations)")] = round(added[verdict.half], 2)
            row[t("what both choose")] = chosen
            cosines = zip(result.senses, result.cosines[v, h], strict=True)
            row |= {t("cosine to {sense}", sense=s): round(float(c), 4) for s, c in cosines}
            rows.append(row)
    return pd.DataFrame(rows)
