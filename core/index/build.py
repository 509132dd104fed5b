"""Build an occurrence table (core.index.table) on disk. A stopped build continues: each round is stored in a file next to it."""

import shutil
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext, suppress
from itertools import chain, repeat
from pathlib import Path
from time import perf_counter
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from ..common.errors import BadInput
from ..common.i18n import t
from ..elmo.mix import gram
from ..elmo.substitutes import Substitutes
from ..files import atomic
from ..files.artifacts import parse_json, provenance, replacing, text_fingerprint, write_json
from ..text.sentences import Sentence, Target, fingerprint
from . import sense_space
from .rows import SPELLINGS, schema_of
from .table import FORMAT, GUESSES, TAGS, OccurrenceTable

FILES = r"(occurrences|types|sentences)\.arrow|(substitutes|spellings)\.npy|meta\.json"  # of an index, as core.files.atomic names them
APPROXIMATE = r"\.approximate(-senses)?(/(cells\.faiss|meta\.json))?"  # what core.cluster.approximate writes next to them
ARROW = b"ARROW1"  # the first bytes of a file of Arrow IPC
ROWS_PER_BATCH = 16_384  # rows written (and read without copying) at a time
TOKENS_PER_ROUND = 4_000  # tokens encoded before they are written: a stop waits for them, and a restart repeats them


