"""Read sense-labeled rows (Senseval-2 files, JSONL) and split them for training and testing.

Senseval-2 as NLTK ships it (Leacock et al. 1998, Bruce and Wiebe 1994): one word per file. Files may be packed (.xz, .gz).
"""

import hashlib
import html
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from ..common.errors import BadInput
from ..text.file_lines import iterate_lines
from ..text.sentences import LabeledRow, read_labeled

_LEXELT_OR_INSTANCE = re.compile(r"<lexelt\b[^>]*?\bitem=[\"']([^\"'>]+)|<instance\b(.*?)(?=<instance\b|<lexelt\b|\Z)", re.DOTALL)
_DOCUMENT = re.compile(r"\bid=[\"'][^\"'.>]*\.[^\"'>]*?(w\d_\d{1,3}|aphb[_ ]\d{3}|(?:sjm|jm|br|lob)-[a-z]?\d+)", re.IGNORECASE)
_ANSWER = re.compile(r"<answer\b[^>]*?\bsenseid=[\"']([^\"'>]+)")
_CONTEXT = re.compile(r"<context\b[^>]*>(.*?)(?:</context>|\Z)", re.DOTALL)
_MARK = re.compile(r"<wf\b[^>]*>([^<]*)</wf>|(<head\b)|(<s\b|\n)")  # a word, the head's begin, a sentence's begin
_CLOSING = {"''", '"', "'", ")", "]"}
_OPENING = {"``", '"', "'", "(", "["}
_ABBREVIATED = (  # a full stop after these, letters and numbers is not a sentence's end
    "ala ariz assn ave blvd bros calif capt cie co col colo conn corp cos dr fla ft ga gen gov hon inc jr la lt ltd mass md "
    "messrs mich minn miss mo mr mrs ms mt neb no okla ore pa prof rep rev sen sept sgt sr st ste tenn tex univ va vs vt wash wis"
)
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
Row = TypeVar("Row")  # has `tokens` and a `document`


def read_senseval(path: str | Path) -> list[LabeledRow]:
    """Read instances of a Senseval-2 file in NLTK's form; of each context only the sentence around the head.

    The files are not well-formed, so only their marks are read: words are the text of <wf>, a sentence is a line of the context, split at
    <s> and final punctuation. Of several answers the first counts. Instances without a head or an answer are skipped; BadInput if no other
    is there. The id of an instance of "hard", "line" and "serve" names its source document; "interest" names none.
    """
    text = "".join(line for _, line in iterate_lines(Path(path)))
    word = ""
    rows = []
    for mark in _LEXELT_OR_INSTANCE.finditer(text):
        if mark[1]:
            word = re.sub(r"[-.][a-z]$", "", html.unescape(mark[1]))  # hard-a -> hard
            continue
        answer, context = _ANSWER.search(mark[2]), _CONTEXT.search(mark[2])
        result = _sentence_of_head(context[1]) if answer and context and word else None
        if result:
            document = _DOCUMENT.search(mark[2].partition(">")[0])
            named = document[1].lower().replace(" ", "_") if document else ""
            rows.append(LabeledRow(word, *result, html.unescape(answer[1]), named))
    if not rows:
        needed = 'Needed: <lexelt item="hard-a">, and in it <instance>s with <answer senseid="..."/> and a <head> in <context>'
        raise BadInput(f"{Path(path).name} holds no instance of Senseval-2. {needed}, words in <wf>.")
    return rows


def read_sense_rows(path: str | Path) -> list[LabeledRow]:
    """Read sense-labeled rows of a Senseval-2 file (.pos, .pos.xz), or of .jsonl or .json, by the file's name."""
    names = {suffix.lower() for suffix in Path(path).suffixes}
    return read_senseval(path) if names & {".pos", ".xml"} else read_labeled(path)


def split_rows(rows: Sequence[Row], share: float = 0.8, seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Split rows into about `share` for training and the rest for testing, with no document and no sentence on both sides.

    Documents are drawn, or sentences if a row names no document. Documents with a common sentence are drawn as one.
    """
    check_share(share)
    train, test = [], []
    for row, name in zip(rows, _find_ties(rows), strict=True):
        text = f"{seed} {name}".encode("utf-8", "surrogatepass")
        fraction = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) / 2**64
        (train if fraction < share else test).append(row)
    return both_sides((train, test), share, f"{len(rows):,} rows")


def without_repeated(rows: Sequence[Row], test: Sequence[Row]) -> list[Row]:
    """Return the rows whose sentence is not in the test rows. BadInput if none is left."""
    tested = {tuple(row.tokens) for row in test}
    remaining = [row for row in rows if tuple(row.tokens) not in tested]
    if rows and not remaining:
        raise BadInput(f"All {len(rows):,} training rows have a sentence of the test rows: nothing is left to learn from. Name other rows.")
    return remaining


def _find_ties(rows: Sequence[Row]) -> list[str]:
    """Return for each row the name of its group: the first in the alphabet of all that documents and sentences connect."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while above.setdefault(name, name) != name:
            name = above[name] = above[above[name]]
        return name

    names = [(" ".join(row.tokens), row.document) for row in rows]
    for text, document in names:
        if document:
            of_text, other_name = top(f"text {text}"), top(document)
            above[max(of_text, other_name)] = min(of_text, other_name)
    return [top(f"text {text}").removeprefix("text ") for text, _ in names]


def check_share(share: float) -> None:
    """Raise BadInput if a share is not between 0 and 1."""
    if not 0 < share < 1:
        raise BadInput(f"The share to train on must lie between 0 and 1, got {share:g}.")


def both_sides(parts: tuple[list, list], share: float, what: str) -> tuple[list, list]:
    """Return both parts. BadInput if one is empty."""
    if not all(parts):
        raise BadInput(f"{what} cannot be split in two at {share:g}: one side is empty. Use more data, or another share.")
    return parts


def _sentence_of_head(context: str) -> tuple[tuple[str, ...], int] | None:
    """Return the tokens of the sentence with the head, and the head's position; None without a head."""
    tokens, begins, head = [], {0}, None
    for mark in _MARK.finditer(context):
        if mark[2]:
            head = len(tokens) if head is None else head
        elif mark[3]:
            begins.add(len(tokens))
        elif token := html.unescape(mark[1]).strip():
            tokens += token.split()
    if head is None or head >= len(tokens):
        return None
    begins |= set(_after_final_punctuation(tokens, begins))
    start = max(k for k in begins if k <= head)
    end = min((k for k in begins if k > head), default=len(tokens))
    return tuple(tokens[start:end]), head - start


def _after_final_punctuation(tokens: list[str], begins: set[int]) -> Iterator[int]:
    """Yield where sentences begin after . ! or ?, as far as lower-case text shows: numbers and abbreviations contain full stops, too."""
    quotes = 0  # plain quotes so far in this sentence
    after = 0  # where the closing marks of the last sentence end
    for k, token in enumerate(tokens):
        if k < after:
            continue
        quotes = (0 if k in begins else quotes) + (token == '"')
        before = tokens[k - 1].lower() if k else ""
        is_full_stop = token == "." and len(before) > 1 and before not in _ABBREVIATIONS and not before.isdecimal()
        if token not in ("!", "?") and not is_full_stop:
            continue
        after = k + 1
        while after < len(tokens) and tokens[after] in _CLOSING and (tokens[after] != '"' or quotes % 2):
            quotes += tokens[after] == '"'
            after += 1
        if after < len(tokens) and (tokens[after].isalpha() or tokens[after] in _OPENING):
            quotes = 0
            yield after
