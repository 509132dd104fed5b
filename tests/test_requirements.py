"""Test that imports and requirements agree, and that every version is pinned."""

import ast
import os
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
# Packages whose name is not their module's
MODULES = {"sklearn": "scikit-learn", "umap": "umap-learn", "faiss": "faiss-cpu", "PIL": "pillow", "google": "protobuf"}
MODULES |= {"mecab": "python-mecab-ko", "mecab_ko_dic": "python-mecab-ko-dic", "charset_normalizer": "charset-normalizer"}
MODULES |= {"axe_playwright_python": "axe-playwright-python", "docx": "python-docx"}
# AllenNLP has an environment of its own (core.engines.allennlp_setup); transformers is optional, with requirements of its tests' own, and so is
# wn (pyproject.toml's extra "wordnet"), whose tests are skipped without it
ELSEWHERE = {"allennlp", "transformers", "tokenizers", "wn", "core", "pages", "tests", "elmoscope"}


def imported(*places: str) -> set[str]:
    """Packages that the code in those folders and files imports, also by `import_library` (core.common.libraries)."""
    result = set()
    for place in places:
        for path in [ROOT / place] if place.endswith(".py") else sorted((ROOT / place).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    result |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    result.add(node.module.split(".")[0])
                elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "import_library":
                    result.add(node.args[0].value.split(".")[0])
    return {MODULES.get(name, name) for name in result - ELSEWHERE - set(sys.stdlib_module_names)}


def normalized(package: str) -> str:
    return re.sub(r"[-_.]+", "-", package).lower()


def pinned(file: str) -> dict[str, str]:
    """Return the version of each package of a file of requirements. Every line must have one."""
    lines = [line.split("#")[0].strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines()]
    named = [re.fullmatch(r"([A-Za-z0-9_.-]+)==([\w.+]+)(?:\s*;.*)?", line) for line in lines if line and line[0] != "-"]
    assert all(named), [line for line, name in zip(lines, named, strict=False) if not name]
    return {normalized(item[1]): item[2] for item in named}


def test_the_app_requires_what_it_imports_and_nothing_else():
    of_the_tests = {"playwright"}  # with which `bench` drives a browser
    assert set(pinned("requirements.txt")) == imported("app.py", "core", "pages") - of_the_tests


def test_the_tests_require_what_they_import_apart_from_the_app():
    ours = pinned("tests/requirements.txt")
    assert imported("tests") <= set(pinned("requirements.txt")) | set(ours)
    assert set(ours) & set(pinned("requirements.txt")) == {"fugashi"}  # the app's on Python 3.13 only; the tests try both analyzers


def test_all_packages_that_come_with_them_are_pinned_to_the_same_versions():
    constraints = pinned("constraints.txt")
    request = pinned("requirements.txt") | pinned("tests/requirements.txt")
    assert "-c constraints.txt" in (ROOT / "requirements.txt").read_text()
    assert {name: version for name, version in request.items() if constraints.get(name) != version} == {}
    assert not any("+" in version for version in constraints.values())  # no build of one system


def test_what_is_installed_here_is_what_is_pinned():
    installed = {normalized(item.name): item.version.partition("+")[0] for item in metadata.distributions()}
    wrong = {name: installed[name] for name, version in pinned("constraints.txt").items() if installed.get(name, version) != version}
    assert wrong == {}


LOCK = ROOT / ".deploy" / "requirements.lock"
WHEEL = "https://wheels.test/whl/torch-{version}%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl#sha256=" + 64 * "a"


def read_lock() -> dict[str, tuple[str, list[str]]]:
    entries = re.split(r"\n(?=\S)", re.sub(r"^#.*\n", "", LOCK.read_text(encoding="utf-8"), flags=re.MULTILINE).strip())
    matches = [re.fullmatch(r"([A-Za-z0-9_.-]+)==([\w.]+)((?: \\\n    --hash=sha256:[0-9a-f]{64})+)", entry) for entry in entries]
    assert all(matches), [entry for entry, match in zip(entries, matches, strict=True) if not match]
    return {normalized(match[1]): (match[2], match[3].split("sha256:")[1:]) for match in matches}


def find_requirements(names: set[str]) -> set[str]:
    """Return these packages and all packages that they need on Python 3.11 on Linux, according to the installed metadata."""
    from packaging.requirements import Requirement

    environment = {"python_version": "3.11", "python_full_version": "3.11.14", "implementation_name": "cpython", "extra": ""}
    environment |= {"sys_platform": "linux", "platform_system": "Linux", "os_name": "posix", "platform_machine": "x86_64"}
    environment |= {"platform_python_implementation": "CPython"}
    result, queue = set(), sorted(names)
    while queue:
        name = normalized(queue.pop())
        if name not in result:
            result.add(name)
            requirements = map(Requirement, metadata.requires(name) or [])
            queue += [item.name for item in requirements if not item.marker or item.marker.evaluate(environment)]
    return result


def test_lock_has_the_pinned_versions_with_hashes_and_no_host():
    constraints, lock = pinned("constraints.txt"), read_lock()
    for name in ("numpy", "pandas", "pyarrow", "faiss-cpu", "llvmlite"):
        assert len(set(lock[name][1])) >= 4, name  # wheels of both kinds of processor
    assert {name: version for name, (version, _) in lock.items() if constraints.get(name) != version} == {}
    direct = set(pinned("requirements.txt")) - {"fugashi"}  # only for Python 3.13
    assert direct - {"torch"} <= set(lock)
    if sys.version_info[:2] == (3, 11) and sys.platform == "linux":
        needed = find_requirements(direct)
        cuda = {name for name in needed if re.match(r"nvidia-|cuda-|triton$", name)}  # of PyPI's torch, if that is installed
        assert set(lock) == needed - {"torch"} - cuda
    text = LOCK.read_text(encoding="utf-8")
    assert "uv pip compile requirements.txt" in text and not re.search(r"://|index-url|find-links [^F]|trusted-host", text)


def test_image_has_only_hashed_packages_and_the_operators_arguments_and_is_open_to_its_machine():
    lines = (ROOT / ".deploy" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", " ").splitlines()
    assert [line.split("@")[1] for line in lines if line.startswith("FROM ")] == ["${PYTHON_DIGEST:?is-missing,see-.deploy/README.md}"]
    assert {line for line in lines if line.startswith("ARG ")} == {"ARG PYTHON_DIGEST", "ARG TORCH_WHEEL"}  # neither with a default
    installs = [line for line in lines if "pip install" in line]
    assert installs and all("--require-hashes --only-binary :all:" in line and "index-url" not in line for line in installs)
    text = (ROOT / ".deploy" / "compose.yaml").read_text(encoding="utf-8")
    assert re.search(r"PYTHON_DIGEST: \$\{PYTHON_DIGEST:\?.*README", text) and re.search(r"TORCH_WHEEL: \$\{TORCH_WHEEL:\?.*README", text)
    ports = re.search(r"^    ports:\n((?:      - .*\n)+)", text, re.MULTILINE)[1].splitlines()
    assert ports == ['      - "127.0.0.1:8501:8501"'] and "network_mode" not in text and "expose:" not in text  # only to its machine


GOOD = WHEEL.format(version=pinned("requirements.txt")["torch"])
WRONG = {"none": None, "empty": "", "another version": WHEEL.format(version="2.12.9"), "no hash": GOOD.split("#")[0]}
WRONG |= {"http": GOOD.replace("https", "http"), "another build": GOOD.replace("%2Bcpu", "%2Bcu130")}


@pytest.mark.parametrize("wheel", [GOOD, *WRONG.values()], ids=["good", *WRONG])
def test_build_installs_the_wheel_of_the_argument_by_its_hash_or_stops(tmp_path, wheel):
    (tmp_path / "pip").write_text('#!/bin/sh\nprintf "%s\\n" "$@" > arguments\n')
    (tmp_path / "pip").chmod(0o755)
    (tmp_path / "requirements.lock").touch()
    (tmp_path / "requirements.txt").write_text((ROOT / "requirements.txt").read_text())
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}"} | ({} if wheel is None else {"TORCH_WHEEL": wheel})
    lines = (ROOT / ".deploy" / "Dockerfile").read_text(encoding="utf-8").replace("\\\n", "").splitlines()
    command = next(line.removeprefix("RUN ") for line in lines if line.startswith("RUN ") and "TORCH_WHEEL" in line)
    process = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert (tmp_path / "arguments").exists() == (wheel == GOOD) == (process.returncode == 0), process.stderr
    if wheel == GOOD:
        arguments = (tmp_path / "arguments").read_text().split()
        assert arguments[0] == "install" and "--require-hashes" in arguments and arguments[-1] == wheel
    else:
        assert process.stderr.startswith("The build argument TORCH_WHEEL is '") and ".deploy/README.md" in process.stderr
