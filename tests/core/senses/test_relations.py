"""The lessons' figures: by hand where they can be, on simulated clouds whose answer is known, and on the bundled sentences."""

from dataclasses import replace
from itertools import combinations
from unittest.mock import MagicMock

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import roc_auc_score

from core.common.config import ASSETS
from core.common.directions import unit
from core.common.errors import BadInput
from core.elmo.models import open_model
from core.index.table import OccurrenceTable
from core.lab import lessons
from core.lab.probes import learned_mix_probe
from core.senses import cosines as measured
from core.senses import relations
from core.text import languages
from core.views.card import read_lessons

TABLES = {"en": "targets", "ko": "targets-ko"}


def cloud(shift: float, spread: float, *, words: int = 24, each: int = 12, dim: int = 20, seed: int = 0) -> measured.Sample:
    """Return words around centers whose common mean is `shift` from 0. Occurrences are `spread` from their word's center."""
    rng = np.random.default_rng(seed)
    centers = rng.standard_normal((words, dim)) + shift
    layers = np.repeat(centers, each, axis=0) + spread * rng.standard_normal((words * each, dim))
    codes = np.repeat(np.arange(words), each)
    groups, names = tuple(np.flatnonzero(codes == word) for word in range(words)), tuple(f"w{k}" for k in range(words))
    drawn = rng.permutation(words * each)[:120]
    pairs = np.triu(codes[drawn][:, None] != codes[drawn][None], 1)
    return measured.Sample(layers[:, None].astype(np.float32), groups, np.full(words * each, -1), drawn, pairs, names)


def test_a_cloud_moved_away_is_a_cone_until_its_mean_is_taken_off_and_words_in_noise_are_not_alike():
    flat, moved = measured.measure(cloud(0.0, 1.0)), measured.measure(cloud(3.0, 1.0))
    assert abs(flat.panels[0][measured.RAW].mean[measured.RANDOM]) < 0.05
    assert moved.panels[0][measured.RAW].mean[measured.RANDOM] > 0.8
    assert abs(moved.panels[0][measured.MEAN].mean[measured.RANDOM]) < 0.05
    assert moved.gains[0][measured.MEAN].verdict == 1 and flat.gains[0][measured.MEAN].mean < moved.gains[0][measured.MEAN].mean / 2
    result = cloud(2.0, 1.0)
    noise = (np.random.default_rng(3).standard_normal(result.layers.shape) + 2).astype(np.float32)
    panel = measured.measure(replace(result, layers=noise)).panels[0][measured.RAW]
    assert panel.mean[measured.RANDOM] > 0.7 and panel.alike.verdict == 0 and abs(panel.alike.mean) < 0.02
    assert abs(panel.explained.mean) < 0.02  # the baseline has as many tokens: few vectors alone would seem to share a direction


def test_directions_that_hide_the_words_are_found_and_taken_off():
    rng, result = np.random.default_rng(1), cloud(0.0, 0.7)
    layers = result.layers.copy()
    layers[:, 0, :2] += 25 * rng.standard_normal((len(layers), 2))  # two directions that say nothing of the word
    hidden = measured.measure(replace(result, layers=layers))
    assert hidden.panels[0][measured.TOP].k == 2 and not set(hidden.controls) & set(hidden.measured)
    assert hidden.gains[0][measured.TOP].verdict == 1 and hidden.gains[0]["control"].verdict == 1


def test_too_few_words_or_sentences_are_reported(table):
    few = MagicMock(words=["one", "two"], word=np.array([0, 1] * 9), lemma=np.zeros(18, int), **{"__len__.return_value": 18})
    for labeled, message in ((0, "8 words must occur 8 times; only 2 do"), (18, "8 words must be labeled 8 times; only 1 are")):
        few.labeled_rows = lambda labeled=labeled: np.arange(labeled)
        with pytest.raises(BadInput, match=message):
            measured.sample(MagicMock(basic=few))
    absent = relations.Relation("bank", ("river edge", "absent"), "other", "")  # a sense without sentences
    with pytest.raises(BadInput, match="Sense relations are not labeled"):
        relations.pairs(table, {"bank": [absent]}, "1")


