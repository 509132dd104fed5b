"""A biLM's files there and back, and what is said of each damaged one."""

import json
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from core.common import model_layers
from core.common.config import ASSETS, ModelShape
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.elmo.language_model import SPECIALS, Softmax
from core.elmo.model import BiLM
from core.elmo.weights import SOFTMAX, load_bilm, load_softmax, save_hdf5, save_safetensors

SHAPE = ModelShape(filters=((1, 2), (3, 3)), hidden=5, projection=4, n_highway=2)
CELL = "RNN_0/RNN/MultiRNNCell/Cell0/LSTMCell"


@pytest.fixture
def model():
    torch.manual_seed(0)
    return BiLM(SHAPE).eval()


@pytest.fixture
def folder(tmp_path, model):
    save_hdf5(model, tmp_path / "tiny")
    return tmp_path / "tiny"


def same(item: torch.nn.Module, other: torch.nn.Module) -> bool:
    a, b = item.state_dict(), other.state_dict()
    return a.keys() == b.keys() and all(torch.equal(a[name], b[name]) for name in a)


def replace_dataset(name, value):
    def change(file):
        del file[name]
        if value is not None:
            file[name] = value

    return change


def test_a_model_written_as_hdf5_and_read_again_is_the_same_model(folder, model, tmp_path):
    read = load_bilm(folder)
    assert read.shape == SHAPE and not read.training
    for name, value in model.state_dict().items():  # the forget bias goes through -1 and +1
        torch.testing.assert_close(read.state_dict()[name], value, atol=1e-6, rtol=0)
    save_hdf5(read, tmp_path / "again")
    assert same(read, load_bilm(tmp_path / "again"))


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.bfloat16, torch.float8_e4m3fn])
def test_a_model_written_as_safetensors_and_read_again_is_the_same_to_the_type(tmp_path, model, dtype):
    save_safetensors(model, tmp_path, dtype=dtype)
    read = load_bilm(tmp_path)
    assert all(value.dtype == torch.float32 for value in read.state_dict().values())
    for name, value in model.state_dict().items():
        torch.testing.assert_close(read.state_dict()[name], value.to(dtype).float(), atol=0, rtol=0)


def test_the_softmax_and_its_words_travel_with_the_safetensors_or_next_to_published_weights(tmp_path, model):
    words = [*SPECIALS, "the", "caf\u00e9", "\u2028", ","]
    softmax = Softmax(len(words), SHAPE.projection)
    save_safetensors(model, tmp_path, softmax=softmax, words=words, dtype=torch.float32)
    read, vocabulary = load_softmax(tmp_path)
    assert same(read, softmax) and vocabulary.words == tuple(words) and vocabulary.id(",") == 6 and vocabulary.id("?") == 2
    assert same(load_bilm(tmp_path), model)
    published = tmp_path / "published"
    save_hdf5(model, published)
    (published / "vocabulary.txt").write_bytes((tmp_path / "vocabulary.txt").read_bytes())
    assert load_softmax(published) is None
    state = load_file(tmp_path / "weights.safetensors")
    save_file({name: value for name, value in state.items() if name.startswith("softmax.")}, published / SOFTMAX)
    assert same(load_softmax(published)[0], softmax) and load_bilm(published).shape == SHAPE  # no second weights file


def test_a_published_folder_with_other_hdf5_files_is_read_by_the_one_named_weights(folder):
    options, weights = folder / "options.json", (folder / "weights.hdf5").rename(folder / "lm_weights.hdf5")
    (folder / "lm_embeddings_0.hdf5").write_bytes(b"")
    (folder / "elmo_2x1024_options.json").write_text("{}")
    assert load_bilm(folder).shape == SHAPE and model_layers.of_folder(folder).n == 3  # options.json is preferred
    for name in ("elmo_2x1024_options.json", "options (1).json"):
        options, weights = options.rename(folder / name), weights.rename(folder / "lm_weights.H5")
        assert load_bilm(folder).shape == SHAPE and model_layers.of_folder(folder).n == 3


