"""README says what is so: its commands exist, its tree is the tree, its pictures are there."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from core.cli import _parser

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^(?:\.venv/bin/)?python -m core (.+)$", README, re.MULTILINE)


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_in_readme_is_one_the_command_line_takes(line: str):
    assert _parser().parse_args(shlex.split(line, comments=True)).run


def test_readme_shows_every_command():
    shown = {" ".join(word for word in line.split()[:2] if not word.startswith("-")) for line in COMMANDS}
    listed = {
        "neighbours",
        "static-neighbours",
        "predict",
        "embed",
        "evaluate senses",
        "evaluate all-words",
        "evaluate pairs",
        "evaluate tags",
        "evaluate sentences",
        "evaluate perplexity",
        "evaluate vectors",
        "evaluate card",
        "index build",
        "index info",
    }
    listed |= {"pretrain", "glove", "convert", "allennlp setup", "bundle", "train", "train-heads", "classify", "fetch", "bench"}
    assert {name for name in listed if not any(s.startswith(name) for s in shown)} == set()


def test_the_tree_names_every_module_and_nothing_else():
    named = set(re.findall(r"^((?:app|pages|core)[\w/]*\.py) ", README, re.MULTILINE))
    there = {str(p.relative_to(ROOT)) for folder in ("core", "pages") for p in (ROOT / folder).rglob("*.py")}
    there = {p for p in there if not p.endswith(("__init__.py", "__main__.py"))} | {"app.py"}
    assert named == there


def test_pictures_in_readme_are_there():
    for path in re.findall(r"!\[[^]]*\]\(([^)]+)\)", README):
        assert (ROOT / path).is_file(), path


def test_the_two_commands_are_as_the_project_promises():
    assert ".venv/bin/streamlit run app.py" in README
    assert ".venv/bin/python tests/run.py" in README
    assert re.search(
        r"^python3 -m venv \.venv && \.venv/bin/pip install -r tests/requirements\.txt && \.venv/bin/python tests/run\.py$",
        README,
        re.MULTILINE,
    )
    assert "grep -m1 '^python3 -m venv .* tests/run.py$' README.md" in (ROOT / ".ci" / "run").read_text()
