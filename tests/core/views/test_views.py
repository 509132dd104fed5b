"""Views over a workspace: what they answer, that each sentence is encoded once, and what is wrong said in a sentence."""

import json
from dataclasses import replace

import numpy as np
import pytest

from core.analysis import axes
from core.analysis.aligned_umap import FrozenMaps
from core.analysis.random_pairs import random_level
from core.cli.wire import json_of
from core.common.directions import unit
from core.common.errors import BadInput
from core.elmo.substitutes import in_place
from core.index.neighbors import OTHER, SAME
from core.index.table import OccurrenceTable
from core.senses.influence import DROP
from core.text.readings import WordInContext
from core.text.target_word import words_of
from core.views import compare, induction, layouts, mix, neighbors, pair, substitutes, why
from core.views.neighbors import AroundRequest, NeighborsRequest, tabulate_neighbors
from core.workspace import Workspace
from tests.core.index.test_neighbors import in_browser

TEXTS = ("We moored the boat at the bank.", "The bank raised its rates again.")


@pytest.fixture(scope="module")
def words(workspace: Workspace) -> tuple[WordInContext, ...]:
    return workspace.words(*TEXTS)


@pytest.fixture(scope="module")
def herons(workspace: Workspace) -> tuple[WordInContext, ...]:
    """Two words without labels."""
    return workspace.words("The heron stood in the reeds.", "A heron is drawn on the stamp.", positions=(1, 1))


FEW = {  # labeled sentences, in which river and bird have one each
    "The bank lent him money at a low rate.": ("bank", "money"),
    "The bank closed my account today.": ("bank", "money"),
    "Reeds grew along the grassy bank below us.": ("bank", "river"),
    "A heron caught a fish.": ("heron", "bird"),
}


@pytest.fixture(scope="module")
def few(workspace: Workspace, tmp_path_factory) -> Workspace:
    path, rows = tmp_path_factory.mktemp("few") / "few.jsonl", []
    for text, (lemma, sense) in FEW.items():
        tokens = workspace.language.tokenize(text)
        rows.append({"tokens": tokens, "position": tokens.index(lemma), "word": lemma, "lemma": lemma, "sense": sense})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return workspace.with_corpus(str(path))


@pytest.fixture
def every_token(workspace: Workspace, monkeypatch) -> OccurrenceTable:
    """The table of every token: here a small one of its kind."""
    table = workspace.targets
    monkeypatch.setattr(workspace.opener, "every_token", lambda *_: table)
    return table


def test_neighbors_are_the_table_s_with_a_level_and_the_sense_space_ranks_occurrences(workspace, words, herons):
    for space, weights in (("1", np.eye(3)[1]), ("mix", np.full(3, 1 / 3))):
        result = neighbors.compute(workspace, NeighborsRequest(word=words[0], space=space, among=SAME, k=5, every_token=False))
        near = workspace.targets.nearest(workspace.queries(words)[0], weights, k=5, which=SAME)
        assert [(n.occurrence.row, n.cosine) for n in result.entries] == [(n.occurrence.row, pytest.approx(n.cosine)) for n in near]
        assert result.level == random_level(workspace, space) and 0 < result.level.mean < 0.5
    assert neighbors.compute(workspace, NeighborsRequest(word=words[0], space="mix", weights="1,0,3", every_token=False)).level is None
    result = neighbors.compute(workspace, NeighborsRequest(word=words[1], space="senses", among=OTHER, k=3, every_token=False))
    assert len(result.entries) == 3 and result.level.low < 0 < result.level.mean < 0.2 < result.level.high < result.entries[-1].cosine
    assert neighbors.compute(workspace, NeighborsRequest(word=herons[0], space="1", every_token=False)) is None  # every token is needed


def test_the_nearest_words_are_the_nearest_occurrences_each_word_once(workspace, words):
    listed = neighbors.nearest_words(workspace, NeighborsRequest(word=words[1], space="1", every_token=False))
    near = workspace.targets.nearest(workspace.queries(words)[1], np.eye(3)[1], k=200, which=OTHER)
    assert len({word.casefold() for word, _ in listed}) == len(listed) == neighbors.WORDS
    assert [cosine for _, cosine in listed] == pytest.approx(
        [next(n.cosine for n in near if n.occurrence.word == word) for word, _ in listed]
    )
    assert not {"bank", "banks", *words_of(workspace.language).function} & {word.casefold() for word, _ in listed}


