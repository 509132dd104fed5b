"""All tokens on one map: whole sentences, each token near those it is like, and how far the maps can be trusted."""

from types import SimpleNamespace

import numpy as np
import pytest

from core.analysis import word_maps
from core.analysis.word_maps import FULL, TokenMaps
from core.elmo.models import BUNDLED_MODEL, open_model
from core.index.build import build_index
from core.text.corpora import BUNDLED_CORPUS, open_corpus

NAMES = ("0", "1", "2", "mix")


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    model = open_model(BUNDLED_MODEL)
    sentences = open_corpus(BUNDLED_CORPUS, model.language)[:80]
    return build_index(sentences, model.encoder, tmp_path_factory.mktemp("tokens") / "all", model="m")


@pytest.fixture(scope="module")
def token_map(table):
    return word_maps.token_maps(table, NAMES, laid_out=300)


def test_every_token_has_a_place_in_every_space_and_progress_is_reported(table):
    heard = []
    result = word_maps.token_maps(table, NAMES[:2], lambda *told: heard.append(told), laid_out=60)
    assert result.places.shape == (2, len(table), 2) and result.places.dtype == np.uint16 and result.laid_out == 60
    assert sorted(result.rows.tolist()) == list(range(len(table)))
    assert heard[0][0] == 0 and heard[-1][0] == len(table) - 1 and {total for _, total, _ in heard} == {len(table)}


def test_equal_vectors_have_one_place_and_a_sentence_draws_them_apart(table, token_map):
    tokens = [table.occurrence(int(row)) for row in token_map.rows]
    the = np.array([k for k, o in enumerate(tokens) if o.tokens[o.position] == "the"])  # layer 0 knows "The" from "the"
    apart = word_maps.spreads(token_map, table.word[token_map.rows], [table.word_codes["the"]])[0]
    assert len(the) > 20 and np.ptp(token_map.places[0, the].astype(int), axis=0).max() <= 1
    assert apart[0] < 1e-4 < 1e-3 < apart[2]  # 0.005 to 0.01: processors lay out differently


def test_maps_keep_far_more_neighbors_than_places_at_random_would(table, token_map):
    assert all(item > 0.8 for item in token_map.trust[1:]) and np.isnan(token_map.trust[0])


def test_tokens_laid_out_are_few_of_a_spelling_and_lie_where_umap_has_them(table, token_map):
    drawn = word_maps.rows_to_lay_out(table, token_map.rows, 300)
    assert len(drawn) == len(set(drawn.tolist())) == 300
    assert np.bincount(table.word[drawn]).max() == word_maps.OF_ONE_SPELLING
    assert (word_maps.rows_to_lay_out(table, token_map.rows, 300) == drawn).all()


def test_of_too_many_tokens_whole_sentences_are_drawn(table):
    rows = word_maps.sentence_rows(table, 400)
    sizes = np.bincount(table.sentence)
    kept = np.unique(table.sentence[rows])
    assert 300 < len(rows) <= 400 and len(rows) == sizes[kept].sum()
    assert (np.diff(table.sentence[rows]) >= 0).all() and (np.diff(table.position[rows])[np.diff(table.sentence[rows]) == 0] == 1).all()


def test_a_saved_file_is_read_again_and_another_is_not(token_map, tmp_path):
    path = tmp_path / "maps.safetensors"
    token_map.save(path)
    again = TokenMaps.load(path)
    assert (again.places == token_map.places).all() and again.names == NAMES and again.laid_out == token_map.laid_out
    assert np.isnan(again.trust[0]) and again.trust[1:] == token_map.trust[1:] and again.places.max() <= FULL
    path.write_bytes(b"something else")
    assert TokenMaps.load(path) is None and TokenMaps.load(tmp_path / "none") is None


def test_a_word_may_have_more_senses_than_a_byte_counts():
    senses = [f"s{number:03}" for number in range(300)]
    rows = np.arange(300)
    table = SimpleNamespace(lemmas=["set"], senses=senses, senses_of=lambda _: senses, sense=rows, lemma=np.zeros(300, int))
    lemma, sense = word_maps.sense_numbers(table, rows)
    assert sense.tolist() == [*range(1, 301)] and set(lemma.tolist()) == {1}
    assert lemma.dtype == sense.dtype == np.uint16  # as the page reads both


@pytest.mark.parametrize("name", ["../../x", "/etc/x", "..", "a/b", "C:\\x", "con", "", "\x00", "눈" * 300])
def test_names_in_meta_json_cannot_lead_to_another_folder(name, private_cache):
    """Anyone may have written the meta.json of an index."""
    table = SimpleNamespace(meta={"model": name, "corpus": name})
    path = word_maps.file_of(table, NAMES)
    assert path.parent == private_cache / "maps" / "tokens" and len(path.name.encode()) < 255 and path.name.isprintable()
    table = SimpleNamespace(meta={"model": "elmo-mini", "corpus": "0123456789abcdef" * 4})
    assert word_maps.table_name(table) == "elmo-mini-0123456789abcdef"
