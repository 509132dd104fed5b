"""A sentence is given to senses by their middles."""

import numpy as np

from core.common.directions import unit
from core.senses import evidence
from core.senses.verdict import ONE, TWO
from core.text.readings import WordInContext
from core.text.tokens import tokenize
from core.views.pair import judge
from core.workspace import open_workspace


def rows(n: int = 12, senses: int = 3, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % senses
    return unit(rng.normal(size=(n, 16)) + 2 * rng.normal(size=(senses, 16))[labels]), labels


def test_a_sentence_is_given_to_its_own_sense_by_the_middles_of_the_others():
    directions, labels = rows()
    for k, label in enumerate(labels):
        others = [j for j in range(len(labels)) if j != k]
        given = evidence.centroid_shares(directions[others], labels[others], directions[[k]], 3)[0]
        middles = [unit(directions[others][labels[others] == sense].sum(axis=0)) for sense in range(3)]
        raised = np.exp([evidence.SHARPNESS * directions[k] @ middle for middle in middles])
        assert np.allclose(given, raised / raised.sum()) and given.argmax() == label


def test_a_sense_of_which_nothing_is_left_has_no_share():
    directions, _ = rows(4, 1)
    assert evidence.centroid_shares(directions[:2], np.array([0, 0]), directions[[3]], 2).tolist() == [[1.0, 0.0]]


def test_a_sentence_without_direction_is_given_to_every_sense_alike():
    directions, labels = rows()
    assert np.allclose(evidence.centroid_shares(directions, labels, np.zeros((1, 16)), 3), 1 / 3)


def test_a_sense_in_two_parts_of_speech_has_a_middle_in_each_and_the_nearer_one_counts():
    """Nouns lie at one axis and verbs at another; between them, where one middle would be, is the other sense."""
    noun, verb, other = np.eye(3)
    directions = unit(np.stack([noun, noun, noun, verb, verb, verb, noun + verb + 0.3 * other]))
    labels, pos = np.array([0, 0, 0, 0, 0, 0, 1]), np.array(["noun"] * 3 + ["verb"] * 3 + ["noun"])
    item = evidence.centroid_shares(directions, labels, unit(np.stack([noun, verb])), 2)
    two = evidence.centroid_shares(directions, labels, unit(np.stack([noun, verb])), 2, pos)
    raised = np.exp(evidence.SHARPNESS * np.array([1, directions[6] @ noun]))
    assert np.allclose(two, raised / raised.sum()) and (two[:, 0] > item[:, 0]).all()


def test_too_few_sentences_in_a_part_of_speech_have_no_middle_of_their_own():
    directions, labels = rows(18)
    pos = np.where(np.arange(18) < 2 * evidence.FEWEST, "verb", "noun")  # two of six are verbs
    assert np.array_equal(
        evidence.centroid_shares(directions, labels, directions, 3, pos), evidence.centroid_shares(directions, labels, directions, 3)
    )
    pos[6] = "verb"  # a third one of sense 0
    assert not np.allclose(
        evidence.centroid_shares(directions, labels, directions, 3, pos), evidence.centroid_shares(directions, labels, directions, 3)
    )


def test_a_sense_is_reported_in_either_part_of_speech():
    """Regression: with one mean for noun and verb, a crack in a cup and cracking ice were two meanings."""
    workspace = open_workspace()

    def context(text: str, word: str) -> WordInContext:
        tokens = tuple(tokenize(text))
        return WordInContext(tokens, tokens.index(word))

    for pair, senses, says in (
        ((("Put a tick next to each name on the list.", "tick"), ("Tick the box if you agree.", "Tick")), ("mark as done",) * 2, ONE),
        ((("The ice cracked under our feet.", "cracked"), ("There is a crack in this cup.", "crack")), ("split or gap",) * 2, ONE),
        ((("Nurses may strike again.", "strike"), ("A stone struck the windscreen.", "struck")), ("refusal to work", "hit"), TWO),
    ):
        message = judge(workspace, *(context(*each) for each in pair)).verdict
        assert (message.says, message.senses) == (says, senses), pair