def build_index(
    sentences: list[Sentence],
    encoder,
    folder: Path,
    *,
    model: str,
    targets_only: bool = False,
    report: Callable[[int, int, float], None] | None = None,
    other_files: str = "",
    substitutes: Substitutes | None = None,
    more: Sequence[Sentence] = (),
    known_table: OccurrenceTable | None = None,
) -> OccurrenceTable:
    """Encode `sentences` into a new index at `folder`, written under a temporary name and renamed when complete.

    The next call for the same sentences and model continues after the last finished round. It gives the same rows, vectors up to the next
    number of float16. An index that is already there is replaced. BadInput if the folder holds anything else that `other_files` does not name.

    Parameters
    ----------
    targets_only : write the rows of labeled tokens only.
    report : called with (tokens done, tokens to encode, tokens per second); an exception that it raises stops the build.
    other_files : a pattern of files that may be replaced too (core.files.atomic).
    substitutes : the encoder's; those of every row are stored for the sense space. `SenseSpace.keep` computes those of labeled tokens.
    more : sentences whose labeled tokens follow; the rows before them are the table's `basic` ones.
    known_table : a table whose last rows are those of `more`; if None they are encoded.
    """
    atomic.check_replaceable(folder, own_files(other_files), marked=is_index)
    if targets_only:
        sentences = [s for s in sentences if s.targets]
    started = perf_counter()
    total = sum(len(s.tokens) for s in (*sentences, *(() if known_table else more)))
    n_known = sum(len({target.position for target in s.targets}) for s in more) if known_table else 0
    done = fresh = rows = first = 0
    corpus = fingerprint([*sentences, *more])
    names = [sorted(values) for values in _names(sentences, targets_only)]
    basic = dict(zip(("types", "senses", "lemmas"), map(len, names), strict=True)) | {"sentences": len(sentences)}
    if more:
        names = [[*listed, *sorted(added.difference(listed))] for listed, added in zip(names, _names(more, True), strict=True)]
    if not names[0]:
        raise BadInput(t("No labeled words to index.") if targets_only else t("No words to index."))
    schema = schema_of(encoder.n_layers, encoder.dim)
    sums = np.zeros((len(names[0]), encoder.n_layers, encoder.dim), np.float32)
    counts = np.zeros(len(names[0]), np.int64)
    substitutes = None if targets_only else substitutes
    senses = f" substitutes {sense_space.FORMAT}" if substitutes else ""
    made_of = text_fingerprint([model, corpus, f"{FORMAT} {targets_only} {TOKENS_PER_ROUND} {schema}{senses}"])
    parts = Path(folder).with_name(f".{Path(folder).name}.{made_of[:16]}.parts")
    with replacing(Path(folder), pattern=own_files(other_files)) as temporary:
        temporary.mkdir(parents=True, exist_ok=True)
        n_rows = sum(len(s.tokens) for s in sentences) + n_known
        # written, not mapped: a full disk would kill the process at a mapped page
        stored = (temporary / sense_space.KEPT).open("wb") if substitutes else nullcontext()
        with stored, pa.ipc.new_file(str(temporary / "occurrences.arrow"), schema) as writer:
            if substitutes:
                header = {"descr": "<f2", "fortran_order": False, "shape": (n_rows, substitutes.dim)}
                np.lib.format.write_array_header_1_0(stored, header)
            for part, is_more in chain(zip(rounds(sentences), repeat(False)), zip(rounds(more), repeat(True))):
                if is_more and "occurrences" not in basic:
                    basic |= {"occurrences": rows, "corpus": fingerprint(sentences)}
                only_targets = targets_only or is_more
                keep = _have_rows(part, only_targets)
                labels = _labels(part, first, keep, names, schema)
                codes = labels.column("word").indices.to_numpy()
                is_known = is_more and bool(known_table)
                if is_known:
                    chosen = np.arange(len(codes)) + len(known_table) - n_known + rows - basic["occurrences"]
                    vectors = _copy(known_table, chosen, codes)
                else:
                    vectors = _encode(part, keep, only_targets, codes, encoder, parts / f"{first}.npz", substitutes)
                if substitutes:
                    stored.write(vectors.substitutes.astype("<f2").tobytes())
                sums[np.unique(codes)] += vectors.sums
                counts += np.bincount(codes, minlength=len(counts))
                batch = pa.RecordBatch.from_arrays([*labels.columns, *_vectors(vectors.layers)], schema=schema)
                for start in range(0, batch.num_rows, ROWS_PER_BATCH):
                    writer.write_batch(_own_memory(batch.slice(start, ROWS_PER_BATCH)))
                rows += batch.num_rows
                if not is_known:  # copied rows take next to no time
                    done += len(keep)
                    fresh += len(keep) if vectors.is_new else 0
                    if report:
                        report(done, total, (fresh or done) / (perf_counter() - started))
                first += len(part)
        _write_types(temporary / "types.arrow", schema, names, sums / np.maximum(counts, 1)[:, None, None])
        _write_sentences(temporary / "sentences.arrow", [*sentences, *more])
        seconds = perf_counter() - started
        meta = {
            "format": FORMAT,
            "occurrences": rows,
            "types": int((counts > 0).sum()),
            "sentences": first,
            "seconds": round(seconds, 3),
            **({"basic": basic} if more else {}),
            "tokens_per_second": round((fresh or total) / seconds, 1),
            "layers": encoder.n_layers,
            "dim": encoder.dim,
            **({sense_space.SUBSTITUTES: sense_space.FORMAT} if substitutes else {}),
        }
        write_json(temporary / "meta.json", meta | provenance(model=model, corpus=corpus))
    shutil.rmtree(parts, ignore_errors=True)
    return OccurrenceTable(folder)


def own_files(other_files: str = "") -> str:
    """Return the pattern of an index's files, as core.files.atomic has it."""
    return "|".join(filter(None, (FILES, APPROXIMATE, other_files)))


def is_index(folder: Path) -> bool:
    """Return whether a folder holds one of our indexes, perhaps a damaged one, or is empty."""
    if not any(folder.iterdir()):
        return True
    with suppress(OSError), (folder / "occurrences.arrow").open("rb") as rows:
        if rows.read(len(ARROW)) == ARROW:
            return True
    with suppress(OSError, ValueError):
        meta = parse_json((folder / "meta.json").read_bytes())
        return isinstance(meta, dict) and {"format", "occurrences", "layers"} <= meta.keys()
    return False


def _names(sentences: Iterable[Sentence], targets_only: bool) -> tuple[set[str], set[str], set[str]]:
    """Return the words, senses and lemmas of sentences; with `targets_only` the words of labeled tokens only."""
    targets = [target for sentence in sentences for target in sentence.targets]
    if targets_only:
        tokens = [s.tokens[target.position] for s in sentences for target in s.targets]
    else:
        tokens = chain.from_iterable(s.tokens for s in sentences)
    return {token.casefold() for token in tokens}, {t.sense for t in targets if t.sense is not None}, {*map(_lemma, targets)}


