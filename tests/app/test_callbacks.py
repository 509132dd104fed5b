"""Test that a callback runs to its end, and the next run after it, if the user clicks again meanwhile."""

import threading

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetStates
from streamlit.runtime.state.session_state import SessionState
from streamlit.testing.v1 import AppTest

from pages._frame import patches

pytestmark = pytest.mark.unread  # no page is opened


def script() -> None:
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx
    from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

    from pages._frame import patches

    def delete() -> None:
        get_script_run_ctx().script_requests.request_rerun(RerunData())  # the user clicks again
        st.session_state.deleted = True
        st.session_state.forgotten = True

    patches.protect_callbacks()
    st.button("Delete", on_click=delete)


def test_second_click_does_not_interrupt_a_callback():
    page = AppTest.from_function(script).run()
    page.button[0].click().run()
    assert page.session_state.deleted and page.session_state.forgotten


def test_next_run_waits_for_the_callbacks_of_the_session_and_not_for_those_of_others(monkeypatch):
    patches.protect_callbacks()
    entered, may_end, order = threading.Event(), threading.Event(), []

    def call(self: SessionState, **_) -> None:
        if self is not mine or "first" in order:
            order.append("other" if self is not mine else "second")
            return
        order.append("first")
        entered.set()
        may_end.wait(20)
        order.append("end")

    monkeypatch.setattr(SessionState, "_call_callbacks", call)
    mine, other = SessionState(), SessionState()
    runs = [threading.Thread(target=mine.on_script_will_rerun, args=(WidgetStates(),)) for _ in range(2)]
    runs[0].start()
    assert entered.wait(20)
    runs[1].start()
    other.on_script_will_rerun(WidgetStates())
    may_end.set()
    for run in runs:
        run.join(20)
    assert order == ["first", "other", "end", "second"]


def test_click_on_a_widget_that_another_has_replaced_runs_no_callback():
    patches.protect_callbacks()
    state = SessionState()
    state._new_widget_state.set_from_value("$$ID-1-ai", 3)
    assert state._widget_changed("$$ID-1-ai")
    state._key_id_mapper["ai"] = "$$ID-2-ai"  # the next page has drawn its own tokens under this key
    assert not state._widget_changed("$$ID-1-ai")
