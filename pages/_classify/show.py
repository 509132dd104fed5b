"""The Try it part: a task, a text, the answers of three or all classifiers, and the reasons of one of them."""

from collections import Counter
from collections.abc import Iterable
from functools import partial
from itertools import starmap

import numpy as np
import pandas as pd
import streamlit as st

from core.classify import tasks
from core.classify.data import MAX_TOKENS
from core.classify.explain import Explanation, near_texts
from core.classify.head import Answer, read_and_unread, without_a_word
from core.classify.model import live_layers, variant_descriptions, variant_titles
from core.classify.tables import MAX_CHARACTERS
from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import Markup, shorten
from core.elmo.mix import pulls
from core.figures.classifiers import answers_figure, class_colors, token_marks
from pages._cached import classifiers
from pages._frame import examples
from pages._frame.choices import choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import fragment, plain, show_errors, show_html
from pages._frame.menu import page_link
from pages._widgets import lists
from pages._widgets.charts import draw, weight_bars
from pages._widgets.inputs import as_you_type, offer_examples

LEAST_GAIN = 0.05  # points, below which ELMo adds none
CLOSE = 0.05  # a smaller gap between the two likeliest classes is too close to call
PAIRS = (("glove", "glove+elmo"), ("embedding", "embedding+elmo"))  # a classifier without ELMo and with it
SAME = 0.005  # a smaller difference of probabilities is negligible, even where the percentages differ
FRONT = ("tfidf", "glove", "glove+elmo")  # counts of words, a vector a spelling, vectors in context: the rest on demand


def show(in_use: InUse) -> None:
    task = _task()
    text = _text(task)
    with show_errors():
        opened = classifiers.open_for(task, in_use)
        if not text.strip():
            st.info(t("Type a text, or choose an example."), icon=":material/edit:")
            return
        if not readable(in_use, task, opened, text):
            return
        front = [name for name in FRONT if name in opened.heads]
        names = front if len(front) > 1 else list(opened.heads)[: len(FRONT)]  # a training may have had others
        _answers(in_use, task, opened, text, names)
        if task not in classifiers.own_heads():
            _describe_gain(opened)
        everyone = _all_answers(in_use, task, opened, text, names)
        show_reasons(in_use, task, list(opened.heads) if everyone else names, text)
        page_link("results", t("Accuracy on unseen texts"), icon=":material/query_stats:")


def readable(in_use: InUse, task: str, opened: tasks.OpenHeads, text: str) -> bool:
    """Return whether the classifiers can read a word of the text. State what they cannot read."""
    tokens = opened.language.tokenize(opened.task.clean(text[:MAX_CHARACTERS]))
    letters = classifiers.ask(tasks.letters, task, in_use)
    read, unread = read_and_unread(tuple(tokens[:MAX_TOKENS]), letters)
    if not read:
        message = t("These classifiers know no letter of this text. Type {language}.", language=opened.language.name)
        st.info(message, icon=":material/visibility_off:")
        return False
    if unread:
        listed = ", ".join(unread[:6]) + (" …" if len(unread) > 6 else "")
        st.caption(t("Not read (unknown letters): {words}.", words=plain(listed)))
    if len(tokens) > MAX_TOKENS:
        st.caption(t("Only the first {n} of {all:,} tokens are read.", n=MAX_TOKENS, all=len(tokens)))
    return True


def _task() -> str:
    mine = list(classifiers.own_heads())
    trained = [name for name in tasks.TASKS if any(tasks.head_folders(name).values())]
    names = [*trained, *mine]
    default = "news-title" if "news-title" in names else names[0]
    titles = tasks.task_titles()
    return choice("task", t("Task"), {n: titles.get(n, n) for n in names}, default)


def _text(task: str) -> str:
    mine = classifiers.own_heads().get(task)
    name = mine.opened.task.name if mine else task
    by_task = examples.classify()
    key = f"text_{name if name in by_task else 'own'}"
    prepared = by_task.get(name, {})
    texts = tuple(prepared)
    label = t("Your text")
    if texts:
        titles = {text: example_title(text, is_wrong=examples.WRONG in prepared[text]) for text in texts}
        offer_examples(texts, f"{key}_example", partial(st.session_state.__setitem__, key), format_func=titles.get)
    text = text_box(key, label, texts[0] if texts else "", limits().max_passage, height=80, placeholder=t("Type a headline or message"))
    as_you_type(label)
    return text


def example_title(text: str, *, is_wrong: bool) -> str:
    text = shorten(text, 45)
    return f":material/close: {t('ELMo errs: {text}', text=text)}" if is_wrong else f":material/format_quote: {text}"


def predictions(in_use: InUse, task: str, text: str, names: Iterable[str]) -> dict[str, Answer]:
    return classifiers.ask(tasks.predictions, task, in_use, text, tuple(names))


