"""Check the layout rules on the syntax trees. Nothing is imported or run."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED_ROOMS = {"_export", "_frame", "_cached", "_widgets", "_word"}  # of pages, on which the others build
MAY_PRINT = {"core/cli/main.py", "core/engines/allennlp_worker.py"}  # the command line, and a process that answers on stdout
MAY_NOTE = {"core/cli/shared.py"}  # the command line's commands: to stderr only
UNSAFE = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "joblib", "shelve", "marshal"}


def sources(*folders: str) -> list[Path]:
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py") if "__pycache__" not in path.parts)


CORE, PAGES = sources("core"), sources("pages")
SHIPPED = [*CORE, *PAGES, *ROOT.glob("*.py")]  # tests may write a pickle to see it refused


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(module: ast.Module, package: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every import, wherever it stands; `from a import b` names both a and a.b."""
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


def calls(path: Path) -> Iterator[tuple[int, str, ast.Call]]:
    """(line, what is called, the call)."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func), node


def room(path: Path) -> str:
    """The folder that holds a file of core or pages, or the file itself where it stands loose; all doors of pages are one."""
    parts = path.relative_to(ROOT).parts
    if parts[0] == "pages" and len(parts) == 2:
        return "pages/*.py"
    return "/".join(parts[:2]).removesuffix(".py")


@cache
def rooms() -> dict[str, set[str]]:
    """Each room of app.py, core and pages, and the rooms that it imports from."""
    files = {name(path).removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in [*CORE, *PAGES, ROOT / "app.py"]}
    needs: dict[str, set[str]] = {room(path): set() for path in files.values()}
    for path in files.values():
        own = room(path)
        dotted = {d for _, d in imports_of(path)}
        # `from a import b` names a and a.b: where a.b is a module, a is only the way to it
        ways = {d.rpartition(".")[0] for d in dotted if d in files}
        needs[own] |= {room(files[d]) for d in dotted if d in files and not (d in ways and files[d].name == "__init__.py")} - {own}
    return needs


def floors(needs: dict[str, set[str]]) -> dict[str, int]:
    """Each room's floor: one above the highest that it imports from; rooms of a circle have none."""
    result: dict[str, int] = {}
    while free := [r for r in needs if r not in result and needs[r] <= result.keys()]:
        result |= {r: 1 + max((result[other] for other in needs[r]), default=0) for r in free}
    return result


def rule_broken(lines: list[str]) -> str:
    return "\n" + "\n".join(lines)


# --- the tests see what they should ----------------------------------------------------------------------------------


def test_imports_are_found_wherever_they_stand():
    module = ast.parse("import a.b\ndef f():\n    from core.elmo import mix\n    from . import x\n    from ..text import y")
    result = {dotted for _, dotted in imports(module, ("core", "elmo"))}
    assert result == {"a.b", "core.elmo", "core.elmo.mix", "core.elmo.x", "core.text", "core.text.y"}


def test_a_circle_of_rooms_has_no_floor():
    assert floors({"a": set(), "b": {"a"}, "c": {"a", "b"}, "d": {"e"}, "e": {"d"}}) == {"a": 1, "b": 2, "c": 3}


# --- directions -------------------------------------------------------------------------------------------------------


def test_imports_between_packages_run_one_way():
    needs = rooms()
    result = floors(needs)
    assert result.keys() == needs.keys(), f"a circle among {sorted(needs.keys() - result.keys())}"


@pytest.mark.parametrize("folder", sorted({path.parent.relative_to(ROOT).as_posix() for path in [*CORE, *PAGES]} - {"core", "pages"}))
def test_files_of_one_room_do_not_import_each_other_in_a_circle(folder):
    files = {f"{folder.replace('/', '.')}.{path.stem}": path for path in sources(folder)}
    needs = {module: {dotted for _, dotted in imports_of(path) if dotted in files} - {module} for module, path in files.items()}
    result = floors(needs)
    assert result.keys() == needs.keys(), f"a circle among {sorted(needs.keys() - result.keys())}"


def test_what_opens_a_room_is_empty():
    """So that the first paint imports no torch by the way; the frame's names a Python on which nothing works."""
    full = [name(p) for p in [*CORE, *PAGES] if p.name == "__init__.py" and p.read_text("utf-8").strip()]
    assert full == ["core/__init__.py", "pages/_frame/__init__.py"]


def test_modules_named_in_strings_are_there():
    """Those that `show` imports late, and those of notebooks' cells."""
    there = {name(path).removesuffix(".py").replace("/", ".") for path in [*CORE, *PAGES]}
    there |= {item.rpartition(".")[0] for item in there} | {"core"}
    said = re.compile(r"(?<![\w.`/])(?:core|pages)(?:\.[a-z_]+)+(?![\w(/])")
    wrong = []
    for path in [*SHIPPED]:
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for dotted in said.findall(node.value):
                    parts = dotted.split(".")
                    if not any(".".join(parts[:n]) in there for n in range(2, len(parts) + 1)):
                        wrong.append(f"{name(path)}:{node.lineno} names {dotted}")
    assert not wrong, rule_broken(wrong)


