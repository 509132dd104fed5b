"""What the page of one dot or a cloud says of its pictures: shares in words, what to notice, the table."""

import numpy as np
import pandas as pd

from core.common import model_layers
from core.common.i18n import t
from core.common.markup import Markup, html
from core.figures.style import layer_title
from core.senses import cloud

UNSURE = 0.15  # a share no further than this above an even one


def in_words(shares: dict) -> Markup:
    """ "62% money, 8% river", largest first."""
    return Markup(", ").join(html("<b>{}</b>", told) for told in _ordered(shares, t("undecided")))


def in_plain_words(shares: dict, none: str = "") -> str:
    """The same without markup; `none` names what has no side."""
    return ", ".join(_ordered(shares, none or t("undecided")))


def _ordered(shares: dict, none: str) -> list[str]:
    ordered = sorted((item for item in shares.items() if item[1] > 0), key=lambda item: (item[0] is None, -item[1]))
    return [f"{share:.0%} {sense or none}" for sense, share in ordered]


def noticed(lemma: str, senses: list[str], layer: str, placed, contexts: list) -> list[str]:
    """Which meaning each sentence stands among, and what GloVe's one dot stands among: two sentences."""
    lines = []
    if layer == "0" and model_layers.in_use().is_elmo and any(contexts):
        lines.append(
            t(
                "At {where} {model} is as blind as GloVe: one spelling has one vector, so no meaning is nearer than another.",
                where=layer_title("0"),
                model=model_layers.in_use().called,
            )
        )
    elif any(contexts):
        told = {"where": _where(layer)}
        first, second = (_among(shares, len(senses)) for shares in contexts)
        if first and second:
            lines.append(t("{where} your first sentence stands {first}, your second {second}.", first=first, second=second, **told))
        elif first:
            lines.append(t("{where} your first sentence stands {first}.", first=first, **told))
        else:
            lines.append(t("{where} your second sentence stands {second}.", second=second, **told))
    if placed:
        told = {"n": len(placed), "word": lemma, "shares": in_words(cloud.word_shares(placed, senses))}
        lines.append(t("GloVe's {n} neighbours of “{word}” are {shares}, whatever the sentence.", **told))
    else:
        lines.append(t("GloVe does not know “{word}”, so it has no dot.", word=lemma))
    return lines


def _where(layer: str) -> str:
    return t("In the mix") if layer == "mix" else t("At {where}", where=layer_title(layer))


def _among(shares: dict | None, n: int) -> str:
    """Among which meaning a sentence stands, and how much of what is near has it; too close to call where none clearly leads."""
    if not shares:
        return ""
    first, *others = sorted(shares.items(), key=lambda item: -item[1])
    if first[1] < 1 / n + UNSURE or (others and first[1] - others[0][1] < UNSURE):
        return t("between the meanings (too close to call)")
    return t("among “{sense}” ({share:.0%} of its neighbours)", sense=first[0], share=first[1])


def trusted(placed, trust, senses: list[str]) -> str:
    """How far GloVe's shares can be trusted: from the labelled sentences' own words, each placed without its sentence."""
    lines = []
    if trust.clear:
        numbers = {"lead": cloud.CLEAR, "right": trust.right / trust.clear, "chance": 1 / len(senses)}
        lines.append(
            t(
                "Of words known to go with one meaning, those that lead by {lead} or more are placed rightly in {right:.0%} (by chance {chance:.0%}).",
                **numbers,
            )
        )
    if sum(p.sense is None for p in placed) > 0.4 * len(placed):
        lines.append(t("More than two in five are undecided: GloVe's shares say little here."))
    return " ".join(lines)


