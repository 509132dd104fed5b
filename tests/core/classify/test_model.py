"""Test the networks and baselines of texts against formulas and scikit-learn, and the stored layers that they read."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from core.classify import baselines
from core.classify.baselines import fit_baseline, grams, mean_vectors
from core.classify.model import VARIANTS, Network, NetworkConfig, TextVocabulary, live_layers, make_batch, variant_named
from core.common.errors import BadInput, CorruptArtifact
from core.learning.features import FeatureStore, open_features
from tests.tiny import NETWORK, tiny_encoder, tiny_vectors

torch.set_num_threads(1)
TEXTS = [("the", "bank", "of", "Monday"), ("Comet",), ("a", "goal", "again", "and", "again", "!")]
VOCABULARY = TextVocabulary(["the", "bank", "goal", "comet"])
ENCODER, VECTORS = tiny_encoder(), tiny_vectors()


def network(variant, config: NetworkConfig = NETWORK) -> Network:
    torch.manual_seed(1)
    sizes = {"static_dim": VECTORS.dim, "n_layers": ENCODER.n_layers, "elmo_dim": ENCODER.dim}
    return Network(variant, config, n_classes=3, n_words=len(VOCABULARY), **sizes).eval()


def batch(texts):
    return make_batch(texts, VOCABULARY, vectors=VECTORS, layers=live_layers(ENCODER))


@pytest.mark.parametrize("variant", [v for v in VARIANTS.values() if v.network in ("lstm", "mean")], ids=lambda v: v.name)
def test_a_variant_reads_its_own_parts_and_no_others_and_padding_changes_nothing(variant):
    made, given = network(variant), batch(TEXTS)
    before = made(given)
    for part, read in (("words", variant.learned or variant.glove == "trained"), ("static", bool(variant.glove)), ("layers", variant.elmo)):
        other = torch.zeros_like(given.words) if part == "words" else getattr(given, part) + 1
        changed = not torch.allclose(made(replace(given, **{part: other})), before, atol=1e-6)
        assert changed == read, part
    for row, text in zip(before, TEXTS, strict=True):
        torch.testing.assert_close(made(batch([text]))[0], row, atol=1e-5, rtol=1e-5)


def test_the_mean_network_is_its_formula():
    made = network(variant_named("mean-elmo"))
    layers = torch.from_numpy(ENCODER.encode([list(TEXTS[0])])[0])  # (L, T, D)
    mean = (made.mix.scores.softmax(0)[:, None, None] * layers).sum(0).mean(0) * made.mix.gamma
    expected = made.output.weight @ torch.relu(made.relu[0].weight @ mean + made.relu[0].bias) + made.output.bias
    torch.testing.assert_close(made(batch(TEXTS))[0], expected, atol=1e-5, rtol=1e-5)


@torch.no_grad()
def test_words_have_glove_or_learned_vectors_and_are_left_out_only_in_training():
    made = network(variant_named("glove"))
    made.unknown.fill_(3.0)
    embedded = made.embedded(batch([("again", "goal", "xyzzy")]))[0]
    assert (embedded[[0, 2]] == 3).all()
    np.testing.assert_array_equal(embedded[1], VECTORS.vector("goal"))
    made = network(variant_named("glove-unfrozen"))
    made.start_from(VOCABULARY, VECTORS)
    made.tuned.weight[3] = 9.0  # "goal", as if training had moved it
    bank, goal, stock = made.embedded(batch([("bank", "goal", "stock")]))[0]
    np.testing.assert_array_equal([bank, stock], [VECTORS.vector("bank"), VECTORS.vector("stock")])  # the latter is not in the vocabulary
    assert (goal == 9).all() and made.tuned.weight.isfinite().all()
    made = network(variant_named("glove"), NetworkConfig(hidden=4, dropout=0.0, word_dropout=0.9))
    repeated = batch([("bank",) * 200])
    assert (made.embedded(repeated) == made.embedded(repeated)[:, :1]).all()
    assert 0.8 < (made.train().embedded(repeated)[0] == 0).all(dim=1).float().mean() < 1
    assert TextVocabulary.of([("The", "the", "cat"), ("cat", "the", "dog")], min_count=2, max_words=9).words == ("the", "cat")


def test_stored_layers_are_the_encoders_and_layer_0_of_another_model_is_stored_complete(tmp_path):
    texts, message = sorted(set(TEXTS)), []
    store = open_features(texts, ENCODER, "a" * 64, tmp_path, report=lambda *facts: message.append(facts))
    for text, layers in zip(TEXTS, store(TEXTS), strict=True):
        exact = ENCODER.encode([list(text)])[0]
        assert layers.dtype == np.float32 and layers.shape == exact.shape
        np.testing.assert_allclose(layers, exact, atol=2e-3)
    assert message[-1][:2] == (11, 11)

    class Other:  # its layer 0 has no two equal halves
        n_layers, dim = 4, 6

        def encode(self, sentences):
            return [np.arange(4 * len(s) * 6, dtype=np.float32).reshape(4, len(s), 6) for s in sentences]

    for name in ("b" * 16, "b" * 16 + "-first"):
        for layers, exact in zip(open_features(texts, Other(), name, tmp_path)(texts), Other().encode(texts), strict=True):
            np.testing.assert_array_equal(layers, exact)
    assert len(list(tmp_path.iterdir())) == 3  # a model and a way of reading have a folder each


def test_only_missing_shards_are_computed_again(counted, tmp_path, monkeypatch):
    encoder, calls = counted
    monkeypatch.setattr("core.learning.features.SHARD_TOKENS", 5)
    texts = sorted({(f"w{k}", "the", "x") for k in range(6)})
    open_features(texts, encoder, "a" * 64, tmp_path)
    folder = next(tmp_path.iterdir())
    assert len(list(folder.glob("shard-*"))) == 6
    (folder / "meta.json").unlink()  # as if it had been cut before the last shard
    for file in (folder / "shard-0005").iterdir():
        file.unlink()
    calls.clear()
    again = open_features(texts, encoder, "a" * 64, tmp_path)
    assert calls == [[list(texts[5])]] and again([texts[5]])[0].shape == (3, 3, 16)


def test_layers_of_other_texts_and_damaged_ones_are_refused(tmp_path):
    texts = sorted(set(TEXTS))
    store = open_features(texts, ENCODER, "a" * 64, tmp_path)
    with pytest.raises(BadInput, match="The layers of 'never seen' were not computed"):
        store([("never", "seen")])
    with pytest.raises(CorruptArtifact, match="does not hold the layers of these texts"):
        FeatureStore(store.folder, texts[:1])
    np.save(store.folder / "shard-0000" / "spelled.npy", np.zeros((1, 8), np.float16))
    with pytest.raises(CorruptArtifact, match="Delete it"):
        FeatureStore(store.folder, texts)


@pytest.mark.parametrize(
    ("analyzer", "text", "n_grams"),
    [
        ("word", ("The", "Bank"), {"the", "bank", "the bank"}),
        ("char", ("Hi", "!"), {" H", "Hi", "i!", "! ", " Hi", "Hi!", "i! ", " Hi!", "Hi! ", " Hi! "}),
    ],
)
def test_our_tf_idf_of_words_or_characters_equals_scikit_learn(analyzer, text, n_grams, monkeypatch):
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    assert set(grams(text, analyzer)) == n_grams
    texts = [*TEXTS, ("the", "price", "of", "the", "stock"), ("moon",), ("team", "of", "the", "cup")] * 2
    truth = np.array([1, 2, 0, 1, 2, 0] * 2)
    monkeypatch.setattr(baselines, "STRENGTHS", (10.0,))
    fitted, _ = fit_baseline(texts, truth, n_classes=3, loss=lambda _: 0.0, analyzer=analyzer)
    vectorizer = TfidfVectorizer(analyzer=lambda text: grams(text, analyzer), sublinear_tf=True)
    reference = LogisticRegression(C=10.0, max_iter=1000).fit(vectorizer.fit_transform(texts), truth)
    unseen = [("the", "orbit", "of", "the", "moon"), ("nothing", "known")]
    expected = reference.decision_function(vectorizer.transform(unseen))
    np.testing.assert_allclose(fitted.logits(unseen), expected, atol=2e-3)


def test_the_mean_is_over_words_that_have_a_vector():
    means = mean_vectors([("bank", "xyzzy", "GOAL"), ("xyzzy",)], VECTORS)
    np.testing.assert_allclose(means, [(VECTORS.vector("bank") + VECTORS.vector("goal")) / 2, np.zeros(VECTORS.dim)], rtol=1e-6)
