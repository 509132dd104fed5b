"""Why the words expected in a place may say little, in a sentence."""

from core.common.i18n import t
from core.elmo import in_place
from core.text.tokens import bare


def weakness(word: str, why: str) -> str:
    """A code of core.elmo.in_place.weakness in words; "" for none."""
    word = bare(word)[:24]
    return {
        in_place.GRAMMAR: t("“{word}” is a function word: substitutes say little.", word=word),
        in_place.NAME: t("“{word}” is a name: substitutes say little.", word=word),
        in_place.FIRST: t("Nothing before “{word}”: less reliable.", word=word),
        in_place.LAST: t("Nothing after “{word}”: less reliable.", word=word),
        in_place.ALONE: t("“{word}” is alone: not reliable.", word=word),
    }.get(why, "")
