"""A trained head of texts: a network or baseline, its labels and temperature, its answers, and its folder (core.learning.folders)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from scipy.special import log_softmax

from ..common.device import device_of
from ..common.errors import CorruptArtifact
from ..common.i18n import ENGLISH, t
from ..files.artifacts import text_fingerprint
from ..files.sums import file_sha256
from ..learning import folders
from ..learning.features import Layers
from ..learning.fit import of_like_lengths
from ..learning.folders import VOCABULARY, WEIGHTS, pack, round_as_stored, unpack
from ..static.vectors import StaticVectors
from .baselines import Baseline, grams
from .model import Network, NetworkConfig, TextVocabulary, Tokens, Variant, make_batch, variant_named
from .scores import softmax_rows

FILES = r"([\w+.-]+/)?(weights\.safetensors|vocabulary\.txt|meta\.json)"  # files of a head and its members, as core.files.atomic names them
FORM = folders.Form("elmoscope-head", 1, "python -m core train --help", (WEIGHTS, VOCABULARY))
ROWS_AT_ONCE = 128  # texts in a batch of answers
FREQUENT = 20_000  # most frequent words of the static vectors, used if no head has words of its own


@dataclass
class Committee:
    """Heads that are combined by the product of their calibrated probabilities.

    Its members are trained separately, on the same texts and with the same seed (for the product see Hinton 2002, section 1).
    """

    members: dict[str, TextHead]

    def logits(self, texts: Sequence[Tokens], *, vectors: StaticVectors | None, layers: Layers | None) -> np.ndarray:
        """(N, C) float32: the sum of the members' log-probabilities."""
        every = [head.logits(texts, vectors=vectors, layers=layers) / head.temperature for head in self.members.values()]
        return sum(log_softmax(logits, axis=1) for logits in every).astype(np.float32)


@dataclass
class TextHead:
    """A `classifier` that gives logits of the labels, and `meta`: task, data, config, curves, scores."""

    variant: Variant
    labels: tuple[str, ...]
    classifier: Network | Baseline | Committee
    vocabulary: TextVocabulary
    temperature: float
    meta: dict
    right: np.ndarray | None = None  # (N,) bool: which test texts it classified correctly; None for a loaded head
    run: str = ""  # the key of the run that trained it (core.learning.fit.forget); "" for a loaded head

    @property
    def language(self) -> str:
        """Return the code of the language in which its texts were tokenized, English by default."""
        return self.meta.get("language", ENGLISH)

    def logits(self, texts: Sequence[Tokens], *, vectors: StaticVectors | None, layers: Layers | None) -> np.ndarray:
        """(N, C) float32 before the temperature; texts of like length share a batch."""
        if isinstance(self.classifier, Network):
            return self._rows(self.classifier, texts, vectors, layers)
        return self.classifier.logits(texts, vectors=vectors, layers=layers)

    def pooled(self, texts: Sequence[Tokens], *, vectors: StaticVectors | None, layers: Layers | None) -> np.ndarray:
        """Return each text's vector (N, E) before the last linear layer of its network. The head must have one."""
        return self.network._rows(self.network.classifier.pooled, texts, vectors, layers)

    @property
    def network(self) -> TextHead | None:
        """Return this head, or the member of a committee, that is a network."""
        return next((head for head in _single([self]) if isinstance(head.classifier, Network)), None)

    def probabilities(self, texts: Sequence[Tokens], *, vectors: StaticVectors | None, layers: Layers | None) -> np.ndarray:
        """Return probabilities (N, C) float64, calibrated by the temperature."""
        return softmax_rows(self.logits(texts, vectors=vectors, layers=layers), self.temperature)

    def to(self, device: torch.device) -> TextHead:
        """Return the head with its networks on a device. scikit-learn's baselines stay where they are."""
        for head in _single([self]):
            if isinstance(head.classifier, Network):
                head.classifier.to(device)
        return self

    def round(self) -> None:
        """Round all weights as storing does, so that scores are those of the stored head. A committee's members are rounded already."""
        if isinstance(self.classifier, Baseline):
            for name, array in round_as_stored(self.classifier.arrays()).items():
                setattr(self.classifier, name, array)
        elif isinstance(self.classifier, Network):
            self.classifier.load_state_dict(_tensors(round_as_stored(_arrays(self.classifier))))

    def _rows(self, function, texts: Sequence[Tokens], vectors, layers) -> np.ndarray:
        """Return a network's `function` of batches, one row per text."""
        self.classifier.eval()
        inputs = {"vectors": vectors if self.variant.glove else None, "layers": layers if self.variant.elmo else None}
        device = device_of(self.classifier)
        batches = of_like_lengths(list(map(len, texts)), ROWS_AT_ONCE)
        parts = []
        with torch.inference_mode():
            for numbers in batches:
                batch = make_batch([texts[k] for k in numbers], self.vocabulary, **inputs, device=device)
                parts.append(function(batch).cpu().numpy())
        return np.concatenate(parts)[np.argsort(np.concatenate(batches))]


