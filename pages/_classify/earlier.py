"""Of the Results page: an earlier experiment beside ours, and two checks on the numbers."""

import pandas as pd
import streamlit as st

from core.classify.model import variant_titles
from core.common.i18n import t
from core.common.significance import margin
from core.experiments import variants
from pages._frame.frame import notice
from pages._frame.markup import show_html
from pages._widgets import lists


def _accuracy(result: dict, experiment: str, variant: str) -> float | None:
    return result.get(experiment, {}).get(variant, {}).get("accuracy")


def _gain(result: dict, experiment: str, plain: str, joined: str) -> str:
    before, after = _accuracy(result, experiment, plain), _accuracy(result, experiment, joined)
    if None in (before, after):
        return t("not run yet")
    values = {"points": 100 * (after - before), "before": before, "after": after}
    return t("{before:.2%} to {after:.2%}: {points:+.2f} points", **values)


def _share(value: float | None) -> str:
    return t("not run yet") if value is None else f"{value:.2%}"


def show_earlier(result: dict) -> None:
    st.markdown(t("#### An earlier experiment, repeated"))
    show_html(
        "{}",
        t('<p class="small">It ran once, with ELMo’s published weights. Ours are means over seeds, with the smaller bundled model.</p>'),
    )
    n = {name: next(iter(rows.values()), {}).get("seeds", 0) for name, rows in result.items()}
    titles, spam = t("titles, six folds, {n} seeds", n=n["titles"]), t("no duplicates, {n} seeds", n=n["spam"])
    embedding, glove = (_gain(result, "titles", plain, f"{plain}+elmo") for plain in ("embedding", "glove"))
    unfrozen, tfidf = _share(_accuracy(result, "titles", "glove-unfrozen")), _share(_accuracy(result, "spam", "tfidf"))
    once, twenty = (_share(_accuracy(result, f"spam-{n}", "mean-elmo")) for n in ("one-epoch", "twenty-epochs"))
    rows = [
        (t("nn.Embedding + ELMo over nn.Embedding"), t("0.73 points more"), embedding, titles),
        (t("GloVe + ELMo over GloVe"), t("1.1 points more"), glove, titles),
        (t("GloVe, unfrozen"), "86.47%", unfrozen, titles),
        (t("Spam, mean ELMo, one epoch"), "97.76%", once, spam),
        (t("Spam, mean ELMo, 20 epochs"), t("98.07 and 98.16%"), twenty, spam),
        (t("Spam, TF-IDF and logistic regression"), t("not tried"), tfidf, t("no duplicates")),
    ]
    table = pd.DataFrame(rows, columns=[t("experiment"), t("earlier"), t("ours"), t("our condition")])
    lists.grid(table)
    lines = []
    names = variant_titles()
    gains = {
        plain: _accuracy(result, "titles", f"{plain}+elmo") - _accuracy(result, "titles", plain)
        for plain in ("embedding", "glove")
        if None not in (_accuracy(result, "titles", plain), _accuracy(result, "titles", f"{plain}+elmo"))
    }
    if gains:
        best = max(gains, key=gains.get)
        lines.append(
            t("ELMo helps <b>{classifier}</b> most on titles: {points:+.1f} points.", classifier=names[best], points=100 * gains[best])
        )
    tfidf = _accuracy(result, "spam", "tfidf")
    networks = result["spam"]
    best_network = max((name for name in networks if name not in variants.BASELINES), key=lambda v: networks[v]["accuracy"], default=None)
    if tfidf is not None and best_network:
        lines.append(_on_spam(tfidf, networks[best_network]["accuracy"], names[best_network], networks[best_network]["n"]))
    notice(lines or [t("These experiments have not been run.")])
    lists.twin(table, name="earlier-experiment", key="results.earlier")


def _on_spam(tfidf: float, ours: float, classifier: str, n: int) -> str:
    """The accuracies of counts and of the best that learns from vectors on n messages; `classifier` is its title."""
    values = {"tfidf": tfidf, "ours": ours, "classifier": classifier}
    if min(tfidf, ours) <= 0.9816:
        return t("On spam, TF-IDF with logistic regression reaches {tfidf:.2%}, the best network {ours:.2%}.", **values)
    if tfidf >= ours:
        line = t(
            "On spam, TF-IDF with logistic regression ({tfidf:.2%}) beats the best network, {classifier} ({ours:.2%}); the earlier experiment had 98.16%.",
            **values,
        )
    else:
        line = t(
            "On spam, the best network, {classifier} ({ours:.2%}), beats TF-IDF with logistic regression ({tfidf:.2%}); the earlier experiment had 98.16%.",
            **values,
        )
    messages = round(abs(ours - tfidf) * n)
    if abs(ours - tfidf) <= margin(tfidf, ours, n):
        return line + " " + t("They differ by {messages} of {n:,} messages: that may be chance.", messages=messages, n=n)
    return line + " " + t("They differ by {messages} of {n:,} messages.", messages=messages, n=n)


def show_checks(result: dict) -> None:
    if lines := describe_checks(result):
        st.markdown(t("#### Can these numbers be trusted?"))
        notice(lines)


def describe_checks(result: dict) -> list[str]:
    """What duplicates and random labels do to the accuracies, of experiments by name; [] where neither was run."""
    lines = []
    names = variant_titles()
    for name in ("tfidf", "mean-elmo"):
        clean, leaking = _accuracy(result, "spam", name), _accuracy(result, "spam-duplicates", name)
        if None not in (clean, leaking):
            lines.append(
                t(
                    "With duplicates left in, {classifier} goes from {clean:.2%} to {leaking:.2%} on spam.",
                    classifier=names[name],
                    clean=clean,
                    leaking=leaking,
                )
            )
    if lines:
        lines[-1] += " " + t("Duplicates put test messages into training, so they are removed elsewhere.")
    if result.get("random"):
        worst = max(result["random"].values(), key=lambda row: row["accuracy"])
        room = 3 * (0.25 * 0.75 / worst["n"]) ** 0.5  # three standard errors of pure chance
        lines.append(t("With random labels the best variant reaches {accuracy:.1%}; chance is 25%.", accuracy=worst["accuracy"]))
        if copied := result.get("random-copied"):
            highest = max(row["accuracy"] for row in copied.values())
            lines.append(t("With every test text copied into training, it reaches {accuracy:.1%}.", accuracy=highest))
        if worst["accuracy"] < 0.25 + room:
            lines.append(t("No sign of a leak."))
        else:
            lines.append(t("That is beyond chance: something leaks."))
    return lines
