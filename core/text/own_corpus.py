"""Store a user's texts as one corpus of tokens, with the document of each sentence.

Texts are files that `core.text.sentences` reads, a folder, or pasted. They are written once, as JSONL, into a folder of the cache that no
list shows. The name of the file is a fingerprint of its content, so that only the user and people with the link know it. A row contains the
tokens of a sentence, its document, its date, and its text if `join_tokens` would write the tokens differently. The first row names the
language in which the texts were tokenized.
"""

import json
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from itertools import accumulate, chain
from pathlib import Path

from ..common import reports
from ..common.errors import BadInput, ElmoscopeError, JobEnded
from ..common.i18n import t
from ..common.limits import check_allowed, limits, texts_expire
from ..common.markup import shorten
from ..files import quotas, user_names
from ..files.artifacts import check_fits, replacing, text_fingerprint
from ..files.disk_space import count_bytes
from ..files.formats import PACKED, TEXTUAL, suffix_of, unpacked_size
from ..files.sums import file_sha256
from ..files.user_names import Source
from .languages import Language, codes, get_language, in_use
from .sentence_ends import DETECT
from .sentences import MAX_NAME, SUFFIXES, Sentence, fingerprint, read_sentences, sentences_from_text

KINDS = tuple(suffix.removeprefix(".") for suffix in SUFFIXES)
QUICK_BYTES = 1_000_000  # of files, unpacked
MAX_LOOKED_AT = 20_000  # files and folders seen in search of texts


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file that was not read, or only in part, and a sentence that says why."""

    name: str
    why: str


@dataclass(frozen=True, slots=True)
class KeptCorpus:
    """A stored corpus and the files that were left out."""

    path: Path
    name: str  # in pages and addresses
    skipped: tuple[Skipped, ...] = ()


def is_own(corpus: str) -> bool:
    """Return whether this is the name or the path of a user's corpus that still exists."""
    return user_names.corpus_exists(corpus) or user_names.corpus_name(corpus) is not None


def files_in(folder: str) -> list[Source]:
    """Return the texts in a folder and its subfolders, in order of their names, without hidden files and links.

    The first text in each format that is not read is included, because `keep_files` explains how to convert it. A note counts all others.
    """
    check_allowed("paths")
    root = os.path.expanduser(folder.strip())
    results, left_out, kinds, seen = [], [], set(), 0
    if not os.path.isdir(root):
        raise BadInput(t("No folder {folder} here. Type its full path.", folder=shorten(root)))
    for place, folders, names in os.walk(root, onerror=lambda error: left_out.append(str(error.filename))):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        left_out.extend(path for name in folders if os.path.islink(path := os.path.join(place, name)))
        seen += len(folders) + len(names)
        if seen > MAX_LOOKED_AT:
            raise BadInput(t("{folder} has over {n:,} files. Choose a smaller one.", folder=root, n=MAX_LOOKED_AT))
        for path in (Path(place, name) for name in sorted(names) if not name.startswith(".")):
            kind = suffix_of(path)
            if (kind in SUFFIXES or kind in {*TEXTUAL} - kinds) and os.path.isfile(path) and not os.path.islink(path):
                kinds.add(kind)
                results.append(Source(path.relative_to(root).as_posix(), path))
            else:
                left_out.append(str(path))
    if not results:
        raise BadInput(t("{folder} has no text files ({kinds}). Choose another.", folder=root, kinds=", ".join(f".{k}" for k in KINDS)))
    if left_out:
        names = ", ".join(shorten(os.path.relpath(path, root), 40) for path in left_out[:3]) + (", …" if len(left_out) > 3 else "")
        reports.add("left out", t("Files and folders not read: {n:,} ({names}).", n=len(left_out), names=names))
    return results


def keep_text(text: str, name: str, *, lines: str = DETECT) -> KeptCorpus:
    """Store a pasted text as one document of that name. `lines` is the meaning of its line breaks (core.text.sentence_ends)."""
    name = _writable(name)
    return keep_sentences([replace(sentence, document=name) for sentence in sentences_from_text(text, lines=lines)])


def keep_files(
    sources: list[Source],
    *,
    text_column: str | None = None,
    date_column: str | None = None,
    lines: str = DETECT,
    report: reports.Report | None = None,
) -> KeptCorpus:
    """Read files one after the other into one corpus. Files that cannot be read are left out and listed in the result.

    Raises BadInput if no file can be read. The columns are those of tables, as in `core.text.sentences.read_sentences`. `lines` is the
    meaning of line breaks. `report` is called several times a second with the bytes read, the bytes of all files, and the bytes per second.
    An exception that it raises ends the reading.
    """
    caps = limits()
    if len(sources) > caps.max_files:
        raise BadInput(t("{n:,} files; choose at most {most}.", n=len(sources), most=caps.max_files))
    progress = reports.ReadingProgress(sum(count_bytes(source.path) for source in sources), report)
    sentences, skipped, taken, tokens, n_bytes = [], [], Counter(), 0, 0
    for source in sources:
        progress.reach(n_bytes)
        n_bytes += count_bytes(source.path)
        name = _writable(source.name)
        taken[name] += 1
        document = name if taken[name] == 1 else f"{name} ({taken[name]})"
        room = caps.max_sentences - len(sentences)
        try:
            if room < 1 or tokens >= caps.max_tokens:
                raise BadInput(_full())
            with reports.watch_steps(progress.step), reports.collecting() as collected:
                result = _read(source, (text_column, date_column), lines, room + 1)
        except JobEnded:
            raise
        except ElmoscopeError as error:
            skipped.append(Skipped(document, user_names.restore_names(str(error))))
            continue
        skipped += [Skipped(document, user_names.restore_names(note)) for note in collected.values()]
        ends = accumulate(len(sentence.tokens) for sentence in result[:room])
        fitting = [sentence for sentence, end in zip(result, ends, strict=False) if tokens + end <= caps.max_tokens]
        if len(fitting) < len(result):
            skipped.append(Skipped(document, t("First {n:,} sentences only. {full}", n=len(fitting), full=_full())))
        tokens += sum(len(sentence.tokens) for sentence in fitting)
        sentences += [replace(s, document=s.document or document) for s in fitting]
    if not sentences:
        raise BadInput(" ".join(dict.fromkeys(file.why for file in skipped[:5])))
    return keep_sentences(sentences, tuple(skipped))


