"""Against the published golden files: what bilm-tf and AllenNLP computed from the same weights, to an absolute 1e-5."""

import json

import h5py
import numpy as np
import pytest

from core.elmo.encoder import Encoder
from core.elmo.weights import load_bilm

SETS = {"allennlp": "sentences.json", "bilm-tf": "lm_embeddings_sentences.json"}
ATOL = 1e-5  # the reference implementations match the files to 1e-6


@pytest.fixture(params=sorted(SETS))
def golden(request, data_folder):
    """(folder, 3 streams of 10 tokenized sentences, the top layer of each as stored)."""
    folder = data_folder / "elmo_fixtures" / request.param
    streams = [[line.split(" ") for line in stream] for stream in json.loads((folder / SETS[request.param]).read_text())]
    expected = []
    for i in range(len(streams)):
        with h5py.File(folder / f"lm_embeddings_{i}.hdf5") as file:
            arrays = [file[str(k)][...] for k in range(len(file))]  # (2 directions, T, 16)
        expected.append([np.concatenate([a[0], a[1]], axis=1) for a in arrays])
    return folder, streams, expected


def test_all_thirty_sentences_match_with_states_carried_over(golden):
    folder, streams, expected = golden
    layers = Encoder(load_bilm(folder)).encode_streams(streams)
    for got, wanted in zip(layers, expected, strict=True):
        for array, top in zip(got, wanted, strict=True):
            assert array.shape == (3, *top.shape)
            np.testing.assert_allclose(array[2], top, atol=ATOL, rtol=0)


def test_layer_0_matches_the_stored_token_vectors_of_the_vocabulary(data_folder):
    folder = data_folder / "elmo_fixtures" / "allennlp"
    words = (folder / "vocab_test.txt").read_text(encoding="utf-8").splitlines()
    with h5py.File(folder / "elmo_token_embeddings.hdf5") as file:
        expected = file["embedding"][...]
    assert len(words) == len(expected) > 400
    encoder = Encoder(load_bilm(folder))
    np.testing.assert_allclose(encoder.word_vectors(words), expected, atol=ATOL, rtol=0)
    np.testing.assert_allclose(encoder.encode([words[3:9]])[0][0], np.concatenate([expected[3:9]] * 2, axis=1), atol=ATOL, rtol=0)