def _lemma(target: Target) -> str:
    return target.lemma or target.word.casefold()


def rounds(sentences: Iterable[Sentence]) -> Iterator[list[Sentence]]:
    """Yield the sentences in rounds of about TOKENS_PER_ROUND tokens."""
    part, tokens = [], 0
    for sentence in sentences:
        part.append(sentence)
        tokens += len(sentence.tokens)
        if tokens >= TOKENS_PER_ROUND:
            yield part
            part, tokens = [], 0
    if part:
        yield part


class _Vectors(NamedTuple):
    """The vectors of the N rows of a round, of U spellings."""

    layers: np.ndarray  # (N, L, D) float16
    sums: np.ndarray  # (U, L, D) float32, over the rows of each spelling
    substitutes: np.ndarray  # (N, P), or (0, 0) if they are not stored
    is_new: bool  # encoded just now


def _have_rows(part: list[Sentence], targets_only: bool) -> np.ndarray:
    """Return which tokens of a round become rows, (tokens,) bool."""
    mask = []
    for sentence in part:
        labeled = {target.position for target in sentence.targets}
        mask += [not targets_only or k in labeled for k in range(len(sentence.tokens))]
    return np.array(mask, bool)


def _copy(table: OccurrenceTable, rows: np.ndarray, codes: np.ndarray) -> _Vectors:
    """Return the vectors of rows of another table."""
    layers = table.rows.take(rows)
    return _Vectors(layers.astype(np.float16), _sums(layers, codes), sense_space.stored_substitutes(table, rows), is_new=False)


def _encode(
    part: list[Sentence], keep: np.ndarray, targets_only: bool, codes: np.ndarray, encoder, path: Path, substitutes: Substitutes | None
) -> _Vectors:
    """Return a round's vectors. They are read from `path` if a stopped build stored them there and the file is not damaged."""
    with suppress(OSError, EOFError, ValueError, KeyError, zipfile.BadZipFile), np.load(path) as stored:
        return _Vectors(stored["layers"], stored["sums"], stored["substitutes"], is_new=False)
    expected = np.empty((0, 0), np.float16)
    if targets_only and hasattr(encoder, "alone"):  # a biLM's directions can stop at the token
        places = [(list(s.tokens), k) for s in part for k in sorted({target.position for target in s.targets})]
        vectors, _ = encoder.alone([tokens for tokens, _ in places], [k for _, k in places])
    else:
        read = encoder.encode([list(s.tokens) for s in part])
        vectors = np.concatenate(read, axis=1).transpose(1, 0, 2)[keep]  # (N, L, D)
        if substitutes:
            around = np.concatenate([encoder.places_in(layers) for layers in read])
            expected = substitutes.vectors(around, [token for s in part for token in s.tokens]).astype(np.float16)
    sums = _sums(vectors, codes)
    vectors = vectors.astype(np.float16)
    with suppress(FileNotFoundError), replacing(path) as temporary:  # another process that indexed these sentences removed the folder
        np.savez(temporary, layers=vectors, sums=sums, substitutes=expected)
    return _Vectors(vectors, sums, expected, is_new=True)


def _sums(vectors: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Sum vectors (N, L, D) float32 by spelling: (U, L, D) in the order of the spellings' codes."""
    from scipy.sparse import csr_array

    types, numbers = np.unique(codes, return_inverse=True)
    of_type = csr_array((np.ones(len(codes), np.float32), (numbers, np.arange(len(codes)))), (len(types), len(codes)))
    return (of_type @ vectors.reshape(len(codes), -1)).reshape(len(types), *vectors.shape[1:])


def _labels(part: list[Sentence], first: int, keep: np.ndarray, names: list[list[str]], schema: pa.Schema) -> pa.RecordBatch:
    """Return the rows of sentences in reading order, without vectors; `keep` (tokens,) selects the tokens that become rows."""
    word_code, sense_code, lemma_code = ({name: k for k, name in enumerate(values)} for values in names)
    words, senses, lemmas, numbers, positions = [], [], [], [], []
    for number, sentence in enumerate(part, first):
        targets = {t.position: t for t in sentence.targets}
        for position, token in enumerate(sentence.tokens):
            target = targets.get(position)
            words.append(word_code.get(token.casefold(), 0))  # a token that gets no row is filtered below
            senses.append(sense_code[target.sense] if target and target.sense is not None else None)
            lemmas.append(lemma_code[_lemma(target)] if target else None)
            numbers.append(number)
            positions.append(position)
    rows = [*_coded((words, senses, lemmas), names), pa.array(numbers, pa.int32()), pa.array(positions, pa.int32())]
    return pa.RecordBatch.from_arrays(rows, names=schema.names[:5]).filter(pa.array(keep))


def _coded(codes: Iterable[Sequence[int | None]], names: list[list[str]]) -> list[pa.Array]:
    """Return the columns of words, senses and lemmas."""
    pairs = zip(codes, names, strict=True)
    return [pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), pa.array(values, pa.string())) for numbers, values in pairs]


