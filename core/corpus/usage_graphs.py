"""Word usage graphs as files, read and written: DURel's uses.csv, judgments.csv and clusters.csv, with tabs between the cells.

Schlechtweg and others 2021, "DWUG": a use is a context with the place of its word in characters ("17:22"), and the grouping that it belongs
to; a judgment is a pair of uses with 1 (unrelated) to 4 (identical), 0 where the annotator could not decide; cluster -1 is noise.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np

from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import shorten
from core.files.formulas import guard, unguard
from core.text.file_lines import Place, iterate_lines, refuse, show_value
from core.text.own_corpus import keep_sentences
from core.text.sentences import Sentence, Target
from core.text.tokens import join_tokens, pieces, token_spans, tokenize

USES = ("lemma", "pos", "date", "grouping", "identifier", "description", "context", "indexes_target_token", "indexes_target_sentence")
JUDGMENTS = ("identifier1", "identifier2", "annotator", "judgment", "comment", "lemma")
CLUSTERS = ("identifier", "cluster")
NOISE, UNDECIDED, UNRELATED, IDENTICAL = "-1", 0, 1, 4
MOST_PAIRS = 2_000  # of judgments written


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A context with its word."""

    identifier: str
    lemma: str
    grouping: str
    context: str
    start: int  # in characters of the context
    end: int
    date: str = ""
    pos: str = ""


@dataclass(frozen=True, slots=True)
class UsePair:
    """What an annotator said of two uses."""

    first: str
    second: str
    annotator: str
    judgment: int  # UNDECIDED, or UNRELATED to IDENTICAL


def read_uses(path: str | Path) -> list[Use]:
    """The uses of a file. BadInput names the line where a cell is missing, a place lies outside its context, or an identifier is there twice."""
    uses: dict[str, Use] = {}
    for place, row in _rows(path, ("lemma", "grouping", "identifier", "context", "indexes_target_token")):
        context, span = row["context"], row["indexes_target_token"].split(",")[0]
        start, colon, end = span.partition(":")
        if not (colon and start.isdecimal() and end.isdecimal() and int(start) < int(end) <= len(context)):
            message = t("{span} is not a place in a context of {n:,} characters", span=show_value(span), n=len(context))
            refuse(place, message, t("Write it as 17:22, characters from 0."))
        if row["identifier"] in uses:
            refuse(place, t("use {name} is there twice", name=show_value(row["identifier"])), t("Give each use its own identifier."))
        uses[row["identifier"]] = Use(
            identifier=row["identifier"],
            lemma=row["lemma"],
            grouping=row["grouping"],
            context=context,
            start=int(start),
            end=int(end),
            date=row.get("date", ""),
            pos=row.get("pos", ""),
        )
    return list(uses.values())


def read_clusters(path: str | Path, uses: Iterable[Use] = ()) -> dict[str, str]:
    """Identifier -> cluster. BadInput for a use that is there twice or, where uses are given, is none of them."""
    known = {use.identifier for use in uses}
    clusters: dict[str, str] = {}
    for place, row in _rows(path, CLUSTERS):
        name = row["identifier"]
        if clusters.setdefault(name, row["cluster"]) != row["cluster"]:
            refuse(place, t("use {name} is in two clusters", name=show_value(name)), t("Keep one of them."))
        if known and name not in known:
            refuse(place, t("use {name} is not among the uses", name=show_value(name)), t("Load the uses that belong to these clusters."))
    return clusters


def read_judgments(path: str | Path) -> list[UsePair]:
    """The judgments of a file; numbers from 0 to 4."""
    judgments = []
    for place, row in _rows(path, ("identifier1", "identifier2", "annotator", "judgment")):
        judgment = row["judgment"].strip().removesuffix(".0")
        if judgment not in map(str, range(IDENTICAL + 1)):
            refuse(place, t("judgment {value}", value=show_value(row["judgment"])), t("Judgments are 1 to 4, or 0 for “cannot decide”."))
        judgments.append(UsePair(row["identifier1"], row["identifier2"], row["annotator"], int(judgment)))
    return judgments


