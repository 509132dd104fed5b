"""The pictures of the slides: live figures with a sentence of at most twenty words."""

import math
from collections import Counter

import numpy as np
import plotly.graph_objects as go

from core.analysis.spelling import firing, split_words
from core.analysis.surroundings import cosine
from core.classify.model import variant_titles
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.markup import Markup, html, shorten
from core.elmo.mix import layer_weights
from core.figures.classifiers import answers_figure, class_colors
from core.figures.influence import HalfBar, halves_figure, influence_marks, signed
from core.figures.maps import angle_figure, cosine_bars
from core.figures.measures import accuracy_lines
from core.figures.style import enlarge, layer_title, sense_color
from core.figures.walk import windows_figure
from core.senses import influence
from core.senses.influence import half_name
from core.text import languages, target_word
from core.text.readings import TwoContexts, WordInContext
from core.text.tokens import join_tokens
from core.views import attribution, layouts
from core.views.attribution import AttributionRequest
from pages._cached import opened
from pages._cached.opened import of, view, workspace
from pages._frame.in_use import InUse, english
from pages._frame.markup import show_html
from pages._widgets import charts

HEIGHT, BESIDE_TEXT = (320, 240)  # pixels of a picture that is taken along, alone or over a sentence; on the screen it fills the slide
FACTOR = 1.5
WINDOWS = 3  # of letters, drawn
NEAREST = 12  # words of GloVe's list
TASK = "news-title"
SHOWN = ("embedding", "glove", "elmo", "glove+elmo", "tfidf")  # classifiers shown, with the best one


def _senses(in_use: InUse, word: str) -> list[str]:
    """Return the labeled senses of the word, at least two."""
    senses = workspace(in_use).targets.senses_of(word)
    if len(senses) < 2:
        raise BadInput(t("“{word}” lacks two labeled senses here. Choose another word.", word=shorten(word)))
    return senses


def _lemma(in_use: InUse, contexts: TwoContexts) -> str:
    """Return the labeled word that the visible word is a form of."""
    return workspace(in_use).targets.lemma_of(contexts.word) or contexts.word


def _draw(figure: go.Figure, name: str, line: str, height: int = HEIGHT) -> None:
    alt = Markup.escape(line).striptags()
    large = enlarge(figure, FACTOR, height=height)
    large.layout.transition = None  # while Plotly glides to another size it keeps the old one's frame, and bars are cut off by it
    charts.draw(large, key=f"slide.{name}", alt=alt, height="stretch")


def _mark_word(word: WordInContext) -> Markup:
    """Return a sentence with its word marked."""
    place = "\ue000"  # of the word
    readable = join_tokens([*word.tokens[: word.position], place, *word.tokens[word.position + 1 :]])
    before, _, after = readable.partition(place)
    return html('<p class="said">{}<b>{}</b>{}</p>', before, word.word, after)


def _cosines(in_use: InUse, contexts: TwoContexts) -> dict[str, float]:
    """Return the cosine of the word's two vectors in each layer."""
    first, second = (query.layers for query in workspace(in_use).queries(contexts.sentences))
    return {str(k): cosine(first, second, weights) for k, weights in enumerate(np.eye(len(first)))}


def _static(in_use: InUse, contexts: TwoContexts) -> float | None:
    """Return the cosine of the GloVe vectors of both forms: 1 for one spelling, None if one is missing."""
    return opened.vectors(in_use.vectors).cosine(*contexts.written)


def _sentences(in_use: InUse, contexts: TwoContexts) -> str:
    show_html("{}", [_mark_word(word) for word in contexts.sentences])
    at_zero = _cosines(in_use, contexts)["0"]
    first, second = contexts.written
    if first != second:
        return t(
            "“{word}” and “{other}” differ in spelling, so layer 0 sees a difference (cosine {cosine:.2f}).",
            word=first,
            other=second,
            cosine=at_zero,
        )
    if not model_layers.in_use().is_elmo:
        return t("Same spelling, no context at {where}: cosine {cosine:.2f}.", where=layer_title("0"), cosine=at_zero)
    return t("Same spelling: layer 0, which reads only letters, sees no difference (cosine {cosine:.2f}).", cosine=at_zero)


def _static_list(in_use: InUse, contexts: TwoContexts) -> str:
    vectors = opened.vectors(in_use.vectors)
    if contexts.word not in vectors:
        raise BadInput(t("GloVe has no vector for “{word}”. Choose another word.", word=shorten(contexts.word)))
    neighbors = [neighbor.word for neighbor in vectors.neighbors(contexts.word, NEAREST)]
    show_html('<p class="said"><b>{}</b>: {}</p>', contexts.word, ", ".join(neighbors))
    return t("One list for all senses: GloVe has one vector for “{word}”.", word=shorten(contexts.word))


def _angle(in_use: InUse, contexts: TwoContexts) -> str:
    between = _cosines(in_use, contexts)[model_layers.in_use().top]
    static = _static(in_use, contexts)
    degrees = math.degrees(math.acos(max(-1.0, min(1.0, between))))
    first, second = contexts.written
    if same := first.casefold() == second.casefold() and static is not None:
        line = t(
            "ELMo’s two vectors are {degrees:.0f}° apart. GloVe has only one vector for “{word}”.", word=contexts.word, degrees=degrees
        )
    else:
        line = t("ELMo’s two vectors are {degrees:.0f}° apart.", degrees=degrees)
    labels = t("1st"), t("2nd")  # short, so that the rays and not their names take the width
    _draw(angle_figure(between, labels, same_word=same, layer=model_layers.in_use().top, glove=static), "angle", line)
    return line


