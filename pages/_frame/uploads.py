"""Files that a user brought by the browser: kept for the session, on every page, until the user removes them.

Streamlit forgets what a file box holds when its page is left. So a box is only the way in: what comes is stored in the session's own
folder, and listed below the box with a button that removes it.
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
from core.files import uploaded
from core.files.quotas import UPLOAD, VISITS
from pages._frame.markup import plain

_FOLDER, _KEPT = "uploads", "uploads.kept"  # in the session
LISTED = 20  # files with a button of their own


@dataclass(frozen=True, slots=True)
class Upload:
    """A file that a user brought."""

    name: str  # its owner's, to be shown
    path: Path
    number: int  # of the session's uploads

    def read(self) -> bytes:
        return self.path.read_bytes()


def upload_limit(most_mb: int) -> int:
    """Return how many MB a file may have that a page reads up to `most_mb` of: the server may take less (server.maxUploadSize)."""
    return min(most_mb, st.get_option("server.maxUploadSize"))


def upload_box(key: str, label: str, most_mb: int, *, several: bool = False, help: str | None = None, place: Any = st) -> list[Upload]:
    """Draw a box for files of at most so many MB each, and return those brought through it that are here, the latest last.

    Any format is taken, so that whoever reads the file can say how to convert it. `several`: files add up; else a new one takes the place
    of the last.
    """
    state = st.session_state
    widget = f"{key}.{state.get(f'{key}.turn', 0)}"
    place.file_uploader(
        label,
        accept_multiple_files=several,
        key=widget,
        max_upload_size=upload_limit(most_mb),
        help=help,
        on_change=_take,
        args=(key, widget, several),
    )
    if refusal := state.pop(f"{key}.refused", ""):
        place.error(plain(refusal), icon=":material/error:")
    files = uploads(key)
    if files:
        _list(key, files, place)
    return files


def uploads(key: str) -> list[Upload]:
    """Return the files brought through a box; none where uploads are off."""
    if not limits().uploads:
        return []
    return list(st.session_state.get(_KEPT, {}).get(key, ()))


def remove(key: str, number: int | None = None) -> None:
    """Remove one file of a box, or all of them, from this machine."""
    kept = st.session_state.get(_KEPT, {})
    gone = [file for file in kept.get(key, ()) if number in (None, file.number)]
    kept[key] = [file for file in kept.get(key, ()) if file not in gone]
    for file in gone:
        file.path.unlink(missing_ok=True)
        VISITS.held().made.pop((UPLOAD, file.number), None)


def _take(key: str, widget: str, several: bool) -> None:
    """Store what came into a box, in the callback of its change, and leave the box empty for the next."""
    state = st.session_state
    came = state.get(widget)
    came = [file for file in (came if isinstance(came, list) else [came]) if isinstance(file, UploadedFile)]  # else there is no such file
    if not came or not limits().uploads:
        return
    if not several:
        state.setdefault(_KEPT, {})[key] = []  # its file stays in the folder: a training that waits may still read it
    folder = state.setdefault(_FOLDER, tempfile.TemporaryDirectory(prefix="elmoscope-"))  # it goes when the session ends
    for file in came:
        try:
            VISITS.check(file.size)
        except BadInput as error:
            state[f"{key}.refused"] = str(error)
            break
        number = state[f"{_KEPT}.n"] = state.get(f"{_KEPT}.n", 0) + 1
        VISITS.held().made[UPLOAD, number] = file.size
        stored = uploaded.keep(file.name, file.getvalue(), Path(folder.name))
        state.setdefault(_KEPT, {}).setdefault(key, []).append(Upload(stored.name, stored.path, number))
    state[f"{key}.turn"] = state.get(f"{key}.turn", 0) + 1
    _free(came)


def _free(files: list[UploadedFile]) -> None:
    """Free Streamlit's own copies in memory, which it would keep until the visit ends."""
    if context := get_script_run_ctx():
        for file in files:
            context.uploaded_file_mgr.remove_file(context.session_id, file.file_id)


def _list(key: str, files: list[Upload], place: Any) -> None:
    row = place.container(horizontal=True, gap="small", key=f"{key}.here".replace(".", "-"))
    for file in files[:LISTED]:
        row.button(
            t("Remove {name}", name=plain(shorten(file.name, 60))),
            icon=":material/close:",
            key=f"{key}.remove.{file.number}",
            on_click=remove,
            args=(key, file.number),
        )
    if len(files) > 1:
        more = len(files) - LISTED
        if more > 0:
            row.caption(tn("and {n:,} more file", "and {n:,} more files", more))
        row.button(t("Remove all files"), icon=":material/delete:", key=f"{key}.remove", on_click=remove, args=(key,))
