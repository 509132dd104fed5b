"""The encoder forgets: the same sentence gives the same vectors alone, in any batch, order or company, at any time."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.common.config import ModelShape
from core.common.errors import BadInput, CorruptArtifact
from core.elmo import encoder as encoder_module
from core.elmo.encoder import SPELLED_FILE, Encoder, load_spelled, save_spelled
from core.elmo.model import BiLM
from core.elmo.models import allennlp_files, open_model
from core.elmo.weights import load_bilm, save_hdf5, save_safetensors
from core.text.corpora import BUNDLED_CORPUS, open_corpus

torch.set_num_threads(1)
SHAPE = ModelShape(filters=((1, 4), (2, 4), (3, 8)), hidden=12, projection=6)
ATOL = 1e-5


def new_encoder(seed: int = 0, **options) -> Encoder:
    torch.manual_seed(seed)
    return Encoder(BiLM(SHAPE), **options)


ENCODER = new_encoder()  # shared on purpose: what came before must not matter
TARGET = ["the", "bank", "of", "the", "river"]
ALONE = new_encoder().encode([TARGET])[0]
WORDS = st.text(max_size=8) | st.sampled_from(["bank", "river", "<S>", "</S>", "\x00", "\U0001f600", "x" * 80])
SENTENCES = st.lists(st.lists(WORDS, max_size=12), max_size=8)


def close(a, b):
    np.testing.assert_allclose(a, b, atol=ATOL, rtol=0)


@given(before=SENTENCES, after=SENTENCES, batch_tokens=st.integers(1, 60))
@settings(max_examples=30)
def test_a_sentence_has_the_same_vectors_in_any_batch_any_order_any_company_and_after_any_text(before, after, batch_tokens):
    close(ENCODER.encode([*before, TARGET, *after])[len(before)], ALONE)
    encoder = new_encoder(batch_tokens=batch_tokens)
    encoder.encode(after)
    close(encoder.encode([*before, TARGET, *after])[len(before)], ALONE)


@pytest.mark.parametrize("size", [3, 8, 10, 60])
def test_a_model_reads_as_many_bytes_of_a_token_as_its_options_say(size, monkeypatch):
    monkeypatch.setattr(encoder_module, "WORDS_PER_PRODUCT", 1)
    encoder = Encoder(BiLM(replace(SHAPE, max_characters=size)))
    encoder.model.load_state_dict(new_encoder().model.state_dict())
    words = ["transformation", "transforming", "transformers", "bank"]
    by_hand = torch.full((4, size), 261)
    for row, word in zip(by_hand, words, strict=True):
        read = word.encode()[: size - 2]
        row[0] = 259
        row[1 : 1 + len(read)] = torch.tensor([byte + 1 for byte in read])
        row[1 + len(read)] = 260
    with torch.inference_mode():
        wanted = encoder.model.characters(by_hand).numpy()
    layers = encoder.encode([words])[0]
    close(layers[0], np.tile(wanted, 2))  # layer 0 is the spelling twice, in any context
    cut = size - 2 <= len("transform")
    assert np.array_equal(layers[0, 0], layers[0, 1]) == cut and np.array_equal(layers[0, 0], layers[0, 2]) == cut
    assert not np.array_equal(layers[0, 0], layers[0, 3])
    assert len({row.tobytes() for row in encoder.word_vectors(["<S>", "</S>", "<", "S"])}) == 4  # edges are not spelled


def test_a_model_of_fewer_bytes_is_written_and_read_as_such(tmp_path):
    encoder = Encoder(BiLM(replace(SHAPE, max_characters=10)).eval())
    for save in (save_hdf5, save_safetensors):
        save(encoder.model, tmp_path / save.__name__)
        read = Encoder(load_bilm(tmp_path / save.__name__)).encode([["transformation", "transforming"]])[0]
        assert np.array_equal(read[0, 0], read[0, 1])
    with pytest.raises(BadInput, match=r"AllenNLP reads 50 characters of a token, .*hdf5 has 10"):
        allennlp_files(open_model(str(tmp_path / "save_hdf5")))


def test_nothing_to_encode_gives_empty_arrays():
    assert ENCODER.encode([]) == []
    assert [a.shape for a in ENCODER.encode([[], []])] == [(3, 0, 12)] * 2
    assert ENCODER.word_vectors([]).shape == (0, 6)
    assert [a.shape for a in ENCODER.alone([], [])] == [(0, 3, 12), (0, 12)]
    ((first, empty, last),) = ENCODER.encode_streams([[TARGET, [], TARGET]])
    assert empty.shape == (3, 0, 12) and first.shape == last.shape


@pytest.mark.parametrize("sentence", ["The bank.", ["a", None], ["a", 1], [["a"]], None])
def test_a_sentence_that_is_not_a_list_of_tokens_is_refused(sentence):
    with pytest.raises(BadInput, match=r"^A sentence must be a list of tokens, such as .*, not .*\.$"):
        ENCODER.encode([TARGET, sentence])


@pytest.mark.parametrize("token", ["", "\U0001f468\u200d", "\x00", "שלום", "한국어", "\ud800", "y" * 9000, "<S>"], ids=range(8))
def test_an_odd_token_has_finite_vectors_that_do_not_change_in_company(token):
    array = ENCODER.encode([[token]])[0]
    assert array.shape == (3, 1, 12) and np.isfinite(array).all()
    close(array, new_encoder().encode([TARGET, [token], ["a", token]])[1])


def test_the_word_cache_stays_bounded_and_changes_no_vector(monkeypatch):
    encoder = new_encoder()
    usual = encoder._words.capacity
    for capacity in (4, 0):
        encoder._words.capacity = capacity
        for sentence in (TARGET, ["one", "two", "three", "four", "five", "six", "seven"], TARGET):
            close(encoder.encode([sentence])[0], ENCODER.encode([sentence])[0])
            assert len(encoder._words) <= capacity
    encoder._words.capacity = usual
    encoder.encode([TARGET])[0][:] = 99
    encoder.word_vectors(["bank"])[:] = 99  # changes to returned vectors do not reach the cache
    monkeypatch.setattr(encoder.model.characters, "forward", None)  # known words are never spelled again
    close(encoder.encode([TARGET[::-1]])[0][0], ALONE[0, ::-1])


def test_threads_that_encode_at_once_get_what_each_gets_alone():
    encoder = new_encoder()
    encoder._words.capacity = 20  # small enough that they take words from under each other
    texts = [[[f"{name}{k % 7}" for k in range(n)] for n in (5, 3, 8)] for name in "abcd"]
    with ThreadPoolExecutor(4) as threads:
        results = list(threads.map(lambda text: [encoder.encode(text) for _ in range(15)], texts, timeout=60))
    for text, repetitions in zip(texts, results, strict=True):
        for layers in repetitions:
            for a, b in zip(layers, ENCODER.encode(text), strict=True):
                close(a, b)


def test_directions_and_single_tokens_agree_with_the_layers_of_the_sentence():
    encoder = new_encoder(batch_tokens=20)
    sentences = [TARGET, ["a"], ["of", "the", "bank"], ["d", "d", "c", "b", "a", "x", "y"], TARGET]
    positions = [0, 0, 1, 4, len(TARGET) - 1]
    layers = encoder.encode(sentences)
    single, around = encoder.alone(sentences, positions)
    result = {number: (ahead, behind) for number, ahead, behind in encoder.directions([*sentences, []])}
    assert sorted(result) == [0, 1, 2, 3, 4]
    for number, (ahead, behind) in result.items():
        position, length = positions[number], len(sentences[number])
        assert ahead.shape == behind.shape == (length + 2, 6)
        close(np.concatenate([ahead[1:-1], behind[1:-1]], axis=1), layers[number][2])
        close(single[number], layers[number][:, position])
        close(around[number], np.concatenate([ahead[position], behind[position + 2]]))
    close(encoder.around(sentences, positions), around)
    np.testing.assert_array_equal(encoder.around(sentences, positions, layers), encoder.around(sentences, positions))


def test_streams_carry_their_states_on_and_do_not_affect_each_other():
    ((_, later),) = ENCODER.encode_streams([[["a", "b"], TARGET]])
    close(later[0], ALONE[0])
    assert np.abs(later[1:, 0] - ALONE[1:, 0]).max() > 100 * ATOL
    streams = [[["a"], ["b", "c", "d"], ["e"]], [["f", "g", "h"], ["i"], ["j", "k"]]]  # which sentence is longer changes each time
    for together, stream in zip(ENCODER.encode_streams(streams), streams, strict=True):
        for a, b in zip(together, ENCODER.encode_streams([stream])[0], strict=True):
            close(a, b)
    with pytest.raises(BadInput, match=r"equally long; these have 2, 1 sentences"):
        ENCODER.encode_streams([[TARGET, TARGET], [TARGET]])


def test_shipped_word_vectors_are_what_the_char_cnn_gives_and_holds_every_word_of_our_sentences(model, monkeypatch):
    words, vectors = load_spelled(model.folder, model.fingerprint)
    assert {token for s in open_corpus(BUNDLED_CORPUS) for token in s.tokens} <= set(words)
    some = np.random.default_rng(0).choice(len(words), 20, replace=False)
    fresh = Encoder(model.encoder.model).word_vectors([words[k] for k in some])
    np.testing.assert_allclose(vectors[some], fresh, atol=2e-4)  # sums of whole-word windows, rounded by another processor

    monkeypatch.setattr(type(model.encoder.model.characters), "forward", None)
    assert model.encoder.encode([["the", "bank"]])[0].shape == (3, 2, 256)  # these words are not spelled again
    with pytest.raises(TypeError):
        model.encoder.encode([["Zwobblish"]])


def test_other_weights_words_are_left_alone_and_what_does_not_fit_is_refused(model, tmp_path):
    encoder = model.encoder
    path = save_spelled(tmp_path, encoder, ["bank", "눈", "bank"], "0123")
    words, vectors = load_spelled(tmp_path, "0123")
    assert words == ["bank", "눈"] and np.array_equal(vectors, encoder.word_vectors(words))
    assert load_spelled(tmp_path, "0124") is None and load_spelled(tmp_path / "none", "0123") is None
    whole = path.read_bytes()
    for damaged in (b"", whole[:-9], whole[:200], b"PK" + bytes(40)):
        path.write_bytes(damaged)
        with pytest.raises(CorruptArtifact, match=SPELLED_FILE):
            load_spelled(tmp_path, "0123")
    np.savez(path, vectors=vectors[:1], words=np.frombuffer("bank\n눈".encode(), np.uint8), model=np.frombuffer(b"0123", np.uint8))
    with pytest.raises(CorruptArtifact, match="2 words"):
        load_spelled(tmp_path, "0123")
