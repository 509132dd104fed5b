"""What the pages share. Every page imports it first, so it is here that a Python on which nothing works is named."""

import streamlit as st

from core.pythons import unsupported

if told := unsupported():
    st.error(told, icon=":material/error:")
    st.stop()
