"""The Train part: the training job, its progress, and the results with their table, confusions and exports."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
import streamlit as st

from core import __version__
from core.classify import tasks
from core.classify.data import Dataset, SplitConfig
from core.classify.head import TextHead
from core.classify.model import VARIANTS, variant_titles
from core.classify.tasks import OpenHeads
from core.classify.train import freeze, make_committee, make_text_fit, run, with_members
from core.classify.trainings import Order, cost, learned_weights, left_of_all, results_rows
from core.common.errors import LEFT, STOPPED
from core.common.i18n import say, t, tn
from core.common.significance import LEVEL, format_p, mcnemar, points
from core.elmo.models import Model
from core.figures.classifiers import curves_figure, layer_weights_figure
from core.notebooks.build import build_notebook
from core.static.vectors import StaticVectors
from pages._cached import cache, classifiers
from pages._cached.cache import workspace_of
from pages._cached.shared_jobs import duration, show_bar
from pages._classify.measured import draw_confusions
from pages._classify.order import choose
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.jobs import Job, add_job, describe_place
from pages._frame.markup import plain, show_errors
from pages._frame.menu import page_link
from pages._widgets import lists
from pages._widgets.charts import draw

FEW_TEXTS = 30  # with fewer test texts, an accuracy means little
RANDOM = ("lstm", "mean", "committee")  # networks with random initialization


@dataclass
class Training:
    """A training for the page: its job, the current step, and the results so far. Only the job's thread writes it."""

    order: Order
    job: Job
    stage: str = ""
    seconds_left: float | None = None  # upper bound to the end of all runs, or of computing the layers
    curves: dict[tuple[str, int], list[dict]] = field(default_factory=dict)  # by variant and seed: the losses of each epoch
    heads: dict[tuple[str, int], TextHead] = field(default_factory=dict)
    pooled: dict[str, np.ndarray] = field(default_factory=dict)  # by network of the first seed: one vector per training text
    dataset: Dataset | None = None
    notes: tuple[str, ...] = ()
    has_layers: bool = False  # the first run has begun

    def start(self, model: Model, vectors: StaticVectors) -> Training:
        failed = t("Training stopped with an error; the terminal shows it. Results so far are kept.")
        self.job.start(lambda job: self.train(model, vectors), failed=failed)
        return self

    def title_of(self, variant: str, seed: int) -> str:
        """Return the title of a run, with its seed if there are several."""
        title = variant_titles()[variant]
        return t("{classifier}, seed {seed}", classifier=title, seed=seed) if len(self.order.seeds) > 1 else title

    def train(self, model: Model, vectors: StaticVectors) -> int:
        """Train all classifiers of the order and return their number. Raises JobEnded after the results of a job that should end."""
        order = self.order
        task = tasks.task_named(self.order.task)
        self.stage = t("Reading the texts")
        split = SplitConfig(share=order.share, duplicates=task.duplicates)
        self.dataset = tasks.open_data(task, split=split, **order.files, **order.columns, language=model.language)
        self.notes = self.dataset.notes
        variants = with_members(VARIANTS[name] for name in order.variants)
        if any(variant.elmo for variant in variants):
            self.stage = t("Computing ELMo’s layers once, for all training runs ({n})", n=len(variants) * len(order.seeds))
        frozen = freeze(variants, self.dataset, model, vectors, report=self._layers)
        runs = [(variant, seed) for seed in order.seeds for variant in variants]
        costs = [cost(variant) for variant, _ in runs]
        self.has_layers, self.seconds_left = True, None
        for number, (variant, seed) in enumerate(runs):
            config = tasks.task_config(task, seed=seed, epochs=order.epochs)
            parts = frozen[variant.name]
            if variant.members:
                members = {name: head for (name, s), head in self.heads.items() if s == seed}
                self.heads[variant.name, seed] = make_committee(variant, members, self.dataset, config, parts)
                continue
            trainer = make_text_fit(variant, self.dataset, config, parts, model.encoder.device)
            self.stage = t("Training {classifier} ({k} of {n})", classifier=self.title_of(variant.name, seed), k=number + 1, n=len(runs))
            for event in run(trainer, stop=self.job.is_over):
                within = (event.epoch - 1 + event.step / event.steps) / event.epochs
                self.job.done = (sum(costs[:number]) + within * costs[number]) / sum(costs)
                self.seconds_left = left_of_all(costs, number, event.seconds, event.seconds_left)
                if event.measures:
                    self._keep_curve(variant.name, seed, getattr(trainer, "history", []))
            head = trainer.finish()
            self._keep_curve(variant.name, seed, head.meta["curve"])
            if seed == order.seeds[0] and variant.network in ("lstm", "mean"):
                tokens = [example.tokens for example in self.dataset.train]
                self.pooled[variant.name] = head.pooled(tokens, vectors=parts.vectors, layers=parts.layers)
            self.heads[variant.name, seed] = head
            self.job.check()  # the checkpoint stays, so that the same order gives the heads at once after a reload
        return len(runs)

    def _keep_curve(self, variant: str, seed: int, history: list[dict]) -> None:
        """Store the epochs of a run, including those of an earlier visit that it resumed."""
        points = ("epoch", "valid_loss", "valid_accuracy")
        self.curves[variant, seed] = [{name: past[name] for name in points} for past in history]

    def _layers(self, done: int, total: int, speed: float) -> None:
        self.job.done = done / max(1, total)
        self.seconds_left = (total - done) / speed if speed else None
        self.job.check()


