"""Limits on the input and the work of one user and of all users together. Environment variables set them.

`limits()` reads ELMOSCOPE_MAX_TEXT and the other variables, each named after a field in capitals. ELMOSCOPE_PUBLIC=on selects
the stricter defaults of `PUBLIC`. Bounds that belong to a file format, such as the length of a line, are defined with its reader.
"""

import os
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any

from .errors import BadInput
from .i18n import t
from .markup import shorten

NEVER = 10**9  # hours
ON, OFF = ("1", "on", "true", "yes"), ("0", "off", "false", "no")


def _cap(default: int, *, public: int) -> Any:
    """Return a field with another default on a public server."""
    return field(default=default, metadata={"public": public})


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits in force. The defaults are those for a user's machine, and `public` those for a public server."""

    max_text: int = 2_000  # characters of a sentence that is typed
    max_words: int = 120  # tokens of such a sentence that are read
    max_passage: int = 5_000  # characters of a text to classify, or to read before another
    max_pasted: int = _cap(1_000_000, public=200_000)  # characters of a pasted corpus
    max_file_mb: int = _cap(50, public=5)  # of each file of a corpus
    max_unpacked_mb: int = _cap(100, public=20)  # of a file of a corpus, unpacked; of a corpus as tokens
    max_lines: int = _cap(10_000_000, public=500_000)  # of a text, a table or a workbook, including blank lines
    max_paragraphs: int = _cap(1_000_000, public=100_000)  # of a document, including empty paragraphs
    max_cells: int = _cap(20_000_000, public=1_000_000)  # of a workbook, including empty cells
    max_pages: int = _cap(10_000, public=1_000)  # of a PDF file
    max_vectors_mb: int = _cap(6_000, public=1_000)  # of static vectors in memory
    max_files: int = _cap(500, public=50)  # of a corpus
    max_sentences: int = _cap(200_000, public=20_000)  # of a corpus
    max_tokens: int = _cap(2_000_000, public=200_000)  # of a corpus
    max_table_mb: int = _cap(200, public=10)  # of a file of labeled texts, unpacked
    max_rows: int = _cap(200_000, public=20_000)  # of such a file, where a page trains on it
    max_session_disk_mb: int = _cap(20_000, public=1_000)  # of the texts that one visit holds, of their indexes, and of its uploads
    max_disk_mb: int = _cap(50_000, public=10_000)  # of everything that visits make in the cache (core.files.disk_space)
    max_session_texts: int = _cap(1_000, public=20)  # pasted and uploaded texts that one visit may hold
    max_texts: int = _cap(100_000, public=2_000)  # pasted and uploaded texts in the cache
    max_text_hours: int = _cap(NEVER, public=6)  # from the last use of a pasted or uploaded text until it is deleted
    max_kept_mb: int = 600  # of memory for computed values that pages may need again (core.common.memo)
    max_sentences_read: int = _cap(2_000, public=300)  # of a search or a side of a comparison that a model reads at once
    max_jobs: int = 2  # heavy jobs at once: indexing, training, downloading
    max_session_jobs: int = _cap(4, public=2)  # of one visitor, under way and waiting
    max_waiting: int = 40  # jobs in the queue, of all visitors
    max_job_minutes: int = _cap(240, public=20)  # of one job, from its turn on
    uploads: bool = _cap(True, public=False)  # files may be brought by the browser
    paths: bool = _cap(True, public=False)  # files and folders of this machine may be named by their path
    downloads: bool = _cap(True, public=False)  # published models, vectors and data may be fetched


PUBLIC = {item.name: item.metadata["public"] for item in fields(Limits) if item.metadata}
# Characters of a page's small boxes, the same on every machine: none of them is read as a sentence.
BOX = {"word": 60, "invented": 40, "query": 200, "headline": 200, "column": 100, "folder": 500}
VARIABLES = {f"ELMOSCOPE_{item.name.upper()}": item.name for item in fields(Limits)}
SWITCH = "ELMOSCOPE_PUBLIC"


def limits() -> Limits:
    """Return the limits that the environment sets now. Raises BadInput for a variable with an invalid value."""
    return _read(*(os.environ.get(name) for name in (SWITCH, *VARIABLES)))


def texts_expire() -> bool:
    """Return whether pasted and uploaded texts are deleted some time after their last use, as on a public server."""
    return limits().max_text_hours < NEVER


def check_allowed(feature: str) -> None:
    """Raise BadInput if a feature ("uploads", "paths" or "downloads") is switched off on this server."""
    messages = {
        "uploads": t("Uploads are off on this server (ELMOSCOPE_UPLOADS). Paste text instead."),
        "paths": t("Paths are off on this server (ELMOSCOPE_PATHS). Choose from the list."),
        "downloads": t("Downloads are off on this server (ELMOSCOPE_DOWNLOADS)."),
    }
    if not getattr(limits(), feature):
        raise BadInput(messages[feature])


def is_public() -> bool:
    """Return whether ELMOSCOPE_PUBLIC is on. Raises BadInput if its value is neither on nor off."""
    return SWITCH in os.environ and _switch(SWITCH, os.environ[SWITCH])


@lru_cache(maxsize=8)
def _read(public: str | None, *values: str | None) -> Limits:
    caps = dict(PUBLIC) if public is not None and _switch(SWITCH, public) else {}
    for (variable, name), value in zip(VARIABLES.items(), values, strict=True):
        if value is not None and value.strip():
            parse = _switch if Limits.__dataclass_fields__[name].type is bool else _number
            caps[name] = parse(variable, value)
    return Limits(**caps)


def _switch(variable: str, value: str) -> bool:
    word = value.strip().lower()
    if word not in (*ON, *OFF):
        raise BadInput(t("{variable} is {value!r}; use on or off.", variable=variable, value=shorten(value)))
    return word in ON


def _number(variable: str, value: str) -> int:
    text = value.strip().replace("_", "")
    if not (text.isascii() and text.isdecimal() and 1 <= len(text) <= 12 and int(text) >= 1):
        raise BadInput(t("{variable} is {value!r}; use a whole number from 1.", variable=variable, value=shorten(value)))
    return int(text)
