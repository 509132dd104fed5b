"""Your corpus: bring texts of one's own, see what reading them takes, search in them, use them on every page."""

import streamlit as st

from core.common.i18n import t
from core.common.limits import BOX, limits
from core.text.line_breaks import DETECT, JOIN, KEEP
from pages._frame.choices import choice, text_box
from pages._frame.frame import frame, lede, question, show

in_use = frame("pages/corpus.py")
question(t("What do your own texts say?"))
lede(t("Add your texts to search them now and explore them with the model on every page."))


def take_example() -> None:
    st.session_state.update(corpus="sentences", corpus_text="", corpus_folder="", corpus_way="paste")


if folder := st.query_params.pop("corpus_folder", ""):  # an older link: a path is shown in no address
    st.session_state.setdefault("corpus_folder", folder)
most = limits()
ways = {"paste": t("Paste")} | ({"files": t("Files")} if most.uploads else {}) | ({"folder": t("Folder")} if most.paths else {})
top = st.columns([3, 4, 3], vertical_alignment="bottom")
way = choice("corpus_way", t("Where are your texts?"), ways, "paste", place=top[0])
top[2].button(t("Example: our sentences"), icon=":material/format_quote:", key="corpus.example", on_click=take_example, width="stretch")
if not (most.uploads and most.paths):
    st.caption(t("This server takes no files or folders: paste text, or run the app yourself."))
given = None
column = ""
if way == "paste":
    given = text_box(
        "corpus_text", t("Your text"), "", most.max_pasted, bind=None, height=120, placeholder=t("Paste a chapter, letters, reviews…")
    )
    st.button(t("Read"), icon=":material/menu_book:", key="corpus.read")
else:
    place = st.columns([3, 1], vertical_alignment="top")
    if way == "files":
        given = place[0].file_uploader(
            t("Texts, {mb} MB each", mb=most.max_file_mb),
            ["txt", "csv", "tsv", "jsonl", "json", "docx"],
            accept_multiple_files=True,
            key="corpus_files",
            max_upload_size=most.max_file_mb,
            help=t(
                "At most {files} files, {sentences:,} sentences, {tokens:,} tokens.",
                files=most.max_files,
                sentences=most.max_sentences,
                tokens=most.max_tokens,
            ),
        )
    else:
        given = text_box(
            "corpus_folder",
            t("Folder on this machine"),
            "",
            BOX["folder"],
            place=place[0],
            bind=None,
            placeholder=t("/home/me/texts"),
            help=t("All .txt, .csv, .tsv, .jsonl, .json and .docx files, subfolders included."),
        )
    column = text_box(
        "corpus_column",
        t("Text column"),
        "",
        BOX["column"],
        place=place[1],
        placeholder=t("text"),
        help=t("For .csv and .tsv: its name, or number from 1."),
    )
lines = choice(
    "corpus_lines",
    t("Line breaks"),
    {DETECT: t("detect"), JOIN: t("join lines"), KEEP: t("keep lines")},
    DETECT,
    place=top[1],
    help=t("Detect joins wrapped lines and keeps verse and lists."),
)
show("pages._corpus.show", in_use, way, given, column.strip(), lines)
