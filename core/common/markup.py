"""Texts that are not ours (typed words, labels, names of files, errors about them) where HTML or Markdown is read.

The only place that knows how they are escaped: `plain` for Markdown, `markupsafe.escape` (and jinja2's templates, which use it)
for HTML, and `ours` for sentences of HTML that are put together from both.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markupsafe import Markup, escape

MARKDOWN = frozenset(r"\`*_{}[]()#+-.!|:$~<>^&")  # what Streamlit's Markdown, or a notebook's, may take for markup
TAGS = frozenset({"b", "i", "em", "strong", "s", "sub", "sup", "small", "code"})  # in sentences of ours; and <br>, and links
LINK = re.compile(r"https://[\w./?&=#%+-]+")


def plain(text: object, most: int | None = None) -> str:
    """`text` in one line, cut to `most` letters, as Markdown that shows it as it stands: nothing is marked up, linked or fetched."""
    line = " ".join(re.split(r"[\s\x00-\x1f]+", str(text)))
    if most is not None and len(line) > most:
        line = line[: most - 1] + "…"
    return "".join(f"\\{sign}" if sign in MARKDOWN else sign for sign in line)


def ours(html: str) -> Markup:
    """A sentence of our own HTML, in which user text should be escaped already: any other markup in it becomes text.

    What may stand in such a sentence is TAGS without attributes, a line break and a link by https; each is closed at its end.
    """
    if isinstance(html, Markup):
        return html
    reader = _Ours()
    reader.feed(html)
    reader.close()
    return Markup("".join(reader.parts) + "".join(f"</{tag}>" for tag in reversed(reader.opened)))


class _Ours(HTMLParser):
    """Reads HTML and writes it anew, so that nothing of it reaches a browser as it came."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.opened: list[str] = []

    def set_cdata_mode(self, *_, **__) -> None:
        """No tag of ours begins a text in which tags do not count, as <script> does."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href") or ""
        if tag == "br" and not attrs:
            self.parts.append("<br>")
        elif (tag in TAGS and not attrs) or (tag == "a" and len(attrs) == 1 and LINK.fullmatch(href)):
            self.parts.append(f'<a href="{escape(href)}" rel="noreferrer">' if tag == "a" else f"<{tag}>")
            self.opened.append(tag)
        else:
            self.parts.append(escape(self.get_starttag_text() or ""))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.parts.append("<br>" if tag == "br" and not attrs else escape(self.get_starttag_text() or ""))

    def handle_endtag(self, tag: str) -> None:
        if self.opened[-1:] == [tag]:
            self.parts.append(f"</{self.opened.pop()}>")
        else:
            self.parts.append(escape(f"</{tag}>"))

    def handle_data(self, data: str) -> None:
        self.parts.append(escape(data))

    def handle_comment(self, data: str) -> None:
        self.parts.append(escape(f"<!--{data}-->"))

    def handle_decl(self, decl: str) -> None:
        self.parts.append(escape(f"<!{decl}>"))

    def unknown_decl(self, data: str) -> None:
        self.parts.append(escape(f"<![{data}]>"))

    def handle_pi(self, data: str) -> None:
        self.parts.append(escape(f"<?{data}>"))
