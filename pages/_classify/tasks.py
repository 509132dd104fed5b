"""The paper's tasks: the inputs, two answers side by side, and the table."""

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from typing import Any, TypeVar

import streamlit as st

from core.common import i18n
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import Markup, html
from core.figures.classifiers import chain_colors, class_colors, shares_figure
from core.figures.style import GLOVE, LAYER_COLORS
from core.tasks import answers
from core.tasks.answers import Mentioned, OpenTask
from core.tasks.coreference import chains, chosen
from core.tasks.heads import TASKS, measure_titles, task_titles
from core.tasks.inputs import flat
from core.tasks.results import FOLDER, read_results, summaries
from core.tasks.task import Example
from core.text.tokens import pieces
from pages._cached.cache import keep, workspace
from pages._classify.show import example_title
from pages._frame import examples
from pages._frame.choices import choice, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import plain, show_errors, show_html
from pages._frame.menu import page_link
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.inputs import as_you_type, offer_examples

COLORS = {"baseline": GLOVE, "elmo": LAYER_COLORS["2"]}
R = TypeVar("R")
Span = tuple[int, int, str]  # the first and the last token, and a label
READS = ("model", "vectors")
RESULTS = FOLDER / "results.json"
ORDER = ("names", "roles", "entailment", "coreference", "questions", "chunks", "speech")  # the paper's, the simplest first; then others


def _open_tasks(in_use: InUse) -> dict[str, OpenTask]:
    over = workspace(in_use)
    options = {"most": 4, "weighed": False, "meanwhile": t("Opening the heads…")}
    key = RESULTS.stat().st_mtime, i18n.language()  # in which the problems are described
    return keep("task heads", over.reads(*READS), key, lambda: answers.open_tasks(over.model, over.vectors), **options)


def _ask(compute: Callable[..., R], in_use: InUse, task: str, request: Hashable) -> R:
    """Return the cached result of a function of core.tasks.answers with the heads of a task."""
    over = workspace(in_use)
    opened = _open_tasks(in_use)[task]
    key = (task, request, RESULTS.stat().st_mtime)
    kind = f"tasks.{compute.__qualname__}"
    return keep(kind, over.reads(*READS), key, lambda: compute(opened, request, over.model, over.vectors), most=256)


def variant_titles() -> dict[str, str]:
    return {"baseline": t("GloVe and spellings"), "elmo": t("with ELMo")}


def show(in_use: InUse) -> None:
    with show_errors():
        result = _open_tasks(in_use)
        if not result:
            message = t("No trained head fits what is in use. Run: `{command}`", command="python -m core.lab tasks --data FOLDER")
            st.info(message, icon=":material/terminal:")
            notice([t("No prediction yet.")])
            return
        titles = {name: task_titles()[name] for name in ORDER if name in result}
        task = choice("task_of_paper", t("Task"), titles, next(iter(titles)))
        items = examples.tasks()[task]
        names = [example_title(next(iter(item.values())), is_wrong=examples.WRONG in item) for item in items]

        def fill(number: int) -> None:
            st.session_state.update(examples.texts_of(items[number]))

        offer_examples(range(len(items)), f"tasks_example_{task}", fill, format_func=names.__getitem__)
        with show_errors():
            PAGES[task](in_use)
        if problems := result[task].problems:
            st.caption(t("Not run: {problem}", problem=plain(problems[0])))
        page_link("results", t("The paper’s table and ours"), icon=":material/query_stats:")


def _ask_text(key: str, label: str, task: str, **options) -> str:
    """Draw a box that starts with the task's first example and answers while the user types."""
    text = text_box(key, label, examples.tasks()[task][0][key], limits().max_passage, **options)
    as_you_type(label)
    return text


def _tag(task: str, in_use: InUse) -> None:
    """Show the spans of a sentence, of the task's names, chunks or parts of speech."""
    label = {"names": t("Sentence with names"), "chunks": t("Sentence to chunk"), "speech": t("Sentence to tag")}[task]
    _spans(task, in_use, answers.sentence_example(task, _ask_text(f"tasks_{task}", label, task, height=80)))
    if task == "chunks":
        st.caption(t("CoNLL-2000: NP noun phrase, VP verb phrase, PP preposition, ADVP adverb, ADJP adjective, SBAR clause opener."))
    elif task == "speech":
        st.caption(
            t(
                "Penn Treebank’s tags: NN noun, NNP name, VB, VBD, VBP, VBZ verb, JJ adjective, RB adverb, DT article, IN preposition, PRP pronoun."
            )
        )


def _roles(in_use: InUse) -> None:
    example = answers.sentence_example("roles", _ask_text("tasks_roles", t("Sentence with a verb"), "roles", height=80))
    tokens = flat(example.passages[0])
    places = _ask(answers.predicates, in_use, "roles", example)
    titles = {str(k): tokens[k] for k in (places if len(places) > 1 else range(len(tokens)))}
    verb = choice("tasks_verb", t("Whose roles"), titles, str(places[0]))
    _spans("roles", in_use, answers.with_predicate(example, int(verb)))
    st.caption(t("PropBank: ARG0 does it, ARG1 undergoes it, ARG2 often receives it; ARGM-TMP when, ARGM-LOC where, ARGM-MNR how."))


