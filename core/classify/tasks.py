"""Tasks and trained heads by name: the data of a task, and its heads ready to answer.

A head is looked for in assets/heads/TASK/VARIANT and then in the user's cache. It answers only with the model and vectors that it was
trained on.
"""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path

import numpy as np
import torch

from ..common.config import ASSETS, cache_folder
from ..common.device import PROCESSOR
from ..common.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact
from ..common.i18n import ENGLISH, say, t
from ..common.markup import command, shorten
from ..elmo.models import Model
from ..files import published
from ..learning.features import vectors_fingerprint
from ..learning.folders import read_meta
from ..static.vectors import StaticVectors
from ..text import languages
from ..text.languages import Language
from .data import MAX_TOKENS, Dataset, RowRules, SplitConfig, make_dataset
from .explain import Explanation, explain
from .head import FORM, Answer, TextHead, classify, letters_of, load_head
from .model import VARIANTS, live_layers, variant_named
from .tables import MAX_CHARACTERS, NEUTRAL, SENTIMENT, read_table
from .train import TrainConfig

NEWS = ("World", "Sports", "Business", "Sci/Tech")
_NEWS_NAMES = {str(k): name for k, name in enumerate(NEWS, start=1)} | {name.casefold(): name for name in NEWS}
_WHOLE = {"ag_news/train_subset.csv": "ag_news/train.csv"}  # where it is found, a task trains on it instead
_TWO_SIDES = {"very negative": "negative", "very positive": "positive"}
_APOSTROPHE = re.compile(r"\s?&?#0*(?:39|145|146|8216|8217);")
_ENTITY = re.compile(r"(?:&|(?<!\w))(#\d{2,5}|#x[0-9a-f]{2,5}|quot|amp|lt|gt|nbsp);", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z]{1,10}(?:\s[^<>]{0,400})?/?>", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTask(RowRules):
    """The properties of a task. Any other name is a custom task without special properties."""

    name: str
    title: str
    files: Mapping = field(default_factory=dict)  # train, test, valid -> path in the data folder
    text_columns: tuple[str, ...] = ()  # taken where a file has them
    duplicates: str = "keep"
    analyzer: str = "word"  # TF-IDF's analyzer
    encoding: str | None = None  # of its files if they are not UTF-8; None: detected from their bytes
    bundled: bool = False  # its files are in assets


def clean_ag_news(text: str) -> str:
    r"""Return AG News text as it was meant: its files lost the & of HTML entities and use \ for a line break.

    >>> clean_ag_news("Haiti #39;s second\\team pays  #36;10  quot;now quot; &lt;b&gt;(AP)&lt;/b&gt; &lt;TXN.N&gt;")
    'Haiti\'s second team pays $10 "now " (AP) <TXN.N>'
    """
    text = _APOSTROPHE.sub("'", text.replace("\\", " "))  # the blank before #39; was the lost &
    text = _ENTITY.sub(lambda match: html.unescape(f"&{match[1]};"), text)
    return " ".join(_TAG.sub(" ", text).split())


def counts_from_0(labels: Iterable[str], names: Sequence[str]) -> bool:
    """Return whether files number the classes `names` from 0, as some copies of AG News do, and not from 1 as its publisher.

    They do if a 0 is among the labels. Raises BadInput if the number of classes is a label too: there is then one class too many.
    """
    numbers = {label for label in labels if label.isdecimal()}
    n = len(names)
    if {"0", str(n)} <= numbers:
        values = {"n": n, "below": n - 1, "names": ", ".join(names)}
        raise BadInput(t("Number labels run from 1 to {n} or 0 to {below}; these rows have both 0 and {n}. Use names: {names}.", **values))
    return "0" in numbers


def _sentiment(name: str, title: str, **special) -> TextTask:
    files = {"train": "sst5/train.txt.xz", "valid": "sst5/dev.txt.xz", "test": "sst5/test.txt.xz"}
    return TextTask(name=name, title=title, files=files, order=SENTIMENT, **special)


def _news(name: str, title: str, columns: Sequence[str], **files: str) -> TextTask:
    special = {"names": _NEWS_NAMES, "order": NEWS, "clean": clean_ag_news}
    return TextTask(name=name, title=title, text_columns=tuple(columns), files=files, **special)


TASKS = {
    task.name: task
    for task in (
        replace(_news("headlines", "Our own headlines", ("title", "lead"), train="headlines.csv"), bundled=True, clean=str),
        _news("news", "News, title and text", ("title", "description"), train="ag_news/train_subset.csv", test="ag_news/test.csv"),
        _news("news-title", "News, title alone", ("title",), train="ag_news/test.csv"),
        TextTask(
            name="spam",
            title="Spam",
            files={"train": "sms_spam/spam.csv"},
            order=("ham", "spam"),
            duplicates="drop",
            analyzer="char",
            encoding="latin-1",  # as its publishers read it
        ),
        _sentiment("sentiment", "Sentiment, five grades"),
        _sentiment("sentiment2", "Sentiment, two sides", names=_TWO_SIDES, left_out=NEUTRAL),
    )
}