def refused(folder, error, *parts):
    with pytest.raises(error) as caught:
        load_bilm(folder)
    message = str(caught.value)
    assert "\n" not in message.strip()
    for part in parts:
        assert part in message, message


def test_folder_needs_one_options_file_and_one_weights_file(folder, model, tmp_path):
    refused(tmp_path / "none", BadInput, "none is not a folder.", "options.json")
    save_hdf5(model, tmp_path / "both")
    save_safetensors(model, tmp_path / "both")
    refused(tmp_path / "both", BadInput, "both has 2 of weights file (*.hdf5 or *.safetensors): weights.hdf5, weights.safetensors.")
    for name, said in (("weights.hdf5", "weights file (*.hdf5 or *.safetensors)"), ("options.json", "options.json")):
        (folder / name).unlink()
        for replace in (Path.exists, Path.mkdir, Path.rmdir, lambda path: path.symlink_to("nowhere")):
            replace(folder / name)
            refused(folder, MissingArtifact, f"{folder} has no {said}.")


@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 0.99])
@pytest.mark.parametrize("save", [save_hdf5, save_safetensors])
def test_weights_cut_short_are_corrupt(tmp_path, model, save, share):
    save(model, tmp_path)
    (path,) = tmp_path.glob("weights.*")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    refused(tmp_path, CorruptArtifact, path.name)


def shape(name: str, *size: int):
    return replace_dataset(name, np.zeros(size, np.float32))


NOT_FINITE = np.nan, np.uint64(0x7FF4 << 48).view("f8"), np.inf, -1e39  # the second is a NaN that signals
DATASETS = [  # a change of weights.hdf5, and what the message says
    *((replace_dataset(name, None), f"lacks a weight of its options.json: {name}.") for name in ("char_embed", "CNN/b_cnn_0", f"{CELL}/B")),
    (replace_dataset("CNN_high_1", None), "The number of highway layers is 1 in "),
    (replace_dataset("RNN_0", None), f"lacks a weight of its options.json: {CELL}/W_0."),
    *((shape("char_embed", n, 16), f"char_embed has {n} rows, 261 are needed") for n in (260, 300)),
    *((shape("char_embed", 261, n), f"char_embed has shape (261, {n}), but options.json needs (261, 16)") for n in (8, 10_000)),
    (shape("CNN/W_cnn_1", 1, 3, 16, 4), "CNN/W_cnn_1 has shape (1, 3, 16, 4), but options.json needs (1, 3, 16, 3)"),
    (shape(f"{CELL}/W_0", 8, 40), f"{CELL}/W_0 has shape (8, 40), but options.json needs (8, 20)"),
    *((shape(name, *size), "") for name, size in (("char_embed", (261,)), ("char_embed", ()), ("CNN/W_cnn_1", (3,)))),
    *((shape(f"{CELL}/{name}", *size), "") for name, size in (("W_0", (20,)), ("B", (19,)), ("B", ()), ("W_P_0", (4, 5)))),
    (replace_dataset("char_embed", "not numbers"), ""),
    (replace_dataset("char_embed", np.dtype("f4")), "'char_embed' is not an array in this file"),  # a type, without values
    (lambda file: (file.pop("char_embed"), file.create_group("char_embed")), ""),
    (replace_dataset("char_embed", h5py.Empty("f4")), "'char_embed' is not an array in this file"),
    *((replace_dataset(f"{CELL}/B", np.full(20, value)), f"'{CELL}/B' has values that are not finite") for value in NOT_FINITE),
]


@pytest.mark.parametrize(("change", "said"), DATASETS)
def test_damaged_dataset_is_named(folder, change, said):
    with h5py.File(folder / "weights.hdf5", "r+") as file:
        change(file)
    refused(folder, CorruptArtifact, "weights.hdf5", said)


