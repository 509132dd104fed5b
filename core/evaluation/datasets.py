"""Public sets that senses and tags are measured on -> rows; every fault is one sentence with its place.

Senseval-2 as NLTK ships it (Leacock et al. 1998, Bruce and Wiebe 1994: one word a file), SemCor 3.0 (Miller et al. 1993:
every content word of a text), pairs of one word in two sentences (after WiC: Pilehvar and Camacho-Collados 2019), and CoNLL
columns (Tjong Kim Sang and Buchholz 2000). Files may be packed (.xz, .gz).
"""

import hashlib
import html
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ..common.errors import BadInput
from ..text.file_lines import iterate_lines, json_rows, refuse, show_value
from ..text.sentences import LabeledRow, checked_tokens, read_labeled

POS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # WordNet's ss_type; 5 is an adjective of a cluster
_SENSE_KEY = re.compile(r"([^%\s]+)%([1-5]):\d+:\d+:[^:;]*:[^:;]*(;.*)?")
_LEXELT_OR_INSTANCE = re.compile(r"<lexelt\b[^>]*?\bitem=[\"']([^\"'>]+)|<instance\b(.*?)(?=<instance\b|<lexelt\b|\Z)", re.DOTALL)
# A file of its source
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


@dataclass(frozen=True, slots=True)
class SpanTarget:
    """A word or multiword with its sense; its vector is the mean over its tokens."""

    start: int  # first token, from 0
    end: int  # one past the last
    lemma: str  # as in WordNet, underscores between words
    pos: str  # n, v, a or r
    sense: str  # WordNet sense key; the first one where there are several


@dataclass(frozen=True, slots=True)
class SenseSentence:
    document: str
    tokens: tuple[str, ...]
    targets: tuple[SpanTarget, ...]


@dataclass(frozen=True, slots=True)
class PairRow:
    """One word in two sentences: is it the same sense?"""

    word: str
    tokens_a: tuple[str, ...]
    position_a: int  # from 0
    tokens_b: tuple[str, ...]
    position_b: int
    same: bool


class _Row(Protocol):
    tokens: Any
    document: str


Row = TypeVar("Row", bound=_Row)


def read_senseval(path: str | Path) -> list[LabeledRow]:
    """Instances of a Senseval-2 file in NLTK's form; of each context only the sentence around the head.

    The files are not well-formed everywhere, so they are read by their marks alone: words are the text of <wf>, and a
    sentence is a line of the context, cut further at <s> and at final punctuation. Several answers: the first one.
    Instances without a head or an answer are passed over; BadInput if no other is there. "hard", "line" and "serve" name in an
    instance's id the file of the newspaper or collection that it was taken from: its document. "interest" names none.
    """
    text = "".join(line for _, line in iterate_lines(Path(path), whole=True))
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
    """Sense-labeled rows of a Senseval-2 file (.pos, .pos.xz) or of .jsonl or .json, told apart by the name."""
    names = {suffix.lower() for suffix in Path(path).suffixes}
    return read_senseval(path) if names & {".pos", ".xml"} else read_labeled(path)


def read_semcor(path: str | Path) -> list[SenseSentence]:
    """SemCor as columns (token, POS, lemma, sense key), '# document sentence' before each sentence, a blank line after. Underscores join a
    multiword: it becomes tokens here, and a target that spans them. Sentences without a target are left out."""
    sentences = []
    document = None
    block = []
    for place, line in chain(iterate_lines(Path(path), whole=True), [("", "")]):
        line = line.strip("\r\n")
        if line.startswith("# "):
            document = [*line.split(), ""][1]
        elif line:
            if document is None:
                refuse(place, f"{show_value(line)} before any document", "A line '# document sentence' stands before each sentence.")
            block.append((place, line.split("\t")))
        elif block:
            tokens, targets = _spans(block)
            sentences += [SenseSentence(document, tokens, targets)] if targets else []
            block = []
    if not sentences:
        raise BadInput(f"{Path(path).name} holds no word with a sense key. Needed: columns of SemCor, as token, POS, lemma, key.")
    return sentences


def read_pairs(path: str | Path) -> list[PairRow]:
    """Rows {"word", "tokens_a", "position_a", "tokens_b", "position_b", "same"} of a .jsonl or .json file. "same" is true or false, 1 or 0,
    "T" or "F"."""
    rows = [_pair(value, place) for place, value in json_rows(Path(path), whole=True)]
    if not rows:
        raise BadInput(f'{Path(path).name} holds no pair. It needs rows {{"word", "tokens_a", "position_a", ..., "same"}}.')
    return rows


