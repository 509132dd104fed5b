"""Read sentences, with or without labeled senses, from text, tables, JSON and documents. Every error is one sentence with its line.

Files are text in UTF-8, UTF-16 or what their bytes look like, as they are or packed (.xz, .gz), and are read line by line within stated
limits. Tokens in a file stay as they are; texts are read in paragraphs, split (core.text.sentence_ends) and tokenized as the language in use.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from math import isfinite
from pathlib import Path
from typing import Any

from ..common import reports
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..files.artifacts import check_fits, text_fingerprint
from ..files.formats import refuse_format, suffix_of
from . import documents
from .columns import DOCUMENT_COLUMN, OTHER_TEXTS, TEXT_COLUMNS, Unread, choose_date, find_usual, iterate_cells, note_blank, refuse_column
from .file_lines import ANY_SIZE, MAX_BYTES, MAX_LINE_BYTES, BadRow, LeftOut, Place, is_guess, iterate_lines, json_rows, refuse, show_value
from .languages import in_use, note_unread, tokenize
from .normalization import plain_word, read
from .sentence_ends import DETECT, sentences_in
from .tables import PEEKED, is_missing
from .tokens import join_tokens, settle_tokens, spans_in

SUFFIXES = (".txt", ".csv", ".tsv", ".xlsx", ".jsonl", ".json", *documents.SUFFIXES)
MAX_PIECE_BYTES = 65_536  # of a line of text that are read at a time
MAX_TEXT = 50_000  # characters of a line, a cell or a "text" that is one sentence
MAX_TOKENS = 5_000  # of one sentence
MAX_NAME = 200  # characters of a document's name
NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")  # NUL, or half of a surrogate pair: no file of ours can hold it


@dataclass(frozen=True, slots=True)
class Target:
    """A labeled token of a sentence."""

    position: int  # in the sentence's tokens, from 0
    word: str  # the spelling there
    sense: str | None = None
    lemma: str | None = None
    pos: str | None = None
    guess: str | None = field(default=None, repr=False)  # the sense that a model gave it, which is not evidence


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as tokens, with its labeled tokens and its place in a text."""

    tokens: tuple[str, ...]
    targets: tuple[Target, ...] = ()
    document: str | None = None  # the name of its text, if the file has one
    text: str | None = None  # as written, with blanks and quotation marks; None if `join_tokens` gives the same
    date: str | None = None  # of its text, as the file writes it, if it has one


@dataclass(frozen=True, slots=True)
class LabeledRow:
    """One row of `evaluate senses`: `word` names the group (a lemma, say), so the token there may be an inflected form."""

    word: str
    tokens: tuple[str, ...]
    position: int
    label: str
    document: str = ""  # rows of one document are split and resampled together


def read_sentences(
    path: str | Path,
    *,
    text_column: str | None = None,
    date_column: str | None = None,
    limit: int | None = None,
    lines: str = DETECT,
    max_bytes: int = MAX_BYTES,
) -> list[Sentence]:
    """Return the sentences of a file in order, at most the first `limit`. The suffix decides the format.

    The file is read only up to the last sentence needed. `max_bytes` bounds its unpacked size.

    .txt: text, split into paragraphs according to `lines` (core.text.sentence_ends), and then into sentences.
    .jsonl: rows {"tokens": [...]}, with "position" and "word", "lemma", "pos", "sense" or "label" for a target, or rows {"text"}
    (or with the key `text_column`). "document" names the text of a row. "text" together with "tokens" is the original form of the sentence.
    .json: a list of such rows, of token lists or of texts.
    .docx, .pdf, .epub: the text of the document.
    .csv, .tsv, .xlsx: the column `text_column`, given by name, or by number from 1. Dates
    are in the column `date_column`, or else in one of core.text.columns.DATE_COLUMNS. A column "document" names the text of a row.
    Consecutive rows with the same tokens become one Sentence.
    """
    if limit is not None and limit < 1:
        raise BadInput(f"limit must be at least 1 sentence, got {limit}.")
    path = Path(path)
    spellings = {}  # one string object per spelling
    with reports.passing_on():
        rows = _sentences(path, (text_column, date_column), lines, is_size_checked=limit is None, max_bytes=max_bytes)
        result = _settle(list(islice(_merged(rows), limit)))
        sentences = [replace(s, tokens=tuple(spellings.setdefault(token, token) for token in s.tokens)) for s in result]
        if not sentences:
            raise BadInput(t("{name} has no sentence. Add text.", name=path.name))
    note_unread((token for sentence in sentences for token in sentence.tokens), in_use(), path.name)
    return sentences


