"""Slides: the app's pictures one idea a screen, in large type, with notes for whoever speaks."""

import streamlit as st

from pages._frame.frame import frame, question, show
from pages._teach.words import notes, slide_named, stepper

in_use = frame("pages/teach.py")
slide, foot = st.container(key="one_idea", gap="small"), st.container(key="one_idea_foot", gap="small")
with foot:
    number = stepper()
    notes(number)
with slide:
    question(slide_named(number).title)
    show("pages._teach.show", in_use, number)
