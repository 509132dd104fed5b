"""Files of a biLM: AllenNLP's options.json and weights.hdf5, read and written, and safetensors.

HDF5 names and layouts are those of bilm-tf: transposed kernels, gates in TensorFlow's order (input, new cell, forget,
output), the forget gate's bias without the +1 that TensorFlow adds at run time, highway gates named transform and carry.
"""

import json
import re
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch.overrides import TorchFunctionMode

from ..common.config import ModelShape
from ..common.errors import CorruptArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..files.artifacts import check_fits, lines_of
from ..files.atomic import replacing
from ..files.registry import SOFTMAX, model_files
from .language_model import SPECIALS, Softmax, Vocabulary
from .model import BiLM

MAX_OPTIONS_BYTES = 1 << 20
MAX_WORDS_BYTES = 256 << 20  # of vocabulary.txt
MOST_PER_BYTE = 8  # numbers per byte of a weights file at most, because HDF5 may be compressed


def load_bilm(folder: str | Path) -> BiLM:
    """Load the biLM of a folder with an options.json and one weights file (*.hdf5 or *.safetensors)."""
    options, weights = model_files(folder)
    shape = read_options(options)
    size = weights.stat().st_size
    if shape.n_parameters > size * MOST_PER_BYTE:  # before memory is allocated for them
        values = {"weights": weights, "size": size, "n": shape.n_parameters}
        message = t("{weights} has {size:,} bytes, too few for the {n:,} numbers in options.json. Get the model again.", **values)
        raise CorruptArtifact(message)
    with torch.device("meta"), _NoInitialization():
        model = BiLM(shape)
    if weights.suffix.lower() != ".safetensors":
        state = _read_hdf5(weights, model)
    else:
        state = {name: value for name, value in _read_safetensors(weights).items() if not name.startswith("softmax.")}
        _check_numbers(state, shape, weights)
    _fill(model, state, weights)
    return model.eval()


