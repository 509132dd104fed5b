"""The Results part: the paper's tasks, few labels, the variants of each task, the bundled classifiers, and two checks on the numbers."""

from collections.abc import Sequence

import streamlit as st

from core.classify import experiments, tasks
from core.classify.experiments import EXPERIMENTS
from core.classify.model import variant_titles
from core.common.i18n import say, t
from core.common.significance import LEVEL, format_p, margin, points
from core.elmo.models import BUNDLED_MODEL
from core.figures.classifiers import accuracy_dots
from core.tasks.results import are_current, read_results
from core.views.mix import pulls_of
from pages._cached.cache import keep, workspace_of
from pages._classify.measured import show_curve, show_scores
from pages._classify.paper import show_gain, show_paper
from pages._frame.choices import choice
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import fragment
from pages._widgets import lists
from pages._widgets.charts import draw

COMMAND = "python -m core.lab experiments --data FOLDER"
HEADLINES = ("headlines", "headlines-few", "headlines-to-titles", "titles-to-headlines")
TASKS = ("titles", "titles-more", "titles-all", "news", "news-all", *HEADLINES, "spam", "sentiment", "sentiment2")  # these compare variants


def task_titles() -> dict[str, str]:
    titles = tasks.task_titles()
    return titles | {
        "titles": titles["news-title"],
        "titles-more": t("News titles, more rows"),
        "titles-all": t("News titles, all rows"),
        "news-all": t("News, title and text, all rows"),
        "headlines-few": t("Our headlines, a tenth"),
        "headlines-to-titles": t("Our headlines → AG News"),
        "titles-to-headlines": t("AG News → our headlines"),
    }


def show(in_use: InUse) -> None:
    lines = keep("runs", (), experiments.changed(), experiments.read_results, most=2)
    result = {name: experiments.summary(lines, name) for name in EXPERIMENTS}
    parts = {
        "paper": t("The paper’s tasks"),
        "more": t("Gain and layers"),
        "labels": t("Few labels"),
        "classifiers": t("All classifiers"),
        "shipped": t("Bundled classifiers"),
        "checks": t("Checks"),
    }
    match choice("results_part", t("Part"), parts, "paper", label_visibility="collapsed"):
        case "paper":
            show_paper(result)
        case "more":
            show_gain()
        case "labels":
            show_curve(lines)
        case "classifiers":
            _task({name: rows for name, rows in result.items() if rows})
        case "shipped":
            show_scores()
        case "checks":
            notice(describe_checks(result) or [t("These experiments have not been run.")])
    dates = [line["date"][:10] for line in lines]
    models = ", ".join(sorted({line["model"] for line in lines if line.get("model")}))
    with st.expander(t("More"), icon=":material/terminal:", key="results.more"):
        values = {"n": len(lines), "first": min(dates), "last": max(dates), "models": models}
        source = {"command": COMMAND, "file": "assets/results/classification.jsonl"}
        st.caption(t("{n:,} runs from {first} to {last}, weights {models}, all in `{file}`. Command: `{command}`", **values, **source))
        if old := outdated_titles(lines, read_results()):
            st.caption(t("Measured with earlier training code, so a new run may differ a little: {names}.", names=" · ".join(old)))


def outdated_titles(lines: Sequence[dict], task_runs: Sequence[dict]) -> list[str]:
    """Return the titles of the experiments that have runs of an earlier recipe, in the order of the page's parts."""
    old = {line["experiment"] for line in lines if not experiments.are_current([line])}
    titles = []
    if not are_current(task_runs):
        titles.append(t("The paper’s tasks"))
    if any(name.startswith("context-") for name in old):
        titles.append(t("Few labels"))
    titles += [title for name, title in task_titles().items() if name in old]
    if {"spam-duplicates", "random", "random-copied"} & old:
        titles.append(t("Checks"))
    return titles


