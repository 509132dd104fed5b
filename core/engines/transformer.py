"""Encode sentences into layers (L, T, D) per word with any transformer that the library `transformers` reads.

A transformer reads pieces of words (Wu et al. 2016; Sennrich et al. 2016). A word's vector is the mean of its pieces' vectors, or its
first or last piece's. Layer 0 is the embeddings, position included; layer k is the output of block k. Special tokens around a
sentence are fed and then removed. A sentence longer than the model's window is read in windows that overlap by half, and each piece
is taken from the window in which it is furthest from an edge. So a sentence's vectors depend on the sentence alone, not on its
batch. The library is optional and imported when such a model is opened.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from ..common.device import PROCESSOR
from ..common.errors import BadInput, CorruptArtifact, EngineUnavailable, MissingArtifact
from ..common.i18n import t
from ..common.markup import check_choice, shorten
from ..files.artifacts import read_json
from ..files.sums import file_sha256
from ..text.sentences import check_tokenized
from ..text.tokens import bare

MEAN, FIRST, LAST = PIECES = ("mean", "first", "last")
PACKAGE = "transformers==5.23.0"
WEIGHTS = {"use_safetensors": True, "dtype": torch.float32}  # how a model is read
HIDDEN = "<UNK>"  # the token in place of a masked word (core.senses.influence): the model's mask, or its unknown word
NO_LIMIT = 100_000  # tokenizers without a limit report a larger number
USUAL_WINDOW = 512  # pieces, if neither the tokenizer nor the model states a limit


@dataclass(frozen=True, slots=True)
class _Window:
    """A stretch of a sentence's pieces that is read at once, and the pieces that are taken from it."""

    sentence: int
    start: int
    ids: tuple[int, ...]
    taken: slice  # of the sentence's pieces


def weights_of(folder: Path) -> list[Path]:
    """Return the safetensors of a transformer's folder. Raises MissingArtifact if it has none; pickles are not opened."""
    if result := sorted(folder.glob("*.safetensors")):
        _check_parts(folder, {path.name for path in result})
        return result
    if (folder / "encoder.pkl").is_file():
        raise MissingArtifact(t("{folder} is a model of ELMoForManyLangs. Choose one with options.json and weights.hdf5.", folder=folder))
    raise MissingArtifact(t("{folder} needs *.safetensors: pickled weights are not opened.", folder=folder))


def _check_parts(folder: Path, names: set[str]) -> None:
    """Raise CorruptArtifact if the list of a model's parts names a file outside its safetensors, which could be outside the folder."""
    path = folder / "model.safetensors.index.json"
    if not path.is_file():
        return
    parts = read_json(path, expect=dict).get("weight_map")
    for name in parts.values() if isinstance(parts, dict) else [parts]:
        if not isinstance(name, str) or name not in names:
            values = {"path": path, "name": shorten(name)}
            raise CorruptArtifact(t("{path} names {name!r}, a missing *.safetensors file. Download the model again.", **values))


def fingerprint(folder: Path, pieces: str = MEAN) -> str:
    """Return 16 hex digits of the configuration, the tokenizer, the weights, and the pooling of pieces unless it is the mean."""
    files = [folder / name for name in ("config.json", "tokenizer.json", "vocab.txt", "merges.txt")]
    digest = hashlib.sha256("".join(file_sha256(path) for path in [*files, *weights_of(folder)] if path.is_file()).encode())
    return digest.hexdigest()[:16] + ("" if pieces == MEAN else f"-{pieces}")


