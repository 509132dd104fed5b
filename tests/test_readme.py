"""Check the READMEs: their commands, files, links and pages exist, their recipes run, and the top one names every package."""

import re
import runpy
import shlex
from pathlib import Path

import pytest

from core.cli.main import elmoscope, parsed
from core.lab.__main__ import lab
from pages._frame.menu import list_pages
from tests.test_architecture import PACKAGES

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SAID = {
    path: path.read_text(encoding="utf-8")
    for path in [
        ROOT / "README.md",
        *(p for folder in ("assets", "core", "pages", "tests") for p in sorted((ROOT / folder).rglob("README.md"))),
    ]
}
LINES = 200  # the maximum for README; details belong in the READMEs of packages
COMMANDS = sorted(
    {
        line
        for text in SAID.values()
        for result in re.findall(
            r"^ *(?:\.venv/bin/)?python -m (core(?:\.lab)? .+)$|`python -m (core(?:\.lab)? (?!COMMAND)[^`]+)`", text, re.MULTILINE
        )
        for line in result
        if line
    }
)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_in_a_readme_is_one_the_command_line_takes(line: str):
    program, *words = shlex.split(line, comments=True)
    assert parsed({"core": elmoscope, "core.lab": lab}[program], words)


def test_readme_is_short():
    assert len(README.splitlines()) <= LINES


def _anchors(text: str) -> set[str]:
    """Headings -> the anchors that GitHub gives them."""
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


@pytest.mark.parametrize("place", SAID, ids=lambda place: place.relative_to(ROOT).as_posix())
def test_what_a_readme_points_at_is_there(place: Path):
    text = SAID[place]
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", text):
        path, _, anchor = target.partition("#")
        there = (place.parent / path).resolve() if path else place
        assert there.exists(), target
        assert not anchor or anchor in _anchors(there.read_text(encoding="utf-8")), target
    for path in re.findall(r"`((?:core|pages|tests|assets|\.ci|\.deploy)/[\w./-]+)`", text):
        assert path == "pages/x.py" or (ROOT / path).exists() or (ROOT / f"{path}.py").exists(), path
    for module in re.findall(r"python -m (tests\.[\w.]+)", text):
        path = ROOT.joinpath(*module.split("."))
        assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file(), module


def test_the_readmes_show_every_command():
    shown = {line for line in COMMANDS}
    listed = {f"core.lab {name}" for name in lab.commands}
    for name, command in elmoscope.commands.items():
        listed |= {f"core {name} {each}" for each in getattr(command, "commands", {})} or {f"core {name}"}
    assert {name for name in listed if not any(s.startswith(name) for s in shown)} == set()


def test_readmes_name_only_pages_that_are_in_the_menu():
    labels = {label for page in list_pages() for label in (page.label, *dict(page.parts).values())}
    name = "|".join(sorted(map(re.escape, labels), key=len, reverse=True))
    wrong = []
    for path in ROOT.rglob("README.md"):
        if not {".venv", ".git"} & set(path.parts):
            text = path.read_text(encoding="utf-8")
            named = re.findall(r"\b[Tt]he ([A-Z][a-z]+) page\b", text) + re.findall(r"\bpages? “?(?=[A-Z])(.{3,30})", text, re.DOTALL)
            wrong += [f"{path.parent.name}: {words}" for words in named if not re.match(rf"(?:{name})(?!\w)", words.replace("\n", " "))]
    assert not wrong


def test_readme_names_every_package_and_nothing_else():
    named = set(re.findall(r"^((?:core|pages)/\w+)/ ", README, re.MULTILINE))
    assert named == {folder.relative_to(ROOT).as_posix() for folder in PACKAGES}


def test_the_two_commands_are_as_the_project_promises():
    assert ".venv/bin/streamlit run app.py" in README
    assert ".venv/bin/python tests/run.py" in README
    clone = r"^python3 -m venv \.venv && \.venv/bin/pip install -r tests/requirements\.txt && \.venv/bin/python tests/run\.py$"
    assert re.search(clone, README, re.MULTILINE)
    assert "grep -m1 '^python3 -m venv .* tests/run.py$' README.md" in (ROOT / ".ci" / "run").read_text()


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