@dataclass(frozen=True, slots=True)
class Answer:
    """A head's answer on one text."""

    label: str
    probabilities: dict[str, float]  # calibrated, of every label, in the labels' order
    seconds: float  # time of this head alone; the layers that heads share are computed before
    shared_seconds: float = 0.0  # time of the shared layers

    @property
    def lead(self) -> float:
        """Return the margin between the likeliest label and the next; 1 if there is no other."""
        ranked = sorted(self.probabilities.values(), reverse=True)
        return ranked[0] - ranked[1] if len(ranked) > 1 else 1.0


def classify(heads: dict[str, TextHead], text: Tokens, *, vectors: StaticVectors | None, layers: Layers | None) -> dict[str, Answer]:
    """Return every head's answer on one text. All heads share the layers that `layers` caches (core.classify.model.live_layers)."""
    started = time.perf_counter()
    if any(head.variant.elmo for head in heads.values()):
        layers([text])
    shared = time.perf_counter() - started
    answers = {}
    for name, head in heads.items():
        started = time.perf_counter()
        row = head.probabilities([text], vectors=vectors, layers=layers)[0]
        seconds = time.perf_counter() - started
        by_label = dict(zip(head.labels, row.tolist(), strict=True))
        answers[name] = Answer(head.labels[int(row.argmax())], by_label, seconds, shared if head.variant.elmo else 0.0)
    return answers


def save_head(head: TextHead, folder: str | Path, *, members_beside: bool = False) -> Path:
    """Write the folder atomically, replacing an existing one. Members are within it, or next to it with `members_beside`."""
    arrays, words, members = {}, head.vocabulary.words, {}
    if isinstance(head.classifier, Committee):
        members = head.classifier.members
    elif isinstance(head.classifier, Baseline):
        arrays, words = head.classifier.arrays(), head.classifier.terms
    else:
        arrays = _arrays(head.classifier)

    def inside(place: Path) -> dict:
        for name, member in members.items() if not members_beside else ():
            save_head(member, place / name)
        lines = (word.replace("\\", "\\\\").replace("\n", "\\n").replace("\r", "\\r") for word in words)  # read by `_plain`
        (place / VOCABULARY).write_text("\n".join(lines), encoding="utf-8", newline="\n")
        parent = Path(folder).parent if members_beside else place
        weights = {name: file_sha256(parent / name / WEIGHTS) for name in members}
        return {"members": weights} if members else {}

    fields = {"variant": head.variant.name, "labels": head.labels, "temperature": head.temperature, "vocabulary": text_fingerprint(words)}
    return folders.save(folder, FORM, pack(arrays), fields, head.meta, pattern=FILES, inside=inside)


def load_head(folder: str | Path, *, model: str | None = None, vectors: str | None = None) -> TextHead:
    """Load the head of a folder. `model` and `vectors` are the fingerprints of those it will be used with."""
    folder = Path(folder)
    with folders.opened(folder, FORM) as (meta, stored):
        variant = variant_named(meta["variant"])
        labels = tuple(map(str, meta["labels"]))
        folders.check_made_with(folder, meta, model if variant.elmo else None, vectors if variant.glove else None)
        text = (folder / VOCABULARY).read_text(encoding="utf-8")
        words = tuple(map(_plain, text.split("\n"))) if text else ()
        if text_fingerprint(words) != meta["vocabulary"]:
            raise CorruptArtifact(t("{path} is not the vocabulary of this head. Train it again.", path=folder / VOCABULARY))
        if variant.members:
            classifier = Committee({name: _member(folder, name, meta, model, vectors) for name in variant.members})
            if any(member.labels != labels for member in classifier.members.values()):
                raise ValueError(t("its members have other labels"))
        else:
            classifier = _classifier(variant, meta, unpack(stored), words, len(labels))
        vocabulary = TextVocabulary(words if isinstance(classifier, Network) else ())
        return TextHead(variant, labels, classifier, vocabulary, float(meta["temperature"]), meta)


