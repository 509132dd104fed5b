"""Open occurrence tables by name (an index folder, the bundled table, a corpus), and check the disk, memory and time of a new one."""

import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from ..common.config import ASSETS, cache_folder
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..elmo.encoder import Encoder
from ..elmo.models import Model
from ..elmo.substitutes import Substitutes
from ..files import registry, sums, user_names
from ..files.artifacts import read_json
from ..files.quotas import VISITS, check_fits
from ..files.sums import file_sha256
from ..text.corpora import labeled_of, open_corpus, owner_of, sentences_of
from ..text.sentences import Sentence, fingerprint
from .build import TOKENS_PER_ROUND, build_index, rounds
from .sense_space import keeps_substitutes, substitutes_of
from .table import OccurrenceTable

Report = Callable[[int, int, float], None]  # tokens done, in all, per second
SAMPLE_SENTENCES, SAMPLE_TOKENS = 50, 40  # sentences on which the speed is measured, and tokens to which each is cut


def open_table(corpus: str, model: Model, *, targets_only: bool = False, report: Report | None = None) -> OccurrenceTable:
    """Open the index of a corpus under a model, or build it into the cache.

    With `targets_only` it has the labeled tokens only, unless the corpus has no labels. Under a bundled model both tables of a language's
    sentences also have the labeled tokens of the reference corpus.
    """
    if (folder := index_at(corpus)) and (folder / "occurrences.arrow").is_file():
        table = OccurrenceTable(folder)
        if table.meta.get("model") != model.fingerprint:  # two models' vectors have no angle to each other
            names = {"corpus": corpus, "model": model.name}
            raise BadInput(t("Index {corpus} is from a model other than {model}. Name its model, or rebuild it.", **names))
        return table
    if targets_only and (table := bundled_targets(corpus, model)):
        return table
    return _built(open_corpus(corpus, model.language), model, targets_only, report, _labels_to_add(corpus, model))


def open_word(word: str, model: Model) -> OccurrenceTable:
    """Open a table with the labeled sentences of one word of the model's language: the bundled one, or one of that word only."""
    table = bundled_targets(model.language.sentences, model)
    if table is not None and word in table.lemmas:
        return table
    return _built(labeled_of(model.language, word), model, True)


def bundled_targets(corpus: str, model: Model) -> OccurrenceTable | None:
    """Open the bundled table of a language's labeled words, if it was made with this very model."""
    if (folder := _bundled_folder(corpus, model)) is None:
        return None
    sums.check(folder)
    return OccurrenceTable(folder)


def _bundled_folder(corpus: str, model: Model) -> Path | None:
    """Return the folder of `bundled_targets`, or None."""
    folder = ASSETS / model.language.targets
    if corpus != model.language.sentences or not model.language.targets or not (folder / "meta.json").is_file():
        return None
    return folder if read_json(folder / "meta.json", expect=dict).get("model") == model.fingerprint else None


def index_at(corpus: str) -> Path | None:
    """Return the folder of an index if a path names one and paths may be named, else None."""
    folder = registry.existing(corpus, "corpus") if limits().paths else None
    return folder if folder and (folder / "meta.json").is_file() else None


def takes_long(corpus: str) -> bool:
    """Return whether a corpus is a user's, which may have more labeled sentences than are encoded in a moment."""
    return not sentences_of(corpus) and not index_at(corpus)


def opens_at_once(corpus: str) -> bool:
    """Return whether a corpus has labeled tokens, or is a table already, so that it opens without encoding every word."""
    return bool(sentences_of(corpus)) or index_at(corpus) is not None or any(sentence.targets for sentence in open_corpus(corpus))


def unread(corpus: str, model: Model, *, targets_only: bool = False) -> list[Sentence]:
    """Return the sentences that `open_table` would have to encode."""
    if index_at(corpus) or (targets_only and _is_bundled(corpus, model)):
        return []
    sentences = open_corpus(corpus, model.language)
    return [] if (_folder(sentences, model, targets_only, _is_bundled(corpus, model)) / "meta.json").is_file() else sentences