@fragment
def _task(result: dict) -> None:
    task_of = task_titles()
    titles = variant_titles()
    names = [name for name in TASKS if name in result]
    st.markdown(t("#### All classifiers by task"))
    name = choice("results_task", t("Task"), {n: task_of.get(n, n) for n in names}, names[0])
    rows = dict(sorted(result[name].items(), key=lambda item: -item[1]["accuracy"]))
    kinds = {titles[v]: experiments.kind_of(v) for v in rows}
    named = ", ".join(f"{titles[v]} {r['accuracy']:.1%}" for v, r in rows.items())
    figure = accuracy_dots({titles[v]: (r["accuracy"], r["spread"]) for v, r in rows.items()}, kinds)
    draw(figure, key=f"results.{name}", alt=t("{task}, accuracy, best first: {named}.", task=task_of.get(name, name), named=named))
    condition = EXPERIMENTS[name].condition  # one that is not listed keeps the English of core.classify.experiments
    notice(describe_task(rows, say(condition[0].upper() + condition[1:])))
    st.caption(t("Input width (32 to 356) and dropout differ too. Few labels changes the input alone."))
    over = workspace_of(BUNDLED_MODEL)
    table = []
    for variant, row in rows.items():
        mix = row["mix"] or {"s": ()}
        learned = (*mix["s"], mix["gamma"]) if row["mix"] else ()
        table.append(
            {
                t("classifier"): titles[variant],
                t("accuracy"): round(row["accuracy"], 4),
                t("± over seeds"): None if row["spread"] is None else round(row["spread"], 4),
                t("macro F1"): round(row["macro_f1"], 4),
                t("seeds"): row["seeds"],
                t("training, s"): round(row["seconds"], 1),
                t("s0, s1, s2, gamma"): ", ".join(f"{number:.2f}" for number in learned),
                t("s × vector length"): ", ".join(f"{part:.0%}" for part in pulls_of(over, mix["s"])),
            }
        )
    lists.offer_table(table, name=f"results-{name}", key="results.task.twin")


def describe_task(rows: dict[str, dict], condition: str) -> list[str]:
    """State which variant is right most often, by how much, and whether the test set is large enough to be sure."""
    titles = variant_titles()
    ranked = sorted(rows, key=lambda v: -rows[v]["accuracy"])
    best = ranked[0]
    n = rows[ranked[0]]["n"]
    values = {"condition": condition, "train": rows[best]["train"], "n": n}
    lines = [t("{condition}: {train:,} training texts, {n:,} test predictions per seed.", **values)]
    level = [v for v in ranked if rows[v]["accuracy"] == rows[best]["accuracy"]]
    values = {"classifier": ", ".join(titles[v] for v in level), "accuracy": rows[best]["accuracy"]}
    if len(level) > 1:
        return [t("Tied for best: <b>{classifier}</b>, {accuracy:.1%}.", **values), *lines]
    lines.insert(0, t("Best: <b>{classifier}</b>, {accuracy:.1%}.", **values))
    runner = next((v for v in ranked if experiments.kind_of(v) != experiments.kind_of(best)), None)
    if runner is None:
        return lines
    gap = rows[best]["accuracy"] - rows[runner]["accuracy"]
    values = {"classifier": titles[runner], "points": points(gap), "texts": max(1, round(gap * n)), "n": n}
    p = experiments.adjusted_p(rows, best).get(runner)
    values["margin"] = 100 * margin(rows[best]["accuracy"], rows[runner]["accuracy"], n)
    is_clear = gap > values["margin"] / 100 if p is None else p < LEVEL
    if p is None:
        verdict = t("beyond the {margin:.1f} of chance", **values) if is_clear else t("up to {margin:.1f} may be chance", **values)
    else:
        verdict = t("beyond chance") if is_clear else t("that may be chance")
        verdict += " " + t("(McNemar’s exact test with Holm, {p})", p=format_p(p))
    values["verdict"] = verdict
    lines.append(t("The next kind, {classifier}, is {points} points behind, {texts:,} of {n:,} texts: {verdict}.", **values))
    if experiments.kind_of(best) == "plain baseline" and is_clear:
        lines.append(t("That is a baseline: no network here pays off on this task."))
    return lines


def describe_checks(result: dict) -> list[str]:
    """Describe how duplicates and random labels change the accuracies in the results by experiment. Return [] if neither was run."""
    lines = []
    names = variant_titles()
    for name in ("tfidf", "mean-elmo"):
        rows = [result.get(experiment, {}).get(name) for experiment in ("spam", "spam-duplicates")]
        if all(rows):
            values = {"classifier": names[name], "clean": rows[0]["accuracy"], "leaking": rows[1]["accuracy"]}
            lines.append(t("With duplicates left in, {classifier} goes from {clean:.2%} to {leaking:.2%} on spam.", **values))
    if lines:
        lines[-1] += " " + t("Duplicates put test messages into training, so they are removed elsewhere.")
    if result.get("random"):
        worst = max(result["random"].values(), key=lambda row: row["accuracy"])
        lines.append(t("With random labels the best variant reaches {accuracy:.1%}; chance is 25%.", accuracy=worst["accuracy"]))
        if copied := result.get("random-copied"):
            highest = max(row["accuracy"] for row in copied.values())
            lines.append(t("With every test text copied into training, it reaches {accuracy:.1%}.", accuracy=highest))
        is_chance = worst["accuracy"] < 0.25 + 3 * (0.25 * 0.75 / worst["n"]) ** 0.5  # three standard errors of pure chance
        lines.append(t("No sign of a leak.") if is_chance else t("That is beyond chance: something leaks."))
    return lines
