"""The offer of Home as one HTML file."""

import pytest

from pages._cached import jobs
from pages._home import show as home
from tests.app.visit import opened_whole


@pytest.mark.slow
def test_html_file_of_home_is_made_on_request_and_downloaded():
    app = opened_whole()
    assert not [button for button in app.button if button.key == f"{home.ALONE}.make"]
    app.session_state[home.ALONE] = True  # the expander
    app.run()
    app.button(key=f"{home.ALONE}.make").click().run()
    (current,) = [job for (kind, _), job in jobs._jobs()[0].items() if kind == home.ALONE_JOB]
    current.wait(300)
    assert current.error is None and current.result.startswith(b"<!DOCTYPE html>")
    app.run()
    assert not app.exception
    assert [item.proto.label for item in app.get("download_button") if item.proto.id.endswith(f"{home.ALONE}.file")] == ["Download, 27 MB"]
