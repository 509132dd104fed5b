r"""One spelling for text that Unicode spells in several ways: letters and their accents, ligatures, hyphens, invisible characters.

macOS writes "\u00e9" as e and an accent, and a syllable of Hangul as its letters. Text out of PDF files, e-books and web pages has soft
hyphens and zero-width spaces inside its words. These look alike and are the same text, but not the same characters. What is read and
compared is spelled in one way; what is shown stays as written (core.text.legible).
"""

import re
import unicodedata

JOINER = "\u2060"  # no width, no break: at an edge of a token, that nothing stood between it and its neighbor there
# Characters without width: controls, soft hyphens, joiners, marks of direction, byte order marks, tags, fillers.
INVISIBLE = (
    "\x01-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff0-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
)
_BLANKS = "\x00\u2800\u3164\uffa0\ufffc"  # what looks like a blank, or stands for a picture
_SELECTORS = "\ufe00-\ufe0f"  # that choose a letter's form; behind a symbol or a digit they make an emoji
_LIGATURES = "\ufb00-\ufdff\ufe70-\ufefc\u2f00-\u2fd5"  # as fonts, not writers, use them: \ufb01, Arabic forms, Han radicals
_HYPHENS = "\u2010\u2011"
_EMOJI = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
_BETWEEN_WORDS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese and Khmer part words by spaces without width
_SIGN = f"{INVISIBLE}{_BLANKS}{_SELECTORS}{_LIGATURES}{_HYPHENS}"
SIGNS = re.compile(
    rf"(?P<emoji>(?<=[{_EMOJI}])\u200d(?=[{_EMOJI}]))|(?P<blank>[{_BLANKS}]|(?<=[{_BETWEEN_WORDS}])\u200b(?=[{_BETWEEN_WORDS}]))"
    rf"|(?P<hyphen>[{_HYPHENS}])|(?P<ligature>[{_LIGATURES}])|(?P<selector>[{_SELECTORS}])|[{INVISIBLE}]"
)
_HAS_SIGNS = re.compile(f"[{_SIGN}]")  # the same signs, sought faster
_TO_COMPARE = re.compile(f"[{_SELECTORS}]")


def composed(text: str) -> str:
    """Return the text in Unicode's composed form.

    >>> composed("cafe\u0301") == "caf\u00e9"
    True
    """
    return text if text.isascii() or unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def has_signs(text: str) -> bool:
    """Whether a text has characters that `plain_sign` reads otherwise."""
    return not (text.isascii() and text.isprintable()) and bool(_HAS_SIGNS.search(text))


def plain_sign(match: re.Match[str]) -> str:
    """Return what a match of SIGNS is read as."""
    match match.lastgroup:
        case "emoji":
            return match[0]
        case "blank":
            return " "
        case "hyphen":
            return "-"
        case "ligature":
            return unicodedata.normalize("NFKC", match[0])
        case "selector":
            before, after = match.string[max(0, match.start() - 1) : match.start()], match.string[match.end() : match.end() + 1]
            is_emoji = before.isdigit() and after == "\u20e3" if before.isalnum() else bool(before.strip())
            return match[0] if is_emoji and match[0] in "\ufe0e\ufe0f" else ""
    return ""


def plain_signs(text: str) -> str:
    """Return the text composed, without invisible characters, and with ligatures and hyphens in their plain form.

    >>> plain_signs("bank\u00ading of\ufb01ce\u200b"), plain_signs("well\u2011known")
    ('banking office', 'well-known')
    """
    return composed(SIGNS.sub(plain_sign, text)) if has_signs(text) else composed(text)


def plain_word(word: str) -> str:
    """Return a token with its signs plain. Joiners at its edges stay, and so does a token of invisible characters alone."""
    if not has_signs(word):
        return composed(word)
    start, end = (JOINER if has else "" for has in (word.startswith(JOINER), word.endswith(JOINER)))
    inner = plain_signs(word).strip()
    return f"{start}{inner}{end}" if inner else composed(word)


def folded(word: str) -> str:
    """Return a word as it is compared: signs plain, letter case and an emoji's choice of form ignored."""
    plain = plain_word(word)
    return (_TO_COMPARE.sub("", plain) or plain).casefold()
