"""The answers of Elmoscope before and after a change of its code: `python -m tests.bench.answers record FILE`, later `... compare FILE`.

- `views`: ten requests of each view and of some commands, by the command line in this process; the next words by the view itself.
- `verdicts`: 400 pairs of bundled labeled sentences, 300 English and 100 Korean, half of each of one sense, with all evidence.
- `tables`: the tables in the icon rows of all views under their switches, by AppTest; the pages' errors where there are some.
- `page`: what the one-file page answers on 30 English and 6 Korean pairs, in Chromium.

`compare` computes all again, prints each difference with its path and ends with status 1 if there is one. Keys are compared exactly, numbers
up to 1e-6, absolute or relative; items of a list may change places where the first numbers in them are equal as far. Long lists are kept as
size, sum, a sum by places, a checksum of their texts and their first items. `--only` chooses sections, FILE may end in `.gz`.

Left out, because they differ from run to run or take minutes: maps by UMAP that are not bundled, times, dates, paths, the tables of a training,
of all labeled words, of one pronoun, of a transformer and of a second model. Each section runs in a process of its own with one thread, over a cache that
holds only the index of the bundled sentences, since the order of sums changes the last digits.
"""

import gzip
import json
import logging
import math
import os
import subprocess
import sys
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from tests.bench.measure import options
from tests.bench.questions import MODELS, PAGE_PAIRS, PAIRS, TEXTS, VISITS, commands, draw_pairs, labeled_rows, language_of, requests
from tests.run import ROOT, start_chromium

TOLERANCE = 1e-6
TIMES = ("seconds", "milliseconds")  # keys of an answer and columns of a table that differ in every run
SHORT, MANY, FIRST = 24, 12, 20  # numbers of a list that are kept whole, other items of one, the first of a longer one


def call(*words: str) -> Any:
    """Return what a command prints with --json, or its error."""
    main = import_module("core.cli.main").main
    remember("core.elmo.models", "open_model")
    remember("core.workspace", "open_workspace")
    with redirect_stdout(StringIO()) as out, redirect_stderr(StringIO()) as wrong:
        status = main([*words, "--json"])
    if status:
        return {"error": wrong.getvalue().strip().splitlines()[-1].replace(str(ROOT), "")}
    return json.loads(out.getvalue())


def remember(module: str, name: str) -> None:
    """Open each model and workspace once. Without such a function commands only take longer."""
    with suppress(ImportError, AttributeError):
        function = getattr(found := import_module(module), name)
        if not hasattr(function, "opened"):

            def remembered(*given, **named):
                key = tuple(each if isinstance(each, str) else id(each) for each in given)
                if key not in remembered.opened:
                    remembered.opened[key] = function(*given, **named)
                return remembered.opened[key]

            remembered.opened = {}
            setattr(found, name, remembered)


def next_words(language: str, text: str, position: int, *, backward: bool) -> Any:
    """Return what a model expects around a text and in the place of a token, and the ranks of its words."""
    from core.analysis.expectation import sentences_of
    from core.cli.wire import json_of
    from core.text import languages
    from core.views import substitutes as view
    from core.workspace import open_workspace

    workspace = open_workspace(MODELS[language])
    with languages.reading(workspace.language):
        request = view.NextWordsRequest(sentences=sentences_of(text), backward=backward, position=position)
    reading = view.read_text(workspace, request)
    ways = (view.next_words, view.expected_at, view.ranks)
    return json_of([reading, *(way(workspace, request, reading) for way in ways), view.opening_place(workspace, reading)])


def levels(language: str) -> Any:
    """Return the cosines of random words in every space, measured now where the model does not bring them."""
    from core.analysis.random_pairs import random_level, random_level_of_mix
    from core.cli.wire import json_of
    from core.workspace import open_workspace

    workspace = open_workspace(MODELS[language])
    mixes = ((1, 0, 0), (1, 2, 3), (0.5, 0, 0.5))
    spaces = [json_of(random_level(workspace, space)) for space in ("0", "1", "2", "mix", "senses")]
    return spaces + [json_of(random_level_of_mix(workspace, mix, normalized=True)) for mix in mixes]


