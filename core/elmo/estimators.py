"""ELMo's vectors as scikit-learn transformers (Buitinck et al. 2013): for Pipeline, GridSearchCV, clone; pickled without the model."""

from collections.abc import Iterable

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from core.common.device import CPU
from core.common.errors import BadInput, CorruptArtifact
from core.common.i18n import t
from core.common.markup import shorten
from core.common.model_layers import MIX
from core.elmo.encoder import encoded
from core.elmo.layer_norm import layer_normalised
from core.elmo.mix import check_weights, layer_weights, mixed
from core.elmo.models import BUNDLED_MODEL, Model, open_model
from core.text.corpora import locate

POOLINGS = {  # (T, D) -> (D,)
    "mean": lambda vectors: vectors.mean(axis=0),
    "max": lambda vectors: vectors.max(axis=0),
    "first": lambda vectors: vectors[0],
    "last": lambda vectors: vectors[-1],
}


class _FromModel(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """What both share: a model by name, opened by `fit`, and a layer of it or the mix of all."""

    def fit(self, X, y=None):
        """Open the model; nothing is learned from the texts."""
        self._rows(X)
        self._opened = open_model(self.model, device=self.device)
        self._weights()
        self.n_features_out_ = self._n_features_out = self._opened.encoder.dim
        self.fingerprint_ = self._opened.fingerprint
        return self

    def _model(self) -> Model:
        """The model that was fitted with, opened anew after a pickle; CorruptArtifact if it has other weights by now."""
        check_is_fitted(self)
        if not hasattr(self, "_opened"):
            model = open_model(self.model, device=self.device)
            if model.fingerprint != self.fingerprint_:
                raise CorruptArtifact(t("The weights of {model} have changed. Fit again.", model=self.model))
            self._opened = model
        return self._opened

    def _weights(self) -> np.ndarray:
        """(L,): of the layer, or of the mix: the given ones, else all alike."""
        n_layers = self._opened.encoder.n_layers
        if str(self.layer) == MIX and self.weights is not None:
            return check_weights(self.weights, n_layers)
        return layer_weights(str(self.layer), n_layers)

    def _tokens(self, text: str) -> list[str]:
        return self._model().language.tokenize(text)

    def _vectors(self, sentences: list[list[str]], *, normalise: bool = False, chunk: int = 256) -> Iterable[np.ndarray]:
        """(T, D) of each sentence."""
        encoder, weights = self._model().encoder, self._weights()
        for layers in encoded(encoder, sentences, chunk=chunk):
            yield mixed(layer_normalised(layers) if normalise else layers, weights)

    def __getstate__(self) -> dict:
        return {name: value for name, value in super().__getstate__().items() if name != "_opened"}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


class ElmoVectorizer(_FromModel):
    """Texts -> (n, D) float32: over a text's tokens the "mean", "max", "first" or "last" of a layer, or of the mix of all. A text without a
    token becomes zeros. `normalise` gives all layers one length before they are mixed (Peters et al. 2018, 3.2)."""

    def __init__(self, model=BUNDLED_MODEL, layer=MIX, weights=None, pooling="mean", normalise=False, device=CPU, batch_texts=256) -> None:
        self.model = model
        self.layer = layer
        self.weights = weights
        self.pooling = pooling
        self.normalise = normalise
        self.device = device
        self.batch_texts = batch_texts  # encoded at a time

    def transform(self, X) -> np.ndarray:
        """n texts -> (n, D) float32."""
        sentences = [self._tokens(text) for text in self._rows(X)]
        out = np.zeros((len(sentences), self._model().encoder.dim), np.float32)
        for row, vectors in zip(out, self._vectors(sentences, normalise=self.normalise, chunk=self.batch_texts), strict=True):
            if len(vectors):
                row[:] = POOLINGS[self.pooling](vectors)
        return out

    def _rows(self, X) -> list[str]:
        if self.pooling not in POOLINGS:
            raise BadInput(t("Unknown pooling {name!r}. Use one of: {names}.", name=shorten(self.pooling), names=", ".join(POOLINGS)))
        texts = [] if isinstance(X, str) else list(X)
        if not texts or not all(isinstance(text, str) for text in texts):
            raise BadInput(t("Give a list of at least one text."))
        return texts


class ContextVectorizer(_FromModel):
    """(text, word or position) pairs -> (n, D) float32: the word's vector in its text. A word is taken where it first stands, else where a
    form of it does; a position counts tokens from 0."""

    def __init__(self, model=BUNDLED_MODEL, layer=MIX, weights=None, device=CPU) -> None:
        self.model = model
        self.layer = layer
        self.weights = weights
        self.device = device

    def transform(self, X) -> np.ndarray:
        """n pairs -> (n, D) float32."""
        pairs = self._rows(X)
        located = [self._locate(self._tokens(text), word) for text, word in pairs]
        sentences = [tokens for tokens, _ in located]
        return np.stack([vectors[k] for vectors, (_, k) in zip(self._vectors(sentences), located, strict=True)])

    def _locate(self, tokens: list[str], word: str | int) -> tuple[list[str], int]:
        if isinstance(word, str):
            tokens, places = locate(tokens, word, self._model().language, forms=True)
        else:
            places = [int(word)] if 0 <= word < len(tokens) else []
        if not places:
            sentence = shorten(" ".join(tokens), 300)
            raise BadInput(t("{word} is not among the tokens: {tokens}", word=repr(shorten(word)), tokens=sentence))
        return tokens, places[0]

    def _rows(self, X) -> list[tuple[str, str | int]]:
        pairs = [] if isinstance(X, str) else np.asarray(X, dtype=object).tolist()
        whole = all(isinstance(pair, list) and [*map(type, pair)] in ([str, str], [str, int]) for pair in pairs)
        if not pairs or not whole:
            raise BadInput(t("Give a list of pairs: a text, and a word or position."))
        return pairs
