"""Read and write word usage graphs: DURel's uses.csv, judgments.csv and clusters.csv, with tabs between the cells, or as .xlsx.

Schlechtweg and others 2021, "DWUG": a use is a context with the place of its word in characters ("17:22"), and the grouping that it belongs
to; a judgment is a pair of uses with 1 (unrelated) to 4 (identical), 0 where the annotator could not decide; cluster -1 is noise.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from pathlib import Path

import numpy as np

from ..common import reports
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import shorten
from ..files.formats import guard, refuse_format, suffix_of, unguard
from ..text import languages
from ..text.corpora import cut_at
from ..text.file_lines import BadRow, LeftOut, Place, refuse, show_value
from ..text.normalization import legible
from ..text.own_corpus import keep_sentences
from ..text.sentences import Sentence, Target
from ..text.tables import file_rows, is_missing, plain_number
from ..text.tokens import join_tokens, pieces, spans_in

USES = ("lemma", "pos", "date", "grouping", "identifier", "description", "context", "indexes_target_token", "indexes_target_sentence")
JUDGMENTS = ("identifier1", "identifier2", "annotator", "judgment", "comment", "lemma")
CLUSTERS = ("identifier", "cluster")
SUFFIXES = (".csv", ".tsv", ".xlsx")
# In addition to core.text.tables.MISSING
CANNOT_DECIDE = ("0", "-", "–", "—", "?", "x", "cannot decide", "can't decide", "undecided", "unsure", "판단 불가", "모름")
NOISE, UNDECIDED, UNRELATED, IDENTICAL = "-1", 0, 1, 4
MOST_PAIRS = 2_000  # judgments written


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """A context with its target word."""

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
    """An annotator's judgment of two uses."""

    first: str
    second: str
    annotator: str
    judgment: int  # UNDECIDED, or UNRELATED to IDENTICAL


def read_uses(path: str | Path) -> list[Use]:
    """Return the uses of a file.

    A use without a cell, with a place outside its context or without a word, or with a repeated identifier is left out. Raises BadInput, with
    the line, if that is a fifth of them or more.
    """
    uses: dict[str, Use] = {}

    def take(place: Place, row: dict[str, str]) -> None:
        start, end = _span(place, row)
        name = row["identifier"]
        if name in uses:
            refuse(place, t("use {name} is there twice", name=show_value(name)), t("Give each use its own identifier."))
        uses[name] = Use(
            identifier=name,
            lemma=row["lemma"],
            grouping=plain_number(row["grouping"]),
            context=row["context"],
            start=start,
            end=end,
            date=_cell(row, "date"),
            pos=_cell(row, "pos"),
        )

    _read(path, ("lemma", "grouping", "identifier", "context", "indexes_target_token"), take)
    return list(uses.values())


def _cell(row: Mapping[str, str], name: str) -> str:
    """Return a cell that may be empty, as pandas writes whole numbers or not."""
    cell = row.get(name, "")
    return "" if is_missing(cell) else plain_number(cell)


def _span(place: Place, row: Mapping[str, str]) -> tuple[int, int]:
    """Return where a use's word begins and ends in its context; of several parts the first. A spreadsheet makes 14:18:00 of 14:18."""
    context, span = row["context"], row["indexes_target_token"]
    start, colon, end = re.split("[,;]", span)[0].strip().partition(":")
    start, end = (plain_number(part.removesuffix(":00") if part.count(":") else part) for part in (start, end))
    if not (colon and start.isdecimal() and end.isdecimal() and int(start) < int(end) <= len(context)):
        message = t("{span} is not a place in a context of {n:,} characters", span=show_value(span), n=len(context))
        refuse(place, message, t("Write it as 17:22, characters from 0."))
    if not context[int(start) : int(end)].strip():
        message = t("use {name} has no word at {start}", name=show_value(row["identifier"]), start=start)
        refuse(place, message, t("Correct its place."))
    return int(start), int(end)


