"""README's recipes run as they stand there, and print what they promise."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

README = (Path(__file__).resolve().parents[1] / "README.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^(\S[^\n]*):\n\n```python\n(.*?)```", README, re.MULTILINE | re.DOTALL))


def test_there_are_six():
    assert len(RECIPES) == 6


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_runs_as_it_stands_in_readme(title: str, tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "recipe.py"
    path.write_text(RECIPES[title], encoding="utf-8")
    runpy.run_path(str(path))
    assert len(capsys.readouterr().out.split()) > 4