def test_wrong_search_is_refused_before_any_sentence_is_read(monkeypatch, workspace, words):
    monkeypatch.setattr(Workspace, "every_token", property(lambda _: pytest.fail("the corpus was read")))
    for wrong, message in (
        *(({"space": "senses", "among": "types"}, "The sense space has no spellings"), ({"space": "7"}, "no layer '7'")),
        *(({"space": "mix", "weights": "1,2"}, "weights"), ({"space": "1", "among": "others"}, "Unknown neighbors 'others'")),
        ({"space": "1", "k": 0}, "k must be at least 1, got 0"),
    ):
        with pytest.raises(BadInput, match=message):
            neighbors.compute(workspace, NeighborsRequest(word=words[1], **wrong))


def test_induction_follows_a_form_to_its_word_and_counts_sentences_whose_substitutes_say_little(workspace, tmp_path):
    result = induction.compute(workspace, induction.InductionRequest(word="Banks", number=2))
    occurrences, groups = result.occurrences, result.groups
    assert occurrences.word == "bank" and len(occurrences.items) == occurrences.everything == len(groups.numbers) == groups.agreement.n
    assert set(groups.numbers.tolist()) == {0, 1} and len(groups.names) == 2 and occurrences.weak < 0.2
    rows = [["The", "heron", "stood", "in", "reed", str(k)] for k in range(9)] + [["Heron", "feathers", "are", str(k)] for k in range(6)]
    (tmp_path / "own.jsonl").write_text("".join(json.dumps({"tokens": row}) + "\n" for row in rows))
    over_own = workspace.with_corpus(str(tmp_path / "own.jsonl"))
    assert induction.compute(over_own, induction.InductionRequest(word="heron")).occurrences.weak == pytest.approx(6 / 15)


def test_substitutes_are_the_model_s_each_computed_once(workspace, words, monkeypatch):
    result = substitutes.compute(workspace, substitutes.SubstitutesRequest(words=words, k=5))
    for mine, other in zip(result, in_place(workspace.substitutes, words, 5), strict=True):  # another batch is rounded otherwise
        known = [(item.word, pytest.approx(item.probability, rel=1e-4)) for item in other.substitutes]
        assert [(item.word, item.probability) for item in mine.substitutes] == known and len(known) == 5
        assert replace(mine, substitutes=()) == replace(other, substitutes=())
    monkeypatch.setattr(workspace.substitutes, "likeliest", lambda *_, **__: pytest.fail("computed again"))
    assert substitutes.compute(workspace, substitutes.SubstitutesRequest(words=words[::-1], k=5)) == result[::-1]
    changes = why.expectation_changes(workspace, why.AttributionRequest(word=words[0], how=DROP))
    assert words[0].position not in changes and "boat" in changes[3].go


def test_a_mix_of_one_layer_is_that_layer_and_every_other_follows_from_what_any_mix_needs(workspace, words):
    result = mix.compute(workspace, mix.MixRequest(words=words, weights=(0.0, 1.0, 0.0), k=4, every_token=False))
    near = neighbors.compute(workspace, NeighborsRequest(word=words[0], space="1", k=4, every_token=False)).entries
    assert [(n.occurrence.row, n.cosine) for n in result.neighbors[0]] == [(n.occurrence.row, pytest.approx(n.cosine)) for n in near]
    assert result.lemma == "bank" and result.report.one_nn == result.by_layer["1"].one_nn and result.pulls.tolist() == [0, 1, 0]
    assert result.cosines["mix"] == pytest.approx(result.cosines["1"]) and result.static.n == result.report.n
    of_any = mix.of_any(workspace, mix.MixRequest(weights=(), words=words))
    np.testing.assert_array_equal(result.coordinates, of_any.coordinates[1])
    np.testing.assert_allclose(result.stars, [of_any.stars[k][1] for k in (0, 1)], atol=1e-5)
    cosines = in_browser(of_any.candidates[0], (0, 1, 0))
    assert cosines.max() == pytest.approx(result.neighbors[0][0].cosine, abs=1e-5) and len(of_any.ids) == len(result.coordinates)


def test_any_mix_has_the_candidates_of_the_reading_that_one_mix_has(workspace, whole_index):
    wound = replace(workspace.words("He wound the clock before bed.", positions=(1,))[0], read_as="wind")
    result = mix.compute(workspace, mix.MixRequest(words=(wound,), weights=(0.0, 1.0, 0.0), every_token=False))
    of_any = mix.of_any(workspace, mix.MixRequest(weights=(), words=(wound,)))
    rows = [neighbor.occurrence.row for neighbor in result.neighbors[0]]
    assert rows and set(rows) <= set(of_any.candidates[0].rows.tolist())
    table = workspace.targets
    assert {table.lemmas[table.lemma[row]] for row in of_any.candidates[0].rows.tolist()} == {"wind"}
    requests = [mix.MixRequest(weights=(), words=(word,)) for word in (replace(wound, read_as=""), wound)]
    either = [mix._planes(workspace, workspace.every_token, workspace.queries(request.words), request)[0] for request in requests]
    assert either[0].rows.tolist() != either[1].rows.tolist()
    np.testing.assert_array_equal(
        axes.occurrence_mask(workspace.every_token, "wound", workspace.queries([wound])),
        workspace.every_token.same_word("wound", read_as="wind"),
    )


