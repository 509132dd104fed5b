"""Read public data sets of senses and tags; each error states the place in the file. Files may be packed (.xz, .gz).

SemCor 3.0 (Miller et al. 1993) and tagged sentences in the columns of CoNLL-2000 (Tjong Kim Sang and Buchholz 2000).
"""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ..common.errors import BadInput
from ..senses.senseval import Row, both_sides, check_share
from ..tasks.spans import BETWEEN_DOCUMENTS, tagged_sentences
from ..text.file_lines import iterate_lines, refuse, show_value

SENSEVAL = tuple(f"senseval/{word}.pos.xz" for word in ("hard", "interest", "line", "serve"))  # Senseval-2, in a folder of data
POS = {"1": "n", "2": "v", "3": "a", "4": "r", "5": "a"}  # WordNet's ss_type; 5 is an adjective of a cluster
Tagged = tuple[tuple[str, ...], tuple[str, ...]]  # a sentence's tokens, and a tag for each
_SENSE_KEY = re.compile(r"([^%\s]+)%([1-5]):\d+:\d+:[^:;]*:[^:;]*(;.*)?")


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
    """A sentence of a document with its labeled words."""

    document: str
    tokens: tuple[str, ...]
    targets: tuple[SpanTarget, ...]


def read_semcor(path: str | Path) -> list[SenseSentence]:
    """Read SemCor as columns: token, POS, lemma, sense key.

    A line '# document sentence' comes before each sentence, a blank line after it. A multiword with underscores becomes several tokens and
    a target that spans them. Sentences without a target are left out.
    """
    sentences = []
    document = None
    block = []
    for place, line in chain(iterate_lines(Path(path)), [("", "")]):
        line = line.strip("\r\n")
        if line.startswith("# "):
            document = [*line.split(), ""][1]
        elif line:
            if document is None:
                refuse(place, f"{show_value(line)} before any document", "A line '# document sentence' must precede each sentence.")
            block.append((place, line.split("\t")))
        elif block:
            tokens, targets = _spans(block)
            if targets:
                sentences.append(SenseSentence(document, tokens, targets))
            block = []
    if not sentences:
        raise BadInput(f"{Path(path).name} holds no word with a sense key. Needed: columns of SemCor, as token, POS, lemma, key.")
    return sentences


def split_documents(sentences: Sequence[Row], share: float = 0.9, seed: int = 0) -> tuple[list[Row], list[Row]]:
    """Split sentences into those of about `share` of the documents, drawn at random, and the rest."""
    check_share(share)
    by_document: dict[str, list[Row]] = {}
    for sentence in sentences:
        by_document.setdefault(sentence.document, []).append(sentence)
    names = random.Random(seed).sample(sorted(by_document), len(by_document))
    n_first = round(share * len(names))
    first = [sentence for name in names[:n_first] for sentence in by_document[name]]
    rest = [sentence for name in names[n_first:] for sentence in by_document[name]]
    return both_sides((first, rest), share, f"{len(names):,} documents")


def _spans(block: list[tuple[str, list[str]]]) -> tuple[tuple[str, ...], tuple[SpanTarget, ...]]:
    """Return the tokens of one sentence, multiwords split, and its targets."""
    tokens, targets = [], []
    for place, columns in block:
        if len(columns) < 4 or not columns[0].strip():
            refuse(place, f"{len(columns)} columns", "SemCor has four, with tabs between: token, POS, lemma, sense key.")
        start = len(tokens)
        tokens += [part for part in columns[0].split("_") if part] or [columns[0]]
        if not columns[3]:
            continue
        key = _SENSE_KEY.fullmatch(columns[3])
        if not key:
            refuse(place, f"{show_value(columns[3])} is not a sense key", "A key looks like this: bank%1:17:01::")
        targets.append(SpanTarget(start, len(tokens), key[1], POS[key[2]], columns[3].split(";")[0]))
    return tuple(tokens), tuple(targets)


def read_tags(path: str | Path) -> list[Tagged]:
    """Return the tokens and tags of each sentence of a file in two or three columns, token and tag first, as of CoNLL-2000."""
    rows = tagged_sentences(Path(path), (2, 3))
    sentences = [(tuple(tokens), tuple(tags)) for tokens, tags in rows if tokens != [BETWEEN_DOCUMENTS]]
    if not sentences:
        raise BadInput(f"{Path(path).name} has no tagged sentence. Write a token, a blank and its tag on each line.")
    return sentences