def test_both_errors_by_hand_and_words_count_alike():
    result = measured.Spread({"a": (np.array([0.2, 0.8]), np.array([0.1, 0.3, 0.5, 0.7])), "b": (np.array([0.9]), np.array([0.95]))})
    assert result.errors(0.5) == (0.25, 0.75)  # a misses one of two, passes two of four (0.5 itself passes); b misses none, passes its one
    assert result.aucs() == {"a": pytest.approx((1 + 4) / 8), "b": 0.0}
    assert result.gap().mean == pytest.approx(((0.5 - 0.4) + (0.9 - 0.95)) / 2)
    apart = measured.Spread({"a": (np.array([0.6, 0.7, 0.8]), np.array([0.1, 0.2, 0.3]))})
    assert 0.3 < apart.balanced() <= 0.6 and apart.errors(apart.balanced()) == (0, 0)


@pytest.mark.parametrize("language", TABLES)
def test_every_pair_of_senses_is_marked_once_with_a_reason(language: str):
    marked, result = relations.read(language), OccurrenceTable(ASSETS / TABLES[language]).basic
    for word, rows in measured.words_of(result).items():
        senses = {result.senses[code] for code in result.sense[rows]}
        pairs = [frozenset(item.senses) for item in marked[word]]
        assert len(pairs) == len(set(pairs)) and {*map(frozenset, combinations(senses, 2))} == {*pairs}, word
    assert all(len(item.reason) > 9 for rows in marked.values() for item in rows)


def test_a_pair_of_senses_is_measured_on_its_own_sentences(table):
    marked = relations.read("en")
    result, aucs = relations.pairs(table, marked, "1"), measured.measure_spread(table, "1").aucs()
    assert next(auc for item, auc in zip(result.relations, result.auc, strict=True) if item.word == "bank") == pytest.approx(aucs["bank"])
    rows = measured.words_of(table)["bank"]
    cosines, senses = table.similarities(rows, np.eye(3)[1]), table.sense[rows]
    first, second = np.triu_indices(len(rows), 1)
    assert aucs["bank"] == pytest.approx(roc_auc_score(senses[first] == senses[second], cosines[first, second]), abs=1e-4)
    homonyms = [auc for item, auc in zip(result.relations, result.auc, strict=True) if item.kind == relations.HOMONYM]
    ahead, kinds = result.ahead[relations.RELATED], result.kinds
    assert kinds[relations.HOMONYM].value == pytest.approx(np.mean(homonyms))
    assert ahead.value == pytest.approx(np.mean(homonyms) - kinds[relations.RELATED].value) and ahead.low < ahead.value < ahead.high
    few = [word for word, rows in marked.items() if any(item.kind == relations.HOMONYM for item in rows)][:3]
    result = relations.pairs(table, {word: marked[word] for word in few}, "1")
    assert all(item.low is None is item.high for item in result.kinds.values())  # too few words for an interval


def test_two_occurrences_at_random_have_the_mean_cosine_of_all_pairs(table, monkeypatch):
    monkeypatch.setattr(relations, "RANDOM_ROWS", len(table))
    vectors = unit(table.rows.take(np.arange(len(table)))[:, 2].astype(np.float64))
    expected = (vectors @ vectors.T)[np.triu_indices(len(table), 1)].mean()
    assert relations.at_large(table, np.eye(3)[2]) == pytest.approx(expected, abs=1e-5)


def test_rank_correlation_is_spearmans_and_its_interval_holds_nothing_where_there_is_nothing():
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal(40), rng.integers(0, 4, 40)
    result = relations.ranks(x, y)
    assert result.value == pytest.approx(spearmanr(x, y).statistic) and result.low < 0 < result.high
    assert relations.ranks(x, x**3).low > 0.99


def test_a_random_tag_is_the_same_for_a_type_wherever_it_stands_and_is_drawn_as_tags_are():
    types, tags = ["a", "b", "a", "c"] * 50 + [f"t{k}" for k in range(800)], ["N", "N", "N", "V"] * 250
    drawn = lessons.random_tags(types, tags, np.random.default_rng(0))
    assert len(set(zip(types, drawn, strict=True))) == len(set(types))
    assert np.mean(np.array(drawn[200:]) == "N") == pytest.approx(0.75, abs=0.05)


