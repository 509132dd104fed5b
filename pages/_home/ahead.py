"""What Home's first visitor would wait for, opened before the server answers: torch, the bundled model, its vectors, a verdict.

In a thread beside the first visit it takes longer, and the visit with it: Python runs one thread at a time, so that each of the page's
hundred files and each line of its script waited for an import. Who comes sooner is connected, and answered once it is open.
"""

import asyncio
import gc
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module

from core.common.errors import ElmoscopeError

PAGE = ("pages._home.door", "pages._home.show", "pages._home.scenes", "pages._widgets.downloads", "pages._widgets.gestures")


@asynccontextmanager
async def opening_ahead(_server: object) -> AsyncIterator[None]:
    """The server's life."""
    await asyncio.to_thread(open_home)
    yield


def open_home() -> None:
    """Open all that Home needs for its first example."""
    from core.elmo.models import BUNDLED_MODEL
    from core.views import pair, substitutes
    from core.views.pair import PairRequest
    from core.views.substitutes import SubstitutesRequest
    from pages._cached.views import bench_of, view
    from pages._frame import examples

    for name in PAGE:
        import_module(name)
    with suppress(ElmoscopeError):  # who opens the page is told
        over = bench_of(BUNDLED_MODEL)
        words = over.words(*examples.pairs(over.language)[examples.first_word(over.language)])
        view(pair.compute, over, PairRequest(first=words[0], second=words[1]))
        _ = over.vectors
        view(substitutes.compute, over, SubstitutesRequest(words=words))
    gc.freeze()  # pages._cached.opened says why
