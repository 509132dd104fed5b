"""core.engines.transformer: random heads of three kinds against `transformers` called directly; which folders have one."""

from pathlib import Path

import pytest
import torch

from core.common.errors import BadInput, MissingArtifact
from core.engines.transformer import MaskedWords, TransformerEncoder, has_head
from tests.core.engines.test_transformer import bert

transformers = pytest.importorskip("transformers", reason="the optional library is not installed: tests/requirements-transformers.txt")
SHAPES = {
    "Bert": {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40},
    "Roberta": {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3, "intermediate_size": 40, "pad_token_id": 0},
    "DistilBert": {"dim": 24, "n_layers": 2, "n_heads": 3, "hidden_dim": 40},
}


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
    encoder = TransformerEncoder(folder)
    result = MaskedWords(folder, encoder).at(["we", "sat", "late", "."], 1, k=20)
    model = getattr(transformers, f"{kind}ForMaskedLM").from_pretrained(folder).eval()
    with torch.inference_mode():
        logits = model(input_ids=torch.tensor([[2, 5, 4, 13, 16, 3]])).logits[0, 2].tolist()  # [CLS] we [MASK] late . [SEP]
    shares = torch.tensor([-torch.inf] * 5 + logits[5:]).softmax(0)  # the marks are never answers
    assert len(result.likeliest) == 13 and sum(item.probability for item in result.likeliest) == pytest.approx(1, abs=1e-5)
    assert result.likeliest[0].probability == pytest.approx(float(shares.max()), abs=1e-6)
    assert result.probability == pytest.approx(float(shares[6]), abs=1e-6)
    assert result.rank == 1 + int((shares > shares[6]).sum())
    endings = {item.text for item in result.likeliest if not item.begins_word}
    assert endings == {"believ", "ably", "국"}


def test_a_word_of_several_pieces_has_no_share_and_a_long_sentence_is_read_around_it(tmp_path):
    folder = with_head(tmp_path / "model")
    masked = MaskedWords(folder, TransformerEncoder(folder))
    assert (masked.at(["unbelievably", "late"], 0).rank, masked.at(["unbelievably", "late"], 0).pieces) == (None, 3)
    long = ["we", "sat"] * 100
    for position in (0, 100, 199):
        assert masked.at(long, position).rank in range(1, 14)
    with pytest.raises(BadInput):
        masked.at([], 0)


def test_a_model_without_a_head_reports_it(tmp_path):
    folder = bert(tmp_path / "plain")
    assert not has_head(folder) and not has_head(tmp_path)
    with pytest.raises(MissingArtifact, match="has no masked-word head"):
        MaskedWords(folder, TransformerEncoder(folder))