def read_lines(path: str | Path, *, text_column: str | None = None, **reading: Any) -> list[tuple[str, ...]]:
    """Return the tokens of each line of a text, row of a table, or item of a JSON file, each one sentence; () for a blank one.

    `reading`: as `iterate_lines` takes it.
    """
    path = Path(path)
    lines = [sentence.tokens for sentence in _sentences(path, (text_column, None), None, blank=True, **reading)]
    if not any(lines) and _kind(path) != ".json":
        raise BadInput(t("{name} has no sentence. Add text.", name=path.name))
    note_unread((token for tokens in lines for token in tokens), in_use(), path.name)
    return lines


def stream_sentences(path: str | Path) -> Iterator[Sentence]:
    """Yield the sentences of a file of any size."""
    return _merged(_sentences(Path(path), (None, None), DETECT, max_bytes=ANY_SIZE))


def read_labeled(path: str | Path) -> list[LabeledRow]:
    """Return the rows {"word", "tokens", "position", "label" or "sense"} of a .jsonl or .json file, without a model's guesses ("given": false).

    The word of a row is its "lemma", if it names one, without letter case: "Bank" and "banks" are rows of "bank".
    """
    rows, misplaced, n_unlabeled = [], [], 0
    for place, value in json_rows(Path(path)):
        row = _labeled(value, place)
        if is_guess(value):
            continue
        if is_missing(row.label):
            n_unlabeled += 1
            note_unlabeled(place.name, n_unlabeled)
            continue
        rows.append(row)
        word, tokens = as_text(value["word"], place).casefold(), [token.casefold() for token in row.tokens]
        if word in tokens and tokens[row.position][:1] != word[:1]:
            misplaced.append((place, row))
    if not rows:
        raise BadInput(f'{Path(path).name} holds no row. It needs rows {{"word", "tokens", "position", "label"}}.')
    if 2 * len(misplaced) > len(rows):  # positions are miscounted; a few may be irregular forms ("went" for "go")
        place, row = misplaced[0]
        message = f"token {row.position} is {show_value(row.tokens[row.position])}, not {show_value(row.word)}"
        refuse(place, f"{message}; the same in {len(misplaced):,} of {len(rows):,} rows", "Positions count tokens from 0.")
    return rows


def sentences_from_text(text: str, *, lines: str = DETECT) -> list[Sentence]:
    """Return the sentences of typed or pasted text, as of a .txt file. Raises BadInput for no text or too much."""
    max_pasted = limits().max_pasted
    if len(text) > max_pasted:
        raise BadInput(t("{n:,} characters; paste at most {most:,} (ELMOSCOPE_MAX_PASTED), or use a file.", n=len(text), most=max_pasted))
    sentences = _settle(list(_from_text(_with_places(text.removeprefix("\ufeff").splitlines(), ""), lines)))
    if not sentences:
        raise BadInput(t("No text yet. Type a sentence."))
    return sentences


def _with_places(written: Iterable[str], name: str) -> Iterator[tuple[Place, str]]:
    return ((Place(name, k), NO_CHARACTER.sub(" ", line)) for k, line in enumerate(written, start=1))


def fingerprint(sentences: Iterable[Sentence]) -> str:
    """Return the sha256 of the tokens, targets and texts, the key of a corpus in caches and artifacts."""

    def parts(s: Sentence) -> Iterator[str]:
        yield from (str(len(s.tokens)), *s.tokens, repr(s.targets))
        if s.text:
            yield s.text
        yield from (f"{target.position} guess {target.guess}" for target in s.targets if target.guess)

    return text_fingerprint(chain.from_iterable(map(parts, sentences)))


def _sentences(
    path: Path, columns: tuple[str | None, str | None], lines: str | None, *, blank: bool = False, **reading: Any
) -> Iterator[Sentence]:
    """Yield the sentences of a file.

    With `blank`, a blank line, cell or item gives one without tokens. `reading` is as `iterate_lines` takes it.
    """
    kind = _kind(path)
    if kind in (".json", ".jsonl"):
        yield from _from_json(path, columns, lines, blank, **reading)
    elif kind in documents.SUFFIXES:
        check_fits(path, reading.get("max_bytes", MAX_BYTES))
        yield from _from_text(_with_places(documents.read_lines(path), path.name), lines, blank)
    elif kind == ".txt":
        longest = MAX_PIECE_BYTES if lines else MAX_LINE_BYTES
        yield from _from_text(iterate_lines(path, longest=longest, in_pieces=lines is not None, **reading), lines, blank)
    else:
        left_out = LeftOut(path.name, "texts")
        for place, text, date, name in iterate_cells(path, kind, *columns, blank=blank, **reading):
            left_out.n_rows += 1
            try:
                sentences = list(_from_text([(place, text)], lines, blank))
            except BadRow as error:
                left_out.add(error)
            else:
                yield from (replace(sentence, date=date, document=_document_name(name)) for sentence in sentences)
        left_out.check()


