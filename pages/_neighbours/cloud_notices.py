"""What One dot, or a cloud says of its pictures: shares in words, what to notice, the table."""

import numpy as np
import pandas as pd

from core.common import model_layers
from core.common.i18n import t, tn
from core.common.markup import Markup, html, shorten
from core.figures.style import layer_title
from core.senses.cloud import CLEAR, side_shares
from core.views.cloud import SenseCloud, SideCloud, Static

UNSURE = 0.15  # a share no further than this above an even one


def in_words(shares: dict) -> Markup:
    """ "62% money, 8% river", largest first."""
    return Markup(", ").join(html("<b>{}</b>", share) for share in _list_shares(shares, t("undecided")))


def in_plain_words(shares: dict, none: str = "") -> str:
    """The same without markup; `none` names what has no side."""
    return ", ".join(_list_shares(shares, none or t("undecided")))


def _list_shares(shares: dict, none: str) -> list[str]:
    ordered = sorted((item for item in shares.items() if item[1] > 0), key=lambda item: (item[0] is None, -item[1]))
    return [f"{share:.0%} {sense or none}" for sense, share in ordered]


def write_notices(result: SenseCloud, layer: str, static: Static | None) -> list[str]:
    """Which meaning each sentence stands among, and what GloVe's one dot stands among: two sentences."""
    lines = []
    if layer == "0" and model_layers.in_use().is_elmo and any(result.shares):
        lines.append(
            t(
                "At {where} {model}, like GloVe, has one vector per spelling, so no sense is nearer.",
                where=layer_title("0"),
                model=model_layers.in_use().called,
            )
        )
    elif any(result.shares):
        where = model_layers.in_use().at(layer, begins=True)
        first, second = (_describe_shares(shares, len(result.senses)) for shares in result.shares)
        if first and second:
            lines.append(t("{where} your first sentence is {first}, your second {second}.", first=first, second=second, where=where))
        elif first:
            lines.append(t("{where} your first sentence is {first}.", first=first, where=where))
        else:
            lines.append(t("{where} your second sentence is {second}.", second=second, where=where))
    if static:
        values = {"n": len(static.near), "word": result.lemma, "shares": in_words(side_shares(static.sides, result.senses))}
        lines.append(t("GloVe’s {n} neighbors of “{word}” are {shares} in any sentence.", **values))
    else:
        lines.append(t("“{word}” is not in GloVe.", word=result.lemma))
    return lines


def _describe_shares(shares: dict | None, n: int) -> str:
    """Among which meaning a sentence stands, and how much of what is near has it; too close to call where none clearly leads."""
    if not shares:
        return ""
    first, *others = sorted(shares.items(), key=lambda item: -item[1])
    if first[1] < 1 / n + UNSURE or (others and first[1] - others[0][1] < UNSURE):
        return t("between senses (too close to call)")
    return t("among “{sense}” ({share:.0%} of neighbors)", sense=first[0], share=first[1])


def trusted(static: Static, senses: list[str]) -> str:
    """How far GloVe's shares can be trusted: from the labeled sentences' own words, each placed without its sentence."""
    lines, trust = [], static.trust
    if trust.clear:
        numbers = {"lead": CLEAR, "right": trust.right / trust.clear, "chance": 1 / len(senses)}
        lines.append(
            t("On words of a known sense, leads of {lead} or more are right {right:.0%} of the time (chance {chance:.0%}).", **numbers)
        )
    if (static.sides < 0).sum() > 0.4 * len(static.near):
        lines.append(t("Over 40% are undecided, so GloVe’s shares say little."))
    return " ".join(lines)


