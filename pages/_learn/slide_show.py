"""A slide below its question: its live figure, its control (a word or a text), and a link to the complete page."""

import math
from collections import Counter

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from core.analysis.axes import cosine
from core.analysis.spelling import firing, split_words
from core.classify.model import variant_titles
from core.common import model_layers
from core.common.errors import BadInput
from core.common.i18n import ENGLISH, t
from core.common.limits import BOX
from core.common.markup import Markup, plain, shorten
from core.elmo.mix import layer_weights
from core.figures.classifiers import answers_figure, class_colors
from core.figures.influence import HalfBar, halves_figure, influence_marks, signed
from core.figures.measures import accuracy_lines, angle_figure, angle_of, cosine_bars
from core.figures.style import enlarge, layer_title, sense_color
from core.figures.walk import windows_figure
from core.senses import influence
from core.senses.influence import half_name
from core.text import languages, target_word
from core.text.corpora import labeled_of, list_words_in, sentences_of
from core.text.readings import TwoContexts, WordInContext
from core.text.tokens import bare, join_tokens
from core.views import layouts, why
from core.views.why import AttributionRequest
from pages._cached import cache
from pages._cached.cache import view, view_part, workspace
from pages._export import record
from pages._frame import examples, question
from pages._frame.choices import text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse, english
from pages._frame.markup import show_html
from pages._frame.menu import page_link
from pages._learn.slides import HEADLINE, SPELLING, WORD, Slide, all_slides
from pages._widgets import charts, lists
from pages._widgets.inputs import word_search

HEIGHT, BESIDE_TEXT = 320, 240  # pixels of an exported picture, alone or above a sentence; on the screen it fills the slide
FACTOR = 1.5
WINDOWS = 3  # letter windows drawn
NEAREST = 12  # words of GloVe's list
TASK = "news-title"
SHOWN = ("embedding", "glove", "elmo", "glove+elmo", "tfidf")  # classifiers shown, with the best one
LENGTH = 9  # preferred tokens of a sentence, because a slide is read from a distance


def _draw(figure: go.Figure, name: str, line: str, height: int = HEIGHT) -> None:
    large = enlarge(figure, FACTOR, height=height)
    large.layout.transition = None  # during a transition to another size, Plotly clips bars to the old frame
    charts.draw(large, key=f"slide.{name}", alt=Markup.escape(line).striptags(), height="stretch")


def _cosines(in_use: InUse, contexts: TwoContexts) -> dict[str, float]:
    first, second = (query.layers for query in workspace(in_use).queries(contexts.sentences))
    return {str(k): cosine(first, second, weights) for k, weights in enumerate(np.eye(len(first)))}


def _sentences(in_use: InUse, contexts: TwoContexts) -> str:
    for word in contexts.sentences:
        show_html('<p class="said">{}</p>', lists.mark_word(word.tokens, word.position))
    at_zero = _cosines(in_use, contexts)["0"]
    first, second = contexts.written
    if first != second:
        values = {"word": first, "other": second, "cosine": at_zero}
        return t("“{word}” and “{other}” differ in spelling, so layer 0 sees a difference (cosine {cosine:.2f}).", **values)
    if not model_layers.in_use().is_elmo:
        return t("Same spelling, no context at {where}: cosine {cosine:.2f}.", where=layer_title("0"), cosine=at_zero)
    return t("Same spelling: layer 0, which reads only letters, sees no difference (cosine {cosine:.2f}).", cosine=at_zero)


def _static_list(in_use: InUse, contexts: TwoContexts) -> str:
    vectors = cache.vectors(in_use.vectors)
    if contexts.word not in vectors:
        raise BadInput(t("GloVe has no vector for “{word}”. Choose another word.", word=shorten(contexts.word)))
    neighbors = [neighbor.word for neighbor in vectors.neighbors(contexts.word, NEAREST)]
    show_html('<p class="said"><b>{}</b>: {}</p>', contexts.word, ", ".join(neighbors))
    return t("One list for all senses: GloVe has one vector for “{word}”.", word=shorten(contexts.word))


def _angle(in_use: InUse, contexts: TwoContexts) -> str:
    between = _cosines(in_use, contexts)[model_layers.in_use().top]
    static = cache.vectors(in_use.vectors).cosine(*contexts.written)  # None if one is missing
    degrees = math.degrees(angle_of(between))
    first, second = contexts.written
    if same := first.casefold() == second.casefold() and static is not None:
        line = t("ELMo’s two vectors are {degrees:.0f}° apart; GloVe has one for “{word}”.", word=contexts.word, degrees=degrees)
    else:
        line = t("ELMo’s two vectors are {degrees:.0f}° apart.", degrees=degrees)
    labels = t("1st"), t("2nd")  # short, so that the rays and not their names take the width
    _draw(angle_figure(between, labels, same_word=same, layer=model_layers.in_use().top, glove=static), "angle", line)
    return line


