"""Read the model card: how a model was trained, and what was measured of it, from the files next to its weights.

`training_log.json` is written by core.training.recipe, `measures.json` by `python -m core.lab card`, `meta.json` by training and release. A
model without them (AllenNLP's, or a custom one) still has a shape and a size.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from ..common.config import ModelShape
from ..common.errors import CorruptArtifact
from ..common.i18n import ENGLISH, t
from ..common.significance import Paired, compare_pairs, read_back
from ..elmo.models import weights_files
from ..elmo.weights import read_options
from ..files import sums
from ..files.artifacts import read_json
from ..files.registry import is_transformer, model_files

INTERVAL = ", 95%"  # suffix of the column with its interval
STAGES = {"table": "embedding table", "joint": "char-CNN"}  # the LSTMs' input in each stage of the training
LESSONS_FORMAT = 1
LESSONS = "lessons.json"
READ, PLACE, SUBSTITUTES = "1", "place", "substitutes"  # spaces that the lessons measure
SHUFFLED, UNTRAINED, STATIC, CHANCE = "shuffled", "untrained", "static", "chance"
STATIC_COLUMN = "other words’ static vectors"


class MeasureTitles(NamedTuple):
    """The names of a measure: of its panel, data and baseline without context, and of its row."""

    panel: str
    data: str
    baseline: str
    row: str


MEASURES = {
    "tags": MeasureTitles(
        "Parts of speech", "CoNLL-2000, linear probe", "most frequent tag", row="Parts of speech (CoNLL-2000), linear probe"
    ),
    "senses": MeasureTitles(
        "Senses of four words",
        "Senseval-2, nearest neighbor",
        "most frequent sense",
        row="Word senses (Senseval-2: hard, interest, line, serve), nearest neighbor, macro",
    ),
    "all_words": MeasureTitles(
        "Senses of all words", "SemCor, nearest centroid", "most frequent sense", row="All-words senses (SemCor), nearest centroid"
    ),
    "sentences": MeasureTitles("Senses in our sentences", "1-NN, leaving one out", "chance", row="Our own sentences, 1-NN leaving one out"),
}
PUBLISHED = {  # for orientation: the original ELMo's, on other test sets (Peters et al. 2018, tables 5 and 6; allennlp.org)
    "perplexity": "39.7, on the 1B Word test set",
    "tags": "97.3 / 96.8 (layers 1 / 2), on the PTB",
    "all_words": "67.4 / 69.0 (layers 1 / 2) against 65.9, on the test sets of Raganato et al. 2017",
}


@dataclass(frozen=True, slots=True)
class TrainingLog:
    """A training as columns. Tokens count over all stages."""

    steps: list[dict]  # stage, tokens, loss (nats a word, sampled softmax), tokens_per_second, learning_rate
    validations: list[dict]  # stage, tokens, forward, backward: perplexity on held-out text

    def ends(self) -> dict[str, int]:
        """Return the tokens at which each stage ended, in order."""
        ends: dict[str, int] = {}
        for line in (*self.steps, *self.validations):
            ends[line["stage"]] = max(ends.get(line["stage"], 0), line["tokens"])
        return ends


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """The files of one model. What its folder lacks is None or empty."""

    shape: ModelShape | None  # a biLM's shape; None for a transformer
    megabytes: float  # size of the weights
    meta: dict
    log: TrainingLog | None
    measures: dict | None  # written by `core.lab card` for exactly these weights

    @property
    def parameters(self) -> dict[str, int]:
        """Return the trained parameters of a biLM's encoder by part, without the softmax."""
        return self.shape.parameters

    def papers(self, language: str) -> dict[str, str]:
        """Return the maker's description as {label: text}, in that language if meta.json's "card" has it, else in English."""
        card = self.meta.get("card")
        if not isinstance(card, dict):
            return {}
        texts = card.get(language, card.get(ENGLISH, card))  # a card in one language has no names of languages
        return {str(label): str(text) for label, text in texts.items()} if isinstance(texts, dict) else {}


