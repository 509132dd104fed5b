"""Committees: the product of two heads' probabilities, stored with its members, explained like any head."""

import numpy as np
import pytest
import torch

from core.classify.explain import explain
from core.classify.head import load_head, save_head
from core.classify.inputs import live_layers
from core.classify.model import VARIANTS
from core.classify.train import make_committee, make_text_fit, texts_of, with_members
from core.common.errors import BadInput, CorruptArtifact
from tests.tiny import CONFIG, dataset, frozen, tiny_encoder, tiny_vectors, trained_heads

torch.set_num_threads(1)
COMMITTEE = VARIANTS["glove-unfrozen+elmo+tfidf"]


@pytest.fixture(scope="module")
def members(data, parts):
    return trained_heads(COMMITTEE.members, data, parts)


@pytest.fixture(scope="module")
def committee(members, data, parts):
    return make_committee(COMMITTEE, members, data, CONFIG, parts)


@pytest.fixture(scope="module")
def given():
    return {"vectors": tiny_vectors(), "layers": live_layers(tiny_encoder())}


def test_members_come_before_the_committees_that_need_them_and_once():
    request = [COMMITTEE, VARIANTS["tfidf"], VARIANTS["glove-unfrozen+tfidf"]]
    assert [v.name for v in with_members(request)] == [
        "tfidf",
        "glove-unfrozen+elmo",
        "glove-unfrozen",
        "glove-unfrozen+elmo+tfidf",
        "glove-unfrozen+tfidf",
    ]
    assert with_members([VARIANTS["elmo"]]) == [VARIANTS["elmo"]]


def test_it_says_the_product_of_its_members_probabilities(committee, members, data, given):
    texts = texts_of(data.test)[:20]
    product = np.prod([head.probabilities(texts, **given) for head in members.values()], axis=0)
    torch.testing.assert_close(
        torch.tensor(committee.logits(texts, **given)).double().softmax(1),
        torch.tensor(product / product.sum(1, keepdims=True)),
        atol=1e-5,
        rtol=0,
    )
    assert committee.meta["mix"] == members["glove-unfrozen+elmo"].meta["mix"] and committee.meta["members"] == list(COMMITTEE.members)
    assert committee.meta["test"]["accuracy"] > 0.8


def test_it_is_stored_with_its_members_and_checked_like_any_head(committee, data, given, tmp_path):
    folder = save_head(committee, tmp_path / "head")
    facts = {kind: committee.meta[kind] for kind in ("model", "vectors")}
    loaded = load_head(folder, **facts)
    texts = texts_of(data.test)[:9]
    np.testing.assert_allclose(loaded.probabilities(texts, **given), committee.probabilities(texts, **given), atol=1e-6)
    with pytest.raises(CorruptArtifact, match="trained on other model"):
        load_head(folder, model="0" * 16)
    (folder / "tfidf" / "vocabulary.txt").write_text("other")
    with pytest.raises(CorruptArtifact, match="is damaged"):
        load_head(folder, **facts)


def test_next_to_its_members_it_is_stored_without_them(committee, members, data, given, tmp_path):
    for name, head in members.items():
        save_head(head, tmp_path / name)
    folder = save_head(committee, tmp_path / "committee", members_beside=True)
    assert not (folder / "tfidf").exists()
    texts = texts_of(data.test)[:9]
    np.testing.assert_allclose(load_head(folder).logits(texts, **given), committee.logits(texts, **given), atol=1e-5)
    other = make_text_fit(VARIANTS["tfidf"], dataset(120), CONFIG, frozen())
    list(other.run())
    save_head(other.finish(), tmp_path / "tfidf")
    with pytest.raises(CorruptArtifact, match="tfidf beside it is another"):
        load_head(folder)


def test_it_explains_itself_and_its_networks_context(committee, members, data, given):
    tokens = data.test[0].tokens
    result = explain(committee, tokens, **given)
    assert len(result.occlusion) == len(result.context) == len(tokens) and result.mix == committee.meta["mix"]
    assert result.probability == pytest.approx(committee.probabilities([tokens], **given).max(), abs=1e-5)
    assert np.isfinite(result.context_total) and result.context_total != 0
    assert committee.pooled([tokens], **given).shape == members["glove-unfrozen+elmo"].pooled([tokens], **given).shape


def test_a_missing_or_foreign_member_is_named(members, data, parts):
    with pytest.raises(BadInput, match="needs the heads of tfidf"):
        make_committee(COMMITTEE, {"glove-unfrozen+elmo": members["glove-unfrozen+elmo"]}, data, CONFIG, parts)
    with pytest.raises(BadInput, match="is made of glove-unfrozen\\+elmo and tfidf"):
        make_text_fit(COMMITTEE, data, CONFIG, parts)
    with pytest.raises(BadInput, match="other data"):
        make_committee(COMMITTEE, members, dataset(120), CONFIG, parts)
