"""The sense space of an index in shards: what one table gives, whether read one after another or by the approximate index."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from distributed import Client, LocalCluster

from core.cluster import shards as index
from core.cluster.approximate import ApproximateIndex, SensesOfShards
from core.cluster.approximate import build as build_approximate
from core.common.errors import BadInput, MissingArtifact
from core.index import build as building
from core.index import sense_space
from core.index.neighbors import ANY, OTHER, SAME
from core.index.rows import make_query
from core.index.sense_space import KEPT, WEIGHTS, SenseIndex, substitutes_of
from core.index.table import OccurrenceTable
from core.text.corpora import open_corpus
from core.text.tokens import tokenize

SENTENCE = "We sat on the bank and watched the boats."


@pytest.fixture(scope="module")
def query(model):
    tokens = tokenize(SENTENCE)
    return make_query(model.encoder, tokens, tokens.index("bank"))


@pytest.fixture(scope="module")
def corpus() -> list:
    return [s for s in open_corpus("sentences") if any(t.lemma in ("bank", "match") for t in s.targets)]


@pytest.fixture(scope="module")
def built(model, corpus, tmp_path_factory) -> OccurrenceTable:
    folder = tmp_path_factory.mktemp("one") / "index"
    return building.build_index(corpus, model.encoder, folder, model=model.fingerprint, substitutes=substitutes_of(model))


@pytest.fixture(scope="module")
def many(model, corpus, tmp_path_factory) -> index.Shards:
    where = tmp_path_factory.mktemp("many") / "index"
    with pytest.MonkeyPatch.context() as patch, LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        for module in (index, building):
            patch.setattr(module, "TOKENS_PER_ROUND", 300)
        with Client(cluster) as client:
            result = index.build(client, corpus, where, model="elmo-mini", model_fingerprint=model.fingerprint, senses=True)
    assert len(result.shards) > 2
    return result


@pytest.fixture(scope="module")
def approximate(many, space) -> ApproximateIndex:
    build_approximate(many, space)
    return ApproximateIndex(many, space)


@pytest.mark.parametrize("which", [ANY, SAME, OTHER])
def test_the_nearest_of_all_shards_are_those_of_one_table(many, built, space, query, model, which):
    form = make_query(model.encoder, ["The", "banks", "were", "closed", "."], 1)  # of a word that is labeled in few shards
    for request in (query, form):
        exact = SenseIndex(built, space).nearest(request, WEIGHTS, k=30, which=which)
        near = SensesOfShards(many, space).nearest(request, WEIGHTS, k=30, which=which)
        assert [n.occurrence.row for n in near] == [n.occurrence.row for n in exact]
        np.testing.assert_allclose([n.cosine for n in near], [n.cosine for n in exact], atol=2e-3)
    assert not SensesOfShards(many, space).narrows(query, which)


def test_of_too_many_rows_to_read_in_all_shards_the_nearest_at_layer_1_are_placed(many, built, space, query, tmp_path, monkeypatch):
    folder = Path(shutil.copytree(many.url, tmp_path / "copy"))
    for kept in folder.glob(f"shards/*/{KEPT}"):
        kept.unlink()
    bare = index.open_shards(folder)
    monkeypatch.setattr(sense_space, "MOST_READ", 40)
    near = SensesOfShards(bare, space).nearest(query, WEIGHTS, k=60)
    layer = built.nearest(query, [0, 1, 0], k=40)
    assert SensesOfShards(bare, space).narrows(query)
    assert {n.occurrence.row for n in near} == {n.occurrence.row for n in layer}
    with pytest.raises(BadInput, match=r"has no substitutes\. Build the index with --senses"):
        build_approximate(bare, space)


@pytest.mark.parametrize("which", [ANY, OTHER])
def test_the_approximate_index_finds_nearly_all_of_the_exact_neighbors(approximate, built, space, query, which):
    hits = wanted = 0
    for row in range(0, len(built), len(built) // 12):
        o = built.occurrence(row)
        request = type(query)(o.tokens, o.position, built.rows.take(np.array([row]))[0])
        exact = SenseIndex(built, space).nearest(request, WEIGHTS, which=which)
        near = approximate.nearest(request, WEIGHTS, which=which)
        hits, wanted = hits + sum(n.cosine >= exact[-1].cosine - 2e-3 for n in near), wanted + len(exact)
    assert hits / wanted > 0.9


def test_the_commands_search_shards_and_the_approximate_index(many, built, space, query, answer, refused):
    def nearest(*more) -> list[tuple]:
        result = answer("neighbors", "--word", "bank", "--sentence", SENTENCE, "--layer", "senses", "--k", "8", *more)
        return [(row["sentence"], row["position"]) for row in result["neighbors"]]

    expected = [(n.occurrence.sentence, n.occurrence.position) for n in SenseIndex(built, space).nearest(query, WEIGHTS, k=8)]
    assert len(expected) == 8 and nearest("--corpus", many.url) == expected
    with pytest.raises(MissingArtifact, match="index approximate DIR --senses"):
        ApproximateIndex(index.open_shards(built.folder), space).nearest(query, WEIGHTS)
    assert answer("index", "approximate", built.folder, "--senses")["occurrences"] == len(built)
    assert nearest("--corpus", built.folder, "--approximate") == expected
    assert "Name its model" in refused("index", "approximate", built.folder, "--senses", "--model", "elmo-ko-mini")
