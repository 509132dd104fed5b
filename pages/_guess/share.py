"""The line to share, with a button that copies it; where a browser does not let a page copy, the line is selected instead."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from core.common.i18n import t

CARRIED = ("lang", "model")  # of an address: what else tells which sentences are asked, and who reads them
SCRIPT = """
export default function ({ data, parentElement }) {
  const line = parentElement.querySelector("p"), button = parentElement.querySelector("button");
  const status = parentElement.querySelector("[role=status]");
  line.textContent = data.line;
  button.textContent = data.copy;
  const select = () => {
    const range = document.createRange(), selection = line.getRootNode().getSelection?.() ?? getSelection();
    range.selectNodeContents(line);
    selection.removeAllRanges();
    selection.addRange(range);
  };
  button.onclick = async () => {
    try {
      await navigator.clipboard.writeText(data.line);
      status.textContent = data.copied;
    } catch {
      select();
      status.textContent = data.selected;
    }
  };
}
"""
HTML = '<div class="share"><p></p><button type="button"></button><span role="status"></span></div>'
STYLE = """
.share {display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 0.8rem; font-family: var(--st-font); color: var(--st-text-color);}
.share p {margin: 0; padding: 0.55rem 0.8rem; border: 1px solid var(--st-border-color, rgba(128,128,140,0.4)); border-radius: 0.5rem;
          overflow-wrap: anywhere; line-height: 1.5; flex: 0 1 auto; user-select: all;}
.share button {min-height: 44px; padding: 0 1rem; border: 1px solid #1F6BAC; border-radius: 0.5rem; background: #1F6BAC; color: #fff;
               font: inherit; cursor: pointer;}
.share button:focus-visible {outline: 2px solid #8EC1E8; outline-offset: 2px;}
"""
_share = st.components.v2.component("guess_share", html=HTML, css=STYLE, js=SCRIPT)


def link(number: int) -> str:
    """The way to a quiz for whoever gets the line: the page's own address, the number, and the model where it is not the usual one."""
    kept = {key: st.query_params[key] for key in CARRIED if key in st.query_params}
    return f"{(st.context.url or '').partition('?')[0]}?{urlencode({'quiz': number, **kept})}"


def share(line: str) -> None:
    """The line and its button."""
    words = {"copy": t("Copy"), "copied": t("Copied"), "selected": t("Selected: press Ctrl + C")}
    _share(key="guess.share", data={"line": line, **words})