def options_with(entry: str, value=...) -> bytes:
    options = SHAPE.to_options()
    *outer, last = entry.split(".")
    part = options
    for name in outer:
        part = part[name]
    del part[last]
    if value is not ...:
        part[last] = value
    return json.dumps(options).encode()


WRONG_TYPES = {  # entries of options.json, and values that they cannot have
    "lstm.n_layers": (2.7, True, "2", [2], float("inf"), float("nan")),
    "lstm.use_skip_connections": ("false", "true", 0, 1, [], {}),
    "lstm.cell_clip": (True, False, [], {}, "", "3"),
}
WRONG_TYPES |= {"lstm": ([1],), "lstm.dim": (None, "many"), "lstm.projection_dim": (False,), "lstm.proj_clip": ("no",), "char_cnn": (None,)}
WRONG_TYPES |= {"char_cnn.n_highway": (0.5,), "char_cnn.embedding": (16,), "char_cnn.embedding.dim": ("16",)}
WRONG_TYPES |= {"char_cnn.max_characters_per_token": (None,), "char_cnn.filters": (3, {"12": 1})}
SIZES = "lstm.dim", "lstm.n_layers", "lstm.projection_dim", "char_cnn.embedding.dim", "char_cnn.n_highway"
WRONG_VALUES = [  # an entry, a value of its type, and what the message says
    *((key, n, f"sizes must be positive, got {key} = {n}.") for key in SIZES for n in (0, -1) if n < 0 or key != "char_cnn.n_highway"),
    *((key, n, f"invalid value: {key} = ") for key in SIZES for n in (10**9, 1e300, -(10**400))),
    *(("char_cnn.filters", value, "sizes must be positive, got char_cnn.filters = 0.") for value in ([], [[0, 3]])),
    ("lstm.cell_clip", -3, ""),
    ("lstm.cell_clip", 10**400, "invalid value: lstm.cell_clip = 1000"),
    *(("lstm.proj_clip", float("nan"), ""), ("char_cnn.activation", "tanh", "'tanh' is unsupported")),
    *(("char_cnn.filters", [[1, 2], pair], f"char_cnn.filters = {pair}.") for pair in ([1.9, 4], [1], 3, [1, 2, 3])),
    ("char_cnn.filters", [[51, 2]], "at most 50 wide"),
    ("char_cnn.embedding", {}, "options.json has no 'char_cnn.embedding.dim'"),
    *(("char_cnn.max_characters_per_token", n, f"from 3 to 1000, got {n}") for n in (2, 1001)),
]
NEEDED = "lstm", "char_cnn", *(f"lstm.{name}" for name in ("dim", "projection_dim", "n_layers")), "char_cnn.filters", "char_cnn.n_highway"
OPTIONS = [
    ('{"note": "\u00e9"}'.encode("latin-1"), CorruptArtifact, "options.json is not UTF-8 (byte 11). Save it as UTF-8 text."),
    ("\ufeff{".encode(), CorruptArtifact, "options.json is not valid JSON"),
    (b" " * ((1 << 20) + 1), CorruptArtifact, "too large"),
    *((text, CorruptArtifact, "") for text in (b"", b"{", b"nonsense", b'{"lstm": ' * 100_000, b"\x00", b'{"lstm": NaN')),
    *((text, BadInput, "") for text in (b"[]", b"3", b"null", b'"lstm"', b'{"lstm": [], "char_cnn": 1}')),
    (b"[1]", BadInput, "options.json has an invalid value: [1]."),
    (options_with("char_cnn.max_characters_per_token", 3).replace(b"[3, 3]", b"[5, 4]"), BadInput, "at most 3 wide"),
    *((options_with(name), BadInput, f"options.json has no '{name}'") for name in NEEDED),
    *(
        (options_with(key, value), BadInput, f"options.json has an invalid value: {key} = {json.dumps(value)}.")
        for key, values in WRONG_TYPES.items()
        for value in values
    ),
    *((options_with(key, value), BadInput, said) for key, value, said in WRONG_VALUES),
]