def kind_of(path: str | Path) -> str:
    """Return "clusters", "judgments" or "uses", whichever a file holds by its first line."""
    path = Path(path)
    if (kind := suffix_of(path)) not in SUFFIXES:
        refuse_format(path, SUFFIXES)
    _, header = next(file_rows(path, kind), (None, []))
    names = {*map(str.strip, header)}
    if "cluster" in names:
        return "clusters"
    return "judgments" if {"identifier1", "identifier2"} <= names else "uses"


def read_clusters(path: str | Path, uses: Iterable[Use] = ()) -> dict[str, str]:
    """Return the cluster of each identifier; NOISE for an empty cell.

    A row that puts a use into a second cluster, or that names a use not among `uses`, is left out. Raises BadInput if a fifth or more are.
    """
    identifiers = {use.identifier for use in uses}
    clusters: dict[str, str] = {}

    def take(place: Place, row: dict[str, str]) -> None:
        name, cluster = row["identifier"], plain_number(row["cluster"])
        cluster = NOISE if is_missing(cluster) else cluster
        if identifiers and name not in identifiers:
            refuse(place, t("use {name} is not among the uses", name=show_value(name)), t("Load the uses that belong to these clusters."))
        if clusters.setdefault(name, cluster) != cluster:
            refuse(place, t("use {name} is in two clusters", name=show_value(name)), t("Keep one of them."))

    _read(path, CLUSTERS, take, may_be_empty=("cluster",))
    return clusters


def read_judgments(path: str | Path) -> list[UsePair]:
    """Return the judgments of a file: UNRELATED to IDENTICAL, or UNDECIDED in any spelling. Invalid ones are left out as invalid uses."""
    judgments = []

    def take(place: Place, row: dict[str, str]) -> None:
        judgment = plain_number(unicodedata.normalize("NFKC", row["judgment"]).replace(",", ".").replace("’", "'"))
        undecided = is_missing(judgment) or judgment.casefold() in CANNOT_DECIDE
        if not undecided and judgment not in map(str, range(IDENTICAL + 1)):
            refuse(place, t("judgment {value}", value=show_value(row["judgment"])), t("Judgments are 1 to 4, or 0 for “cannot decide”."))
        judgments.append(UsePair(row["identifier1"], row["identifier2"], row["annotator"], UNDECIDED if undecided else int(judgment)))

    _read(path, ("identifier1", "identifier2", "annotator", "judgment"), take, may_be_empty=("judgment",))
    return judgments


def answers_of(judgments: Sequence[UsePair]) -> list[list[int | None]]:
    """Return each annotator's judgments of all judged pairs, None for missing ones, as `core.corpus.measures.alpha` takes them."""
    pairs = list(dict.fromkeys(frozenset((item.first, item.second)) for item in judgments))
    annotators = list(dict.fromkeys(item.annotator for item in judgments))
    judged = {(item.annotator, frozenset((item.first, item.second))): item.judgment or None for item in judgments}
    return [[judged.get((annotator, pair)) for pair in pairs] for annotator in annotators]


def cosines_and_judgments(
    uses: Sequence[Use], judgments: Sequence[UsePair], occurrences: Sequence[tuple[Sequence[str], int]], vectors: np.ndarray
) -> tuple[list[float], list[float]]:
    """Return the cosine and the mean judgment of each judged pair of occurrences (tokens, position), from their unit rows (n, D)."""
    rows = {(tuple(tokens), position): k for k, (tokens, position) in enumerate(occurrences)}
    row_of = {use.identifier: rows.get(_place_of(use)) for use in uses}
    judged: dict[frozenset[str], list[int]] = {}
    for judgment in judgments:
        if judgment.judgment != UNDECIDED and row_of.get(judgment.first) is not None and row_of.get(judgment.second) is not None:
            judged.setdefault(frozenset((judgment.first, judgment.second)), []).append(judgment.judgment)
    pairs = [[row_of[name] for name in pair] for pair in judged]  # one row for a use that was compared with itself
    cosines = [float(vectors[rows[0]] @ vectors[rows[-1]]) for rows in pairs]
    return cosines, [float(np.mean(values)) for values in judged.values()]


