"""Compare two spaces of words: which neighbors they share, and how similar they are. A space is a vector file or a model's layer."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import count
from pathlib import PurePath

import numpy as np

from ..analysis import spaces
from ..analysis.spaces import Comparison, PairedAtRandom, Shift, Space, Take
from ..analysis.word_maps import ALL_WORDS
from ..common import model_layers
from ..common.errors import BadInput, ElmoscopeError
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.limits import limits
from ..common.memo import Kept
from ..common.model_layers import MIX, SENSES
from ..corpus.change import intersect_keys, list_keys
from ..elmo.mix import layer_weights
from ..elmo.models import Model
from ..files import registry
from ..index.neighbors import ANY, check_search
from ..index.sense_space import FILE, SenseSpace
from ..index.table import OccurrenceTable
from ..senses.separation import SenseReport, sense_report_of, senses_report_of
from ..text.corpora import open_corpus, sentences_of
from ..text.languages import Language
from ..text.normalization import fold_case
from ..text.target_word import lemmas, words_of
from ..workspace import Workspace, open_workspace, reads_as_model, table_key

READS = ()  # the request names everything that the answer depends on
MARK = " · "  # between a model and its layer
SAMPLE = 64  # sentences that are read to measure the pace
MOST_STATIC = 100_000  # most frequent words of a vector file that are compared
FEWEST = 3  # occurrences that a word needs in each of two corpora


@dataclass(frozen=True, slots=True)
class SpaceName:
    """A vector file, or a model's layer by the mean vectors of its words in a corpus: of every token, or of the labeled ones alone.

    The sense space needs tables that store its inputs. It uses the map of all words, minus their mean.
    """

    source: str
    layer: str | None = None  # a number, "mix" or "senses"; None: static vectors
    corpus: str = ""
    every_token: bool = True

    @property
    def labeled(self) -> "SpaceName | None":
        """Return the same space of the labeled tokens alone, which can be read at once, or None if its corpus has none."""
        return replace(self, every_token=False) if sentences_of(self.corpus) else None

    @property
    def reads(self) -> tuple[tuple[str, str], ...]:
        """Return (kind, name) of each file or folder."""
        return (("vectors", self.source),) if self.layer is None else (("model", self.source), ("corpus", self.corpus))


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareRequest:
    """A pair of spaces, and the number of neighbors of each word."""

    first: SpaceName
    second: SpaceName
    k: int = 10  # as in most studies

    @property
    def sides(self) -> tuple[SpaceName, SpaceName]:
        """Return both spaces."""
        return self.first, self.second

    @property
    def across(self) -> bool:
        """Return whether the two are of two corpora."""
        return bool(self.first.corpus and self.second.corpus and self.first.corpus != self.second.corpus)

    @property
    def reads(self) -> tuple[tuple[str, str], ...]:
        """Return (kind, name) of each file or folder."""
        return self.first.reads + self.second.reads


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SpacesCompared:
    """The comparison of two spaces, over the words that all layers of both share."""

    names: tuple[str, str]
    comparison: Comparison
    cka_names: tuple[str, ...]  # m, of all layers of both
    cka: np.ndarray  # (m, m)
    cka_pair: float
    paired: PairedAtRandom  # the same with the words paired at random
    halves: tuple[tuple[str, float, int], ...]  # for each corpus read by a model: name, neighbors shared by its halves, number of words
    shift: Shift | None  # change of one model's layer from corpus to corpus
    ambiguous: tuple[str, ...]  # words with several labeled senses in the compared corpora
    shared: int = 0  # sentences of both corpora, if one text contains the other

    def table(self, order: np.ndarray) -> Frame:
        """Return a row for each word, in the given order."""
        c, words = self.comparison, np.array(self.comparison.words, object)
        columns = {
            t("word"): words[order],
            t("shared neighbors"): c.shared[order],
            t("Jaccard"): c.jaccard[order].round(3),
            t("correlation of cosines"): c.profile[order].round(3),
        }
        if self.shift is not None:
            columns |= {
                t("distance between corpora"): self.shift.between[order].round(3),
                t("distance of halves"): self.shift.within[order].round(3),
                t("difference"): self.shift.excess[order].round(3),
            }
        for name, nearest in zip(self.names, (c.first, c.second), strict=True):
            columns[t("nearest in {name}", name=name)] = [", ".join(words[row]) for row in nearest[order]]
        return frame(columns)

    def words_to_open(self, request: str, examples: Sequence[str], limit: int, language: Language) -> tuple[str, list[str]]:
        """Return the target word if both have it, else an ambiguous one, and `limit` words to offer."""
        c = self.comparison
        order = [c.words[k] for k in c.most_changed()]
        telling = [c.words[k] for k in c.telling([*examples, *self.ambiguous])]
        ends = [*order[: limit // 4], *order[-(limit // 4) :]]
        offered = list(dict.fromkeys([*telling[: limit - len(ends)], *ends]))
        return find_form(request, c.words, language) or offered[0], offered


@dataclass(frozen=True, slots=True)
class Measured:
    """The measures of one model."""

    shares: dict[str, float]  # 1-NN accuracy of each space on labeled sentences, 0 to 1
    chance: float  # the same with shuffled labels, in the mix
    pace: float  # tokens a second


@reads_as_model
def compute(workspace: Workspace, request: CompareRequest) -> SpacesCompared | None:
    """Compare two spaces, or return None while a table is still being read. Raises BadInput if they share too few words."""
    check_search(request.k, ANY)
    sides = request.sides
    tables = {side: _table(workspace, side) for side in sides if side.layer}
    if None in tables.values():
        return None
    every = _open_spaces(workspace, request, tables)
    words = spaces.find_common_words(list(every.values()))
    vectors = {name: spaces.on_words(space, words) for name, space in every.items()}
    names = tuple(every[side].name for side in sides)
    weights = {side: _weights(workspace, side, table) for side, table in tables.items()}
    documents = {side: _documents(workspace, side, table) for side, table in tables.items()}
    halves = [
        (name, *spaces.halves_overlap(tables[side], words, weights[side], k=request.k, documents=documents[side]))
        for side, name in zip(sides, names, strict=True)
        if side in tables
    ]
    shift = None
    if request.across and request.first.reads[0] == request.second.reads[0] and request.first.layer == request.second.layer:
        first, second = sides
        shift = spaces.shift(
            tables[first], tables[second], words, (weights[first], weights[second]), documents=(documents[first], documents[second])
        )
    n_shared = 0
    if request.across and len(tables) == 2:
        keys = [list_keys(tables[side].sentences) for side in sides]
        n_shared = int(np.isin(keys[0], intersect_keys(*keys)).sum())
    a, b = (vectors[side] for side in sides)
    cka = spaces.cka_matrix(list(vectors.values()))
    place_of = {name: k for k, name in enumerate(vectors)}
    ambiguous = [lemma for table in tables.values() for lemma in table.lemmas if len(table.senses_of(lemma)) > 1]
    return SpacesCompared(
        names=names,
        comparison=spaces.compare(a, b, words, k=request.k),
        cka_names=tuple(space.name for space in every.values()),
        cka=cka,
        cka_pair=float(cka[place_of[request.first], place_of[request.second]]),
        paired=spaces.test_cka(a, b),
        halves=tuple(half for half in halves if half[2]),
        shift=shift,
        ambiguous=tuple(dict.fromkeys(ambiguous)),
        shared=n_shared,
    )


def measure_models(
    memo: Kept, models: Sequence[Model], tables: Sequence[OccurrenceTable], report: Callable[[int, int], None]
) -> tuple[Measured, ...]:
    """Measure each model over its labeled sentences. `report` receives steps done and in all."""
    sense_spaces = [_stored_sense_space(model, table) for model, table in zip(models, tables, strict=True)]
    space_names = [
        (*model.layers.spaces, SENSES) if sense_space else model.layers.spaces
        for model, sense_space in zip(models, sense_spaces, strict=True)
    ]
    done = count()
    total = sum(len(names) + 1 for names in space_names)
    results = []
    for model, table, sense_space, names in zip(models, tables, sense_spaces, space_names, strict=True):
        reports = {}
        for name in names:
            report(next(done), total)
            key = table_key(table), model.fingerprint, name
            reports[name] = memo.value("all words", key, partial(_over_all_words, table, name, sense_space), most=64)
        report(next(done), total)
        shares = {name: result.one_nn for name, result in reports.items()}
        results.append(Measured(shares, reports[MIX].null_mean, _pace(table, model)))
    return tuple(results)


def as_read(sides: Sequence[SpaceName], is_read: Callable[[SpaceName], bool]) -> tuple[SpaceName | None, ...]:
    """Return each space as it can be compared now. Until every token of its corpus was read, the labeled ones replace it, or None."""
    result: list[SpaceName | None] = []
    for side in sides:
        if side.layer is None:
            result.append(side)
        elif side.layer == SENSES and side.labeled:  # only labeled words are stored in the sense space
            result.append(side.labeled)
        else:
            registry.resolve(side.corpus, "corpus")  # a wrong path is an error at once, before it is read
            result.append(side if is_read(side) else side.labeled)
    return tuple(result)


def list_spaces() -> list[str]:
    """Return the vector files and models' layers on this machine, as `space_named` reads them. A model's sense space is last."""
    result = registry.available("vectors")
    for model in registry.available("model"):
        folder = registry.resolve(model, "model")
        senses = (SENSES,) if (folder / FILE).is_file() else ()
        result += [f"{model}{MARK}{layer}" for layer in (*model_layers.of_folder(folder).spaces, *senses)]
    return result


def find_form(word: str, words: Sequence[str], language: Language) -> str:
    """Return the word, or its dictionary form, whichever is among these; else ""."""
    word = fold_case(word.strip())
    return next((form for form in (word, *lemmas(word, words_of(language))) if form in words), "")


def space_named(text: str, corpus: str) -> SpaceName:
    """Return the space of a name: a vector file, or "model · layer". A model's folder without a layer has its top layer."""
    source, mark, layer = text.strip().rpartition(MARK.strip())
    if mark and (layer.strip().isdecimal() or layer.strip() in (MIX, SENSES)):
        return SpaceName(source.strip(), layer.strip(), corpus)
    folder = registry.existing(text.strip(), "model") if limits().paths else None
    if folder and any((folder / name).is_file() for name in ("options.json", "config.json")):
        return SpaceName(text.strip(), model_layers.of_folder(folder).top, corpus)
    return SpaceName(text.strip())


