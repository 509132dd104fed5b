"""What to notice: where the two agree, where not, and how often each is right on texts they never saw."""

from collections.abc import Callable, Sequence

from core.common.i18n import t
from core.tasks.results import Summary

Labelled = tuple[int, int, str]


def about_spans(baseline: Sequence[Labelled], elmo: Sequence[Labelled], words: Callable[[Labelled], str]) -> str:
    """Of names or roles: what only one of the two finds."""
    only = [sorted(set(a) - set(b)) for a, b in ((baseline, elmo), (elmo, baseline))]
    if not baseline and not elmo:
        return t("Neither finds anything here.")
    if not any(only):
        return t("Both find the same {n}.", n=len(set(elmo)))
    lines = [", ".join(f"“{words(span)}” ({span[2]})" for span in some[:3]) + (" …" if len(some) > 3 else "") for some in only]
    if not only[1]:
        return t("Only without ELMo: {found}.", found=lines[0])
    if not only[0]:
        return t("Only with ELMo: {found}.", found=lines[1])
    return t("Only without ELMo: {baseline}. Only with ELMo: {elmo}.", baseline=lines[0], elmo=lines[1])


def about_choice(baseline: str, elmo: str, sure: tuple[float, float]) -> str:
    """Of one answer each, and how likely each takes its own."""
    values = {"baseline": baseline, "elmo": elmo, "a": sure[0], "b": sure[1]}
    if baseline == elmo:
        return t("Both say <b>{elmo}</b>: {a:.0%} sure without ELMo, {b:.0%} with it.", elmo=values["elmo"], a=sure[0], b=sure[1])
    return t("They disagree: <b>{baseline}</b> without ELMo ({a:.0%} sure), <b>{elmo}</b> with it ({b:.0%}).", **values)


def about_measure(title: str, summary: Summary | None) -> str:
    """How good both are on the test set."""
    if summary is None:
        return ""
    values = {"measure": title, "baseline": summary.baseline, "elmo": summary.elmo, "n": summary.sizes["test"]}
    return t("On {n:,} unseen examples, {measure}: {baseline:.1%} without ELMo, {elmo:.1%} with it.", **values)