def _place_of(use: Use) -> tuple[tuple[str, ...], int]:
    """Return the use's tokens in the language in use and the position of its word. Raises BadInput if none is at its place.

    A token that is more than the use's place, as a Korean noun may be, is cut there.
    """
    language = languages.in_use()
    tokens = language.tokenize(use.context)
    spans = spans_in(tokens, use.context)
    position = next((k for k, span in enumerate(spans) if span and span[1] > use.start), None)
    if position is None:
        raise BadInput(t("Use {name} has no word at {start}. Correct its place.", name=show_value(use.identifier), start=use.start))
    start, end = spans[position]
    if language.tokenizer != "words" and (start < use.start or use.end < end):
        inside = (len(legible(use.context[start:place])) for place in (max(start, use.start), min(use.end, end)))
        tokens = cut_at(tokens, position, *inside)
        position += start < use.start
    return tuple(tokens), position


def sentences_of_uses(uses: Sequence[Use], clusters: Mapping[str, str] | None = None) -> dict[str, list[Sentence]]:
    """Return each grouping's contexts as sentences, in order, with their word labeled by its cluster, except for noise."""
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
    """Return the lemma of a file of uses, and the names of the cached corpora of its two groupings.

    `word` is the lemma to read, by default the first. Raises BadInput unless it has two groupings, and if none of its uses is in `clusters`.
    """
    all_uses, name = read_uses(uses), Path(uses).name
    lemmas = list(dict.fromkeys(use.lemma.casefold() for use in all_uses))
    if not word and lemmas[1:]:
        values = {"name": name, "word": shorten(lemmas[0]), "others": ", ".join(map(shorten, lemmas[1:10]))}
        reports.add((name, "lemmas"), t("{name}: only the uses of “{word}” are read, not those of {others}.", **values))
    word = (word or lemmas[0]).casefold()
    word_uses = [use for use in all_uses if use.lemma.casefold() == word]
    clusters_by_use = read_clusters(clusters) if clusters else None
    sides = sentences_of_uses(word_uses, clusters_by_use)
    if clusters_by_use and (missing := [use for use in word_uses if use.identifier not in clusters_by_use]):
        values = {"name": Path(clusters).name, "n": len(missing), "uses": len(word_uses), "word": shorten(word)}
        text = t("{name} has no cluster for {n:,} of {uses:,} uses of “{word}”.", **values)
        if len(missing) == len(word_uses):
            raise BadInput(f"{text} {t('Load the uses that belong to these clusters.')}")
        reports.add((name, "clusters"), text)
    if len(sides) != 2:
        groupings, lemmas = (", ".join(map(shorten, names[:10])) or "–" for names in (list(sides), lemmas))
        values = {"name": name, "word": shorten(word), "n": len(sides), "groupings": groupings, "lemmas": lemmas}
        raise BadInput(t("{name} has {n} groupings of “{word}” ({groupings}). Keep two. Its lemmas: {lemmas}.", **values))
    first, second = (keep_sentences(sentences).name for _, sentences in sorted(sides.items()))
    if first == second:
        raise BadInput(t("{name} has the same sentences in both groupings. Choose another file.", name=name))
    return word, first, second


def format_uses(lemma: str, occurrences: Sequence[tuple[Sequence[str], int]], groupings: Sequence[str]) -> str:
    """Return uses.csv of occurrences, (tokens, position) each, with their groupings and the names of `identifiers`."""
    rows = []
    for name, (tokens, position), grouping in zip(identifiers(lemma, len(occurrences)), occurrences, groupings, strict=True):
        parts = pieces(tokens)
        context = _in_a_row("".join(parts))
        before, word = "".join(parts[:position]), parts[position]
        start = len(before) + len(word) - len(word.lstrip())
        quote = len(guard(context)) - len(context)  # places count in the guarded cell; the sentence begins after the quote
        token = f"{start + quote}:{len(before) + len(word) + quote}"
        sentence = f"{quote}:{len(context) + quote}"
        rows.append((lemma, "", "", grouping, name, "", context, token, sentence))
    return _table(USES, rows)


