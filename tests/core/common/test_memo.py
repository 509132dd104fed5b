"""Test that values are computed once and stored within a budget of bytes."""

import ast
import re
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import make_dataclass
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from core.common.config import ROOT
from core.common.memo import Bounded, Kept, weight

MB = 10**6


@pytest.fixture
def kept(monkeypatch) -> Kept:
    monkeypatch.setenv("ELMOSCOPE_MAX_KEPT_MB", "10")
    return Kept()


def test_what_was_used_last_stays_and_one_that_is_too_heavy_stays_alone(kept):
    for k in range(9):
        kept.value("f", k, lambda: np.zeros(MB, np.uint8), most=64)
    kept.value("f", 0, lambda: pytest.fail("it is kept"), most=64)
    for k in range(20, 28):
        kept.value(f"maker {k % 3}", k, lambda: np.zeros(MB, np.uint8), most=64)
    kept.value("f", 0, lambda: pytest.fail("it is kept"), most=64)
    assert 8 * MB < kept.n_bytes <= 10 * MB  # of all makers together
    heavy = kept.value("f", "heavy", lambda: np.zeros(50 * MB, np.uint8), most=64)
    assert kept.value("f", "heavy", lambda: pytest.fail("it is on the screen"), most=64) is heavy and len(kept) == 1
    kept.value("f", "next", lambda: np.zeros(MB, np.uint8), most=64)
    assert kept.n_bytes < 2 * MB
    for k in range(5):  # a maker stores so many, and what is in files weighs nothing
        kept.value("opened", k, lambda: np.zeros(50 * MB, np.uint8), most=3, weighed=False)
    assert len(kept) == 4 and kept.n_bytes < 2 * MB


def test_threads_that_ask_at_once_wait_for_one(kept):
    made, begun, go = [], threading.Event(), threading.Event()

    def make():
        made.append(1)
        begun.set()
        go.wait(10)
        return "x"

    with ThreadPoolExecutor(4) as pool:
        results = [pool.submit(kept.value, "f", 1, make, most=2) for _ in range(4)]
        assert begun.wait(10)
        kept.value("f", 2, lambda: "another key waits for nobody", most=2)
        go.set()
        assert [result.result(10) for result in results] == ["x"] * 4 and made == [1]


def test_a_value_that_two_threads_make_after_a_failure_is_counted_once(kept):
    begun, go = threading.Event(), threading.Event()

    def fail():
        begun.set()
        go.wait(10)
        return 1 / 0

    def make():
        while kept._making:  # until the thread that failed has dropped the lock
            time.sleep(0.01)
        pool.submit(kept.value, "f", 1, lambda: np.zeros(MB, np.uint8), most=2).result(10)
        return np.zeros(MB, np.uint8)

    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(kept.value, "f", 1, fail, most=2)
        assert begun.wait(10)
        second = pool.submit(kept.value, "f", 1, make, most=2)
        time.sleep(0.1)  # it waits for the first
        go.set()
        assert isinstance(first.exception(10), ZeroDivisionError)
        assert weight(second.result(10)) == kept.n_bytes


def test_weight_is_of_arrays_lists_tables_and_what_holds_them(tmp_path):
    array = np.zeros((1000, 100), np.float32)
    assert weight(array) == 400_000 and weight(array[::2]) == 400_000  # a view holds all of it
    assert 400_000 <= weight(make_dataclass("Pair", ["a", "b"])(array, [])) < 401_000
    assert 400_000 <= weight(SimpleNamespace(a=array)) < 401_000
    assert 400_000 <= weight({"a": array, "b": array[:3]}) < 401_000  # once
    assert 0.8 < weight([f"word {k:07d}" for k in range(100_000)]) / (100_000 * 69) < 1.2
    assert weight(pd.DataFrame({"a": np.zeros(100_000)})) >= 800_000
    np.save(tmp_path / "a.npy", array)
    assert weight(np.load(tmp_path / "a.npy", mmap_mode="r")) == 0


def test_a_bounded_dictionary_drops_the_entry_used_least_recently():
    entries = Bounded(3)
    for key in "abc":
        entries.put(key, key.upper())
    assert [entries.get("a"), entries.value("b", lambda: "never"), entries.value("d", lambda: "D")] == ["A", "B", "D"]
    assert len(entries) == 3 and entries.get("c") is None and entries.get("a") == "A"


UNBOUNDED = {  # caches that cannot grow with what users do
    "core/cli/wire.py _request_class",  # an entry for each view
    "core/files/sums.py _SEEN",  # an entry for each file of the project
    "core/index/rows.py _compiled",  # one function
}


def grows(node: ast.stmt) -> str:
    """The name of a module-level function or variable that keeps whatever it is given, else ""."""
    if isinstance(node, ast.FunctionDef) and (node.args.args or node.args.kwonlyargs or node.args.vararg):
        decorators = [ast.unparse(item) for item in node.decorator_list]
        return node.name if any(re.search(r"\bcache$|lru_cache\((maxsize=)?None", text) for text in decorators) else ""
    if not isinstance(node, ast.Assign | ast.AnnAssign) or getattr(node.value, "keys", None) or getattr(node.value, "elts", None):
        return ""  # a table of constants: to write it as text would take seconds
    empty = re.fullmatch(r"\{\}|\[\]|(set|dict|OrderedDict|WeakKeyDictionary)\(\)|defaultdict\(.*", ast.unparse(node.value or node.target))
    return ast.unparse(node.targets[0] if isinstance(node, ast.Assign) else node.target) if empty else ""


def test_no_cache_of_a_module_grows_without_bound():
    found = set()
    for path in (path for folder in ("core", "pages") for path in (ROOT / folder).rglob("*.py") if "notebook" not in path.as_posix()):
        names = filter(None, map(grows, ast.parse(path.read_text("utf-8")).body))  # notebooks run in processes of their own
        found |= {f"{path.relative_to(ROOT).as_posix()} {name}" for name in names}
    assert found == UNBOUNDED
