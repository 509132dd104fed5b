"""Open every page by hostile addresses (`python -m tests.bench.addresses`): no exception may come out, and no visit may take too long.

A page is opened once as it is, which names its parameters: its controls' keys, and those that every page reads. Then all of them have one value
at once; what is in use has it one parameter at a time, because a model that does not exist would hide the rest.
tests/app/test_addresses.py visits a few.
"""

import logging
import sys
import time
import traceback

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Button, Widget

from core.common.config import ROOT
from core.common.short_links import shortened
from pages._frame.menu import HOME, list_views, page_address
from pages._home.live import open_rest
from tests.bench.measure import say

SLOWEST_S = 10.0  # of the processor a visit may take once its page was open
WAIT_S = 60  # by the clock
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


def visit(view: str, address: dict[str, str]) -> tuple[AppTest | None, str]:
    """Run the page. Return it, and its error or ""."""
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
    return opened, wrong or (f"took {took:.1f} s of the processor" if took > SLOWEST_S else "")


def parameters(opened: AppTest) -> list[str]:
    """Return the parameters that a page's controls read from its address, by their keys."""
    controls = [
        item for part in (opened.main, opened.sidebar) for item in part if isinstance(item, Widget) and not isinstance(item, Button)
    ]
    return sorted({item.key for item in controls if item.key and "." not in item.key} - set(IN_USE))


def main() -> int:
    failed = False
    logging.disable(logging.WARNING)  # Streamlit's, of every visit without a browser
    open_rest()  # else the background does, on the processor's time of whatever visit it falls into
    for view in list_views():
        visit(view, {})  # opens models, which may take long
        opened, _ = visit(view, {})
        names = [*parameters(opened), *EVERYWHERE] if opened else EVERYWHERE
        for address in ({}, *(dict.fromkeys(names, value) for value in VALUES), *({name: value} for name in IN_USE for value in VALUES)):
            if wrong := visit(view, address)[1]:
                failed = True
                say(f"{view}, {next(iter(address.values()), '')!r:.60} as {', '.join(address)}: {wrong}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
