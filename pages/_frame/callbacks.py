"""Complete every callback before the next run of the session begins.

When the user clicks again, Streamlit starts a new run in another thread and stops the old one at its next access to the session state, even
in the middle of a callback. The rest of that callback would never run: a text would be deleted, but its name would stay selected. This module
lets a run stop only outside callbacks, and makes the new run wait for them.
"""

from functools import cache, wraps
from threading import RLock
from typing import Any

from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequest, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import RunLocation, ThreadState
from streamlit.runtime.state.session_state import SessionState

_LOCK = "_callbacks.lock"  # a key of the session


@cache
def install() -> None:
    """Patch Streamlit so that no click interrupts a callback, in all sessions of this process."""
    next_request, begin_run = ScriptRequests.on_scriptrunner_yield, SessionState.on_script_will_rerun

    @wraps(next_request)
    def next_outside_callbacks(self: ScriptRequests) -> ScriptRequest | None:
        return None if ThreadState.get().run_location is RunLocation.CALLBACK else next_request(self)

    @wraps(begin_run)
    def begin_after_callbacks(self: SessionState, *args: Any, **options: Any) -> None:
        with self._old_state.setdefault(_LOCK, RLock()):
            begin_run(self, *args, **options)

    ScriptRequests.on_scriptrunner_yield, SessionState.on_script_will_rerun = next_outside_callbacks, begin_after_callbacks
