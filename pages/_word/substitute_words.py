"""Why the words expected in a place may say little, in a sentence."""

from core.common.i18n import t
from core.elmo import in_place
from core.text.tokens import bare


def weakness(word: str, why: str) -> str:
    """A code of core.elmo.in_place.weakness in words; "" for none."""
    word = bare(word)[:24]
    return {
        in_place.GRAMMAR: t("“{word}” carries grammar: these words say little.", word=word),
        in_place.NAME: t("“{word}” is written as a name: these words say little.", word=word),
        in_place.FIRST: t("Nothing stands before “{word}”: these words say less.", word=word),
        in_place.LAST: t("Nothing stands after “{word}”: these words say less.", word=word),
        in_place.ALONE: t("“{word}” stands alone: these words say nothing of it.", word=word),
    }.get(why, "")
