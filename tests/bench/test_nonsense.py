"""Test that the error messages in the code say what to do, and are escaped where they are shown."""

import ast
import re

import pytest

from core.common.config import ROOT
from tests.bench.nonsense import NEXT_STEP

LISTS = re.compile(r"\{(?:names|known|orders|codes|labels|near|tokens|possible|', '\.join[^}]*)\}")
ERRORS = {"BadInput", "MissingArtifact", "CorruptArtifact", "EngineUnavailable"}


@pytest.fixture(scope="module")
def raised() -> list[tuple[str, ast.Call]]:
    """Return (file, call) of every error of a user's that core and pages make."""
    paths = [*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    nodes = ((path.name, node) for path in paths for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    return [(name, node) for name, node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ERRORS and node.args]


def _texts(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else f"{{{ast.unparse(part.value)}}}" for part in node.values)]
    if isinstance(node, ast.IfExp):
        return _texts(node.body) + _texts(node.orelse)
    return _texts(node.args[0]) if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("t", "tn") else []


def test_errors_that_say_no_next_step_become_fewer(raised):
    """Count messages without a next step, of about 520. Most of them are for programmers."""
    every = [(file, LISTS.sub("a, b", text)) for file, call in raised for text in _texts(call.args[0])]  # two letters where a list is meant
    without = [f"{file}: {text}" for file, text in every if not NEXT_STEP.search(text)]
    assert len(every) > 450 and len(without) <= 54, "\n".join(without)


def test_an_error_is_escaped_where_it_is_shown_and_not_before(raised):
    calls = [(file, getattr(node.func, "id", "")) for file, call in raised for node in ast.walk(call) if isinstance(node, ast.Call)]
    assert ("slide_show.py", "shorten") in calls and not [file for file, name in calls if name in ("plain", "escape", "html", "code")]
