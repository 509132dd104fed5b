"""Fixtures of the tests that read the source, or change the language or the model of the interface."""

import ast
from collections.abc import Iterator

import pytest

from core.common import i18n, model_layers
from core.common.config import ROOT


@pytest.fixture(autouse=True)
def defaults() -> Iterator[None]:
    yield
    i18n.use(None)
    model_layers.use(None)


@pytest.fixture(scope="package")
def nodes() -> list[tuple[str, ast.AST]]:
    """Every call, f-string and literal of the code, with its file."""
    paths = [*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    return [
        (path.relative_to(ROOT).as_posix(), node)
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call | ast.JoinedStr | ast.Constant)
    ]