def test_a_word_without_labels_needs_every_token_for_its_spellings_and_its_plane(workspace, herons, every_token):
    request, of_any = mix.MixRequest(words=herons, weights=(0.2, 0.3, 0.5), k=5), mix.MixRequest(weights=(), words=herons, among="types")
    alone = mix.compute(workspace, replace(request, every_token=False))
    assert alone.neighbors == (None, None) and alone.report is None is alone.coordinates and set(alone.cosines) == {*"012", "mix"}
    result, any_mix = mix.compute(workspace, request), mix.of_any(workspace, of_any)
    lean = result.leans[0] - result.leans[1]
    assert len(result.neighbors[0]) == 5 and (np.diff(lean) <= 0).all() and len(lean) == len(result.spellings) >= 5
    assert any_mix.occurrences == 0 and len(any_mix.ids) == len(result.coordinates) and (any_mix.ids < 0).all()
    assert any_mix.itself == (-1, -1) and any_mix.listed == len(any_mix.candidates[0].rows)


def test_views_of_every_token_wait_until_it_is_read(workspace, words, herons, monkeypatch):
    monkeypatch.setattr(workspace.opener, "every_token", lambda *_: None)
    assert mix.compute(workspace, mix.MixRequest(words=herons, weights=(0.2, 0.3, 0.5))) is None
    assert mix.of_any(workspace, mix.MixRequest(weights=(), words=herons, among="types")) is None
    assert neighbors.compute_around(workspace, AroundRequest(word="bank", contexts=words)) is None
    assert layouts.compute(workspace, layouts.LayoutRequest(word="bank", plan="poles", ends=("zebra", "lion"))) is None
    side = compare.SpaceName("elmo-mini", "2", "sentences")
    assert compare.compute(workspace, compare.CompareRequest(first=side, second=compare.SpaceName("glove-mini"))) is None


@pytest.mark.parametrize("plan", ["spread", "between", "umap"])
def test_words_around_two_sentences_lean_as_their_cosines_say_in_every_layout(workspace, words, every_token, plan):
    result = neighbors.compute_around(workspace, AroundRequest(word="bank", contexts=words, plan=plan))
    assert (len(result.shares) == 4) == (plan != "umap") and len(result.links) == len(result.points) + 2
    lean, point = result.leans[2], unit(result.points.layers[:, 2].astype(np.float64))
    own = unit(np.stack([query.layers[2] for query in workspace.queries(words)]).astype(np.float64))
    np.testing.assert_allclose(lean, point @ own[0] - point @ own[1], atol=1e-6)
    assert set(result.groups[2][lean > 0.1]) == {1} and set(result.groups[2][lean < -0.1]) == {2} and not result.telling
    assert result.between[0] == pytest.approx(1) and result.total >= result.points.occurrences > 0


def test_around_one_sentence_or_none_nothing_leans_and_a_word_alone_is_drawn_in_clusters(workspace, words, every_token):
    for contexts in ((), words[:1]):
        result = neighbors.compute_around(workspace, AroundRequest(word="bank", contexts=contexts))
        assert result.leans is None and json_of(result)["has_sides"] is False and json_of(result)["cosines"]
    with pytest.raises(BadInput, match="Unknown layout 'between'"):
        neighbors.compute_around(workspace, AroundRequest(word="bank", contexts=words[:1], plan="between"))
    result = neighbors.compute_around(workspace, AroundRequest(word="bank"))
    numbers = set(result.groups[0].tolist())
    assert numbers == (set(range(1, len(result.telling) + 1)) or {0}) and (result.groups == result.groups[0]).all()


def test_words_are_weighed_by_senses_by_the_other_sentence_or_by_how_far_they_move(workspace, labeled_word, herons):
    table = workspace.targets
    labeled = why.compute_attribution(workspace, why.AttributionRequest(word=labeled_word(table.labeled_rows("bank")[0])))
    assert labeled.by == "senses" and labeled.senses == tuple(table.senses_of("bank")) == labeled.influence.senses
    assert labeled.influence.cosines[1, 2].max() < 0.99  # the sentence has no part in the senses it is read by
    heron, second = herons
    for other, by in ((None, "moved"), (heron, "moved"), (second, "other")):
        result = why.compute_attribution(workspace, why.AttributionRequest(word=heron, other=other))
        assert (result.by, result.senses) == (by, ()) and (result.influence.moved[:, 1:] > 0).any()
    both = pair.compute(workspace, pair.PairRequest(first=heron, second=second)).cosines
    assert result.influence.cosines[:, 2, 1] == pytest.approx([*both.values()], abs=1e-3)
    with pytest.raises(BadInput, match="Choose: drop, mask, swap"):
        why.compute_attribution(workspace, why.AttributionRequest(word=heron, how="eaten"))


