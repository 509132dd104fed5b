"""Convert text files into compact training data: token ids on disk, sentences drawn as packed batches.

A prepared folder holds `ids.npy` (uint32, all sentences in a row), `starts.npy` (int64, one more than sentences),
`domains.npy` (uint32 per sentence: its file), `types.txt` (spelling of id k in line k, most frequent first), `meta.json` and, if
lines were held out for evaluation, `held-out.txt`.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np

from ..common import reports
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.markup import shorten
from ..elmo.model import PackedBatch, pack
from ..files import artifacts, atomic
from ..files.artifacts import read_json, write_json
from ..files.atomic import replacing
from ..files.formats import refuse_format, suffix_of
from ..text import languages
from ..text.file_lines import ANY_SIZE, iterate_lines
from ..text.tokens import SENTENCE_BEGIN, SENTENCE_END

PACKINGS, TABLES = (".bz2", ".zst", ".7z", ".rar", ".tar", ".tgz"), (".csv", ".tsv", ".json", ".jsonl", ".parquet")
FILES = r"(ids|starts|domains)\.npy|types\.txt|meta\.json|held-out\.txt"  # of a prepared folder, as core.files.atomic names them
MAX_TOKENS = 60  # of a sentence
BOUNDARIES = (SENTENCE_BEGIN, SENTENCE_END)  # ids 0 and 1 of every prepared folder


def read_lines(path: str | Path) -> Iterator[str]:
    """Yield the lines of a text file, decompressing .xz and .gz. Raises BadInput for a file that cannot be read.

    Text that is not UTF-8 is read in the encoding that it looks like, and a few wrong bytes are replaced, both with a note.
    """
    path = Path(path)
    if not path.is_file():
        raise MissingArtifact(f"There is no text file {shorten(path, 200)}. Choose another file.")
    if suffix_of(path) in PACKINGS:
        refuse_format(path, (".txt",))
    if suffix_of(path) in TABLES:
        raise BadInput(f"{path.name} is a table: save its texts as .txt, one sentence per line.")
    for _, line in iterate_lines(path, is_size_checked=False, max_bytes=ANY_SIZE, in_pieces=True, tolerant=True):
        yield line


def prepare(
    files: list[Path], folder: Path, report: Callable[[str], None], *, processes: int = 2, language: str = "en", hold_out: float = 0.0
) -> Path:
    """Tokenize `files` (one sentence per line) into `folder`, truncating sentences to MAX_TOKENS.

    A share `hold_out` of the lines, chosen by a hash of their text, is written unchanged to held-out.txt, so the same lines are held out in
    every preparation.
    """
    if not 0 <= hold_out < 1:
        raise BadInput(f"The share of lines to hold out (--hold-out) must be at least 0 and below 1, got {hold_out:g}.")
    wanted = {"texts": artifacts.list_sums(files), "language": language, "hold_out": hold_out, "max_tokens": MAX_TOKENS}
    if (folder / "meta.json").exists():
        _check_same(folder, wanted)
        return folder
    atomic.check_replaceable(folder, "")  # a complete folder has a meta.json, so every other file is a user's
    languages.get_language(language).tokenize("")  # raise errors here, not in a worker
    for path in files:
        next(read_lines(path), None)
    with ProcessPoolExecutor(processes) as pool:
        parts, lines_held_out = [], []
        read = partial(_read_file, language=language, hold_out=hold_out)
        for path, (types, ids, lengths, lines, n_cut, notes) in zip(files, pool.map(read, files), strict=True):
            parts.append((types, ids, lengths))
            lines_held_out += lines
            cut = f"; {n_cut:,} of them cut at {MAX_TOKENS} tokens" if n_cut else ""
            report(f"{path.name}: {len(lengths):,} sentences, {len(ids):,} tokens{cut}")
            for key, text in notes.items():
                reports.add(key, text)
    if not any(len(lengths) for _, _, lengths in parts):
        raise BadInput(f"There are no words to learn from in: {', '.join(p.name for p in files) or 'no files'}.")
    if hold_out and not any(map(languages.get_language(language).tokenize, lines_held_out)):
        raise BadInput(f"A share of {hold_out:g} of the lines holds out no words to measure on. Hold out a larger share.")
    counts: Counter[str] = Counter()
    for types, ids, _ in parts:
        for word, n in zip(types, np.bincount(ids, minlength=len(types)).tolist(), strict=True):
            counts[word] += n
    ordered = [*BOUNDARIES, *(word for word, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0])))]
    number = {word: k for k, word in enumerate(ordered)}
    ids = np.concatenate([np.array([number[word] for word in types], np.uint32)[ids_in_file] for types, ids_in_file, _ in parts])
    lengths = np.concatenate([lengths_in_file for _, _, lengths_in_file in parts])
    meta = {"files": [p.name for p in files], "sentences": len(lengths), "tokens": int(lengths.sum()), "types": len(ordered)}
    if language != "en":
        meta["language"] = language
    if hold_out:
        meta |= {"hold_out": hold_out, "held_out_lines": len(lines_held_out)}
    with replacing(folder) as temporary:
        temporary.mkdir()
        np.save(temporary / "ids.npy", ids)
        np.save(temporary / "starts.npy", np.concatenate([[0], np.cumsum(lengths)]))
        sentences_by_file = [len(lengths_in_file) for _, _, lengths_in_file in parts]
        np.save(temporary / "domains.npy", np.repeat(np.arange(len(files), dtype=np.uint32), sentences_by_file))
        (temporary / "types.txt").write_text("\n".join(ordered), encoding="utf-8", newline="\n")
        if hold_out:
            mixed = "\n".join(sorted(lines_held_out, key=_hash))  # the lines of all files
            (temporary / "held-out.txt").write_text(mixed, encoding="utf-8", newline="\n")
        write_json(temporary / "meta.json", {**meta, "made_of": wanted})
    return folder


def _check_same(folder: Path, wanted: dict) -> None:
    """Raise BadInput if a prepared folder was made from another text or in another way."""
    before = read_json(folder / "meta.json", expect=dict).get("made_of")
    if not isinstance(before, dict):
        raise BadInput(f"{folder} does not name the text it was prepared from. Move it away, or name another folder.")
    if differences := artifacts.describe_differences(before, wanted):
        reason = f"from other text or in another way ({differences})"
        raise BadInput(f"{folder} was prepared {reason}. Move it away, or name another folder.")


def _read_file(path: Path, language: str, hold_out: float) -> tuple[list[str], np.ndarray, np.ndarray, list[str], int, reports.Notes]:
    """Return one file's types, its token ids in them, its sentences' lengths, the held-out lines, the number of cut lines, and notes."""
    number: dict[str, int] = {}
    ids, lengths, lines_held_out, n_cut = [], [], [], 0
    tokenize = languages.get_language(language).tokenize
    with reports.collecting() as notes:
        for line in read_lines(path):
            if hold_out and _is_held_out(line.strip(), hold_out):
                lines_held_out.append(line.strip())
                continue
            tokens = tokenize(line)
            n_cut += len(tokens) > MAX_TOKENS
            tokens = tokens[:MAX_TOKENS]
            if tokens:
                ids.extend([number.setdefault(token, len(number)) for token in tokens])
                lengths.append(len(tokens))
    return list(number), np.array(ids, np.uint32), np.array(lengths, np.int64), lines_held_out, n_cut, notes


def held_out(files: Sequence[str | Path], share: float) -> list[str]:
    """Return the lines of `files` that `prepare` holds out, in its order, with those of all files mixed."""
    lines = (line.strip() for file in files for line in read_lines(file))
    return sorted((line for line in lines if _is_held_out(line, share)), key=_hash)


def _is_held_out(line: str, share: float) -> bool:
    """Return whether a line is held out, which depends only on its text."""
    return int.from_bytes(_hash(line)) < share * 2**64


def _hash(line: str) -> bytes:
    return hashlib.blake2b(line.encode("utf-8", "replace"), digest_size=8).digest()


class Corpus:
    """A prepared folder, opened without reading it, that draws the sentences of any step of any epoch."""

    def __init__(self, folder: Path) -> None:
        self.meta = read_json(folder / "meta.json", expect=dict)
        try:
            self.ids, self.starts, self.domains = (
                np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ("ids", "starts", "domains")
            )
            self.types = (folder / "types.txt").read_text(encoding="utf-8").split("\n")
            fits = len(self.starts) == len(self.domains) + 1 and self.starts[-1] == len(self.ids)
        except (OSError, ValueError, EOFError, TypeError, IndexError) as error:
            raise CorruptArtifact(f"{folder} is not a complete prepared text: {error}. Delete it; it will be rebuilt.") from None
        if not fits or not isinstance(self.meta.get("files"), list) or len(self.meta["files"]) <= self.domains.max(initial=0):
            raise CorruptArtifact(f"{folder} is damaged: its files do not fit together. Delete it; it will be rebuilt.")

    def sentence(self, number: int) -> np.ndarray:
        """Return the type ids of a sentence."""
        return np.concatenate([[0], self.ids[self.starts[number] : self.starts[number + 1]], [1]]).astype(np.int64)

    def batches(self, *, tokens: int, seed: int, oversample: dict[str, int], skip: int = 0) -> Iterator[PackedBatch]:
        """Yield endless batches of about `tokens` tokens, determined by `seed`; `skip` resumes the stream exactly.

        Each domain's files occur `oversample.get(domain, 1)` times in an epoch. Sentences of similar length share a batch.
        """
        times = np.array([oversample.get(name.split("-")[0], 1) for name in self.meta["files"]])[self.domains]
        pool = np.repeat(np.arange(len(times)), times)
        lengths = np.diff(self.starts) + 2
        n_drawn = 0
        for epoch in range(1_000_000):
            rng = np.random.default_rng((seed, epoch))
            shuffled = rng.permutation(pool)
            for start in range(0, len(shuffled), 8192):  # within such a stretch, sort by length
                stretch = shuffled[start : start + 8192]
                stretch = stretch[np.argsort(lengths[stretch], kind="stable")]
                groups = np.split(stretch, np.flatnonzero(np.diff(np.cumsum(lengths[stretch]) // tokens)) + 1)
                for k in rng.permutation(len(groups)):
                    n_drawn += 1
                    if n_drawn > skip:
                        yield pack([self.sentence(n) for n in groups[k]])[0]
