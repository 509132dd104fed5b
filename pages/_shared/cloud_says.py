"""What the page of one dot or a cloud says of its pictures: shares in words, what to notice, the table."""

from __future__ import annotations

from html import escape

import pandas as pd

from core import cloud
from core.text import join_tokens
from core.texts import t

UNSURE = 0.15  # a share no further than this above an even one


def in_words(shares: dict) -> str:
    """ "62% money, 8% river", largest first."""
    return ", ".join(f"<b>{escape(told)}</b>" for told in _ordered(shares))


def in_plain_words(shares: dict) -> str:
    """The same without markup."""
    return ", ".join(_ordered(shares))


def _ordered(shares: dict) -> list[str]:
    ordered = sorted((item for item in shares.items() if item[1] > 0), key=lambda item: (item[0] is None, -item[1]))
    return [f"{share:.0%} {sense or t('undecided')}" for sense, share in ordered]


def noticed(lemma: str, senses: list[str], layer: str, placed, trust, contexts: list) -> list[str]:
    """Whose neighbours mean what, and how far GloVe's shares can be trusted."""
    lines = []
    if placed:
        lines.append(
            t("GloVe's {n} neighbours of “{word}” are {shares}, whatever the sentence.", n=len(placed), word=escape(lemma), shares=in_words(cloud.word_shares(placed, senses)))
        )  # fmt: skip
    where = t("the mix") if layer == "mix" else t("layer {layer}", layer=layer)
    if layer == "0" and any(contexts):
        lines.append(
            t("At layer 0 ELMo is as blind as GloVe: one spelling has one vector, so no meaning is nearer than another.")
        )
    else:
        for number, shares in enumerate(contexts, 1):
            if shares:
                lines.append(
                    t(
                        "ELMo's neighbours of sentence {number} at {where} are {shares}.",
                        number=number,
                        where=where,
                        shares=in_words(shares),
                    )
                )
        lines += _agreement(contexts, senses)
    if not placed:
        return lines
    tried = trust.clear + trust.unclear
    if trust.clear:
        lines.append(
            t(
                "How far can GloVe's shares be trusted? Of {n} context words of “{word}”, each placed without its own sentence, {clear:.0%} led clearly (by {lead}), and "
                "{right:.0%} of those went to the right meaning; by chance {chance:.0%} would.",
                n=tried, word=escape(lemma), clear=trust.clear / tried, lead=cloud.CLEAR, right=trust.right / trust.clear, chance=1 / len(senses),
            )
        )  # fmt: skip
    decided = sorted((p for p in placed if p.sense), key=lambda p: p.lead)[:3]
    if decided:
        words = ", ".join(t("“{word}” ({sense})", word=escape(p.word), sense=escape(p.sense)) for p in decided)
        lines.append(t("The least sure that were counted: {words}.", words=words))
    if sum(p.sense is None for p in placed) > 0.4 * len(placed):
        lines.append(t("More than two in five are undecided: GloVe's shares say little here."))
    return lines


def _agreement(contexts: list, senses: list[str]) -> list[str]:
    """What the two clouds say of each other, failures included."""
    best, lines = [max(shares, key=shares.get) for shares in contexts if shares], []
    for number, shares in enumerate(contexts, 1):
        if shares and max(shares.values()) < 1 / len(senses) + UNSURE:
            lines.append(t("Sentence {number} stands between the meanings: this small model is unsure of it.", number=number))
    if len(best) == 2 and best[0] == best[1]:
        lines.append(
            t(
                "Both stand most among “{sense}”: either they mean the same, or the model misses the difference.",
                sense=escape(best[0]),
            )
        )
    return lines


def shares_table(table, placed, shares: list, found: list) -> pd.DataFrame:
    """The table twin of both panels."""
    rows = [
        {
            t("around"): name,
            t("what"): t("share"),
            t("meaning"): sense or t("undecided"),
            t("value"): round(value, 4),
            t("lead"): None,
        }
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
                    t("what"): join_tokens(list(n.occurrence.tokens)),
                    t("meaning"): n.occurrence.sense,
                    t("value"): round(n.cosine, 4),
                    t("lead"): None,
                }
            )
    return pd.DataFrame(rows)
