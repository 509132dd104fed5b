"""Lessons: what a course on contextual vectors asks of them, each with a baseline, an interval and a control."""
