"""Read, write and store the labeled sentences of a word.

A line is a JSON object {"tokens", "position", "word", "lemma", "sense"}. "given" is true for a person's label, as without it, else false with the
"probability". When labels are written again, rows that match no sentence and unknown fields are carried through.

Stored labels are a file for each word of a corpus, which several tabs and processes change step by step, under a lock. Sentences are identified
by their tokens, so that no label moves to another sentence when a corpus is read or tokenized differently.
"""

import json
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from filelock import Timeout

from ..common import reports
from ..common.config import cache_folder
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t, tn
from ..common.markup import shorten
from ..files import user_names
from ..files.artifacts import check_fits, parse_json, text_fingerprint
from ..files.atomic import locked, replacing
from ..files.outputs import set_aside
from ..text.file_lines import Place, is_guess, is_json_list, iterate_lines, json_rows, refuse, show_value
from ..text.sentences import as_text, check_position, checked_tokens, note_unlabeled
from ..text.tables import is_missing
from .measures import alpha
from .spread import Given, Labels, SpreadLabels, on_one_line

Token = tuple[tuple[str, ...], int]  # a sentence's tokens, and which of them


@dataclass(frozen=True, slots=True)
class ReadLabels:
    """A file's labels on a word's sentences."""

    labels: Labels
    by_sentence: Given  # including sentences that are not among them


def format_labels(
    lemma: str, sentences: Sequence[Token], labels: Labels, result: SpreadLabels | None, texts: Sequence[str | None] = ()
) -> str:
    """Return rows in the order of the corpus: a person's labels, then those of sentences elsewhere, then the likeliest senses, if any."""
    senses = dict(labels.given)
    given, guessed = [], []
    for k, (token, text) in enumerate(zip(sentences, texts or [None] * len(sentences), strict=True)):
        row = _row(lemma, token)
        if text:
            row["text"] = text
        if k in senses:
            given.append(_line(row | {"sense": senses[k], "given": True}))
        elif result is not None:
            code = result.sense_of[k]
            share = round(float(result.shares[k, code]), 4)
            guessed.append(_line(row | {"sense": result.senses[code], "given": False, "probability": share}))
    return "".join([*given, format_rows(lemma, labels.elsewhere), *guessed])


def format_rows(lemma: str, labels: Iterable[tuple[Token, str]], *, is_given: bool = True) -> str:
    """Return labels by sentence as rows, in their order. Labels of groups that a model found are guesses, not given."""
    return "".join(_line(_row(lemma, token) | {"sense": sense, "given": is_given}) for token, sense in labels)


def _row(lemma: str, token: Token) -> dict:
    tokens, position = token
    return {"tokens": list(tokens), "position": position, "word": tokens[position], "lemma": lemma}


def read_senses(path: str | Path, word: str = "") -> dict[Token, str]:
    """Return the sense of each sentence that a person labeled; rows without a sense are noted.

    With a word, rows of other words are left out and noted, unless the file has no row of the word. Raises BadInput, with the line, for an
    invalid row or a second sense.
    """
    rows = list(json_rows(Path(path)))
    chosen = [(place, row) for place, row in rows if _is_of(row, word)] or rows
    if others := len(rows) - len(chosen):
        reports.add("other words", tn("{n:,} label of another word is left out.", "{n:,} labels of other words are left out.", others))
    senses: dict[Token, str] = {}
    n_unlabeled = 0
    for place, row in chosen:
        token, sense = _read_row(row, place)
        if not sense and not is_guess(row):
            n_unlabeled += 1
            note_unlabeled(place.name, n_unlabeled)
        if sense and senses.setdefault(token, sense) != sense:
            message = t("this sentence is “{first}” and “{second}”", first=senses[token], second=sense)
            refuse(place, message, t("Keep one of them."))
    return senses


def _is_of(row: Any, word: str) -> bool:
    """Return whether a row is of a word, or may be because it names no lemma."""
    lemma = row.get("lemma") if isinstance(row, dict) else None
    return not (word and lemma) or str(lemma).casefold() == word.casefold()


