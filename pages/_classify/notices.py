"""What the Classify page says of answers: sentences computed from the bars on the screen."""

from collections import Counter

from core.classify.head import Answer
from core.classify.model import variant_titles
from core.common.i18n import t

CLOSE = 0.05  # between the two likeliest classes, below which an answer is none
SAME = 0.005  # of a probability: what rounds to the same per cent


def about_answers(answers: dict[str, Answer], deaf: list[str]) -> list[str]:
    """Who says what, whose answer is too close to call, what ELMo changed, and who knows no word of the text (`deaf`)."""
    titles = variant_titles()
    lines = [_votes(answers, titles)]
    if unsure := [titles[name] for name, answer in answers.items() if _lead(answer) < CLOSE]:
        lines.append(
            t(
                "Too close to call for {classifiers}: its top two are within {points:.0f} points.",
                classifiers=", ".join(unsure),
                points=100 * CLOSE,
            )
        )
    lines += _elmo_s_part(answers, titles)
    if silent := [titles[name] for name in deaf if name in answers]:
        lines.append(t("{classifiers} knows no word of this text; its bar is only its default.", classifiers=", ".join(silent)))
    return lines


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
    """What the answer's probability was before ELMo was joined: of the first pair of which both are there."""
    for alone, joined in (("glove", "glove+elmo"), ("embedding", "embedding+elmo")):
        if alone in answers and joined in answers:
            label = answers[joined].label
            before, after = answers[alone].probabilities[label], answers[joined].probabilities[label]
            values = {"classifier": titles[alone], "label": label, "before": before, "after": after}
            if abs(after - before) < SAME:
                return [t("Adding ELMo to {classifier} changes little: {label} has {after:.0%}.", **values)]
            return [t("Adding ELMo to {classifier} moves {label} from {before:.0%} to {after:.0%}.", **values)]
    return []


def _lead(answer: Answer) -> float:
    """Between the likeliest class and the next; 1 where there is no other."""
    ranked = sorted(answer.probabilities.values(), reverse=True)
    return ranked[0] - ranked[1] if len(ranked) > 1 else 1.0