def short_names(sources: Sequence[str]) -> dict[str, str]:
    """Return the last part of each name or path, with as many folders above it as distinguish equal names."""
    parts = {source: PurePath(source).parts or (source,) for source in sources}
    for depth in range(1, 1 + max(map(len, parts.values()), default=0)):
        tails = {source: "/".join(parts[source][-depth:]) for source in parts}
        if len(set(tails.values())) == len(parts):
            return tails
    return {source: source for source in parts}


def is_same(first: SpaceName, second: SpaceName) -> bool:
    """Return whether two names mean one space: the same file, layer and corpus."""
    return first.layer == second.layer and all(
        registry.resolve(a, kind) == registry.resolve(b, kind) for (kind, a), (_, b) in zip(first.reads, second.reads, strict=True)
    )


def _table(workspace: Workspace, side: SpaceName) -> OccurrenceTable | None:
    open_tokens = workspace.opener.every_token if side.every_token else workspace.opener.targets
    table = open_tokens(side.corpus, side.source)
    return None if table is None else table.basic


def _open_spaces(workspace: Workspace, request: CompareRequest, tables: Mapping[SpaceName, OccurrenceTable]) -> dict[SpaceName, Space]:
    """Return the spaces of all layers of both sides. They are named by their corpora where these differ, else by their models."""
    sources = [side.corpus if request.across else side.source for side in request.sides]
    labels = short_names(sources)
    result: dict[SpaceName, Space] = {}
    for side, source in zip(request.sides, sources, strict=True):
        layers = workspace.opener.model(side.source).layers.spaces if side.layer else (None,)
        for layer in dict.fromkeys((*layers, side.layer)):  # the sense space is read only if it is compared
            name = replace(side, layer=layer)
            if name not in result:
                result[name] = _space(workspace, name, labels[source], tables.get(side), FEWEST if request.across else 1)
    return result