def answers_of(judgments: Sequence[UsePair]) -> list[list[int | None]]:
    """What each annotator said of each pair that anybody judged, None where nothing: what `core.corpus.agreement.alpha` takes."""
    pairs = list(dict.fromkeys(frozenset((each.first, each.second)) for each in judgments))
    annotators = list(dict.fromkeys(each.annotator for each in judgments))
    known = {(each.annotator, frozenset((each.first, each.second))): each.judgment or None for each in judgments}
    return [[known.get((annotator, pair)) for pair in pairs] for annotator in annotators]


def cosines_beside_judgments(
    uses: Sequence[Use], judgments: Sequence[UsePair], occurrences: Sequence[tuple[Sequence[str], int]], vectors: np.ndarray
) -> tuple[list[float], list[float]]:
    """Occurrences as (tokens, position) and their unit rows (n, D) -> of each judged pair that is among them, the cosine and the mean judgment."""
    rows = {(tuple(tokens), position): k for k, (tokens, position) in enumerate(occurrences)}
    row_of = {use.identifier: rows.get(_place_of(use)) for use in uses}
    judged: dict[frozenset[str], list[int]] = {}
    for each in judgments:
        if each.judgment != UNDECIDED and row_of.get(each.first) is not None and row_of.get(each.second) is not None:
            judged.setdefault(frozenset((each.first, each.second)), []).append(each.judgment)
    pairs = [[row_of[name] for name in pair] for pair in judged]
    return [float(vectors[pair[0]] @ vectors[pair[-1]]) for pair in pairs], [float(np.mean(values)) for values in judged.values()]


def _place_of(use: Use) -> tuple[tuple[str, ...], int]:
    """The use's tokens and which of them is its word. BadInput where none lies at its place."""
    tokens = tuple(tokenize(use.context))
    position = next((k for k, (_, end) in enumerate(token_spans(use.context)[1]) if end > use.start), None)
    if position is None:
        raise BadInput(t("Use {name} has no word at {start}. Correct its place.", name=show_value(use.identifier), start=use.start))
    return tokens, position


def sentences_of_uses(uses: Sequence[Use], clusters: Mapping[str, str] | None = None) -> dict[str, list[Sentence]]:
    """Each grouping's contexts as sentences, in order, with their word labeled by its cluster; noise and what is in no cluster has no label."""
    groupings: dict[str, list[Sentence]] = {}
    for use in uses:
        tokens, position = _place_of(use)
        cluster = (clusters or {}).get(use.identifier, NOISE)
        target = Target(position, tokens[position], None if cluster == NOISE else cluster, use.lemma.casefold(), use.pos or None)
        document = use.date or use.grouping
        text = None if join_tokens(list(tokens)) == use.context else use.context
        groupings.setdefault(use.grouping, []).append(Sentence(tokens, (target,), document, text))
    return groupings


def keep_sides(uses: str | Path, clusters: str | Path | None = None, word: str | None = None) -> tuple[str, str, str]:
    """The lemma of a file of uses, and its two groupings as corpora that are kept in the cache, by their names. BadInput where there are more
    lemmas than the one that is wanted, or not two groupings."""
    read = read_uses(uses)
    lemmas = list(dict.fromkeys(use.lemma.casefold() for use in read))
    word = (word or lemmas[0]).casefold()
    read = [use for use in read if use.lemma.casefold() == word]
    sides = sentences_of_uses(read, read_clusters(clusters) if clusters else None)
    name = Path(uses).name
    if len(sides) != 2:
        groupings, of_all = (", ".join(map(shorten, each[:10])) or "–" for each in (list(sides), lemmas))
        values = {"name": name, "word": shorten(word), "n": len(sides), "groupings": groupings, "lemmas": of_all}
        raise BadInput(t("{name} has {n} groupings of “{word}” ({groupings}). Keep two. Its lemmas: {lemmas}.", **values))
    first, second = (keep_sentences(sentences).name for _, sentences in sorted(sides.items()))
    if first == second:
        raise BadInput(t("{name} has the same sentences in both groupings. Choose another file.", name=name))
    return word, first, second


