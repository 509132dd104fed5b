"""The text of Next word: its box, examples and Undo, the surprisal of each word in both directions, and the effect of an edit."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import streamlit as st

from core.analysis import expectation
from core.analysis.expectation import Reading, is_version
from core.common.i18n import t
from core.common.limits import limits
from core.common.markup import Markup, shorten
from core.figures.measures import BACKWARD, FORWARD
from core.figures.walk import BOTH, FULL_BITS, MOST_PLACES, ribbon_rules, versions_figure
from core.text.tokens import write_word
from core.views import substitutes
from core.views.substitutes import NextWordsRequest
from pages._cached.cache import view, workspace
from pages._frame import examples, question
from pages._frame.choices import text_box
from pages._frame.frame import notice
from pages._frame.in_use import InUse
from pages._frame.markup import show_html
from pages._frame.parameters import bound, read_parameter
from pages._widgets import lists
from pages._widgets.charts import draw
from pages._widgets.components import counted_button
from pages._widgets.inputs import as_you_type, offer_examples
from pages._widgets.lists import describe_rank, word_buttons

MOST = substitutes.MOST_RANKED  # words to tap
TEXT, OTHER, AT, EARLIER, ENDED, EXAMPLE = "ptext", "pother", "pat", "predict.earlier", "predict.ended", "predict.example"
# The position that the page chose, with its text, and the last target, with its word.
CHOSEN, SHOWN = "predict.chosen", "predict.shown"
FULL = "full"  # the value of ENDED after an insertion for which the text had no room
KEPT = 100  # earlier versions to go back to
# The current text, the texts before clicks or Undo that the browser may still hold, and whether the box reported a change in this run.
# A click that is made before the browser has the new text sends an old one, which the user did not type.
NOW, BEFORE, CHANGED = "predict.now", "predict.before", "predict.changed"


def ask_text() -> str:
    if st.session_state.pop(CHANGED, False):
        _forget_earlier()
    items = examples.predict()
    names = {
        "open": t("An open end"),
        "cat": t("A cat"),
        "beginning": t("No beginning"),
        "path": t("Garden path"),
        "surprise": t("A word that surprises"),
        "agreement": t("Agreement"),
    }
    labels = [f":material/format_quote: {names.get(item.kind, item.text)}" for item in items]
    offer_examples(range(len(items)), EXAMPLE, _take_example, format_func=labels.__getitem__)
    columns = st.columns([8, 2.5], vertical_alignment="bottom", gap="medium")
    label = t("Your text")
    options = {"height": 80, "placeholder": t("Type a few words"), "on_change": lambda: st.session_state.update({CHANGED: True})}
    text = text_box(TEXT, label, items[0].text, limits().max_text, place=columns[0], **options)
    options = {"icon": ":material/undo:", "disabled": not st.session_state.get(EARLIER), "help": t("Undo the last tap or draw.")}
    counted_button(t("Undo"), "predict.undo", undo, place=columns[-1], width="stretch", **options)
    as_you_type(label)
    if st.session_state.get(ENDED) == FULL:
        st.caption(t("The text is full: at most {most:,} characters.", most=limits().max_text))
    text = st.session_state[NOW] = text or ""
    # The text to compare with stays only next to its own example, or a version of it.
    if OTHER not in st.session_state and read_parameter(OTHER) is None:
        st.session_state[OTHER] = next((item.other for item in items if item.text == text), "")
    elif (version := st.session_state.get(OTHER)) and version in {item.other for item in items} and not is_version(text, version):
        st.session_state[OTHER] = ""
    return text


def ask_word(tokens: Sequence[str]) -> int | None:
    labels = question.token_labels(tokens)
    return st.pills(t("Selected word"), range(len(tokens)), **bound(AT), format_func=labels.__getitem__, label_visibility="collapsed")


def put(change: Callable[[str], str], *, compare: bool = False, ended: str | None = None, position: int | None = None) -> None:
    """Replace the text by `change` of it in a callback, with Undo. Change nothing if the text would be too long.

    With `compare`, the earlier text becomes the one to compare with. `position` is selected.
    """
    before = _text()
    _trust_place()
    text = change(before)
    if len(text) > limits().max_text:
        _replace(before, before)
        st.session_state[ENDED] = FULL
        return
    if text != before:
        st.session_state[EARLIER] = [*st.session_state.get(EARLIER, []), before][-KEPT:]
        st.session_state[EXAMPLE] = None
    _replace(before, text)
    if compare:
        st.session_state[OTHER] = before
    if position is not None:
        st.session_state[AT] = position
    st.session_state[ENDED] = ended


def undo(steps: int = 1) -> None:
    before = _text()
    _trust_place()
    if earlier := st.session_state.get(EARLIER):
        left = earlier[: max(0, len(earlier) - steps)]
        _replace(before, earlier[len(left)])
        st.session_state[EARLIER], st.session_state[ENDED] = left, None


def _trust_place() -> None:
    """Keep the selected position through an insertion, a draw or Undo, whichever word is there."""
    st.session_state[CHOSEN] = st.session_state[SHOWN] = None


def _text() -> str:
    """Return the text that a callback starts from. Typing clears Undo."""
    if st.session_state.pop(CHANGED, False):
        if st.session_state[TEXT] in st.session_state.get(BEFORE, ()):
            return st.session_state[NOW]
        _forget_earlier()
    else:
        st.session_state[BEFORE] = ()  # the browser has the new one
    return st.session_state[TEXT]


def _replace(before: str, text: str) -> None:
    st.session_state[BEFORE] = (*st.session_state.get(BEFORE, ()), before)[-KEPT:]
    st.session_state[NOW] = st.session_state[TEXT] = text


def _forget_earlier() -> None:
    """Clear Undo, because it would lose what the user typed."""
    st.session_state[EARLIER], st.session_state[ENDED], st.session_state[EXAMPLE] = [], None, None
    st.session_state[BEFORE] = ()


def _take_example(number: int) -> None:
    example = examples.predict()[number]
    put(lambda _: example.text, position=example.at)
    st.session_state[OTHER] = example.other
    st.session_state[EXAMPLE] = number


def show_words(in_use: InUse, read: Reading) -> None:
    position = _show_ribbon(in_use, read)
    over = workspace(in_use)
    request = NextWordsRequest(sentences=read.sentences)
    notice(_write_notices(read, view(substitutes.ranks, over, request, read)))
    word = read.tokens[position]
    result = view(substitutes.expected_at, over, replace(request, position=position), read, most=256)
    longest = max(p.probability for item in result for p in item.likeliest)
    titles = (
        (t("In place of “{word}”, from the left", word=shorten(word, 20)), FORWARD, "left"),
        (t("from the right"), BACKWARD, "right"),
        (t("from both sides"), BOTH, "both"),
    )
    for column, item, (title, color, name) in zip(st.columns(3, gap="medium"), result, titles, strict=True):
        with column:
            lists.heading(title, color, describe_rank(word, item))
            word_buttons(name, item, color, longest, _insert_word, position)
    about = t("Exact only if left and right are independent.")
    st.caption(t("Tap a word to insert it. Both sides: the product of both probabilities over the word’s frequency."), help=about)


def _show_ribbon(in_use: InUse, read: Reading) -> int:
    tokens = read.tokens[:MOST]
    forward, backward = read.forward[:MOST], read.backward[:MOST]
    opening = substitutes.opening_place(workspace(in_use), read)
    place = _get_place(tokens)
    if place is None:
        place = st.session_state[AT] = opening
        st.session_state[CHOSEN] = place, st.session_state[NOW]
    st.session_state[SHOWN] = place, tokens[place]
    st.html(f"<style>{ribbon_rules('.st-key-ribbon', forward, backward)}</style>")
    swatch = Markup('<span style="display:inline-block;width:.8em;height:.8em;border-radius:2px;background:{}"></span>')
    values = {"ahead": swatch.format(FORWARD), "behind": swatch.format(BACKWARD), "full": FULL_BITS}
    text = t("Surprisal −log₂ p: {ahead} forward, {behind} backward; full bar: {full:.0f} bits; hatched: not scored. Tap a word.", **values)
    show_html('<p class="small">{}</p>', text)
    with st.container(key="ribbon"):
        position = ask_word(tokens)
    if len(read.tokens) > MOST:
        st.caption(t("First {shown} of {count:,} words; the table has all.", shown=MOST, count=len(read.tokens)))
    return opening if position is None else position


def _get_place(tokens: Sequence[str]) -> int | None:
    state = st.session_state
    if AT not in state and (in_url := read_parameter(AT)) is not None:
        return next((k for k, label in enumerate(question.token_labels(list(tokens))) if label == in_url), None)
    place = state.get(AT)
    if place not in range(len(tokens)):
        return None
    chosen, shown = state.get(CHOSEN), state.get(SHOWN)
    is_new_text = chosen and chosen[0] == place and chosen[1] != state[NOW]
    is_other_word = shown and shown[0] == place and shown[1] != tokens[place]
    return None if is_new_text or is_other_word else place


def _most_surprising(values: np.ndarray, words: np.ndarray) -> int:
    """Return the position of the largest value, of a word rather than of a punctuation mark."""
    return int(np.argmax(np.where(np.isfinite(values), values + 1e3 * words, -1.0)))


def token_names(tokens: Sequence[str]) -> list[str]:
    """Return short names of tokens. Repeated tokens are numbered."""
    return question.token_labels(list(tokens), lambda token: shorten(write_word(token), 24))


def _insert_word(word: str, position: int) -> None:
    put(lambda text: expectation.replaced(text, position, word), compare=True, position=position)


def _write_notices(read: Reading, places: np.ndarray) -> list[str]:
    tokens = read.tokens
    scored_words = np.isfinite(read.forward)
    lines = []
    if not scored_words.any():
        return [t("None of these words is in the vocabulary: their letters are read, but not scored.")]
    words = np.array([any(map(str.isalnum, token)) for token in tokens])
    called = token_names(tokens)
    a, b = _most_surprising(read.forward, words), _most_surprising(read.backward, words)
    names = {"a": called[a], "x": read.forward[a], "b": called[b], "y": read.backward[b]}
    if a == b:
        lines.append(t("“{a}” is most surprising both ways: {x:.1f} bits from the left, {y:.1f} from the right.", **names))
    else:
        lines.append(t("Most surprising: “{a}” from the left ({x:.1f} bits), “{b}” from the right ({y:.1f}).", **names))
    k = _most_surprising(np.abs(read.forward - read.backward), words)
    names = {"word": called[k], "x": read.forward[k], "y": read.backward[k]}
    if scored_words.sum() > 1 and not a == b == k and abs(read.forward[k] - read.backward[k]) >= 0.1:
        lines.append(t("They disagree most about “{word}”: {x:.1f} bits from the left, {y:.1f} from the right.", **names))
    scored = int(np.isfinite(places[0]).sum())
    if scored > 1:
        left, right, both = ((places == 1).sum(axis=1)).tolist()
        names = {"n": scored, "left": left, "right": right, "both": both}
        lines.append(t("Top prediction right, of {n}: {left} from the left, {right} from the right, {both} from both.", **names))
    if not scored_words.all():
        lines.append(_describe_unscored([tokens[i] for i in np.flatnonzero(~scored_words)]))
    return lines


def _describe_unscored(tokens: Sequence[str]) -> str:
    outside = ", ".join(f"“{shorten(write_word(w), 24)}”" for w in list(dict.fromkeys(tokens))[:5])
    return t("Outside the vocabulary, read by their letters but not scored: {words}.", words=outside)


def show_versions(in_use: InUse, read: Reading) -> None:
    columns = st.columns([5, 3], vertical_alignment="bottom", gap="medium")
    version = text_box(OTHER, t("Compare with"), "", limits().max_text, place=columns[0], placeholder=t("Other version"))

    def keep_text() -> None:
        st.session_state[OTHER] = st.session_state[TEXT]

    options = {"icon": ":material/keep:", "width": "stretch", "help": t("Copies your text here; then edit the one above.")}
    columns[1].button(t("Keep this text to compare"), key="predict.keep", on_click=keep_text, **options)
    sentences = expectation.sentences_of(version or "")
    if not sentences:
        st.info(t("Type another version, or keep this text and edit the one above."), icon=":material/edit:")
        _offer_table([(None, k) for k in range(len(read.tokens))], None, read)
        return
    old = view(substitutes.read_text, workspace(in_use), NextWordsRequest(sentences=sentences))
    pairs = expectation.aligned(old.tokens, read.tokens)
    words = [(None if i is None else old.tokens[i], None if j is None else read.tokens[j]) for i, j in pairs]
    old_places, places = [i for i, _ in pairs], [j for _, j in pairs]
    before = [_align(old.forward, old_places), _align(old.backward, old_places)]
    after = [_align(read.forward, places), _align(read.backward, places)]
    alt = t("Surprisal of each word in bits, forward and backward: yours and the other version.")
    draw(versions_figure(words, before, after), key="predict.versions", alt=alt)
    if len(pairs) > MOST_PLACES:
        st.caption(t("{shown} of {count:,} words shown, around the first change.", shown=MOST_PLACES, count=len(pairs)))
    notice(_describe_edit(words, before, after))
    _offer_table(pairs, old, read)


def _align(values: np.ndarray, places: list[int | None]) -> np.ndarray:
    return np.array([np.nan if k is None else values[k] for k in places])


def _describe_edit(words: list[tuple[str | None, str | None]], before: list[np.ndarray], after: list[np.ndarray]) -> list[str]:
    changed = [k for k, (a, b) in enumerate(words) if a != b]
    if not changed:
        return [t("Both versions are the same. Edit a word above.")]
    lines = []
    unscored = []  # leaving them out lowers a perplexity
    for k in changed:
        for word, bits in zip(words[k], (before[0][k], after[0][k]), strict=True):
            if word is not None and not np.isfinite(bits):
                unscored.append(word)
    perplexities = [expectation.perplexity(values) for values in (before[0], after[0], before[1], after[1])]
    if unscored:
        lines.append(_describe_unscored(unscored))
    elif np.isfinite(perplexities).all():
        values = dict(zip("abcd", perplexities, strict=True))
        lines.append(t("Perplexity, other → yours: {a:,.0f} → {b:,.0f} from the left, {c:,.0f} → {d:,.0f} from the right.", **values))
        lines += _compare_versions(*perplexities)
    return lines + [
        _describe_effect(words, set(changed), old, new, backward=k == 1) for k, (old, new) in enumerate(zip(before, after, strict=True))
    ]


def _compare_versions(a: float, b: float, c: float, d: float) -> list[str]:
    """State which version each direction finds likelier, by the perplexities of both versions."""
    a, b, c, d = map(round, (a, b, c, d))  # as shown
    yours, others = (b < a, d < c), (b > a, d > c)
    if all(yours):
        return [t("Both directions find yours likelier per word.")]
    if all(others):
        return [t("Both directions find the other likelier per word.")]
    if any(yours) and any(others):
        return [t("The directions disagree on which is likelier.")]
    return [t("At least one direction finds both equally likely per word.")]


def _describe_effect(words: list, changed: set[int], old: np.ndarray, new: np.ndarray, *, backward: bool) -> str:
    """State which unchanged word's surprisal changed most in a direction."""
    moved = np.abs(new - old)
    moved[[k in changed for k in range(len(words))]] = np.nan
    if not (moved >= 0.05).any():
        still = t("From the left, no other word’s surprisal changed.")
        return t("From the right, no other word’s surprisal changed.") if backward else still
    k = int(np.nanargmax(moved))
    names = {"word": token_names([b or "" for _, b in words])[k], "x": old[k], "y": new[k]}
    if backward:
        return t("Backward, “{word}” changed most, {x:.1f} → {y:.1f} bits: an edit affects only words before it.", **names)
    return t("Forward, “{word}” changed most, {x:.1f} → {y:.1f} bits: an edit affects only words after it.", **names)


def _offer_table(pairs: list[tuple[int | None, int | None]], old: Reading | None, read: Reading) -> None:
    columns: dict[str, list] = {}
    for side, item, name in ((1, read, t("yours")), (0, old, t("the other"))):
        if item is not None:
            places = [pair[side] for pair in pairs]
            tokens = item.tokens
            columns[t("word, {version}", version=name)] = ["" if k is None else tokens[k] for k in places]
            columns[t("bits from the left, {version}", version=name)] = _align(item.forward, places).round(3).tolist()
            columns[t("bits from the right, {version}", version=name)] = _align(item.backward, places).round(3).tolist()
    lists.offer_table(columns, name="surprisal", label=t("Show as table"), key="predict.surprisal")