def task_titles() -> dict[str, str]:
    """Return the titles of TASKS in the selected language."""
    return {name: say(task.title) for name, task in TASKS.items()}


def task_named(name: str) -> TextTask:
    """Return a task of TASKS, or a custom task of that name."""
    if not re.fullmatch(r"\w[\w-]{0,60}", name):
        raise BadInput(t("A task’s name is letters, digits and hyphens, at most 61; got {name!r}.", name=shorten(name)))
    return TASKS.get(name) or TextTask(name=name, title=name)


def open_data(
    task: TextTask,
    train: str | Path,
    *,
    test: str | Path | None = None,
    valid: str | Path | None = None,
    extra: Sequence[str | Path] = (),
    text_columns: Sequence[str | int] = (),
    label_column: str | int | None = None,
    split: SplitConfig | None = None,
    language: Language | None = None,
) -> Dataset:
    """Return the examples of a task from files, tokenized in the language (default: English). `extra` rows are only trained on."""
    reading = {"text_columns": text_columns, "label_column": label_column, "prefer": task.text_columns, "encoding": task.encoding}
    tables = {what: read_table(path, **reading) for what, path in (("test", test), ("valid", valid)) if path}
    if added := [read_table(path, **reading) for path in extra]:
        together = {"rows": tuple(chain(*(item.rows for item in added))), "notes": tuple(chain(*(item.notes for item in added)))}
        tables["extra"] = replace(added[0], name=", ".join(item.name for item in added), **together)
    table = read_table(train, **reading)
    names = dict(task.names)
    if task.order == NEWS and counts_from_0((row.label for part in (table, *tables.values()) for row in part.rows), NEWS):
        names |= {str(k): name for k, name in enumerate(NEWS)}
    split = split or SplitConfig(duplicates=task.duplicates)
    return make_dataset(task.name, table, split, **tables, rules=replace(task, names=names), language=language)


def task_files(task: TextTask, folder: str | Path | None = None) -> dict[str, Path]:
    """Return the files of a task in a folder laid out like ELMOSCOPE_DATA; without one, in that folder, assets or downloads.

    "news" uses the complete train.csv of AG News if it is found. Raises MissingArtifact with how to get a file, CorruptArtifact if one
    changed.
    """
    result = {}
    for what, name in task.files.items():
        complete = _WHOLE.get(name)
        path = (published.find(complete, folder) if complete else None) or published.find(name, ASSETS if task.bundled else folder)
        if path is None:
            raise MissingArtifact(_not_there(task_titles().get(task.name, task.title), name, folder))
        result[what] = path
    return result


def is_here(name: str) -> bool:
    """Return whether this machine has a task's files, unchanged."""
    try:
        return bool(task_files(TASKS[name]))
    except ElmoscopeError:
        return False


def _not_there(title: str, name: str, folder: str | Path | None) -> str:
    """Return which file a task lacks and how to get it."""
    fetched = name if name in published.PUBLISHED else _WHOLE.get(name)
    fetch = command("python", "-m", "core", "fetch", arguments=[published.data_set_of(fetched)]) if fetched else None
    needed = t("{title} needs {file}, which is not there.", title=title, file=fetched or name if folder is None else Path(folder) / name)
    if folder is None:
        remedy = t("Fetch it: {command}", command=fetch) if fetch else t("Name the folder that holds it in ELMOSCOPE_DATA.")
    elif fetch:
        remedy = t("Name its folder, or fetch it ({command}) and name {folder}.", command=fetch, folder=published.fetched_folder())
    else:
        remedy = t("Name the folder that holds it.")
    return f"{needed} {remedy}"


def task_config(task: TextTask, *, seed: int = 0, epochs: int | None = None) -> TrainConfig:
    """Return the default training configuration of a task's heads."""
    config = TrainConfig(analyzer=task.analyzer, seed=seed)
    return config if epochs is None else replace(config, epochs=epochs)


@dataclass(frozen=True, slots=True)
class OpenHeads:
    """The heads of a task that fit the model and vectors in use, and why others do not."""

    task: TextTask
    heads: dict[str, TextHead]
    problems: tuple[str, ...] = ()

    @property
    def language(self) -> Language:
        """Return the language in which the heads' training texts were tokenized."""
        return languages.get_language(next(iter(self.heads.values())).language)

    def tokens(self, text: str) -> tuple[str, ...]:
        """Return the tokens of a text that the heads read. Raises BadInput for a text without tokens."""
        return text_tokens(self.task, text, self.language)

    @property
    def colors_of(self) -> dict:
        """Return the labels as `class_colors` expects them."""
        return {"labels": next(iter(self.heads.values())).labels, "ordered": self.task.name.startswith("sentiment")}


