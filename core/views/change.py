"""Measure how a word's use differs between two corpora or two date ranges, and which words differ most."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.libraries import Frame, frame
from ..common.markup import shorten
from ..common.model_layers import SENSES
from ..common.reports import Report, with_pace
from ..common.significance import LEVEL, benjamini_hochberg
from ..corpus import change, usage_graphs
from ..corpus.change import UseChange
from ..elmo.mix import layer_weights, mixed
from ..index.rows import Occurrence
from ..index.sense_space import LAYER, SenseSpace
from ..senses import clusters
from ..text.normalization import fold_case
from ..text.tokens import bare
from ..workspace import Workspace, reads_as_model, table_key
from .induction import spread_evenly
from .sides import Band, LeftOutSentences, Side, SideTexts, WordTexts, bands_of, choose, find_shared_words, rows_spelled, word_texts

READS = ("model", "corpus")
COUNTED = 80  # sentences from which the number of groups is suggested
MOST_RANKED = 100  # sentences of a side for each word of a list
GROUPS_RANKED = 3  # groups for each word of a list
CONTROLS = 20
PER_GROUP, PER_UNCLEAR = 5, 10  # least mean number of sentences in a group; the same if the vectors suggest no groups
NAMING = 5  # sentences of a group that name it
REPORT_EVERY = 5  # words


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeRequest:
    """A word on two sides, the space in which its sentences are compared, and the number of groups."""

    word: str
    first: Side
    second: Side
    space: str = SENSES  # a layer, "mix" or "senses"
    number: int | None = None  # None: the corpus' labels as groups, else as many groups as the vectors suggest

    @property
    def reads(self) -> tuple[tuple[str, str], ...]:
        """Return (kind, name) of each corpus."""
        return tuple(("corpus", side.corpus) for side in (self.first, self.second) if side.corpus)


@dataclass(frozen=True, slots=True)
class Control:
    """Words of similar frequency, and how many of them differ less than the target word: by APD minus that of shuffled sentences."""

    words: tuple[str, ...]
    below: int


@dataclass(frozen=True, slots=True, eq=False)
class WordChange:
    """The change of a word over n sentences, those of the first side first."""

    word: str
    change: UseChange
    space: str  # the space used, a layer if the model has no sense space
    everything: tuple[int, int]  # all occurrences on each side; `items` may be a sample
    items: list[Occurrence]
    groups: np.ndarray  # (n,); -1 for one without a label among labeled ones
    names: tuple[str, ...]  # names of the groups
    labeled: bool  # whether the groups are the corpus' labels
    clear: bool  # whether the vectors suggest more groups than one
    closeness: np.ndarray  # (n,) to its group
    vectors: np.ndarray  # (n, D) unit rows that are compared
    bands: tuple[Band, ...]
    left_out: LeftOutSentences


@dataclass(frozen=True, slots=True)
class RankedWord:
    """A word of the list."""

    word: str
    change: UseChange
    corrected: float  # p, corrected for as many words as the list has (Benjamini and Hochberg 1995)


def tabulate_ranking(ranked: Sequence[RankedWord]) -> Frame:
    """Return a row for each ranked word."""
    return frame(
        {
            t("word"): [item.word for item in ranked],
            t("first"): [item.change.first for item in ranked],
            t("second"): [item.change.second for item in ranked],
            "PRT": [round(item.change.measures["prt"].value, 3) for item in ranked],
            t("shuffled"): [round(item.change.measures["prt"].null, 3) for item in ranked],
            "APD": [round(item.change.measures["apd"].value, 3) for item in ranked],
            "JSD": [round(item.change.measures["jsd"].value, 3) for item in ranked],
            t("p, corrected"): [round(item.corrected, 4) for item in ranked],
        }
    )


@reads_as_model
def compute(workspace: Workspace, request: ChangeRequest, report: Report | None = None) -> WordChange | None:
    """Return the change of a word, or None while a table is being read. `report` is called while sentences are encoded.

    Raises BadInput for equal sides, and for a word with too few sentences on one side.
    """
    chosen = choose(workspace, request.first, request.second)
    word = fold_case(bare(request.word.strip()))
    space = workspace.sense_space if request.space == SENSES else None
    layer = workspace.layers.top if request.space == SENSES and space is None else request.space
    if (both := word_texts(workspace, chosen, word, space, report)) is None:
        return None
    left_out = replace(chosen.left_out, copies=sum(side.copies for side in both))
    n, m = (len(side.items) for side in both)
    if min(n, m) < change.FEWEST:
        values = {"word": shorten(word), "n": n, "m": m, "least": change.FEWEST}
        message = t("“{word}” is in {n} and {m} sentences; change needs {least} on each side. Choose another word, or add texts.", **values)
        raise BadInput(" ".join([message, *left_out.describe()]))
    items = [o for side in both for o in side.items]
    spellings = [o.tokens[o.position] for o in items]
    vectors, unmapped = _vectors(both, layer, space, word)
    directions = clusters.directions(vectors, spellings)
    labels = [o.sense for o in items]
    labeled = request.number is None and _are_labeled(labels[:n]) and _are_labeled(labels[n:])
    if labeled:
        names, groups = np.unique([label or "" for label in labels], return_inverse=True)
        groups = groups - int(names[0] == "")
        names = names[names != ""]
        clear = len(names) > 1
    else:
        groups, clear = _find_groups(directions, clusters.directions(unmapped, spellings), request.number)
    has_group = groups >= 0
    closeness = np.zeros(len(items))
    closeness[has_group] = clusters.closeness(directions[has_group], groups[has_group])[0]
    if not labeled:
        names = _name_groups(both, items, groups, closeness, space)
    rows = change.evened(vectors, spellings)
    documents = [name for side in both for name in side.documents]
    result = change.change(rows[:n], rows[n:], groups, documents if all(documents) else ())
    return WordChange(
        word=word,
        change=result,
        space=layer,
        everything=(both[0].everything, both[1].everything),
        items=items,
        groups=groups,
        names=tuple(map(str, names)),
        labeled=labeled,
        clear=clear,
        closeness=closeness,
        vectors=rows,
        bands=bands_of(both, groups, len(names)),
        left_out=left_out,
    )


@reads_as_model
def control(workspace: Workspace, request: ChangeRequest, report: Report | None = None) -> Control | None:
    """Return the words of the most similar frequencies, from every token of both sides; None while one is read, and for an absent word."""
    texts = read(workspace, request.first, request.second)
    if texts is None:
        return None
    word = fold_case(bare(request.word.strip()))
    key = tuple(table_key(side.table) for side in texts), request.first, request.second
    shared = dict(workspace.opener.memo.value("words of both sides", key, lambda: find_shared_words(texts, change.FEWEST), most=4))
    if word not in shared:
        return None
    log_counts = np.log(shared.pop(word))
    distances = {
        candidate: float(np.abs(np.log(n) - log_counts).sum()) for candidate, n in shared.items() if clusters.is_telling(candidate)
    }
    nearest = sorted(distances, key=lambda candidate: (distances[candidate], candidate))[:CONTROLS]
    report_pace = with_pace(report)
    leads = []
    for k, spelling in enumerate((word, *nearest)):
        report_pace(k, len(nearest) + 1)
        rows, n, _ = _rows_on_both(texts, spelling, str(LAYER))
        leads.append(change.average_pairwise_distance(rows[:n], rows[n:]) - change.expected_distance(rows))
    return Control(tuple(nearest), sum(lead < leads[0] for lead in leads[1:]))


@reads_as_model
def read(workspace: Workspace, first: Side, second: Side) -> list[SideTexts] | None:
    """Read every token of both sides. None while one is being read. Raises BadInput for equal sides and for missing dates."""
    chosen = choose(workspace, first, second)
    tables = [workspace.opener.every_token(side.corpus, workspace.names.model) for side in chosen.sides]
    return None if None in tables else [chosen.texts(k, table.basic) for k, table in enumerate(tables)]


def rank(
    texts: Sequence[SideTexts], report: Report | None = None, *, at_least: int = 10, max_words: int = 1_000, space: str = str(LAYER)
) -> list[RankedWord]:
    """Return the most frequent words with enough occurrences on each side: those that changed significantly first.

    They are sorted by their lead of PRT over shuffled sentences. Raises BadInput if there is no such word.
    """
    words = [word for word in find_shared_words(texts, at_least) if clusters.is_telling(word)][:max_words]
    if not words:
        raise BadInput(t("No word occurs {n} times on both sides. Lower the count, or add text.", n=at_least))
    report_pace = with_pace(report)
    results = []
    for k, word in enumerate(words):
        if k % REPORT_EVERY == 0:
            report_pace(k, len(words))
        vectors, n, rows = _rows_on_both(texts, word, space)
        groups = clusters.clusters(unit(vectors - vectors.mean(axis=0)), GROUPS_RANKED, starts=1)
        documents = [name for side, side_rows in zip(texts, rows, strict=True) for name in side.documents(side_rows)]
        results.append((word, change.change(vectors[:n], vectors[n:], groups, documents if all(documents) else ())))
    report_pace(len(words), len(words))
    corrected = benjamini_hochberg([item.p for _, item in results])
    ranked = [RankedWord(word, item, float(p)) for (word, item), p in zip(results, corrected, strict=True)]

    def order(item: RankedWord) -> tuple[bool, float]:
        prt = item.change.measures["prt"]
        return item.corrected >= LEVEL, prt.null - prt.value

    return sorted(ranked, key=order)


def describe_groups(result: WordChange) -> str:
    """Say how little the sense groups may mean, or how many sentences lack a label; "" for clear groups of enough sentences."""
    n = len(result.items)
    if n_without := int((result.groups < 0).sum()):
        return t("Sentences without a label, in no group: {n:,}.", n=n_without)
    if result.labeled:
        return ""
    if n < clusters.FEW:
        return t("{n} sentences are few: the sense groups may be chance.", n=n)
    if not result.clear:
        return t("Its sense groups are no clearer than in random clouds.")
    return t("With {n:,} sentences the groups may be grammar or topic, too.", n=n) if n > clusters.MANY else ""


def graph_files(result: WordChange) -> dict[str, str]:
    """Return the word's usage graph as files by name: uses.csv, clusters.csv and judgments.csv."""
    groupings = ["1"] * result.change.first + ["2"] * result.change.second
    groups = result.groups.tolist()
    return {
        "uses.csv": usage_graphs.format_uses(result.word, [(o.tokens, o.position) for o in result.items], groupings),
        "clusters.csv": usage_graphs.format_clusters(result.word, groups),
        "judgments.csv": usage_graphs.format_judgments(result.word, groups, f"elmoscope {result.space}"),
    }