@pytest.mark.parametrize(("order", "space"), [("left to right", "1"), ("nearest first", "1"), ("greedy", "1"), ("nearest first", "senses")])
def test_a_path_leads_from_one_sense_to_the_other_and_across_the_map(workspace, words, order, space, monkeypatch):
    assert layouts.maps_of(workspace, "bank").names
    monkeypatch.setattr(FrozenMaps, "load", lambda path: pytest.fail("the maps were read again"))
    path = why.compute_edits(workspace, why.EditsRequest(first=words[0], second=words[1], order=order, space=space))
    assert (path.lemma, path.senses) == ("bank", tuple(workspace.targets.senses_of("bank")))
    assert path.ends == ("river edge", "financial institution") == (path.read[0], path.read[-1])
    assert path.margins.keys() == {"0", "1", "2", "mix", space} and path.margins[space][0] < 0 < path.margins[space][-1]
    assert np.ptp(path.margins["0"]) < 1e-6 < 0.05 < np.ptp(path.margins["2"])  # the context moves nothing at layer 0
    assert path.read[path.flips[space]] == path.ends[1] and path.read[path.flips[space] - 1] != path.ends[1]
    assert path.map_path.places.shape == (len(path.steps), 2) and len(path.map_path.occurrences) == len(path.map_path.coordinates)
    if space == "senses":
        assert -path.margins["senses"][0] > 0.1 > -path.margins["1"][0] and path.margins["senses"][-1] > 0.1


def test_without_labels_steps_are_read_by_the_two_sentences(workspace, herons):
    request = why.EditsRequest(first=herons[0], second=herons[1], space="mix")
    path = why.compute_edits(workspace, request)
    assert (path.lemma, path.map_path) == ("", None)
    assert path.senses == path.ends == (path.read[0], path.read[-1]) == ("first", "second")
    cases = (({"second": herons[0]}, "are the same"), ({"space": "7"}, "no layer '7'"), ({"order": "any"}, "Unknown order of edits"))
    for changes, message in cases:
        with pytest.raises(BadInput, match=message):
            why.compute_edits(workspace, replace(request, **changes))


def test_a_sense_whose_only_sentence_is_typed_does_not_judge_itself_and_of_many_some_are_drawn(few, monkeypatch):
    money, _, river, heron = (few.words(text, positions=(few.language.tokenize(text).index(lemma),))[0] for text, (lemma, _) in FEW.items())
    other = few.words(TEXTS[1])[0]
    for first, second, lemma in ((river, money, ""), (river, other, ""), (money, other, "bank")):
        assert pair.judge(few, first, second).verdict.lemma == lemma
        assert why.compute_edits(few, why.EditsRequest(first=first, second=second, space="1")).lemma == lemma
    result = mix.compute(few, mix.MixRequest(words=(money, heron), weights=(0.2, 0.3, 0.5), every_token=False))
    assert len(result.neighbors[0]) == 2 and tabulate_neighbors(result.neighbors[1], "").empty
    monkeypatch.setattr(pair, "MOST_READ", 2)
    assert len(pair.labeled_dots(few, few.targets, "bank").rows) == 2


@pytest.mark.parametrize(("plan", "d"), [("umap", 2), ("pca", 2), ("3d", 3), ("poles", 2)])
def test_a_layout_places_a_word_s_dots_and_a_sentence_among_them_on_its_dot(workspace, labeled_word, plan, d):
    own = labeled_word(workspace.targets.labeled_rows("bank")[0])
    result = layouts.compute(workspace, layouts.LayoutRequest(word="bank", contexts=(own,), plan=plan))
    assert result.coordinates.shape == (4, len(result.rows), d) and result.stars.shape == (4, 1, d)
    np.testing.assert_allclose(result.stars[1:, 0], result.coordinates[1:, 0], atol=0.02 if plan == "umap" else 1e-6)
    assert set(result.reports) == set(result.trustworthiness) == set(result.names) and result.static.n == len(result.rows)
    assert len(result.views) == (0 if plan == "umap" else 4) and len(result.ends) == (2 if plan == "poles" else 0)


def test_a_layout_that_is_none_and_an_axis_of_one_end_are_refused(workspace):
    cases = (({"plan": "round"}, "Unknown layout 'round'"), ({"plan": "poles", "ends": ("money",)}, "two ends"))
    for changes, message in (*cases, ({"word": "all words", "senses": True}, "one word at a time")):
        with pytest.raises(BadInput, match=message):
            layouts.compute(workspace, layouts.LayoutRequest(**{"word": "bank"} | changes))
