"""Where texts of one's own are brought: pasted, as files, or a folder of this machine."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.common.i18n import t
from core.common.limits import BOX, limits
from core.text.line_breaks import DETECT, JOIN, KEEP
from core.text.sentences import SUFFIXES
from pages._frame.choices import choice, text_box
from pages._frame.uploads import Upload, upload_box, upload_limit

KEY = "corpus_files"


@dataclass(frozen=True, slots=True)
class Brought:
    """What the inputs hold."""

    way: str  # "paste", "files", "folder"
    given: Any  # text, uploads, or a folder's path
    text_column: str
    date_column: str
    lines: str


def draw_inputs() -> Brought:
    """Draw the inputs, and return what they hold."""
    if folder := st.query_params.pop("corpus_folder", ""):  # a path is shown in no address
        st.session_state.setdefault("corpus_folder", folder)
    most = limits()
    ways = {"paste": t("Paste")} | ({"files": t("Files")} if most.uploads else {}) | ({"folder": t("Folder")} if most.paths else {})
    top = st.columns([3, 4, 3], vertical_alignment="bottom")
    way = choice("corpus_way", t("Where are your texts?"), ways, "paste", place=top[0])
    top[2].button(
        t("Example: our sentences"), icon=":material/format_quote:", key="corpus.example", on_click=_take_example, width="stretch"
    )
    if not (most.uploads and most.paths):
        st.caption(t("This server takes no files or folders: paste text, or run the app yourself."))
    given = None
    columns = "", ""
    if way == "paste":
        given = text_box(
            "corpus_text", t("Your text"), "", most.max_pasted, bind=None, height=120, placeholder=t("Paste a chapter, letters, reviews…")
        )
        st.button(t("Read"), icon=":material/menu_book:", key="corpus.read")
    else:
        place = st.columns([4, 1, 1], vertical_alignment="top")
        given = _files(place[0]) if way == "files" else _folder(place[0])
        facts = t("For .csv, .tsv and .xlsx: its name, or number from 1.")
        columns = (
            text_box("corpus_column", t("Text column"), "", BOX["column"], place=place[1], placeholder=t("text"), help=facts),
            text_box("corpus_dates", t("Column of dates"), "", BOX["column"], place=place[2], placeholder=t("date"), help=facts),
        )
    lines = choice(
        "corpus_lines",
        t("Line breaks"),
        {DETECT: t("detect"), JOIN: t("join lines"), KEEP: t("keep lines")},
        DETECT,
        place=top[1],
        help=t("Detect joins wrapped lines and keeps verse and lists."),
    )
    return Brought(way, given, columns[0].strip(), columns[1].strip(), lines)


def _files(place) -> list[Upload]:
    most = limits()
    return upload_box(
        KEY,
        t("Texts, {mb} MB each", mb=upload_limit(most.max_file_mb)),
        most.max_file_mb,
        several=True,
        place=place,
        help=t(
            "{kinds}: at most {files} files, {sentences:,} sentences, {tokens:,} tokens.",
            kinds=", ".join(SUFFIXES),
            files=most.max_files,
            sentences=most.max_sentences,
            tokens=most.max_tokens,
        ),
    )


def _folder(place) -> str:
    return text_box(
        "corpus_folder",
        t("Folder on this machine"),
        "",
        BOX["folder"],
        place=place,
        bind=None,
        placeholder=t("/home/me/texts"),
        help=t("All {kinds} files, subfolders included.", kinds=", ".join(SUFFIXES)),
    )


def _take_example() -> None:
    st.session_state.update(corpus="sentences", corpus_text="", corpus_folder="", corpus_way="paste")
