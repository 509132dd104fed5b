"""Two spaces of words: names that tell them apart, and what is measured of them."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.analysis import spaces
from core.common.errors import BadInput
from core.elmo.mix import layer_weights
from core.index.sense_space import KEPT, SUBSTITUTES
from core.index.table import OccurrenceTable
from core.views import compare
from core.views.compare import FEWEST, CompareRequest, SpaceName, short_names
from core.workspace import open_workspace


@pytest.fixture
def table(workspace, monkeypatch) -> OccurrenceTable:
    """The labeled sentences, whichever corpus is asked for."""
    table = workspace.targets.basic
    monkeypatch.setattr(workspace.opener, "targets", lambda *_: table)
    return table


def test_two_corpora_of_one_name_keep_their_own_spaces_with_as_much_of_their_paths_as_tells_them_apart(workspace, table):
    first, second = (SpaceName("elmo-mini", "2", f"/{name}/own.txt", every_token=False) for name in "ab")
    result = compare.compute(workspace, CompareRequest(first=first, second=second))
    assert result.names == ("a/own.txt · 2", "b/own.txt · 2")
    assert len(set(result.cka_names)) == len(result.cka_names) == 8
    counts = dict(zip(table.words, np.bincount(table.word, minlength=len(table.words)), strict=True))
    assert min(counts[word] for word in result.comparison.words) >= FEWEST
    assert (result.comparison.shared == 10).all() and result.shift.between == pytest.approx(0, abs=1e-5)
    assert short_names(["vec.txt", "/x/vec.txt"]) == {"vec.txt": "vec.txt", "/x/vec.txt": "x/vec.txt"}
    assert short_names(["one", "one"]) == {"one": "one"} and short_names([]) == {}


def test_vectors_and_a_layer_are_compared_over_the_words_they_share(workspace, table):
    request = CompareRequest(first=SpaceName("glove-mini"), second=SpaceName("elmo-mini", "2", "sentences", every_token=False), k=5)
    result = compare.compute(workspace, request)
    a, b = workspace.vectors, spaces.type_space("", table, layer_weights("2", 3))
    words = result.comparison.words
    expected = spaces.compare(np.stack([a.vector(word) for word in words]), spaces.on_words(b, words), words, k=5)
    assert result.names == ("glove-mini", "elmo-mini · 2") and result.shift is None and "bank" in result.ambiguous
    np.testing.assert_array_equal(result.comparison.shared, expected.shared)
    with pytest.raises(BadInput, match="k must be at least 1, got 0"):
        compare.compute(workspace, replace(request, k=0))


def test_a_layer_that_a_model_lacks_is_an_input_error(workspace, table):
    request = CompareRequest(first=SpaceName("glove-mini"), second=SpaceName("elmo-mini", "7", "sentences", every_token=False))
    with pytest.raises(BadInput, match="no layer '7'"):
        compare.compute(workspace, request)


def test_the_sense_space_is_compared_where_the_table_keeps_it(workspace, tmp_path, private_cache):
    senses, layer = (SpaceName("elmo-mini", name, "sentences", every_token=False) for name in ("senses", "1"))
    result = compare.compute(workspace, CompareRequest(first=senses, second=layer))
    space, table, words = workspace.require_sense_space(), workspace.targets.basic, result.comparison.words
    places = space.place(space.of_rows(table, np.arange(len(table))))
    means = np.stack([places[table.spelled(word)].mean(axis=0) for word in words])
    expected = spaces.compare(means, spaces.on_words(spaces.type_space("", table, np.eye(3)[1]), words), words)
    np.testing.assert_array_equal(result.comparison.shared, expected.shared)
    assert result.names == ("elmo-mini · senses", "elmo-mini · 1") and len(result.cka_names) == 5
    assert result.halves[0][1] > result.halves[1][1] / 2 and result.shift is None
    corpus = tmp_path / "own.jsonl"
    corpus.write_text("".join(json.dumps({"tokens": list(s.as_py())}) + "\n" for s in table.sentences[:60]))
    whole = SpaceName("elmo-mini", "senses", str(corpus))
    with pytest.raises(BadInput, match="share: 6 of"):  # its index keeps them
        compare.compute(workspace, CompareRequest(first=whole, second=layer))
    [folder] = (private_cache / "indexes").iterdir()
    (folder / KEPT).unlink()  # as an older version built it
    meta = json.loads((folder / "meta.json").read_text())
    (folder / "meta.json").write_text(json.dumps({key: value for key, value in meta.items() if key != SUBSTITUTES}))
    with pytest.raises(BadInput, match="has no substitutes"):
        compare.compute(open_workspace(workspace.model), CompareRequest(first=whole, second=layer))