def open_page(visit: str) -> Any:
    """Return a page opened by its view and its parameters, after the work that it began."""
    from pages._home import live
    from tests.app.visit import opened

    live.WARM_UP_AFTER_S = 86_400.0  # nothing is opened in the meantime
    view, _, parameters = visit.partition("?")
    return at_rest(opened("app.py" if view == "home" else f"pages/{view}.py", **dict(parse_qsl(parameters, keep_blank_values=True))))


def at_rest(page: Any) -> Any:
    """Wait for the threads of jobs and draw the page again."""
    for _ in range(20):
        begun = [thread for thread in threading.enumerate() if thread.name == "index"]
        for thread in begun:
            thread.join(300)
        if not begun:
            break
        page.run()
    return page


def index() -> dict:
    """Encode the bundled sentences of both languages, for the sections after this one."""
    for model, word, sentence in (("elmo-mini", "bank", "A bank."), ("elmo-ko-mini", "배", "배가 떠났다.")):
        call("neighbors", "--word", word, "--sentence", sentence, "--layer", "1", "--model", model)
    return {}


def views() -> dict:
    """Compute what views and commands answer."""
    result: dict[str, Any] = {}
    for name, language, request in requests():
        answer = call("view", name, "--request", json.dumps(request), "--model", MODELS[language])
        result[f"{name}/{json.dumps(request, ensure_ascii=False)}"] = answer
    for words in commands():
        result[" ".join(words)] = call(*words)
    for k, text in enumerate(TEXTS):
        result[f"next_words/{text}"] = next_words("ko" if k > 7 else "en", text, k % 3, backward=k % 2 == 1)
    return result | {f"levels/{language}": levels(language) for language in MODELS}


def verdicts() -> dict:
    """Compute the verdicts on pairs of labeled sentences."""
    result: dict[str, Any] = {}
    for corpus, n in PAIRS:
        language = language_of(corpus)
        for first, second in draw_pairs(corpus, n):
            words = [row["lemma" if language == "ko" else "word"] for row in (first, second)]  # a Korean token has more than its word
            texts = [" ".join(row["tokens"]) for row in (first, second)]
            first_word, second_word = ({"text": text, "word": word} for text, word in zip(texts, words, strict=True))
            request = {"first": first_word, "second": second_word}
            answer = call("view", "pair", "--request", json.dumps(request), "--model", MODELS[language])
            judged = answer.get("judgment") or {"verdict": None}
            kept = {key: answer.get(key) for key in ("error", "words", "cosines", "static")} | judged | (judged["verdict"] or {})
            result[str(len(result))] = {"texts": texts} | {key: each for key, each in kept.items() if key != "verdict"}
    return result


def tables() -> dict:
    """Collect the tables that the pages offer."""
    from tests.app.visit import offered

    logging.disable(logging.WARNING)  # Streamlit's, of every page that no browser asked for
    result: dict[str, Any] = {}
    for visit in (visit.strip() for line in VISITS.strip().splitlines() for visit in line.split(" / ")):
        page = use(open_page(visit), visit)
        wrong = [item.value.replace(str(ROOT), "") for item in (*page.exception, *page.error)]
        result[visit] = wrong or [table_of(table) for table in offered(page)]
    return result


def use(page: Any, visit: str) -> Any:
    """Play the quiz, rank the words that changed, and bring a file of labels, where the tables wait for that."""
    presses = {"guess?quiz=12": [f"guess.{what}.12.{k}{end}" for k in range(8) for what, end in (("choose", ".0"), ("next", ""))]}
    for key in (presses | {"change": ["change.rank"]}).get(visit, ()):
        page.button(key=key).click().run()
    if visit.startswith("spread"):
        rows = [json.dumps(row) for row in labeled_rows("sentences") if row["lemma"] == "bank"][:6]
        box = next(box for box in page.file_uploader if box.key.startswith("spread.file."))
        box.upload("bank.jsonl", "\n".join(rows).encode())
        page.run()
    return at_rest(page)


