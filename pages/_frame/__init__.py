"""The frame of every page, which each imports first, so it is here that a Python on which nothing works is named."""

import streamlit as st

from core.common.pythons import unsupported

if told := unsupported():
    st.error(told, icon=":material/error:")
    st.stop()
