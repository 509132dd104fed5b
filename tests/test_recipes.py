"""The recipes of README and of the rooms' READMEs run as they stand there, and print what they promise."""

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


def test_there_are_eight_two_of_them_in_readme():
    assert (len(RECIPES), sum(title.startswith(".:") for title in RECIPES)) == (8, 2)
    assert sum(text.count("```python") for text in SAID.values()) == len(RECIPES)


@pytest.mark.parametrize("title", RECIPES)
def test_a_recipe_runs_as_it_stands(title: str, tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "recipe.py"
    path.write_text(RECIPES[title], encoding="utf-8")
    runpy.run_path(str(path))
    assert len(capsys.readouterr().out.split()) > 4
