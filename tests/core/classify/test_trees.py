"""Sentiment trees: brackets in their leaves are text, and what is not closed is no tree."""

import pytest

from core.classify.publications import tree_leaves
from core.classify.tables import read_table
from core.common.errors import BadInput


@pytest.mark.parametrize(
    ("tree", "leaves"),
    [
        ("(3 (2 They) (3 (2 like(d)) (2 it)))", ["They", "like(d)", "it"]),
        ("(1 (2 It) (1 (2 :() (1 failed)))", ["It", ":(", "failed"]),
        ("(2 (2 New York) (2 rocks))", ["New York", "rocks"]),
        ("(4 x)", ["x"]),
        ("(3 (2 () (3 (2 good) (2 ))))", ["(", "good", ")"]),
        ("(2 (2 (a)) (2 b)))", ["(a)", "b)"]),
        ("(3  (2  wide)   (3 apart))", ["wide", "apart"]),
        ("(2 (2 a)", []),
        ("(2 (2 a))) (2 b)", []),
        ("(2 a) (2 b)", []),
        ("(5 (2 a) (2 b))", []),
        ("(2 )", []),
        ("(2 (2 a) (2 ))", []),
        ("plain words", []),
        ("x (2 a)", []),
    ],
)
def test_leaves_are_read_with_their_brackets_or_not_at_all(tree, leaves):
    assert tree_leaves(tree) == leaves


def test_names_of_brackets_are_brackets_wherever_they_are(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("(3 (2 -LRB-film-RRB-) (3 (2 -lsb-) (2 a\\/b)))\n")
    assert read_table(path).rows[0].text == "(film) [a/b"


def test_one_tree_that_is_not_closed_is_left_out_of_many_and_refused_among_few(tmp_path):
    path = tmp_path / "a.txt"
    good = [f"(3 (2 number) (3 n{k}))" for k in range(40)]
    path.write_text("\n".join([*good[:7], "(2 (2 a)", *good[7:]]))
    table = read_table(path)
    assert [row.text for row in table.rows] == [f"number n{k}" for k in range(40)]
    assert table.notes == ("a.txt: 1 row is left out, line 8: '(2 (2 a)' is not a tree.",)
    path.write_text("\n".join([*good[:4], "(2 (2 a)"]))
    with pytest.raises(BadInput, match=r"a\.txt, line 5: '\(2 \(2 a\)' is not a tree\."):
        read_table(path)
