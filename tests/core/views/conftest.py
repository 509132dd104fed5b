"""Fixtures of the tests of views."""

from collections.abc import Callable

import pytest

from core.text.readings import WordInContext
from core.workspace import Workspace, open_workspace


@pytest.fixture(scope="package")
def workspace() -> Workspace:
    return open_workspace()


@pytest.fixture
def labeled_word(workspace: Workspace) -> Callable[[int], WordInContext]:
    """`labeled_word(row)` -> the word of a row of the labeled sentences."""

    def word(row: int) -> WordInContext:
        occurrence = workspace.targets.occurrence(int(row))
        return WordInContext(occurrence.tokens, occurrence.position)

    return word
