"""Sentences about predictions, and labeled spans as brackets under words."""

from collections import Counter
from collections.abc import Callable, Sequence

from core.classify.head import Answer
from core.classify.model import variant_titles
from core.common.i18n import t, tn
from core.common.markup import Markup, html
from core.tasks.results import Summary
from core.text.tokens import pieces

Span = tuple[int, int, str]  # the first and the last token, and a label
CLOSE = 0.05  # a smaller gap between the two likeliest classes is too close to call
PAIRS = (("glove", "glove+elmo"), ("embedding", "embedding+elmo"))  # a classifier without ELMo and with it
SAME = 0.005  # of a probability: what rounds to the same per cent


def describe_answers(answers: dict[str, Answer], deaf: list[str], label: str = "") -> list[str]:
    """State whether ELMo helps with a text (with the true `label`, if known), each answer, and which classifiers know no word of it (`deaf`)."""
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
    pair = next(((plain, joined) for plain, joined in PAIRS if plain in answers and joined in answers), None)
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
    votes = [t("{classifier} says {label}", classifier=titles[name], label=a.label) for name, a in answers.items()]
    commonest, n = ranked[0]
    if len(answers) == 1:
        return votes[0] + "."
    if len(ranked) == 1:
        return t("All {n} say <b>{label}</b>.", n=n, label=commonest)
    if ranked[1][1] == n:
        return t("They disagree: {answers}.", answers=", ".join(votes))
    others = [line for line, answer in zip(votes, answers.values(), strict=True) if answer.label != commonest]
    values = {"n": n, "all": len(answers), "label": commonest, "others": ", ".join(others)}
    return t("{n} of {all} say <b>{label}</b>; {others}.", **values)


def _elmo_s_part(answers: dict[str, Answer], titles: dict[str, str]) -> list[str]:
    """State the probability of the answer without ELMo, for the first pair with both variants."""
    for plain, joined in PAIRS:
        if plain in answers and joined in answers:
            label = answers[joined].label
            before, after = answers[plain].probabilities[label], answers[joined].probabilities[label]
            values = {"classifier": titles[plain], "label": label, "before": before, "after": after}
            if abs(after - before) < SAME:
                return [t("Adding ELMo to “{classifier}” changes little: {label} has {after:.0%}.", **values)]
            return [t("Adding ELMo to “{classifier}” moves {label} from {before:.0%} to {after:.0%}.", **values)]
    return []


# --- of the paper's tasks ---


def describe_spans(baseline: Sequence[Span], elmo: Sequence[Span], words: Callable[[Span], str]) -> str:
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


def _list_spans(spans: Sequence[Span], words: Callable[[Span], str]) -> str:
    text = ", ".join(f"“{words(span)}” ({span[2]})" for span in spans[:2])
    return t("{found} and {n} more", found=text, n=len(spans) - 2) if len(spans) > 2 else text


def describe_choice(baseline: str, elmo: str, sure: tuple[float, float]) -> str:
    values = {"baseline": baseline, "elmo": elmo, "a": sure[0], "b": sure[1]}
    if baseline == elmo:
        return t("Both say <b>{elmo}</b>: {a:.0%} sure without ELMo, {b:.0%} with it.", elmo=values["elmo"], a=sure[0], b=sure[1])
    return t("They disagree: <b>{baseline}</b> without ELMo ({a:.0%} sure), <b>{elmo}</b> with it ({b:.0%}).", **values)


def describe_measure(title: str, summary: Summary | None) -> str:
    if summary is None:
        return ""
    values = {"measure": title, "baseline": summary.baseline, "elmo": summary.elmo, "n": summary.sizes["test"]}
    return t("On {n:,} unseen examples, {measure}: {baseline:.1%} without ELMo, {elmo:.1%} with it.", **values)


def draw_spans(tokens: Sequence[str], spans: Sequence[Span], *, colors: dict[str, str], dashed: Sequence[Span] = ()) -> Markup:
    """Return tokens with a bracket and a label under each span. Spans may be nested; those in `dashed` are dashed and marked with ≠.

    The label is always written, so that nothing depends on color alone.
    """
    words = pieces(tokens)

    def draw_span(first: int, last: int, within: Sequence[Span]) -> list[Markup | str]:
        parts: list[Markup | str] = []
        k = first
        while k <= last:
            outer = max((span for span in within if span[0] == k and span[1] <= last), key=lambda span: span[1], default=None)
            if outer is None:
                parts.append(words[k].lstrip() if k == first else words[k])
                k += 1
                continue
            only = outer in dashed
            parts.append(
                html(
                    ' <span class="span{}" style="--c:{}"><span class="words">{}</span><span class="label">{}{}</span></span> ',
                    " alone" if only else "",
                    colors.get(outer[2], "#7F7F7F"),
                    draw_span(k, outer[1], [span for span in within if span != outer]),
                    "≠ " if only else "",
                    outer[2],
                )
            )
            k = outer[1] + 1
        return parts

    return html('<div class="spans">{}</div>', draw_span(0, len(tokens) - 1, spans))


def mark_text(text: str, begin: int, end: int, *, is_dashed: bool) -> Markup:
    mark = html("<mark{}>{}{}</mark>", " class=alone" if is_dashed else "", "≠ " if is_dashed else "", text[begin:end])
    return html('<div class="spans" style="line-height:1.7">{}{}{}</div>', text[:begin], mark, text[end:])