def _layers(in_use: InUse, contexts: TwoContexts) -> str:
    cosines = _cosines(in_use, contexts)
    line = t(
        "Cosine of ELMo’s two vectors: {each}.",
        each=", ".join(t("{cosine:.2f} at {where}", cosine=value, where=layer_title(name)) for name, value in cosines.items()),
    )
    static = _static(in_use, contexts)
    _draw(cosine_bars(({} if static is None else {"GloVe": static}) | cosines, chosen=model_layers.in_use().top), "layers", line)
    return line


def _influence(in_use: InUse, contexts: TwoContexts) -> influence.Influence:
    return view(attribution.compute, workspace(in_use), AttributionRequest(word=contexts.single)).influence


def _decided(in_use: InUse, contexts: TwoContexts) -> str:
    result = _influence(in_use, contexts)
    senses = _senses(in_use, contexts.word)
    stands = influence.verdict(result, model_layers.in_use().top, influence.BOTH)
    values = influence.parts(result, model_layers.in_use().top, influence.BOTH, stands.sense)
    pair = tuple(sense_color(senses.index(sense)) for sense in (stands.sense, stands.rival))
    numbers = dict(zip(result.changed, values.tolist(), strict=True))
    hovers = {k: signed(v) for k, v in numbers.items()}
    show_html("{}", influence_marks(result.tokens, result.position, numbers, hovers, pair))
    content = {candidate.position for candidate in target_word.candidates(result.tokens, languages.in_use())}
    naming = [k for k, place in enumerate(result.changed) if place in content] or range(len(result.changed))
    details = {"sense": stands.sense, "word": result.tokens[result.changed[max(naming, key=lambda k: abs(values[k]))]]}
    if contexts.sense not in ("", stands.sense):
        return t("“{word}” mattered most. The model wrongly chooses <b>{sense}</b> over <b>{right}</b>.", right=contexts.sense, **details)
    return t("“{word}” mattered most. The model chooses <b>{sense}</b>, ahead by {lead:.2f}.", lead=stands.margin, **details)


def _mix(in_use: InUse, contexts: TwoContexts) -> str:
    word = _lemma(in_use, contexts)
    over = workspace(in_use)
    reports = {name: layouts.report_of(over, word, layer_weights(name, over.layers.n)) for name in over.layers.spaces}
    shares = {name: report.one_nn for name, report in reports.items()}
    best = max((name for name in shares if name != "mix"), key=shares.get)
    line = t(
        "Nearest sentence has the same sense: {mix:.0%} with equal weights, {best:.0%} at {layer}, {null:.0%} by chance.",
        mix=shares["mix"],
        best=shares[best],
        layer=layer_title(best),
        null=reports["mix"].null_mean,
    )
    _draw(accuracy_lines({"1-NN": shares}, null=reports["mix"].null_mean, majority=None), "mix", line)
    return line


def _halves(in_use: InUse, contexts: TwoContexts) -> str:
    result = _influence(in_use, contexts)
    senses = _senses(in_use, contexts.word)
    by_half = influence.halves(result, model_layers.in_use().top)
    bars = [
        HalfBar(layer_title(model_layers.in_use().top), half_name(h), v.sense, sense_color(senses.index(v.sense)), v.margin, v.alone)
        for h, v in by_half.items()
    ]
    values = {half: by_half[half].sense for half in influence.HALVES}
    if len(set(values.values())) == 1:
        line = t("Past and future agree: each alone reads <b>{both}</b>.", both=values[influence.BOTH])
    else:
        line = t("The past alone reads <b>{past}</b>, the future <b>{future}</b>, both together <b>{both}</b>.", **values)
    _draw(halves_figure(bars, key="slide.halves"), "halves", line, BESIDE_TEXT)
    show_html("{}", _mark_word(WordInContext(result.tokens, result.position)))
    return line


def _spelling(in_use: InUse, text: str) -> str:
    word = split_words(text, 1)[0][0]
    result = of("model.encoder.model.characters", firing, workspace(in_use), word)
    is_known = word in opened.vectors(in_use.vectors)
    letters = [w for w in result.windows if w.lettered]
    values = {"word": word, "window": letters[0].text if letters else ""}
    if not letters:
        line = t("This model cannot read the letters of “{word}”.", **values)
    elif is_known:
        line = t("GloVe knows “{word}” too. ELMo builds its vector from letters, most from “{window}”.", **values)
    else:
        line = t("GloVe does not know “{word}”. ELMo builds its vector from letters, most from “{window}”.", **values)
    _draw(windows_figure(result, WINDOWS), "spelling", line)
    return line


def _headline(in_use: InUse, text: str) -> str:
    from core.classify import tasks  # scikit-learn, for this slide alone
    from pages._cached import classifiers

    in_use = english(in_use)
    opened_heads = classifiers.open_for(TASK, in_use)
    heads = opened_heads.heads
    titles = variant_titles()
    colors = class_colors(**opened_heads.colors_of)
    scores = {name: head.meta["test"]["accuracy"] for name, head in heads.items()}
    best = max(scores, key=scores.get)
    answers = classifiers.ask(tasks.predictions, TASK, in_use, text, tuple(n for n in heads if n in SHOWN or n == best))
    label, n = Counter(a.label for a in answers.values()).most_common(1)[0]
    values = {"n": n, "all": len(answers), "label": label, "best": titles[best], "right": scores[best]}
    line = t("{n} of {all} classifiers say <b>{label}</b>. Best on unseen headlines: {best}, {right:.0%} right.", **values)
    figure = answers_figure([titles[name] for name in answers], [a.probabilities for a in answers.values()], colors)
    _draw(figure, "headline", line)
    return line


DRAW = {
    "sentences": _sentences,
    "static": _static_list,
    "angle": _angle,
    "layers": _layers,
    "influence": _decided,
    "mix": _mix,
    "halves": _halves,
    "spelling": _spelling,
    "headline": _headline,
}
