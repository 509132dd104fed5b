"""Counts of the code that may only fall: whoever lowers one lowers its bound here."""

import ast
import re
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILES = (ROOT / "app.py", *sorted((ROOT / "core").rglob("*.py")), *sorted((ROOT / "pages").rglob("*.py")))


@cache
def trees() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text("utf-8")) for path in FILES}


@cache
def bindings() -> Counter[str]:
    """How often each name is bound: assigned, or a parameter."""
    names = Counter()
    for tree in trees().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                names[node.id] += 1
            elif isinstance(node, ast.arg):
                names[node.arg] += 1
    return names


def lines_with(pattern: str, folder: str = "") -> int:
    return sum(len(re.findall(pattern, path.read_text("utf-8"), re.MULTILINE)) for path in FILES if folder in path.as_posix())


@pytest.mark.parametrize(("name", "most"), [("found", 3), ("told", 2), ("one", 1), ("asked", 1), ("said", 3), ("shown", 49), ("laid", 0)])
def test_names_that_say_nothing_become_fewer(name, most):
    assert bindings()[name] <= most, "name a thing by the field's noun"


PARTICIPLE = re.compile(
    r"_?(found|told|made|laid|placed|drawn|shown|turned|followed|listed|settled|asked|begun|noted|packed|grouped|kept|opened|said|sent|seen|noticed"
    r"|remembered|encoded|measured|trained|finished|fitted|given|brought|marked|named|ordered|paired|padded|sampled|known|judged|called|compared"
    r"|joined|mixed|moved|offered|picked|ranked|rounded|scaled|shared|typed|used|widened|written|centered|centered|about|around|among|apart|beside)"
    r"(_[a-z_]+)?"
)


def test_a_function_is_named_by_a_verb():
    names = [node.name for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    assert len([name for name in names if PARTICIPLE.fullmatch(name)]) <= 22, "find_..., open_..., write_..., not found, opened, written"


def test_a_class_has_a_name_of_its_own():
    homes = defaultdict(list)
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(path.name)
    assert len({name: files for name, files in homes.items() if len(files) > 1}) <= 1


def test_no_function_has_more_than_nine_parameters():
    """`self` is not counted; the function of a command has a parameter for each option."""
    many = []
    for path, tree in trees().items():
        if path.parent.name == "cli":
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                args = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, *filter(None, (node.args.vararg, node.args.kwarg))]
                if len([arg for arg in args if arg.arg not in ("self", "cls")]) > 9:
                    many.append(f"{path.name}:{node.lineno} {node.name}")
    assert not many, "group them in a frozen dataclass"


def test_what_is_done_in_one_place_stays_there():
    assert lines_with(r"tensordot") <= 2, "core.elmo.mix.mixed mixes layers"
    assert lines_with(r"\.backward\(\)") <= 5, "core.learning.fit trains heads"
    assert lines_with(r"add_argument|Namespace\(", "core/") == 0, "commands are functions (core.cli.options)"


def test_pages_hand_on_a_workspace_and_keep_answers_in_one_place():
    assert lines_with(r"in_use\.corpus, in_use\.model", "pages/") == 0, "hand on pages._cached.views.workspace"
    assert lines_with(r"^\s*@(\w+\.)?kept\(", "pages/") == 0, "ask by pages._cached.views.view"
    assert len(list((ROOT / "pages").glob("*.py"))) == 11
