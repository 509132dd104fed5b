"""Check that an error message says what to do, and names what was typed."""

import re
from collections.abc import Iterator
from pathlib import Path

CITED = 60  # letters in a row of what was typed, in an error
NAMED = 8  # letters from which on what was typed is recognized
DO = (
    "add|allow|ask|bring|build|change|check|choose|convert|correct|delete|download|fit|get|give|go back|index|install|keep|label|leave|limit|look|lower"
    "|make|mark|measure|merge|move|name|open|paste|pick|put|rebuild|reinstall|reload|remove|rename|rerun|restart|run|save|search|separate"
    "|shorten|simplify|start|tap|take|train|try|turn|type|unpack|upload|use|wait|write"
)
# What to do: an imperative where a clause begins, what would do ("at most 12"), the choices there are, or a command; in Korean its ending.
NEXT_STEP = re.compile(
    rf"(?:^|[.:;!?,)’”]\s+|\b(?:or|and|then|to)\s)(?:{DO})\b|\bat (?:least|most)\b|\b(?:must|needs?|needed|expected)\b|\bfrom \S+ (?:up )?to\b"
    r"|\bbetween \S+ and\b|\w: [^.,]+, \w|\bpip install\b|\bpython -m\b|세요|십시오|이상|이하|까지|사이|필요|있는 \w+:",
    re.IGNORECASE,
)


def wrong_with(said: str, value: str = "") -> Iterator[str]:
    """Yield what is wrong with an error about a typed value; "" if it is not about one."""
    if not NEXT_STEP.search(said):
        yield f"does not say what to do: {said[:160]!r}"
    typed, said_so = _in_one_line(value), _in_one_line(said)
    cited = next((n for n in range(min(len(typed), len(said_so)), 0, -1) if typed[:n] in said_so), 0)
    if cited > CITED:
        yield f"cites too much of it: {said[:160]!r}"
    elif NAMED <= cited < len(typed) and not said_so[said_so.index(typed[:cited]) + cited :].lstrip().startswith("…"):
        yield f"cites part of it without a mark: {said[:160]!r}"
    last = Path(typed).name if "/" in typed else typed  # of a path no more is said
    if cited < min(NAMED, len(typed)) and last not in said_so and not re.search(r"\d", said):
        yield f"does not name it: {said[:160]!r}"


def _in_one_line(text: str) -> str:
    text = text.replace("—", "--")  # as Streamlit shows two hyphens
    return " ".join("".join(sign for sign in text if sign.isprintable() or sign.isspace()).split()).casefold()