@pytest.mark.parametrize(("data", "error", "said"), OPTIONS, ids=range(len(OPTIONS)))
def test_options_that_describe_no_model_are_refused(folder, data, error, said):
    (folder / "options.json").write_bytes(data)
    refused(folder, error, "options", said)


ALLOWED = [  # an entry of options.json, a value of its type, and the field of the shape that it sets
    *(("lstm.cell_clip", value, "cell_clip", float("inf")) for value in (None, 0, 0.0)),
    *(("lstm.proj_clip", 2, "projection_clip", 2.0), ("lstm.n_layers", 2.0, "n_layers", 2)),
    ("char_cnn.filters", [[1.0, 2], [3, 3.0]], "filters", ((1, 2), (3, 3))),
    ("lstm.use_skip_connections", False, "skip_connections", False),
    *(("lstm.use_skip_connections", value, "skip_connections", False) for value in (None, ...)),
    *(("lstm.cell_clip", ..., "cell_clip", float("inf")), ("char_cnn.max_characters_per_token", ..., "max_characters", 50)),
    ("char_cnn.activation", ..., "n_highway", 2),
]


@pytest.mark.parametrize(("entry", "value", "field", "expected"), ALLOWED)
def test_options_of_the_right_type_are_read_and_missing_ones_have_allennlps_defaults(folder, entry, value, field, expected):
    (folder / "options.json").write_bytes(options_with(entry, value))
    read = getattr(load_bilm(folder).shape, field)
    assert read == expected and type(read) is type(expected)


