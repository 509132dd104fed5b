"""Five short scenes below Home's picture, each a small picture of the visitor's own sentences and a way on; drawn once they are near.

Nothing of them delays the verdict: the browser asks for them when they come near the screen and nobody has typed for a moment, and
again when the sentences are others by then.
"""

from importlib import import_module
from pathlib import Path

import streamlit as st

from core.common.i18n import t
from pages._frame import examples, question
from pages._frame.in_use import InUse
from pages._frame.markup import show_errors, show_html
from pages._frame.menu import page_link
from pages._widgets.inputs import Chosen
from pages._widgets.instruments import SHARED

SHOWN = "home.scenes"  # in the session: the sentences that they were asked for, as home.js has them
REST_MS = 700
# A request that the reader's next deed overtakes does harm: of a page just left it would draw nothing at all, and of a slider just moved it
# would bring the old place back. So it waits until the reader rests, and a page that was left asks nothing.
NEAR = Path(__file__).with_suffix(".js").read_text("utf-8")
CURSOR = """
export default function ({ data, parentElement }) {
  const button = parentElement.querySelector("button");
  button.textContent = data.label;
  button.onclick = () => { const box = document.querySelector(".st-key-a input"); box?.focus(); box?.select(); box?.scrollIntoView({ block: "center" }); };
}
"""
BUTTON = """
button {font: inherit; color: inherit; background: var(--st-background-color); border: 1px solid rgba(128,128,140,0.6); border-radius: 0.5rem;
        padding: 0.3rem 0.9rem; min-height: 2.5rem; width: 100%; cursor: pointer;}
button:hover {border-color: currentColor;} button:focus-visible {outline: 2px solid #2171B5; outline-offset: 2px;}
@media (max-width: 640px), (pointer: coarse) {button {min-height: 44px;}}
"""
PICTURE = """
// A scene's picture: what it shows stands in the sentence below it, which readers hear.
export default function ({ data, parentElement }) {
  const drawn = svg("svg", { viewBox: `0 0 ${data.wide} ${data.tall}`, "aria-hidden": "true" });
  for (const [tag, given, text] of data.parts) { const part = svg(tag, given); part.textContent = text; drawn.append(part); }
  parentElement.querySelector(".picture").replaceChildren(drawn);
}
"""
LOOK = """
svg {display: block; width: 100%; max-height: 170px;}
text {fill: currentColor; font-family: var(--st-font);}
.picture {color: var(--st-text-color);}
"""
_near = st.components.v2.component("elmoscope_scenes", js=NEAR, html="<span></span>")
_cursor = st.components.v2.component("elmoscope_cursor", js=CURSOR, css=BUTTON, html="<button></button>")

_picture = st.components.v2.component("elmoscope_scene", js=SHARED + PICTURE, css=LOOK, html='<div class="picture"></div>')


@st.fragment
def show(in_use: InUse) -> None:
    state = st.session_state
    now = question.now()
    _near(key="home.near", data={"shown": state.get(SHOWN), "rest": REST_MS}, on_near_change=_ask, height=1)
    if state.get(SHOWN) is None or None in now.positions:
        return
    pair = tuple(Chosen(*each) for each in zip(now.texts, now.tokens, now.positions, strict=True))
    with show_errors(), st.container(key="home_scenes"):
        st.markdown(t("#### Five short scenes"))
        places = [*st.columns(3, gap="large"), *st.columns([1, 1, 1], gap="large")]
        story = import_module("pages._home.story")
        for place, scene in zip(places, story.scenes(in_use, *pair), strict=False):
            with place:
                show_html('<p class="scene"><b>{}</b></p>', scene.title)
                _picture(key=f"home.{scene.page}", data={"wide": story.WIDE, "tall": story.TALL, "parts": scene.picture})
                show_html('<p class="scene">{}</p>', scene.said)
                page_link(scene.page, scene.onward, icon=":material/arrow_forward:", query_params=address(), width="stretch")
        with places[4]:
            _your_turn()


def _your_turn() -> None:
    """The cursor in the first sentence, or the next example."""
    known = examples.pairs()
    at = next((k for k, pair in enumerate(known.values(), 1) if pair == question.now().texts), 0)
    following = [*known][at % len(known)] if known else ""
    message = t("Type your own sentences, or change a word until the verdict changes.")
    show_html('<p class="scene"><b>{}</b></p><p class="scene">{}</p>', t("Your turn"), message)
    _cursor(key="home.cursor", data={"label": t("Type a sentence")})
    label = t("Next example: {word}", word=following)
    if following and st.button(label, key="home.another", width="stretch", on_click=_take, args=(following,)):
        st.rerun()  # the whole page, with these


def _take(word: str) -> None:
    a, b = examples.pairs()[word]
    question.put(a=a, b=b)


def _ask() -> None:
    st.session_state[SHOWN] = (st.session_state.get("home.near") or {}).get("near")


def address() -> dict[str, str]:
    """The visitor's own sentences and words, for a link that is opened elsewhere."""
    now = question.now()
    labels = [question.token_labels(of)[k] for of, k in zip(now.tokens, now.positions, strict=True)]
    return dict(zip(question.SIDES, now.texts, strict=True)) | {
        f"{side}i": label for side, label in zip(question.SIDES, labels, strict=True)
    }