@reads_as_model
def opening_word(workspace: Workspace, request: ChangeRequest) -> str:
    """Return the requested word if both sides have enough of it, else their most frequent content word, or ""."""
    chosen = choose(workspace, request.first, request.second)
    counts = [chosen.counts(k) for k in (0, 1)]
    if None in counts:
        return request.word
    shared = {word: min(n, counts[1].get(word, 0)) for word, n in counts[0].items()}
    if shared.get(fold_case(bare(request.word.strip())), 0) >= change.FEWEST:
        return request.word
    content = [word for word, n in shared.items() if n >= change.FEWEST and clusters.is_telling(word)]
    return min(content, key=lambda word: (-shared[word], word), default="")


def _are_labeled(labels: Sequence[str | None]) -> bool:
    """Return whether at least half of a side's sentences have a label."""
    return 2 * sum(map(bool, labels)) >= len(labels)


def _vectors(both: Sequence[WordTexts], layer: str, space: SenseSpace | None, word: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the vectors (n, D) of both sides, and those in which groups are counted: in the sense space its parts before the map."""
    if layer != SENSES:
        layers = np.concatenate([side.layers() for side in both])  # (n, L, D)
        vectors = mixed(layers, layer_weights(layer, layers.shape[1], senses=True), axis=1)
        return vectors, vectors
    views = np.concatenate([side.views(space) for side in both])
    # The mean of all words is subtracted: without the mean of its own rows, the two prototypes would always be opposite
    return space.place(views, word=word), space.place(views, views.mean(axis=0), word, mapped=False)


def _find_groups(directions: np.ndarray, unmapped: np.ndarray, number: int | None) -> tuple[np.ndarray, bool]:
    """Return the group of each sentence (n,), and whether there are several. Without a number the unmapped vectors suggest it."""
    clear = True
    if number is None:
        suggestion = clusters.suggest(spread_evenly(unmapped, COUNTED))
        clear = suggestion.number > 1
        wanted, size = (suggestion.number, PER_GROUP) if clear else (suggestion.best, PER_UNCLEAR)
        number = min(wanted, max(2, len(directions) // size))
    return clusters.clusters(directions, number), clear


def _name_groups(
    both: Sequence[WordTexts], items: Sequence[Occurrence], groups: np.ndarray, closeness: np.ndarray, space: SenseSpace | None
) -> list[str]:
    """Return names for groups by the substitutes and context words of their typical sentences, as on Senses."""
    forms = {o.word for o in items}
    contexts = [clusters.content_words(o.tokens, o.position, without=forms) for o in items]
    words = clusters.telling_words(contexts, groups, Counter())
    substitutes = [[] for _ in words]
    if space is not None:
        members = [np.flatnonzero(groups == group) for group in range(len(words))]
        typical = np.sort(np.concatenate([rows[np.argsort(-closeness[rows], kind="stable")[:NAMING]] for rows in members]))
        n = len(both[0].items)
        predicted = []
        for side, chosen in ((both[0], typical[typical < n]), (both[1], typical[typical >= n] - n)):
            if len(chosen):
                predicted += side.likeliest(space, chosen, clusters.NAMED_BY)
        if predicted:
            substitutes = clusters.telling_substitutes(predicted, groups[typical])
            substitutes += [[]] * (len(words) - len(substitutes))
    return [clusters.name_of(*telling) for telling in zip(substitutes, words, strict=True)]


def _rows_on_both(texts: Sequence[SideTexts], word: str, layer: str) -> tuple[np.ndarray, int, list[np.ndarray]]:
    """Return a word's unit rows (n, D) on both sides, corrected for spellings, the number on the first side, and each side's table rows."""
    rows = [spread_evenly(side.within(rows_spelled(side.table, word)), MOST_RANKED) for side in texts]
    layers = np.concatenate([side.table.rows.take(spelled) for side, spelled in zip(texts, rows, strict=True)])
    vectors = mixed(layers, layer_weights(layer, layers.shape[1], senses=True), axis=1)
    spellings = [
        side.table.sentences[int(side.table.sentence[k])][int(side.table.position[k])].as_py()
        for side, spelled in zip(texts, rows, strict=True)
        for k in spelled
    ]
    return change.evened(vectors, spellings), len(rows[0]), rows