def table_of(table: Any) -> dict:
    """Reduce a table to its columns, its number of rows, some of them, and sums of each column."""
    table = table.drop(columns=[name for name in table.columns if name in TIMES])
    cells = [[each.item() if hasattr(each, "item") else each for each in table[name]] for name in table.columns]
    rows = [[each if isinstance(each, str | int | float | None) else str(each) for each in row] for row in zip(*cells, strict=True)]
    texts = [[each for each in row if isinstance(each, str)] for row in rows]
    columns = [str(name) for name in table.columns]
    items = [[(row[k], of * (not isinstance(row[k], str))) for row, of in zip(rows, texts, strict=True)] for k in range(len(columns))]
    totals = {name: sums(of) for name, of in zip(columns, items, strict=True)}
    return {"columns": columns, "rows": len(rows), "sample": [rows[:2], rows[-1:]], "sums": totals}


def page() -> dict:
    """Ask the one-file page of each language, opened in a Chromium without a network."""
    script = """async (asked) => { const all = []; for (const each of asked) all.push(await elmoscope.answer(...each));
      return JSON.stringify(all, (_, one) => (ArrayBuffer.isView(one) ? [...one] : one)); }"""
    result = {}
    with tempfile.TemporaryDirectory() as folder, start_chromium() as browser:
        for corpus, n in PAGE_PAIRS:
            language = language_of(corpus)
            call("live", "--model", MODELS[language], "--output", f"{folder}/{language}.html")
            requests = [[[" ".join(row["tokens"]) for row in pair], [None, None]] for pair in draw_pairs(corpus, n, seed=1)]
            tab = browser.new_context(offline=True).new_page()
            tab.set_default_timeout(300_000)
            tab.goto(f"{Path(folder, language).as_uri()}.html")
            tab.locator("html[data-answered]").wait_for(state="attached")
            answers = json.loads(tab.evaluate(script, requests))
            result |= {f"{language}/{k}": {"texts": requests[k][0]} | answer for k, answer in enumerate(answers)}
    return result


def reduce(value: Any) -> Any:
    """Shorten long lists, round numbers, and leave out times."""
    if isinstance(value, dict):
        return {key: reduce(each) for key, each in value.items() if key not in TIMES}
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else str(value)
    if not isinstance(value, list | tuple):
        return value
    all_leaves = list(leaves(value))
    if all(isinstance(each, int | float | None) for each in all_leaves):
        if len(all_leaves) <= SHORT:
            return [reduce(each) for each in value]
        return {"shape": shape(value), **sums(all_leaves), "first": reduce(all_leaves[:FIRST])}
    if len(value) <= MANY:
        return [reduce(each) for each in value]
    return {"shape": [len(value)], **sums(value), "first": [reduce(each) for each in value[:4]], "last": reduce(value[-1])}


def leaves(value: Any) -> Iterator[Any]:
    """Yield the numbers and texts in a value of JSON."""
    if isinstance(value, dict | list | tuple):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)
    else:
        yield value


def shape(value: Any) -> list[int]:
    """Return the lengths of nested lists along their first items."""
    return [len(value), *(shape(value[0]) if value else [])] if isinstance(value, list | tuple) else []


