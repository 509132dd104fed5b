"""Starting a char-CNN: filters that answer to their own window, and a last layer that spells a table of vectors."""

import numpy as np
import pytest
import torch

from core.common.config import ModelShape
from core.elmo.encoder import Encoder
from core.elmo.language_model import SPECIALS, Softmax, Vocabulary
from core.elmo.model import BiLM, CharacterCNN
from core.text.tokens import character_ids
from core.training.data import Corpus, prepare
from core.training.trainer import PretrainConfig, Trainer
from core.training.warm_start import copy_model, importance, solve_characters

torch.set_num_threads(1)
WORDS = ["the", "of", "and", "bank", "banks", "river", "rivers", "play", "played", "playing", "government", "governor"]


def made(*filters: tuple[int, int], n_highway: int = 0) -> CharacterCNN:
    torch.manual_seed(0)
    return CharacterCNN(ModelShape(filters=filters, projection=6, n_highway=n_highway)).eval()


def answers(characters: CharacterCNN, words: list[str]) -> torch.Tensor:
    with torch.no_grad():
        return characters.pooled(torch.from_numpy(character_ids(words)))


def test_filters_are_looked_for_at_the_first_character_only_where_that_answers_the_same():
    characters = made((3, 40), (7, 5), (12, 9))
    solve_characters(characters, WORDS, torch.randn(len(WORDS), 6))
    assert characters.anchor() == [False, True, True]
    model = BiLM(ModelShape(filters=((3, 40), (7, 5), (12, 9)), projection=6, hidden=8, n_highway=0))
    model.characters.load_state_dict(characters.state_dict())
    assert Encoder(model).model.characters.anchored == [False, True, True]
    strange = [*WORDS, "thethethe", "the of", "x" * 60, "", "бank", "ofof", "\x00the", "banksbanksbanks"]
    quick = answers(characters, strange)
    characters.anchored = [False] * 3
    torch.testing.assert_close(quick, answers(characters, strange), atol=1e-6, rtol=0)
    with torch.no_grad():
        characters.convolutions[1].bias[4] = 0.5  # this one is heard everywhere
    assert characters.anchor() == [False, False, True]
    assert made((3, 40), (12, 9)).anchor() == [False, False]  # as drawn: nothing is known of them


def test_solved_with_a_filter_a_word_the_char_cnn_spells_the_table_it_was_given():
    characters, table = made((2, 20), (5, 6), (12, 12)), torch.randn(len(WORDS), 6)
    result = solve_characters(characters, WORDS, table)
    with torch.no_grad():
        spelled = characters(torch.from_numpy(character_ids(WORDS)))
    missed, w = (spelled - table).square().sum(1).numpy(), importance(len(WORDS))
    mean = (table.numpy() * w[:, None]).sum(0) / w.sum()
    spread = np.square(table.numpy() - mean).sum(1)
    assert result["r2"] == pytest.approx(1 - (missed * w).sum() / (spread * w).sum(), abs=1e-4) and result["r2"] > 0.99
    assert (result["n_grams"], result["words"]) == (20, 12)
    characters = made((2, 20), (3, 30), n_highway=1)  # with a highway all filters are n-grams, solved together
    result = solve_characters(characters, WORDS, table)
    assert result["r2"] > 0.9 and result["words"] == 0


def test_a_trainer_goes_on_from_a_trained_model_words_matched_by_name(tmp_path):
    (tmp_path / "text.txt").write_text("\n".join(" ".join(WORDS[k:] + WORDS[:k]) for k in range(len(WORDS))))
    corpus = Corpus(prepare([tmp_path / "text.txt"], tmp_path / "prepared", lambda _: None, processes=1))
    shape = ModelShape(filters=((1, 4), (2, 6)), hidden=12, projection=8)
    torch.manual_seed(1)
    words = [*SPECIALS, "river", "bank", "elsewhere"]
    trained, softmax = BiLM(shape), Softmax(len(words), 8)
    trainer = Trainer(corpus, shape, PretrainConfig(vocabulary=20, negatives=5, table_types=50))
    assert copy_model(trainer, trained, softmax, Vocabulary(words)) == len(SPECIALS) + 2
    assert torch.equal(trainer.softmax.weight[trainer.vocabulary().index("river")], softmax.weight[3])
    for name, value in trained.state_dict().items():
        assert torch.equal(trainer.model.state_dict()[name], value), name
    # One step reads what the model would have read: the table holds what its char-CNN spells.
    ids = torch.tensor([corpus.types.index("river"), corpus.types.index("government")])
    spelled = trained.characters(torch.from_numpy(character_ids(["river", "government"])))
    torch.testing.assert_close(trainer.word_vectors(ids, train=False), spelled)
