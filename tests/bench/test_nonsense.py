"""Errors of users: the rules for their messages, and that all messages in the code keep them."""

import ast
import re

import pytest

from core.common.config import ROOT
from core.common.markup import shorten
from tests.bench.nonsense import NEXT_STEP, wrong_with

LONG = "no-such-corpus " * 20
LISTS = re.compile(r"\{(?:names|known|orders|codes|labels|near|tokens|possible|', '\.join[^}]*)\}")
ERRORS = {"BadInput", "MissingArtifact", "CorruptArtifact", "EngineUnavailable"}


@pytest.mark.parametrize(
    ("said", "value", "fault"),
    [
        (f"Unknown corpus '{shorten(LONG)}'. Choose sentences, more-words, or a file.", LONG, None),
        ("300 characters; search for at most 200.", "x" * 300, None),
        ("passwd: save it as .txt.", "../../etc/passwd", None),
        ("“zebra”: 없는 기준입니다. 다른 것을 고르세요.", "zebra", None),
        ("“nonsense bank” does not occur. Choose another word.", "nonsense\tbank\x07\u200b", None),
        ("Unknown corpus 'no-such'. It has 3 rows.", "no-such", "does not say what to do"),
        (f"Unknown corpus '{LONG[:70]}…'. Choose another.", LONG, "cites too much of it"),
        (f"Unknown corpus '{LONG[:40]}'. Choose another.", LONG, "cites part of it without a mark"),
        ("Unknown corpus. Choose another.", "no-such", "does not name it"),
    ],
)
def test_a_message_says_what_to_do_and_names_the_value(said, value, fault):
    assert [each.partition(":")[0] for each in wrong_with(said, value)] == [fault] * (fault is not None)


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
