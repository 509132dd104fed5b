"""A transformer's masked-word head, if it has one: the pieces that could replace a word, given both sides."""

import json
from dataclasses import dataclass
from pathlib import Path

import torch

from ..common.errors import BadInput, MissingArtifact
from ..common.i18n import t
from .transformer import HIDDEN, WEIGHTS, TransformerEncoder, read_folder

HEAD = "ForMaskedLM"  # how the library calls models that have one
INSIDE = "##"  # before a piece that goes on with the one before it, in WordPiece's vocabularies
NEW_WORD = ("Ġ", "▁")  # before a piece that begins a word, in byte-level and SentencePiece vocabularies


@dataclass(frozen=True, slots=True)
class Likely:
    """A piece of the vocabulary in readable form, and its probability."""

    text: str
    probability: float
    begins_word: bool  # otherwise it continues the piece before it


@dataclass(frozen=True, slots=True)
class Masked:
    """The likeliest pieces in a word's place, best first, and the rank of the actual word."""

    likeliest: tuple[Likely, ...]
    probability: float | None  # of the word that is there; None where it is several pieces, which one mask cannot be
    rank: int | None  # 1 is the likeliest
    pieces: int  # of the word that is there


def has_head(folder: Path) -> bool:
    """Return whether a transformer's folder declares a masked-word head."""
    try:
        named = json.loads((folder / "config.json").read_text("utf-8")).get("architectures") or []
        return any(str(name).endswith(HEAD) for name in named)
    except (OSError, ValueError, AttributeError):
        return False


class MaskedWords:
    """An encoder with the masked-word head of its folder. The network is shared with the encoder."""

    def __init__(self, folder: Path, encoder: TransformerEncoder) -> None:
        """Open the head. Raises MissingArtifact if the folder has none, BadInput if the library cannot read the model."""
        if not has_head(folder) or encoder.tokenizer.mask_token_id is None:
            raise MissingArtifact(t("{model} has no masked-word head. Choose another model.", model=folder.name))
        import transformers

        model = read_folder(transformers.AutoModelForMaskedLM, folder, **WEIGHTS)
        setattr(model, model.base_model_prefix, encoder.model)
        self.model, self.encoder = model.eval().requires_grad_(False).to(encoder.device), encoder

    def at(self, tokens: list[str], position: int, *, k: int = 10) -> Masked:
        """Return the k likeliest pieces in place of one masked word of a sentence. Special tokens are excluded."""
        if position not in range(len(tokens)):
            raise BadInput(t("Type a few words, for example: Let’s stick to"))
        ids, place = self.encoder.masked_ids([*tokens[:position], HIDDEN, *tokens[position + 1 :]], position)
        with torch.inference_mode():
            inputs = torch.tensor([ids], device=self.encoder.device)
            scores = self.model(input_ids=inputs, attention_mask=torch.ones_like(inputs)).logits[0, place]
        scores = scores.float().cpu().clone()  # no longer the inference's own, so that it can be written to
        tokenizer = self.encoder.tokenizer
        never = [all_special_id for all_special_id in tokenizer.all_special_ids if all_special_id < len(scores)]
        scores[never] = -torch.inf
        shares = scores.softmax(0)
        values, best = shares.topk(min(k, len(shares) - len(never)))
        names = tokenizer.convert_ids_to_tokens(best.tolist())
        likeliest = tuple(self._likely(name, share) for name, share in zip(names, values.tolist(), strict=True))
        pieces = tokenizer.convert_tokens_to_ids(self.encoder.pieces_of(tokens[position]))
        if len(pieces) != 1 or pieces[0] in never:
            return Masked(likeliest, None, None, len(pieces))
        return Masked(likeliest, float(shares[pieces[0]]), int((shares > shares[pieces[0]]).sum()) + 1, 1)

    def _likely(self, piece: str, share: float) -> Likely:
        read = self.encoder.tokenizer.convert_tokens_to_string([piece]).strip()
        if piece.startswith(INSIDE):
            return Likely(piece.removeprefix(INSIDE), share, False)
        return Likely(read or piece, share, piece.startswith(NEW_WORD) or not self._marks_beginnings)

    @property
    def _marks_beginnings(self) -> bool:
        """Return whether this vocabulary marks the pieces that begin a word, not those that continue one."""
        return any(sign in self.encoder.tokenizer.get_vocab() for sign in NEW_WORD)