def format_uses(lemma: str, occurrences: Sequence[tuple[Sequence[str], int]], groupings: Sequence[str]) -> str:
    """Occurrences, (tokens, position) each, and the grouping of each as uses.csv; their identifiers are `identifiers`'."""
    rows = []
    for name, (tokens, position), grouping in zip(identifiers(lemma, len(occurrences)), occurrences, groupings, strict=True):
        parts = pieces(tokens)
        context = _in_a_row("".join(parts))
        before, word = "".join(parts[:position]), parts[position]
        start = len(before) + len(word) - len(word.lstrip())
        quote = len(guard(context)) - len(context)  # places count in the guarded cell; the sentence begins after the quote
        token, sentence = (f"{a + quote}:{b + quote}" for a, b in ((start, len(before) + len(word)), (0, len(context))))
        rows.append((lemma, "", "", grouping, name, "", context, token, sentence))
    return _table(USES, rows)


def format_clusters(lemma: str, groups: Sequence[int]) -> str:
    """The sense group of each use as clusters.csv."""
    return _table(CLUSTERS, zip(identifiers(lemma, len(groups)), groups, strict=True))


def format_judgments(lemma: str, groups: Sequence[int], annotator: str) -> str:
    """Pairs of uses as judgments.csv: IDENTICAL of one group, else UNRELATED; of more than MOST_PAIRS pairs a sample."""
    names, pairs = identifiers(lemma, len(groups)), list(combinations(range(len(groups)), 2))
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[k] for k in np.sort(np.random.default_rng(0).choice(len(pairs), MOST_PAIRS, replace=False))]
    same = {True: IDENTICAL, False: UNRELATED}
    return _table(JUDGMENTS, ((names[a], names[b], annotator, same[bool(groups[a] == groups[b])], "", lemma) for a, b in pairs))


def identifiers(lemma: str, n: int) -> list[str]:
    """Names of n uses."""
    return [f"{lemma}-{k}" for k in range(1, n + 1)]


def _rows(path: str | Path, needed: Sequence[str]) -> Iterator[tuple[Place, dict[str, str]]]:
    """The rows below a first line of names, cell by name; BadInput where a needed column or cell is missing, or no row is there."""
    header: list[str] = []
    row: dict[str, str] = {}
    for place, line in iterate_lines(Path(path), whole=True):
        cells = line.rstrip("\r\n").split("\t")
        if not header:
            header = [name.strip() for name in cells]
            if missing := [name for name in needed if name not in header]:
                message = t("no column {column} among {columns}", column=show_value(missing[0]), columns=show_value(header, 400))
                refuse(place, message, t("Name it in the first line, with tabs between cells."))
        elif any(map(str.strip, cells)):
            row = _unguarded(dict(zip(header, cells, strict=False)))
            if missing := [name for name in needed if not row.get(name, "").strip()]:
                refuse(place, t("no {column}", column=missing[0]), t("Fill the cell."))
            yield place, row
    if not row:
        raise BadInput(t("{name} has no row below its header. Add some.", name=Path(path).name))


def _unguarded(row: dict[str, str]) -> dict[str, str]:
    """Undo `_table`'s guards. A context has one if its sentence begins after the quote; in other files such a quote is part of the text."""
    cells = {name: cell if name == "context" else unguard(cell) for name, cell in row.items()}
    if (context := unguard(row.get("context", ""))) != row.get("context", "") and row.get("indexes_target_sentence", "").startswith("1:"):
        places = ("indexes_target_token", "indexes_target_sentence")
        cells |= {name: re.sub(r"\d+", lambda place: str(int(place[0]) - 1), row[name]) for name in places if name in row}
        cells["context"] = context
    return cells


def _table(names: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Rows with tabs between their cells, guarded; what would break a row is a blank, so that places stay what they are."""
    cells = ((guard(_in_a_row(cell)) if isinstance(cell, str) else str(cell) for cell in row) for row in (names, *rows))
    return "".join("\t".join(row) + "\n" for row in cells)


def _in_a_row(cell: str) -> str:
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in cell)
