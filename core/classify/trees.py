"""Read the leaves of a bracketed tree in the format of Stanford's sentiment treebank."""

import re

NODE = re.compile(r"\([0-4]\s+(?=\S)")  # a node's beginning


def tree_leaves(tree: str) -> list[str]:
    """Return the leaves of a tree, brackets in them included; none where it is no tree, or not closed.

    What is between two nodes' beginnings is a leaf and the brackets that close nodes. Which of them belong to the leaf is told by the
    whole: all nodes are closed at the end, not before, and leaves with as many ( as ) are likeliest.

    >>> tree_leaves("(3 (2 like(d)) (1 (2 :() (1 :-))))")
    ['like(d)', ':(', ':-)']
    """
    pieces = NODE.split(tree)
    if len(pieces) < 2 or pieces[0].strip():
        return []
    ways: dict[int, tuple[int, list[str]]] = {0: (0, [])}  # open nodes -> how unlikely the leaves are, the leaves
    for k, piece in enumerate(map(str.strip, pieces[1:]), start=1):
        ways = _continued({depth + 1: way for depth, way in ways.items()}, piece, is_last=k == len(pieces) - 1)
    return ways[0][1] if 0 in ways else []


def _continued(ways: dict[int, tuple[int, list[str]]], piece: str, *, is_last: bool) -> dict[int, tuple[int, list[str]]]:
    """Return the ways to continue through a leaf and the brackets after it. A piece without a leaf is a node with children."""
    if not piece:
        return {} if is_last else ways
    closing = len(piece) - len(piece.rstrip(")"))
    results: dict[int, tuple[int, list[str]]] = {}
    for n in range(1, min(closing, len(piece) - 1) + 1):
        leaf = piece[:-n].strip()
        cost = abs(leaf.count("(") - leaf.count(")"))
        for depth, (so_far, leaves) in ways.items():
            left = depth - n
            if leaf and (left == 0 if is_last else left > 0) and (left not in results or so_far + cost < results[left][0]):
                results[left] = so_far + cost, [*leaves, leaf]
    return results