def read_card(folder: Path, fingerprint: str) -> ModelCard:
    """Read the card in a model folder. `fingerprint` is that of the current weights (core.elmo.models.model_fingerprint)."""
    measured = _optional(folder / "measures.json", dict) or {}
    return ModelCard(
        shape=read_options(model_files(folder)[0]) if not is_transformer(folder) else None,
        megabytes=sum(path.stat().st_size for path in weights_files(folder)) / 1e6,
        meta=_optional(folder / "meta.json", dict) or {},
        log=read_log(folder / "training_log.json"),
        measures=measured.get("measures") if measured.get("fingerprint") == fingerprint else None,
    )


def read_log(path: Path) -> TrainingLog | None:
    """Read a training log; None without one, CorruptArtifact if it is malformed."""
    if (lines := _optional(path, list)) is None:
        return None
    try:
        steps = [line for line in lines if "loss" in line and line["stage"] in STAGES]
        validations = [line for line in lines if "forward" in line and line["stage"] in STAGES]
        is_log = all(isinstance(line["tokens"], int) for line in (*steps, *validations))
    except (TypeError, KeyError):
        is_log = False
    if not is_log:
        raise CorruptArtifact(t("{path} is not a training log. Copy it again.", path=path))
    return TrainingLog(steps, validations)


def accuracy_of(measure: str, scores: dict) -> float:
    """Return the main figure of a space for a measure."""
    if measure == "senses":
        return scores["nearest"]["macro"]
    return scores["one_nn"] if measure == "sentences" else scores["accuracy"]


def chance_of(measure: str, result: dict, layer: str = "0") -> float:
    """Return the accuracy without vectors: the more frequent answer, the most frequent sense or tag, or neighbors with shuffled senses."""
    if measure == "sentences":
        return result[layer]["null"]
    if measure == "pairs":
        return result["majority"]
    return result["most_frequent"]["macro"] if measure == "senses" else result["most_frequent"]["accuracy"]


@dataclass(frozen=True, slots=True)
class Panel:
    """The accuracy of each layer on one task, and what it is compared with."""

    title: str
    data: str  # name of the data set and the method
    accuracy: dict[str, float]  # by layer name, 0 to 1
    baseline: float
    baseline_name: str
    static: float | None = None  # accuracy of the other words' static vectors alone, if measured
    order: Paired | None = None  # layer 1 minus layer 2
    less_static: dict[str, Paired] = field(default_factory=dict)  # each layer minus `static`


def knowledge_panels(measures: dict) -> list[Panel]:
    """Return accuracies by layer, task by task, syntax first. Tasks that were not measured are left out."""
    panels = []
    for key, titles in MEASURES.items():
        if result := measures.get(key):
            accuracy = {layer: accuracy_of(key, result[layer]) for layer in _layers(result)}
            static = accuracy_of(key, result["static"]) if "static" in result else None
            differences = {layer: _difference(key, result[layer].get("less_static")) for layer in accuracy}
            panels.append(
                Panel(
                    title=titles.panel,
                    data=titles.data,
                    accuracy=accuracy,
                    baseline=chance_of(key, result),
                    baseline_name=titles.baseline,
                    static=static,
                    order=_difference(key, result.get("order")),
                    less_static={layer: difference for layer, difference in differences.items() if difference},
                )
            )
    return panels


def _layers(result: dict) -> list[str]:
    """Return the measured layers, lowest first."""
    return sorted((name for name in result if name.isdecimal()), key=int)


def _difference(key: str, scores: dict | None) -> Paired | None:
    """Return a paired difference of a measure; None if it was not measured."""
    record = scores.get("nearest") if scores and key == "senses" else scores
    return read_back(record) if record else None


def measure_rows(measures: dict) -> list[dict]:
    """Return the measures as a table with a row each: accuracy by layer, of the equal mix and of the best mix."""
    rows = _perplexity_rows(measures["perplexity"]) if measures.get("perplexity") else []
    for key, titles in MEASURES.items():
        if scores := measures.get(key):
            rows.append(_accuracy_row(key, titles.row, scores))
            if key == "all_words" and "with_frequency" in scores["mix"]:
                rows.append(_frequency_row(key, scores))
    if scores := measures.get("sentences"):
        gaps = {f"layer {layer}": round(scores[layer]["gap"], 4) for layer in _layers(scores)}
        title = "Cosine within a sense minus across senses (one spelling)"
        rows.append({"measure": title, **gaps, "mix": round(scores["mix"]["gap"], 4), "items": scores["spellings"]})
    return rows


