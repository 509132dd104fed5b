"""Command `serve`: open the app, with any option of `streamlit run`."""

import sys
from functools import partial

import click

from ..common.config import ROOT
from .options import SETTINGS

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
