"""Scores of predictions: accuracy, F1, confusion, and calibration.

One temperature for all logits is fitted on the validation set (Guo et al. 2017, "On Calibration of Modern Neural Networks"). It changes
the confidence of a classifier and never the class.
"""

import base64
import math
from collections.abc import Sequence

import numpy as np
from scipy.special import log_softmax, softmax

from ..common.libraries import import_library

N_BINS = 10
DRAWS = 2_000  # simulated sets of perfectly calibrated answers
TEMPERATURES = 0.2, 20.0  # searched between: a small validation set without a mistake would need 0


def evaluate(probabilities: np.ndarray, truth: np.ndarray, labels: Sequence[str]) -> dict:
    """Return the scores of probabilities (N, C) against class numbers (N,), as meta.json stores them.

    "macro_f1" is the mean F1 of the classes among the examples or the answers. "per_class" has precision, recall, f1 and n by label. Rows of
    "confusion" are true classes, columns predicted ones. "bins" group answers by their highest probability, whose mean is "confidence".
    "ece", the expected calibration error, is the mean of |confidence - accuracy| over bins, weighted by n. "nll" is the mean
    -log p(true class), in nats.
    """
    metrics = import_library("sklearn.metrics")
    named = probabilities.argmax(axis=1)
    classes = np.arange(len(labels))
    of_classes = np.transpose(metrics.precision_recall_fscore_support(truth, named, labels=classes, zero_division=0)).tolist()
    per_class = {
        label: {"precision": p, "recall": r, "f1": f1, "n": int(n)} for label, (p, r, f1, n) in zip(labels, of_classes, strict=True)
    }
    bins = _bins(probabilities.max(axis=1), named == truth)
    true_p = probabilities[np.arange(len(truth)), truth]
    return {
        "accuracy": float((named == truth).mean()),
        "macro_f1": float(np.mean([of_classes[k][2] for k in np.union1d(truth, named)])),
        "per_class": per_class,
        "confusion": metrics.confusion_matrix(truth, named, labels=classes).tolist(),
        "ece": float(sum(b["n"] * abs(b["confidence"] - b["accuracy"]) for b in bins) / len(truth)),
        "bins": bins,
        "nll": float(-np.log(true_p.clip(1e-12)).mean()),
        "n": len(truth),
    }


def softmax_rows(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    """Return probabilities (N, C) float64 of logits (N, C)."""
    return softmax(np.asarray(logits, np.float64) / temperature, axis=1)


def nll(logits: np.ndarray, truth: np.ndarray, temperature: float = 1.0) -> float:
    """Return the mean -log p(true class) at a temperature, in nats."""
    log_p = log_softmax(np.asarray(logits, np.float64) / temperature, axis=1)
    return float(-log_p[np.arange(len(truth)), truth].mean())


def best_temperature(logits: np.ndarray, truth: np.ndarray) -> float:
    """Return the temperature of the lowest nll, or 1 if none is better. nll is convex in 1/T, so it has one minimum in log T."""
    from scipy.optimize import minimize_scalar

    valley = minimize_scalar(lambda log_t: nll(logits, truth, math.exp(log_t)), bounds=np.log(TEMPERATURES), method="bounded")
    result = math.exp(valley.x)
    return result if nll(logits, truth, result) < nll(logits, truth) else 1.0


def calibrated_ece(bins: Sequence[dict]) -> tuple[float, float]:
    """Return the calibration error of perfectly calibrated answers of the same number and confidence: (mean, 95% quantile) over DRAWS.

    `bins`: confidence and n of each bin of `evaluate`. With finitely many texts the error is above 0 even then.
    """
    sure = np.array([b["confidence"] for b in bins]).clip(0, 1)
    counts = np.array([b["n"] for b in bins], int)
    right = np.random.default_rng(0).binomial(counts, sure, size=(DRAWS, len(counts)))
    errors = np.abs(counts * sure - right).sum(axis=1) / counts.sum()
    return float(errors.mean()), float(np.quantile(errors, 0.95))


def pack_bits(right: np.ndarray) -> str:
    """Encode whether each test text is right, (N,) bool, as base64."""
    return base64.b64encode(np.packbits(right).tobytes()).decode("ascii")


def unpacked(bits: str, n: int) -> np.ndarray:
    """Decode (n,) bool encoded by `pack_bits`."""
    return np.unpackbits(np.frombuffer(base64.b64decode(bits), np.uint8), count=n).astype(bool)


def _bins(confidence: np.ndarray, right: np.ndarray) -> list[dict]:
    number = np.minimum((confidence * N_BINS).astype(int), N_BINS - 1)
    bins = []
    for k in np.unique(number):
        inside = number == k
        mean, share = float(confidence[inside].mean()), float(right[inside].mean())
        bins.append({"low": k / N_BINS, "high": (k + 1) / N_BINS, "confidence": mean, "accuracy": share, "n": int(inside.sum())})
    return bins