def _perplexity_rows(scores: dict) -> list[dict]:
    """Return the row of the perplexities, and a second one where unknown words are charged too."""
    row = {
        "measure": "Perplexity: forward, backward",
        "result": f"{scores['forward']:.1f}, {scores['backward']:.1f}",
        "items": scores["tokens"],
        "published": PUBLISHED["perplexity"],
        "command": scores.get("command", ""),
    }
    if "charged_forward" not in scores:
        return [row]
    charged = f"{scores['charged_forward']:.1f}, {scores['charged_backward']:.1f}"
    return [row, {"measure": "The same, unknown words included: forward, backward", "result": charged}]


def _accuracy_row(key: str, title: str, scores: dict) -> dict:
    row = {"measure": title, "without context": round(chance_of(key, scores), 4)}
    if "static" in scores:
        row[STATIC_COLUMN] = round(accuracy_of(key, scores["static"]), 4)
    for layer in _layers(scores):
        row[f"layer {layer}"] = round(accuracy_of(key, scores[layer]), 4)
    best = scores["best_mix"]["nearest"] if key == "senses" else scores["best_mix"]
    return {
        **row,
        "mix": round(accuracy_of(key, scores["mix"]), 4),
        "best mix": round(accuracy_of(key, scores["best_mix"]), 4),
        **_differences(key, scores),
        "its weights": ", ".join(f"{weight:.2f}" for weight in best.get("weights", ())),
        "items": scores["n"],
        "published": PUBLISHED.get(key, ""),
        "command": scores.get("command", ""),
    }


def _frequency_row(key: str, scores: dict) -> dict:
    """Return the accuracies with the frequencies of the senses as weights. No published figure compares."""
    columns = {layer: f"layer {layer}" for layer in _layers(scores)} | {"mix": "mix", "best_mix": "best mix", "static": STATIC_COLUMN}
    accuracies = {column: round(scores[space]["with_frequency"]["accuracy"], 4) for space, column in columns.items() if space in scores}
    title = "The same, weighted by the sense's frequency"
    return {"measure": title, "without context": round(chance_of(key, scores), 4), **accuracies, "items": scores["n"]}


def _differences(key: str, result: dict) -> dict[str, float | str]:
    """Return paired differences in points with 95% intervals: each layer minus the static context, and layer 1 minus layer 2."""
    values = {f"layer {layer} minus static": _difference(key, result[layer].get("less_static")) for layer in _layers(result)[1:]}
    values["layer 1 minus layer 2"] = _difference(key, result.get("order"))
    cells: dict[str, float | str] = {}
    for name, difference in values.items():
        if difference is not None:
            cells[name] = round(100 * difference.mean, 1)
            cells[f"{name}{INTERVAL}"] = difference.cell()
    return cells


def read_lessons(folder: Path, fingerprint: str) -> dict:
    """Return {part: measurements} of a model; empty if nothing was measured with these weights."""
    if not (path := folder / LESSONS).is_file():
        return {}
    sums.check(path)
    result = read_json(path, expect=dict)
    is_current = result.get("format") == LESSONS_FORMAT and result.get("fingerprint") == fingerprint
    return result.get("parts", {}) if is_current else {}


def less(measured: Mapping, first: str, second: str) -> Paired:
    """Return the accuracy in one space minus that in another, paired by word."""
    return compare_pairs(measured["one_nn"][first], measured["one_nn"][second])


def mean_of(measured: Mapping, measure: str, name: str) -> float | None:
    """Return a space's mean over all words to three digits; None if it was not measured."""
    values = measured[measure].get(name)
    return round(sum(values) / len(values), 3) if values else None


def _optional(path: Path, expect: type):
    return read_json(path, expect=expect) if path.is_file() else None