def show(in_use: InUse) -> None:
    training: Training | None = st.session_state.get("training")
    with show_errors():
        order = choose(in_use)
        is_running = training is not None and training.job.is_running
        if st.button(t("Train"), type="primary", icon=":material/play_arrow:", disabled=order is None or is_running, key="train.go"):
            # Opened before a place in the queue is requested, because they may be missing.
            model, vectors = cache.model(in_use.model), cache.vectors(in_use.vectors)
            training = st.session_state.training = Training(order, add_job()).start(model, vectors)
            training.job.wait(0.3)  # so that a small job's result is on the page at once
            st.rerun()  # draw the button disabled
    if training is None:
        notice([t("Nothing trained in this session yet. The bundled classifiers are on Try it.")])
    elif training.job.is_running:
        _watch(training)
    else:
        # In a container, like the fragment, whose elements it replaces one by one. Elsewhere both would be visible until the run ends.
        with st.container():
            st.empty()  # where the progress was
            _show(training, finished=True)
    show_comparison()


@st.fragment(run_every=1.0)
def _watch(training: Training) -> None:
    if not training.job.is_running:
        st.rerun()  # once, for the complete page: it enables the button and ends the updates
    message = describe_place(training.job) if training.job.began is None else training.stage
    if training.seconds_left is not None:
        time = duration(training.seconds_left)
        message += "; " + (t("at most {time} left", time=time) if training.has_layers else t("{time} left", time=time))
    show_bar(training.job, message, "train.stop", t("The best so far is kept"))
    # The buttons of the results come with the complete page: here, a click could be lost.
    _show(training, finished=False)


def _show(training: Training, *, finished: bool) -> None:
    job = training.job
    if error := t("Stopped: the page was closed.") if job.why_ended == LEFT else job.error:
        st.error(plain(error), icon=":material/error:")
    if job.why_ended == STOPPED and not training.has_layers:
        st.info(t("Stopped before the first epoch. Layers computed so far are kept."), icon=":material/pause_circle:")
    for note in training.notes:
        st.caption(plain(note))
    curves = {training.title_of(*run): list(points) for run, points in dict(training.curves).items() if len(points) > 1}
    if curves:
        panels = (("valid_loss", t("validation loss, nats"), False), ("valid_accuracy", t("validation accuracy"), True))
        for column, (key, title, percent) in zip(st.columns(2, gap="large"), panels, strict=True):
            lines = {name: [(point["epoch"], point[key]) for point in points] for name, points in curves.items()}
            figure = curves_figure(lines, y=title, percent=percent)
            alt = t("{what} by epoch: {names}.", what=title, names=", ".join(lines))
            with column:
                draw(figure, key=f"train.{key}", alt=alt)
    if training.heads:
        show_results(training, finished=finished)


def show_results(training: Training, *, finished: bool) -> None:
    result = dict(training.heads)
    table = pd.DataFrame(results_rows(result)).dropna(axis=1, how="all")
    st.markdown(t("#### On unseen texts: {name}", name=plain(training.order.title)))
    shown = _show_table(table)
    notice(describe_training(result))
    if learned := learned_weights(result):
        st.markdown(t("**Learned layer weights** s_j, mean over seeds"))
        named = "; ".join(f"{name}: {', '.join(f'{s:.2f}' for s in row)}" for name, row in learned.items())
        draw(layer_weights_figure(learned), key="train.layers", alt=t("Learned layer weights s_j. {named}.", named=named))
    variants = list(dict.fromkeys(v for v, _ in result))
    name = st.selectbox(t("Confusions"), variants, format_func=variant_titles().get, key="train_confusion") or variants[0]
    head = next((head for (variant, _), head in result.items() if variant == name), result[next(iter(result))])
    draw_confusions(variant_titles()[name], head.meta["test"]["confusion"], head.labels, key=f"train.confusion.{name}")
    if finished:
        lists.offer_table(shown, name=f"training-{training.order.task}", key="train.twin", label=t("Export table"))
        _actions(training, table)


def _show_table(table: pd.DataFrame) -> pd.DataFrame:
    """Show a table with its columns in the language of the interface, and return it. The F1 of a class has the name of the class."""
    titles = {column: column if column.startswith("F1 ") else say(column) for column in table.columns}
    shares = [title for c, title in titles.items() if c in ("accuracy", "± over seeds", "macro F1") or c.startswith("F1 ")]
    table = table.assign(classifier=table["classifier"].map(variant_titles())).rename(columns=titles)
    lists.grid(table, column_config=dict.fromkeys(shares, st.column_config.NumberColumn(format="percent")))
    return table