@pytest.mark.parametrize("codec", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8"])
def test_options_are_read_in_every_encoding_that_json_may_have(folder, model, codec):
    options = folder / "options.json"
    options.write_bytes(options.read_text("utf-8").encode(codec))
    assert same(load_bilm(folder), model) and model_layers.of_folder(folder).n == 3


@pytest.mark.parametrize(
    ("entry", "value", "said"),
    [
        *(("char_cnn.n_highway", n, f"The number of highway layers is 2 in {{path}}, but {n} in options.json.") for n in (0, 3)),
        *(("lstm.n_layers", n, f"The number of LSTM layers is 2 in {{path}}, but {n} in options.json.") for n in (1, 3)),
        ("char_cnn.filters", [[1, 2]], "The number of filter widths is 2 in {path}, but 1 in options.json."),
    ],
)
@pytest.mark.parametrize("save", [save_hdf5, save_safetensors])
def test_weights_with_more_or_fewer_layers_than_the_options_are_refused_with_both_numbers(tmp_path, model, save, entry, value, said):
    save(model, tmp_path)
    (path,) = tmp_path.glob("weights.*")
    (tmp_path / "options.json").write_bytes(options_with(entry, value))
    refused(tmp_path, CorruptArtifact, said.format(path=path))


def test_weights_that_a_model_does_not_have_are_left_unread_and_those_of_another_shape_refused(tmp_path, model):
    save_hdf5(model, tmp_path / "a")
    save_safetensors(model, tmp_path / "b", dtype=torch.float32)
    path = tmp_path / "b" / "weights.safetensors"
    save_file(load_file(path) | {name: torch.ones(1) for name in ("softmax.weight", "note", "steps.2")}, path)
    with h5py.File(tmp_path / "a" / "weights.hdf5", "r+") as file:
        file["softmax/W"] = file["CNN/note"] = file["RNN_0/step"] = 1
    assert same(load_bilm(tmp_path / "b"), model) and load_bilm(tmp_path / "a").shape == SHAPE
    (tmp_path / "b" / "options.json").write_bytes(options_with("lstm.dim", 6))
    refused(tmp_path / "b", CorruptArtifact, "weights.safetensors", "(20, 4)", "(24, 4)")


@pytest.mark.parametrize("kind", [torch.int64, torch.int8, torch.bool, torch.complex64])
def test_weights_that_are_not_real_numbers_are_refused_with_their_name_and_type(tmp_path, model, kind):
    save_safetensors(model, tmp_path, softmax=Softmax(3, SHAPE.projection), words=list(SPECIALS))
    state, path = load_file(tmp_path / "weights.safetensors"), tmp_path / "weights.safetensors"
    save_file(state | {"note": torch.ones(2).to(kind)}, path)  # not a weight of the model
    assert load_bilm(tmp_path).shape == SHAPE
    said = "has {n} values of " + str(kind).removeprefix("torch.")
    save_file(state | {"characters.projection.bias": torch.ones(4).to(kind)}, path)
    refused(tmp_path, CorruptArtifact, "weights.safetensors", "'characters.projection.bias' " + said.format(n=4))
    save_file(state | {"softmax.bias": torch.ones(3).to(kind)}, path)
    with pytest.raises(CorruptArtifact, match="'softmax.bias' " + said.format(n=3)):
        load_softmax(tmp_path)


def test_a_vocabulary_that_does_not_fit_its_softmax_is_corrupt(tmp_path, model):
    save_safetensors(model, tmp_path, softmax=Softmax(4, SHAPE.projection), words=[*SPECIALS, "the"])
    state, words = load_file(tmp_path / "weights.safetensors"), (tmp_path / "vocabulary.txt").read_bytes()
    half, no_bias = ({name: value for name, value in state.items() if name != f"softmax.{part}"} for part in ("weight", "bias"))
    narrow, begin = state | {"softmax.weight": torch.zeros(4, 3)}, "\n".join(SPECIALS).encode()
    for content, tensors, said in (
        (begin, state, r"vocabulary\.txt has 3 words but weights\.safetensors has vectors for 4"),
        *((b"\xff\xfe", state, r"vocabulary\.txt"), (words + b"\n\n", state, r"vocabulary\.txt has 5 words")),
        (words, half, r"weights\.safetensors.*softmax\.weight"),
        (words, no_bias, r"weights\.safetensors has no 'softmax\.bias'\. Get the model again"),
        (words, narrow, r"'softmax\.weight' has shape \(4, 3\), but options\.json needs \(4, 4\)"),
        (b"the\n" + begin, state, r"vocabulary\.txt begins with the <S> </S>, but its first words must be <S> </S> <UNK>"),
        (begin + b"\n<UNK>", state, r"vocabulary\.txt has the word '<UNK>' twice"),
    ):
        (tmp_path / "vocabulary.txt").write_bytes(content)
        save_file(tensors, tmp_path / "weights.safetensors")
        with pytest.raises(CorruptArtifact, match=said):
            load_softmax(tmp_path)


@pytest.mark.parametrize(("ending", "first"), [(b"\n", b""), (b"\r\n", b""), (b"", b""), (b"\n", b"\xef\xbb\xbf")])
def test_a_vocabulary_may_end_with_a_line_end_and_begin_with_its_special_words_in_another_order(tmp_path, model, ending, first):
    words, stored = [SPECIALS[1], SPECIALS[0], SPECIALS[2], "the", "river"], Softmax(5, SHAPE.projection)
    save_safetensors(model, tmp_path, softmax=stored, words=words)
    (tmp_path / "vocabulary.txt").write_bytes(first + (ending or b"\n").join(map(str.encode, words)) + ending)
    softmax, vocabulary = load_softmax(tmp_path)
    assert vocabulary.words == (*SPECIALS, "the", "river") and not softmax.weight.requires_grad
    for name, value in softmax.state_dict().items():
        assert torch.allclose(value, stored.state_dict()[name][[1, 0, 2, 3, 4]], atol=1e-3), name


def test_a_model_opens_without_torch_compiler():
    """torch imports it, seconds of a cold start, to draw first weights on the device without numbers."""
    code = "import sys; from core.elmo.models import open_model; open_model('elmo-mini'); sys.exit('torch._dynamo' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ASSETS.parent, check=False).returncode == 0
