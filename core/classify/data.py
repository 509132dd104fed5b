"""Split labeled texts into training, validation and test sets that share no text.

Every text is identified by its normal form (case folded, blanks collapsed). A seeded hash of that form ranks the distinct texts,
and shares of this ranking are the splits and the folds, so equal texts are in the same set whatever the order of the file.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..common.errors import BadInput
from ..common.i18n import ENGLISH, t
from ..common.markup import shorten
from ..files.artifacts import text_fingerprint
from ..text import languages
from ..text.languages import Language, say_unread
from ..text.normalization import fold_case
from .tables import Table

MAX_TOKENS = 128  # tokens read of an example; a note counts the examples that are cut
MAX_LABELS = 200
Tokens = tuple[str, ...]
_NUMBER = re.compile(r"-?\d{1,18}")  # a label that is an integer; others, as "--5", are names


@dataclass(frozen=True, slots=True)
class LabeledText:
    """A text as tokens, with its class number."""

    text: str
    tokens: Tokens
    label: int  # number in Dataset.labels


@dataclass(frozen=True, slots=True)
class Dataset:
    """Training, validation and test examples of a task."""

    name: str
    labels: tuple[str, ...]
    train: tuple[LabeledText, ...]
    valid: tuple[LabeledText, ...]
    test: tuple[LabeledText, ...]
    texts: tuple[Tokens, ...] = ()  # distinct token lists of all rows that were read, sorted: no split or share changes them
    notes: tuple[str, ...] = ()
    language: str = ENGLISH  # the code of the one in which the texts were cut into tokens

    @property
    def texts_in_use(self) -> tuple[Tokens, ...]:
        """Return the distinct token lists of the examples, sorted."""
        return tuple(sorted({example.tokens for part in (self.train, self.valid, self.test) for example in part}))

    @property
    def fingerprint(self) -> str:
        """Return the sha256 of every example, its label, its split, and the language unless it is English: the data hash of a result."""
        parts = (("train", self.train), ("valid", self.valid), ("test", self.test))
        cells = (cell for part, examples in parts for e in examples for cell in (part, e.text, str(e.label)))
        language = [] if self.language == ENGLISH else [self.language]
        return text_fingerprint([*language, *self.labels, *cells])


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitConfig:
    """How rows are split if there are no official splits."""

    test_share: float = 0.2  # share of the distinct texts
    valid_share: float = 0.1  # share of the distinct texts outside the test set
    folds: int = 0  # K of K-fold cross-validation; 0: one split
    fold: int = 0  # number of the fold that is the test set
    duplicates: str = "keep"  # or "drop": of equal texts the first stays
    in_order: bool = False  # test on the last rows of the file instead of by hash, as older tutorials do
    share: float = 1.0  # share of the labeled texts used for training and validation; the test set stays complete
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0 < self.test_share < 1 or not 0 < self.valid_share < 1 or not 0 < self.share <= 1:
            values = {"test": self.test_share, "valid": self.valid_share, "share": self.share}
            raise BadInput(t("Shares must lie between 0 and 1, got {test}, {valid} and {share}.", **values))
        if self.folds and not 2 <= self.folds <= 100:
            raise BadInput(f"There can be 2 to 100 folds, got {self.folds}.")


def normal_form(text: str) -> str:
    """Return the form by which equal texts are recognized, ignoring case and the width of blanks."""
    return " ".join(fold_case(text).split())


@dataclass(frozen=True, slots=True, kw_only=True)
class RowRules:
    """Rules for the rows of a task."""

    clean: Callable[[str], str] = str  # each text
    names: Mapping[str, str] = field(default_factory=dict)  # new names of labels, by the casefolded old ones
    order: Sequence[str] = ()  # labels that come first; all others are sorted
    left_out: str | None = None  # the label of rows that are read and used nowhere


def make_dataset(
    name: str,
    table: Table,
    config: SplitConfig,
    *,
    test: Table | None = None,
    valid: Table | None = None,
    extra: Table | None = None,
    rules: RowRules | None = None,
    language: Language | None = None,
) -> Dataset:
    """Return the examples of a labeled table, split by `config`, with official `test` and `valid` tables as they are.

    Texts are tokenized in `language` (English by default). No text is in two sets: training and validation rows with a tested text are
    dropped and counted, as are training rows with a validated text. (If a file is split in its order, training rows may repeat a test text,
    which is noted; validation never contains one.) `extra` rows are only trained on.

    Without a `valid` table, rows of a class without training rows are trained on. Without a `test` table, such test rows are dropped.
    """
    rules = rules or RowRules()
    language = language or languages.get_language(ENGLISH)
    maker = _Maker(rules, language)
    rows_of_tables = [maker.rows(part) if part else [] for part in (table, test, valid, extra)]
    rows, test_rows, valid_rows, extra_rows = ([row for row in part if row.label != rules.left_out] for part in rows_of_tables)
    if config.duplicates == "drop":
        rows = maker.without_duplicates(rows)
    train_rows = rows
    if not test:
        train_rows, test_rows = _split_test(rows, config)
    if valid:
        valid_rows = maker.without(valid_rows, test_rows, "validation", "test")
    else:
        rest, valid_rows = _split_by_rank(_without(train_rows, test_rows), config.valid_share, config.seed, "valid")
        trained = {row.label for row in (*rest, *extra_rows)}
        valid_rows = _without(valid_rows, [row for row in valid_rows if trained and row.label not in trained])  # a rare class is trained on
        train_rows = _without(train_rows, valid_rows)
    train_rows = [*train_rows, *extra_rows]
    labels = _labels(train_rows, rules.order, name)
    if not test:
        test_rows = maker.with_labels(test_rows, labels)
    train_rows = _share(train_rows, config)
    valid_rows = _share(valid_rows, config)
    if config.in_order and not test:
        forms = {row.form for row in train_rows}
        if leaked := sum(row.form in forms for row in test_rows):
            maker.notes.append(f"{leaked:,} of {len(test_rows):,} test rows repeat a training text: file order leaks them.")
    else:
        train_rows = maker.without(train_rows, test_rows, "training", "test")
    train_rows = maker.without(train_rows, valid_rows, "training", "validation")
    splits = [maker.examples(part, labels) for part in (train_rows, valid_rows, test_rows)]
    if not all(splits):
        empty = ", ".join(title for title, part in zip((t("training"), t("validation"), t("test")), splits, strict=True) if not part)
        values = {"name": name, "sets": empty, "n": len(rows)}
        raise BadInput(t("{name} has no row left for these sets: {sets} ({n:,} rows in all). Add some.", **values))
    if len({example.label for example in splits[0]}) < 2:
        values = {"n": len(splits[0]), "name": name}
        raise BadInput(t("The {n:,} training rows of {name} all have the same label. Use a larger share, or add rows.", **values))
    texts = tuple(sorted({row.tokens for part in rows_of_tables for row in part}))
    return Dataset(name, labels, *splits, texts, tuple(maker.notes), language.code)


def shuffled_labels(dataset: Dataset, seed: int) -> Dataset:
    """Return the same texts with labels drawn at random from the training labels. Accuracy above chance on them reveals a leak."""
    pool = [example.label for example in dataset.train]

    def draw_labels(examples: tuple[LabeledText, ...]) -> tuple[LabeledText, ...]:
        return tuple(replace(e, label=pool[int(_rank(normal_form(e.text), seed, "label") * len(pool))]) for e in examples)

    return replace(dataset, train=draw_labels(dataset.train), valid=draw_labels(dataset.valid), test=draw_labels(dataset.test))


def subset(dataset: Dataset, share: float, number: int, *, n_test: int) -> Dataset:
    """Return the `number`th subset of the labeled texts, a tenth for validation, with the same `n_test` test texts for all.

    Training and validation rows of `dataset` are pooled and ranked by their texts and `number` alone, so a smaller share is part of every
    larger one. Equal texts stay together.
    """
    pool = (*dataset.train, *dataset.valid)
    form_of = {example.text: normal_form(example.text) for example in (*pool, *dataset.test)}
    ranked = _rank_forms({form_of[example.text] for example in pool}, number, "subset")
    taken = ranked[: max(2, round(len(ranked) * share))]
    n_valid = max(1, round(len(taken) * 0.1))
    tested = _rank_forms({form_of[example.text] for example in dataset.test}, 0, "tested")[:n_test]

    def select(examples: Sequence[LabeledText], forms: Sequence[str]) -> tuple[LabeledText, ...]:
        chosen = set(forms)
        return tuple(example for example in examples if form_of[example.text] in chosen)

    return replace(dataset, train=select(pool, taken[n_valid:]), valid=select(pool, taken[:n_valid]), test=select(dataset.test, tested))


@dataclass(slots=True)
class _Cut:
    """A row in preparation."""

    text: str
    form: str
    tokens: Tokens
    label: str


class _Maker:
    """Prepares rows and collects notes."""

    def __init__(self, rules: RowRules, language: Language) -> None:
        self.rules, self.language, self.notes = rules, language, []
        self.known: dict[str, str] = {}  # one string for each spelling

    def rows(self, table: Table) -> list[_Cut]:
        result = []
        counts: Counter[str] = Counter()
        n_cut, n_blank = 0, 0
        for row in table.rows:
            text = self.rules.clean(row.text)
            tokens = self.language.tokenize(text)
            counts.update(tokens)
            n_cut += len(tokens) > MAX_TOKENS
            n_blank += not tokens
            if tokens:
                shared = tuple(self.known.setdefault(token, token) for token in tokens[:MAX_TOKENS])
                result.append(_Cut(text, normal_form(text), shared, self.rules.names.get(row.label.casefold(), row.label)))
        self.notes += table.notes
        if text := say_unread(counts, self.language):
            self.notes.append(f"{table.name}: {text}")
        if n_cut:
            self.notes.append(f"{table.name}: {n_cut:,} texts were cut to their first {MAX_TOKENS} tokens.")
        if n_blank:
            self.notes.append(f"{table.name}: {n_blank:,} rows without a word were left out.")
        return result

    def without_duplicates(self, rows: list[_Cut]) -> list[_Cut]:
        first: dict[str, _Cut] = {}
        for row in rows:
            first.setdefault(row.form, row)
        if dropped := len(rows) - len(first):
            unequal = sum(row.label != first[row.form].label for row in rows)
            self.notes.append(f"{dropped:,} rows repeat an earlier text and were dropped ({unequal:,} under another label).")
        return list(first.values())

    def without(self, rows: list[_Cut], held_out: list[_Cut], what: str, part: str) -> list[_Cut]:
        remaining = _without(rows, held_out)
        if dropped := len(rows) - len(remaining):
            self.notes.append(f"{dropped:,} {what} rows whose text is in the {part} set were dropped.")
        return remaining

    def with_labels(self, rows: list[_Cut], labels: tuple[str, ...]) -> list[_Cut]:
        remaining = [row for row in rows if row.label in labels]
        if dropped := len(rows) - len(remaining):
            self.notes.append(t("Test rows dropped because their label has no training row: {n:,}.", n=dropped))
        return remaining

    def examples(self, rows: list[_Cut], labels: tuple[str, ...]) -> tuple[LabeledText, ...]:
        number = {label: k for k, label in enumerate(labels)}
        if unknown := sorted({row.label for row in rows} - set(labels)):
            values = {"label": shorten(unknown[0]), "labels": shorten(", ".join(labels), 200)}
            message = t("The label {label!r} of a test or validation row is not a training label ({labels}). Use the same names.", **values)
            raise BadInput(message)
        return tuple(LabeledText(row.text, row.tokens, number[row.label]) for row in rows)


def _split_test(rows: list[_Cut], config: SplitConfig) -> tuple[list[_Cut], list[_Cut]]:
    if config.in_order:
        if config.folds:
            raise BadInput("Rows are tested on in file order or in folds by hash, not both. Leave one of them out.")
        boundary = round(len(rows) * (1 - config.test_share))
        return rows[:boundary], rows[boundary:]
    if not config.folds:
        return _split_by_rank(rows, config.test_share, config.seed, "test")
    ranked = _rank_forms({row.form for row in rows}, config.seed, "test")
    if len(ranked) < config.folds:
        raise BadInput(f"{len(ranked):,} distinct texts cannot make {config.folds} folds. Ask for fewer, or add rows.")
    fold = {form: k * config.folds // len(ranked) for k, form in enumerate(ranked)}
    return [r for r in rows if fold[r.form] != config.fold], [r for r in rows if fold[r.form] == config.fold]


def _without(rows: list[_Cut], held_out: list[_Cut]) -> list[_Cut]:
    """Return the rows whose text is not held out."""
    forms = {row.form for row in held_out}
    return [row for row in rows if row.form not in forms]


def _split_by_rank(rows: list[_Cut], share: float, seed: int, purpose: str) -> tuple[list[_Cut], list[_Cut]]:
    """Return (rest, the rows whose texts rank first), each in order. At least one text is in the second part."""
    ranked = _rank_forms({row.form for row in rows}, seed, purpose)
    taken = set(ranked[: max(1, round(len(ranked) * share))])
    return [row for row in rows if row.form not in taken], [row for row in rows if row.form in taken]


def _share(rows: list[_Cut], config: SplitConfig) -> list[_Cut]:
    """Return a share of the rows. A smaller share is part of every larger one."""
    return rows if config.share == 1 else _split_by_rank(rows, config.share, config.seed, "share")[1]


def _rank_forms(forms: set[str], seed: int, purpose: str) -> list[str]:
    return sorted(forms, key=lambda form: (_rank(form, seed, purpose), form))


def _rank(form: str, seed: int, purpose: str) -> float:
    """Return a number in [0, 1) determined by the seed and the text."""
    digest = hashlib.sha256(f"{purpose}\0{seed}\0{form}".encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def _labels(rows: list[_Cut], order: Sequence[str], name: str) -> tuple[str, ...]:
    hits = {row.label for row in rows}
    if not hits:
        raise BadInput(t("{name} has no row to train on. A classifier needs at least two labels.", name=name))
    if len(hits) == 1:
        values = {"name": name, "label": shorten(*hits)}
        raise BadInput(t("{name} has only one label, {label!r}. A classifier needs at least two.", **values))
    if len(hits) > MAX_LABELS:
        values = {"name": name, "n": len(hits), "most": MAX_LABELS}
        raise BadInput(t("{name} has {n:,} different labels; at most {most} are taken. Is this the label column?", **values))
    first = [label for label in order if label in hits]
    return (*first, *sorted(hits - set(first), key=lambda label: (0, int(label), label) if _NUMBER.fullmatch(label) else (1, 0, label)))
