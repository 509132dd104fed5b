"""What the browser is told for every page: how Back and Forward go, and how long a text a box takes.

Streamlit writes bound values into the address as they change: one the reader changed replaces the entry of the history it stands
in, one that the program changed makes an entry of its own, so that an example's two sentences and two words were four. Here every
step of the reader's (a text sent, a tap, an example, a page) is one entry, and what follows from it within the run is written into
that entry. Values changed again at once (a slider drawn, a text area typed in) stay one step.

A box of Streamlit's with `max_chars` takes nothing at all of a longer text that is pasted. The browser's own limit cuts it.
"""

from __future__ import annotations

import streamlit as st

from core.common.i18n import t
from pages._frame.markup import show_html

SCRIPT = """
const KEY = "__elmoscope_steps", AGAIN_MS = 1000, UNSEEN_MS = 1500, LATE_MS = 3000;
const TYPED = '[data-testid="stTextArea"] textarea, [data-testid="stTextInput"] input';  // sent as one types, or by Enter
const running = () => document.querySelector("[data-test-script-state]")?.dataset.testScriptState === "running";
const changed = (from, to) => {
  const a = new URLSearchParams(from), b = new URLSearchParams(to);
  return [...new Set([...a.keys(), ...b.keys()])].filter((k) => a.getAll(k).join("\\n") !== b.getAll(k).join("\\n")).sort().join();
};
function install() {
  const push = history.pushState.bind(history), replace = history.replaceState.bind(history);
  // touched: the reader did something that no run has taken up; owed: this run's first change of the address is a step's.
  let touched = false, owed = false, leaving = "", travelling = false, heard = false, last = { keys: "", at: 0 }, touchedAt = 0;
  let path = location.pathname, arrived = "";  // the page shown; the address of another one that Back led to, until it is taken up
  const same = (url) => new URL(url ?? location.href, location.href);
  history.pushState = (state, title, url) => {  // by the program, or another page
    const to = same(url);
    if (to.pathname !== location.pathname) {
      // The page that is left keeps its address: what it lost of it on the way belongs to the next one.
      if (leaving && same(leaving).pathname === location.pathname) replace(history.state, title, leaving);
      touched = owed = false;
      leaving = "";
      last = { keys: "", at: 0 };
      path = to.pathname;
      return push(state, title, url);
    }
    if (leaving) return replace(state, title, url);
    if (arrived) return replace(state, title, location.href);
    const step = !travelling && (owed || (touched && !running()));
    touched = owed = false;
    if (step) last = { keys: "", at: 0 };  // what is typed next goes on with nothing
    return step ? push(state, title, url) : replace(state, title, url);
  };
  history.replaceState = (state, title, url) => {  // by the reader, or after Back
    const keys = changed(location.search, same(url).search), now = Date.now(), box = document.activeElement;
    // Back to another page: before that page has run, Streamlit takes out of its address what the page just left had bound too.
    if (arrived) return replace(state, title, location.href);
    if (travelling || leaving || !keys) return replace(state, title, url);
    const goesOn = box?.matches(TYPED) || box?.getAttribute("role") === "slider";
    const again = keys === last.keys && (goesOn || now - last.at < AGAIN_MS);
    last = { keys, at: now };
    touched = owed = false;
    return again ? replace(state, title, url) : push(state, title, url);
  };
  const touch = (event) => {
    if (!event.isTrusted) return;
    if (!running()) travelling = false;
    arrived = "";
    // What is typed is a step once it is sent (replaceState), not with each key: a run that one has begun may still be going on.
    if (!event.target.matches?.(TYPED)) {
      touched = true;
      touchedAt = Date.now();
    }
    const link = event.target.closest?.('[data-testid="stPageLink"] a');  // its href is not where it leads
    const leaves = link && event.type === "click" && !event.ctrlKey && !event.metaKey && !event.shiftKey;
    leaving = leaves ? location.href : "";  // until the other page is pushed: a run of this one may end in between
  };
  for (const kind of ["pointerdown", "keydown", "click"]) document.addEventListener(kind, touch, true);
  addEventListener("popstate", () => {
    travelling = true;
    touched = owed = heard = false;
    leaving = "";
    last = { keys: "", at: 0 };
    if (location.pathname !== path) {
      arrived = location.href;
      setTimeout(settle, UNSEEN_MS, arrived);
    }
    path = location.pathname;
  }, true);
  // The page's first run began without what the page just left had bound too: told once more, it takes up the whole address.
  const tell = () => {
    replace(history.state, "", arrived);
    arrived = "";
    dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
  };
  const settle = (address) => {  // a run so short that nobody saw it
    if (arrived !== address) return;
    if (running() || heard) setTimeout(settle, UNSEEN_MS, address);
    else tell();
  };
  let ran = running();
  new MutationObserver((changes) => {
    const runs = running(), both = changes.some((one) => one.oldValue === "running");  // begun and ended between two looks
    if (runs === ran && !(both && arrived)) return;
    if (both && !runs) heard = true;
    ran = runs;
    if (runs) {
      heard = true;
      if (touched) owed = true;
      touched = false;
    } else {
      // A run that changed nothing in the address may have been another's, asked for just before: the step's own is still to come.
      touched ||= owed && Date.now() - touchedAt < LATE_MS;
      owed = false;
      if (arrived && heard) tell();
      else if (heard) travelling = false;
    }
  }).observe(document.body, { subtree: true, attributes: true, attributeFilter: ["data-test-script-state"], attributeOldValue: true });
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return;
    const label = target.getAttribute("aria-label");
    const told = [...document.querySelectorAll(".most[data-box]")].findLast((one) => one.dataset.box === label);
    if (told) target.maxLength = +told.dataset.most;
  });
}
export default function () {
  if (window[KEY]) return;
  window[KEY] = true;
  install();
}
"""
STYLE = """
<style>
  .st-key-browser, [data-testid="stElementContainer"]:has(> .stHtml > .most) {display: none;}
</style>
"""


def begin() -> None:
    """On every page, once."""
    st.components.v2.component("browser", js=SCRIPT, html="<span></span>")(key="browser")


def limited(place, label: str, text: str | None, most: int) -> None:
    """In `place`, below the box of that label, which takes `most` characters: a longer text is cut there, and that is said."""
    show_html('<span class="most" data-box="{}" data-most="{}"></span>', label, most, place=place)
    if len((text or "").encode("utf-16-le", "replace")) // 2 >= most:  # as a browser counts
        place.caption(t("This box is full: only the first {n:,} characters are read.", n=most))