def sums(items: Sequence[Any]) -> dict:
    """Return sums of the items' numbers: plain, by places and by texts; and a checksum of the texts, in any order where there are fractions."""
    flat = [list(leaves(item)) for item in items]
    texts = [zlib.crc32("\0".join(each for each in item if isinstance(each, str)).encode()) for item in flat]
    totals = [math.fsum(each for each in item if isinstance(each, int | float) and math.isfinite(each)) for item in flat]
    in_order = not any(isinstance(each, float) for item in flat for each in item)
    placed = math.fsum(k * total for k, total in enumerate(totals, 1)) / max(1, len(items))
    paired = math.fsum(text / 2**32 * total for text, total in zip(texts, totals, strict=True))
    checksum = sum(k * text if in_order else text for k, text in enumerate(texts, 1)) % 2**32
    return {"sum": reduce(math.fsum(totals)), "placed": reduce(placed), "paired": reduce(paired), "texts": checksum}


def differences(old: Any, new: Any, path: str = "") -> Iterator[str]:
    """Yield each difference of two answers with its path."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if key in old and key in new:
                yield from differences(old[key], new[key], f"{path}/{key}")
            else:
                yield f"{path}/{key} {'is gone' if key in old else 'is new'}"
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{path} {len(old)} items -> {len(new)}"
        for k, (before, now) in enumerate(zip(old, new, strict=False)):
            changes = list(differences(before, now, f"{path}/{k}"))
            if changes and not any(is_tied(before, each) and not list(differences(each, now)) for each in old):
                yield from changes
    elif not is_equal(old, new):
        yield f"{path} {json.dumps(old, ensure_ascii=False)} -> {json.dumps(new, ensure_ascii=False)}"


def is_equal(old: Any, new: Any) -> bool:
    """Return whether two values are the same, numbers up to the tolerance."""
    if any(isinstance(each, bool) or not isinstance(each, int | float) for each in (old, new)):
        return type(old) is type(new) and old == new
    return math.isclose(old, new, rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def is_tied(one: Any, other: Any) -> bool:
    """Return whether two items of a list may change places: the first fractions in them are equal."""
    first, second = (next((each for each in leaves(item) if isinstance(each, float)), None) for item in (one, other))
    return isinstance(one, dict | list) and first is not None and second is not None and is_equal(first, second)


SECTIONS: dict[str, Callable[[], dict]] = {"views": views, "verdicts": verdicts, "tables": tables, "page": page}
STEPS = SECTIONS | {"index": index}


def compute(names: Sequence[str]) -> dict:
    """Compute sections, each in a new process with one cache for all."""
    result = {}
    variables = {f"{name}_NUM_THREADS": "1" for name in ("OMP", "MKL", "OPENBLAS", "NUMBA")} | {"PYTHONHASHSEED": "0"}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("index", *names):
            begun, file = time.monotonic(), Path(folder, "answers.json")
            command = [sys.executable, "-m", "tests.bench.answers", "section", str(file), "--only", name]
            subprocess.run(command, check=True, cwd=ROOT, env={**os.environ, **variables, "ELMOSCOPE_CACHE": f"{folder}/cache"})
            result[name] = json.loads(file.read_text("utf-8"))
            print(f"{name}: {len(result[name])} answers in {time.monotonic() - begun:.0f} s", file=sys.stderr, flush=True)
    return {name: result[name] for name in names}


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("do", choices=("record", "compare", "section"), help="section: for this program itself")
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", nargs="*", choices=STEPS, default=list(SECTIONS))
    args = parser.parse_args()
    if args.do == "section":
        args.file.write_text(json.dumps(reduce(STEPS[args.only[0]]()), ensure_ascii=False), "utf-8")
        return 0
    pack, unpack = (partial(gzip.compress, mtime=0), gzip.decompress) if args.file.suffix == ".gz" else (bytes, bytes)
    recorded = json.loads(unpack(args.file.read_bytes())) if args.file.exists() else {}
    if args.do == "record":
        args.file.write_bytes(pack(json.dumps(recorded | compute(args.only), ensure_ascii=False, indent=0).encode()))
        return 0
    names = [name for name in args.only if name in recorded]
    lines = list(differences({name: recorded[name] for name in names}, compute(names)))
    print("\n".join(line.removeprefix("/") for line in lines) or "No differences.")
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
