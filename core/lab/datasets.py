"""Read public data sets of senses: SemCor 3.0 (Miller et al. 1993) and sentence pairs (after WiC: Pilehvar and Camacho-Collados 2019).

Files may be packed (.xz, .gz). Each error states the place in the file.
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from ..common.errors import BadInput
from ..senses.senseval import Row, both_sides, check_share
from ..text.file_lines import iterate_lines, json_rows, refuse, show_value
from ..text.sentences import checked_tokens

POS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # WordNet's ss_type; 5 is an adjective of a cluster
_SENSE_KEY = re.compile(r"([^%\s]+)%([1-5]):\d+:\d+:[^:;]*:[^:;]*(;.*)?")
# A file of its source


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
    """One word in two sentences, and whether it has the same sense."""

    word: str
    tokens_a: tuple[str, ...]
    position_a: int  # from 0
    tokens_b: tuple[str, ...]
    position_b: int
    same: bool


def read_semcor(path: str | Path) -> list[SenseSentence]:
    """Read SemCor as columns: token, POS, lemma, sense key.

    A line '# document sentence' comes before each sentence, a blank line after it. A multiword with underscores becomes several tokens and
    a target that spans them. Sentences without a target are left out.
    """
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
    """Read rows {"word", "tokens_a", "position_a", "tokens_b", "position_b", "same"} of a .jsonl or .json file.

    "same" is true or false, 1 or 0, "T" or "F".
    """
    rows = [_pair(value, place) for place, value in json_rows(Path(path), whole=True)]
    if not rows:
        raise BadInput(f'{Path(path).name} holds no pair. It needs rows {{"word", "tokens_a", "position_a", ..., "same"}}.')
    return rows


def split_documents(sentences: Sequence[Row], share: float = 0.9, seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Split sentences into those of about `share` of the documents, drawn at random, and the rest."""
    check_share(share)
    by_document: dict[str, list[Row]] = {}
    for sentence in sentences:
        by_document.setdefault(sentence.document, []).append(sentence)
    drawn = random.Random(seed).sample(sorted(by_document), len(by_document))
    parts = ([], [])
    for k, document in enumerate(drawn):
        parts[k >= round(share * len(drawn))].extend(by_document[document])
    return both_sides(parts, share, f"{len(drawn):,} documents")


def _spans(block: list[tuple[str, list[str]]]) -> tuple[tuple[str, ...], tuple[SpanTarget, ...]]:
    """Return the tokens of one sentence, multiwords split, and its targets."""
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