def split_rows(rows: Sequence[Row], share: float = 0.8, seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Rows -> about `share` of them to train on, the rest to test: no document is on both sides, and no sentence. A row's document is
    drawn, or its sentence where it names none; documents that have a sentence in common are drawn as one."""
    _check_share(share)
    parts: tuple[list[Row], list[Row]] = ([], [])
    for row, name in zip(rows, _find_ties(rows), strict=True):
        text = f"{seed} {name}".encode("utf-8", "surrogatepass")
        drawn = int.from_bytes(hashlib.blake2b(text, digest_size=8).digest()) / 2**64
        parts[drawn >= share].append(row)
    return _both(parts, share, f"{len(rows):,} rows")


def without_repeated(rows: Sequence[Row], test: Sequence[Row]) -> list[Row]:
    """The rows whose sentence is not one of the test rows'. BadInput where none is left."""
    tested = {tuple(row.tokens) for row in test}
    kept = [row for row in rows if tuple(row.tokens) not in tested]
    if rows and not kept:
        raise BadInput(f"All {len(rows):,} training rows have a sentence of the test rows: nothing is left to learn from. Name other rows.")
    return kept


def _find_ties(rows: Sequence[Row]) -> list[str]:
    """For each row the name of what it is drawn with: the first in the alphabet of all that documents and sentences tie together."""
    above: dict[str, str] = {}

    def top(name: str) -> str:
        while above.setdefault(name, name) != name:
            name = above[name] = above[above[name]]
        return name

    names = [(" ".join(row.tokens), row.document) for row in rows]
    for text, document in names:
        if document:
            of_text, other = top(f"text {text}"), top(document)
            above[max(of_text, other)] = min(of_text, other)
    return [top(f"text {text}").removeprefix("text ") for text, _ in names]


def split_documents(sentences: Sequence[Row], share: float = 0.9, seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Sentences -> those of about `share` of the documents, which are drawn at random, and the rest; in the order of the draw."""
    _check_share(share)
    by_document: dict[str, list[Row]] = {}
    for sentence in sentences:
        by_document.setdefault(sentence.document, []).append(sentence)
    drawn = random.Random(seed).sample(sorted(by_document), len(by_document))
    parts = ([], [])
    for k, document in enumerate(drawn):
        parts[k >= round(share * len(drawn))].extend(by_document[document])
    return _both(parts, share, f"{len(drawn):,} documents")


def _check_share(share: float) -> None:
    if not 0 < share < 1:
        raise BadInput(f"The share to train on must lie between 0 and 1, got {share:g}.")


def _both(parts: tuple[list, list], share: float, what: str) -> tuple[list, list]:
    if not all(parts):
        raise BadInput(f"{what} cannot be split in two at {share:g}: one side is empty. Use more data, or another share.")
    return parts


def _sentence_of_head(context: str) -> tuple[tuple[str, ...], int] | None:
    """Tokens of the sentence that holds the head, and where it stands in them; None where no head is marked."""
    tokens = []
    begins = {0}
    head = None
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
    """Where sentences begin after . ! or ?, as far as lower-cased text shows: numbers and abbreviations hold stops, too."""
    quotes, after = 0, 0  # plain quotes so far in this sentence; where the closing marks of the last one end
    for k, token in enumerate(tokens):
        if k < after:
            continue
        quotes = (0 if k in begins else quotes) + (token == '"')
        before = tokens[k - 1].lower() if k else ""
        full = token in ("!", "?") or (token == "." and len(before) > 1 and before not in _ABBREVIATIONS and not before.isdecimal())
        if not full:
            continue
        after = k + 1
        while after < len(tokens) and tokens[after] in _CLOSING and (tokens[after] != '"' or quotes % 2):
            quotes += tokens[after] == '"'
            after += 1
        if after < len(tokens) and (tokens[after].isalpha() or tokens[after] in _OPENING):
            quotes = 0
            yield after


def _spans(block: list[tuple[str, list[str]]]) -> tuple[tuple[str, ...], tuple[SpanTarget, ...]]:
    """Lines of one sentence -> its tokens, multiwords taken apart, and its targets."""
    tokens, targets = [], []
    for place, columns in block:
        start = len(tokens)
        tokens += [part for part in columns[0].split("_") if part] or [columns[0]]
        if len(columns) < 4 or not columns[0].strip():
            refuse(place, f"{len(columns)} columns", "SemCor has four, with tabs between: token, POS, lemma, sense key.")
        if not columns[3]:
            continue
        key = _SENSE_KEY.fullmatch(columns[3])
        if not key:
            refuse(place, f"{show_value(columns[3])} is not a sense key", "A key looks like this: bank%1:17:01::")
        targets.append(SpanTarget(start, len(tokens), key[1], POS[key[2]], columns[3].split(";")[0]))
    return tuple(tokens), tuple(targets)


def _pair(row: Any, place: str) -> PairRow:
    names = ("word", "tokens_a", "position_a", "tokens_b", "position_b", "same")
    missing = [name for name in names if not isinstance(row, dict) or row.get(name) is None]
    if missing:
        refuse(place, f"{show_value(row)}, without {' and '.join(missing)}", f"A row has {', '.join(names)}.")
    sides = []
    for side in "ab":
        tokens = checked_tokens(row[f"tokens_{side}"], place)
        position = row[f"position_{side}"]
        if not isinstance(position, int) or isinstance(position, bool) or not 0 <= position < len(tokens):
            message = f"position_{side} {show_value(position)} in {len(tokens)} tokens"
            refuse(place, message, f"It is a whole number, 0 to {len(tokens) - 1}.")
        sides += [tokens, position]
    same = {"t": True, "true": True, "1": True, "f": False, "false": False, "0": False}.get(str(row["same"]).casefold())
    if same is None or not isinstance(row["word"], str):
        which = "same" if same is None else "word"
        refuse(place, f"{which} is {show_value(row[which])}", 'The word is a text; "same" is true or false, 1 or 0, "T" or "F".')
    return PairRow(row["word"], *sides, same)
