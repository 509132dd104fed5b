"""The inputs for the user's texts: pasted text, files, or a folder of this machine."""

from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.common.i18n import t
from core.common.limits import BOX, limits
from core.text import languages
from core.text.corpora import BUNDLED_CORPUS
from core.text.sentence_ends import DETECT, JOIN, KEEP
from core.text.sentences import SUFFIXES
from pages._frame import uploads
from pages._frame.choices import choice, text_box
from pages._frame.uploads import upload_box, upload_limit

KEY = "corpus_files"
ASIDE = "corpus.aside"  # the session's key for the source and value of the texts that the example replaces for now
BOXES = {"paste": "corpus_text", "folder": "corpus_folder"}


@dataclass(frozen=True, slots=True)
class TextInputs:
    source: str  # "paste", "files", "folder"
    value: Any  # text, uploads, or a folder's path
    text_column: str
    date_column: str
    lines: str


def read_inputs() -> TextInputs:
    """Return the values of the inputs on any part of the page.

    A click may end the run that an upload began, so no earlier run need have read the files.
    """
    state, titles = st.session_state, _source_titles()
    source = state.get("corpus_way")
    source = source if source in titles else next(iter(titles))
    value = "" if _is_aside(source) else _value_of(source)
    if not _is_aside(source):
        state.pop(ASIDE, None)  # another source or value brings the user's texts back
    text_column = date_column = ""
    if source != "paste":
        text_column = (state.get("corpus_column") or "").strip()
        date_column = (state.get("corpus_dates") or "").strip()
    return TextInputs(source, value, text_column, date_column, state.get("corpus_lines") or DETECT)


def clear(source: str, value: Any) -> None:
    """Empty the inputs of a source if they still have this value."""
    if _value_of(source) != value:
        return
    if source == "files":
        uploads.remove(KEY)
    else:
        st.session_state[BOXES[source]] = ""


def _is_aside(source: str) -> bool:
    """Return whether the example is searched instead of the user's texts."""
    return st.session_state.get(ASIDE) == (source, _value_of(source))


def _value_of(source: str) -> Any:
    return uploads.uploads(KEY) if source == "files" else st.session_state.get(BOXES[source]) or ""


def _source_titles() -> dict[str, str]:
    titles = {"files": t("Files"), "paste": t("Paste"), "folder": t("Folder")}
    if not limits().uploads:
        del titles["files"]
    if not limits().paths:
        del titles["folder"]
    return titles


def draw_inputs() -> None:
    if folder := st.query_params.pop("corpus_folder", ""):  # a path is shown in no address
        st.session_state.setdefault("corpus_folder", folder)
    allowed = limits()
    zone = st.container()
    titles = _source_titles()
    row = st.columns([4, 3, 3], vertical_alignment="bottom")
    source = choice("corpus_way", t("Where are your texts?"), titles, next(iter(titles)), place=row[0], label_visibility="collapsed")
    label = t("Your texts") if _is_aside(source) else t("Example: our sentences")
    row[1].button(label, on_click=_switch_example, args=(source,), icon=":material/format_quote:", key="corpus.example", width="stretch")
    with row[2].popover(t("More"), icon=":material/tune:", key="corpus.more", width="stretch"):
        if source != "paste":
            about = t("For .csv, .tsv and .xlsx: its name, or number from 1.")
            text_box("corpus_column", t("Text column"), "", BOX["column"], placeholder=t("text"), help=about)
            text_box("corpus_dates", t("Column of dates"), "", BOX["column"], placeholder=t("date"), help=about)
        line_breaks = {DETECT: t("detect"), JOIN: t("join lines"), KEEP: t("keep lines")}
        choice("corpus_lines", t("Line breaks"), line_breaks, DETECT, help=t("Detect joins wrapped lines and keeps verse and lists."))
    if not (allowed.uploads or allowed.paths):
        st.caption(t("This server takes no files or folders: paste text, or run the app yourself."))
    {"files": _files, "paste": _paste, "folder": _folder}[source](zone)


def _paste(place) -> None:
    with place:
        hint = t("Paste a chapter, letters, reviews…")
        text_box("corpus_text", t("Your text"), "", limits().max_pasted, bind=None, height=120, placeholder=hint)
        st.button(t("Read"), icon=":material/menu_book:", key="corpus.read")


def _files(place) -> None:
    allowed = limits()
    values = {"files": allowed.max_files, "sentences": allowed.max_sentences, "tokens": allowed.max_tokens, "kinds": ", ".join(SUFFIXES)}
    about = t("{kinds}: at most {files} files, {sentences:,} sentences, {tokens:,} tokens.", **values)
    label = t("Texts, {mb} MB each", mb=upload_limit(allowed.max_file_mb))
    upload_box(KEY, label, allowed.max_file_mb, several=True, place=place, help=about)


def _folder(place) -> None:
    about = t("All {kinds} files, subfolders included.", kinds=", ".join(SUFFIXES))
    options = {"place": place, "bind": None, "placeholder": t("/home/me/texts"), "help": about}
    text_box("corpus_folder", t("Folder on this machine"), "", BOX["folder"], **options)


def _switch_example(source: str) -> None:
    if _is_aside(source):
        del st.session_state[ASIDE]
        return
    st.session_state.corpus = languages.in_use().sentences or BUNDLED_CORPUS
    if value := _value_of(source):
        st.session_state[ASIDE] = source, value
