"""Names to models: a biLM, or a transformer, ready for use; a biLM's language model, and its files as AllenNLP reads them. Nothing here
caches in memory: a page keeps what it opens, the command line opens once."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..common.config import FLOAT32, cache_folder
from ..common.device import CPU, choose
from ..common.errors import BadInput, MissingArtifact
from ..common.i18n import t
from ..common.model_layers import Layers, name_of
from ..engines.masked import MaskedWords
from ..engines.transformer import MEAN, TransformerEncoder, is_transformer, weights_of
from ..engines.transformer import fingerprint as fingerprint_of
from ..files import sums
from ..files.artifacts import file_sha256
from ..files.registry import resolve
from ..text import languages
from ..text.languages import Language
from ..text.tokens import IDS_PER_TOKEN
from .encoder import Encoder
from .language_model import LanguageModel
from .ready_words import load_spelled
from .weights import find_files, load_bilm, load_softmax, read_options, save_hdf5

BUNDLED_MODEL = "elmo-mini"


@dataclass(frozen=True)
class Model:
    """A biLM or a transformer ready for use, with what tells it apart from any other. Both encoders give `encode`, `n_layers`, `dim`,
    `name` and `device`; what belongs to ELMo alone (its halves, spellings, states, language model) asks `is_elmo` first."""

    name: str
    folder: Path
    encoder: Encoder | TransformerEncoder
    fingerprint: str  # of its weights, and their precision where it is not float32

    @property
    def is_elmo(self) -> bool:
        return isinstance(self.encoder, Encoder)

    @property
    def layers(self) -> Layers:
        """How many it has, and what they are called."""
        return Layers(self.encoder.n_layers, "" if self.is_elmo else name_of(self.folder))

    @cached_property  # pages ask for it seven times a run, and it stands in a file
    def language(self) -> Language:
        """The language it was trained for, which says how its text is cut."""
        return languages.of_model(self.folder)


def open_model(
    name: str,
    *,
    precision: str = FLOAT32,
    pieces: str = MEAN,
    device: str = CPU,
    allow_download: bool = False,
    report: Callable | None = None,
) -> Model:
    """A registry name or a model folder -> encoder, on a device of core.common.device. `precision` is that of a biLM's LSTMs' weights
    (core.elmo.low_precision), `pieces` how a transformer's pieces become words."""
    place = choose(device)
    folder = resolve(name, "model", allow_download=allow_download, report=report)
    if is_transformer(folder):
        if precision != FLOAT32:
            raise BadInput(t("{model} is a transformer. Only ELMo runs with fewer bits. Choose another model.", model=name))
        return Model(name, folder, TransformerEncoder(folder, name=name, pieces=pieces, device=place), fingerprint_of(folder, pieces))
    encoder = Encoder(load_bilm(folder), name=name, precision=precision, device=place)
    fingerprint = model_fingerprint(folder)
    if spelled := load_spelled(folder, fingerprint):
        encoder.know(*spelled)
    return Model(name, folder, encoder, fingerprint if precision == FLOAT32 else f"{fingerprint}-{precision}")


def weights_files(folder: Path) -> list[Path]:
    """The files of a model's numbers: an ELMo has one."""
    return weights_of(folder) if is_transformer(folder) else [find_files(folder)[1]]


def numbers_sha256(name: str, kind: str) -> str:
    """Of the file of numbers of a model or of vectors, by name."""
    path = resolve(name, kind)
    if path.is_dir():
        path = weights_files(path)[0] if kind == "model" else path / "vectors.safetensors"
    return file_sha256(path)


def model_fingerprint(folder: Path) -> str:
    """First 16 hex digits of the weights file's sha256."""
    return sums.sum_of(find_files(folder)[1])[:16]


def open_language_model(model: Model) -> LanguageModel:
    """The model's own softmax on top of it; MissingArtifact where it came without one, BadInput where it is no biLM."""
    if not model.is_elmo:
        raise BadInput(t("{model} is a transformer and predicts no next word. elmo-mini does.", model=model.name))
    result = load_softmax(model.folder)
    if result is None:
        raise MissingArtifact(t("{model} has no softmax and vocabulary, so it predicts no words. elmo-mini does.", model=model.name))
    softmax, vocabulary = result
    return LanguageModel(model.encoder, softmax.to(model.encoder.device), vocabulary)


def masked_words(model: Model) -> MaskedWords:
    """A transformer with its head for masked words; MissingArtifact where it came without one."""
    return MaskedWords(model.folder, model.encoder)


def allennlp_files(model: Model) -> tuple[Path, Path]:
    """options.json and weights.hdf5 of a model: its own, or written once from our safetensors into the cache."""
    if not model.is_elmo:
        raise BadInput(t("{model} is a transformer. AllenNLP’s engine reads only ELMo. Choose another model.", model=model.name))
    options, weights = find_files(model.folder)
    if (n := read_options(options).max_characters) != IDS_PER_TOKEN:
        raise BadInput(
            t(
                "AllenNLP reads {usual} characters of a token, {model} has {n}. Use Elmoscope’s engine.",
                usual=IDS_PER_TOKEN,
                model=model.name,
                n=n,
            )
        )
    if weights.suffix == ".hdf5":
        return options, weights
    folder = cache_folder() / "allennlp" / model.fingerprint
    if not (folder / "weights.hdf5").is_file():
        save_hdf5(model.encoder.model, folder)
    return folder / "options.json", folder / "weights.hdf5"
