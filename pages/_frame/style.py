"""The house style: what Streamlit's own theme does not say, for every page, wide and at phone width, light and dark."""

import json
from pathlib import Path

STYLE = "<style>\n" + Path(__file__).with_suffix(".css").read_text("utf-8") + "</style>"


def uploader_style(label: str) -> str:
    """Streamlit's box for files speaks English only: its button says `label` instead, and its limit is in our own text above it."""
    box = '[data-testid="stFileUploaderDropzone"]'
    return (
        f"<style>{box} button p {{font-size: 0 !important;}} {box} button p::after {{content: {json.dumps(label)}; font-size: 1rem;}} "
        '[data-testid="stFileUploaderDropzoneInstructions"] {display: none;}</style>'
    )
