"""Read the forms in which two data sets are published: AG News with remains of HTML, and the trees of Stanford's sentiment treebank."""

import html
import re
from collections.abc import Iterable, Sequence

from ..common.errors import BadInput
from ..common.i18n import t

_APOSTROPHE = re.compile(r"\s?&?#0*(?:39|145|146|8216|8217);")
_ENTITY = re.compile(r"(?:&|(?<!\w))(#\d{2,5}|#x[0-9a-f]{2,5}|quot|amp|lt|gt|nbsp);", re.IGNORECASE)
_TAG = re.compile(r"</?[a-z]{1,10}(?:\s[^<>]{0,400})?/?>", re.IGNORECASE)


def clean_ag_news(text: str) -> str:
    r"""Return AG News text as it was meant: its files lost the & of HTML entities and use \ for a line break.

    >>> clean_ag_news("Haiti #39;s second\\team pays  #36;10  quot;now quot; &lt;b&gt;(AP)&lt;/b&gt; &lt;TXN.N&gt;")
    'Haiti\'s second team pays $10 "now " (AP) <TXN.N>'
    """
    text = _APOSTROPHE.sub("'", text.replace("\\", " "))  # the blank before #39; was the lost &
    text = _ENTITY.sub(lambda match: html.unescape(f"&{match[1]};"), text)
    return " ".join(_TAG.sub(" ", text).split())


def counts_from_0(labels: Iterable[str], names: Sequence[str]) -> bool:
    """Return whether files number the classes `names` from 0, as some copies of AG News do.

    They do if a 0 is among the labels and the number of classes is not. Without a 0 the publisher's numbering from 1 is assumed. Raises
    BadInput if both are present, because there is then one class too many.
    """
    numbers = {label for label in labels if label.isdecimal()}
    n = len(names)
    if {"0", str(n)} <= numbers:
        message = t(
            "Number labels run from 1 to {n} or from 0 to {below}; these rows have both 0 and {n}. Use names instead: {names}.",
            n=n,
            below=n - 1,
            names=", ".join(names),
        )
        raise BadInput(message)
    return "0" in numbers


NODE = re.compile(r"\([0-4]\s+(?=\S)")  # a node's beginning


def tree_leaves(tree: str) -> list[str]:
    """Return the leaves of a tree, brackets in them included; none where it is no tree, or not closed.

    Between the beginnings of two nodes are a leaf and the brackets that close nodes. Which brackets belong to the leaf follows from the
    complete tree: all nodes are closed at the end, not before, and leaves with as many ( as ) are likeliest.

    >>> tree_leaves("(3 (2 like(d)) (1 (2 :() (1 :-))))")
    ['like(d)', ':(', ':-)']
    """
    pieces = NODE.split(tree)
    if len(pieces) < 2 or pieces[0].strip():
        return []
    paths: dict[int, tuple[int, list[str]]] = {0: (0, [])}  # open nodes -> how unlikely the leaves are, the leaves
    for k, piece in enumerate(map(str.strip, pieces[1:]), start=1):
        paths = _continued({depth + 1: path for depth, path in paths.items()}, piece, is_last=k == len(pieces) - 1)
    return paths[0][1] if 0 in paths else []


def _continued(paths: dict[int, tuple[int, list[str]]], piece: str, *, is_last: bool) -> dict[int, tuple[int, list[str]]]:
    """Return the ways to continue through a leaf and the brackets after it. A piece without a leaf is a node with children."""
    if not piece:
        return {} if is_last else paths
    closing = len(piece) - len(piece.rstrip(")"))
    results: dict[int, tuple[int, list[str]]] = {}
    for n in range(1, min(closing, len(piece) - 1) + 1):
        leaf = piece[:-n].strip()
        cost = abs(leaf.count("(") - leaf.count(")"))
        for depth, (so_far, leaves) in paths.items():
            left = depth - n
            if leaf and (left == 0 if is_last else left > 0) and (left not in results or so_far + cost < results[left][0]):
                results[left] = so_far + cost, [*leaves, leaf]
    return results
