"""The Spelling page's classifiers: what each still says of a text as its letters are disturbed, and how often it is right."""

import pandas as pd
import streamlit as st

from core.classify import tasks
from core.classify.model import variant_titles
from core.classify.tables import MAX_CHARACTERS
from core.common.errors import MissingArtifact
from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import Markup, html
from core.experiments.typing_errors import SHARES, NoisyAnswer, noisy_tokens, read_accuracy, under_noise
from core.figures.spelling import noise_figure
from pages._cached import classifiers
from pages._classify.show import offer_examples, readable
from pages._classify.typing_accuracy import show_accuracy
from pages._frame import examples
from pages._frame.choices import BOUND, choice, coded_choices, text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._widgets import lists
from pages._widgets.as_you_type import as_you_type
from pages._widgets.charts import draw

FIRST = ("embedding", "glove", "elmo", "glove+elmo")


def show(in_use: InUse) -> None:
    """One text under noise, and accuracies by noise: as measured, or on this machine's copy of the data."""
    task, text, share, names = _inputs()
    opened = classifiers.open_for(task, in_use)
    names = [name for name in names if name in opened.heads] or list(opened.heads)[:4]
    with show_errors():
        if not text.strip():
            st.info(t("Type a text, or choose an example."), icon=":material/edit:")
        elif readable(in_use, task, opened, text):
            _text(in_use, task, text, share, names)
    show_accuracy(in_use, task, names)


def _inputs() -> tuple[str, str, float, list[str]]:
    known = [name for name in tasks.TASKS if any(tasks.head_folders(name).values())]
    if not known:
        raise MissingArtifact(t("No classifiers yet. Run: python -m core train-heads --data FOLDER"))
    if measured := [name for name in known if name in read_accuracy()]:
        known = measured
    columns = st.columns([4, 3], vertical_alignment="bottom", gap="large")
    default = "news-title" if "news-title" in known else known[0]
    task = choice("noise_task", t("Task"), known, default, place=columns[0], format_func=tasks.task_titles().get)
    share = columns[1].select_slider(
        t("Letters changed"), SHARES, 0.1, format_func=lambda value: f"{value:.0%}", key="noise_share", **BOUND
    )
    key = f"text_{task}"
    texts = tuple(examples.classify().get(task, ()))
    offer_examples(texts, key=f"noise_{key}", into=key)
    label = t("Your text")
    text = text_box(key, label, texts[0] if texts else "", limits().max_passage, height=80)
    as_you_type(label)
    shipped = list(tasks.head_folders(task))
    titles = {name: variant_titles()[name] for name in shipped}
    names = coded_choices(f"noise_heads_{task}", t("Classifiers"), titles, [name for name in FIRST if name in shipped])
    return task, text or "", share, names


def _text(in_use: InUse, task: str, text: str, share: float, names: list[str]) -> None:
    opened = classifiers.open_for(task, in_use)
    clean = opened.task.clean(text[:MAX_CHARACTERS])
    tokens = tasks.text_tokens(opened.task, text)
    result = classifiers.ask(under_noise, task, in_use, clean)
    result = {name: result[name] for name in names}
    noisy = noisy_tokens(clean, share, 0)
    message = t("One of five versions with {share:.0%} of letters changed:", share=share)
    show_html('<p class="small">{}</p>{}', message, _mark_changes(tokens, noisy))
    lines = {name: answer.kept.mean(axis=1) for name, answer in result.items()}
    named = ", ".join(f"{variant_titles()[name]} {v[0]:.0%} → {v[-1]:.0%}" for name, v in lines.items())
    draw(
        noise_figure(lines, SHARES, y=t("probability of first prediction"), chosen=share),
        key="noise.answers",
        alt=t(
            "Probability of the first prediction by share of changed letters, up to {share:.0%}: {named}.", share=SHARES[-1], named=named
        ),
    )
    notice(_write_notices(result, share))
    rows = [
        {t("classifier"): variant_titles()[name], t("prediction on clean text"): answer.label, t("letters changed"): f"{s:.0%}"}
        | {t("its mean probability"): round(float(kept.mean()), 4), t("unchanged, of five"): int(same.sum())}
        for name, answer in result.items()
        for s, kept, same in zip(SHARES, answer.kept, answer.same, strict=True)
    ]
    lists.twin(pd.DataFrame(rows), name="noise", key="noise.twin")


def _mark_changes(clean: tuple[str, ...], noisy: tuple[str, ...]) -> Markup:
    """The disturbed text; tokens that were not in the clean one are marked."""
    known = set(clean)
    marked = Markup('<span class="token" style="background:rgba(213,94,0,0.22)">{}</span>')
    return html('<div class="tokens">{}</div>', Markup(" ").join(w if w in known else marked.format(w) for w in noisy))


def _write_notices(result: dict[str, NoisyAnswer], share: float) -> list[str]:
    place = SHARES.index(share)
    n = next(iter(result.values())).same.shape[1]
    counts = "; ".join(f"{variant_titles()[name]}: {int(answer.same[place].sum())}" for name, answer in result.items())
    lines = [
        t("In {n} versions with {share:.0%} of letters changed, the first prediction holds: {counts}.", share=share, n=n, counts=counts)
    ]
    gained = {name: 100 * float(answer.kept[place].mean() - answer.kept[0].mean()) for name, answer in result.items()}
    best, worst = max(gained, key=gained.get), min(gained, key=gained.get)
    if share and gained[best] - gained[worst] >= 1:
        lines.append(
            t(
                "Its probability changes least with {best} ({most:+.0f} points), most with {worst} ({least:+.0f}). This is one text; accuracies are below.",
                best=variant_titles()[best],
                most=gained[best],
                worst=variant_titles()[worst],
                least=gained[worst],
            )
        )
    return lines
