"""Show two checks on the numbers of the Results page: duplicate messages, and random labels."""

import streamlit as st

from core.classify.model import variant_titles
from core.common.i18n import t
from pages._frame.frame import notice


def show_checks(result: dict) -> None:
    st.markdown(t("#### Can these numbers be trusted?"))
    notice(describe_checks(result) or [t("These experiments have not been run.")])


def describe_checks(result: dict) -> list[str]:
    """Describe how duplicates and random labels change the accuracies in the results by experiment. Return [] if neither was run."""
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


def _accuracy(result: dict, experiment: str, variant: str) -> float | None:
    return result.get(experiment, {}).get(variant, {}).get("accuracy")
