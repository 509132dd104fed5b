"""Words spelled beforehand: the very vectors of the char-CNN, of these weights only, and a damaged file is named."""

import numpy as np
import pytest

from core.common.errors import CorruptArtifact
from core.elmo.encoder import SPELLED_FILE, Encoder, load_spelled, save_spelled
from core.text.corpora import BUNDLED_CORPUS, open_corpus


def test_what_ships_is_what_the_char_cnn_gives_and_holds_every_word_of_our_sentences(model):
    words, vectors = load_spelled(model.folder, model.fingerprint)
    assert {token for s in open_corpus(BUNDLED_CORPUS) for token in s.tokens} <= set(words)
    some = np.random.default_rng(0).choice(len(words), 20, replace=False)
    fresh = Encoder(model.encoder.model).word_vectors([words[k] for k in some])
    np.testing.assert_allclose(vectors[some], fresh, atol=2e-4)  # sums of whole-word windows, rounded by another processor
    forgetful = Encoder(model.encoder.model, max_cached_words=0)
    alone = np.concatenate([forgetful.word_vectors([words[k]]) for k in some])
    np.testing.assert_allclose(alone, fresh, atol=2e-6)


def test_an_encoder_does_not_spell_what_it_was_told(model, monkeypatch):
    known = model.encoder
    monkeypatch.setattr(type(known.model.characters), "forward", None)
    assert known.encode([["the", "bank"]])[0].shape == (3, 2, 256)
    with pytest.raises(TypeError):
        known.encode([["Zwobblish"]])


def test_other_weights_words_are_left_alone_and_what_does_not_fit_is_refused(model, tmp_path):
    encoder = model.encoder
    path = save_spelled(tmp_path, encoder, ["bank", "눈", "bank"], "0123")
    words, vectors = load_spelled(tmp_path, "0123")
    assert words == ["bank", "눈"]
    np.testing.assert_array_equal(vectors, encoder.word_vectors(words))
    assert load_spelled(tmp_path, "0124") is None and load_spelled(tmp_path / "none", "0123") is None
    with pytest.raises(ValueError, match="projection"):
        encoder.know(words, vectors[:, :-1])
    whole = path.read_bytes()
    for damaged in (b"", whole[:-9], whole[:200], b"PK" + bytes(40)):
        path.write_bytes(damaged)
        with pytest.raises(CorruptArtifact, match=SPELLED_FILE):
            load_spelled(tmp_path, "0123")
    np.savez(path, vectors=vectors[:1], words=np.frombuffer("bank\n눈".encode(), np.uint8), model=np.frombuffer(b"0123", np.uint8))
    with pytest.raises(CorruptArtifact, match="2 words"):
        load_spelled(tmp_path, "0123")
