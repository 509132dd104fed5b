"""The table of the ELMo paper next to similar tasks on open data, and the layers that each task uses."""

import streamlit as st

from core.common.i18n import t
from core.common.markup import Markup, html
from core.figures.classifiers import curves_figure, layer_weights_figure
from core.tasks.heads import TASKS, measure_titles, task_titles
from core.tasks.results import (
    ADDITIONAL,
    COMMAND,
    PAPER,
    PublishedScore,
    Summary,
    curves,
    error_reduction,
    read_results,
    summaries,
    with_spread,
)
from pages._frame.frame import notice
from pages._frame.markup import show_html
from pages._widgets import lists
from pages._widgets.charts import draw

SENTIMENT = ("glove", "glove+elmo")  # the classifiers of the two columns for SST-5


def show_paper(result: dict[str, dict]) -> None:
    """Show the table, what to notice, and tasks that the paper does not have."""
    measured = summaries(read_results())
    titles = task_titles() | {"sentiment": t("Sentiment")}
    st.markdown(t("#### The paper’s table and ours"))
    st.caption(t("Left: table 1 of Peters et al. (2018). Right: similar tasks, open data, elmo-mini. Compare gains, not levels."))
    rows = [_row(titles[name], PAPER[name], measured[name].in_words, measured[name].seeds) for name in PAPER if name in measured]
    sentiment = result.get("sentiment", {})
    if all(name in sentiment for name in SENTIMENT):
        plain, elmo = (sentiment[name] for name in SENTIMENT)
        reduction = error_reduction(plain["accuracy"], elmo["accuracy"])
        scores = with_spread(plain["accuracy"], plain["spread"]), with_spread(elmo["accuracy"], elmo["spread"]), reduction
        rows.append(_row(titles["sentiment"], PAPER["sentiment"], scores, elmo["seeds"]))
    lists.grid(rows)
    of_paper = {name: value for name, value in measured.items() if name in PAPER}
    activities = {  # subjects of sentences
        "questions": t("question answering"),
        "entailment": t("recognizing entailment"),
        "roles": t("labeling semantic roles"),
        "coreference": t("resolving coreference"),
        "names": t("finding names"),
    }
    first, *gains = describe_gains(of_paper, activities)
    notice([first, *describe_paper(of_paper, titles)])
    show_html("<p>{}</p>", Markup("<br>").join(html("{}", line) for line in gains))
    if other_tasks := [_add_task(titles[name], name, value) for name, value in measured.items() if name not in PAPER]:
        st.markdown(t("#### Other tasks"))
        lists.grid(other_tasks)
    lists.offer_table(_details(measured, titles), name="results-paper", key="results.paper.twin", label=t("All numbers"))


def show_gain() -> None:
    runs = read_results()
    measured = summaries(runs)
    titles = task_titles()
    _show_curves(curves(runs), titles)
    places = {"input": t("input"), "output": t("output")}
    weights = {f"{titles[name]}, {places[k]}": mix for name, value in measured.items() for k, mix in value.mixes.items()}
    st.markdown(t("#### Which layers does each task use?"))
    named = "; ".join(f"{name}: {', '.join(f'{s:.2f}' for s in mix)}" for name, mix in weights.items())
    draw(layer_weights_figure(weights), key="results.layers", alt=t("Learned layer weights s_j per task. {named}.", named=named))
    inputs = [value.mixes["input"] for value in measured.values() if "input" in value.mixes]
    n = sum(mix[1] == max(mix) for mix in inputs)
    notice([t("The paper’s figure 2 prefers layer 1 at the input; here {n} of {m} tasks do.", n=n, m=len(inputs))])
    st.caption(t("Learned s_j, mean over seeds, from equal weights."))
    with st.expander(t("More"), icon=":material/terminal:", key="results.paper.more"):
        st.caption(t("Every run: `{file}`. Command: `{command}`", file="assets/tasks/results.json", command=COMMAND))
    columns = [t("layer {layer}", layer=k) for k in range(max(map(len, weights.values())))]
    rows = [{t("task"): name} | {column: round(s, 3) for column, s in zip(columns, mix, strict=False)} for name, mix in weights.items()]
    lists.offer_table(rows, name="results-layers", key="results.layers.twin")


def _row(title: str, paper: PublishedScore, scores: tuple[str, str, float], seeds: int) -> dict:
    """Return a task in the paper and here. `scores` are those without ELMo and with it here, and the reduction of the error."""
    there = error_reduction(paper.baseline / 100, paper.elmo / 100)
    digits = max(len(f"{score:g}".partition(".")[2]) for score in (paper.baseline, paper.elmo))  # as many digits for both
    return {
        t("task"): title,
        t("paper’s task"): f"{paper.data}, {paper.measure}: {paper.baseline:.{digits}f} → {paper.elmo:.{digits}f}",
        t("error reduction, paper"): f"{there:.0%}",
        t("without ELMo"): scores[0],
        t("with ELMo"): scores[1],
        t("error reduction, ours"): f"{scores[2]:.0%}",
        t("seeds"): seeds,
    }


