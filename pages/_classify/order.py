"""Choose a training: the texts, the variants, the share of the data, and the number of runs."""

from collections.abc import Callable, Hashable
from functools import partial
from pathlib import Path
from typing import TypeVar

import streamlit as st

from core.classify import tasks, trainings
from core.classify.model import variant_titles
from core.classify.tables import read_columns, read_table, selector
from core.classify.trainings import Order
from core.common import i18n
from core.common.errors import BadInput, MissingArtifact
from core.common.i18n import t
from core.common.limits import check_allowed, limits
from core.common.markup import shorten
from core.files import published
from core.text.own_corpus import Source, is_quick
from pages._cached import shared_jobs
from pages._cached.cache import keep
from pages._frame.choices import choice, multiple_choice
from pages._frame.in_use import InUse, show_download
from pages._frame.jobs import Job
from pages._frame.markup import plain, show_errors
from pages._frame.parameters import bound
from pages._frame.uploads import upload_box, upload_limit

OWN = "own"
T = TypeVar("T")
USUAL = ("embedding", "glove", "embedding+elmo", "glove+elmo", "tfidf")
SMALL_BYTES = 5_000_000  # a file up to this size is split as a test before the button is offered
SHARES = (0.01, 0.03, 0.1, 0.3, 1.0)


def choose(in_use: InUse) -> Order | None:
    """Draw the choices and return them. Return None while something is missing, and state what."""
    left, right = st.columns([3, 2], gap="large")
    texts = None
    with left:
        with show_errors():  # the other choices stay if a file cannot be used
            texts = _texts()
        variants = multiple_choice("variants", t("Variants"), variant_titles(), USUAL)
    with right:
        about = t("Used for training and validation. Results shows ELMo’s gain by size.")
        share = st.select_slider(t("Share of training texts"), SHARES, 1.0, format_func="{:.0%}".format, **bound("share"), help=about)
        seeds = st.slider(t("Seeds"), **bound("seeds"), help=t("One training per seed, each from a different random start."))
        about = t("Training stops early after four epochs without a lower validation loss.")
        epochs = st.slider(t("Maximum epochs"), **bound("epochs"), help=about)
    if texts is None:
        return None
    task, title, files, columns = texts
    _check_split(task, files, columns, share)
    if not variants:
        st.info(t("Choose at least one variant."), icon=":material/checklist:")
        return None
    values = {"task": task, "title": title, "files": files, "columns": columns, "share": share, "epochs": epochs}
    return Order(variants=tuple(variants), seeds=tuple(range(seeds)), **values, model=in_use.model, vectors=in_use.vectors)


def _texts() -> tuple[str, str, dict, dict] | None:
    """Return (task, title, files, columns) as chosen, or None while the choice is incomplete."""
    titles = tasks.task_titles() | {OWN: t("Your own file")}
    present = [name for name in tasks.TASKS if tasks.is_here(name)]
    default = present[0] if present else OWN
    task = choice("train_task", t("Texts"), titles, default)
    if task == OWN:
        return _own_file()
    try:
        return task, titles[task], tasks.task_files(tasks.TASKS[task]), {}
    except MissingArtifact as missing:
        st.info(plain(missing), icon=":material/folder_open:")
    if task.startswith("news"):
        if not limits().downloads:
            st.caption(t("Downloads are off on this server (ELMOSCOPE_DOWNLOADS). Choose a listed task."))
        elif st.button(t("Download AG News (31 MB, research use)"), icon=":material/download:", key="get.ag_news"):
            show_download(partial(published.fetch, tuple(published.PUBLISHED)))
    return None


def _own_file() -> tuple[str, str, dict, dict] | None:
    check_allowed("uploads")
    allowed = limits()
    about = t("At most {mb:,} MB and {rows:,} rows.", mb=upload_limit(allowed.max_table_mb), rows=allowed.max_rows)
    files = upload_box("train_file", t("CSV, TSV, Excel or JSONL: texts and labels"), allowed.max_table_mb, help=about)
    if not files:
        st.caption(t('First line `text,label`, then one text per line: `"Great phone, poor battery",mixed`.'))
        return None
    upload, path = files[-1], files[-1].path
    if (columns := _columns(path, upload.number)) is None:
        return None
    as_key = (tuple(columns["text_columns"]), columns["label_column"])
    if (rows := _read_once("own rows", path, as_key, lambda: _rows(path, upload.name, columns))) is None:
        return None
    n, labels, notes = rows
    listed = shorten(", ".join(labels[:8]), 200) + (" …" if len(labels) > 8 else "")
    st.caption(t("{n:,} texts, {classes} classes: {labels}", n=n, classes=len(labels), labels=plain(listed)))
    for note in notes:
        st.caption(plain(note))
    return OWN, upload.name, {"train": path}, columns


def _read_once(kind: str, path: Path, key: Hashable, read: Callable[[], T]) -> T | None:
    """Read a file with `read`, or return the earlier result. Return None while a job reads a large file and the page shows its progress."""
    key = str(path), key, i18n.language()
    if is_quick([Source(path.name, path)]):
        return keep(kind, (), key, read, most=32)

    def work(job: Job) -> T:
        with job.watch_reading(path.stat().st_size):
            return read()

    options = {"failed": t("Reading this file failed. Try another."), "widget": "train.read", "most": shared_jobs.MAX_READINGS}
    return shared_jobs.read_files(kind, key, work, **options)


def _rows(path: Path, name: str, columns: dict) -> tuple[int, list[str], tuple[str, ...]]:
    """Return the number of rows of a file, their labels, and notes on rows that were left out.

    Raises BadInput if they cannot be trained on.
    """
    table = read_table(path, **columns, max_rows=limits().max_rows)
    trainings.check_classes(table, name)
    return len(table.rows), sorted({row.label for row in table.rows}), table.notes


def _columns(path: Path, key: int) -> dict | None:
    """Let the user choose the columns of texts and labels, starting from a guess. Return None while one is missing."""
    if (columns := _read_once("own columns", path, None, lambda: read_columns(path))) is None:
        return None
    numbers = range(1, len(columns.names) + 1)
    names = {k: columns.names[k - 1] or t("column {n}", n=k) for k in numbers}
    if len(numbers) < 2:
        raise BadInput(t("{name} has one column. Put texts and labels in two, separated by commas, semicolons or tabs.", name=path.name))
    text, label = st.columns(2)
    options = {"format_func": names.get, "placeholder": t("Choose a column"), "persist_state": "session"}
    about = t("Several columns are joined, such as title and text.")
    guesses = [k + 1 for k in columns.texts]
    chosen = text.multiselect(t("Column of texts"), numbers, guesses, key=f"text_column.{key}", help=about, **options)
    labels = label.selectbox(t("Column of labels"), numbers, columns.label, key=f"label_column.{key}", **options)
    chosen = [k for k in chosen if k in names and k != labels]
    if not chosen or labels not in names:
        st.info(t("Choose one column of texts and a different one of labels."), icon=":material/table_chart:")
        return None
    return {"text_columns": [selector(columns.names, k) for k in chosen], "label_column": selector(columns.names, labels)}


def _check_split(task: str, files: dict, columns: dict, share: float) -> None:
    """Raise BadInput if the user's small file cannot be trained on."""
    if task != OWN or files["train"].stat().st_size > SMALL_BYTES:
        return
    key = repr((files, columns, share, files["train"].stat().st_mtime_ns, i18n.language()))
    if message := keep("refusal", (), key, lambda: trainings.refusal(task, files, columns, share), most=32):
        raise BadInput(message)
