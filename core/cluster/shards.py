"""An index in shards: workers encode parts of the sentences, and one final file states that the index is complete.

    index.json                       the complete index: its shards in order; written last
    shards/0000001-<fingerprint>/    a complete index (core.index.table), of 4,000 to 64,000 tokens
    sentences/<same name>.json       the sentences of a shard, until the index is complete

A shard's name holds the fingerprint of its sentences and model, so it is made once. Shards begin where a round of `build_index` begins, so
rows and batches are those of one index. So are the vectors up to rounding: a worker may compute a new spelling together with others, and
BLAS rounds a product of a few rows differently. Occasionally a stored number is therefore the next one of float16.
"""

import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from itertools import chain, islice
from pathlib import Path

from distributed import Client

from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..files import atomic
from ..files.artifacts import parse_json, provenance, short, text_fingerprint
from ..index import sense_space
from ..index.build import APPROXIMATE as NEAR
from ..index.build import FILES, TOKENS_PER_ROUND, build_index, rounds
from ..index.table import ENTRIES, OccurrenceTable, say_wrong
from ..text.sentences import Sentence, Target, fingerprint
from .jobs import ShardJob, run_jobs
from .store import SHARD, Store, absolute_place, open_store
from .worker_model import held, held_substitutes

FORMAT = 1
MOST_ROUNDS = 16  # of build_index in a shard: about 64,000 tokens, 110 MB of vectors from a model of elmo-mini's size
SHARDS = 64  # of a smaller corpus, so that many workers have something to do
INDEX = "index.json"
APPROXIMATE, APPROXIMATE_SENSES = ".approximate", ".approximate-senses"  # what core.cluster.approximate makes
_PARTS = rf"\.{SHARD}\.[0-9a-f]{{16}}\.parts"  # of a shard that is not finished, as core.index.build keeps them
OWN = "|".join(  # paths of an index in shards: nothing else may be removed
    [
        r"index\.json",
        rf"shards(/{SHARD}(/({FILES}))?)?",
        rf"sentences(/{SHARD}\.json)?",
        rf"\.staging(/({SHARD}(/({FILES}))?|{_PARTS}(/\d+\.npz)?))?",
        NEAR,
    ]
)


@dataclass(frozen=True, slots=True)
class Shard:
    """A part of an index, itself an index, whose rows and sentences continue the numbers of the parts before it."""

    name: str  # of its folder in the store; "" for an index that is one folder
    first_row: int
    rows: int
    first_sentence: int
    sentences: int
    version: str  # of its content and date: distinguishes two shards of one name


@dataclass(frozen=True, slots=True)
class Shards:
    """An index in shards or in a single folder, with what a search needs to know of it."""

    url: str
    meta: dict
    shards: tuple[Shard, ...]


def build(
    client: Client,
    sentences: Iterable[Sentence],
    where: str | Path,
    *,
    model: str,
    model_fingerprint: str,
    senses: bool = False,
    report: Callable[[int, int, float], None] | None = None,
) -> Shards:
    """Encode `sentences` (read twice: to count and to split them) into shards at `where`; `senses` also stores substitutes.

    Existing shards of these sentences and this model stay, so an interrupted build continues. Another index at `where` is
    replaced once the new one is complete. Calls `report(tokens done, total, tokens per second)` after each shard.
    """
    store = open_own(where)
    began = time.perf_counter()
    counts = Counter()

    def counted() -> Iterator[Sentence]:
        for part in rounds(sentences):
            counts.update(rounds=1, sentences=len(part), tokens=sum(len(sentence.tokens) for sentence in part))
            yield from part

    corpus = fingerprint(counted())
    if not counts["tokens"]:
        raise BadInput(t("Nothing to index: no words."))
    existing = {name for name in store.names("shards") if store.has_folder(f"shards/{name}")}
    results = {}
    done = 0
    parts = cut(sentences, rounds_per_shard(counts["rounds"]))
    for job, result in run_jobs(client, _jobs(store, parts, (model, model_fingerprint, senses), existing)):
        results[job.name] = result
        done += job.tokens
        if report:
            report(done, counts["tokens"], done / max(time.perf_counter() - began, 1e-9))
    ordered = sorted(results)  # names begin with their number
    seconds = time.perf_counter() - began
    first = results[ordered[0]]
    meta = {
        "format": FORMAT,
        "occurrences": sum(facts["occurrences"] for facts in results.values()),
        "types": len(set().union(*(facts["words"] for facts in results.values()))),
        "sentences": counts["sentences"],
        "seconds": round(seconds, 3),
        "layers": first["layers"],
        "dim": first["dim"],
        "tokens_per_second": round(counts["tokens"] / seconds, 1),
        "lemmas": any(facts["lemmas"] for facts in results.values()),
        "shards": [{"name": name, "rows": results[name]["occurrences"], "sentences": results[name]["sentences"]} for name in ordered],
        **provenance(model=model_fingerprint, corpus=corpus),
    }
    store.write(INDEX, json.dumps(meta, ensure_ascii=False, indent=1).encode())
    for name in store.names("shards") - set(ordered):
        if atomic.is_own_file(name, SHARD):
            store.remove(f"shards/{name}")
    store.remove_all("sentences", rf"{SHARD}\.json")
    store.remove_all(".staging", rf"{SHARD}|{_PARTS}")
    return open_shards(where)