def _layers(in_use: InUse, contexts: TwoContexts) -> str:
    cosines = _cosines(in_use, contexts)
    by_layer = ", ".join(t("{cosine:.2f} at {where}", cosine=value, where=layer_title(name)) for name, value in cosines.items())
    line = t("Cosine of ELMo’s two vectors: {each}.", each=by_layer)
    static = cache.vectors(in_use.vectors).cosine(*contexts.written)
    _draw(cosine_bars(({} if static is None else {"GloVe": static}) | cosines, chosen=model_layers.in_use().top), "layers", line)
    return line


def _influence(in_use: InUse, contexts: TwoContexts) -> influence.Influence:
    return view(why.compute_attribution, workspace(in_use), AttributionRequest(word=contexts.single)).influence


def _decided(in_use: InUse, contexts: TwoContexts) -> str:
    result = _influence(in_use, contexts)
    if not result.changed:
        return t("The sentence has no other word.")
    senses = workspace(in_use).targets.senses_of(contexts.word)
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
    over = workspace(in_use)
    word = over.targets.lemma_of(contexts.word) or contexts.word
    reports = {name: layouts.report_of(over, word, layer_weights(name, over.layers.n)) for name in over.layers.spaces}
    shares = {name: report.one_nn for name, report in reports.items()}
    best = max((name for name in shares if name != "mix"), key=shares.get)
    values = {"mix": shares["mix"], "best": shares[best], "layer": layer_title(best), "null": reports["mix"].null_mean}
    line = t("Nearest sentence has the same sense: {mix:.0%} with equal weights, {best:.0%} at {layer}, {null:.0%} by chance.", **values)
    _draw(accuracy_lines(shares, null=reports["mix"].null_mean, majority=None), "mix", line)
    return line


def _halves(in_use: InUse, contexts: TwoContexts) -> str:
    result = _influence(in_use, contexts)
    senses = workspace(in_use).targets.senses_of(contexts.word)
    by_half = influence.halves(result, model_layers.in_use().top)
    title = layer_title(model_layers.in_use().top)
    bars = [HalfBar(title, half_name(h), v.sense, sense_color(senses.index(v.sense)), v.margin, v.alone) for h, v in by_half.items()]
    values = {half: by_half[half].sense for half in influence.HALVES}
    if len(set(values.values())) == 1:
        line = t("Past and future agree: each alone reads <b>{both}</b>.", both=values[influence.BOTH])
    else:
        line = t("The past alone reads <b>{past}</b>, the future <b>{future}</b>, both together <b>{both}</b>.", **values)
    _draw(halves_figure(bars, key="slide.halves"), "halves", line, BESIDE_TEXT)
    show_html('<p class="said">{}</p>', lists.mark_word(result.tokens, result.position))
    return line


def _spelling(in_use: InUse, text: str) -> str:
    word = split_words(text, 1)[0][0]
    result = view_part("model.encoder.model.characters", firing, workspace(in_use), word)
    values = {"word": word, "window": result.heaviest.text if result.heaviest else ""}
    if result.heaviest is None:
        line = t("The model knows no sequence of letters in {words}.", words=f"“{word}”")
    elif word in cache.vectors(in_use.vectors):
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
    titles = variant_titles()
    scores = {name: head.meta["test"]["accuracy"] for name, head in opened_heads.heads.items()}
    best = max(scores, key=scores.get)
    answers = classifiers.ask(tasks.predictions, TASK, in_use, text, tuple(n for n in scores if n in SHOWN or n == best))
    label, n = Counter(a.label for a in answers.values()).most_common(1)[0]
    values = {"n": n, "all": len(answers), "label": label, "best": titles[best], "right": scores[best]}
    line = t("{n} of {all} classifiers say <b>{label}</b>. Best on unseen headlines: {best}, {right:.0%} right.", **values)
    probabilities = [a.probabilities for a in answers.values()]
    figure = answers_figure([titles[name] for name in answers], probabilities, class_colors(**opened_heads.colors_of))
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


def show(in_use: InUse, number: int) -> None:
    """Show a slide below its question: picture, sentence, control, the speaker's notes, and the link to the page."""
    slide = all_slides()[number]
    place = st.container(gap="small")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        text = _choose_word(in_use) if slide.control == WORD else _type_text(slide.control)
        link = st.container(width="content")
    with place:
        with st.container(key="slide_picture", gap="small", vertical_alignment="center"):
            contexts = _find_sentences(in_use, text, needs_senses=slide.needs_senses) if slide.control == WORD else None
            line = DRAW[slide.name](in_use, contexts or text)
        notice([line])
    if contexts:
        address = _note_sentences(slide, contexts)
    else:
        address = {"step": "4", "spell": text} if slide.control == SPELLING else {"text_news-title": text}
    page_link(slide.page, t("Open full page"), place=link, icon=":material/open_in_full:", query_params=address)