class _NoInitialization(TorchFunctionMode):
    """A mode in which weights are not initialized, because they are loaded next. On the device "meta" torch would import its compiler."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if getattr(function, "__module__", "") == "torch.nn.init":
            return args[0] if args else kwargs["tensor"]
        return function(*args, **kwargs)


def has_softmax(folder: Path) -> bool:
    """Return whether a folder has the files that `load_softmax` reads, by their names."""
    return (folder / "vocabulary.txt").is_file()


def load_softmax(folder: str | Path) -> tuple[Softmax, Vocabulary] | None:
    """Load the language model's output layer and vocabulary, or None if the folder has none (as AllenNLP's).

    The layer is in the weights file, or in SOFTMAX next to weights in AllenNLP's format: "softmax.weight" (V, P), "softmax.bias".
    """
    folder = Path(folder)
    words_file = folder / "vocabulary.txt"
    options, weights = model_files(folder)
    if (folder / SOFTMAX).is_file():
        weights = folder / SOFTMAX
    if weights.suffix.lower() != ".safetensors" or not words_file.is_file():
        return None
    state = {name: value for name, value in _read_safetensors(weights).items() if name.startswith("softmax.")}
    if not state:
        return None
    words = read_words(words_file)
    matrix = state.get("softmax.weight", torch.empty(0))
    if matrix.ndim != 2:
        raise CorruptArtifact(t("{weights} has no matrix 'softmax.weight'. Get the model again.", weights=weights))
    n_words = len(matrix)
    if len(words) != n_words:
        values = {"file": words_file, "n": len(words), "weights": weights.name, "held": n_words}
        raise CorruptArtifact(t("{file} has {n:,} words but {weights} has vectors for {held:,}.", **values))
    first = words[: len(SPECIALS)]
    if sorted(first) != sorted(SPECIALS):
        values = {"file": words_file, "found": shorten(" ".join(first)), "needed": " ".join(SPECIALS)}
        raise CorruptArtifact(t("{file} begins with {found}, but its first words must be {needed}. Get the model again.", **values))
    if tuple(first) != SPECIALS:  # other programs may write </S> first
        rows = list(map(first.index, SPECIALS))
        words[: len(SPECIALS)] = SPECIALS
        state = {name: torch.cat([value[rows], value[len(rows) :]]) for name, value in state.items()}
    vocabulary = Vocabulary(words)
    if len(vocabulary.ids) < n_words:
        repeated = next(word for k, word in enumerate(words) if vocabulary.ids[word] != k)
        raise CorruptArtifact(t("{file} has the word '{word}' twice. Get the model again.", file=words_file, word=shorten(repeated)))
    with torch.device("meta"), _NoInitialization():
        softmax = Softmax(n_words, read_options(options).projection)
    _fill(softmax, state, weights, prefix="softmax.")
    return softmax.requires_grad_(False), vocabulary


def read_words(file: Path) -> list[str]:
    """Return the words of a vocabulary.txt."""
    try:
        check_fits(file, MAX_WORDS_BYTES, error=CorruptArtifact)
        return lines_of(file.read_bytes())
    except UnicodeDecodeError as error:
        raise CorruptArtifact(t("{file} is not UTF-8 text (byte {n}). Get the model again.", file=file, n=error.start + 1)) from None


def read_options(path: Path) -> ModelShape:
    """Return the shape that an options.json describes."""
    if path.stat().st_size > MAX_OPTIONS_BYTES:
        raise CorruptArtifact(t("{path} is too large for options.json ({n:,} bytes).", path=path, n=path.stat().st_size))
    try:
        return ModelShape.from_options(json.loads(path.read_bytes()))  # UTF-8, UTF-16 or UTF-32, with a byte order mark or without
    except UnicodeDecodeError as error:
        raise CorruptArtifact(t("{path} is not UTF-8 (byte {n}). Save it as UTF-8 text.", path=path, n=error.start + 1)) from None
    except (ValueError, RecursionError) as error:
        raise CorruptArtifact(t("{path} is not valid JSON: {error}. Download the model again.", path=path, error=error)) from None


HDF5 = r"options\.json|weights\.hdf5|meta\.json"  # what `convert` writes, as core.files.atomic names it


def save_hdf5(model: BiLM, folder: Path) -> None:
    """Write options.json and weights.hdf5 (float32) in the format of AllenNLP 2.10.1."""
    import h5py

    _write_options(model, folder)
    state = {name: value.to("cpu", torch.float32) for name, value in model.state_dict().items()}
    with h5py.File("weights.hdf5", "w", driver="core", backing_store=False) as file:  # in memory: HDF5 may crash on a full disk
        for name, value in _to_tensorflow(state, model.shape):
            file.create_dataset(name, data=value.contiguous().numpy())
        file.flush()
        with replacing(folder / "weights.hdf5") as temporary:
            temporary.write_bytes(file.id.get_file_image())


def save_safetensors(
    model: BiLM, folder: Path, *, softmax: Softmax | None = None, words: list[str] | None = None, dtype: torch.dtype = torch.float16
) -> None:
    """Write options.json, weights.safetensors and, with a softmax, its weights and vocabulary.txt."""
    _write_options(model, folder)
    state = dict(model.state_dict())
    if softmax is not None:
        state |= {f"softmax.{name}": value for name, value in softmax.state_dict().items()}
        (folder / "vocabulary.txt").write_text("\n".join(words or []), encoding="utf-8", newline="\n")
    with replacing(folder / "weights.safetensors") as temporary:
        tensors = {name: value.to("cpu", dtype).contiguous() for name, value in state.items()}
        temporary.write_bytes(save(tensors, {"format": "elmoscope-1"}))


def _write_options(model: BiLM, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "options.json").write_text(json.dumps(model.shape.to_options(), indent=1), encoding="utf-8", newline="\n")


def _read_safetensors(path: Path) -> dict[str, torch.Tensor]:
    try:
        with safe_open(path, framework="pt") as file:
            return {name: file.get_tensor(name) for name in sorted(file.keys())}
    except (SafetensorError, OSError, ValueError) as error:
        raise CorruptArtifact(t("{path} is not valid safetensors: {error}. Get it again.", path=path, error=error)) from None


def _check_numbers(names: Iterable[str], shape: ModelShape, path: Path) -> None:
    """Raise CorruptArtifact if the weights have another number of layers or filter widths than options.json."""
    parts = (
        (t("filter widths"), len(shape.filters), r"(?:CNN/[Wb]_cnn_|characters\.convolutions\.)(\d+)(?:\..*)?"),
        (t("highway layers"), shape.n_highway, r"(?:CNN_high_|characters\.highways\.)(\d+)(?:\..*)?"),
        (t("LSTM layers"), shape.n_layers, r"(?:RNN_[01]/RNN/MultiRNNCell/Cell|(?:forward|backward)_layers\.)(\d+)(?:\..*)?"),
    )
    names = list(names)
    for part, n, pattern in parts:
        if (held := len({match[1] for name in names if (match := re.fullmatch(pattern, name))})) != n:
            values = {"part": part, "held": held, "path": path, "n": n}
            message = t("The number of {part} is {held} in {path}, but {n} in options.json. Use the options.json of this model.", **values)
            raise CorruptArtifact(message)


def _fill(module: torch.nn.Module, state: dict[str, torch.Tensor], path: Path, *, prefix: str = "") -> None:
    """Set the weights of a module from tensors whose names begin with `prefix`. Raises CorruptArtifact for a wrong tensor."""
    wanted = {f"{prefix}{name}": value for name, value in module.state_dict().items()}
    for name, value in wanted.items():
        if name not in state:
            raise CorruptArtifact(t("{path} has no '{name}'. Get the model again.", path=path, name=name))
        if not state[name].is_floating_point():
            kind = str(state[name].dtype).removeprefix("torch.")
            reason = t("'{name}' has {n:,} values of {kind}", name=name, n=state[name].numel(), kind=kind)
            raise CorruptArtifact(t("{path} is not valid safetensors: {error}. Get it again.", path=path, error=reason))
        if state[name].shape != value.shape:
            shapes = {"found": tuple(state[name].shape), "needed": tuple(value.shape)}
            raise CorruptArtifact(t("{path}: '{name}' has shape {found}, but options.json needs {needed}.", path=path, name=name, **shapes))
        state[name] = state[name].float()
        if value.numel() and not torch.isfinite(torch.stack(torch.aminmax(state[name]))).all():  # both are NaN if any value is
            raise CorruptArtifact(t("{path}: '{name}' has values that are not finite. Get it again.", path=path, name=name))
    module.load_state_dict({name.removeprefix(prefix): state[name].contiguous() for name in wanted}, assign=True)


def _read_hdf5(path: Path, model: BiLM) -> dict[str, torch.Tensor]:
    import h5py

    try:
        with h5py.File(path, "r") as file:
            return dict(_from_tensorflow(file, model, path))
    except KeyError as error:
        raise CorruptArtifact(t("{path} lacks a weight of its options.json: {name}.", path=path, name=error.args[0])) from None
    except (OSError, ValueError, TypeError, IndexError, RuntimeError) as error:  # what h5py and odd shapes raise
        message = t("{path} is not a readable ELMo HDF5 file: {error}. Download the model again.", path=path, error=error)
        raise CorruptArtifact(message) from None


def _from_tensorflow(file, model: BiLM, path: Path):
    """Yield (our name, tensor) for every weight in an open HDF5 file of a model with the shapes of `model`."""
    import h5py

    shape = model.shape
    blank = {name: torch.zeros(()).expand(value.shape) for name, value in model.state_dict().items()}  # "meta" would import the compiler
    needed = {name: tuple(value.shape) for name, value in _to_tensorflow(blank, shape)}

    def read(name: str) -> torch.Tensor:
        try:
            dataset = file[name]
        except KeyError:
            raise KeyError(name) from None  # h5py's message has only the last part of the name
        is_array = isinstance(dataset, h5py.Dataset) and dataset.shape is not None
        if not is_array or dataset.file.filename != file.filename or dataset.external or dataset.is_virtual:
            raise ValueError(t("'{name}' is not an array in this file", name=name))  # a file may point to any other on this machine
        if dataset.dtype.kind != "f":
            raise ValueError(t("'{name}' has {n:,} values of {kind}", name=name, n=dataset.size, kind=dataset.dtype))
        if dataset.shape != needed[name]:
            if name == "char_embed" and dataset.shape[1:] == needed[name][1:]:  # the same in every model, independent of options.json
                raise ValueError(t("{name} has {n} rows, {needed} are needed", name=name, n=dataset.shape[0], needed=needed[name][0]))
            values = {"name": name, "found": dataset.shape, "needed": needed[name]}
            raise ValueError(t("{name} has shape {found}, but options.json needs {needed}", **values))
        with np.errstate(over="ignore", invalid="ignore"):  # numbers beyond float32 become infinite
            values = dataset[...].astype(np.float32)
            is_finite = np.isfinite([values.min(), values.max()]).all()  # both are NaN if any value is
        if not is_finite:
            raise CorruptArtifact(t("{path}: '{name}' has values that are not finite. Get it again.", path=path, name=name))
        return torch.from_numpy(values)

    characters = read("char_embed")
    contents = {group: file.get(group) for group in ("/", "/CNN/", "/RNN_0/RNN/MultiRNNCell/", "/RNN_1/RNN/MultiRNNCell/")}
    names = [f"{group}{name}"[1:] for group, content in contents.items() if isinstance(content, h5py.Group) for name in content]
    _check_numbers(names, shape, path)
    yield "characters.embedding.weight", torch.cat([characters.new_zeros(1, characters.shape[1]), characters])
    for k in range(len(shape.filters)):
        yield f"characters.convolutions.{k}.weight", read(f"CNN/W_cnn_{k}")[0].permute(2, 1, 0)  # (n, 16, width)
        yield f"characters.convolutions.{k}.bias", read(f"CNN/b_cnn_{k}")
    for k in range(shape.n_highway):
        for part in ("transform", "carry"):
            yield f"characters.highways.{k}.{part}.weight", read(f"CNN_high_{k}/W_{part}").t()
            yield f"characters.highways.{k}.{part}.bias", read(f"CNN_high_{k}/b_{part}")
    yield "characters.projection.weight", read("CNN_proj/W_proj").t()
    yield "characters.projection.bias", read("CNN_proj/b_proj")
    for layer, cell in _cells(shape):
        i, new, f, o = read(f"{cell}/W_0").t().chunk(4)
        i_bias, new_bias, f_bias, o_bias = read(f"{cell}/B").chunk(4)
        kernel = torch.cat([i, f, o, new])
        yield f"{layer}.input_weight", kernel[:, : shape.projection]
        yield f"{layer}.state_weight", kernel[:, shape.projection :]
        yield f"{layer}.bias", torch.cat([i_bias, f_bias + 1, o_bias, new_bias])
        yield f"{layer}.projection", read(f"{cell}/W_P_0").t()


def _to_tensorflow(state: dict[str, torch.Tensor], shape: ModelShape):
    """Yield (HDF5 name, tensor) for every weight of a biLM, the inverse of `_from_tensorflow`."""
    yield "char_embed", state["characters.embedding.weight"][1:]
    for k in range(len(shape.filters)):
        yield f"CNN/W_cnn_{k}", state[f"characters.convolutions.{k}.weight"].permute(2, 1, 0)[None]
        yield f"CNN/b_cnn_{k}", state[f"characters.convolutions.{k}.bias"]
    for k in range(shape.n_highway):
        for part in ("transform", "carry"):
            yield f"CNN_high_{k}/W_{part}", state[f"characters.highways.{k}.{part}.weight"].t()
            yield f"CNN_high_{k}/b_{part}", state[f"characters.highways.{k}.{part}.bias"]
    yield "CNN_proj/W_proj", state["characters.projection.weight"].t()
    yield "CNN_proj/b_proj", state["characters.projection.bias"]
    for layer, cell in _cells(shape):
        i, f, o, new = torch.cat([state[f"{layer}.input_weight"], state[f"{layer}.state_weight"]], dim=1).chunk(4)
        i_bias, f_bias, o_bias, new_bias = state[f"{layer}.bias"].chunk(4)
        yield f"{cell}/W_0", torch.cat([i, new, f, o]).t()
        yield f"{cell}/B", torch.cat([i_bias, new_bias, f_bias - 1, o_bias])
        yield f"{cell}/W_P_0", state[f"{layer}.projection"].t()


def _cells(shape: ModelShape) -> list[tuple[str, str]]:
    """Return our name and TensorFlow's of every LSTM layer."""
    return [
        (f"{stack}.{k}", f"RNN_{direction}/RNN/MultiRNNCell/Cell{k}/LSTMCell")
        for direction, stack in enumerate(("forward_layers", "backward_layers"))
        for k in range(shape.n_layers)
    ]
