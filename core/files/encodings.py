"""Which encoding a text file that is no UTF-8 is written in: read off its bytes by charset-normalizer."""

from collections.abc import Callable
from pathlib import Path

KNOWN = ("cp1252", "cp949", "cp932", "gb18030", "big5", "cp1251", "cp1250")  # what spreadsheets and editors save in
SAMPLE = 1 << 18  # bytes that are looked at


def guess(data: bytes) -> str | None:
    """One of KNOWN, all that decode `data`'s beginning sensibly; None where none does. Where Western and Central European say the same, it
    is Western: few letters tell the two apart."""
    from charset_normalizer import from_bytes

    at = next((k for k, byte in enumerate(data) if byte > 127), 0)  # what is ASCII says nothing
    sample = data[max(0, at - SAMPLE // 4) :][:SAMPLE]
    if len(data) > len(sample):
        sample = sample[: sample.rfind(b"\n") + 1] or sample  # no letter cut in two
    matches = from_bytes(sample, cp_isolation=list(KNOWN))
    if (best := matches.best()) is None:
        return None
    if best.encoding == "cp1250":
        as_good = {m.encoding for m in matches if m.chaos <= best.chaos and m.coherence >= best.coherence}
        western = "cp1252" in as_good | set(best.could_be_from_charset) or not _spells(sample, "cp1250", "cp1252")
        return "cp1252" if western else "cp1250"
    return best.encoding


def _spells(sample: bytes, encoding: str, other: str) -> bool:
    """Whether a letter that `encoding` alone sees stands in a word: a Ł before a number is a £ of the other."""
    mine, theirs = (sample.decode(item, "replace") for item in (encoding, other))
    return any(
        a != b and a.isalpha() and (mine[max(0, k - 1) : k].isalpha() or mine[k + 1 : k + 2].isalpha())
        for k, (a, b) in enumerate(zip(mine, theirs, strict=True))
    )


def encoding_of(opened: Callable, path: Path, end: int, line: bytes, *, is_thorough: bool = False) -> str | None:
    """Return the encoding of a file by its first line that is not ASCII, which ends at byte `end`, and by the text after it.

    A line of UTF-8 is enough, unless `is_thorough`: short words in other encodings can be UTF-8 by chance. None where no encoding fits.
    """
    if not is_thorough and is_utf8(line):
        return "utf-8"
    with opened(path, "rb") as stream:
        stream.seek(end - len(line))
        sample = stream.read(SAMPLE)
    lines = sample if len(sample) < SAMPLE else sample[: sample.rfind(b"\n") + 1]
    return "utf-8" if is_mostly_utf8(lines) or (not lines and is_utf8(line)) else guess(sample)


def is_mostly_utf8(data: bytes) -> bool:
    """Return whether fewer than a fifth of the lines that are not ASCII are no UTF-8 either."""
    lines = [line for line in data.split(b"\n") if not line.isascii()]
    return 5 * sum(not is_utf8(line) for line in lines) < len(lines)


def is_utf8(line: bytes) -> bool:
    """Return whether these bytes are UTF-8."""
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
