"""Check the layout rules of core and pages on the syntax trees. Nothing is imported or run."""

import ast
import gc
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED_PACKAGES = {"_export", "_frame", "_cached", "_widgets"}  # of pages, on which the others build
MAY_PRINT = {"core/cli/main.py", "core/engines/allennlp_worker.py"}  # the command line, and a process that answers on stdout
UNSAFE = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}
LIBRARIES = {"sklearn", "umap", "numba"}  # their modules import each other
README_LINES = 175  # the longest README of a package


def list_sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


CORE, PAGES = list_sources("core"), list_sources("pages")
SHIPPED = [*CORE, *PAGES, *ROOT.glob("*.py")]  # tests may write a pickle to see it refused
PACKAGES = sorted({path.parent for path in [*CORE, *PAGES]} - {ROOT / "core", ROOT / "pages"})


@pytest.fixture(scope="module", autouse=True)
def without_garbage_collection() -> Iterator[None]:
    """Disable garbage collection, which takes three quarters of the time because it visits the syntax trees repeatedly."""
    gc.disable()
    yield
    for function in (tree, imports_of, calls):
        function.cache_clear()
    gc.enable()


def name(path: Path) -> str:
    """Return a path relative to the project's root."""
    return path.relative_to(ROOT).as_posix()


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(module: ast.Module, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Yield (line, dotted name) for every import of a module in a package. `from a import b` yields both a and a.b."""
    for node in ast.walk(module):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            outer = package[: len(package) - node.level + 1] if node.level else ()
            base = ".".join([*outer, *([node.module] if node.module else [])])
            yield node.lineno, base
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)


@cache
def imports_of(path: Path) -> list[tuple[int, str]]:
    return list(imports(tree(path), path.relative_to(ROOT).parent.parts))


@cache
def calls(path: Path) -> list[tuple[int, str, ast.Call]]:
    return [(node.lineno, dotted_name(node.func), node) for node in ast.walk(tree(path)) if isinstance(node, ast.Call)]


def dotted_name(node: ast.expr) -> str:
    """Return a name such as "torch.load". Any other expression, such as the result of a call, becomes "?". `ast.unparse` would take seconds."""
    if isinstance(node, ast.Attribute):
        return f"{dotted_name(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "?"


def package_of(path: Path) -> str:
    """Return the package of a file, or the file itself if it is in none. The entries of pages count as one."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "pages" and len(parts) == 2:
        return "pages/*.py"
    return "/".join(parts[:2]).removesuffix(".py")


@cache
def package_imports() -> dict[str, set[str]]:
    """Return for each package of app.py, core and pages those that it imports from."""
    files = {name(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in [*CORE, *PAGES, ROOT / "app.py"]}
    result: dict[str, set[str]] = {package_of(path): set() for path in files.values()}
    for path in files.values():
        package = package_of(path)
        dotted = {d for _, d in imports_of(path)}
        # `from a import b` yields a and a.b: if a.b is a module, a is only the way to it
        parents = {d.rpartition(".")[0] for d in dotted if d in files}
        targets = {package_of(files[d]) for d in dotted if d in files and not (d in parents and files[d].name == "__init__.py")}
        result[package] |= targets - {package}
    return result


def import_levels(needs: dict[str, set[str]]) -> dict[str, int]:
    """Return a level for each package, above all that it imports from. Packages of a cycle have none."""
    result: dict[str, int] = {}
    while free := [r for r in needs if r not in result and needs[r] <= result.keys()]:
        result |= {r: 1 + max((result[other] for other in needs[r]), default=0) for r in free}
    return result


def check(wrong: Iterable[str]) -> None:
    """Fail with one line for each place that breaks a rule."""
    assert not (lines := list(wrong)), "\n" + "\n".join(lines)


def test_imports_between_packages_run_one_way():
    needs = package_imports()
    assert not needs.keys() - import_levels(needs).keys()


@pytest.mark.parametrize("folder", PACKAGES, ids=name)
def test_files_of_a_package_do_not_import_each_other_in_a_cycle(folder: Path):
    files = {f"{name(folder).replace('/', '.')}.{path.stem}": path for path in folder.glob("*.py")}
    needs = {module: {dotted for _, dotted in imports_of(path) if dotted in files} - {module} for module, path in files.items()}
    assert not needs.keys() - import_levels(needs).keys()


def test_init_files_are_empty():
    """The first paint must not import torch. The frame's file names a Python version on which nothing works."""
    full = [name(p) for p in [*CORE, *PAGES] if p.name == "__init__.py" and p.read_text("utf-8").strip()]
    assert full == ["core/__init__.py", "pages/_frame/__init__.py"]


OUTSIDE_THE_LAB = [path for path in [*CORE, *PAGES, ROOT / "app.py"] if not name(path).startswith("core/lab/")]
FORBIDDEN = {  # the files and the modules that they must not import
    "core-imports-no-page": (CORE, {"streamlit", "pages", "app", "tests"}),
    "nothing-imports-the-lab": (OUTSIDE_THE_LAB, {"core.lab"}),
    "libraries-are-imported-one-thread-at-a-time": (set(OUTSIDE_THE_LAB) - {ROOT / "core/elmo/estimators.py"}, LIBRARIES),
    "nothing-imports-pickle": (SHIPPED, UNSAFE),
}


@pytest.mark.parametrize(("files", "modules"), FORBIDDEN.values(), ids=FORBIDDEN)
def test_forbidden_modules_are_not_imported(files: list[Path], modules: set[str]):
    prefixes = tuple(f"{module}." for module in modules)
    check(f"{name(path)}:{line} imports {d}" for path in files for line, d in imports_of(path) if f"{d}.".startswith(prefixes))


def test_pages_build_on_shared_packages_and_not_on_each_other():
    wrong = []
    for path in PAGES:
        package = path.relative_to(ROOT).parts[1]
        for line, dotted in imports_of(path):
            top, *rest = dotted.split(".")
            is_foreign = top == "pages" and package.startswith("_") and bool(rest) and rest[0] not in SHARED_PACKAGES | {package}
            if top in {"app", "tests"} or is_foreign:
                wrong.append(f"{name(path)}:{line} imports {dotted}")
    check(wrong)


def test_a_page_entry_is_short():
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in sorted((ROOT / "pages").glob("*.py"))}
    check(f"{file} has {length} lines, more than 120" for file, length in lengths.items() if length > 120)


@pytest.mark.parametrize("folder", PACKAGES, ids=name)
def test_every_package_has_a_short_readme(folder: Path):
    assert 1 < len((folder / "README.md").read_text("utf-8").splitlines()) <= README_LINES


def test_a_public_class_name_has_one_meaning():
    files = defaultdict(list)
    for path in SHIPPED:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                files[node.name].append(name(path))
    check(f"{key}: {', '.join(places)}" for key, places in files.items() if len(places) > 1 and key != "Line")


def test_no_file_that_is_opened_can_run_code():
    """torch.load opens plain tensors only, numpy.load no pickles. There is no eval and no exec."""
    wrong = []
    for path in [*SHIPPED, *list_sources("tests")]:
        for line, function, call in calls(path):
            options = {k.arg: getattr(k.value, "value", None) for k in call.keywords}
            unsafe = (function == "torch.load" and options.get("weights_only") is not True) or function in {"eval", "exec"}
            if unsafe or options.get("allow_pickle"):
                wrong.append(f"{name(path)}:{line} calls {function}")
    check(wrong)


def test_core_prints_only_on_the_command_line():
    wrong = []
    for path in CORE:
        for line, function, call in calls(path):
            to_stderr = any(k.arg == "file" and ast.unparse(k.value) == "sys.stderr" for k in call.keywords)
            may_print = MAY_PRINT | ({"core/__main__.py", "core/cli/shared.py"} if to_stderr else set())
            if function == "print" and name(path) not in may_print and path.parent.name != "notebooks":
                wrong.append(f"{name(path)}:{line} prints")
    check(wrong)
