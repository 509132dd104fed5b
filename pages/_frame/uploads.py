"""Store uploaded files for the session, for every page, until the user removes them.

Streamlit drops the files of an upload box when the user opens another page. Therefore new files are stored in a folder of the session at
once, and listed below the box with a button that removes them.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFile

from core.common.errors import BadInput
from core.common.i18n import t, tn
from core.common.limits import limits
from core.common.markup import shorten
from core.files import user_names
from core.files.quotas import UPLOAD, VISITS
from pages._frame.markup import plain
from pages._frame.question import token_labels

_FOLDER, _KEPT, _REPLACED = "uploads", "uploads.kept", "uploads.replaced"  # keys of the session
LISTED = 20  # files with a separate button


@dataclass(frozen=True, slots=True)
class Upload:
    name: str  # the owner's name of the file, for display
    path: Path
    number: int  # counts the session's uploads

    def read(self) -> bytes:
        return self.path.read_bytes()


def upload_limit(most_mb: int) -> int:
    """Return the largest size in MB of an upload: `most_mb`, or the server's limit (server.maxUploadSize) if that is lower."""
    return min(most_mb, st.get_option("server.maxUploadSize"))


def upload_box(key: str, label: str, most_mb: int, *, several: bool = False, help: str | None = None, place: Any = st) -> list[Upload]:
    """Draw an upload box for files of at most `most_mb` MB. Return its files, latest last. A file replaces the last, unless `several`."""
    state = st.session_state
    widget = f"{key}.{state.get(f'{key}.turn', 0)}"
    options = {"accept_multiple_files": several, "max_upload_size": upload_limit(most_mb), "help": help}
    place.file_uploader(label, key=widget, on_change=_take, args=(key, widget, several), **options)
    if refusal := state.pop(f"{key}.refused", ""):
        place.error(plain(refusal), icon=":material/error:")
    if files := uploads(key):
        _list(key, files, place)
    return files


def uploads(key: str) -> list[Upload]:
    """Return the files of an upload box, or none if uploads are off."""
    return list(st.session_state.get(_KEPT, {}).get(key, ())) if limits().uploads else []


def remove(key: str, number: int | None = None) -> None:
    """Remove one file of a box, or all of them, from this machine."""
    files_by_box = st.session_state.get(_KEPT, {})
    removed_files = [file for file in files_by_box.get(key, ()) if number in (None, file.number)]
    files_by_box[key] = [file for file in files_by_box.get(key, ()) if file not in removed_files]
    for file in (*removed_files, *st.session_state.get(_REPLACED, {}).pop(key, ())):
        file.path.unlink(missing_ok=True)
        VISITS.get_holdings().data_sizes.pop((UPLOAD, file.number), None)


def _take(key: str, widget: str, several: bool) -> None:
    """Store the new files of a box and empty the box. Streamlit calls this function when the box changes."""
    state = st.session_state
    value = state.get(widget)
    # Streamlit returns another class for deleted and missing files.
    new_files = [file for file in (value if isinstance(value, list) else [value]) if isinstance(file, UploadedFile)]
    if not new_files or not limits().uploads:
        return
    taken = []
    folder = state.setdefault(_FOLDER, tempfile.TemporaryDirectory(prefix="elmoscope-"))  # deleted when the session ends
    for file in new_files:
        try:
            VISITS.check(file.size)
            stored = user_names.store(file.name, file.getvalue(), Path(folder.name))
        except BadInput as error:
            state[f"{key}.refused"] = str(error)
            break
        number = state[f"{_KEPT}.n"] = state.get(f"{_KEPT}.n", 0) + 1
        VISITS.get_holdings().data_sizes[UPLOAD, number] = file.size
        taken.append(Upload(stored.name, stored.path, number))
    files_by_box = state.setdefault(_KEPT, {})
    earlier = files_by_box.get(key, [])
    if taken and not several:  # a replaced file stays until the box is emptied, because a waiting training may still read it
        state.setdefault(_REPLACED, {}).setdefault(key, []).extend(earlier)
    if several:
        files_by_box[key] = [*earlier, *taken]
    else:
        files_by_box[key] = taken or earlier
    state[f"{key}.turn"] = state.get(f"{key}.turn", 0) + 1
    if context := get_script_run_ctx():
        for file in new_files:  # Streamlit would hold its copies in memory until the session ends
            context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)


def _list(key: str, files: list[Upload], place: Any) -> None:
    row = place.container(horizontal=True, gap="small", key=f"{key}.here".replace(".", "-"))
    names = token_labels([file.name for file in files[:LISTED]], lambda name: plain(shorten(name, 60)))
    for file, name in zip(files, names, strict=False):
        label = t("Remove {name}", name=name)
        row.button(label, key=f"{key}.remove.{file.number}", icon=":material/close:", on_click=remove, args=(key, file.number))
    if len(files) > 1:
        if (more := len(files) - LISTED) > 0:
            row.caption(tn("and {n:,} more file", "and {n:,} more files", more))
        row.button(t("Remove all files"), icon=":material/delete:", key=f"{key}.remove", on_click=remove, args=(key,))