def format_clusters(lemma: str, groups: Sequence[int]) -> str:
    """Return clusters.csv with the sense group of each use."""
    return _table(CLUSTERS, zip(identifiers(lemma, len(groups)), groups, strict=True))


def format_judgments(lemma: str, groups: Sequence[int], annotator: str) -> str:
    """Return judgments.csv of pairs of uses: IDENTICAL in one group, else UNRELATED. Of more than MOST_PAIRS pairs it has a sample."""
    names = identifiers(lemma, len(groups))
    pairs = list(combinations(range(len(groups)), 2))
    if len(pairs) > MOST_PAIRS:
        pairs = [pairs[k] for k in np.sort(np.random.default_rng(0).choice(len(pairs), MOST_PAIRS, replace=False))]
    judged = ((a, b, IDENTICAL if groups[a] == groups[b] else UNRELATED) for a, b in pairs)
    return _table(JUDGMENTS, ((names[a], names[b], annotator, judgment, "", lemma) for a, b, judgment in judged))


def identifiers(lemma: str, n: int) -> list[str]:
    """Return names for n uses."""
    return [f"{lemma}-{k}" for k in range(1, n + 1)]


def _read(
    path: str | Path, needed: Sequence[str], take: Callable[[Place, dict[str, str]], None], *, may_be_empty: Sequence[str] = ()
) -> None:
    """Call `take` with each row, its cells by name.

    Rows that it refuses, or without a needed cell, are left out and noted. Raises BadInput if they are many, if a needed column is missing, or
    if there are no rows.
    """
    path = Path(path)
    if (kind := suffix_of(path)) not in SUFFIXES:
        refuse_format(path, SUFFIXES)
    left_out = LeftOut(path.name, "uses")
    with reports.passing_on():
        rows = file_rows(path, kind)
        place, header = next(rows, (Place(path.name, 1), []))
        header = [name.strip() for name in header]
        if header and (missing := [name for name in needed if name not in header]):
            message = t("no column {column} among {columns}", column=show_value(missing[0]), columns=show_value(header, 400))
            refuse(place, message, t("Name it in the first line, with tabs between cells."))
        for place, cells in rows:
            row = dict(zip_longest(header, cells[: len(header)], fillvalue=""))
            left_out.n_rows += 1
            try:
                if empty := [name for name in needed if name not in may_be_empty and not row[name].strip()]:
                    refuse(place, t("no {column}", column=empty[0]), t("Fill the cell."))
                take(place, _unguarded({name: cell if name == "context" else cell.strip() for name, cell in row.items()}))
            except BadRow as error:
                left_out.add(error)
        left_out.check()
        if not left_out.n_rows:
            raise BadInput(t("{name} has no row below its header. Add some.", name=path.name))


def _unguarded(row: dict[str, str]) -> dict[str, str]:
    """Undo `_table`'s guards. A context has one if its sentence begins after the quote; in other files such a quote is part of the text."""
    cells = {name: cell if name == "context" else unguard(cell) for name, cell in row.items()}
    context = row.get("context", "")
    if unguard(context) != context and row.get("indexes_target_sentence", "").startswith("1:"):
        places = ("indexes_target_token", "indexes_target_sentence")
        cells |= {name: re.sub(r"\d+", lambda place: str(int(place[0]) - 1), row[name]) for name in places if name in row}
        cells["context"] = unguard(context)
    return cells


def _table(names: Sequence[str], rows: Iterable[Sequence[str | int]]) -> str:
    """Return a table with tabs between its cells. Characters that would break a row become blanks, so that places in texts stay."""
    cells = ((guard(_in_a_row(cell)) if isinstance(cell, str) else str(cell) for cell in row) for row in (names, *rows))
    return "".join("\t".join(row) + "\n" for row in cells)


def _in_a_row(cell: str) -> str:
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") else c for c in cell)