def _member(folder: Path, name: str, meta: dict, model: str | None, vectors: str | None) -> TextHead:
    """Return a committee's member, from within its folder or next to it."""
    place = folder / name if (folder / name).is_dir() else folder.parent / name
    head = load_head(place, model=model, vectors=vectors)
    if head.meta["sha256"][WEIGHTS] != meta["members"][name]:
        values = {"folder": folder, "name": name}
        raise CorruptArtifact(t("The head in {folder} was made of another {name}: {name} beside it is another. Train it again.", **values))
    return head


def _classifier(variant: Variant, meta: dict, arrays: dict, words: Sequence[str], n_classes: int) -> Network | Baseline:
    if variant.network not in ("tfidf", "mean-glove"):
        network = Network(variant, NetworkConfig(**meta["config"]["network"]), n_classes=n_classes, **meta["shape"])
        network.load_state_dict(_tensors(arrays))
        return network.eval()
    width = len(words) if variant.network == "tfidf" else meta["shape"]["static_dim"]
    idf = arrays["idf"] if variant.network == "tfidf" else None
    if arrays["coef"].shape != (n_classes, width) or (idf is not None and idf.shape != (width,)):
        values = {"shape": arrays["coef"].shape, "labels": n_classes, "features": width}
        raise ValueError(t("weights of shape {shape} do not fit {labels} labels and {features:,} features", **values))
    return Baseline(arrays["coef"], arrays["intercept"], meta["shape"].get("analyzer", ""), words if idf is not None else (), idf)


def _arrays(network: Network) -> dict[str, np.ndarray]:
    return {name: tensor.numpy(force=True) for name, tensor in network.state_dict().items()}


def _tensors(arrays: dict[str, np.ndarray]) -> dict[str, torch.Tensor]:
    return {name: torch.from_numpy(np.ascontiguousarray(array)) for name, array in arrays.items()}


def _plain(line: str) -> str:
    return line.replace("\\\\", "\0").replace("\\n", "\n").replace("\\r", "\r").replace("\0", "\\")


def letters_of(heads: Iterable[TextHead], vectors: StaticVectors | None) -> frozenset[str]:
    """Return the letters and digits of the heads' words, or of the vectors' words if heads have none. An empty set allows any letter."""
    words = [word for head in _single(heads) for word in (*head.vocabulary.words, *getattr(head.classifier, "terms", ()))]
    if not words and vectors is not None:
        words = vectors.words[:FREQUENT]
    return frozenset(sign for sign in set().union(*words) if sign.isalnum())


def read_and_unread(tokens: Tokens, letters: frozenset[str]) -> tuple[Tokens, Tokens]:
    """Return the words with a letter or digit in `letters`, and the words in other letters only. Marks and emoji are neither."""
    words = [token for token in tokens if any(map(str.isalnum, token))]
    read = [word for word in words if not letters or any(sign in letters for sign in word.lower())]
    readable = set(read)
    return tuple(read), tuple(dict.fromkeys(word for word in words if word not in readable))


def without_a_word(heads: dict[str, TextHead], tokens: Tokens, vectors: StaticVectors | None) -> list[str]:
    """Return the heads that know no word of a text; they answer as for any text of that length."""
    return [name for name, head in heads.items() if not any(_knows(item, tokens, vectors) for item in _single([head]))]


def _single(heads: Iterable[TextHead]) -> list[TextHead]:
    """Return heads with committees replaced by their members."""
    singles = []
    for head in heads:
        singles += head.classifier.members.values() if isinstance(head.classifier, Committee) else [head]
    return singles


def _knows(head: TextHead, tokens: Tokens, vectors: StaticVectors | None) -> bool:
    if head.variant.elmo:
        return True  # letter by letter
    if isinstance(head.classifier, Baseline) and head.classifier.terms:
        return not set(grams(tokens, head.classifier.analyzer)).isdisjoint(head.classifier.terms)
    in_vectors = head.variant.glove and vectors is not None and any(token in vectors for token in tokens)
    return bool(in_vectors) or any(head.vocabulary.number(token) for token in tokens)
