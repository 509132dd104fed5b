"""Run every callback to its end, and the next run of the session after it.

When the user clicks again, Streamlit begins a new run at once, in another thread, and stops the old one at its next access of the session's
state. In the middle of a callback this would leave half of the work undone for good: a text would be deleted, and its name still in use.
With this module, the old run stops only outside callbacks, and the new one waits for its callbacks.
"""

from functools import wraps
from threading import RLock
from typing import Any

from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequest, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import RunLocation, ThreadState
from streamlit.runtime.state.session_state import SessionState

_LOCK = "_callbacks.lock"  # a key of the session
_INSTALLED = "_elmoscope_callbacks"


def install() -> None:
    """Patch Streamlit so that no click interrupts a callback, in all sessions of this process."""
    if hasattr(ScriptRequests, _INSTALLED):
        return
    next_request, begin_run = ScriptRequests.on_scriptrunner_yield, SessionState.on_script_will_rerun

    @wraps(next_request)
    def next_outside_callbacks(self: ScriptRequests) -> ScriptRequest | None:
        return None if ThreadState.get().run_location is RunLocation.CALLBACK else next_request(self)

    @wraps(begin_run)
    def begin_after_callbacks(self: SessionState, *args: Any, **options: Any) -> None:
        with self._old_state.setdefault(_LOCK, RLock()):
            begin_run(self, *args, **options)

    ScriptRequests.on_scriptrunner_yield, SessionState.on_script_will_rerun = next_outside_callbacks, begin_after_callbacks
    setattr(ScriptRequests, _INSTALLED, True)
