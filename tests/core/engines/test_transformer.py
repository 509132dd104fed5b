"""core.engines.transformer: random models of odd shapes, and real weights where their package is installed, against `transformers` itself."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
import torch

from core.common.directions import unit
from core.common.errors import BadInput, CorruptArtifact, EngineUnavailable, MissingArtifact
from core.elmo.models import allennlp_files, open_language_model, open_model
from core.engines import transformer
from core.engines.transformer import FIRST, LAST, MaskedWords, TransformerEncoder, has_head
from core.index.rows import make_query

transformers = pytest.importorskip("transformers", reason="the optional library is not installed: tests/requirements-transformers.txt")

WORDS = ["we", "sat", "on", "the", "bank", "un", "##believ", "##ably", "late", "한", "##국", ".", ","]
SENTENCES = [["we", "sat", "on", "the", "bank"], ["unbelievably", "late", "."], [], ["한국", "🎉", "\u200b", "bank"], ["late"]]


def bert(folder: Path, *, layers: int = 3, positions: int = 64, seed: int = 0) -> Path:
    """A random BERT with a tokenizer of thirteen pieces."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    vocabulary = {piece: k for k, piece in enumerate(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(strip_accents=False)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)])
    special = {"unk_token": "[UNK]", "pad_token": "[PAD]", "cls_token": "[CLS]", "sep_token": "[SEP]", "mask_token": "[MASK]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=positions, **special).save_pretrained(folder)
    torch.manual_seed(seed)
    shape = {"vocab_size": len(vocabulary), "hidden_size": 24, "num_hidden_layers": layers, "num_attention_heads": 3}
    model = transformers.BertModel(transformers.BertConfig(**shape, intermediate_size=40, max_position_embeddings=positions))
    model.save_pretrained(folder, safe_serialization=True)
    return folder


def gpt(folder: Path) -> Path:
    """A random decoder: byte pieces, no marks around a sentence, no padding piece."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    letters = {letter: k for k, letter in enumerate(sorted(pre_tokenizers.ByteLevel.alphabet()))}
    tokenizer = Tokenizer(models.BPE(letters, []))
    tokenizer.pre_tokenizer, tokenizer.decoder = pre_tokenizers.ByteLevel(add_prefix_space=True), decoders.ByteLevel()
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, model_max_length=48).save_pretrained(folder)
    torch.manual_seed(1)
    shape = {"vocab_size": len(letters), "n_embd": 16, "n_layer": 1, "n_head": 2, "n_positions": 48}
    transformers.GPT2Model(transformers.GPT2Config(**shape, bos_token_id=0, eos_token_id=0)).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def small(tmp_path_factory) -> Path:
    return bert(tmp_path_factory.mktemp("models") / "small-bert")


def direct(encoder: TransformerEncoder, words: list[str]) -> np.ndarray:
    """(L, pieces, D) by `transformers` called without us."""
    read = encoder.tokenizer(words, is_split_into_words=True, return_tensors="pt")
    with torch.inference_mode():
        return torch.stack(encoder.model(**read, output_hidden_states=True).hidden_states)[:, 0].numpy()


def test_vectors_are_those_of_transformers_called_directly(small):
    words = ["we", "unbelievably", "late"]  # 1, 3 and 1 pieces, behind [CLS]
    for pieces, second in (("mean", slice(2, 5)), (FIRST, slice(2, 3)), (LAST, slice(4, 5))):
        encoder = TransformerEncoder(small, pieces=pieces)
        theirs = direct(encoder, words)
        (ours,) = encoder.encode([words])
        assert ours.shape == (4, 3, 24) and ours.dtype == np.float32
        np.testing.assert_allclose(ours[:, 0], theirs[:, 1], atol=1e-6)
        np.testing.assert_allclose(ours[:, 1], theirs[:, second].mean(axis=1), atol=1e-6)
        np.testing.assert_allclose(ours[:, 2], theirs[:, 5], atol=1e-6)


@pytest.mark.parametrize("make", [bert, gpt])
def test_a_sentence_has_the_same_vectors_alone_in_any_batch_and_in_any_order(make, tmp_path):
    encoder = TransformerEncoder(make(tmp_path / "m"))
    together = encoder.encode(SENTENCES)
    small_batches = TransformerEncoder(tmp_path / "m", batch_tokens=4).encode(SENTENCES[::-1])[::-1]
    for sentence, item, other in zip(SENTENCES, together, small_batches, strict=True):
        (alone,) = encoder.encode([sentence])
        assert item.shape == (encoder.n_layers, len(sentence), encoder.dim) and np.isfinite(item).all()
        np.testing.assert_allclose(item, alone, atol=1e-5)
        np.testing.assert_allclose(other, alone, atol=1e-5)


@pytest.mark.parametrize("make", [bert, gpt])
def test_a_sentence_longer_than_the_window_is_read_whole(make, tmp_path):

    encoder = TransformerEncoder(make(tmp_path / "m"))
    long = ["bank", "late", "we"] * 100
    (layers,) = encoder.encode([long])
    assert layers.shape == (encoder.n_layers, 300, encoder.dim) and np.isfinite(layers).all()
    ids, _ = encoder._cut(long)
    taken = np.zeros(len(ids), int)
    for item in encoder._windows(0, ids):
        assert len(item.ids) <= encoder.window and item.start <= item.taken.start < item.taken.stop <= item.start + encoder.window
        taken[item.taken] += 1
    assert (taken == 1).all()
    assert next(iter(encoder._windows(0, ids))).taken.stop >= encoder.window // 2


def test_ways_with_pieces_are_different_models_and_what_belongs_to_elmo_alone_reports_it(small, monkeypatch):
    model = open_model(str(small))
    assert model.fingerprint != open_model(str(small), pieces=FIRST).fingerprint
    with pytest.raises(BadInput, match="pooling of pieces 'middle'"):
        open_model(str(small), pieces="middle")
    for request in (open_language_model, allennlp_files):
        with pytest.raises(BadInput, match="is a transformer"):
            request(model)
    with pytest.raises(BadInput, match="fewer bits"):
        open_model(str(small), precision="int8")
    monkeypatch.setattr(transformer, "find_spec", lambda name: None)
    with pytest.raises(EngineUnavailable, match="pip install transformers=="):
        open_model(str(small))


@pytest.mark.parametrize(
    ("weights", "error", "said"),
    [
        ("pytorch_model.bin", MissingArtifact, r"needs \*\.safetensors"),
        ("encoder.pkl", MissingArtifact, r"is a model of ELMoForManyLangs\. Choose one with options\.json and weights\.hdf5"),
        ("model.safetensors", BadInput, "Cannot open the transformer broken"),
    ],
)
def test_weights_are_readable_safetensors_or_nothing(small, tmp_path, weights, error, said):
    folder = tmp_path / "broken"
    shutil.copytree(small, folder, ignore=shutil.ignore_patterns("*.safetensors"))
    (folder / weights).write_bytes(b"no weights")
    with pytest.raises(error, match=said):
        open_model(str(folder))


@pytest.mark.parametrize("part", ["../small/model.safetensors", "/etc/passwd", "pytorch_model.bin", "..", None, 5, ["model.safetensors"]])
def test_a_models_parts_are_in_its_folder(small, tmp_path, part):
    """Its list of them comes with it, so a name there may be anything."""
    folder = tmp_path / "parts"
    shutil.copytree(small, folder)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"embeddings": "model.safetensors", "encoder": part}}))
    with pytest.raises(CorruptArtifact, match=r"index\.json names .*, a missing \*\.safetensors file"):
        open_model(str(folder))
    index.write_text(json.dumps({"weight_map": {"embeddings": "model.safetensors"}}))
    open_model(str(folder))


def test_real_weights_tell_the_banks_apart(tmp_path):
    package = pytest.importorskip("all_minilm_l6_v2", reason="real weights are not installed: tests/requirements-transformers.txt")
    model = open_model(str(package.extract_model(str(tmp_path))))
    texts = "We rowed to the far bank before dark", "Reeds grew along the bank of the canal", "The bank refused her a second loan"
    river, edge, loan = (unit(make_query(model.encoder, text.split(), text.split().index("bank")).layers[-1]) for text in texts)
    assert model.encoder.n_layers == 7 and river @ edge > river @ loan


def test_what_stands_around_a_word_does_not_know_the_word(small):
    encoder = TransformerEncoder(small)
    item, other = (encoder.around([["we", "sat", "on", word, "bank"]], [3]) for word in ("the", "unbelievably"))
    assert item.shape == (1, encoder.dim) and np.array_equal(item, other)
    assert np.allclose(item[0], direct(encoder, ["we", "sat", "on", "[MASK]", "bank"])[-1, 4], atol=1e-5)
    assert encoder.pieces_of("unbelievably") == ["un", "##believ", "##ably"] and encoder.pieces_of("bank") == ["bank"]


SHAPES = {
    "Bert": {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40},
    "DistilBert": {"dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40},
}
SHAPES["Roberta"] = SHAPES["Bert"] | {"pad_token_id": 0}


def with_head(folder: Path, kind: str = "Bert") -> Path:
    """A random model of that kind with its head for masked words, and a tokenizer of eighteen pieces."""
    bert(folder)
    torch.manual_seed(4)
    config = getattr(transformers, f"{kind}Config")(vocab_size=18, max_position_embeddings=64, **SHAPES[kind])
    getattr(transformers, f"{kind}ForMaskedLM")(config).save_pretrained(folder, safe_serialization=True)
    return folder


@pytest.mark.parametrize("kind", SHAPES)
def test_shares_are_those_of_transformers_called_directly(tmp_path, kind):
    folder = with_head(tmp_path / "model", kind)
    assert has_head(folder)
    result = MaskedWords(folder, TransformerEncoder(folder)).predict(["we", "sat", "late", "."], 1, k=20)
    model = getattr(transformers, f"{kind}ForMaskedLM").from_pretrained(folder).eval()
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[2, 5, 4, 13, 16, 3]])).logits[0, 2].tolist()  # [CLS] we [MASK] late . [SEP]
    shares = torch.tensor([-torch.inf] * 5 + logits[5:]).softmax(0)  # the marks are never answers
    assert len(result.likeliest) == 13 and sum(item.probability for item in result.likeliest) == pytest.approx(1, abs=1e-5)
    assert result.likeliest[0].probability == pytest.approx(float(shares.max()), abs=1e-6)
    assert result.probability == pytest.approx(float(shares[6]), abs=1e-6)
    assert result.rank == 1 + int((shares > shares[6]).sum())
    assert {item.text for item in result.likeliest if not item.begins_word} == {"believ", "ably", "국"}


def test_a_word_of_several_pieces_has_no_share_and_a_long_sentence_is_read_around_it(small, tmp_path):
    assert not has_head(small) and not has_head(tmp_path)
    with pytest.raises(MissingArtifact, match="has no masked-word head"):
        MaskedWords(small, TransformerEncoder(small))
    folder = with_head(tmp_path / "model")
    masked = MaskedWords(folder, TransformerEncoder(folder))
    result = masked.predict(["unbelievably", "late"], 0)
    assert (result.rank, result.pieces) == (None, 3)
    assert all(masked.predict(["we", "sat"] * 100, position).rank in range(1, 14) for position in (0, 100, 199))
    with pytest.raises(BadInput):
        masked.predict([], 0)