def open_shards(where: str | Path) -> Shards:
    """Open an index in shards, or a folder of core.index.table. Raises MissingArtifact if there is neither."""
    store = open_store(absolute_place(where))
    if not store.has(INDEX) and store.is_folder and store.has_folder(""):
        table = OccurrenceTable(store.fetch(""))
        shard = Shard("", 0, len(table), 0, len(table.sentences), f"{table.meta.get('corpus')} {table.meta.get('date')}")
        return Shards(store.url, {**table.meta, "lemmas": bool(table.lemmas)}, (shard,))
    if not store.has(INDEX):
        raise MissingArtifact(t("{place} lacks {file}. Build it: python -m core index build --help", place=where, file=INDEX))
    try:
        meta = parse_json(store.read(INDEX))
        if meta["format"] != FORMAT:
            raise ValueError(f"its format is {meta['format']}, this is {FORMAT}")
        for name, kind in (ENTRIES | {"lemmas": bool, "shards": list}).items():
            if not isinstance(meta.get(name), kind):
                raise ValueError(say_wrong(name, meta.get(name)))
        shards = []
        row = 0
        sentence = 0
        for part in meta["shards"]:
            if not re.fullmatch(SHARD, str(part["name"])):
                raise ValueError(t("{name!r} is not a shard name", name=shorten(part["name"])))
            shard = Shard(f"shards/{part['name']}", row, int(part["rows"]), sentence, int(part["sentences"]), part["name"])
            if min(shard.rows, shard.sentences) < 1:
                raise ValueError(say_wrong("shards", part))
            shards.append(shard)
            row += shard.rows
            sentence += shard.sentences
        if not shards:
            raise ValueError(say_wrong("shards", None))
        if (row, sentence) != (meta["occurrences"], meta["sentences"]):
            raise ValueError(say_wrong("occurrences", meta["occurrences"]))
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        reason = say_wrong(str(error).strip("'"), None) if isinstance(error, KeyError) else error
        raise CorruptArtifact(t("{file} is damaged: {reason}. Rebuild the index.", file=f"{where}/{INDEX}", reason=reason)) from None
    return Shards(store.url, meta, tuple(shards))


def info(where: str | Path) -> dict:
    """Return the facts of an index in shards, the number of shards, and its size in bytes."""
    result = open_shards(where)
    return {**result.meta, "shards": len(result.shards), "bytes": open_store(result.url).size()}


def open_own(where: str | Path) -> Store:
    """Open the store at `where`. Raises BadInput if it holds foreign files or an index.json of another kind."""
    store = open_store(absolute_place(where))
    name = store.find_stranger(OWN)
    if name is None and store.has(INDEX) and not _is_index(store):
        name = INDEX
    if name is not None:
        raise BadInput(atomic.describe_foreign_file(where, name))
    return store


def cut(sentences: Iterable[Sentence], rounds_each: int) -> Iterator[list[Sentence]]:
    """Split sentences into parts of complete rounds, as core.index.build makes them."""
    parts = rounds(sentences)
    while part := list(chain.from_iterable(islice(parts, rounds_each))):
        yield part


def rounds_per_shard(n_rounds: int) -> int:
    """Return the rounds per shard from the corpus alone, so that a cluster of another size can continue."""
    return max(1, min(MOST_ROUNDS, n_rounds // SHARDS))


def build_shard(url: str, name: str, model: str, model_fingerprint: str, senses: bool) -> dict:
    """Return a shard's facts, from the store or built now (a worker's job)."""
    store = open_store(url)
    if not store.has_folder(f"shards/{name}"):
        stage = store.stage(name)
        encoder = held(model, model_fingerprint)
        substitutes = held_substitutes(model, model_fingerprint) if senses else None
        sentences = _read_part(store.read(f"sentences/{name}.json"))
        build_index(sentences, encoder, stage, model=model_fingerprint, substitutes=substitutes)
        store.commit(stage, f"shards/{name}")
    table = OccurrenceTable(store.fetch(f"shards/{name}"))
    sizes = {key: table.meta[key] for key in ("sentences", "layers", "dim")}
    return {**sizes, "occurrences": len(table), "words": table.words, "lemmas": bool(table.lemmas)}


def _jobs(store: Store, parts: Iterable[list[Sentence]], made_by: tuple[str, str, bool], existing: set[str]) -> Iterator[ShardJob]:
    """Yield a job per shard. Its sentences are stored when its turn comes, so that little is in flight.

    `made_by`: a model's name and fingerprint, and whether substitutes are stored.
    """
    _, model_fingerprint, senses = made_by
    for number, part in enumerate(parts):
        form = f"{FORMAT} {TOKENS_PER_ROUND}{f' substitutes {sense_space.FORMAT}' if senses else ''}"
        made_of = text_fingerprint([model_fingerprint, fingerprint(part), form])
        name = f"{number:07}-{short(made_of)}"
        if name not in existing:
            store.write(f"sentences/{name}.json", json.dumps([asdict(sentence) for sentence in part]).encode())
        yield ShardJob(name, build_shard, (store.url, name, *made_by), sum(len(s.tokens) for s in part))


def _is_index(store: Store) -> bool:
    """Return whether its index.json is of an index in shards; a damaged one counts if there are shards next to it."""
    with suppress(ValueError):
        meta = parse_json(store.read(INDEX))
        return isinstance(meta, dict) and {"format", "shards"} <= meta.keys()
    return bool(store.names("shards"))


def _read_part(data: bytes) -> list[Sentence]:
    sentences = []
    for row in json.loads(data):
        targets = tuple(Target(**target) for target in row["targets"])
        sentences.append(Sentence(**row | {"tokens": tuple(row["tokens"]), "targets": targets}))
    return sentences