def _document_name(name: object) -> str | None:
    """Return a document's name as it is stored; None unless it is text or a number."""
    text = _text(name, "") if isinstance(name, int | float) and not isinstance(name, bool) else name
    return None if not isinstance(text, str) or is_missing(text) else NO_CHARACTER.sub(" ", text)[:MAX_NAME]


def _settle(sentences: list[Sentence]) -> list[Sentence]:
    """Give each word that the end of a line has cut in two the form that is more frequent elsewhere, with a hyphen or without."""
    for n, forms in settle_tokens([(sentence.tokens, sentence.text) for sentence in sentences]).items():
        tokens = tuple(forms.get(k, token) for k, token in enumerate(sentences[n].tokens))
        targets = tuple(replace(target, word=tokens[target.position]) for target in sentences[n].targets)
        sentences[n] = replace(sentences[n], tokens=tokens, targets=targets)
    return sentences


def _from_json(path: Path, columns: tuple[str | None, str | None], lines: str | None, blank: bool, **reading: Any) -> Iterator[Sentence]:
    """Yield the sentences of JSON rows. Invalid rows are left out and noted. Raises BadInput if no row has a chosen column."""
    column, date_column = columns
    left_out, n_blank = LeftOut(path.name), 0
    names: list[str] = []
    unread = None
    first = None  # the first row and its place, for the error
    missing = {*columns} - {None}  # the chosen columns that no row has yet
    for place, row in json_rows(path, left_out, tolerant=True, **reading):
        document = date = None
        if isinstance(row, dict):
            key = _key_of(row, DOCUMENT_COLUMN)
            document = _document_name(row.get(key)) if key != _text_key(row, column) else None
            date = _date_of(row, date_column)
            first = first or (place, row)
            missing = {name for name in missing if _key_of(row, name) is None and not (name == column and "tokens" in row)}
            if left_out.n_rows <= PEEKED and column is None and "tokens" not in row and (key := _text_key(row)) is not None:
                names = names or list(row)
                unread = unread or Unread(path.name, names, [names.index(key)], (*TEXT_COLUMNS, *OTHER_TEXTS))
                unread.look([cell if isinstance(cell := row.get(name), str) else "" for name in names])
        try:
            sentences = list(_from_row(row, column, place, lines, blank))
        except BadRow as error:
            left_out.add(error)
            continue
        if not sentences:
            n_blank += 1
            if column not in missing:
                note_blank(path.name, n_blank)
        yield from (replace(sentence, document=document, date=date) for sentence in sentences)
    left_out.check()
    needed = {date_column: t("Give the dates’ column, name or number."), column: t("Give the text’s column, name or number.")}
    for name in sorted(missing) if first else ():
        refuse_column(name, list(first[1]), first[0], needed[name])


def _key_of(row: dict[str, Any], name: str | None) -> str | None:
    """Return the key of this name in a JSON row, or None."""
    return None if name is None else next(iter(_keys_of(tuple(row), (name,))), None)


def _text_key(row: dict[str, Any], column: str | None = None) -> str | None:
    """Return the key of a JSON row's text: the chosen one, or the first usual one, preferably not a number's; None without one."""
    keys = _keys_of(tuple(row), TEXT_COLUMNS if column is None else (column,))
    return next((key for key in keys if not isinstance(row[key], int | float)), keys[0] if keys else None)


