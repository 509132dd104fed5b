"""Open every page by hostile addresses: no exception may come out, and no visit may take too long.

usage: python -m tests.bench.addresses [--seconds 360] [--only PAGE ...] [--seed N]

A page is opened once as it is, which names its parameters: its controls' keys, and those that every page reads. Then all of them have one value
at once; what is in use has it one parameter at a time, for a model that is not there would hide the rest. What time is left goes to single
parameters, drawn at random. A fault is looked for again with each of its parameters alone. tests/app/test_addresses.py visits a few.
"""

import logging
import random
import sys
import time
import traceback

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button, Widget

from core.common.config import ROOT
from core.common.short_links import shortened
from pages._frame.menu import HOME, list_views, page_address
from pages._home.live import open_rest
from tests.bench.measure import Attempts, attack, options

SLOWEST_S = 10.0  # of the processor a visit may take once its page was open
WAIT_S = 60  # by the clock
VIEWS = list_views()
IN_USE = ("model", "vectors", "corpus", "beside", "engine", "lang", "front", "v", "reads")
EVERYWHERE = ("a", "b", "ai", "bi", "w", "layer", "s", "k", "quiz", "corpus_folder", "embed", "no_such")
VALUES = (
    *("", " ", "x" * 300, "y" * 6_000, "a" + " " * 15_000, "a" + " " * 15_000 + "·" + " " * 100 + "0123456789abcde", "🎉👩‍👩‍👧"),
    *("nan", "-inf", "nan,inf,1e999", "-1", "9" * 40, "1e308", "0.5", "true", "'", "bank", "no-such-name", "BAAI/bge-small"),
    *("/etc/passwd", "../../../etc/passwd", "~root/x", "/", "눈이 내려서", "\"';--`$(x)"),
    *("{0.__class__} %s {word}", "<img src=x onerror=alert(1)><b>**[x](javascript:alert(1))** :red[x] $x$"),
    *("bank\x00bank", "bank\ufffd", "bank\r\n\tbank\u2028bank", "\u202ebank\u2066"),
    shortened([("a", "The bank.")])[:-3],  # a short link that is cut
    shortened([("v", "x"), ("embed", "true"), ("EMBED_OPTIONS", "x"), ("corpus", "z" * 300)]),
)


def visit(view: str, address: dict[str, str]) -> tuple[AppTest | None, str, float]:
    """Run the page. Return it, its error or "", and the processor seconds of the run."""
    started = time.process_time()
    try:
        opened = AppTest.from_file(str(ROOT / "app.py"), default_timeout=WAIT_S)
        file, parameters = page_address(view)
        if view != HOME:
            opened.switch_page(file)
        for name, value in (parameters | address).items():
            opened.query_params[name] = value
        opened.run()
        wrong = "; ".join(f"{item.message} {' | '.join(item.stack_trace[-4:])}" for item in opened.exception)
    except Exception:  # of AppTest: a page that takes too long
        opened, wrong = None, traceback.format_exc(limit=-3)
    took = time.process_time() - started
    return opened, wrong or (f"took {took:.1f} s of the processor" if took > SLOWEST_S else ""), took


def parameters(opened: AppTest) -> list[str]:
    """Return the parameters that a page's controls read from its address, by their keys."""
    controls = [
        item for part in (opened.main, opened.sidebar) for item in part if isinstance(item, Widget) and not isinstance(item, Button)
    ]
    return sorted({item.key for item in controls if item.key and "." not in item.key} - set(IN_USE))


def addresses(own: list[str]) -> list[dict[str, str]]:
    """Return each value for all of a page's own parameters at once, and for one of those in use at a time."""
    return [dict.fromkeys(keys, value) for value in VALUES for keys in ([*own, *EVERYWHERE], *([item] for item in IN_USE))]


def run(page: str, *, seconds: float, rng: random.Random) -> Attempts:
    until, result = time.monotonic() + seconds, Attempts()
    opened, wrong, _ = visit(page, {})
    opened, wrong, _ = visit(page, {}) if opened is None or wrong.startswith("took") else (opened, wrong, 0.0)  # the first one opens models
    if wrong or opened is None:
        result.failures.append(f"{page}, as it opens: {wrong}")
        return result
    own = parameters(opened)
    every, queue = [*own, *EVERYWHERE, *IN_USE], addresses(own)
    rng.shuffle(queue)
    queue.sort(key=lambda address: len(address) > 1)  # all at once first: they are taken from the end
    while time.monotonic() < until:
        address = queue.pop() if queue else {rng.choice(every): rng.choice(VALUES)}
        _, wrong, took = visit(page, address)
        result.inputs, result.slowest_s = result.inputs + 1, max(result.slowest_s, took)
        if wrong:
            alone = [key for key in address if len(address) > 1 and visit(page, {key: address[key]})[1]]
            result.failures.append(f"{page}, {next(iter(address.values()))!r:.60} as {', '.join(alone or address)}: {wrong}")
    return result


def main() -> int:
    parser = options(__doc__, seconds=360.0, seed=0)
    parser.add_argument("--only", nargs="+", metavar="PAGE", choices=VIEWS, help="only these views")
    request = parser.parse_args()
    logging.disable(logging.WARNING)  # Streamlit's, of every visit without a browser
    pages = [view for view in VIEWS if not request.only or view in request.only]
    open_rest()  # else the background does, on the processor's time of whatever visit it falls into
    return attack(pages, lambda page: run(page, seconds=request.seconds / len(pages), rng=random.Random(request.seed)))


if __name__ == "__main__":
    sys.exit(main())