def _spans(task: str, in_use: InUse, example: Example) -> None:
    tokens = flat(example.passages[0])
    by_variant = _ask(answers.ask, in_use, task, example)
    result = {v: [span for span in a if span[2] not in ("V", "C-V")] for v, a in by_variant.items()}
    colors = class_colors(sorted({label for spans in result.values() for _, _, label in spans}), ordered=False)
    words = _span_reader(tokens)
    predicate = [(example.facts.token, example.facts.token, t("what happens"))] if task == "roles" else []

    def draw_variant(variant: str) -> Markup:
        others = [span for v, spans in result.items() if v != variant for span in spans]
        dashed = [span for span in result[variant] if span not in others] if len(result) > 1 else []
        clear = [span for span in result[variant] if not any(span[0] <= verb <= span[1] for verb, _, _ in predicate)]
        return draw_spans(tokens, [*clear, *predicate], colors=colors, dashed=dashed)

    _side_by_side(by_variant, draw_variant)
    if len(result) > 1:
        _notice(task, describe_spans(result["baseline"], result["elmo"], words))
    rows = [{t("reads"): variant_titles()[v], t("words"): words(span), t("is"): span[2]} for v, spans in result.items() for span in spans]
    _offer_table(task, rows)


def _entailment(in_use: InUse) -> None:
    first = _ask_text("tasks_first", t("First sentence"), "entailment")
    second = _ask_text("tasks_second", t("Does this follow from it?"), "entailment")
    by_variant = _ask(answers.ask, in_use, "entailment", answers.pair_example(first, second))
    titles = variant_titles()
    named = {"entailment": t("follows"), "neutral": t("neutral"), "contradiction": t("contradicts")}
    shares = {v: {named[label]: p for label, p in a.items()} for v, a in by_variant.items()}
    message = "; ".join(f"{titles[v]}: " + ", ".join(f"{label} {p:.0%}" for label, p in row.items()) for v, row in shares.items())
    figure = shares_figure([titles[v] for v in shares], list(shares.values()), [COLORS[v] for v in shares])
    draw(figure, key="tasks.entailment", alt=t("Three bars each: {told}.", told=message))
    best = {v: max(row, key=row.get) for v, row in shares.items()}
    if len(best) > 1:
        sure = tuple(shares[v][best[v]] for v in ("baseline", "elmo"))
        _notice("entailment", describe_choice(best["baseline"], best["elmo"], sure))
    _offer_table("entailment", [{t("reads"): titles[v], **{label: round(p, 4) for label, p in row.items()}} for v, row in shares.items()])


def _coreference(in_use: InUse) -> None:
    text = _ask_text("tasks_text", t("Text with pronouns"), "coreference", height=100)
    if not {"clusters", "chunks"} <= set(_open_tasks(in_use)):
        _pronoun(in_use, answers.mentioned(text))
        return
    _chains(in_use, text)
    try:
        mentions = answers.mentioned(text)
    except BadInput:  # no he or she, or no name to refer to
        return
    more = st.expander(t("Which pronoun"), key="tasks_one_pronoun", on_change="rerun")
    if more.open:
        with more:
            _pronoun(in_use, mentions)


def _chains(in_use: InUse, text: str) -> None:
    """Show mentions of the same entity with one color and number, the same for both models."""
    example = _ask(answers.mentions_in, in_use, "chunks", text)
    tokens = flat(example.passages[0])
    by_variant = _ask(answers.ask, in_use, "clusters", example)
    words = _span_reader(tokens)
    result = {v: chains(example, a) for v, a in by_variant.items()}
    first = sorted({chain[0] for chains in result.values() for chain in chains})
    colors = chain_colors(len(first))

    def draw_variant(variant: str) -> Markup:
        others = [chain for v, chains in result.items() if v != variant for chain in chains]
        spans = {(*span, str(first.index(chain[0]) + 1)): chain for chain in result[variant] for span in chain}
        dashed = [span for span, chain in spans.items() if len(result) > 1 and chain not in others]
        return draw_spans(tokens, [*spans], colors=colors, dashed=dashed)

    _side_by_side(by_variant, draw_variant)
    named = {v: [(*chain[0], " = ".join(map(words, chain[1:]))) for chain in chains] for v, chains in result.items()}
    if len(by_variant) > 1:
        _notice("clusters", describe_spans(named["baseline"], named["elmo"], words))
    rows = [
        {t("reads"): variant_titles()[v], t("group"): first.index(chain[0]) + 1, t("words"): " = ".join(map(words, chain))}
        for v, chains in result.items()
        for chain in chains
    ]
    _offer_table("coreference", rows)


