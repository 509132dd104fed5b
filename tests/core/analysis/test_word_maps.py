"""Test maps of words and of all tokens, and a token put into frozen maps."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.analysis import aligned_umap as projection
from core.analysis import word_maps
from core.analysis.word_maps import MOST, NEIGHBORS_TO_PLACE, links, map_rows, open_maps, place
from core.common.errors import BadInput
from core.common.model_layers import Layers
from core.elmo.mix import layer_weights
from core.figures.maps import ELSEWHERE, KEPT, MapLook, add_links, map_figure, space_figure
from core.index import neighbors
from core.index.build import build_index
from core.index.rows import make_query
from core.index.table import OccurrenceTable
from core.text.corpora import BUNDLED_CORPUS, open_corpus

NAMES = Layers().spaces


@pytest.mark.parametrize("word", ["bank", "*", ""])
def test_a_word_or_a_corpus_without_labels_is_reported(table, word):
    unlabeled = SimpleNamespace(rows_to_draw=lambda lemma=None: np.zeros(0, int), lemmas=[])
    with pytest.raises(BadInput, match="This corpus has no labeled words") as refused:
        map_rows(unlabeled, word)
    assert "Choose one of" not in str(refused.value)
    with pytest.raises(BadInput, match=rf"'zebra' has no labeled sentences here. Choose one of: .*\b{table.lemmas[0]}\b"):
        map_rows(table, "zebra")


def test_a_token_goes_where_each_map_alone_would_put_it(model, table):
    maps, rows = open_maps(table, "bank"), map_rows(table, "bank")
    result = neighbors.products(table.rows, make_query(model.encoder, ["The", "bank", "raised", "its", "interest", "rates", "."], 1))
    placed = place(table, result, rows, maps.coordinates, [layer_weights(space, 3) for space in maps.names])
    assert placed.shape == (len(NAMES), 2) and np.ptp(placed, axis=0).max() > 0
    for space, coordinates, at in zip(maps.names, maps.coordinates, placed, strict=True):
        cosines = neighbors.cosines(table.rows, result, layer_weights(space, 3))[rows]
        near = np.argsort(-cosines, kind="stable")[:NEIGHBORS_TO_PLACE]
        np.testing.assert_allclose(at, projection.insert(coordinates, near[None], cosines[near][None])[0], atol=1e-4)


@pytest.fixture(scope="module")
def tokens(model, tmp_path_factory) -> OccurrenceTable:
    sentences = open_corpus(BUNDLED_CORPUS, model.language)[:80]
    return build_index(sentences, model.encoder, tmp_path_factory.mktemp("tokens") / "all", model="m")


@pytest.fixture(scope="module")
def token_rows(tokens) -> np.ndarray:
    return word_maps.sentence_rows(tokens, MOST)


def test_equal_vectors_have_one_place_and_maps_keep_far_more_neighbors_than_places_at_random_would(tokens, token_rows):
    reports = []
    token_map = word_maps.token_maps(tokens, token_rows, NAMES, lambda *report: reports.append(report), laid_out=300)
    assert token_map.coordinates.shape == (len(NAMES), len(tokens), 2) and reports[-1][:2] == (len(tokens) - 1, len(tokens))
    occurrences = [tokens.occurrence(int(row)) for row in token_rows]
    the = np.array([k for k, o in enumerate(occurrences) if o.tokens[o.position] == "the"])  # layer 0 knows "The" from "the"
    apart = word_maps.spreads(token_map, tokens.word[token_rows], [tokens.word_codes["the"]])[0]
    assert len(the) > 20 and np.ptp(token_map.coordinates[0, the], axis=0).max() < 1e-4
    assert apart[0] < 1e-4 < 1e-3 < apart[2]  # 0.005 to 0.01: processors lay out differently
    assert all(item > 0.8 for item in token_map.trustworthiness[1:]) and np.isnan(token_map.trustworthiness[0])


def test_of_too_many_tokens_whole_sentences_are_drawn_and_few_of_a_spelling_are_laid_out(tokens, token_rows):
    rows = word_maps.sentence_rows(tokens, 400)
    sizes = np.bincount(tokens.sentence)
    kept = np.unique(tokens.sentence[rows])
    assert 300 < len(rows) <= 400 and len(rows) == sizes[kept].sum() and (np.diff(tokens.sentence[rows]) >= 0).all()
    drawn = word_maps.rows_to_lay_out(tokens, token_rows, 300)
    assert len(set(drawn.tolist())) == 300 and np.bincount(tokens.word[drawn]).max() == word_maps.OF_ONE_SPELLING


def test_a_word_may_have_more_senses_than_a_byte_counts():
    senses = [f"s{number:03}" for number in range(300)]
    rows = np.arange(300)
    table = SimpleNamespace(lemmas=["set"], senses=senses, senses_of=lambda _: senses, sense=rows, lemma=np.zeros(300, int))
    lemma, sense = word_maps.sense_numbers(table, rows)
    assert sense.tolist() == [*range(1, 301)] and set(lemma.tolist()) == {1}
    assert lemma.dtype == sense.dtype == np.uint16  # as the page reads both


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "..", "a/b", "C:\\x", "con", "", "\x00", "눈" * 300])
def test_names_in_meta_json_cannot_lead_to_another_folder(name, private_cache):
    table = SimpleNamespace(meta={"model": name, "corpus": name})
    path = word_maps.file_of(table, NAMES)
    assert path.parent == private_cache / "maps" / "tokens" and len(path.name.encode()) < 255 and path.name.isprintable()
    table = SimpleNamespace(meta={"model": "elmo-mini", "corpus": "0123456789abcdef" * 4})
    assert word_maps.table_name(table) == "elmo-mini-0123456789abcdef"


def test_links_by_hand_of_few_points_of_none_and_of_ties():
    places = np.array([[0.0, 0], [1, 0], [2, 0], [9, 0]])
    result = links(np.array([1.0, 0.2, 0.8, 0.9]), places, places[0], itself=0, k=2)
    assert result.rows.tolist() == [3, 2] and result.near.tolist() == [False, True] and result.tied == 0
    assert links(np.ones(1), np.zeros((1, 2)), np.zeros(2), itself=0).rows.tolist() == []
    assert links(np.array([0.1, 0.3]), np.zeros((2, 2)), np.zeros(2)).rows.tolist() == [1, 0]
    places = np.arange(12.0)[:, None]
    result = links(np.array([1.0, 0.9, *[0.5] * 10]), places, places[0], itself=0, k=3)  # too many are equally near: none is a neighbor
    assert result.rows.tolist() == [1] and result.tied == 10 and result.near.all()
    alike = links(np.ones(12), places, places[0], itself=0, k=3)
    assert not len(alike.rows) and alike.tied == 11


def test_by_chance_a_layout_at_random_has_as_many_of_them_near():
    rng = np.random.default_rng(1)
    cosines = rng.uniform(size=41)
    results = [links(cosines, places, places[0], itself=0) for places in rng.normal(size=(300, 41, 2))]
    assert results[0].by_chance == pytest.approx(10 * 10 / 40)
    assert np.mean([result.near.sum() for result in results]) == pytest.approx(results[0].by_chance, abs=0.25)


@pytest.mark.parametrize("dims", [2, 3])
def test_lines_lie_under_the_dots_and_say_which_neighbors_the_map_put_elsewhere(dims):
    flat = np.arange(4.0 * dims).reshape(4, dims)
    if dims == 2:
        figure = map_figure(flat, ["s"] * 4, [""] * 4, [5, 6, 7, 8], ["s"], MapLook(layer="1", key="k"))
    else:
        figure = space_figure(flat, ["s"] * 4, [""] * 4, ["s"], MapLook(layer="1", key="k"))
    add_links(figure, flat[0], flat[[1, 3]], np.array([True, False]))
    kept, broken = figure.data[:2]
    assert (kept.line.color, broken.line.color, kept.mode, broken.line.dash) == (KEPT, ELSEWHERE, "lines", "dash")
    assert list(kept.x) == [flat[0, 0], flat[1, 0], None] and list(broken.x)[:2] == [flat[0, 0], flat[3, 0]]