def describe_sides(words: tuple[str, str], layer: str, result: SideCloud, static: Static | None) -> list[str]:
    """Of a word without labels, that of each sentence: what leans to which of both, and how GloVe's one dot stands: two sentences."""
    sides, n = result.sides, len(result.items)
    values = {"word": in_question(*words), "where": model_layers.in_use().at(layer, begins=True), "n": n}
    counts = {"first": int((sides == 0).sum()), "second": int((sides == 1).sum()), "close": int((sides < 0).sum())}
    if not n:
        line = t("These texts have no other word.")
    elif layer == "0" and words[0] == words[1] and model_layers.in_use().is_elmo:
        line = t(
            "At {where} {model}, like GloVe, gives “{word}” one vector in both sentences.",
            word=values["word"],
            where=layer_title("0"),
            model=model_layers.in_use().called,
        )
    elif result.words:
        near = [
            [result.words[k] for k in np.argsort(-each, kind="stable") if sides[k] == side][:3] for side, each in enumerate(result.cosines)
        ]
        listed = [", ".join(f"“{shorten(word)}”" for word in side) for side in near]
        if all(listed):
            pair = dict(zip(("first", "second"), listed, strict=True))
            line = t("{where} nearer to your first sentence: {first}; to your second: {second}.", where=values["where"], **pair)
        elif any(listed):
            only = {"where": values["where"], "words": listed[0] or listed[1]}
            line = (
                t("{where} only your first sentence has words clearly nearer to it: {words}.", **only)
                if listed[0]
                else t("{where} only your second sentence has words clearly nearer to it: {words}.", **only)
            )
        else:
            line = t("{where} no word is clearly nearer to one of the two: too close to call.", where=values["where"])
    elif counts["close"] == n:
        line = t("{where} none of the {n} sentences with “{word}” is clearly nearer to one of yours: too close to call.", **values)
    else:
        line = t(
            "{where} the {n} sentences with “{word}” split: {first} nearer to your first, {second} to your second, {close} too close to call.",
            **values,
            **counts,
        )
    if static is None or words[0].casefold() != words[1].casefold():  # of two words GloVe has two dots, and one of them is on the page
        return [line]
    shares = {"first": int((static.sides == 0).sum()), "second": int((static.sides == 1).sum()), "n": len(static.near)}
    if shares["first"] + shares["second"] == 0:
        return [line, t("None of GloVe’s {n} neighbors clearly goes with one sentence.", **shares)]
    divide = t("GloVe’s {n} neighbors split: {first} with the first sentence, {second} with the second.", **shares)
    return [line, divide]


def in_question(first: str, second: str) -> str:
    """Both words, to stand between quotation marks: one where they are one spelling, letter case aside."""
    return shorten(first) if first.casefold() == second.casefold() else f"{shorten(first)}” / “{shorten(second)}"


def word_texts(result: SideCloud) -> list[str]:
    """Each word with how many sentences its vector is the mean of."""
    return [
        tn("{word}, in {n} sentence", "{word}, in {n} sentences", n, word=word) for word, n in zip(result.words, result.counts, strict=True)
    ]


def sides_table(result: SideCloud, static: Static | None, names: list[str]) -> pd.DataFrame:
    """The table twin where the word has no labels."""
    side = {0: names[0], 1: names[1], -1: t("too close to call")}
    texts = result.words or [occurrence.sentence for occurrence in result.occurrences]
    rows = [
        {
            t("around"): model_layers.in_use().called,
            t("what"): what,
            t("nearer to"): side[int(s)],
            t("cosine, first"): round(float(a), 4),
            t("cosine, second"): round(float(b), 4),
        }
        for what, s, a, b in zip(texts, result.sides, *result.cosines, strict=True)
    ]
    for near, s in zip(static.near, static.sides, strict=True) if static else ():
        rows.append({t("around"): t("GloVe"), t("what"): near.word, t("nearer to"): side[int(s)], t("cosine"): round(near.cosine, 4)})
    return pd.DataFrame(rows)


def shares_table(result: SenseCloud, shares: list[tuple[str, dict]], static: Static | None) -> pd.DataFrame:
    """The table twin of both panels."""
    around, what, meaning, value, lead = t("around"), t("what"), t("meaning"), t("value"), t("lead")
    rows = [
        {around: name, what: t("share"), meaning: sense or t("undecided"), value: round(share, 4), lead: None}
        for name, each in shares
        for sense, share in each.items()
    ]
    for p in static.near if static else ():
        rows.append(
            {around: t("GloVe"), what: p.word, meaning: p.sense or t("undecided"), value: round(p.cosine, 4), lead: round(p.lead, 3)}
        )
    for label, near in zip((t("First sentence"), t("Second sentence")), result.near, strict=True):
        rows += [
            {around: label, what: n.occurrence.sentence, meaning: n.occurrence.sense, value: round(n.cosine, 4), lead: None}
            for n in near or ()
        ]
    return pd.DataFrame(rows)
