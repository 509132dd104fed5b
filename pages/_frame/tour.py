"""The first visit to Home: three things to try, on a small card that covers nothing one needs. Ended once, it stays away.

The card stands at the foot of the menu; where the menu is folded, as on a phone, in the page itself beside the picture, which it never
covers. The browser alone keeps that it was ended, so a first visitor's page is run once, not twice.
"""

from __future__ import annotations

import streamlit as st

from core.common.i18n import t

HTML = '<section hidden><p class="number"></p><p class="said" aria-live="polite"></p><div><button class="next"></button><button class="skip"></button></div></section>'
CSS = """
section {
  position: fixed; bottom: 0.75rem; left: 0.75rem; z-index: 999995; box-sizing: border-box; padding: 0.8rem 0.9rem;
  background: var(--st-background-color); color: var(--st-text-color); font-family: var(--st-font);
  border: 1px solid #4292C6; border-radius: 0.5rem; scroll-margin-top: 4.5rem; box-shadow: 0 2px 12px rgba(0, 0, 0, 0.18);
}
p {margin: 0 0 0.5rem 0; font-size: 0.92rem; line-height: 1.45;}
.number {font-size: 0.8rem; font-weight: 600; margin-bottom: 0.15rem;}
button {font: inherit; font-size: 0.92rem; min-height: 2.2rem; padding: 0 0.9rem; border-radius: 0.5rem; border: 1px solid transparent; cursor: pointer;}
.next {background: #1F6BAC; color: #fff;}
.skip {background: transparent; color: inherit;}
button:focus-visible {outline: 2px solid #4292C6; outline-offset: 2px;}
@media (max-width: 640px), (pointer: coarse) {button {min-height: 44px;}}
"""
SCRIPT = """
const ENDED = "elmoscope.tour";
// Streamlit's two boxes around the sentences and the picture are as if they were not, so that the card can stand between what is in them.
const PICTURE = ".stMainBlockContainer :has(> .st-key-home_picture)", AROUND = ["* >", "* > * >"].map((way) => `.stMainBlockContainer :has(> ${way} .st-key-home_picture)`);
const IN_PAGE = (above) => `${AROUND} {display: contents !important} ${PICTURE} {order: ${above ? 1 : 0}} ${PICTURE} ~ *, ${AROUND[1]} ~ * {order: 2}
  .stApp .st-key-tour {position: static; height: auto; order: 1}`; // of one order, what comes first in the page stands first: the card
let step = 0, asked = false, over = false;
const remembered = () => { try { return localStorage.getItem(ENDED) } catch { return null } };
const remember = () => { try { localStorage.setItem(ENDED, "ended") } catch { /* this visit only */ } };
export default function ({ data, parentElement, setTriggerValue }) {
  const card = parentElement.querySelector("section"), part = (name) => card.querySelector(name);
  if (data.asked && !asked) { step = 0; over = false }
  asked = data.asked;
  const ring = document.createElement("style");
  document.head.append(ring);
  // Its place: the foot of the menu where that is open beside the page, with room below for scrolling; else in the page, under the picture and, once
  // it speaks of that, above it.
  const beside = () => {
    const box = document.querySelector('[data-testid="stSidebar"]')?.getBoundingClientRect();
    return box && box.right > 150 && box.width < innerWidth / 2 ? box : null;
  };
  const place = () => {
    const menu = beside();
    card.style.position = menu ? "" : "static";
    card.style.width = menu ? `${menu.right - 24}px` : "";
    ring.textContent = card.hidden ? "" : `${data.steps[step].at} {outline: 2px solid #4292C6; outline-offset: 5px; border-radius: 4px}
      ${menu ? `[data-testid="stSidebarUserContent"] {padding-bottom: ${card.offsetHeight + 48}px}` : IN_PAGE(step)}`;
  };
  const draw = () => {
    card.hidden = over || !(asked || !remembered());
    if (!card.hidden) {
      card.setAttribute("aria-label", data.title);
      part(".number").textContent = data.steps[step].number;
      part(".said").textContent = data.steps[step].said;
      part(".next").textContent = step < data.steps.length - 1 ? data.next : data.done;
      part(".skip").textContent = data.skip;
      part(".skip").hidden = step === data.steps.length - 1;
    }
    place();
  };
  const end = () => {
    remember();
    over = true;
    draw();
    if (asked) setTriggerValue("ended", true);
  };
  part(".next").onclick = () => {
    if (step === data.steps.length - 1) return end();
    step += 1;
    draw();
    if (beside()) document.querySelector(data.steps[step].at)?.scrollIntoView({ block: "center" });
    else card.scrollIntoView({ block: "start" }); // what it speaks of stands below it
  };
  part(".skip").onclick = end;
  card.onkeydown = (event) => { if (event.key === "Escape") end() };
  const watch = new ResizeObserver(place);
  watch.observe(document.body);
  const menu = document.querySelector('[data-testid="stSidebar"]');
  if (menu) watch.observe(menu);
  draw();
  return () => { watch.disconnect(); ring.remove() };
}
"""


def card() -> None:
    """The card, if this browser has not seen it to its end or `?tour=1` asks for it."""
    steps = (
        (".st-key-a, .st-key-b", t("Two sentences, one word. Type your own, or take an example; then tap the word you mean.")),
        (
            ".st-key-home_picture",
            t("The word's vectors: ELMo has two, at an angle, one for each sentence. GloVe has one for both."),
        ),
        (
            ".st-key-home_picture",
            t("Draw the slider: layer 0 sees the spelling only, those above it read the sentence, and the angle opens."),
        ),
    )
    numbered = [
        {"at": at, "said": said, "number": t("Try this: {k} of {n}", k=k, n=len(steps))} for k, (at, said) in enumerate(steps, 1)
    ]
    component = st.components.v2.component("tour", html=HTML, css=CSS, js=SCRIPT)
    data = {"title": t("A tour of three steps"), "next": t("Next"), "skip": t("Skip"), "done": t("Done"), "steps": numbered}
    component(data=data | {"asked": st.query_params.get("tour") == "1"}, key="tour", on_ended_change=_ended)


def link() -> None:
    """The tour once more, from the page's foot."""
    st.button(t("Show the tour"), key="tour.again", type="tertiary", on_click=_again)


def _again() -> None:
    st.query_params["tour"] = "1"


def _ended() -> None:
    st.query_params.pop("tour", None)
