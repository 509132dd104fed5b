"""Which tokens are in letters that a language's models were not trained to read, said in one sentence."""

from collections import Counter
from collections.abc import Iterable, Mapping

from ..common import notes
from ..common.i18n import tn
from ..common.markup import shorten
from .languages import LATIN, Language, scripts_of
from .tokens import bare

EXAMPLES = 3  # tokens that are cited


def unread(counts: Mapping[str, int], language: Language) -> Counter[str]:
    """Return those of some tokens, and how often each occurs, in letters that the language's examples are not written in.

    Latin letters in a language that is not written in them are names and loans ("KBS") unless most words are Latin.
    """
    known = language.scripts
    if not known:
        return Counter()
    foreign: Counter[str] = Counter()
    latin: Counter[str] = Counter()
    lettered = 0
    for token, n in counts.items():
        scripts = scripts_of(token)
        lettered += n * bool(scripts)
        if not scripts <= known:
            (latin if scripts <= {LATIN, *known} else foreign)[bare(token)] += n
    return foreign + latin if 2 * latin.total() > lettered else foreign


def say_unread(counts: Mapping[str, int], language: Language) -> str:
    """Return what the language's models cannot read of some tokens; "" where they can read all."""
    unreadable = unread(counts, language)
    if not unreadable:
        return ""
    words = ", ".join(shorten(token, 20) for token, _ in unreadable.most_common(EXAMPLES)) + (", …" if len(unreadable) > EXAMPLES else "")
    return tn(
        "{n:,} of {all:,} tokens is not in {language} letters ({words}). A model of {language} does not know it.",
        "{n:,} of {all:,} tokens are not in {language} letters ({words}). A model of {language} does not know them.",
        unreadable.total(),
        all=sum(counts.values()),
        language=language.name,
        words=words,
    )


def note_unread(tokens: Iterable[str] | Mapping[str, int], language: Language, name: str = "") -> None:
    """Add a note on what the language's models cannot read of a text of that name."""
    counts = tokens if isinstance(tokens, Mapping) else Counter(tokens)
    if text := say_unread(counts, language):
        text = f"{name}: {text}" if name else text
        notes.add(text, text)