def _note_sentences(slide: Slide, contexts: TwoContexts) -> dict[str, str]:
    """Record the sentences of a slide for its file. Return the URL parameters of the page that shows the same."""
    if slide.one_sentence:
        sentences = [("a", t("Sentence"), join_tokens(list(contexts.single.tokens)), contexts.single)]
    else:
        labels = t("First sentence"), t("Second sentence")
        sentences = list(zip("ab", labels, contexts.texts, contexts.sentences, strict=False))
    address = {"map_word": contexts.word}
    for key, label, text, word in sentences:
        record.now().note("typed", (label, text), key)
        address |= {key: text, f"{key}i": question.token_labels(word.tokens)[word.position]}
    return address


def _type_text(control: str) -> str:
    if control == HEADLINE:
        key, label, default = "headline", t("Today’s headline"), languages.get_language(ENGLISH).examples["headline"]
    else:
        key, label, default = "invented", t("Invent a word"), examples.invented()
    text = text_box(f"slide_{key}", label, default, BOX[key], label_visibility="collapsed", placeholder=label)
    return text.strip() or default


def _choose_word(in_use: InUse) -> str:
    """Draw the box of words: the target word first, the examples, then every labeled word. The user can type any other."""
    labeled = list_words_in(in_use.corpus)
    target = question.word()
    words = list(dict.fromkeys([target, *examples.pairs(), *(example.word for example in examples.decided()), *labeled]))
    if not words[0] and len(words) < 2:
        raise BadInput(t("No examples in this language. Choose another model under “Model and data”."))
    return word_search(st.container(), "slide_word", words, target, labeled=labeled, help=t("Search by word or theme.")).casefold()


def _find_sentences(in_use: InUse, word: str, *, needs_senses: bool) -> TwoContexts:
    """Return the user's sentences of the word, an example's, or two with different labels.

    With `needs_senses`, an example word with two labeled senses replaces a word that lacks them.
    """
    if needs_senses and not _has_senses(in_use, word):
        replacement = next((pair for pair in examples.pairs() if pair != word and _has_senses(in_use, pair)), None)
        if replacement is None:
            raise BadInput(t("“{word}” lacks two labeled senses here. Choose another word.", word=shorten(word)))
        st.caption(t("“{word}” lacks two labeled senses: showing “{other}”.", word=plain(word, 40), other=replacement))
        word = replacement
    return _user_sentences(word) or _example(word) or _labeled_sentences(in_use, word)


def _has_senses(in_use: InUse, word: str) -> bool:
    over = workspace(in_use)
    return over.is_labeled and len(over.targets.senses_of(word)) > 1


def _user_sentences(word: str) -> TwoContexts | None:
    typed = question.now()
    if word != question.word() or None in typed.positions or typed.texts in examples.pairs().values():
        return None
    sentences = tuple(map(WordInContext, typed.tokens, typed.positions))
    return TwoContexts(word, typed.texts, sentences, sentences[0])


def _example(word: str) -> TwoContexts | None:
    """Return Home's example of a word, with Why's sentence as the single one if there is one; None without an example."""
    pair = examples.pairs().get(word)
    single = next((example for example in examples.decided() if example.word == word and example.shows != "wrong"), None)
    if not pair:
        return None
    texts = [tuple(languages.tokenize(text)) for text in (*pair, *([single.text] if single else []))]
    first, second, *rest = (WordInContext(tokens, question.place_of(tokens, word)) for tokens in texts)
    return TwoContexts(word, pair, (first, second), rest[0] if rest else first, single.sense if single else "")


def _labeled_sentences(in_use: InUse, word: str) -> TwoContexts:
    """Return two sentences of different senses with one spelling if possible, short enough for a slide."""
    language = sentences_of(in_use.corpus) or languages.in_use()
    over = workspace(in_use)
    lemma = over.is_labeled and over.targets.lemma_of(word)
    by_sense: dict[str, list[WordInContext]] = {}
    for sentence in labeled_of(language, lemma) if lemma else ():
        for target in sentence.targets:
            if target.lemma == lemma and target.sense:
                by_sense.setdefault(target.sense, []).append(WordInContext(sentence.tokens, target.position))
    if len(by_sense) < 2:
        raise BadInput(t("“{word}” has no labeled sentences. Type two on Home or choose another word.", word=shorten(word)))
    (sense, first), (_, second) = sorted(by_sense.items(), key=lambda item: -len(item[1]))[:2]

    def cost(pair: tuple[WordInContext, WordInContext]) -> tuple[bool, int]:
        a, b = pair
        return bare(a.word) != bare(b.word), sum(abs(len(item.tokens) - LENGTH) for item in pair)

    sentences = min(((a, b) for a in first for b in second), key=cost)
    texts = tuple(join_tokens(list(item.tokens)) for item in sentences)
    return TwoContexts(lemma, texts, sentences, sentences[0], sense)
