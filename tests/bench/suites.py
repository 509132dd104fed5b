"""The benchmark: each of our figures beside a peer's, measured in the same run on equal inputs.

A suite is a module here with `rows(setting)`, which yields rows as they are done.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.common.errors import BadInput

if TYPE_CHECKING:  # the command line names the suites and need not wait for numpy
    from tests.bench.measure import Row, Setting

SUITES = ("engine", "precision", "neighbors", "maps", "classify", "training", "pages")


def run_suite(name: str, setting: Setting) -> Iterator[Row]:
    """The rows of one suite, under the setting's number of threads. BadInput if there is no such suite."""
    from tests.bench.measure import limited_to

    if name not in SUITES:
        raise BadInput(f"There is no benchmark suite {name!r}. There are: {', '.join(SUITES)}.")
    with limited_to(setting.threads):
        yield from importlib.import_module(f"tests.bench.{name}").rows(setting)