def _show_curves(result: dict[str, list[tuple[int, float, float]]], titles: dict[str, str]) -> None:
    st.markdown(t("#### ELMo’s gain by number of examples"))
    for column, (name, points) in zip(st.columns(len(result)), result.items(), strict=True):
        sizes, plain, elmo = zip(*points, strict=True)
        lines = {t("with ELMo"): list(zip(sizes, elmo, strict=True)), t("without ELMo"): list(zip(sizes, plain, strict=True))}
        y = f"{titles[name]}: {measure_titles()[name]}"
        figure = curves_figure(lines, y=y, percent=True, x=t("training examples"), log_x=True)
        alt = t("{y} with and without ELMo by examples: {sizes}.", y=y, sizes=", ".join(f"{size:,}" for size in sizes))
        with column:
            draw(figure, key=f"results.curve.{name}", alt=alt)
    gains = [(100 * (elmo - plain), titles[name], size) for name, points in result.items() for size, plain, elmo in points]
    gain, task, size = max(gains, key=lambda item: item[0])
    by_task: dict[str, list[str]] = {}
    for points, title, n in gains:
        by_task.setdefault(title, []).append(t("{points:+.1f} at {n:,}", points=points, n=n))
    message = "; ".join(f"{title}: {', '.join(parts)}" for title, parts in by_task.items())
    notice(
        [
            t("ELMo gains most, {points:.0f} points, in {task} with {n:,} examples.", points=gain, task=task, n=size),
            t("ELMo’s gain in points by examples, one seed: {told}.", told=message),
        ]
    )


def _add_task(title: str, name: str, summary: Summary) -> dict:
    plain, elmo, spared = summary.in_words
    return {
        t("task"): title,
        t("data"): ADDITIONAL[name],
        t("measure"): measure_titles()[name],
        t("without ELMo"): plain,
        t("with ELMo"): elmo,
        t("error reduction, ours"): f"{spared:.0%}",
        t("seeds"): t("{n} folds", n=summary.seeds) if TASKS[name].folds else str(summary.seeds),
    }


def describe_gains(measured: dict[str, Summary], titles: dict[str, str]) -> list[str]:
    lines = []
    for name in sorted(measured, key=lambda name: measured[name].baseline - measured[name].elmo):
        points = 100 * (measured[name].elmo - measured[name].baseline)
        values = {"task": titles[name], "points": f"{abs(points):.0f}" if abs(points) >= 2 else f"{abs(points):.1f}"}
        if values["points"] == "0.0":
            lines.append(t("With ELMo, {task} gains nothing.", **values))
        elif points < 0:
            lines.append(t("With ELMo, {task} loses {points} points.", **values))
        elif measured[name].beyond_spread is False:
            lines.append(t("With ELMo, {task} gains {points} points, no more than runs differ.", **values))
        else:
            lines.append(t("With ELMo, {task} gains {points} points.", **values))
    return lines


def describe_paper(measured: dict[str, Summary], titles: dict[str, str]) -> list[str]:
    """State where ELMo leads, where not, and what one seed or the spread over several seeds allows to conclude."""
    ahead = [titles[name] for name, value in measured.items() if value.elmo > value.baseline]
    behind = [titles[name] for name, value in measured.items() if value.elmo <= value.baseline]
    lines = []
    if ahead:
        best = max(measured, key=lambda name: measured[name].error_reduction)
        values = {"tasks": ", ".join(ahead), "most": titles[best], "share": measured[best].error_reduction}
        lines.append(t("ELMo helps: {tasks}. Largest error reduction: <b>{most}</b>, {share:.0%}.", **values))
    if behind:
        lines.append(t("No gain: {tasks}.", tasks=", ".join(behind)))
    if single := [titles[name] for name, value in measured.items() if value.seeds == 1]:
        lines.append(t("One seed only, spread unknown: {tasks}.", tasks=", ".join(single)))
    if within := [titles[name] for name, value in measured.items() if value.beyond_spread is False]:
        lines.append(t("Inconclusive, within the spread of seeds: {tasks}.", tasks=", ".join(within)))
    return lines


def _details(measured: dict[str, Summary], titles: dict[str, str]) -> list[dict]:
    rows = []
    for name, value in measured.items():
        for score in value.others["elmo"]:
            if score in ("gold", "predicted", "right"):
                continue
            has_control = score == value.measure and value.control is not None
            used = " / ".join(f"{value.sizes[part]:,} ({value.n_available[part]:,})" for part in ("train", "dev", "test"))
            rows.append(
                {
                    t("task"): titles[name],
                    t("score"): score,
                    t("without ELMo"): round(value.others["baseline"][score], 4),
                    t("with ELMo"): round(value.others["elmo"][score], 4),
                    t("random labels"): round(value.control, 4) if has_control else None,
                    t("train, dev, test"): used,
                    t("training, s"): round(value.seconds),
                }
            )
    return rows
