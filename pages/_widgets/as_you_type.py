"""Text boxes that send their value a moment after each key."""

from pathlib import Path

import streamlit as st

PAUSE_MS = 350
# A text area sends its value on Ctrl + Enter: that is what is pressed here. A character being composed (Korean, Japanese,
# Chinese) is left alone until it stands.
# The timer outlives the component: a run that ends while one types draws the component anew, and what was typed since still
# has to be sent.
SCRIPT = Path(__file__).with_suffix(".js").read_text("utf-8")


def as_you_type(label: str) -> None:
    """Let the text area of that label send its value as one types."""
    component = st.components.v2.component("as_you_type", js=SCRIPT, html="<span></span>")
    component(data={"label": label, "pause": PAUSE_MS}, key=f"as_you_type.{label}", height=1)
    st.html('<style>[data-testid="InputInstructions"] {display: none;}</style>')
