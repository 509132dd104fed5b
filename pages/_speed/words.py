"""The benchmark's rows in the interface's language: `tests.bench` writes them in English, as the command prints them."""

from __future__ import annotations

import re
from collections.abc import Callable

from core.common.i18n import t

Told = Callable[..., str]


def in_words(text: str) -> str:
    """A row's name or peer for whoever reads the page; as it stands where this module does not know it."""
    for pattern, told in _patterns():
        if found := re.fullmatch(pattern, text):
            return told(*found.groups())
    return text


def _engine(who: str) -> str:
    return t("our engine") if who == "our engine" else who


def _patterns() -> list[tuple[str, Told]]:
    return [
        # names
        ("sentences to layers, (.+)", lambda shape: t("sentences to layers, shape {shape}", shape=shape)),
        ("one sentence at a time, (.+)", lambda shape: t("one sentence at a time, shape {shape}", shape=shape)),
        ("share of torch.mm's rate, (.+)", lambda shape: t("share of torch.mm's rate, shape {shape}", shape=shape)),
        ("(.+) weights, (.+), batches", lambda bits, shape: t("{bits} weights, shape {shape}, batches", bits=bits, shape=shape)),
        (
            "(.+) weights, (.+), one at a time",
            lambda bits, shape: t("{bits} weights, shape {shape}, one sentence at a time", bits=bits, shape=shape),
        ),
        ("cost against text length", lambda: t("cost against text length")),
        ("peak memory, (.+) tokens over (.+)", lambda n, k: t("peak memory, {n} tokens over {k}", n=n, k=k)),
        ("slider move, (.+) occurrences, server time", lambda n: t("slider move, {n} occurrences, server time", n=n)),
        ("slider move, (.+) occurrences", lambda n: t("slider move, {n} occurrences", n=n)),
        ("first query, (.+) occurrences", lambda n: t("first query, {n} occurrences", n=n)),
        ("opening a table, (.+) occurrences", lambda n: t("opening a table, {n} occurrences", n=n)),
        ("a new token put into four frozen maps", lambda: t("a new token put into four frozen maps")),
        ("mix changed, the map follows", lambda: t("mix changed, the map follows")),
        (
            "an epoch on frozen layers, against (.+) for every batch",
            lambda who: t("an epoch on frozen layers, against {who} for every batch", who=_engine(who)),
        ),
        ("live answer of all variants on one headline", lambda: t("live answer of all variants on one headline")),
        ("a training step, words from a table", lambda: t("a training step, words from a table")),
        ("a training step with the char-CNN", lambda: t("a training step with the char-CNN")),
        ("first useful paint, warm server", lambda: t("first useful paint, warm server")),
        ("first useful paint, cold server", lambda: t("first useful paint, cold server")),
        ("slider released to neighbours redrawn, (.+)", lambda p: t("slider released to neighbours redrawn, {p}", p=p)),
        # peers
        ("numpy, all mixes anew", lambda: t("numpy, all mixes anew")),
        ("numpy, sum of the same bytes", lambda: t("numpy, sum of the same bytes")),
        ("torch.mm on the same shapes", lambda: t("torch.mm on the same shapes")),
        ("the fastest length, (.+) tokens", lambda n: t("the fastest length, {n} tokens", n=n)),
        ("(.+) on the fly", lambda who: t("{who} on the fly", who=_engine(who))),
        ("plain PyTorch, nn.Linear step by step", lambda: t("plain PyTorch, nn.Linear step by step")),
        ("streamlit hello, its heading", lambda: t("streamlit hello, its heading")),
    ]
