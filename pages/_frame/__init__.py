"""The frame of every page, which each imports first, so it is here that a Python on which nothing works is named."""

import streamlit as st

from core.common.installation import unsupported

if message := unsupported():
    st.error(message, icon=":material/error:")
    st.stop()
