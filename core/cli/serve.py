"""Commands `serve` and `live`: open the app, and write one HTML file that runs a model in any browser."""

import sys
from functools import partial
from pathlib import Path

import click

from ..common.config import ROOT
from ..files.artifacts import read_json
from .options import MODEL, SETTINGS, Answer, command, option
from .shared import note, open_model

HELP = "Open the app in the browser. Any other option of `streamlit run` works too."
OPTIONS = (
    click.Option(["--server.port", "port"], metavar="PORT", help="port to listen on (default 8501)"),
    click.Option(["--server.address", "address"], metavar="ADDRESS", help="address to listen on"),
    click.Option(["--server.headless", "headless"], metavar="BOOLEAN", help="true: do not open a browser window"),
)


class Serve(click.Command):
    """A command that replaces itself by Streamlit's server."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep the words as they are for Streamlit, except a call for help."""
        if set(args) & set(SETTINGS["help_option_names"]):
            return super().parse_args(ctx, args)
        ctx.args = list(args)
        return ctx.args

    def invoke(self, ctx: click.Context) -> tuple[partial, bool]:
        """Return the function to run, and False: it prints no JSON."""
        return partial(run_streamlit, ctx.args), False


def run_streamlit(options: list[str]) -> None:
    """Run app.py in this process. Streamlit ends it."""
    import runpy

    sys.argv[:] = ["streamlit", "run", str(ROOT / "app.py"), *options]
    runpy.run_module("streamlit", run_name="__main__", alter_sys=True)


serve = Serve("serve", params=list(OPTIONS), help=HELP, context_settings=SETTINGS | {"ignore_unknown_options": True})


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

    pairs = read_examples(read_json(Path(examples)), examples) if examples else ()
    path, model = Path(output), open_model(model)
    size = write(path, page_of(open_workspace(model), pairs, lambda share, what: note(f"{share:4.0%} {what}")))
    return {"output": str(path), "bytes": size, "model": model.name}, f"{path}: {size / 1e6:.1f} MB, {model.name}. Open it in a browser."