def head_folders(task: str, folder: str | Path | None = None) -> dict[str, list[Path]]:
    """Return the folders of a task's heads by variant: in `folder`, or in assets and then in the cache."""
    roots = [Path(folder)] if folder else [ASSETS / "heads", cache_folder() / "heads"]
    places = {name: [root / task / name for root in roots] for name in VARIANTS}
    result = {name: [place for place in folders if (place / "meta.json").is_file()] for name, folders in places.items()}
    return {name: folders for name, folders in result.items() if folders}


def heads_metas(task: str) -> dict[str, dict]:
    """Return how each head of a task was made and its scores, without opening its weights."""
    return {name: read_meta(places[0], FORM) for name, places in head_folders(task).items()}


def learned_mixes(n_layers: int) -> dict[str, list[float]]:
    """Return the layer shares that the bundled head of each task learned. A head that cannot be read has none."""
    shares = {}
    for task in TASKS:
        with suppress(ElmoscopeError):
            shares[task] = (heads_metas(task).get("elmo", {}).get("mix") or {}).get("s", [])
    return {task: mix for task, mix in shares.items() if len(mix) == n_layers}


def open_heads(
    task: TextTask,
    variants: Sequence[str] = (),
    *,
    model: Model | None,
    vectors: StaticVectors | None,
    folder: str | Path | None = None,
    device: torch.device = PROCESSOR,
) -> OpenHeads:
    """Open the heads of a task that fit this model and these vectors on a device: all, or the `variants` named.

    Raises MissingArtifact if the task has no such head. A named variant that does not fit raises its error.
    """
    for name in variants:
        variant_named(name)
    folders = head_folders(task.name, folder)
    heads, problems = {}, []
    fingerprints = {"model": model and model.fingerprint, "vectors": vectors_fingerprint(vectors) if vectors else None}
    for name in variants or folders:
        try:
            head = _first_that_fits(folders.get(name, []), task.name, name, fingerprints).to(device)
            if (first := next(iter(heads.values()), head)).language != head.language:
                values = {"variant": name, "language": head.language, "other": first.language}
                raise MissingArtifact(t("{variant} reads text as {language}, the others as {other}. Train it again.", **values))
            heads[name] = head
        except (MissingArtifact, CorruptArtifact) as error:
            if variants:
                raise
            problems.append(str(error))
    if not heads:
        name = shorten(task.name)
        if problems:
            raise MissingArtifact(f"{t('No head for the task {task!r} fits this model and these vectors.', task=name)} {problems[0]}")
        raise MissingArtifact(t("There is no trained head for the task {task!r}. Train one: python -m core train --help", task=name))
    return OpenHeads(task, heads, tuple(problems))


def classify_text(
    opened: OpenHeads, text: str, *, model: Model | None, vectors: StaticVectors | None
) -> tuple[tuple[str, ...], dict[str, Answer]]:
    """Return the tokens of a text, prepared like the training texts, and each head's answer. Raises BadInput if it is blank."""
    tokens = opened.tokens(text)
    layers = live_layers(model.encoder) if model else None
    return tokens, classify(opened.heads, tokens, vectors=vectors, layers=layers)


def predictions(opened: OpenHeads, text: str, variants: Sequence[str], *, model: Model, vectors: StaticVectors) -> dict[str, Answer]:
    """Return the answers of the heads of these variants."""
    chosen = replace(opened, heads={name: opened.heads[name] for name in variants})
    return classify_text(chosen, text, model=model, vectors=vectors)[1]


def reasons(opened: OpenHeads, text: str, variant: str, *, model: Model, vectors: StaticVectors) -> Explanation:
    """Explain one head's answer on a text."""

    def layers(texts: Sequence[tuple[str, ...]]) -> list[np.ndarray]:
        return model.encoder.encode([list(tokens) for tokens in texts])  # not cached, because each changed text is read only once

    return explain(opened.heads[variant], opened.tokens(text), vectors=vectors, layers=layers)


def letters(opened: OpenHeads, *, model: Model, vectors: StaticVectors) -> frozenset[str]:
    """Return the letters of the texts that the heads learned from."""
    return letters_of(opened.heads.values(), vectors)


def text_tokens(task: TextTask, text: str, language: Language | None = None) -> tuple[str, ...]:
    """Return the tokens of a text that a head reads, at most MAX_TOKENS (default: English). Raises BadInput for a text without tokens."""
    language = language or languages.get_language(ENGLISH)
    tokens = tuple(language.tokenize(task.clean(text[:MAX_CHARACTERS])))[:MAX_TOKENS]
    if not tokens:
        raise BadInput(t("There is no word to classify. Type a sentence."))
    return tokens


def _first_that_fits(places: list[Path], task: str, name: str, fingerprints: dict) -> TextHead:
    values = {"task": shorten(task), "variant": shorten(name)}
    message = t("There is no trained head for the task {task!r} and variant {variant!r}. Train one: python -m core train --help", **values)
    problem: ElmoscopeError = MissingArtifact(message)
    for place in places:
        try:
            return load_head(place, **fingerprints)
        except (MissingArtifact, CorruptArtifact) as error:
            problem = error
    raise problem
