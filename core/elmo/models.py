"""Open models by name: a biLM or a transformer, a language model, AllenNLP's files. Nothing is cached here; pages cache what they open."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..common.config import FLOAT32, ModelShape, cache_folder
from ..common.device import CPU, choose
from ..common.errors import BadInput, MissingArtifact
from ..common.i18n import t
from ..common.model_layers import Layers, name_of
from ..engines.transformer import MEAN, TransformerEncoder, weights_of
from ..engines.transformer import fingerprint as fingerprint_of
from ..files import sums
from ..files.artifacts import text_fingerprint
from ..files.registry import is_transformer, model_files, resolve
from ..files.sums import file_sha256
from ..text import languages
from ..text.languages import Language
from ..text.tokens import IDS_PER_TOKEN
from .encoder import Encoder, load_spelled
from .language_model import LanguageModel
from .weights import load_bilm, load_softmax, read_options, save_hdf5

BUNDLED_MODEL = "elmo-mini"


@dataclass(frozen=True)
class Model:
    """A biLM or a transformer ready for use, with its identity.

    Both encoders have `encode`, `n_layers`, `dim`, `name` and `device`. Code for ELMo only (halves, spellings, states, language model)
    checks `is_elmo` first.
    """

    name: str
    folder: Path
    encoder: Encoder | TransformerEncoder
    fingerprint: str  # of its weights, and their precision where it is not float32

    @property
    def is_elmo(self) -> bool:
        """Return whether it is a biLM, not a transformer."""
        return isinstance(self.encoder, Encoder)

    @property
    def layers(self) -> Layers:
        """Return the number and names of the layers."""
        return Layers(self.encoder.n_layers, "" if self.is_elmo else name_of(self.folder))

    @cached_property  # read from a file, seven times per page run
    def language(self) -> Language:
        """Return the language it was trained on, which determines tokenization."""
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
    """Open a model by registry name or folder. `precision` is of a biLM (core.elmo.model), `pieces` of a transformer."""
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
    """Return the weights files of a model folder; ELMo has one."""
    return weights_of(folder) if is_transformer(folder) else [model_files(folder)[1]]


def numbers_sha256(name: str, kind: str) -> str:
    """Return the sha256 of the weights file of a model or of vectors, by name."""
    path = resolve(name, kind)
    if path.is_dir():
        path = weights_files(path)[0] if kind == "model" else path / "vectors.safetensors"
    return file_sha256(path)


def model_fingerprint(folder: Path) -> str:
    """Return the first 16 hex digits of the weights file's sha256, and a mark of unusual options that change the vectors."""
    options, weights = model_files(folder)
    shape, usual = read_options(options), ModelShape()
    names = ("cell_clip", "projection_clip", "skip_connections", "max_characters")
    unusual = [f"{name} {getattr(shape, name)}" for name in names if getattr(shape, name) != getattr(usual, name)]
    return sums.sum_of(weights)[:16] + (f"-{text_fingerprint(unusual)[:4]}" if unusual else "")


def open_language_model(model: Model) -> LanguageModel:
    """Open the model's own softmax. Raises MissingArtifact if it has none, BadInput if it is not a biLM."""
    if not model.is_elmo:
        raise BadInput(t("{model} is a transformer and predicts no next word. elmo-mini does.", model=model.name))
    result = load_softmax(model.folder)
    if result is None:
        raise MissingArtifact(t("{model} has no softmax and vocabulary, so it predicts no words. elmo-mini does.", model=model.name))
    softmax, vocabulary = result
    return LanguageModel(model.encoder, softmax.to(model.encoder.device), vocabulary)


def allennlp_files(model: Model) -> tuple[Path, Path]:
    """Return options.json and weights.hdf5 of a model, converted once from safetensors into the cache if necessary."""
    if not model.is_elmo:
        raise BadInput(t("{model} is a transformer. AllenNLP’s engine reads only ELMo. Choose another model.", model=model.name))
    options, weights = model_files(model.folder)
    if (n := read_options(options).max_characters) != IDS_PER_TOKEN:
        values = {"usual": IDS_PER_TOKEN, "model": model.name, "n": n}
        raise BadInput(t("AllenNLP reads {usual} characters of a token, {model} has {n}. Use Elmoscope’s engine.", **values))
    if weights.suffix.lower() != ".safetensors":
        return options, weights
    folder = cache_folder() / "allennlp" / model.fingerprint
    if not (folder / "weights.hdf5").is_file():
        save_hdf5(model.encoder.model, folder)
    return folder / "options.json", folder / "weights.hdf5"