def _vectors(layers: np.ndarray) -> list[pa.Array]:
    """Return the two vector columns of layers (N, L, D) float16. The gram is of the stored values, so that a cosine with itself is 1."""
    flat = np.ascontiguousarray(layers).reshape(len(layers), -1)
    products = gram(layers)
    return [
        pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1]),
        pa.FixedSizeListArray.from_arrays(pa.array(products.ravel()), products.shape[1]),
    ]


def _own_memory(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Copy a slice, which would otherwise be written with its parent's buffers."""
    return pa.RecordBatch.from_arrays([pa.concat_arrays([c]) if len(c) else c for c in batch.columns], schema=batch.schema)


def _write_types(path: Path, schema: pa.Schema, names: list[list[str]], means: np.ndarray) -> None:
    n = len(means)
    coded = _coded((range(n), [None] * n, [None] * n), names)
    none = pa.array(np.full(n, -1, np.int32))
    with pa.ipc.new_file(str(path), schema) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays([*coded, none, none, *_vectors(means.astype(np.float16))], schema=schema))


def _write_sentences(path: Path, sentences: list[Sentence]) -> None:
    columns = {"tokens": pa.array([list(s.tokens) for s in sentences], pa.list_(pa.string()))}
    texts = pa.array([s.text for s in sentences], pa.string())
    if texts.null_count < len(texts):
        columns["text"] = texts
    tags = [[{"position": target.position, "pos": target.pos} for target in s.targets if target.pos] for s in sentences]
    if any(tags):
        columns["pos"] = pa.array(tags, TAGS)
    guesses = [[{"position": target.position, "sense": target.guess} for target in s.targets if target.guess] or None for s in sentences]
    if any(guesses):
        columns["guess"] = pa.array(guesses, GUESSES)
    with pa.ipc.new_file(str(path), pa.schema([(name, column.type) for name, column in columns.items()])) as writer:
        writer.write_batch(pa.RecordBatch.from_arrays([*columns.values()], names=[*columns]))


def compact(folder: Path) -> OccurrenceTable:
    """Store layer 0 of an index once for each spelling, which is all that it depends on, and return the smaller index."""
    table = OccurrenceTable(folder)
    rows = table.rows
    tokens = [sentence[position] for sentence, position in table.places(range(len(table)))]
    _, firsts, spelling = np.unique(tokens, return_index=True, return_inverse=True)
    schema = schema_of(rows.n_layers, rows.dim, is_compact=True)
    with replacing(folder / SPELLINGS) as temporary, temporary.open("wb") as file:
        np.save(file, rows.take(firsts)[:, 0].astype(np.float16))
    with replacing(folder / "occurrences.arrow") as temporary, pa.ipc.new_file(str(temporary), schema) as writer:
        for start, batch, layers in zip(rows.starts, rows.batches, rows.layers, strict=False):
            codes = pa.array(spelling[start : start + len(layers)], pa.int32())
            flat = np.ascontiguousarray(layers[:, 1:]).reshape(len(layers), -1)
            others = pa.FixedSizeListArray.from_arrays(pa.array(flat.ravel()), flat.shape[1])
            writer.write_batch(pa.RecordBatch.from_arrays([*batch.columns[:5], codes, others, batch.column("gram")], schema=schema))
    return OccurrenceTable(folder)
