"""Home's press that makes the page which runs by itself."""

import pytest

from pages._cached import jobs
from pages._home import alone
from tests.app.visit import opened_whole


@pytest.mark.slow
def test_the_page_is_made_at_a_press_and_handed_out():
    app = opened_whole()
    assert not [button for button in app.button if button.key == f"{alone.KEY}.make"]
    app.session_state[alone.KEY] = True  # the expander
    app.run()
    app.button(key=f"{alone.KEY}.make").click().run()
    (current,) = [job for (kind, _), job in jobs._jobs()[0].items() if kind == alone.JOB]
    current.wait(300)
    assert current.error is None and current.result.startswith(b"<!DOCTYPE html>")
    app.run()
    assert not app.exception
    assert [item.proto.label for item in app.get("download_button") if item.proto.id.endswith(f"{alone.KEY}.file")] == ["Download, 27 MB"]