def _pronoun(in_use: InUse, mentions: Mentioned) -> None:
    """Show which name a pronoun refers to, with probabilities (heads for GAP)."""
    position = mentions.pronouns[0]
    if len(mentions.pronouns) > 1:
        titles = {str(k): f"{mentions.words((k, k))} ({n})" for n, k in enumerate(mentions.pronouns, 1)}
        position = int(choice("tasks_pronoun", t("Which pronoun"), titles, str(position)))
    by_variant = _ask(answers.ask, in_use, "coreference", mentions.example(position))
    tokens = flat(mentions.passage)
    pronoun = mentions.words((position, position))
    picked = {v: chosen(a) for v, a in by_variant.items()}
    named = {v: mentions.words(mentions.names[k]) if k >= 0 else t("none of them") for v, k in picked.items()}
    differ = len(set(named.values())) > 1

    def draw_variant(variant: str) -> Markup:
        label = f"{pronoun} = {named[variant]}"
        spans = [(position, position, label)] + ([(*mentions.names[picked[variant]], f"← {pronoun}")] if picked[variant] >= 0 else [])
        colors = dict.fromkeys((label, f"← {pronoun}"), COLORS[variant])
        return draw_spans(tokens, spans, colors=colors, dashed=spans if differ else ())

    _side_by_side(by_variant, draw_variant)
    if len(by_variant) > 1:
        sure = tuple(by_variant[v][k] if k >= 0 else 1 - sum(by_variant[v]) for v, k in sorted(picked.items()))
        _notice("coreference", describe_choice(named["baseline"], named["elmo"], sure))
    rows = [
        {t("reads"): variant_titles()[v], t("name"): mentions.words(name), t("refers to it"): round(p, 4)}
        for v, a in by_variant.items()
        for name, p in zip(mentions.names, a, strict=True)
    ]
    _offer_table("pronoun", rows)


def _questions(in_use: InUse) -> None:
    question = _ask_text("tasks_question", t("Question"), "questions")
    paragraph = _ask_text("tasks_paragraph", t("Paragraph"), "questions", height=140)
    example = answers.question_example(question, paragraph)
    by_variant = _ask(answers.ask, in_use, "questions", example)
    spans = example.facts.spans
    places = {v: (spans[a[0]][0], spans[a[1]][1]) for v, a in by_variant.items()}
    differ = len(set(places.values())) > 1
    _side_by_side(by_variant, lambda variant: mark_text(paragraph, *places[variant], is_dashed=differ))
    texts = {v: paragraph[begin:end] for v, (begin, end) in places.items()}
    if len(by_variant) > 1:
        _notice("questions", describe_choice(texts["baseline"], texts["elmo"], tuple(by_variant[v][2] for v in ("baseline", "elmo"))))
    rows = [{t("reads"): variant_titles()[v], t("prediction"): texts[v], t("confidence"): round(a[2], 4)} for v, a in by_variant.items()]
    _offer_table("questions", rows)


PAGES: dict[str, Callable[[InUse], None]] = {
    **{task: partial(_tag, task) for task in ("names", "chunks", "speech")},
    "roles": _roles,
    "entailment": _entailment,
    "coreference": _coreference,
    "questions": _questions,
}


def _span_reader(tokens: Sequence[str]) -> Callable[[Sequence], str]:
    """Return a function that returns the text of a span, from its first to its last token."""
    texts = pieces(tokens)
    return lambda span: "".join(texts[span[0] : span[1] + 1]).strip()


def _side_by_side(by_variant: dict[str, Any], draw_variant: Callable[[str], Markup]) -> None:
    for column, variant in zip(st.columns(len(by_variant)), by_variant, strict=True):
        with column:
            lists.heading(variant_titles()[variant], COLORS[variant])
            show_html("{}", draw_variant(variant))


def _notice(task: str, line: str) -> None:
    """Show what to notice in both answers, after the right answer to an example that ELMo gets wrong."""
    name = "coreference" if task == "clusters" else task
    items = [item for item in examples.tasks()[name] if examples.WRONG in item]
    shown = [item for item in items if all(st.session_state.get(key) == text for key, text in examples.texts_of(item).items())]
    lines = [*(t("ELMo errs here: {right}.", right=item[examples.WRONG]) for item in shown), line]
    if summary := summaries(read_results()).get(task):
        values = {"measure": measure_titles()[TASKS[task].name], "baseline": summary.baseline, "elmo": summary.elmo}
        text = t("On {n:,} unseen examples, {measure}: {baseline:.1%} without ELMo, {elmo:.1%} with it.", n=summary.sizes["test"], **values)
        lines.append(text)
    notice(lines)


def _offer_table(task: str, rows: list[dict]) -> None:
    if rows:
        lists.offer_table(rows, name=task, key=f"tasks.twin.{task}")


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
        return t("Both say <b>{elmo}</b>: {a:.0%} sure without ELMo, {b:.0%} with it.", **values)
    return t("They disagree: <b>{baseline}</b> without ELMo ({a:.0%} sure), <b>{elmo}</b> with it ({b:.0%}).", **values)


def draw_spans(tokens: Sequence[str], spans: Sequence[Span], *, colors: dict[str, str], dashed: Sequence[Span] = ()) -> Markup:
    """Return tokens with a bracket and a label under each span, which may be nested. Those in `dashed` are dashed and marked with ≠."""
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
