"""Explanations: each is the difference that it says, computed here the long way round."""

import math

import numpy as np
import pytest
import torch

from core.classify.explain import N_SHUFFLES, explain, nearest_rows
from core.classify.inputs import live_layers
from core.common.errors import BadInput
from tests.tiny import tiny_encoder, trained_heads

torch.set_num_threads(1)
TEXT = ("the", "new", "comet", "says", "goal")


@pytest.fixture(scope="module")
def heads(data, parts):
    return trained_heads(("glove", "glove+elmo", "tfidf"), data, parts)


def parts_of(head, parts) -> dict:
    return {"vectors": parts.vectors, "layers": parts.layers}


def odds_of(head, text, parts, label: str) -> float:
    return odds(head.probabilities([text], **parts_of(head, parts))[0], head.labels.index(label))


def odds(p: np.ndarray, k: int) -> float:
    """log p_k / (1 - p_k), where 1 - p_k is what the others sum to."""
    return math.log(p[k] / np.delete(p, k).sum())


@pytest.mark.parametrize("name", ["glove", "glove+elmo", "tfidf"])
def test_occlusion_is_what_the_text_without_the_token_loses(heads, parts, name):
    head = heads[name]
    result = explain(head, TEXT, **parts_of(head, parts))
    whole = odds_of(head, TEXT, parts, result.label)
    assert result.log_odds == pytest.approx(whole, abs=2e-3) and result.tokens == TEXT
    assert result.probability == pytest.approx(1 / (1 + math.exp(-whole)), abs=1e-5)
    for k, lost in enumerate(result.occlusion):
        without = odds_of(head, TEXT[:k] + TEXT[k + 1 :], parts, result.label)
        assert lost == pytest.approx(whole - without, abs=2e-3)


def test_context_is_what_the_layers_of_the_word_by_itself_lose(heads, parts):
    head = heads["glove+elmo"]
    result = explain(head, TEXT, **parts_of(head, parts))
    exact, alone = parts.layers([TEXT])[0], [item[:, 0] for item in parts.layers([(token,) for token in TEXT])]

    def odds_with(layers: np.ndarray) -> float:
        p = head.probabilities([TEXT], vectors=parts.vectors, layers=lambda texts: [layers])[0]
        return odds(p, head.labels.index(result.label))

    for k, lost in enumerate(result.context):
        changed = exact.copy()
        changed[:, k] = alone[k]
        assert lost == pytest.approx(odds_with(exact) - odds_with(changed), abs=2e-3)
    assert result.context_total == pytest.approx(odds_with(exact) - odds_with(np.stack(alone, axis=1)), abs=2e-3)
    assert result.mix == head.meta["mix"] and sum(result.mix["s"]) == pytest.approx(1)


def test_shuffling_is_seeded_and_changes_nothing_where_order_does_not_count(heads, parts):
    head = heads["glove+elmo"]
    item, same, other = (explain(head, TEXT, **parts_of(head, parts), seed=seed).shuffled_probability for seed in (0, 0, 1))
    assert item == same != other and 0 < item < 1
    alike = ("comet",) * 4
    result = explain(head, alike, **parts_of(head, parts))
    assert result.shuffled_probability == pytest.approx(result.probability, abs=1e-6)


def test_the_changed_texts_go_through_the_encoder_at_once_and_so_do_the_words_alone(heads, parts):
    encoder = tiny_encoder()
    calls, original = [], encoder.encode
    encoder.encode = lambda sentences: calls.append(len(sentences)) or original(sentences)
    explain(heads["glove+elmo"], TEXT, vectors=parts.vectors, layers=live_layers(encoder))
    assert len(calls) == 2 and calls[0] <= 1 + len(TEXT) + N_SHUFFLES and calls[1] == len(TEXT)


def test_one_token_can_be_explained_and_none_cannot(heads, parts):
    for head in heads.values():
        assert len(explain(head, ("comet",), **parts_of(head, parts)).occlusion) == 1
    with pytest.raises(BadInput, match="There is no word to explain"):
        explain(heads["glove"], (), **parts_of(heads["glove"], parts))


def test_the_nearest_training_row_of_a_training_text_is_itself(heads, parts, data):
    head, texts = heads["glove+elmo"], [example.tokens for example in data.train]
    pooled = head.pooled(texts, **parts_of(head, parts))
    result = nearest_rows(head, texts[7], pooled, 3, **parts_of(head, parts))
    assert result[0].row == 7 and result[0].cosine == pytest.approx(1, abs=1e-5) and len(result) == 3
    assert [row.cosine for row in result] == sorted((row.cosine for row in result), reverse=True)
    with pytest.raises(BadInput, match="has no vector of its own"):
        nearest_rows(heads["tfidf"], texts[7], pooled, 3, **parts_of(head, parts))