def test_core_knows_nothing_of_streamlit_or_the_pages():
    outside = {"streamlit", "pages", "app", "tests"}
    wrong = [f"{name(path)}:{line} imports {d}" for path in CORE for line, d in imports_of(path) if d.split(".")[0] in outside]
    assert not wrong, rule_broken(wrong)


def test_pages_build_on_shared_rooms_and_not_on_each_other():
    wrong = []
    for path in PAGES:
        own = path.relative_to(ROOT).parts[1]
        for line, dotted in imports_of(path):
            words = dotted.split(".")
            if words[0] in {"app", "tests"} or (
                words[0] == "pages" and own.startswith("_") and words[1:2] not in ([], [own]) and words[1] not in SHARED_ROOMS
            ):
                wrong.append(f"{name(path)}:{line} imports {dotted}")
    assert not wrong, rule_broken(wrong)


# --- sizes ------------------------------------------------------------------------------------------------------------


def test_a_page_entry_is_short():
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in sorted((ROOT / "pages").glob("*.py"))}
    wrong = [f"{file} has {length} lines, more than 120" for file, length in lengths.items() if length > 120]
    assert not wrong, rule_broken(wrong)


RETIRED = (
    "by lot",
    "by_lot",
    "flatters itself",
    "take it with you",
    "the same as a table",
    "errors spared",
    "reading it, about",
    "look at this one",
    "what to tell apart",
    "until the verdict turns",
    "gives it another one",
    "one vector a spelling",
    "nineteen pairs in twenty",
    "of which is it not shown",
    "the same word stands in both",
    "goes on where cut",
    r"\bone a word\b",
    r"stands (\S+ times|twice)\b",
    r"[\"“]may be[\"”]",  # neutral
    r"\bless (that of|these|those|their|its own|the mean|the static|layer)\b",  # minus
)  # phrases that nobody who teaches the subject would use


def test_retired_phrases_stay_away():
    places = [p for p in ROOT.rglob("*") if p.suffix in {".py", ".js", ".md", ".po"} and not {".venv", ".git"} & set(p.parts)]
    assert len(places) > 500
    own = Path(__file__).resolve()
    wrong = [f"{name(p)}: {phrase}" for p in places if p != own for phrase in RETIRED if re.search(phrase, p.read_text("utf-8").casefold())]
    assert not wrong, rule_broken(wrong)


def test_a_percent_sign_follows_its_number():
    """ "73%", in documents, in every text of the interface and in its translations."""
    places = [p for p in ROOT.rglob("*") if p.suffix in {".md", ".po"} and not {".venv", ".git"} & set(p.parts)]
    wrong = [f"{name(p)}: {line}" for p in places for line in p.read_text("utf-8").splitlines() if re.search(r"[\d}]\s%", line)]
    assert len(places) > 30
    assert not wrong, rule_broken(wrong)


# --- safety and manners -----------------------------------------------------------------------------------------------


def test_nothing_imports_pickle_or_its_like():
    wrong = [f"{name(path)}:{line} imports {d}" for path in SHIPPED for line, d in imports_of(path) if d.split(".")[0] in UNSAFE]
    assert not wrong, rule_broken(wrong)


def test_nothing_that_is_read_can_run_code():
    """torch.load only as plain tensors, numpy.load never with pickles, no eval, no exec."""
    wrong = []
    for path in [*SHIPPED, *sources("tests")]:
        for line, function, call in calls(path):
            options = {k.arg: getattr(k.value, "value", None) for k in call.keywords}
            unsafe = (function == "torch.load" and options.get("weights_only") is not True) or function in {"eval", "exec"}
            if unsafe or options.get("allow_pickle"):
                wrong.append(f"{name(path)}:{line} calls {function}")
    assert not wrong, rule_broken(wrong)


def test_core_prints_nothing_but_on_the_command_line():
    wrong = []
    for path in CORE:
        for line, function, call in calls(path):
            to_stderr = any(k.arg == "file" and ast.unparse(k.value) == "sys.stderr" for k in call.keywords)
            if function == "print" and name(path) not in MAY_PRINT and not (to_stderr and name(path) in MAY_NOTE):
                wrong.append(f"{name(path)}:{line} prints")
    assert not wrong, rule_broken(wrong)


def test_every_file_of_core_begins_by_saying_what_it_is():
    wrong = [name(path) for path in CORE if not ast.get_docstring(tree(path)) and path.name != "__init__.py"]
    assert not wrong, rule_broken(wrong)


def test_a_module_goes_by_its_own_name_in_every_file_of_pages():
    """`maps`, not now `maps` and now `projection`; in the cells of notebooks too."""
    renamed = re.compile(r"^ *from (?:core|pages)[\w.]* import (\w+) as (?!\1\b)\w+", re.MULTILINE)
    assert not [(name(path), result[0]) for path in PAGES for result in renamed.finditer(path.read_text(encoding="utf-8"))]
