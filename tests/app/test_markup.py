"""A corpus whose words, senses, lemmas, documents and file name are markup: every page that reads it writes them as text."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.visit import opened

IMG, SCRIPT = "<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>"
RAW = re.compile(r"<img src=x|</?script>", re.IGNORECASE)
VISITS = {"pages/neighbors.py": {}, "pages/map.py": {"map_word": IMG}, "pages/search.py": {"find": "heron"}, "pages/why.py": {}}


def evil_corpus(folder: Path) -> Path:
    path = folder / "<img src=x onerror=alert(1)> [l](a).jsonl"
    rows = []
    for k in range(8):
        tokens = ["A", "heron", *(("stood", "in", "the", "pond") if k % 2 else ("stamped", "the", "iron", "plate")), f"{k}", IMG, "."]
        sense = SCRIPT if k % 2 else "[l](javascript:alert(1)) <b>"
        rows.append({"tokens": tokens, "position": 1, "word": "heron", "lemma": IMG, "sense": sense, "document": f"{IMG} {k % 2}"})
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def as_html(page: AppTest) -> list[str]:
    """Whatever a browser would read as HTML: our own blocks, and the texts of figures, where Plotly reads a few tags."""
    charts = [json.loads(chart.proto.spec) for chart in page.get("plotly_chart")]
    return [block.proto.body for block in page.get("html")] + [text for chart in charts for text in texts_of(chart)]


def texts_of(value: object, where: str = "") -> Iterator[str]:
    if isinstance(value, str):
        yield f"{where}: {value}"
    for key, item in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        if key not in ("meta", "ids", "customdata", "template", "uirevision", "scene_uirevision", "selectionrevision", "datarevision"):
            yield from texts_of(item, f"{where}.{key}")


def as_markdown(page: AppTest) -> list[str]:
    """Whatever Streamlit reads as Markdown minus the signs that are escaped."""
    kinds = page.markdown, page.caption, page.info, page.warning, page.error, page.title, page.subheader
    result = [item.value for kind in kinds for item in kind]
    result += [item.label for kind in (page.button, page.metric, page.expander) for item in kind]
    return [re.sub(r"\\.", "", text) for text in result]


@pytest.mark.parametrize("path", VISITS)
def test_a_page_writes_no_markup_of_a_corpus(tmp_path, path: str):
    typed = {"a": f"A heron stood near {IMG}.", "ai": "1", "b": f"The heron of {SCRIPT} is red.", "bi": "1"}
    page = opened(path, corpus=str(evil_corpus(tmp_path)), **typed, **VISITS[path])
    # What stands in the lists is what is looked for: first the corpus is read, which a busy machine shows, then every sentence.
    while page.info or any("All sentences are read once" in text for text in as_html(page)):
        assert all("opens after" in message.value for message in page.info)
        page.run()
    html = as_html(page)
    sent = [str(item.proto) for item in page.get("bidi_component")]  # written as text by their scripts
    assert any("onerror" in text for text in [*html, *sent])
    assert [text[:200] for text in html if RAW.search(text)] == []
    assert [text[:200] for text in as_markdown(page) if RAW.search(text) or "](" in text] == []
