"""Home: the verdict on the word, the picture that shows the reason, and the words that ELMo expects."""

from collections.abc import Mapping
from contextlib import suppress

import pandas as pd
from streamlit.delta_generator import DeltaGenerator

from core.common.errors import ElmoscopeError
from core.common.i18n import t
from core.common.markup import html
from core.senses.judge import is_word
from core.text import languages
from core.text.tokens import bare
from core.views.pair import angles
from pages._cached.views import about, workspace
from pages._export import record
from pages._frame import language
from pages._frame.frame import notice
from pages._frame.in_use import InUse, short_name
from pages._frame.markup import show_errors, show_html
from pages._home import expected, notices, picture
from pages._home.beside import Beside
from pages._widgets import lists, static
from pages._widgets.inputs import Chosen
from pages._word import verdict, verdict_words


def show(in_use: InUse, first: Chosen, second: Chosen, chips: DeltaGenerator, place: DeltaGenerator) -> None:
    """Show the expected words and the verdict in their containers, and the picture here."""
    in_use = about(in_use, first.in_context, second.in_context)
    _prepare(in_use, first, second)
    with place:
        _verdict(in_use, first, second)
    _picture(in_use, {1: first, 2: second}, chips)


def _prepare(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """Compute all that takes time before anything is drawn: what is out of date is then replaced at once. Errors are shown where it is drawn."""
    with suppress(ElmoscopeError):
        verdict.of_pair(in_use, first, second)
        expected.compute(in_use, first, second)


def _verdict(in_use: InUse, first: Chosen, second: Chosen) -> None:
    """Show the answer in large type, and a button for the language of a foreign word."""
    judgment = verdict.on(in_use, first.in_context, second.in_context).verdict
    if foreign := language.foreign(bare(first.word), second.word):
        title, reason = t("Another language"), language.say_foreign(foreign[0])
    elif judgment is not None:
        title, reason = verdict_words.title_with_senses(judgment), judgment.say_certainty()
    elif all(is_word(each.in_context, languages.in_use()) for each in (first, second)):
        title, reason = t("Two different words"), t("Tap the same word in both sentences.")
    else:
        title, reason = t("Not a word"), t("Tap a word in each sentence.")
    show_html('<p class="verdict" role="status"><b>{}</b> <span>{}</span></p>', title, reason)
    record.now().note("notice", html("<b>{}</b> {}", title, reason), "verdict")
    for other in foreign[:1]:
        language.offer_its_language(other, "home.read")


def _picture(in_use: InUse, chosen: Mapping[int, Chosen], chips: DeltaGenerator) -> None:
    first, second = chosen.values()
    pair = verdict.of_pair(in_use, first, second)
    spellings = [bare(first.word), bare(second.word)]
    are_words = all(is_word(item.in_context, languages.in_use()) for item in (first, second)) and not language.foreign(*spellings)
    scene = pair.scene if are_words else None
    space = picture.show(in_use, pair, scene, chosen) if scene else ""
    words = []
    with show_errors():  # after the picture, which waits for no softmax
        words = expected.show(in_use, first, second, chips)
    other = None
    if in_use.beside:
        with show_errors():  # the first model's answer is there whatever becomes of the second's
            other = Beside(short_name(in_use.beside), angles(workspace(in_use).beside(in_use.beside), first.in_context, second.in_context))
    unknown = static.unknown(workspace(in_use).vectors, spellings) if are_words else []
    if lines := [*notices.write_notices(scene, space, pair.judgment.verdict, other), *unknown]:
        notice(lines)
    rows = [(notices.name_of(k), round(v, 4)) for k, v in pair.bars.items()]
    rows += [(notices.second_model_title(other, k), round(v, 4)) for k, v in other.angles.cosines.items()] if other else []
    lists.twin(pd.DataFrame(rows, columns=[t("vectors"), t("cosine")]), name="cosines", label=t("Cosines"), key="home.table")
    expected.note_table(words)
    if scene:
        lists.twin(scene.table(space), name="scene", label=t("Picture"), key="home.scene.table")