def noticed_own(words: tuple[str, str], layer: str, found, static) -> list[str]:
    """Of words without labels: what leans to which of the two sentences, and how GloVe's one dot stands: two sentences.

    `words`: that of each sentence; `found` is a pages._cloud.unlabelled.Cloud, `static` (n,) the sides of GloVe's neighbours or None.
    """
    told = {"word": in_question(*words), "where": _where(layer), "n": len(found.first)}
    sides = found.sides
    counts = {"first": int((sides == 0).sum()), "second": int((sides == 1).sum()), "close": int((sides < 0).sum())}
    if not len(sides):
        line = t("Nothing here stands near either sentence: these texts have no other word.")
    elif layer == "0" and words[0] == words[1] and model_layers.in_use().is_elmo:
        line = t(
            "At {where} {model} is as blind as GloVe: both sentences give “{word}” one vector, so nothing is nearer to one.",
            word=told["word"],
            where=layer_title("0"),
            model=model_layers.in_use().called,
        )
    elif found.labels:
        near = [
            [found.labels[k] for k in np.argsort(-each, kind="stable") if sides[k] == side][:3]
            for side, each in enumerate((found.first, found.second))
        ]
        listed = [", ".join(f"“{one}”" for one in side) for side in near]
        if all(listed):
            line = t(
                "{where} nearer to your first sentence: {first}; to your second: {second}.",
                where=told["where"],
                first=listed[0],
                second=listed[1],
            )
        elif any(listed):
            only = {"where": told["where"], "words": listed[0] or listed[1]}
            line = (
                t("{where} only your first sentence has words clearly nearer to it: {words}.", **only)
                if listed[0]
                else t("{where} only your second sentence has words clearly nearer to it: {words}.", **only)
            )
        else:
            line = t("{where} no word is clearly nearer to one of the two: too close to call.", where=told["where"])
    elif counts["close"] == len(sides):
        line = t("{where} none of the {n} sentences with “{word}” is clearly nearer to one of yours: too close to call.", **told)
    else:
        line = t(
            "{where} the {n} sentences with “{word}” divide: {first} nearer to your first, {second} to your second, {close} too close to call.",
            **told,
            **counts,
        )
    if static is None or words[0].casefold() != words[1].casefold():  # of two words GloVe has two dots, and one of them is on the page
        return [line]
    shares = {"first": int((static == 0).sum()), "second": int((static == 1).sum())}
    if shares["first"] + shares["second"] == 0:
        return [line, t("GloVe has one dot for both, and none of its {n} neighbours clearly goes with one sentence.", n=len(static))]
    return [
        line,
        t(
            "GloVe has one dot for both; its {n} neighbours divide: {first} with the first sentence, {second} with the second.",
            n=len(static),
            **shares,
        ),
    ]


def in_question(first: str, second: str) -> str:
    """Both words, to stand between quotation marks: one where they are one spelling, letter case aside."""
    return first[:40] if first.casefold() == second.casefold() else f"{first[:40]}” / “{second[:40]}"


def own_table(found, static, names: list[str]) -> pd.DataFrame:
    """The table twin where the word has no labels."""
    side = {0: names[0], 1: names[1], -1: t("too close to call")}
    rows = [
        {
            t("around"): model_layers.in_use().called,
            t("what"): what,
            t("nearer to"): side[int(s)],
            t("cosine, first"): round(float(a), 4),
            t("cosine, second"): round(float(b), 4),
        }
        for what, s, a, b in zip(found.labels or found.texts, found.sides, found.first, found.second, strict=True)
    ]
    for near, s in zip(*static, strict=True) if static else ():
        rows.append({t("around"): t("GloVe"), t("what"): near.word, t("nearer to"): side[int(s)], t("cosine"): round(near.cosine, 4)})
    return pd.DataFrame(rows)


def shares_table(table, placed, shares: list, found: list) -> pd.DataFrame:
    """The table twin of both panels."""
    rows = [
        {t("around"): name, t("what"): t("share"), t("meaning"): sense or t("undecided"), t("value"): round(value, 4), t("lead"): None}
        for name, each in shares
        for sense, value in each.items()
    ]
    for p in placed or []:
        rows.append(
            {
                t("around"): t("GloVe"),
                t("what"): p.word,
                t("meaning"): p.sense or t("undecided"),
                t("value"): round(p.cosine, 4),
                t("lead"): round(p.lead, 3),
            }
        )
    for label, one in zip((t("First sentence"), t("Second sentence")), found, strict=True):
        for n in one[1] if one else []:
            rows.append(
                {
                    t("around"): label,
                    t("what"): n.occurrence.sentence,
                    t("meaning"): n.occurrence.sense,
                    t("value"): round(n.cosine, 4),
                    t("lead"): None,
                }
            )
    return pd.DataFrame(rows)
