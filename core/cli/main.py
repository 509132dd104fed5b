"""The command line: parse the arguments, run the command's function, print its answer.

With --json, one JSON object goes to stdout and nothing else. Progress and notes go to stderr. A user's error is one line on stderr and exit
status 2.
"""

import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path

import click

from .. import __version__
from ..common import reports
from ..common.config import ROOT, cache_folder
from ..common.errors import BadInput, ElmoscopeError
from ..common.markup import shorten
from ..files.artifacts import MAX_JSON_BYTES, check_fits
from ..text import languages
from . import classify, corpus, evaluate, neighbors, senses, training, vectors
from .options import MODEL, SETTINGS, Answer, command, group, option
from .shared import note, open_model

SERVE_HELP = """Open the app in the browser.

Options of `streamlit run` work: --server.port PORT to listen on (default 8501), --server.address ADDRESS to listen on,
--server.headless true to open no browser window."""


def run_streamlit(options: list[str]) -> None:
    """Run app.py in this process. Streamlit ends it."""
    import runpy

    sys.argv[:] = ["streamlit", "run", str(ROOT / "app.py"), *options]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


@click.command("serve", help=SERVE_HELP, context_settings=SETTINGS | {"ignore_unknown_options": True, "allow_extra_args": True})
@click.pass_context
def serve(ctx: click.Context) -> tuple[partial, bool]:
    """Return the function that runs Streamlit's server, and False: it prints no JSON."""
    return partial(run_streamlit, ctx.args), False


def _pairs_in(path: str) -> dict:
    """Read a user's JSON file in UTF-8 or UTF-16. Raises BadInput if it is not JSON, or names a word twice."""

    def unrepeated(items: list[tuple[str, object]]) -> dict:
        for word, n in Counter(word for word, _ in items).items():
            if n > 1:
                raise ValueError(f"“{shorten(word)}” appears {n} times")
        return dict(items)

    check_fits(path, MAX_JSON_BYTES)
    try:
        return json.loads(Path(path).read_bytes(), object_pairs_hook=unrepeated)
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path}: {error}. Correct the file.") from None


@command(
    "live",
    option("--output", "the file", metavar="FILE", default="elmoscope.html"),
    option("--examples", 'your own: {"bank": ["We sat on the bank.", "The bank lent money."]}', metavar="FILE"),
    *MODEL,
)
def live(*, output, examples, model) -> Answer:
    """Write one HTML file that runs the model in any browser, from disk, without a server."""
    from ..live.page import page_of, read_examples, write
    from ..workspace import open_workspace

    pairs = read_examples(_pairs_in(examples), examples) if examples else ()
    path, model = Path(output), open_model(model)
    size = write(path, page_of(open_workspace(model), pairs, lambda share, what: note(f"{share:4.0%} {what}")))
    return {"output": str(path), "bytes": size, "model": model.name}, f"{path}: {size / 1e6:.1f} MB, {model.name}. Open it in a browser."


COMMANDS = (
    *(vectors.embed, vectors.predict, vectors.allennlp),
    *(neighbors.neighbors, neighbors.static_neighbors, neighbors.verdict, neighbors.substitutes, neighbors.view),
    *(senses.senses, corpus.corpus),
    *(evaluate.evaluate, training.pretrain, training.glove, vectors.index, vectors.convert),
    *(classify.train, classify.classify, training.tasks, classify.fetch_data),
    live,
    serve,
)
elmoscope = group(None, "Elmoscope: what a word means in context.", commands=COMMANDS)
elmoscope = click.version_option(__version__, message="%(version)s")(elmoscope)


def main(arguments: list[str] | None = None) -> int:
    """Run one command and return the exit status."""
    name = "elmoscope" if __package__.startswith("elmoscope.") else "python -m core"  # as the user started the program
    return run(elmoscope, sys.argv[1:] if arguments is None else arguments, name)


def run(command: click.Command, words: Sequence[str], name: str) -> int:
    """Run a command, or a group of commands, with these words; return the exit status."""
    try:
        with redirect_stdout(StringIO()) as help_text:
            function, as_json = parsed(command, words, name)
    except click.exceptions.Exit:
        return _say(help_text.getvalue().removesuffix("\n"))
    except click.UsageError as error:
        return _refused(f"{shorten(error.format_message(), 400)} See: {error.ctx.command_path if error.ctx else name} --help")
    return answered(function, as_json=as_json)


def parsed(command: click.Command, words: Sequence[str], name: str = "python -m core") -> tuple[partial, bool]:
    """Return the function that the words call, with its keywords, and whether its answer is wanted as JSON."""
    return command.invoke(command.make_context(name, list(words)))


def answered(run: Callable[[], tuple[dict, str]], *, as_json: bool) -> int:
    """Run a command's function and print its answer or its error. Return the exit status."""
    try:
        with reports.collecting() as collected:
            try:
                result, text = run()
            finally:
                for note_text in collected.values():
                    print(" ".join(note_text.splitlines()), file=sys.stderr, flush=True)
    except ElmoscopeError as error:
        return _refused(str(error))
    except OSError as error:
        if not error.filename:  # not about a file that the user named
            raise
        is_cache = Path(error.filename).is_relative_to(cache_folder())
        advice = "Name a folder that can be written in ELMOSCOPE_CACHE." if is_cache else "Check the path."
        return _refused(f"{shorten(error.filename, 200)}: {error.strerror}. {advice}")
    except KeyboardInterrupt:
        print("stopped.", file=sys.stderr)
        return 130
    finally:
        languages.use(None)  # a command reads text as its model's language, and only it
    return _say(_json(result) if as_json else text)


def _refused(message: str) -> int:
    """Print a user's error as one line on stderr. Return the exit status."""
    print("error:", " ".join(message.splitlines()), file=sys.stderr)
    return 2


def _json(result: dict) -> str:
    """Format a result as JSON, with escapes if the terminal's encoding lacks a letter or an argument was not UTF-8."""
    text = json.dumps(result, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return json.dumps(result)
    return text


def _say(text: str) -> int:
    """Print an answer. Return the exit status."""
    try:
        print(text)
        sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # what the buffer holds would fail again at exit
        return 0 if isinstance(error, BrokenPipeError) else _refused(f"the output cannot be written: {error.strerror}.")
    except UnicodeEncodeError:
        encoding = sys.stdout.encoding
        return _say(text.encode(encoding, "backslashreplace").decode(encoding))
    return 0
