"""Labeled sentences of a word as a file: what a person labeled and what was spread, to go on with, to compare with a second annotator's, to search.

A line is a JSON object {"tokens", "position", "word", "lemma", "sense"} as `core.text.sentences` reads labeled sentences, with "given": true
where a person said it, else false and the "probability". Lines without "given" count as a person's.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import shorten
from core.corpus.agreement import alpha
from core.corpus.spread import Labels, SpreadLabels, clean
from core.files.artifacts import check_fits
from core.text.file_lines import refuse, show_value
from core.text.json_rows import json_rows
from core.text.own_corpus import keep_upload
from core.text.sentences import check_position, checked_tokens

Token = tuple[tuple[str, ...], int]  # a sentence's tokens, and which of them


@dataclass(frozen=True, slots=True)
class ReadLabels:
    """A file's labels on a word's sentences."""

    labels: Labels
    missing: int  # labels of sentences that are not among them


def format_labels(
    lemma: str, sentences: Sequence[Token], labels: Labels, result: SpreadLabels | None, texts: Sequence[str | None] = ()
) -> str:
    """The labeled sentences, then, where they were spread, the others with the likeliest sense, in the corpus's order each."""
    of = dict(labels.given)
    lines = []
    for k, ((tokens, position), text) in enumerate(zip(sentences, texts or [None] * len(sentences), strict=True)):
        if k not in of and result is None:
            continue
        row = {"tokens": list(tokens), "position": position, "word": tokens[position], "lemma": lemma}
        row |= {"text": text} if text else {}
        if k in of:
            row |= {"sense": of[k], "given": True}
        else:
            share = float(result.shares[k, result.of[k]])
            row |= {"sense": result.senses[result.of[k]], "given": False, "probability": round(share, 4)}
        lines.append((k not in of, k, json.dumps(row, ensure_ascii=False)))
    return "".join(f"{line}\n" for *_, line in sorted(lines))


def read_senses(path: str | Path) -> dict[Token, str]:
    """The sense of each sentence that a person labeled in a file. BadInput names the line of a row that is none, or of a sentence with two."""
    known: dict[Token, str] = {}
    for place, row in json_rows(Path(path), whole=True):
        if not isinstance(row, dict) or "tokens" not in row or not isinstance(row.get("sense"), str) or not clean(row["sense"]):
            refuse(place, t("{row} is not a labeled sentence", row=show_value(row)), t('A row has "tokens", "position" and "sense".'))
        tokens, position = checked_tokens(row["tokens"], place), row.get("position")
        check_position(position, tokens, place)
        if row.get("given", True) is not False:
            sense = clean(row["sense"])
            if known.setdefault((tokens, position), sense) != sense:
                refuse(
                    place,
                    t("this sentence is “{first}” and “{second}”", first=known[tokens, position], second=sense),
                    t("Keep one of them."),
                )
    return known


def read_labels(path: str | Path, sentences: Sequence[Token]) -> ReadLabels:
    """A person's labels in a file on these sentences. BadInput as `read_senses`, and where no sentence is among these."""
    known = read_senses(path)
    if not known:
        raise BadInput(t("{name} has no labeled sentence. Choose another file.", name=Path(path).name))
    place_of = {token: k for k, token in reversed(list(enumerate(sentences)))}
    sense_of = {place_of[token]: sense for token, sense in known.items() if token in place_of}
    if not sense_of:
        raise BadInput(t("{name} labels none of these {n} sentences. Choose its word and corpus.", name=Path(path).name, n=len(sentences)))
    labels = Labels()
    for sense in dict.fromkeys(sense_of.values()):
        labels = labels.label([k for k, of in sense_of.items() if of == sense], sense)
    return ReadLabels(Labels(labels.given), len(known) - len(sense_of))


def read_upload(name: str, content: bytes, sentences: Sequence[Token], most_mb: int) -> ReadLabels:
    """`read_labels` of a file that came by a browser; BadInput calls it by its owner's name for it, and where it is larger than that."""
    with TemporaryDirectory(prefix="elmoscope-") as folder:
        source = keep_upload(name, content, Path(folder) / "labels")
        check_fits(source.path, most_mb * 10**6)
        return read_labels(source.path, sentences)


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
