"""The scene of a pair over a workspace: labeled words by their senses, others by the words near both; what is computed once."""

import numpy as np
import pytest

from core.analysis.random_pairs import random_level
from core.index.tables import open_table
from core.senses.scene import BOTH, FIRST, SECOND, Scene
from core.views import pair
from core.workspace import Workspace, open_workspace

BANK = ("We moored the boat at the bank.", "The bank raised its rates again.")
FAVOR = ("He did me a great favor yesterday.", "I am in favor of the new law.")


def scene_of(workspace: Workspace, *texts: str) -> Scene:
    return pair.draw_scene(workspace, *workspace.words(*texts))


def test_a_pair_of_a_labeled_word_has_its_sentences_and_senses(workspace):
    first, second = workspace.words(*BANK)
    result = pair.compute(workspace, pair.PairRequest(first=first, second=second)).scene
    sides = [[result.senses[near[0]] for near in both] for both in result.nearest]
    assert result.labeled and sides[-1] == list(result.senses[::-1] if result.senses[0] != sides[-1][0] else result.senses)
    assert not result.points[0].any() and not result.stars[0].any() and result.in_own[0] == 0
    assert result.in_own[-1] >= 0.9 * len(result.sense_of) and (result.distance, result.ring) == (None, None)
    known = [workspace.targets.occurrence(int(row)) for row in workspace.targets.labeled_rows("bank")]
    assert [result.senses[k] for k in result.sense_of] == [o.sense for o in known] and result.texts[0] == known[0].sentence
    assert known[0].tokens[result.positions[0]].casefold().startswith("bank")


def test_a_typed_letter_moves_stars_alone_and_encodes_one_sentence(workspace, monkeypatch):
    before = scene_of(workspace, *BANK)
    read, encode = [], workspace.model.encoder.encode
    monkeypatch.setattr(workspace.model.encoder, "encode", lambda sentences: read.extend(sentences) or encode(sentences))
    after = scene_of(workspace, BANK[0], "The bank raised its rates agai.")
    assert len(read) == 1 and after.points is before.points
    np.testing.assert_array_equal(after.stars[:, 0], before.stars[:, 0])
    assert np.abs(after.stars[-1, 1] - before.stars[-1, 1]).max() > 0


def test_a_labeled_sentence_lies_on_its_dot_and_another_form_or_a_capital_in_its_sense_s_cloud(workspace, labeled_word):
    row = workspace.targets.labeled_rows("bank")[3]
    result = pair.draw_scene(workspace, labeled_word(row), workspace.words(*BANK)[1])
    np.testing.assert_allclose(result.stars[:, 0], result.points[:, 3], atol=1e-6)
    result = scene_of(workspace, "Banks lend money to people who buy houses.", "He fished from the muddy banks of the river.")
    senses = [result.senses[k] for (k,) in result.nearest[-1]]
    plain = scene_of(workspace, *BANK)
    assert senses == [plain.senses[k] for (k,) in plain.nearest[-1]][::-1] and not result.stars[0].any()


def test_a_word_without_labels_lies_among_words_at_the_distance_of_both_sentences(workspace):
    result = scene_of(workspace, *FAVOR)
    assert not result.labeled and result.spaces == ("0", "1", "2", "mix", "senses") and result.senses == result.positions == ()
    words, space = workspace.words(*FAVOR), workspace.sense_space
    layers = np.stack([query.layers for query in workspace.queries(words)])
    first, second = space.place(space.views([(word.tokens, word.position) for word in words], layers))
    assert result.distance == pytest.approx(1 - first @ second, abs=1e-4)
    np.testing.assert_allclose(result.stars[-1], [[-result.distance / 2, 0], [result.distance / 2, 0]], atol=1e-4)
    assert np.abs(result.stars[0]).max() < 1e-5 and np.abs(result.points[0]).max() < 1e-3
    near = {star: result.points[-1, result.sense_of == star, 0].mean() for star in (FIRST, SECOND)}
    assert near[FIRST] < near[SECOND] and "favor" not in result.texts
    assert 0 < result.ring < 1 - random_level(workspace, "senses").mean
    twice = scene_of(workspace, FAVOR[0], FAVOR[0])
    assert twice.distance == pytest.approx(0, abs=1e-5) and not twice.stars.any() and set(twice.sense_of) == {BOTH}


def test_words_near_a_typed_word_are_of_all_labeled_words_before_a_corpus_is_encoded(workspace):
    anchor = scene_of(workspace, "The anchor read the evening news.", "The ship dropped its anchor.")
    near = [{text for text, star in zip(anchor.texts, anchor.sense_of, strict=True) if star == k} for k in (FIRST, SECOND)]
    assert {"host", "staff", "press"} <= near[0] and {"deck", "dock", "vessel"} <= near[1]


def test_words_near_both_are_taken_from_every_token_once_it_is_encoded(workspace, whole_index):
    workspace = open_workspace(workspace.model)
    assert workspace.language_tokens.folder == open_table("sentences", workspace.model).folder
    assert not set(scene_of(workspace, *FAVOR).texts) <= {*workspace.targets.words}