def _answers(in_use: InUse, task: str, opened: tasks.OpenHeads, text: str, names: list[str]) -> None:
    answers = predictions(in_use, task, text, names)
    show_html('<div class="chips">{}</div>', starmap(lists.chip_of, class_colors(**opened.colors_of).items()))
    _bars(opened, answers, key="classify.answers")
    tokens = opened.tokens(text)
    without_words = without_a_word({name: opened.heads[name] for name in names}, tokens, classifiers.workspace_for(task, in_use).vectors)
    example = examples.classify().get(opened.task.name, {}).get(text, {})
    notice(describe_answers(answers, without_words, example.get("label", "")))


def _describe_gain(opened: tasks.OpenHeads) -> None:
    """Show how many points ELMo adds on unseen texts, and from how many labeled ones its classifiers learned."""
    if not opened.heads.keys() >= set(PAIRS[0]):
        return
    without, joined = (opened.heads[name].meta for name in PAIRS[0])
    if not (without.get("test") and joined.get("test")):
        return
    values = {"points": 100 * (joined["test"]["accuracy"] - without["test"]["accuracy"]), "train": joined["sizes"]["train"]}
    if values["points"] < LEAST_GAIN:
        st.caption(t("ELMo helps when labels are few; here, with {train:,} labeled texts, it does not on average.", **values))
    else:
        st.caption(t("ELMo helps when labels are few; with {train:,} here, it gains {points:.1f} points on unseen texts.", **values))


def _all_answers(in_use: InUse, task: str, opened: tasks.OpenHeads, text: str, front: list[str]) -> bool:
    """Show the bars of all classifiers on request, and offer the table of the visible answers. Return whether all are shown."""
    is_open = False
    if len(opened.heads) > len(front):
        options = {"key": "all", "on_change": "rerun", "bind": "query-params", "icon": ":material/bar_chart:"}
        more = st.expander(t("Compare all {n} classifiers", n=len(opened.heads)), **options)
        is_open = more.open
    answers = predictions(in_use, task, text, opened.heads if is_open else front)
    if is_open:
        with more:
            _bars(opened, answers, key="classify.all")
            seconds = sum(a.seconds for a in answers.values()) + max(a.shared_seconds for a in answers.values())
            st.caption(t("{n:.0f} ms for all predictions.", n=1000 * seconds))
    titles, descriptions = variant_titles(), variant_descriptions()
    table = [
        {t("classifier"): titles[name], t("reads"): descriptions[name], t("prediction"): a.label}
        | {label: round(p, 4) for label, p in a.probabilities.items()}
        | {t("milliseconds"): round(1000 * (a.seconds + a.shared_seconds), 1)}
        for name, a in answers.items()
    ]
    lists.offer_table(table, name="answers", key="classify.twin")
    return is_open


def _bars(opened: tasks.OpenHeads, answers: dict[str, Answer], *, key: str) -> None:
    titles = variant_titles()
    named = ", ".join(f"{titles[name]}: {a.label} {a.probabilities[a.label]:.0%}" for name, a in answers.items())
    shares = [a.probabilities for a in answers.values()]
    figure = answers_figure([titles[name] for name in answers], shares, class_colors(**opened.colors_of))
    draw(figure, key=key, alt=t("Probabilities per classifier. {named}.", named=named))


@fragment
def show_reasons(in_use: InUse, task: str, names: list[str], text: str) -> None:
    st.markdown(t("#### Why?"))
    default = next((name for name in ("glove+elmo", "elmo") if name in names), names[0])
    titles = variant_titles()
    name = choice("why", t("Explain"), {n: titles[n] for n in names}, default)
    result = classifiers.ask(tasks.reasons, task, in_use, text, name, meanwhile=t("Rereading without each word…"))
    heading = t("<p>Which words supported {label} ({share:.0%})?</p>", label=result.label, share=result.probability)
    legend = t('<p class="small">Without a blue word the answer is less likely, without an orange one more likely. Hover: log-odds.</p>')
    show_html("{}{}{}", heading, token_marks(result.tokens, result.occlusion, title=t("for {label}", label=result.label)), legend)
    _context(result)
    if (mine := classifiers.own_heads().get(task)) and name in mine.pooled:
        reads = {"vectors": mine.workspace.vectors, "layers": live_layers(mine.workspace.model.encoder)}
        if rows := near_texts(mine.opened.heads[name], mine.opened.tokens(text), mine.pooled[name], mine.dataset, **reads):
            line = Markup('<div class="kwic"><span class="cosine">{:.3f}</span>{} <b>{}</b></div>')
            lines = [line.format(cosine, shorten(near_text, 300), label) for cosine, near_text, label in rows]
            show_html("{}{}", t("<p>Most similar training rows</p>"), lines)
    _layers(name, result)
    columns = {t("word"): result.tokens, t("change if removed"): result.occlusion}
    if result.context:
        columns[t("without its context")] = result.context
    lists.offer_table(pd.DataFrame(columns).round(3), name=f"reasons-{name}", key="why.twin")


