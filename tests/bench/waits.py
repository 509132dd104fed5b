"""Time until each view's picture, Home on a cold server, and the commands, compared with `streamlit hello`."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from core.common.config import ROOT
from pages._frame.menu import list_views
from tests.bench.measure import Setting, options, say
from tests.bench.pages import HELLO, OURS, served, visits
from tests.links import address

SENTENCE = "We sat on the grassy bank and watched the boats go by."
COMMANDS = {
    "import streamlit (its own start)": ["-c", "import streamlit"],
    "import torch": ["-c", "import torch"],
    "--help": ["-m", "core", "--help"],
    "static-neighbors": ["-m", "core", "static-neighbors", "--word", "bank"],
    "neighbors": ["-m", "core", "neighbors", "--word", "bank", "--sentence", SENTENCE],
    "verdict": ["-m", "core", "verdict", "--word", "bank", "--sentence", SENTENCE, "--sentence", "The bank lent him money."],
    "substitutes": ["-m", "core", "substitutes", "--word", "bank", "--sentence", SENTENCE],
    "predict": ["-m", "core", "predict", "--text", "She shook her"],
    "classify": ["-m", "core", "classify", "--task", "news-title", "--text", "Stocks slip as oil nears 50 dollars"],
}


def seconds(waited: dict[str, float], name: str) -> str:
    return f"{waited[name]:.1f}" if name in waited else f"no {name}"


_LINE = "{:10} {:>10}  {:>16}  {:>11}  {:>9}  {:>12}  {:>4}"


def pages(views: list[str], language: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        setting = Setting(folder=Path(folder))
        with served(setting, *HELLO) as theirs, served(setting, *OURS) as ours:
            query = "" if language == "en" else f"?lang={language}"
            places = {view: f"{ours}/{address(view + query)}" for view in ("home", *views)}
            [cold] = visits(places["home"])
            say(f"Home, cold server: heading {seconds(cold, 'heading')} s, picture {seconds(cold, 'picture')} s")
            _say_hello(theirs)
            say(_LINE.format("view", "heading, s", "first picture, s", "2nd user, s", "return, s", "late scripts", "load"))
            for view in views:
                [first] = visits(places[view])
                second, returning = visits(places[view], 2)  # another user, who then comes back
                pictures = [seconds(visit, "picture") for visit in (first, second, returning)]
                say(_LINE.format(view, seconds(first, "heading"), *pictures, second["late"], f"{os.getloadavg()[0]:.1f}"))
            _say_hello(theirs)


def _say_hello(address: str) -> None:
    first, returning = visits(address, 2)
    say(f"streamlit hello: heading {seconds(first, 'heading')} s, on return {seconds(returning, 'heading')} s")


def commands() -> None:
    say("command                            second run, s  processor, s")
    for name, words in COMMANDS.items():
        for _ in range(2):
            used, started = _children_s(), time.perf_counter()
            subprocess.run([sys.executable, *words], cwd=ROOT, stdout=subprocess.DEVNULL, check=True)
        say(f"{name:34} {time.perf_counter() - started:13.1f}  {_children_s() - used:12.2f}")


def _children_s() -> float:
    """Return the processor's seconds of all ended processes of this one."""
    times = os.times()
    return times.children_user + times.children_system


def main() -> None:
    parser = options(__doc__, language="en")
    parser.add_argument("views", nargs="*")
    parser.add_argument("--no-commands", action="store_true")
    arguments = parser.parse_args()
    views = list_views()
    if unknown := [view for view in arguments.views if view not in views]:
        parser.error(f"There is no view {unknown[0]!r}. Choose from: {', '.join(views)}.")
    pages(arguments.views or views, arguments.language)
    if not arguments.no_commands:
        commands()


if __name__ == "__main__":
    main()
