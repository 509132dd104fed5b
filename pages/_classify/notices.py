"""Sentences about predictions on the page, of classifiers and of the paper's tasks."""

from collections import Counter
from collections.abc import Callable, Sequence

from core.classify.head import Answer
from core.classify.model import variant_titles
from core.common.i18n import t, tn
from core.tasks.results import Summary

Labeled = tuple[int, int, str]
CLOSE = 0.05  # between the two likeliest classes, below which an answer is none
PAIRS = (("glove", "glove+elmo"), ("embedding", "embedding+elmo"))  # a classifier without ELMo and with it
SAME = 0.005  # of a probability: what rounds to the same per cent


def describe_answers(answers: dict[str, Answer], deaf: list[str], label: str = "") -> list[str]:
    """Write whether ELMo helps with a text, whose `label` may be known; then who says what, and who knows no word of it (`deaf`)."""
    titles = variant_titles()
    lines = [*_describe_help(answers, label), _votes(answers, titles)]
    if unsure := [titles[name] for name, answer in answers.items() if answer.lead < CLOSE]:
        lines.append(
            tn(
                "Too close to call for {classifiers}: its top two are within {points:.0f} points.",
                "Too close to call for {classifiers}: their top two are within {points:.0f} points.",
                len(unsure),
                classifiers=", ".join(unsure),
                points=100 * CLOSE,
            )
        )
    lines += _elmo_s_part(answers, titles)
    if silent := [titles[name] for name in deaf if name in answers]:
        lines.append(t("{classifiers} knows no word of this text; its bar is only its default.", classifiers=", ".join(silent)))
    return lines


def _describe_help(answers: dict[str, Answer], label: str) -> list[str]:
    """Write whether ELMo changes the answer and, where the label is known, whether it helps; [] without a pair of classifiers to compare."""
    pair = next(((alone, joined) for alone, joined in PAIRS if alone in answers and joined in answers), None)
    if pair is None:
        return []
    before, after = (answers[name].label for name in pair)
    values = {"label": label, "before": before, "after": after}
    if not label:
        if before == after:
            return [t("ELMo changes nothing here: <b>{after}</b> with and without it.", **values)]
        return [t("ELMo changes the answer from {before} to <b>{after}</b>.", **values)]
    if after == label:
        if before == label:
            return [t("ELMo does not help here: without it, <b>{label}</b> is right too.", **values)]
        return [t("ELMo helps here: only with it is the answer right, <b>{label}</b>.", **values)]
    if before == label:
        return [t("ELMo hurts here: with it the answer is {after}, not <b>{label}</b>.", **values)]
    return [t("Wrong with and without ELMo: this is <b>{label}</b>.", **values)]


def _votes(answers: dict[str, Answer], titles: dict[str, str]) -> str:
    ranked = Counter(answer.label for answer in answers.values()).most_common()
    each = [t("{classifier} says {label}", classifier=titles[name], label=a.label) for name, a in answers.items()]
    commonest, n = ranked[0]
    if len(answers) == 1:
        return each[0] + "."
    if len(ranked) == 1:
        return t("All {n} say <b>{label}</b>.", n=n, label=commonest)
    if ranked[1][1] == n:
        return t("They disagree: {answers}.", answers=", ".join(each))
    others = [line for line, answer in zip(each, answers.values(), strict=True) if answer.label != commonest]
    values = {"n": n, "all": len(answers), "label": commonest, "others": ", ".join(others)}
    return t("{n} of {all} say <b>{label}</b>; {others}.", **values)


def _elmo_s_part(answers: dict[str, Answer], titles: dict[str, str]) -> list[str]:
    """State the probability of the answer without ELMo, for the first pair with both variants."""
    for alone, joined in PAIRS:
        if alone in answers and joined in answers:
            label = answers[joined].label
            before, after = answers[alone].probabilities[label], answers[joined].probabilities[label]
            values = {"classifier": titles[alone], "label": label, "before": before, "after": after}
            if abs(after - before) < SAME:
                return [t("Adding ELMo to “{classifier}” changes little: {label} has {after:.0%}.", **values)]
            return [t("Adding ELMo to “{classifier}” moves {label} from {before:.0%} to {after:.0%}.", **values)]
    return []


# --- of the paper's tasks ---


def describe_spans(baseline: Sequence[Labeled], elmo: Sequence[Labeled], words: Callable[[Labeled], str]) -> str:
    """State which names or roles only one of the two models finds."""
    only = [sorted(set(a) - set(b)) for a, b in ((baseline, elmo), (elmo, baseline))]
    if not baseline and not elmo:
        return t("Neither finds anything here.")
    if not any(only):
        return t("Both find the same {n}.", n=len(set(elmo)))
    lines = [_list_spans(spans, words) for spans in only]
    if not only[1]:
        return t("Only without ELMo: {found}.", found=lines[0])
    if not only[0]:
        return t("Only with ELMo: {found}.", found=lines[1])
    return t("Only without ELMo: {baseline}; only with ELMo: {elmo}.", baseline=lines[0], elmo=lines[1])


def _list_spans(spans: Sequence[Labeled], words: Callable[[Labeled], str]) -> str:
    """List the first two spans, and the number of the others."""
    text = ", ".join(f"“{words(span)}” ({span[2]})" for span in spans[:2])
    return t("{found} and {n} more", found=text, n=len(spans) - 2) if len(spans) > 2 else text


def describe_choice(baseline: str, elmo: str, sure: tuple[float, float]) -> str:
    """State both answers and their probabilities."""
    values = {"baseline": baseline, "elmo": elmo, "a": sure[0], "b": sure[1]}
    if baseline == elmo:
        return t("Both say <b>{elmo}</b>: {a:.0%} sure without ELMo, {b:.0%} with it.", elmo=values["elmo"], a=sure[0], b=sure[1])
    return t("They disagree: <b>{baseline}</b> without ELMo ({a:.0%} sure), <b>{elmo}</b> with it ({b:.0%}).", **values)


def describe_measure(title: str, summary: Summary | None) -> str:
    """State the test scores of both models."""
    if summary is None:
        return ""
    values = {"measure": title, "baseline": summary.baseline, "elmo": summary.elmo, "n": summary.sizes["test"]}
    return t("On {n:,} unseen examples, {measure}: {baseline:.1%} without ELMo, {elmo:.1%} with it.", **values)