def read_valid_senses(path: str | Path) -> dict[Token, str]:
    """Return the senses as `read_senses` does, without invalid rows and sentences with two senses."""
    senses: dict[Token, set[str]] = defaultdict(set)
    for token, sense, _ in _valid_rows(Path(path)):
        senses[token] |= {sense} - {""}
    return {token: next(iter(names)) for token, names in senses.items() if len(names) == 1}


def _valid_rows(path: Path) -> Iterator[tuple[Token, str, dict]]:
    """Yield the sentence, the sense ("" for a guess) and all fields of each valid row."""
    for number, line in enumerate(path.read_bytes().split(b"\n"), 1):
        with suppress(ElmoscopeError, ValueError, RecursionError):
            row = parse_json(line.decode("utf-8-sig"), is_table=True)
            yield *_read_row(row, Place(path.name, number)), row


def _read_row(row: Any, place: Place | str) -> tuple[Token, str]:
    """Return a row's sentence and the sense that a person gave it; "" for a guess, or if the sense is blank or missing."""
    if not isinstance(row, dict):
        refuse(place, t("{row} is not a labeled sentence", row=show_value(row)), t('A row has "tokens", "position" and "sense".'))
    missing = [key for key in ("tokens", "position") if row.get(key) is None]
    if "sense" not in row and "label" not in row:
        missing.append("sense")
    if missing:
        keys = ", ".join(f"“{key}”" for key in missing)
        message = t("{row} is not a labeled sentence: without {keys}", row=show_value(row), keys=keys)
        refuse(place, message, t('A row has "tokens", "position" and "sense".'))
    tokens = checked_tokens(row["tokens"], place)
    position = check_position(row["position"], tokens, place)
    sense = on_one_line(as_text(_label(row), place) or "")
    return (tokens, position), "" if is_guess(row) else sense


def _label(row: dict) -> Any:
    """Return a row's sense or label; None if it is blank or, in another program's file, marks a missing value."""
    label = row.get("label") if row.get("sense") is None else row["sense"]
    return None if isinstance(label, str) and is_missing(label) and not (label.strip() and "given" in row) else label


def numbered(labels_by_sentence: Given, sentences: Sequence[Token]) -> Labels:
    """Return labels by sentence as labels by number. A sentence that occurs twice is labeled in both places."""
    places = defaultdict(list)
    for k, token in enumerate(sentences):
        places[token].append(k)
    labels = tuple((k, sense) for token, sense in labels_by_sentence for k in places.get(token, ()))
    return Labels(labels, elsewhere=tuple((token, sense) for token, sense in labels_by_sentence if token not in places))


def read_labels(
    path: str | Path, sentences: Sequence[Token], rename: Callable[[str], str] = lambda sense: sense, word: str = ""
) -> ReadLabels:
    """Return a person's labels of these sentences of a word, with senses renamed.

    Raises BadInput as `read_senses`, and if none is labeled.
    """
    senses = {token: rename(sense) for token, sense in read_senses(path, word).items()}
    if not senses:
        raise BadInput(t("{name} has no labeled sentence. Choose another file.", name=Path(path).name))
    labeled = Labels().join(senses.items()).given
    labels = numbered(labeled, sentences)
    if not labels.given:
        raise BadInput(t("{name} labels none of these {n} sentences. Choose its word and corpus.", name=Path(path).name, n=len(sentences)))
    return ReadLabels(labels, labeled)


def read_upload(name: str, content: bytes, sentences: Sequence[Token], most_mb: int, word: str = "") -> ReadLabels:
    """Read the labels of an uploaded file as `read_labels` does. Raises BadInput, with the owner's file name, if it exceeds `most_mb`."""
    with TemporaryDirectory(prefix="elmoscope-") as folder:
        file = user_names.store(name, content, Path(folder))
        try:
            check_fits(file.path, most_mb * 10**6)
            return read_labels(file.path, sentences, word=word)
        except BadInput as error:
            raise BadInput(user_names.restore_names(str(error))) from None


def agreement(first: Labels, second: Labels, sentences: Sequence[Token]) -> tuple[float, int]:
    """Return Krippendorff's alpha of two annotators' labels, and how many sentences both labeled, without copies. Raises as `alpha`."""
    labels, other_labels = ({sentences[k]: sense for k, sense in annotator.given} for annotator in (first, second))
    units = list(dict.fromkeys((*labels, *other_labels)))
    return alpha([[labels.get(k) for k in units], [other_labels.get(k) for k in units]]), len(labels.keys() & other_labels.keys())