@lru_cache(maxsize=256)
def _keys_of(keys: tuple[str, ...], names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of these names, in the names' order, ignoring case unless a key is spelled exactly like a name."""
    places = (keys.index(name) if name in keys else find_usual(keys, (name,)) for name in names)
    return tuple(keys[place] for place in places if place is not None)


def _date_of(row: dict[str, Any], column: str | None) -> str | None:
    """Return a JSON row's date as text; None if it has none. pandas writes years as floats if some are missing."""

    def text(key: str | None) -> str:
        date = row.get(key)
        return NO_CHARACTER.sub(" ", str(date))[:MAX_NAME] if isinstance(date, str | int | float) and date == date else ""

    if column is None:
        keys = tuple(row)
        return choose_date(keys, lambda k: text(keys[k]))
    return date if (date := text(_key_of(row, column))).strip() else None


def _merged(sentences: Iterable[Sentence]) -> Iterator[Sentence]:
    """Merge consecutive rows that label different tokens of the same sentence."""
    last = Sentence(())
    for sentence in chain(sentences, [Sentence(())]):
        seen, new = ({target.position for target in s.targets} for s in (last, sentence))
        is_same = (sentence.tokens, sentence.document, sentence.date) == (last.tokens, last.document, last.date)
        if is_same and seen and new and not seen & new:
            last = replace(last, targets=last.targets + sentence.targets)
            continue
        if last.tokens:
            yield last
        last = sentence


def _from_text(lines_with_places: Iterable[tuple[Place | str, str]], lines: str | None, blank: bool = False) -> Iterator[Sentence]:
    """Yield the sentences of lines of text. If `lines` is None, each line is one, with `blank` also a blank one."""
    for place, text in sentences_in(lines_with_places, lines) if lines else lines_with_places:
        if len(text) > MAX_TEXT:
            refuse(place, t("{n:,} characters", n=len(text)), t("Split it at sentence ends: at most {most:,}.", most=MAX_TEXT))
        if tokens := tokenize(text):
            yield Sentence(checked_tokens(tokens, place), text=_unless_joined(tokens, text.strip()))
        elif blank:
            yield Sentence(())


def _unless_joined(tokens: Sequence[str], text: str) -> str | None:
    return None if join_tokens(list(tokens)) == text else text


def _has_all(text: str, tokens: Sequence[str]) -> bool:
    """Return whether a text has these tokens and nothing else that is read."""
    spans = spans_in(tokens, text)
    if None in spans:
        return False
    within = {k for start, end in spans for k in range(start, end)}
    plain = read(text)
    return all(start in within or sign.isspace() for start, sign in zip(plain.begins, plain.text, strict=True))


def _from_row(row: Any, column: str | None, place: Place | str, lines: str | None, blank: bool) -> Iterable[Sentence]:
    """Return the sentences of one JSON value: a token list, a text, or an object."""
    has_tokens = isinstance(row, dict) and "tokens" in row and not _has_other_tokens(row, column)
    if blank and (row == [] or (has_tokens and row["tokens"] == [])):
        return [Sentence(())]
    if isinstance(row, list) and row and all(isinstance(text, str) and len(text.split()) > 1 for text in row):
        row = " ".join(row)  # of texts, not of tokens
    if isinstance(row, list):
        return [Sentence(checked_tokens(row, place))]
    if has_tokens:
        tokens = checked_tokens(row["tokens"], place)
        text = row.get("text")
        is_original = isinstance(text, str) and _has_all(text, tokens)
        return [Sentence(tokens, _targets(row, tokens, place), text=_unless_joined(tokens, text) if is_original else None)]
    key = _text_key(row, column) if isinstance(row, dict) else None
    text = row.get(key) if isinstance(row, dict) else row
    has_column = key is not None or column is not None
    if has_column and (text is None or (isinstance(text, str) and is_missing(text))):
        text = ""
    is_number = isinstance(text, int | float) and not isinstance(text, bool)
    if isinstance(text, str) or (key is not None and is_number):
        return _from_text([(place, _text(text, place))], lines, blank)
    needed = t('Use {{"tokens": ["the", "bank"]}} or {{"text": "the bank"}}, or name the column.')
    refuse(place, t("{row} is not a row", row=show_value(row)), needed)


def _has_other_tokens(row: dict[str, Any], column: str | None) -> bool:
    """Return whether a JSON row has a text, and its "tokens" are not words but an annotation of the text, or missing."""
    is_annotation = row["tokens"] in (None, []) or (isinstance(row["tokens"], list) and isinstance(row["tokens"][0], dict))
    return is_annotation and isinstance(row.get(_text_key(row, column)), str)


def check_position(position: Any, tokens: Sequence[str], place: Place | str) -> int:
    """Return a token's number, which may be written as 4.0. Raises BadInput, with the line, for anything else."""
    if isinstance(position, float) and position.is_integer():
        position = int(position)
    if not isinstance(position, int) or isinstance(position, bool) or not 0 <= position < len(tokens):
        message = t("position {position} in {n} tokens", position=show_value(position), n=len(tokens))
        refuse(place, message, t("Use a whole number, 0 to {last}.", last=len(tokens) - 1))
    return position


def note_unlabeled(name: str, n: int) -> None:
    """Note that `n` rows have no sense."""
    reports.add((name, "unlabeled"), t("{name}: rows without a sense, not counted as labels: {n:,}.", name=name, n=n))


def _targets(row: dict, tokens: tuple[str, ...], place: Place | str) -> tuple[Target, ...]:
    position = row.get("position")
    if "position" not in row and row.get("sense") is None:  # a label of the sentence
        return ()
    # a list as long as the tokens has an item for each of them
    values = {key: None if isinstance(value, list) and len(value) == len(tokens) else value for key, value in row.items()}
    label, sense, word, lemma, pos = (as_text(values.get(key), place) for key in ("label", "sense", "word", "lemma", "pos"))
    has_label = label is not None  # perhaps a mark for a missing value
    label, sense = (None if name is None or is_missing(name) else name for name in (label, sense))
    if position is None and sense is None and label is None:
        return ()
    position = check_position(position, tokens, place)
    token = tokens[position]
    if word is not None and word.casefold() != token.casefold():
        if not has_label and word != lemma:  # with a "label", the word may be a lemma
            message = t("token {number} is {found}, not {wanted}", number=position, found=show_value(token), wanted=show_value(word))
            refuse(place, message, t("Positions count tokens from 0."))
        lemma = word if lemma is None else lemma
    sense = label if sense is None else sense
    target = Target(position, token, None, lemma, pos, guess=sense) if is_guess(row) else Target(position, token, sense, lemma, pos)
    return (target,)


def _labeled(row: Any, place: Place | str) -> LabeledRow:
    fields_by_name = dict(row) if isinstance(row, dict) else {}
    if not fields_by_name.keys().isdisjoint(("label", "sense")):
        fields_by_name["label"] = next((row[key] for key in ("label", "sense") if row.get(key) is not None), "")
    missing = [key for key in ("word", "tokens", "position", "label") if fields_by_name.get(key) is None]
    if missing:
        message = f"{show_value(row)}, without {' and '.join(missing)}"
        refuse(place, message, 'A row is {"word": "bank", "tokens": ["the", "bank"], "position": 1, "label": "river edge"}.')
    tokens = checked_tokens(fields_by_name["tokens"], place)
    target = _targets(fields_by_name, tokens, place)[0]
    document = _document_name(row.get(_key_of(row, DOCUMENT_COLUMN))) or ""
    word = as_text(row.get("lemma") or row["word"], place).casefold()
    return LabeledRow(word, tokens, target.position, as_text(fields_by_name["label"], place), document)


def checked_tokens(tokens: Any, place: Place | str) -> tuple[str, ...]:
    """Return tokens as a tuple. Raises BadInput unless they are a list of words, none blank, and not too many."""
    if not isinstance(tokens, list) or not tokens or not all(isinstance(token, str) and token.strip() for token in tokens):
        refuse(place, t("{tokens} is not a list of words", tokens=show_value(tokens)), t('Write ["the", "bank"], none blank.'))
    if len(tokens) > MAX_TOKENS:
        refuse(place, t("{n:,} tokens", n=len(tokens)), t("Split it: at most {n:,} per sentence.", n=MAX_TOKENS))
    _text("".join(tokens), place)
    return tuple(map(plain_word, tokens))


def check_tokenized(sentences: Iterable) -> None:
    """Raise BadInput unless each sentence is a list of tokens, which may be blank."""
    for tokens in sentences:
        if isinstance(tokens, str) or not isinstance(tokens, Iterable) or not all(isinstance(token, str) for token in tokens):
            message = t('A sentence must be a list of tokens, such as ["the", "bank"], not {value}.', value=show_value(tokens))
            raise BadInput(message)


def _text(value: Any, place: Place | str) -> str | None:
    """Return a text, a number as text (senses are often numbered, and pandas writes 1 as 1.0), or None."""
    if isinstance(value, float) and isfinite(value):
        value = int(value) if value.is_integer() else str(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if value is not None and (not isinstance(value, str) or NO_CHARACTER.search(value)):
        refuse(place, t("{value} instead of text", value=show_value(value)), t('Write "bank": no NUL, no unpaired surrogate.'))
    return value


def as_text(value: Any, place: Place | str) -> str | None:
    """Return a word or a label in plain spelling, or None for None. Raises BadInput for anything but text and numbers."""
    text = _text(value, place)
    return None if text is None else plain_word(text)


def _kind(path: Path) -> str:
    kind = suffix_of(path)
    if kind not in SUFFIXES or (kind in (".xlsx", *documents.SUFFIXES) and path.suffix.lower() != kind):
        refuse_format(path, SUFFIXES)
    return kind
