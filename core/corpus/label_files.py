"""Labeled sentences of a word as a file: what a person labeled and what was spread, to go on with, to compare with a second annotator's, to search.

A line is a JSON object {"tokens", "position", "word", "lemma", "sense"} as `core.text.sentences` reads labeled sentences, with "given": true
where a person said it, else false and the "probability". Lines without "given" count as a person's.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..common.markup import shorten
from ..files import user_names
from ..files.artifacts import check_fits, parse_json
from ..text.file_lines import Place, is_guess, json_rows, refuse, show_value
from ..text.sentences import as_text, check_position, checked_tokens
from .agreement import alpha
from .spread import Given, Labels, SpreadLabels, clean

Token = tuple[tuple[str, ...], int]  # a sentence's tokens, and which of them


@dataclass(frozen=True, slots=True)
class ReadLabels:
    """A file's labels on a word's sentences."""

    labels: Labels
    given: Given  # the same by sentence, with those of sentences that are not among them

    @property
    def missing(self) -> int:
        """How many labels are of sentences that are not among them."""
        return len(self.labels.elsewhere)


def format_labels(
    lemma: str, sentences: Sequence[Token], labels: Labels, result: SpreadLabels | None, texts: Sequence[str | None] = ()
) -> str:
    """The labeled sentences, then, where they were spread, the others with the likeliest sense, in the corpus's order each; between them the
    labels of sentences that are not in the corpus."""
    of = dict(labels.given)
    lines = []
    for k, ((tokens, position), text) in enumerate(zip(sentences, texts or [None] * len(sentences), strict=True)):
        if k not in of and result is None:
            continue
        row = _row(lemma, (tokens, position)) | ({"text": text} if text else {})
        if k in of:
            row |= {"sense": of[k], "given": True}
        else:
            share = float(result.shares[k, result.of[k]])
            row |= {"sense": result.senses[result.of[k]], "given": False, "probability": round(share, 4)}
        lines.append((k not in of, k, json.dumps(row, ensure_ascii=False)))
    written = [f"{line}\n" for *_, line in sorted(lines)]
    at = sum(k in of for k in range(len(sentences)))
    return "".join([*written[:at], format_given(lemma, labels.elsewhere), *written[at:]])


def format_given(lemma: str, given: Iterable[tuple[Token, str]]) -> str:
    """Labels by sentence, a row each, in their order."""
    rows = (_row(lemma, token) | {"sense": sense, "given": True} for token, sense in given)
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _row(lemma: str, token: Token) -> dict:
    tokens, position = token
    return {"tokens": list(tokens), "position": position, "word": tokens[position], "lemma": lemma}


def read_senses(path: str | Path) -> dict[Token, str]:
    """The sense of each sentence that a person labeled in a file. BadInput names the line of a row that is none, or of a sentence with two."""
    known: dict[Token, str] = {}
    for place, row in json_rows(Path(path), whole=True):
        token, sense = _read_row(row, place)
        if sense and known.setdefault(token, sense) != sense:
            message = t("this sentence is “{first}” and “{second}”", first=known[token], second=sense)
            refuse(place, message, t("Keep one of them."))
    return known


def read_what_can_be_read(path: str | Path) -> dict[Token, str]:
    """As `read_senses`, without the rows that cannot be read and the sentences that have two senses."""
    senses: dict[Token, set[str]] = defaultdict(set)
    for number, line in enumerate(Path(path).read_bytes().split(b"\n"), 1):
        with suppress(ElmoscopeError, ValueError, RecursionError):
            token, sense = _read_row(parse_json(line.decode("utf-8-sig")), Place(Path(path).name, number))
            senses[token] |= {sense} - {""}
    return {token: next(iter(each)) for token, each in senses.items() if len(each) == 1}


def _read_row(row: Any, place: Place | str) -> tuple[Token, str]:
    """A row's sentence and the sense that a person gave it; "" for a guess."""
    missing = [key for key in ("tokens", "position", "sense") if row.get(key) is None] if isinstance(row, dict) else ["tokens"]
    if missing:
        values = {"row": show_value(row), "keys": ", ".join(f"“{key}”" for key in missing)}
        message = (
            t("{row} is not a labeled sentence: without {keys}", **values)
            if isinstance(row, dict)
            else t("{row} is not a labeled sentence", **values)
        )
        refuse(place, message, t('A row has "tokens", "position" and "sense".'))
    tokens = checked_tokens(row["tokens"], place)
    position = check_position(row["position"], tokens, place)
    sense = clean(as_text(row["sense"], place))
    if not sense:
        refuse(place, t("the sense is blank"), t("Name it."))
    return (tokens, position), "" if is_guess(row) else sense


def numbered(given: Given, sentences: Sequence[Token]) -> Labels:
    """Labels by sentence as labels of these sentences' numbers: a sentence that occurs twice is labeled in both places."""
    places = defaultdict(list)
    for k, token in enumerate(sentences):
        places[token].append(k)
    here = tuple((k, sense) for token, sense in given for k in places.get(token, ()))
    return Labels(here, elsewhere=tuple((token, sense) for token, sense in given if token not in places))


def read_labels(path: str | Path, sentences: Sequence[Token]) -> ReadLabels:
    """A person's labels in a file on these sentences. BadInput as `read_senses`, and where no sentence is among these."""
    known = read_senses(path)
    if not known:
        raise BadInput(t("{name} has no labeled sentence. Choose another file.", name=Path(path).name))
    given = Labels().join(known.items()).given
    labels = numbered(given, sentences)
    if not labels.given:
        raise BadInput(t("{name} labels none of these {n} sentences. Choose its word and corpus.", name=Path(path).name, n=len(sentences)))
    return ReadLabels(labels, given)


def read_upload(name: str, content: bytes, sentences: Sequence[Token], most_mb: int) -> ReadLabels:
    """Read the labels of an uploaded file as `read_labels` does. Raises BadInput, with the owner's file name, if it exceeds `most_mb`."""
    with TemporaryDirectory(prefix="elmoscope-") as folder:
        file = user_names.store(name, content, Path(folder))
        try:
            check_fits(file.path, most_mb * 10**6)
            return read_labels(file.path, sentences)
        except BadInput as error:
            raise BadInput(user_names.restore_names(str(error))) from None


def agreement(first: Labels, second: Labels) -> tuple[float, int]:
    """Krippendorff's alpha of two annotators' labels, and how many sentences both labeled. BadInput as of `alpha`."""
    own, other = dict(first.given), dict(second.given)
    units = sorted({*own, *other})
    return alpha([[own.get(k) for k in units], [other.get(k) for k in units]]), len(own.keys() & other.keys())


def pairs(given: Sequence[str]) -> Mapping[str, str]:
    """ "a=b" each -> what is put into what. BadInput for what is no such pair, and for a sense that would go into two."""
    into: dict[str, str] = {}
    for text in given:
        first, equals, second = text.partition("=")
        if not (equals and clean(first) and clean(second)):
            raise BadInput(t("“{text}” is not a pair of senses. Write it as from=into.", text=shorten(text)))
        if into.setdefault(clean(first), clean(second)) != clean(second):
            raise BadInput(t("“{name}” would go into two senses. Name one.", name=shorten(clean(first))))
    return into


def tokens_of(occurrences: Iterable) -> list[Token]:
    """Occurrences as files of labels know them."""
    return [(o.tokens, o.position) for o in occurrences]