def pairs(texts: Sequence[str]) -> Mapping[str, str]:
    """Return the target of each sense to merge, from texts "from=into". Raises BadInput for other texts, or two targets of a sense."""
    into: dict[str, str] = {}
    for text in texts:
        first, _, second = map(on_one_line, text.partition("="))
        if not (first and second):
            raise BadInput(t("“{text}” is not a pair of senses. Write it as from=into.", text=shorten(text)))
        if into.setdefault(first, second) != second:
            raise BadInput(t("“{name}” would go into two senses. Name one.", name=shorten(first)))
    return into


def tokens_of(occurrences: Iterable) -> list[Token]:
    """Return occurrences as tokens and positions."""
    return [(o.tokens, o.position) for o in occurrences]


MAX_BYTES = 50_000_000  # largest file of labels


def carry_rows(
    text: str, path: Path, sentences: Sequence[Token], rename: Callable[[str], str] = lambda sense: sense, word: str = ""
) -> tuple[str, int]:
    """Add the rows and fields that only the file of labels at `path` has to `text` (`format_labels`). Return it and the number of rows carried.

    A row of another sentence than `sentences` stays as it is, except for its sense if it is of the word and `rename` changes that. A
    person's row of one of them keeps its sense, even if `text` has another by now, and its other fields, such as a comment. A guess, or a
    row without a sense, keeps its other fields; the latter stays as it is where `text` does not have its sentence.
    """
    known_tokens = set(sentences)
    new_rows = [((tuple(row["tokens"]), row["position"]), row) for row in map(json.loads, filter(None, text.split("\n")))]
    written = {token for token, _ in new_rows}
    rows_by_token: dict[Token, list[dict]] = {}
    guesses: dict[Token, dict] = {}
    carried = []
    for row in _rows(path):
        token, sense = _token_and_sense(row)
        if sense and _is_of(row, word) and (name := rename(on_one_line(sense))) != sense:
            row |= {"sense": name}
        is_labeled = token in known_tokens and not is_guess(row) and bool(sense)
        if token not in known_tokens or not (is_labeled or is_guess(row) or token in written):
            carried.append(row)
        elif not is_labeled:
            guesses[token] = {key: value for key, value in row.items() if key not in ("sense", "label", "probability")}
        else:
            rows_by_token.setdefault(token, []).append(row)
    labeled, guessed = [], []
    for token, row in new_rows:
        if labels := rows_by_token.get(token):
            fields = {key: value for key, value in row.items() if key != "probability"}
            labeled += [_line(fields | label | {"given": True}) for label in labels]
        elif token in known_tokens:
            (labeled if row["given"] else guessed).append(_line(guesses.get(token, {}) | row))
    return "".join([*dict.fromkeys(labeled), *map(_line, carried), *guessed]), len(carried)


def _rows(labels: Path) -> Iterator[dict | str]:
    """Yield the rows of a .json list or a .jsonl file, as text if they are not objects."""
    lines = [line for _, line in iterate_lines(labels, max_bytes=MAX_BYTES, longest=MAX_BYTES)]
    if is_json_list(labels):
        for row in parse_json("".join(lines), is_table=True):
            yield row if isinstance(row, dict) else json.dumps(row, ensure_ascii=False)
        return
    for line in filter(str.strip, lines):
        row = None
        with suppress(ValueError):
            row = parse_json(line, is_table=True)
        yield row if isinstance(row, dict) else line


def _token_and_sense(row: dict | str) -> tuple[Token | None, str]:
    """Return a row's sentence and its sense, which may be a number, as text; None and "" if either is invalid."""
    with suppress(BadInput, TypeError, KeyError):
        tokens = checked_tokens(row["tokens"], "")
        return (tokens, check_position(row["position"], tokens, "")), as_text(_label(row), "") or ""
    return None, ""


