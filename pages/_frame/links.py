"""Short links: one parameter, `?v=`, in whose place the view that it holds stands before anything of the page is drawn."""

import streamlit as st

from core.common import short_links
from core.common.errors import BadInput

KEY = "v"
WRONG = "link.wrong"  # in the session, for the run that says so


def open_view() -> None:
    """The address becomes the view's own, as a long link has it; what holds none leaves the page as it opens."""
    code = st.query_params.get(KEY)
    if code is None:
        return
    del st.query_params[KEY]
    try:
        found = short_links.expanded(code)
    except BadInput as error:
        st.session_state[WRONG] = str(error)
        return
    st.query_params.from_dict({name: [value for other, value in found if other == name] for name, _ in found})
    st.rerun()  # boxes read the address as it was when the run began


def say_if_wrong() -> None:
    """What was wrong with the link that opened the page, once."""
    if wrong := st.session_state.pop(WRONG, ""):
        st.warning(wrong, icon=":material/link_off:")
