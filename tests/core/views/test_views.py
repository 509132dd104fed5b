"""Views over a bench: what they answer, that each sentence is encoded once, and what is wrong said in a sentence."""

import numpy as np
import pytest

from core.analysis.word_maps import open_maps
from core.common.errors import BadInput, MissingArtifact
from core.index.neighbours import OTHER, SAME, Neighbour
from core.index.tables import open_table
from core.senses.judge import open_judge
from core.text.readings import WordInContext
from core.views import induction, layouts, levels, neighbours, pair
from core.views.neighbours import NeighboursRequest
from core.views.pair import PairRequest
from core.workbench import Bench, Names, open_bench

TEXTS = ("We moored the boat at the bank.", "The bank raised its rates again.")


@pytest.fixture(scope="module")
def bench() -> Bench:
    return open_bench()


@pytest.fixture(scope="module")
def words(bench: Bench) -> tuple[WordInContext, ...]:
    return bench.words(*TEXTS)


def test_the_word_in_question_is_the_one_both_sentences_have_or_the_one_given(bench):
    assert [word.word for word in bench.words(*TEXTS)] == ["bank", "bank"]
    assert [word.word for word in bench.words(*TEXTS, at=(3, 2))] == ["boat", "raised"]
    assert [word.word for word in bench.words(TEXTS[0], at=(3,))] == ["boat"]
    assert bench.words("", "The bank.")[0].word == "bank"


def test_names_left_out_are_those_of_the_model_s_language(bench):
    assert (bench.corpus, bench.vectors.name) == ("sentences", bench.language.vectors) and bench.is_labelled
    assert bench.beside("elmo-ko-mini").corpus == "sentences-ko"


def test_a_bench_about_a_further_word_has_its_labelled_sentences(bench):
    word = bench.words("A jaguar slept in the tree.", at=(1,))
    assert "jaguar" not in bench.targets.lemmas and "jaguar" in bench.about(*word).targets.lemmas


def test_a_pair_holds_the_judge_s_verdict_and_what_any_mix_needs(bench, words, monkeypatch):
    result = pair.compute(bench, PairRequest(first=words[0], second=words[1]))
    own = open_judge(bench.model).judge(*words, "sentences")
    assert result.judgment == own and result.words == ("bank", "bank") and result.same and result.one_word
    first, second = (bench.queries([word])[0].layers.astype(np.float64) for word in words)
    for k, weights in enumerate(result.angles.stops):
        a, b = weights @ first.reshape(3, -1), weights @ second.reshape(3, -1)
        assert result.angles.cosine(float(k)) == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b), abs=1e-6)
    assert result.bars.keys() == {"GloVe", "0", "1", "2", "mix"} and result.bars["GloVe"] == pytest.approx(1.0)
    monkeypatch.setattr(bench.model.encoder, "encode", lambda *_: pytest.fail("a sentence was encoded again"))
    bench.queries(words)


def test_neighbours_are_the_table_s_and_a_level_stands_beside_them(bench, words):
    table = open_table("sentences", bench.model, targets_only=True)
    for space, weights in (("1", np.eye(3)[1]), ("mix", np.full(3, 1 / 3))):
        result = neighbours.compute(bench, NeighboursRequest(word=words[0], space=space, among=SAME, k=5, whole=False))
        near = table.nearest(bench.queries(words)[0], weights, k=5, which=SAME)
        assert [(n.occurrence.row, n.cosine) for n in result.entries] == [(n.occurrence.row, pytest.approx(n.cosine)) for n in near]
        assert result.level == levels.level(bench, space) and 0 < result.level.mean < 0.5
    uneven = neighbours.compute(bench, NeighboursRequest(word=words[0], space="mix", weights="1,0,3", whole=False))
    assert uneven.level is None


def test_the_sense_space_ranks_occurrences_and_knows_no_spellings(bench, words):
    result = neighbours.compute(bench, NeighboursRequest(word=words[1], space="senses", among=OTHER, k=3, whole=False))
    assert len(result.entries) == 3 and all(isinstance(n, Neighbour) for n in result.entries) and result.level is None
    with pytest.raises(BadInput, match="Spellings have no place"):
        neighbours.compute(bench, NeighboursRequest(word=words[1], space="senses", among="types"))


def test_a_word_outside_the_labelled_ones_waits_for_every_token(bench):
    word = bench.words("The zebra drank.", at=(1,))[0]
    assert neighbours.compute(bench, NeighboursRequest(word=word, space="1", whole=False)) is None


@pytest.mark.parametrize("names", [Names(model="no such model"), Names(vectors="no such vectors"), Names(corpus="no such corpus")])
def test_what_is_not_there_is_named(names, bench, words):
    with pytest.raises(MissingArtifact, match=r"no such (model|vectors|corpus)"):
        pair.compute(Bench(names, bench.opener), PairRequest(first=words[0], second=words[1]))


def test_a_layer_that_the_model_has_not_is_refused(bench, words):
    with pytest.raises(BadInput, match="no layer '7'"):
        neighbours.compute(bench, NeighboursRequest(word=words[0], space="7", whole=False))


def test_the_map_of_the_sense_space_begins_at_the_mix_s_and_a_dot_s_own_sentence_lies_on_it(bench):
    table = bench.targets
    rows = table.labelled_rows("bank")
    first = table.occurrence(int(rows[0]))
    result = layouts.compute(bench, layouts.SensesRequest(word="bank", stars=(WordInContext(first.tokens, first.position),)))
    mix = open_maps(table, "bank", fit=True)
    start = mix.coordinates[mix.names.index("mix")]
    moved = np.linalg.norm(result.coordinates - start, axis=1).mean() / np.ptp(start, axis=0).max()
    assert result.coordinates.shape == (len(rows), 2) and moved < 0.35 and result.trustworthiness > 0.7
    assert result.star_cosines[0].argmax() == 0 and result.star_cosines[0, 0] == pytest.approx(1, abs=1e-3)
    np.testing.assert_allclose(result.star_coordinates[0], result.coordinates[0], atol=0.05 * np.ptp(start))
    with pytest.raises(BadInput, match="one word at a time"):
        layouts.compute(bench, layouts.SensesRequest(word="all words"))


def test_an_induction_is_of_the_clusters_asked_for_and_follows_a_form_to_its_word(bench):
    result = induction.compute(bench, induction.InductionRequest(word="Banks", number=2))
    assert result.occurrences.word == "bank" and len(result.occurrences.items) == result.occurrences.everything == len(result.groups.of)
    assert set(result.groups.of.tolist()) == {0, 1} and len(result.groups.names) == 2 and result.groups.agreement.n == len(result.groups.of)
    np.testing.assert_allclose(result.groups.shares.sum(axis=1), 1, atol=1e-6)
    in_layer = induction.compute(bench, induction.InductionRequest(word="bank", space="2"))
    assert in_layer.occurrences.frozen and len(in_layer.groups.names) == in_layer.occurrences.suggestion.number


from core.text.readings import WordInContext
