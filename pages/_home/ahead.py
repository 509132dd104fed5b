"""What Home's first visitor would wait for, opened in a thread as the server starts: torch, the bundled model, its vectors, a verdict."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module

from core.common.errors import ElmoscopeError

PAGE = ("pages._home.show", "pages._home.scenes", "pages._widgets.downloads", "pages._widgets.gestures")


@asynccontextmanager
async def opening_ahead(_server: object) -> AsyncIterator[None]:
    """The server's life: a visitor who comes sooner waits for the same, no longer than without."""
    threading.Thread(target=_open, name="ahead", daemon=True).start()
    yield


def _open() -> None:
    import_module("torch")  # takes longest
    from core.elmo.models import BUNDLED_MODEL
    from core.views import pair
    from core.views.pair import PairRequest
    from pages._cached.views import bench_of, view
    from pages._frame import examples

    for name in PAGE:
        import_module(name)
    with suppress(ElmoscopeError):  # who opens the page is told
        over = bench_of(BUNDLED_MODEL)
        first, second = over.words(*examples.pairs(over.language)[examples.first_word(over.language)])
        view(pair.compute, over, PairRequest(first=first, second=second))
        _ = over.vectors, over.substitutes
