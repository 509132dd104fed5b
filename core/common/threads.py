"""How many of torch's threads a thread of ours may use.

torch.set_num_threads is no setting of one thread: every thread that first uses torch later begins with it, so that one reader's 1,
or one direction's half, would stay for all later runs. Here a thread is told alone, through OpenMP, whose setting is each
thread's own; torch's number stays what it began with, or what the user asked for.
"""

from functools import cache

import torch
from threadpoolctl import ThreadpoolController


def limit(n: int) -> None:
    """Let the calling thread, and no other, run torch's products on n threads from now on."""
    if torch.get_num_threads() != n:  # the question has torch give this thread its first setting, which would undo ours
        _openmp().limit(limits=n, user_api="openmp")


@cache
def _openmp() -> ThreadpoolController:
    """The OpenMP libraries of this process, torch's among them."""
    return ThreadpoolController()
