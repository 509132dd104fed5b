"""ELMo vectors as scikit-learn transformers (Buitinck et al. 2013) for Pipeline, GridSearchCV and clone. Pickles omit the model."""

from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from decimal import Decimal
from numbers import Integral, Number, Real
from os import PathLike
from typing import ClassVar

import numpy as np
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.validation import check_is_fitted

from ..common.device import CPU, choose
from ..common.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact
from ..common.i18n import t, tn
from ..common.markup import shorten
from ..common.model_layers import MIX
from ..text.corpora import locate
from ..text.languages import Language
from .encoder import encoded
from .mix import check_weights, layer_normalized, layer_weights, mixed
from .models import BUNDLED_MODEL, Model, open_model

POOLINGS = {  # (T, D) -> (D,)
    "mean": lambda vectors: vectors.mean(axis=0),
    "max": lambda vectors: vectors.max(axis=0),
    "first": lambda vectors: vectors[0],
    "last": lambda vectors: vectors[-1],
}
MOST_NAMED = 8  # rows in an error message


class InvalidParameter(BadInput, InvalidParameterError):
    """An error in a parameter of an estimator, as scikit-learn raises it."""


class InvalidRows(BadInput, ValueError):
    """An error in the data passed to an estimator."""


class _FromModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A transformer on a layer of a model, or on its layer mix. `fit` opens the model by its name."""

    _parameter_constraints: ClassVar[dict] = {
        "model": [str, PathLike],
        "layer": [Interval(Integral, 0, None, closed="left"), str],
        "weights": ["array-like", None],
        "device": [str],
    }

    def fit(self, X, y=None):
        """Open the model; nothing is learned from the texts."""
        self._fit_rows(X)
        return self

    def transform(self, X) -> np.ndarray:
        """Return the vectors (n, D) float32 of n rows. Raises InvalidParameter if another model was chosen after `fit`."""
        check_is_fitted(self)
        self._check_parameters()
        self._model()
        return self._vectors_of(self._rows(X))

    def fit_transform(self, X, y=None) -> np.ndarray:
        """Fit and transform. X may be an iterator, which is consumed once."""
        return self._vectors_of(self._fit_rows(X))

    def _fit_rows(self, X) -> list:
        self._check_parameters()
        rows = self._rows(X)
        model = self._open()
        self._weights(model.encoder.n_layers)
        self._opened, self._opened_as = model, (str(self.model), self.device)
        self.n_features_out_ = self._n_features_out = model.encoder.dim
        self.fingerprint_ = model.fingerprint
        return rows

    def _check_parameters(self) -> None:
        try:
            self._validate_params()
        except InvalidParameterError as error:
            raise InvalidParameter(str(error)) from None

    def _open(self) -> Model:
        name = "device"
        try:
            choose(self.device)
            name = "model"
            return open_model(str(self.model), device=self.device)
        except (BadInput, MissingArtifact) as error:
            raise self._wrong(name, error) from None

    def _wrong(self, name: str, error: ElmoscopeError) -> InvalidParameter:
        return InvalidParameter(
            t("The {name!r} parameter of {estimator} is wrong: {error}", name=name, estimator=type(self).__name__, error=error)
        )

    def _model(self) -> Model:
        """Return the fitted model. It is opened again after unpickling, and for another device or path of the same weights.

        Raises InvalidParameter if another model was chosen after `fit`, and CorruptArtifact if the weights have changed since.
        """
        chosen = str(self.model), self.device
        if not hasattr(self, "_opened") or self._opened_as != chosen:
            model = self._open()
            if model.fingerprint != self.fingerprint_:
                if self._opened_as[0] == chosen[0]:
                    raise CorruptArtifact(t("The weights of {model} have changed. Fit again.", model=self.model))
                values = {"estimator": type(self).__name__, "fitted": self._opened_as[0], "model": self.model}
                message = t("The 'model' parameter of {estimator} was changed after fit, from {fitted} to {model}. Fit again.", **values)
                raise InvalidParameter(message)
            self._opened, self._opened_as = model, chosen
        return self._opened

    def _weights(self, n_layers: int) -> np.ndarray:
        """Return the weights (L,) of the layer or of the layer mix, equal by default."""
        is_weighted = str(self.layer) == MIX and self.weights is not None
        try:
            return check_weights(self.weights, n_layers) if is_weighted else layer_weights(str(self.layer), n_layers)
        except BadInput as error:
            raise self._wrong("weights" if is_weighted else "layer", error) from None

    def _vectors(self, sentences: list[list[str]], normalize: bool = False, chunk: int = 256) -> Iterable[np.ndarray]:
        """Return the vectors (T, D) of each sentence."""
        encoder = self._model().encoder
        weights = self._weights(encoder.n_layers)
        for layers in encoded(encoder, sentences, chunk=chunk):
            yield mixed(layer_normalized(layers) if normalize else layers, weights)

    def __getstate__(self) -> dict:
        return {name: value for name, value in super().__getstate__().items() if name != "_opened"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        tags.transformer_tags.preserves_dtype = []  # text in, float32 out
        return tags


class ElmoVectorizer(_FromModel):
    """Turn texts into vectors (n, D) float32: the "mean", "max", "first" or "last" token of a layer or of the layer mix.

    A text without tokens becomes zeros. `normalize` applies layer normalization before mixing (Peters et al. 2018, 3.2). X is a list, an
    iterator, an array or a pandas Series of texts, or a table with one column.
    """

    _parameter_constraints: ClassVar[dict] = {
        **_FromModel._parameter_constraints,
        "pooling": [StrOptions(set(POOLINGS))],
        "normalize": ["boolean"],
        "batch_texts": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, model=BUNDLED_MODEL, layer=MIX, weights=None, pooling="mean", normalize=False, device=CPU, batch_texts=256) -> None:
        self.model = model
        self.layer = layer
        self.weights = weights
        self.pooling = pooling
        self.normalize = normalize
        self.device = device
        self.batch_texts = batch_texts  # encoded at a time

    def _vectors_of(self, texts: list[str]) -> np.ndarray:
        model = self._model()
        vectors_by_text = self._vectors(list(map(model.language.tokenize, texts)), bool(self.normalize), int(self.batch_texts))
        out = np.zeros((len(texts), model.encoder.dim), np.float32)
        for row, vectors in zip(out, vectors_by_text, strict=True):
            if len(vectors):
                row[:] = POOLINGS[self.pooling](vectors)
        return out

    def _rows(self, X) -> list[str]:
        texts = _list_rows(X, t("Give a list of at least one text."), width=1)
        _refuse_rows(texts, _is_missing, t("no text"), t("Fill or drop what is missing."))
        _refuse_rows(texts, lambda text: not isinstance(text, str), t("not text"), t("Convert it to text."))
        return texts


class ContextVectorizer(_FromModel):
    """Turn (text, word or position) pairs into the word's vectors (n, D) float32.

    The first occurrence of the word counts, or else of one of its forms. Positions count tokens from 0. X is a list or an iterator of
    pairs, or a table or an array with two columns.
    """

    def __init__(self, model=BUNDLED_MODEL, layer=MIX, weights=None, device=CPU) -> None:
        self.model = model
        self.layer = layer
        self.weights = weights
        self.device = device

    def _vectors_of(self, pairs: list[tuple[str, str | int]]) -> np.ndarray:
        language = self._model().language
        located = [_locate(row, text, word, language) for row, (text, word) in enumerate(pairs, 1)]
        sentences = [tokens for tokens, _ in located]
        return np.stack([vectors[k] for vectors, (_, k) in zip(self._vectors(sentences), located, strict=True)])

    def _rows(self, X) -> list[tuple[str, str | int]]:
        wanted = t("Give a list of pairs: a text, and a word or position.")
        pairs = _list_rows(X, wanted, width=2)
        fill = t("Fill or drop what is missing.")
        _refuse_rows(pairs, lambda pair: _is_missing(pair) or not _is_pair(pair), t("not a pair"), wanted)
        _refuse_rows(pairs, lambda pair: _is_missing(pair[0]), t("no text"), fill)
        _refuse_rows(pairs, lambda pair: _is_missing(pair[1]), t("no word or position"), fill)
        _refuse_rows(pairs, lambda pair: not isinstance(pair[0], str) or _as_word(pair[1]) is None, t("not a pair"), wanted)
        return [(text, _as_word(word)) for text, word in pairs]


def _locate(row: int, text: str, word: str | int, language: Language) -> tuple[list[str], int]:
    """Return the tokens of a text and the position of a word. Raises InvalidRows, with the number of the row."""
    tokens = language.tokenize(text)
    if isinstance(word, str):
        tokens, places = locate(tokens, word, language, forms=True)
    else:
        places = [word] if 0 <= word < len(tokens) else []
    if not places:
        values = {"row": row, "word": repr(shorten(word)), "tokens": shorten(" ".join(tokens), 300)}
        raise InvalidRows(t("Row {row:,}: {word} is not among the tokens: {tokens}", **values))
    return tokens, places[0]


def _list_rows(X, wanted: str, *, width: int) -> list:
    """Return the rows of X, each a value (width 1) or a pair (width 2). Raises InvalidRows for another number of columns."""
    if issparse(X):
        raise InvalidRows(t("X is a sparse matrix of numbers. {wanted}", wanted=wanted))
    if hasattr(X, "to_pandas"):  # of pyarrow and polars, whose values are not Python's or whose rows are columns
        X = X.to_pandas()
    if isinstance(X, str | bytes | Mapping | Set) or not hasattr(X, "__iter__") or getattr(X, "ndim", 1) == 0:
        raise InvalidRows(wanted)
    shape = getattr(X, "shape", ())
    columns = [str(name) for name in getattr(X, "columns", ())]
    if len(shape) == 2 and shape[1] != width:
        names = f" ({shorten(', '.join(columns), 200)})" if columns else ""
        values = {"n": shape[1], "names": names, "width": width}
        raise InvalidRows(t("X has {n} columns{names}, not {width}. Choose the columns to read.", **values))
    if len(shape) > 2 or (len(shape) == 1 and width == 2 and hasattr(X, "dtype") and not len(X)):
        raise InvalidRows(wanted)
    if columns and len(shape) == 2:
        rows = list(zip(*(X.iloc[:, k] for k in range(width)), strict=True))  # column names may repeat
    else:
        rows = list(X)
    if not rows:
        raise InvalidRows(wanted)
    return [row[0] for row in rows] if width == 1 and len(shape) == 2 else rows


def _refuse_rows(rows: Sequence, is_wrong, fault: str, remedy: str) -> None:
    """Raise InvalidRows if any row is wrong. The message names the first ones, counted from 1."""
    wrong = [k for k, row in enumerate(rows) if is_wrong(row)]
    if not wrong:
        return
    named = ", ".join(f"{k + 1:,}" for k in wrong[:MOST_NAMED]) + (" …" if len(wrong) > MOST_NAMED else "")
    values = {"named": named, "fault": fault, "all": len(rows), "remedy": remedy}
    raise InvalidRows(
        tn(
            "Row {named}: {fault} ({n:,} of {all:,} rows, counted from 1). {remedy}",
            "Rows {named}: {fault} ({n:,} of {all:,} rows, counted from 1). {remedy}",
            len(wrong),
            **values,
        )
    )


def _is_missing(value) -> bool:
    """Return whether a value is None, masked, NaN or NaT, or pandas' NA or NaT."""
    if value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # a signaling NaN cannot be compared
    return isinstance(value, Number | np.datetime64) and bool(value != value)  # isnan accepts neither dates nor huge ints


def _is_pair(value) -> bool:
    return (isinstance(value, tuple | list | np.void) or (isinstance(value, np.ndarray) and value.ndim == 1)) and len(value) == 2


def _as_word(value) -> str | int | None:
    """Return a word, or a position as int (tables with missing values hold floats); None for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, Real) and not isinstance(value, bool | np.timedelta64):
        with suppress(OverflowError):  # too large for a float, so not a position
            return int(value) if float(value).is_integer() else None
    return None