@pytest.mark.parametrize("language", TABLES)
def test_every_token_of_our_sentences_has_a_tag(language: str):
    model = open_model(languages.get_language(language).model)
    with languages.reading(model.language):
        sentences, tags = lessons.tagged(model)
    assert [len(item) for item in sentences] == [len(item) for item in tags] and 6 <= len({tag for item in tags for tag in item}) <= 14
    if language == "en":
        pairs = {(token, tag) for pair in zip(sentences, tags, strict=True) for token, tag in zip(*pair, strict=True)}
        assert {("the", "determiner"), ("watch", "noun"), ("watch", "verb"), (".", "mark")} <= pairs


def test_a_probe_of_low_rank_reads_tags_that_are_in_few_directions_and_cannot_learn_types_by_heart():
    rng = np.random.default_rng(0)
    types, tag = rng.integers(0, 150, 4000), rng.integers(0, 8, 4000)
    corners = 4.0 * ((np.arange(8)[:, None] >> np.arange(3)) & 1)  # of a cube: eight tags in three directions
    vectors = rng.standard_normal((1, 150, 40)).astype(np.float32)[:, types]
    vectors[..., :3] += corners[tag]
    tags, by_heart = tag.astype(str).tolist(), lessons.random_tags(types.astype(str), tag.astype(str), rng)

    def accuracy(given: list[str], rank: int) -> float:
        return learned_mix_probe(vectors[:, :3000], given[:3000], vectors[:, 3000:], given[3000:], rank=rank).accuracy

    assert accuracy(tags, 3) > 0.8 and accuracy(tags, 3) - accuracy(by_heart, 3) > accuracy(tags, 30) - accuracy(by_heart, 30)


def test_controls_shuffle_the_context_alone_and_chance_is_another_sentence_at_random():
    tokens = tuple("abcdefghijkl")
    result = lessons.shuffled([tokens], [2], np.random.default_rng(0))[0]
    assert result[2] == "c" and sorted(result) == list(tokens) and result != tokens
    assert [lessons.chance(np.array(senses)) for senses in ([0, 0, 1], [0, 0, 0])] == pytest.approx([1 / 3, 1])
    vectors = np.array([[1, 0.2], [1, 0.1], [1, -0.2], [1, -0.1]])  # their mean hides what tells them apart
    assert lessons.score_layer(vectors, np.array([0, 0, 1, 1])) == (1.0, 1.0)
    assert lessons.score_layer(vectors, np.array([0, 1, 0, 1]))[0] == 0.0


def test_bundled_figures_are_those_of_the_sentences(model, table):
    stored = read_lessons(model.folder, model.fingerprint)
    context, before = stored["context"], stored["before"]
    words = measured.words_of(table)
    again = lessons.by_word(table, words, table.rows.take(np.concatenate(list(words.values())))[:, 1])
    assert context["words"] == before["words"] == list(words) and before["n"] == sum(map(len, words.values()))
    assert np.allclose(again, context["one_nn"]["1"], atol=1e-3)
    assert np.allclose([lessons.chance(table.sense[rows]) for rows in words.values()], context["one_nn"]["chance"], atol=1e-3)
    word, rows = next(iter(words.items()))
    sentences, places = zip(*table.places(rows), strict=True)
    vectors = [each[1, k] for each, k in zip(lessons.untrained(model).encode(sentences), places, strict=True)]
    assert lessons.by_word(table, {word: rows}, np.stack(vectors))[0] == pytest.approx(context["one_nn"]["untrained 1"][0], abs=0.04)
    states = model.encoder.around([list(tokens) for tokens in sentences], places)
    for name, vectors in (("1", table.rows.take(rows)[:, 1]), ("place", states)):
        assert lessons.score_layer(vectors, table.sense[rows])[0] == pytest.approx(before["one_nn"][name][0], abs=0.04)
    assert read_lessons(model.folder, "0" * 16) == {}