def _line(row: dict | str) -> str:
    line = row.rstrip("\r\n") if isinstance(row, str) else json.dumps(row, ensure_ascii=False)
    try:
        line.encode()
    except UnicodeEncodeError:  # half a character (unpaired surrogate): only the escaped form can hold it
        line = json.dumps(row)
    return f"{line}\n"


DIGITS = 32  # digits used of a word's fingerprint
WAIT_S = 60  # while other tabs and programs label the same word, however busy the machine is


class CannotSave(BadInput):
    """An error in writing labels, after which the file is unchanged."""


def stored_file(corpus: str, word: str) -> Path:
    """Return the file with the labels of a word of a corpus."""
    return _folder(corpus) / f"{text_fingerprint([word])[:DIGITS]}.jsonl"


def read_stored(path: Path, word: str) -> Given:
    """Return the labels in a file, in their order. A file that cannot be read is set aside. Raises CannotSave if that fails."""
    try:
        return _read(path)
    except (ElmoscopeError, OSError):
        with _lock(path):
            return _present(path, word)


def change_stored(path: Path, word: str, labels: Labels, step: Callable[[Labels], Labels]) -> Labels:
    """Apply a step to the current labels of a file; `labels` has the steps before. Raises BadInput from the step, or CannotSave."""
    with _lock(path):
        present = replace(labels, given=_present(path, word))
        after = step(present)
        if after.given != present.given:
            _write(path, word, after.given, path)
    return after


def find_set_aside(path: Path) -> list[Path]:
    """Return the unreadable files that were set aside, in order."""
    return sorted(path.parent.glob(f"{path.stem}*unreadable*.jsonl"), key=lambda file: file.stat().st_mtime_ns)


def forget_stored(corpus: str) -> None:
    """Remove all labels of a corpus, with the files that were set aside."""
    shutil.rmtree(_folder(corpus), ignore_errors=True)


def _folder(corpus: str) -> Path:
    """Return the folder of a corpus. A user's corpus is identified by its content, because it can be given by path or by name."""
    with suppress(ElmoscopeError):
        path = user_names.corpus_path(user_names.corpus_name(corpus) or corpus)
        corpus = path.stem if path else corpus
    return cache_folder() / "labels" / text_fingerprint([corpus])[:DIGITS]


@contextmanager
def _lock(path: Path) -> Iterator[None]:
    """Lock a file. Raises CannotSave if others hold it too long, or if its folder cannot be written."""
    try:
        with locked(path, timeout_s=WAIT_S):
            yield
    except Timeout:
        raise CannotSave(t("Another tab or program is saving labels of this word. Try again.")) from None
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CannotSave(t("Labels cannot be saved: {reason}. Download them.", reason=reason)) from error


def _read(path: Path) -> Given:
    with suppress(FileNotFoundError):
        stat = path.stat()
        return _read_once(path, stat.st_ino, stat.st_mtime_ns, stat.st_size)
    return ()


@lru_cache(maxsize=8)
def _read_once(path: Path, *stamp: int) -> Given:
    """Return the labels of a file in the state of that stamp. Pages read it at every run, and every change makes another file."""
    return tuple(read_senses(path).items())


def _present(path: Path, word: str) -> Given:
    """Read a file that is locked. If it cannot be read, set it aside and write its valid labels again."""
    try:
        return _read(path)
    except ElmoscopeError:
        valid = tuple(read_valid_senses(path).items())
        aside = set_aside(path)
        if valid:
            _write(path, word, valid, aside)
        return valid


def _write(path: Path, word: str, labels: Given, source: Path) -> None:
    """Write labels, with the other fields and the guesses of the rows of `source`, which a person may have edited."""
    rows: dict[Token, list[dict]] = defaultdict(list)
    guesses = []
    for token, sense, row in _valid_rows(source) if source.is_file() else ():
        if sense:
            rows[token].append(row)
        else:
            guesses.append(row)
    labeled = [_row(word, token) | row | {"sense": sense, "given": True} for token, sense in labels for row in rows.get(token, [{}])]
    try:
        with replacing(path) as temporary:
            temporary.write_text("".join(map(_line, [*labeled, *guesses])), "utf-8", newline="\n")
            temporary.chmod(0o600)
    except BadInput as error:
        raise CannotSave(str(error)) from error