def _context(explanation: Explanation) -> None:
    lines = []
    if explanation.context is not None:
        title = t("for {label}, by its context", label=explanation.label)
        legend = t('<p class="small">Each word’s ELMo vector is replaced by its vector without a sentence.</p>')
        marks = token_marks(explanation.tokens, explanation.context, title=title)
        show_html("{}{}{}", t("<p>What did context add?</p>"), marks, legend)
        change = explanation.context_total
        if change > 0.05:
            lines.append(t("Context supported the prediction ({change:+.2f} log-odds).", change=change))
        elif change < -0.05:
            lines.append(t("Context weakened the prediction ({change:+.2f} log-odds).", change=change))
        else:
            lines.append(t("Context changed little ({change:+.2f} log-odds).", change=change))
    lines.append(
        t(
            "With its words shuffled, {label} gets {share:.0%} on average.",
            label=plain(explanation.label),
            share=explanation.shuffled_probability,
        )
    )
    st.caption(" ".join(lines))


def _layers(name: str, explanation: Explanation) -> None:
    if not explanation.mix:
        return
    left, right = st.columns([2, 3], gap="large", vertical_alignment="center")
    with left:
        weight_bars(explanation.mix["s"], key=f"why.mix.{name}")
    values = {"classifier": variant_titles()[name], "gamma": explanation.mix["gamma"]}
    values["weights"] = ", ".join(f"s{k} = {w:.2f}" for k, w in enumerate(explanation.mix["s"]))
    values["pulls"] = ", ".join(f"{part:.0%}" for part in pulls(np.array(explanation.mix["s"]), np.array(explanation.lengths)))
    right.caption(t("Learned layer weights of {classifier}: {weights}, γ = {gamma:.2f}. Weighted by vector length: {pulls}.", **values))


def describe_answers(answers: dict[str, Answer], without_words: list[str], label: str) -> list[str]:
    """State whether ELMo helps with a text (`label` is the true one, or ""), each answer, and which classifiers know no word of it (`without_words`)."""
    titles = variant_titles()
    lines = []
    pair = next((pair for pair in PAIRS if answers.keys() >= set(pair)), None)
    if pair:
        lines.append(_describe_help(*(answers[name].label for name in pair), label, titles[pair[0]]))
    lines.append(_describe_votes(answers, titles))
    if unsure := ", ".join(titles[name] for name, answer in answers.items() if answer.lead < CLOSE):
        lines.append(t("Too close to call, top two within {points:.0f} points: {classifiers}.", points=100 * CLOSE, classifiers=unsure))
    if pair:
        lines.append(_compare_shares(*(answers[name].probabilities for name in pair), answers[pair[1]].label, titles[pair[0]]))
    if silent := ", ".join(titles[name] for name in without_words if name in answers):
        lines.append(t("No known word in this text; bars that show only a default: {classifiers}.", classifiers=silent))
    return lines


def _describe_help(before: str, after: str, label: str, classifier: str) -> str:
    """State whether ELMo changes the answer of a classifier and, where the label is known, whether it helps."""
    values = {"label": label, "before": before, "after": after, "classifier": classifier}
    if not label:
        if before == after:
            return t("ELMo changes nothing for “{classifier}”: <b>{after}</b> with and without it.", **values)
        return t("ELMo changes the answer of “{classifier}” from {before} to <b>{after}</b>.", **values)
    if after == label:
        if before == label:
            return t("ELMo does not help “{classifier}”: without it, <b>{label}</b> is right too.", **values)
        return t("ELMo helps “{classifier}”: only with it is the answer right, <b>{label}</b>.", **values)
    if before == label:
        return t("ELMo hurts “{classifier}”: with it the answer is {after}, not <b>{label}</b>.", **values)
    return t("“{classifier}” is wrong with and without ELMo: this is <b>{label}</b>.", **values)


def _describe_votes(answers: dict[str, Answer], titles: dict[str, str]) -> str:
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
    return t("{n} of {all} say <b>{label}</b>; {others}.", n=n, all=len(answers), label=commonest, others=", ".join(others))


def _compare_shares(without: dict[str, float], joined: dict[str, float], label: str, classifier: str) -> str:
    """State the probability of a label without ELMo and with it."""
    values = {"classifier": classifier, "label": label, "before": without[label], "after": joined[label]}
    if abs(joined[label] - without[label]) < SAME or f"{joined[label]:.0%}" == f"{without[label]:.0%}":
        return t("Adding ELMo to “{classifier}” changes little: {label} has {after:.0%}.", **values)
    return t("Adding ELMo to “{classifier}” moves {label} from {before:.0%} to {after:.0%}.", **values)