class TransformerEncoder:
    """A transformer in evaluation mode, float32. Threads may share it.

    Raises EngineUnavailable if `transformers` is not installed, BadInput or MissingArtifact if the folder is not a model that it reads.
    """

    def __init__(
        self, folder: Path, *, name: str = "transformer", pieces: str = MEAN, batch_tokens: int = 4096, device: torch.device | None = None
    ) -> None:
        check_choice(t("pooling of pieces"), pieces, PIECES)
        weights_of(folder)
        self.name, self.pieces, self.batch_tokens = name, pieces, batch_tokens
        self.tokenizer, self.model = _open(folder)
        self.device = device or PROCESSOR
        self.model.to(self.device)
        self.n_layers, self.dim = _shape(self.model)
        self._before, self._after = _marks(self.tokenizer)
        self.window = _window(self.tokenizer, self.model.config) - len(self._before) - len(self._after)
        unknown = (self.tokenizer.unk_token_id, self.tokenizer.pad_token_id, self.tokenizer.eos_token_id, 0)
        self._unknown = next(item for item in unknown if item is not None)
        self._hidden = self._unknown if self.tokenizer.mask_token_id is None else self.tokenizer.mask_token_id

    def encode(self, sentences: list[list[str]], *, report: Callable[[int, int], None] | None = None) -> list[np.ndarray]:
        """Return one float32 array (L, T, D) per sentence, in order; (L, 0, D) for an empty one. Calls `report(tokens done, total)`."""
        check_tokenized(sentences)
        cut = [self._cut(sentence) for sentence in sentences]
        results = [np.empty((self.n_layers, len(ids), self.dim), np.float32) for ids, _ in cut]
        windows = [window for number, (ids, _) in enumerate(cut) for window in self._windows(number, ids)]
        total = sum(map(len, sentences))
        done = 0.0
        for batch in self._batches(windows):
            for item, layers in zip(batch, self._read(batch), strict=True):
                results[item.sentence][:, item.taken] = layers[:, item.taken.start - item.start : item.taken.stop - item.start]
                ids = len(cut[item.sentence][0])
                done += len(sentences[item.sentence]) * (item.taken.stop - item.taken.start) / ids
            if report:
                report(round(done), total)
        return [self._words(layers, starts) for layers, (_, starts) in zip(results, cut, strict=True)]

    def around(self, sentences: list[list[str]], positions: list[int], read: Sequence[np.ndarray] = ()) -> np.ndarray:
        """Return the top layer (n, D) at one token of each sentence, masked or unknown; so `read`, in which it was read, is ignored."""
        hidden = [[*tokens[:place], HIDDEN, *tokens[place + 1 :]] for tokens, place in zip(sentences, positions, strict=True)]
        return np.stack([layers[-1, place] for layers, place in zip(self.encode(hidden), positions, strict=True)])

    def pieces_of(self, word: str) -> list[str]:
        """Return the pieces of a word as the vocabulary writes them."""
        return self.tokenizer.convert_ids_to_tokens(self._cut([word])[0])

    def masked_ids(self, sentence: list[str], position: int) -> tuple[list[int], int]:
        """Return a sentence's pieces with special tokens, limited to those around the word that fit, and the place of its first piece."""
        ids, starts = self._cut(sentence)
        place = int(starts[position])
        first = max(0, min(place - self.window // 2, len(ids) - self.window))
        return [*self._before, *ids[first : first + self.window], *self._after], len(self._before) + place - first

    def _cut(self, sentence: list[str]) -> tuple[list[int], np.ndarray]:
        """Return the piece ids and the piece at which each word begins, (T,). A word without pieces is unknown."""
        if not sentence:
            return [], np.zeros(0, int)
        words = [bare(token) or " " for token in sentence]
        read = self.tokenizer(words, is_split_into_words=True, add_special_tokens=False, truncation=False, verbose=False)
        of_word: list[list[int]] = [[] for _ in words]
        for piece, word in zip(read["input_ids"], read.word_ids(), strict=True):
            if word is not None:
                of_word[word].append(piece)
        pairs = zip(sentence, of_word, strict=True)
        of_word = [[self._hidden] if token == HIDDEN else pieces or [self._unknown] for token, pieces in pairs]
        return [piece for pieces in of_word for piece in pieces], np.cumsum([0, *map(len, of_word[:-1])])

    def _windows(self, number: int, ids: list[int]) -> Iterator[_Window]:
        """Yield one window, or several that overlap by half; each piece is taken from the window with the largest margin around it."""
        size = self.window
        step = max(1, self.window // 2)
        starts = [*range(0, max(1, len(ids) - size), step)]
        if len(ids) > size:
            starts.append(len(ids) - size)
        cuts = [0, *((a + size + b) // 2 for a, b in pairwise(starts)), len(ids)]
        for start, (low, high) in zip(starts, pairwise(cuts), strict=True):
            if high > low:
                yield _Window(number, start, tuple(ids[start : start + size]), slice(low, high))

    def _batches(self, windows: list[_Window]) -> Iterator[list[_Window]]:
        """Group windows of similar length, each batch at most `batch_tokens` pieces after padding (or one window)."""
        group: list[_Window] = []
        for item in sorted(windows, key=lambda window: len(window.ids)):
            size = len(item.ids) + len(self._before) + len(self._after)
            if group and size * (len(group) + 1) > self.batch_tokens:
                yield group
                group = []
            group.append(item)
        if group:
            yield group

    def _read(self, batch: list[_Window]) -> Iterator[np.ndarray]:
        """Return (L, pieces, D) of each window without special tokens."""
        rows = [[*self._before, *item.ids, *self._after] for item in batch]
        longest = max(map(len, rows))
        ids = torch.zeros((len(rows), longest), dtype=torch.long)
        mask = torch.zeros_like(ids)
        for k, row in enumerate(rows):
            ids[k, : len(row)], mask[k, : len(row)] = torch.tensor(row), 1
        with torch.inference_mode():
            hidden = self.model(input_ids=ids.to(self.device), attention_mask=mask.to(self.device), output_hidden_states=True).hidden_states
            layers = torch.stack([layer.float().cpu() for layer in hidden]).numpy()  # (L, B, pieces, D)
        first = len(self._before)
        for k, item in enumerate(batch):
            yield layers[:, k, first : first + len(item.ids)]

    def _words(self, layers: np.ndarray, starts: np.ndarray) -> np.ndarray:
        """Pool pieces (L, pieces, D) into words (L, T, D)."""
        ends = np.append(starts[1:], layers.shape[1])
        if not len(starts):
            return layers[:, :0]
        if self.pieces == FIRST:
            return layers[:, starts]
        if self.pieces == LAST:
            return layers[:, ends - 1]
        return np.add.reduceat(layers, starts, axis=1) / (ends - starts)[None, :, None].astype(np.float32)


def read_folder(kind: type, folder: Path, **options):
    """Read a class of `transformers` from a folder without downloads and without running the folder's code. Raises BadInput."""
    try:
        return kind.from_pretrained(folder, local_files_only=True, trust_remote_code=False, **options)
    except Exception as error:  # of any library below: which ones depends on the model
        why = shorten(" ".join(str(error).split()).replace(str(folder), folder.name), 300)
        raise BadInput(t("Cannot open the transformer {name}: {why}", name=folder.name, why=why)) from None


def _open(folder: Path):
    """Return (tokenizer, model). No pickle is read."""
    if find_spec("transformers") is None:
        raise EngineUnavailable(t("{name} is a transformer: pip install {package}", name=folder.name, package=PACKAGE))
    import transformers

    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    tokenizer = read_folder(transformers.AutoTokenizer, folder, add_prefix_space=True)
    model = read_folder(transformers.AutoModel, folder, **WEIGHTS)
    if not tokenizer.is_fast:
        raise BadInput(t("{name} has no tokenizer.json. Choose another model.", name=folder.name))
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    return tokenizer, model.eval().requires_grad_(False)


def _shape(model) -> tuple[int, int]:
    """Return (layers with the embeddings, vector size) from the model's output, because configurations name them differently."""
    with torch.inference_mode():
        ids = torch.zeros((1, 1), dtype=torch.long, device=next(model.parameters()).device)
        hidden = model(input_ids=ids, attention_mask=torch.ones_like(ids), output_hidden_states=True).hidden_states
    if len({layer.shape[-1] for layer in hidden}) > 1:
        raise BadInput(t("These layers differ in size and cannot be mixed. Choose a layer."))
    return len(hidden), hidden[0].shape[-1]


def _marks(tokenizer) -> tuple[list[int], list[int]]:
    """Return the special tokens before and after a sentence."""
    read = tokenizer(["a"], is_split_into_words=True, add_special_tokens=True)
    inside = [k for k, word in enumerate(read.word_ids()) if word is not None]
    ids = list(read["input_ids"])
    return ids[: inside[0]], ids[inside[-1] + 1 :]


def _window(tokenizer, config) -> int:
    """Return the maximum number of pieces read at once, special tokens included."""
    positions = getattr(config, "max_position_embeddings", None) or getattr(config, "n_positions", None) or USUAL_WINDOW
    if config.model_type in ("roberta", "xlm-roberta", "camembert", "mpnet", "longformer"):  # whose first positions are padding's
        positions -= (config.pad_token_id or 0) + 1
    return min(tokenizer.model_max_length, positions) if tokenizer.model_max_length < NO_LIMIT else positions


HEAD = "ForMaskedLM"  # how the library calls models that have one
INSIDE = "##"  # before a piece that continues the one before it, in WordPiece's vocabularies
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
    probability: float | None  # of the word that is there; None if it is several pieces, or unknown
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
        vocabulary = encoder.tokenizer.get_vocab()
        self._marks_beginnings = any(sign in vocabulary for sign in NEW_WORD)

    def predict(self, tokens: list[str], position: int, *, k: int = 10) -> Masked:
        """Return the k likeliest pieces in place of one masked word of a sentence. Special tokens are excluded."""
        if position not in range(len(tokens)):
            raise BadInput(t("Type a few words, for example: Let’s stick to"))
        ids, place = self.encoder.masked_ids([*tokens[:position], HIDDEN, *tokens[position + 1 :]], position)
        with torch.inference_mode():
            inputs = torch.tensor([ids], device=self.encoder.device)
            scores = self.model(input_ids=inputs, attention_mask=torch.ones_like(inputs)).logits[0, place]
        scores = scores.float().cpu().clone()  # a tensor of inference mode cannot be written to
        tokenizer = self.encoder.tokenizer
        special_ids = [number for number in tokenizer.all_special_ids if number < len(scores)]
        scores[special_ids] = -torch.inf
        shares = scores.softmax(0)
        values, best = shares.topk(min(k, len(shares) - len(special_ids)))
        names = tokenizer.convert_ids_to_tokens(best.tolist())
        likeliest = tuple(self._likely(name, share) for name, share in zip(names, values.tolist(), strict=True))
        pieces = tokenizer.convert_tokens_to_ids(self.encoder.pieces_of(tokens[position]))
        if len(pieces) != 1 or pieces[0] in special_ids:
            return Masked(likeliest, None, None, len(pieces))
        return Masked(likeliest, float(shares[pieces[0]]), int((shares > shares[pieces[0]]).sum()) + 1, 1)

    def _likely(self, piece: str, share: float) -> Likely:
        read = self.encoder.tokenizer.convert_tokens_to_string([piece]).strip()
        if piece.startswith(INSIDE):
            return Likely(piece.removeprefix(INSIDE), share, False)
        return Likely(read or piece, share, piece.startswith(NEW_WORD) or not self._marks_beginnings)
