"""Text boxes that answer while one types: Streamlit's own, whose value is sent a moment after the last key."""

from __future__ import annotations

import streamlit as st

PAUSE_MS = 350
# A text area sends its value on Ctrl + Enter: that is what is pressed here. A character being composed (Korean, Japanese,
# Chinese) is left alone until it stands.
# The timer outlives the component: a run that ends while one types draws the component anew, and what was typed since still
# has to be sent.
SCRIPT = """
let timer = null;
export default function ({ data }) {
  const typed = (event) => {
    const box = event.target;
    if (event.isComposing || !(box instanceof HTMLTextAreaElement) || box.getAttribute("aria-label") !== data.label) return;
    clearTimeout(timer);
    const page = location.pathname, enter = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true });
    const send = () => { if (location.pathname === page) box.dispatchEvent(enter); };
    timer = setTimeout(send, data.pause);
  };
  const composed = (event) => typed({ target: event.target, isComposing: false });
  document.addEventListener("input", typed);
  document.addEventListener("compositionend", composed);
  return () => {
    document.removeEventListener("input", typed);
    document.removeEventListener("compositionend", composed);
  };
}
"""


def as_you_type(label: str) -> None:
    """Let the text area of that label send its value as one types."""
    component = st.components.v2.component("as_you_type", js=SCRIPT, html="<span></span>")
    component(data={"label": label, "pause": PAUSE_MS}, key=f"as_you_type.{label}", height=1)
    st.html('<style>[data-testid="InputInstructions"] {display: none;}</style>')
