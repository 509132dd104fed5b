"""Lessons: six questions that a course asks of contextual vectors, each with its baseline, its control and its interval."""

from pages._frame.frame import frame, lede, question, show
from pages._lessons.words import choose

in_use = frame("pages/lessons.py")
lesson = choose()
question(lesson.question)
lede(lesson.lede)
show(f"pages._lessons.{lesson.name}", in_use, lesson)
