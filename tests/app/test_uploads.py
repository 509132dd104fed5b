"""Test that a file in an upload box stays until another one has taken its place, or the user removes it."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from core.common.errors import BadInput


def script(several: bool) -> None:
    import streamlit as st

    from pages._frame.uploads import upload_box

    st.session_state.found = [(file.name, file.read()) for file in upload_box("box", "Files", 5, several=several)]


def with_two_files(several: bool) -> AppTest:
    page = AppTest.from_function(script, args=(several,)).run()
    for name in ("a.txt", "b.txt"):
        page.file_uploader[0].upload(name, name.encode())
        page.run()
    return page


def test_removing_a_file_removes_those_it_replaced():
    page = with_two_files(several=False)
    folder = Path(page.session_state["uploads"].name)
    assert len([*folder.iterdir()]) == 2  # a waiting training may read the first one
    page.button[0].click().run()
    assert not [*folder.iterdir()] and page.session_state.found == []


@pytest.mark.parametrize(("several", "found"), [(False, ["b.txt"]), (True, ["a.txt", "b.txt"])])
def test_a_refused_file_replaces_no_other(monkeypatch, several, found):
    page = with_two_files(several)
    assert page.session_state.found == [(name, name.encode()) for name in found]

    def refuse(*_: object) -> None:
        raise BadInput("no room")

    for place in ("pages._frame.uploads.VISITS.check", "pages._frame.uploads.user_names.store"):
        with monkeypatch.context() as patch:
            patch.setattr(place, refuse)
            page.file_uploader[0].upload("c.txt", b"c")
            page.run()
        assert [item.value for item in page.error] == ["no room"]
        assert page.session_state.found == [(name, name.encode()) for name in found]
