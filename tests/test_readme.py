"""Check the READMEs (commands, files and links exist, recipes run) and the examples in docstrings."""

import doctest
import re
import runpy
import shlex
from importlib import import_module
from pathlib import Path

import pytest

from core import __version__
from core.cli.main import elmoscope, parsed
from core.lab.__main__ import lab
from tests.test_architecture import PACKAGES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PLACES = [ROOT / "README.md", *(p for folder in ("assets", "core", "pages", "tests") for p in sorted((ROOT / folder).rglob("README.md")))]
SAID = {path: path.read_text(encoding="utf-8") for path in PLACES}
COMMAND = re.compile(r"^ *(?:\.venv/bin/)?python -m (core(?:\.lab)? .+)$|`python -m (core(?:\.lab)? (?!COMMAND)[^`]+)`", re.MULTILINE)
COMMANDS = sorted({line for text in SAID.values() for groups in COMMAND.findall(text) for line in groups if line})


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_in_a_readme_is_one_the_command_line_takes(line: str):
    program, *words = shlex.split(line, comments=True)
    assert parsed({"core": elmoscope, "core.lab": lab}[program], words)


@pytest.mark.parametrize("place", SAID, ids=lambda place: place.relative_to(ROOT).as_posix())
def test_what_a_readme_points_at_is_there(place: Path):
    text = SAID[place]
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        path, _, anchor = target.partition("#")
        there = (place.parent / path).resolve() if path else place
        assert there.exists(), target
        titles = re.findall(r"^#+ (.+)$", there.read_text(encoding="utf-8"), re.MULTILINE) if anchor else []
        assert not anchor or anchor in {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}, target
    for path in re.findall(r"`((?:core|pages|tests|assets|\.ci|\.deploy)/[\w./-]+)`", text):
        assert path == "pages/x.py" or (ROOT / path).exists() or (ROOT / f"{path}.py").exists(), path
    for module in re.findall(r"python -m (tests\.[\w.]+)", text):
        path = ROOT.joinpath(*module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


def test_the_readmes_show_every_command():
    listed = {f"core.lab {name}" for name in lab.commands}
    for name, command in elmoscope.commands.items():
        listed |= {f"core {name} {each}" for each in getattr(command, "commands", {})} or {f"core {name}"}
    assert {name for name in listed if not any(line.startswith(name) for line in COMMANDS)} == set()


def test_readme_is_short_and_names_every_package():
    named = set(re.findall(r"^((?:core|pages)/\w+)/ ", README, re.MULTILINE))
    assert named == {folder.relative_to(ROOT).as_posix() for folder in PACKAGES} and len(README.splitlines()) <= 200
    assert sum(text.count("```python") for text in SAID.values()) == len(RECIPES) > 0  # every block has a title


def test_the_two_commands_are_as_the_project_promises():
    assert all(text in README for text in (".venv/bin/streamlit run app.py", ".venv/bin/python tests/run.py", f"Version {__version__}."))
    clone = r"^python3 -m venv \.venv && \.venv/bin/pip install -r tests/requirements\.txt && \.venv/bin/python tests/run\.py$"
    assert re.search(clone, README, re.MULTILINE)
    assert "grep -m1 '^python3 -m venv .* tests/run.py$' README.md" in (ROOT / ".ci" / "run").read_text()


RECIPES = {
    f"{place.relative_to(ROOT).parent.as_posix()}: {title}": code
    for place, text in SAID.items()
    for title, code in re.findall(r"^(\S[^\n]*):\n\n```python\n(.*?)```", text, re.MULTILINE | re.DOTALL)
}


@pytest.mark.parametrize("title", RECIPES)
def test_recipe_runs_as_written(title: str, tmp_path: Path, capsys: pytest.CaptureFixture):
    path = tmp_path / "recipe.py"
    path.write_text(RECIPES[title], encoding="utf-8")
    runpy.run_path(str(path))
    assert len(capsys.readouterr().out.split()) > 4


FILES = [path for folder in ("core", "pages") for path in sorted((ROOT / folder).rglob("*.py")) if ">>> " in path.read_text("utf-8")]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_examples_in_docstrings_are_true(path):
    result = doctest.testmod(import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)))
    assert result.attempted and not result.failed
