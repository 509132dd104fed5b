"""The house rules of DESIGN section 1 and STYLE, read off the syntax trees: nothing is imported or run."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LAYERS = (  # of core, lowest first; a module may import what stands in an earlier row, or another file of its own folder
    ("errors", "texts", "markup"),
    ("config", "limits", "catalogue", "standalone", "vector_files", "pythons", "writing"),
    ("manifest", "jobs", "kept", "own", "checkpoint", "room"),
    ("text", "artifacts", "draws", "threads", "device", "encodings"),
    ("morphemes",),
    ("languages",),
    ("download",),
    ("registry", "published", "elmo", "static", "glove", "corpus"),
    ("rows", "question"),
    ("occurrences", "datasets", "walk", "recut"),
    ("axes", "halves", "significance", "static_context", "one_cloud", "trustworthiness"),
    ("neighbours", "projection", "senses", "classify", "spelling", "influence", "library", "concordance", "comparing"),
    (
        "figures",
        "cluster",
        "workbench",
        "measures",
        "sense_split",
        "probes",
        "cloud",
        "editing",
        "induction",
        "statefulness",
        "honesty",
        "surroundings",
    ),
    ("notebooks", "evidence"),
    ("evaluation", "modelcard", "heads", "verdict", "anisotropy"),
    ("commands", "experiments", "bench", "all_words", "own_sentences", "lessons"),
    ("context_curve",),
    ("context_gains",),
    (
        "making",
        "evaluating",
        "classifying",
        "benching",
        "cli_model",
        "cli_heads",
        "cli_bench",
        "cli_sentences",
        "cli_lessons",
        "lessoning",
        "sentence_checks",
    ),
    ("bundling",),
    ("cli",),
    ("__main__",),
)
RANK = {name: rank for rank, row in enumerate(LAYERS) for name in row}
MAY_PRINT = {"core/cli.py", "core/elmo/allennlp_worker.py"}  # the command line, and a process that answers on stdout
MAY_NOTE = {"core/commands.py"}  # the command line's commands: to stderr only
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


def imports_of(path: Path) -> list[tuple[int, str]]:
    return list(imports(tree(path), path.relative_to(ROOT).parent.parts))


def calls(path: Path) -> Iterator[tuple[int, str, ast.Call]]:
    """(line, what is called, the call)."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Call):
            yield node.lineno, ast.unparse(node.func), node


def part(dotted: str) -> str | None:
    """The part of core that a dotted name is in: "core.elmo.mix" -> "elmo"; None for others and for core itself."""
    words = dotted.split(".")
    return words[1] if words[0] == "core" and len(words) > 1 and words[1] in RANK else None


def rule_broken(lines: list[str]) -> str:
    return "\n" + "\n".join(lines)


# --- the tests see what they should ----------------------------------------------------------------------------------


def test_imports_are_found_wherever_they_stand():
    module = ast.parse("import a.b\ndef f():\n    from core.elmo import mix\n    from . import x\n    from ..text import y")
    found = {dotted for _, dotted in imports(module, ("core", "elmo"))}
    assert found == {"a.b", "core.elmo", "core.elmo.mix", "core.elmo.x", "core.text", "core.text.y"}
    assert [part(d) for d in ("core", "core.elmo.mix", "core.__version__", "numpy.core.text", "core.text.y")] == [
        None,
        "elmo",
        None,
        None,
        "text",
    ]


def test_every_module_of_core_has_its_place_in_the_layers():
    placed = {path.relative_to(ROOT / "core").parts[0].removesuffix(".py") for path in CORE} - {"__init__"}
    assert placed and placed <= set(RANK), f"not in LAYERS: {sorted(placed - set(RANK))}"


# --- directions -------------------------------------------------------------------------------------------------------


def test_imports_of_core_point_one_way():
    wrong = []
    for path in CORE:
        own = path.relative_to(ROOT / "core").parts[0].removesuffix(".py")
        for line, dotted in imports_of(path):
            other = part(dotted)
            inside = other == own and len(path.relative_to(ROOT / "core").parts) > 1
            if other is not None and not inside and RANK[other] >= RANK.get(own, -1):
                wrong.append(f"{name(path)}:{line} imports {dotted}, which is no lower layer")
    assert not wrong, rule_broken(wrong)


@pytest.mark.parametrize("folder", ["elmo", "classify", "bench"])
def test_files_of_one_folder_of_core_do_not_import_each_other_in_a_circle(folder):
    files = {f"core.{folder}.{path.stem}": path for path in sources(f"core/{folder}")}
    needs = {module: {dotted for _, dotted in imports_of(path) if dotted in files} - {module} for module, path in files.items()}
    while needs:
        free = {module for module, others in needs.items() if not others & needs.keys()}
        assert free, f"a circle among {sorted(needs)}"
        needs = {module: others for module, others in needs.items() if module not in free}


def test_core_knows_nothing_of_streamlit_or_the_pages():
    outside = {"streamlit", "pages", "app", "tests"}
    wrong = [f"{name(path)}:{line} imports {d}" for path in CORE for line, d in imports_of(path) if d.split(".")[0] in outside]
    assert not wrong, rule_broken(wrong)


def test_pages_build_on_shared_parts_and_not_on_each_other():
    wrong = []
    for path in PAGES:
        for line, dotted in imports_of(path):
            words = dotted.split(".")
            if words[0] in {"app", "tests"} or (words[0] == "pages" and words[1:2] not in ([], ["_shared"])):
                wrong.append(f"{name(path)}:{line} imports {dotted}")
    assert not wrong, rule_broken(wrong)


# --- sizes ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("paths", "limit"), [(CORE, 330), (sorted((ROOT / "pages").glob("*.py")), 120)], ids=["core", "pages"])
def test_no_file_is_longer_than_one_idea(paths, limit):
    lengths = {name(path): len(path.read_text(encoding="utf-8").splitlines()) for path in paths}
    wrong = [f"{file} has {length} lines, more than {limit}" for file, length in lengths.items() if length > limit]
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
    wrong = [name(path) for path in CORE if not ast.get_docstring(tree(path))]
    assert not wrong, rule_broken(wrong)
