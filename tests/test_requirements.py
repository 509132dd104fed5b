"""What is imported is required, what is required is imported, and every version is pinned."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MODULES = {  # a package by another name than its module's
    "sklearn": "scikit-learn",
    "umap": "umap-learn",
    "faiss": "faiss-cpu",
    "docx": "python-docx",
    "mecab": "python-mecab-ko",
    "mecab_ko_dic": "python-mecab-ko-dic",
    "charset_normalizer": "charset-normalizer",
    "axe_playwright_python": "axe-playwright-python",
    "PIL": "pillow",
    "google": "protobuf",
}
# AllenNLP has an environment of its own (core.engines.allennlp_setup); transformers is optional, with requirements of its tests' own, and so is
# wn (pyproject.toml's extra "wordnet"), whose tests are skipped without it
ELSEWHERE = {"allennlp", "transformers", "tokenizers", "wn", "core", "pages", "tests", "elmoscope"}


def imported(*places: str) -> set[str]:
    """Packages that the code in those folders and files imports."""
    result = set()
    for place in places:
        for path in [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    result |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    result.add(node.module.split(".")[0])
    return {MODULES.get(name, name) for name in result - ELSEWHERE - set(sys.stdlib_module_names)}


def pinned(file: str) -> dict[str, str]:
    """Package -> version of a file of requirements; every line of it must say one."""
    lines = [line.split("#")[0].strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]
    named = [re.fullmatch(r"([A-Za-z0-9_.-]+)==([\w.+]+)(?:\s*;.*)?", line) for line in lines if line and line[0] != "-"]
    assert all(named), [line for line, name in zip(lines, named, strict=False) if not name]
    return {re.sub(r"[-_.]+", "-", item[1]).lower(): item[2] for item in named}


def test_the_app_requires_what_it_imports_and_nothing_else():
    of_the_tests = {"playwright"}  # with which `bench` drives a browser
    assert set(pinned("requirements.txt")) == imported("app.py", "core", "pages") - of_the_tests


def test_the_tests_require_what_they_import():
    assert imported("tests") <= set(pinned("requirements.txt")) | set(pinned("tests/requirements.txt"))


def test_the_app_s_requirements_hold_nothing_of_the_tests():
    ours = pinned("tests/requirements.txt")
    assert {"pytest", "playwright", "hypothesis", "ruff"} <= set(ours)
    assert set(ours) & set(pinned("requirements.txt")) == {"fugashi"}  # the app's on Python 3.13 only; the tests try both analysers
    assert "-r ../requirements.txt" in (ROOT / "tests" / "requirements.txt").read_text()


def test_all_packages_that_come_with_them_are_pinned_to_the_same_versions():
    constraints = pinned("constraints.txt")
    request = pinned("requirements.txt") | pinned("tests/requirements.txt")
    assert "-c constraints.txt" in (ROOT / "requirements.txt").read_text()
    assert {name: version for name, version in request.items() if constraints.get(name) != version} == {}
    assert not any("+" in version for version in constraints.values())  # no build of one system


def test_what_is_installed_here_is_what_is_pinned():
    done = subprocess.run([sys.executable, "-m", "pip", "freeze", "--all", "--disable-pip-version-check"], capture_output=True, text=True)
    if done.returncode:
        pytest.skip("this environment has no pip")
    here = dict(re.findall(r"^([A-Za-z0-9_.-]+)==([\w.]+)", done.stdout, re.MULTILINE))
    here = {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in here.items()}
    wrong = {name: here[name] for name, version in pinned("constraints.txt").items() if name in here and here[name] != version}
    assert wrong == {}