def describe_training(result: dict[tuple[str, int], TextHead]) -> list[str]:
    """State which classifier is right most often on the test texts, and whether its lead may be chance. `result`: (variant, seed) -> head."""
    right = {name: np.stack([head.right for (v, _), head in result.items() if v == name]) for name, _ in result}  # (S, N) each
    titles = variant_titles()
    share = {name: float(rows.mean()) for name, rows in right.items()}
    ranked = sorted(right, key=lambda name: -share[name])
    best = ranked[0]
    n = right[ranked[0]].shape[1]
    values = {"accuracy": share[best], "n": n}
    level = [name for name in ranked if right[name].sum() * len(right[best]) == right[best].sum() * len(right[name])]
    if len(level) > 1:
        values["classifiers"] = ", ".join(titles[name] for name in level)
        lines = [t("Tied: {classifiers}, {accuracy:.1%} of {n:,} test texts.", **values)]
    elif len(ranked) > 1:
        lines = [t("Best: <b>{classifier}</b>, {accuracy:.1%} of {n:,} test texts.", classifier=titles[best], **values)]
        lines.append(_lead(titles, right, best, ranked[1], share[best] - share[ranked[1]]))
    else:
        lines = [t("<b>{classifier}</b>: {accuracy:.1%} of {n:,} test texts.", classifier=titles[best], **values)]
    if n < FEW_TEXTS:
        lines.append(t("Too few test texts to judge: add rows."))
    elif len(ranked) > 1 and min(map(len, right.values())) == 1 and any(VARIANTS[name].network in RANDOM for name in ranked[:2]):
        lines.append(t("More seeds would show the spread of random starts."))
    return lines


def _lead(titles: dict[str, str], right: dict[str, np.ndarray], best: str, second: str, gap: float) -> str:
    test = mcnemar(right[best], right[second])
    values = {"classifier": titles[second], "points": points(gap), "first": test.first, "second": test.second}
    values["verdict"] = t("is beyond chance") if test.p < LEVEL and test.first > test.second else t("may be chance")
    line = t("Its lead of {points} points over {classifier} {verdict}: {first:,} texts better, {second:,} worse", **values)
    return f"{line} ({t('McNemar’s exact test, {p}', p=format_p(test.p))})."


def _actions(training: Training, table: pd.DataFrame) -> None:
    add, use, notebook_, place = (*st.columns(3), st.container())
    order = training.order
    if add.button(t("Add to comparison"), key="train.add", icon=":material/add:", width="stretch"):
        condition = {
            "texts": order.title,
            "model": order.model,
            "vectors": order.vectors,
            "share": order.share,
            "epochs at most": order.epochs,
        }
        comparison = st.session_state.setdefault("comparison", [])
        cells = table.astype(object).where(table.notna(), None)  # NaN differs from itself
        comparison.extend(row for row in ({**condition, **row} for row in cells.to_dict("records")) if row not in comparison)
    if use.button(t("Use on Try it"), key="train.use", icon=":material/category:", width="stretch"):
        mine = {variant: head for (variant, s), head in training.heads.items() if s == order.seeds[0]}
        opened = OpenHeads(tasks.task_named(order.task), mine)
        title = t("{texts}, trained here", texts=order.title)
        over = workspace_of(order.model, order.vectors)
        title, dropped = classifiers.hold(title, classifiers.Trained(opened, training.dataset, over, dict(training.pooled)))
        label = t("Listed there as “{title}”", title=plain(title))
        page_link("classify", label, query_params={"task": title}, icon=":material/arrow_forward:", place=place)
        if dropped:
            place.caption(t("“{title}” is no longer listed there.", title=plain(dropped)))
    name = f"train-{order.task}.ipynb"
    mime = "application/x-ipynb+json"
    lists.download(t("Training notebook"), notebook(order), name, mime, key="train.notebook", place=notebook_, width="stretch")


def notebook(order: Order) -> str:
    """Return a Jupyter notebook as JSON that runs the order's command and shows its table.

    An uploaded file has its owner's name, never a path.
    """
    names = ", ".join(variant_titles()[name] for name in order.variants)
    about = t("{texts}: {variants}. Run it where Elmoscope is installed, or in its folder.", texts=plain(order.title), variants=names)
    if order.task == "own":
        order = replace(order, files=dict.fromkeys(order.files, order.title))
        about += " " + t("Put your file’s path into the command.")
    options = {"opening": about, "metadata": {"view": "train", "version": __version__}}
    return build_notebook("classifiers", ("ordered",), ("command",), {"command": order.command}, **options)


def show_comparison() -> None:
    if rows := st.session_state.get("comparison"):
        st.markdown(t("#### Comparison"))
        lists.offer_table(_show_table(pd.DataFrame(rows)), name="comparison", key="train.comparison", label=t("Export comparison"))
        with st.popover(t("Clear comparison"), icon=":material/delete:"):
            st.write(tn("This removes {n} row. You cannot undo it.", "This removes {n} rows. You cannot undo it.", len(rows)))
            st.button(t("Clear"), key="train.empty", on_click=lambda: st.session_state.update(comparison=[]))
