"""Say which sentences a comparison or a count leaves out, and why."""

from dataclasses import dataclass

from ..common.i18n import tn
from ..common.markup import shorten


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutSentences:
    """Sentences that are on neither side of a comparison though a date or a text might place them there, or on one of the two alone."""

    sentences: int = 0  # of the texts that are divided by date
    undated: int = 0  # without a date that can be read
    unread_date: str = ""  # an example of such a date, as written
    astride: int = 0  # whose date is only partly within a side
    astride_date: str = ""
    shared: int = 0  # on both sides; they count for the side with fewer sentences
    reduced: int = 0  # the side without them: 0 or 1

    def describe(self) -> list[str]:
        """Return a sentence for each reason that applies."""
        notes = [describe_undated(self.undated, self.sentences, self.unread_date)] if self.undated else []
        if self.astride:
            values = {"all": self.sentences, "example": shorten(self.astride_date)}
            notes.append(
                tn(
                    "{n:,} of {all:,} sentences has a date only partly within a side (such as “{example}”) and is left out.",
                    "{n:,} of {all:,} sentences have a date only partly within a side (such as “{example}”) and are left out.",
                    self.astride,
                    **values,
                )
            )
        return notes + ([describe_shared(self.shared, self.reduced)] if self.shared else [])


def describe_undated(n: int, everything: int, example: str) -> str:
    """Say how many sentences have no date that can be read, with one that cannot."""
    values = {"all": everything, "example": shorten(example)}
    if example:
        return tn(
            "{n:,} of {all:,} sentences has no readable date (such as “{example}”) and is in no time span.",
            "{n:,} of {all:,} sentences have no readable date (such as “{example}”) and are in no time span.",
            n,
            **values,
        )
    return tn(
        "{n:,} of {all:,} sentences has no date and is in no time span.",
        "{n:,} of {all:,} sentences have no date and are in no time span.",
        n,
        **values,
    )


def describe_shared(n: int, reduced: int) -> str:
    """Say how many sentences both sides of a comparison have, and on which they count."""
    if reduced == 0:
        return tn(
            "{n:,} sentence is on both sides and counts on the second alone.",
            "{n:,} sentences are on both sides and count on the second alone.",
            n,
        )
    return tn(
        "{n:,} sentence is on both sides and counts on the first alone.",
        "{n:,} sentences are on both sides and count on the first alone.",
        n,
    )