def language_of(path: Path) -> Language | None:
    """Return the language in which a user's text was tokenized, or None for any other file."""
    with suppress(OSError, ValueError, AttributeError):
        if user_names.corpus_name(path):
            with path.open(encoding="utf-8") as rows:
                code = json.loads(next(rows, "")).get("language")
            return get_language(code) if code in codes() else None
    return None


def is_quick(sources: list[Source]) -> bool:
    """Return whether reading the files takes at most a second or two. Their unpacked size decides."""
    is_packed = any(source.path.suffix.lower() in (*PACKED, ".pdf") for source in sources)
    return not is_packed and sum(unpacked_size(source.path) for source in sources) <= QUICK_BYTES


def keep_sentences(sentences: list[Sentence], skipped: tuple[Skipped, ...] = ()) -> KeptCorpus:
    """Store sentences, such as those of a word usage graph. `skipped` are the files that were left out."""
    path = _write(sentences)
    return KeptCorpus(path, user_names.corpus_name(path), skipped)


def forget(corpus: str) -> None:
    """Remove a user's corpus and every index and map made from it, with any model, from this machine."""
    if not is_own(corpus):
        return
    path = user_names.corpus_path(corpus) or Path(corpus)
    marks = []
    with suppress(ElmoscopeError):  # a damaged text can be deleted, too
        marks = find_marks(path, read_sentences(path))
    quotas.VISITS.remove(path, marks)


def _writable(name: str) -> str:
    """Return the name of a document, shortened and without half characters, so that it can be written."""
    return name[:MAX_NAME].encode("utf-8", "replace").decode()


def _full() -> str:
    return t("Limits: {s:,} sentences, {n:,} tokens.", s=limits().max_sentences, n=limits().max_tokens)


def _read(source: Source, columns: tuple[str | None, str | None], lines: str, limit: int) -> list[Sentence]:
    if not check_fits(source.path, limits().max_file_mb * 10**6):
        raise BadInput(t("{name} is empty. Choose another file.", name=source.path.name))
    max_bytes = limits().max_unpacked_mb * 10**6
    return read_sentences(source.path, text_column=columns[0], date_column=columns[1], limit=limit, lines=lines, max_bytes=max_bytes)


def _write(sentences: list[Sentence]) -> Path:
    """Write a corpus as JSONL, one row for each label. The file is named by the fingerprint of the tokens, labels and documents."""
    dates = [sentence.date or "" for sentence in sentences] if any(sentence.date for sentence in sentences) else []
    name = text_fingerprint([fingerprint(sentences), *(sentence.document or "" for sentence in sentences), *dates])[:32]
    path = user_names.corpus_folder() / f"{name}.jsonl"
    if path.is_file():
        quotas.VISITS.use(path)
        return path
    lines = []
    n_bytes = 0
    max_mb = limits().max_unpacked_mb
    for row in chain.from_iterable(map(_rows, sentences)):
        if not lines:
            row["language"] = in_use().code
        lines.append(json.dumps(row, ensure_ascii=False).encode() + b"\n")
        n_bytes += len(lines[-1])
        if n_bytes > max_mb * 10**6:
            raise BadInput(t("These texts exceed {mb:,.0f} MB as tokens. Use fewer.", mb=max_mb))
    with quotas.VISITS.reserve(path, n_bytes), replacing(path) as temporary:
        user_names.corpus_folder().chmod(0o700)
        with temporary.open("wb") as stream:
            stream.writelines(lines)
        temporary.chmod(0o600)
        if texts_expire():
            quotas.mark(path, find_marks(temporary, read_sentences(temporary)))
    return path


def find_marks(path: Path, sentences: list[Sentence]) -> list[str]:
    """Return the fingerprints that occur in the names of a text's indexes, maps and encoded form.

    The names are made in core.index.tables, core.analysis and core.corpus.encoded.
    """
    labeled = [sentence for sentence in sentences if sentence.targets]  # an index and its maps may be of these sentences only
    return [*(fingerprint(rows)[:16] for rows in (sentences, labeled) if rows), file_sha256(path)[:32]]


def _rows(sentence: Sentence) -> Iterator[dict]:
    row = {"tokens": sentence.tokens, "document": sentence.document}
    if sentence.text:
        row["text"] = sentence.text
    if sentence.date:
        row["date"] = sentence.date
    for target in sentence.targets:
        fields = {key: value for key, value in asdict(target).items() if value is not None and key != "guess"}
        if target.guess:
            fields |= {"sense": target.guess, "given": False}
        yield row | fields
    if not sentence.targets:
        yield row