def _space(workspace: Workspace, name: SpaceName, label: str, table: OccurrenceTable | None, fewest: int) -> Space:
    if table is None:
        vectors = workspace.opener.vectors(name.source)
        words = vectors.words[:MOST_STATIC]
        return spaces.static_space(label, words, vectors.vectors_of(words)[1])
    title, weights = f"{label}{MARK}{name.layer}", _weights(workspace, name, table)
    return spaces.type_space(title, table, weights, fewest=fewest)


def _weights(workspace: Workspace, name: SpaceName, table: OccurrenceTable) -> np.ndarray | Take:
    """Return the weights (L,), or what places rows in the sense space. Raises BadInput if the table has no substitutes."""
    if name.layer != SENSES:
        return layer_weights(name.layer, table.meta["layers"])
    space = workspace.with_model(name.source).require_sense_space()
    if not space.is_stored(table):
        raise BadInput(t("{place} has no substitutes. Build the index with --senses.", place=name.corpus))
    return lambda rows: space.place(space.of_rows(table, rows))


def _documents(workspace: Workspace, side: SpaceName, table: OccurrenceTable) -> np.ndarray | None:
    """Return the number of each sentence's document, if the corpus names all of them and the table was made of it."""
    try:
        sentences = open_corpus(side.corpus, workspace.opener.model(side.source).language)
    except ElmoscopeError:
        return None
    if len(sentences) != len(table.sentences) or not all(s.document for s in sentences):
        return None
    return np.unique([s.document for s in sentences], return_inverse=True)[1]


def _stored_sense_space(model: Model, table: OccurrenceTable) -> SenseSpace | None:
    """Return a model's sense space if the table stores its substitutes, so that no sentence must be encoded."""
    space = open_workspace(model).sense_space
    return space if space and space.is_stored(table) else None


def _over_all_words(table: OccurrenceTable, space: str, senses: SenseSpace | None) -> SenseReport:
    if space == SENSES:
        return senses_report_of(table, ALL_WORDS, senses)
    return sense_report_of(table, ALL_WORDS, layer_weights(space, table.meta["layers"]))


def _pace(table: OccurrenceTable, model: Model) -> float:
    """Return tokens per second, of a second pass, in which nothing is new."""
    sentences = [tokens.as_py() for tokens in table.sentences[:SAMPLE]]
    for _ in range(2):
        started = time.perf_counter()
        model.encoder.encode(sentences)
    return sum(map(len, sentences)) / max(1e-9, time.perf_counter() - started)