def token_folder(corpus: str, model: Model) -> Path:
    """Return the folder of a corpus' index of every token, complete once it has a meta.json. The corpus must not be an index."""
    return _folder(open_corpus(corpus, model.language), model, False, _is_bundled(corpus, model))


def _is_bundled(corpus: str, model: Model) -> bool:
    return _bundled_folder(corpus, model) is not None


def _labels_to_add(corpus: str, model: Model) -> OccurrenceTable | None:
    """Return the bundled table whose labeled tokens a table of every token of this corpus has as well, or None."""
    table = bundled_targets(corpus, model)
    return table if table and table.basic is not table and keeps_substitutes(table) else None


def _folder(sentences: list[Sentence], model: Model, targets_only: bool, adds_labels: bool) -> Path:
    if targets_only and any(sentence.targets for sentence in sentences):
        kind = "-targets"
    else:
        kind = "-labeled" if adds_labels else ""
    return cache_folder() / "indexes" / f"{model.fingerprint}-{fingerprint(sentences)[:16]}{kind}"


def _built(
    sentences: list[Sentence], model: Model, targets_only: bool, report: Report | None = None, labels: OccurrenceTable | None = None
) -> OccurrenceTable:
    """Open the table of sentences in the cache, built if needed; one of every token with its substitutes if the model has any."""
    targets_only &= any(sentence.targets for sentence in sentences)
    folder = _folder(sentences, model, targets_only, labels is not None)
    if (folder / "meta.json").is_file():
        return OccurrenceTable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    substitutes = None if targets_only else substitutes_of(model)
    more = open_corpus(model.language.reference, model.language) if labels else ()
    return build_index(
        sentences,
        model.encoder,
        folder,
        model=model.fingerprint,
        targets_only=targets_only,
        report=report,
        substitutes=substitutes,
        more=more,
        known_table=labels,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The contents of a corpus and the costs of its index."""

    documents: int
    sentences: int
    tokens: int  # and rows of the index
    words: int  # distinct, letter case aside
    spellings: int  # distinct: the char-CNN reads each of them once
    commonest: tuple[tuple[str, int], ...]  # words (no marks) and how often they occur
    index_bytes: int
    working_bytes: int  # on disk while the index is made, itself included
    memory_bytes: int  # while the index is made, beyond the model
    keeps_substitutes: bool  # of every token, for the sense space

    def seconds(self, spelling_s: float, token_s: float) -> float:
        """Return the time that the index takes to build. A spelling costs time once, a token every time."""
        return self.spellings * spelling_s + self.tokens * token_s


def plan_for(sentences: list[Sentence], model: Model, *, targets_only: bool = False) -> Plan:
    """Return the `index_plan` of the table that `open_table` would build with a model."""
    substitutes = None if targets_only else substitutes_of(model)
    return index_plan(sentences, model.encoder.n_layers, model.encoder.dim, substitutes.dim if substitutes else 0)


def index_plan(sentences: list[Sentence], n_layers: int, dim: int, substitutes: int = 0) -> Plan:
    """Return the contents of a corpus and the costs of its index (core.index.build), with `substitutes` values stored for every token."""
    spellings: Counter[str] = Counter()
    of_rounds = 0  # spellings of each, together
    for part in rounds(sentences):
        counts = Counter(token for sentence in part for token in sentence.tokens)
        spellings.update(counts)
        of_rounds += len(counts)
    words: Counter[str] = Counter()
    for spelling, n in spellings.items():
        words[spelling.casefold()] += n
    tokens = spellings.total()
    vector = n_layers * dim
    row = 2 * vector + 4 * (n_layers * (n_layers + 1) // 2) + 5 * 4  # float16 layers, float32 products, five numbers
    letters = sum(n * len(spelling.encode("utf-8", "ignore")) for spelling, n in spellings.items())
    substitute_bytes = tokens * 2 * substitutes  # float16
    index = (tokens + len(words)) * row + letters + 4 * tokens + substitute_bytes
    return Plan(
        documents=len({sentence.document for sentence in sentences}),
        sentences=len(sentences),
        tokens=tokens,
        words=len(words),
        spellings=len(spellings),
        commonest=tuple((word, n) for word, n in words.most_common(200) if any(map(str.isalpha, word)))[:12],
        index_bytes=index,
        working_bytes=index + tokens * 2 * vector + of_rounds * 4 * vector + substitute_bytes,
        memory_bytes=len(words) * vector * 10 + min(tokens, TOKENS_PER_ROUND) * (vector * 20 + substitutes * 18) + tokens * 40,
        keeps_substitutes=substitutes > 0,
    )


def open_claimed(corpus: str, model: Model, report: Report | None = None, *, targets_only: bool = False) -> OccurrenceTable:
    """Open the table of a corpus. If it is not built yet, make room on the disk and add its bytes to the visit's holdings first."""
    is_own = user_names.corpus_exists(corpus)
    if sentences := unread(corpus, model, targets_only=targets_only):
        rows = [replace(s, tokens=tuple(target.word for target in s.targets)) for s in sentences] if targets_only else sentences
        plan = plan_for(rows, model, targets_only=targets_only)
        key = corpus, model.fingerprint, targets_only
        sizes = VISITS.get_holdings().data_sizes
        sizes.pop(key, None)  # of an index that was removed
        check_room(plan)
        VISITS.make_room(plan.working_bytes)
        sizes[key] = plan.index_bytes
    table = open_table(corpus, model, targets_only=targets_only, report=report)
    if is_own and not user_names.corpus_exists(corpus):  # it was deleted meanwhile
        shutil.rmtree(table.folder, ignore_errors=True)
    return table


def check_room(plan: Plan) -> None:
    """Raise BadInput if an index of this plan exceeds the space of this thread's visit, of all visits, or of the disk."""
    VISITS.check_bytes(plan.working_bytes)
    check_fits(VISITS.estimate_room(plan.working_bytes), plan.working_bytes)


def measure_pace(encoder, sentences: list[Sentence], substitutes: Substitutes | None = None) -> tuple[float, float]:
    """Measure the seconds of a spelling and of a token on a sample that is read twice, the second time with all spellings cached."""
    every = max(1, len(sentences) // SAMPLE_SENTENCES)
    sample = [list(sentence.tokens[:SAMPLE_TOKENS]) for sentence in sentences[::every][:SAMPLE_SENTENCES]]
    fresh = Encoder(encoder.model) if isinstance(encoder, Encoder) else encoder
    words = [token for tokens in sample for token in tokens]
    if substitutes:
        _ = substitutes.sample  # made once for a model, whatever is read
    seconds = []
    for _ in range(2):
        started = time.perf_counter()
        read = fresh.encode(sample)
        if substitutes and words:
            substitutes.vectors(np.concatenate([fresh.places_in(layers) for layers in read]), words)
        seconds.append(time.perf_counter() - started)
    return max(0.0, seconds[0] - seconds[1]) / max(1, len(set(words))), seconds[1] / max(1, len(words))


def content_of(name: str, kind: str) -> tuple:
    """Return a key that changes with the content of a name; () if it has no file.

    For a text file it is the sha256 (and a name, if corpora share the file), for others the places, sizes and times of change.
    """
    path = registry.place_of(name, kind)
    try:
        if path is None:
            return ()
        if path.is_dir():
            return (str(path), *(_stamp(file) for file in sorted(path.iterdir()) if file.is_file()))
        if kind != "corpus":
            return _stamp(path)
        return (_sha256(_stamp(path)), name) if owner_of(name) else (_sha256(_stamp(path)),)
    except OSError:
        return ()


def _stamp(path: Path) -> tuple:
    stat = path.stat()
    return str(path), stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns


@lru_cache(maxsize=256)
def _sha256(stamp: tuple) -> str:
    """Return the sha256 of a file; it is read again when its stamp changes."""
    return file_sha256(stamp[0])
