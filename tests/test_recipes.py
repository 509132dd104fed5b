"""Run the Python recipes of all READMEs as they are written."""

import re
import runpy
from pathlib import Path

import pytest

from tests.test_readme import ROOT, SAID

RECIPES = {
    f"{place.relative_to(ROOT).parent.as_posix()}: {title}": code
    for place, text in SAID.items()
    for title, code in re.findall(r"^(\S[^\n]*):\n\n```python\n(.*?)```", text, re.MULTILINE | re.DOTALL)
}


def test_every_python_block_of_a_readme_is_a_recipe_with_a_title():
    assert sum(text.count("```python") for text in SAID.values()) == len(RECIPES) > 0


@pytest.mark.parametrize("title", RECIPES)
def test_recipe_runs_as_written(title: str, tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "recipe.py"
    path.write_text(RECIPES[title], encoding="utf-8")
    runpy.run_path(str(path))
    assert len(capsys.readouterr().out.split()) > 4
