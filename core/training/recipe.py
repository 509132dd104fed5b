"""The recipe of elmo-mini on an ordinary processor: three checkpointed stages in one folder.

1. table: the LSTMs and the softmax learn over a plain embedding table (started from static vectors if given);
2. characters: the char-CNN learns to spell the table's vectors;
3. joint: char-CNN, LSTMs and softmax learn together, with a falling rate.

The folder holds begun.json (everything that determines the training), prepared/ (core.training.data), table.pt, characters.pt, joint.pt,
log.jsonl and, at the end, model/.
"""

import json
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

import numpy as np
import torch

from ..common.config import MINI, ModelShape
from ..common.device import CPU, choose
from ..common.errors import BadInput, ElmoscopeError
from ..elmo.encoder import Encoder
from ..elmo.language_model import LanguageModel, Perplexity, Vocabulary
from ..elmo.weights import save_safetensors
from ..files import artifacts, atomic
from ..files.artifacts import provenance, read_json, replacing, write_json
from ..files.sums import file_sha256
from ..text import languages
from .data import FILES, Corpus, prepare, read_lines
from .trainer import PretrainConfig, Trainer
from .warm_start import solve_characters

BEGUN = "begun.json"
MADE = ("log.jsonl", "table.pt", "characters.pt", "joint.pt", "model")  # once a training has begun
MODEL = r"options\.json|weights\.safetensors|vocabulary\.txt|training_log\.json|meta\.json"  # of model/, as core.files.atomic has it
OWN = rf"begun\.json|log\.jsonl|(table|characters|joint)\.pt|prepared(/({FILES}))?|model(/({MODEL}))?"  # files of the folder
MOST_PASSES = 20  # over a text, before a note warns that it is too small
SAVE_EVERY_S = 240.0
VALIDATE_EVERY_S = 900.0
SCALES = (1.0, 1.02, 1.04, 1.06, 1.08, 1.1, 1.13, 1.16)  # of the logits, tried when a run ends
FITTED_TYPES = 100_000  # the char-CNN is solved for these, by their weight; rarer words follow from their spelling


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The model, data and duration of a training."""

    files: tuple[Path, ...]  # one sentence a line
    valid: Path | None = None  # held-out text for the validation perplexity
    hold_out: float = 0.0  # share of the lines held out for it where no such text is given
    language: str = "en"  # a code of core.text.languages
    processes: int = 2  # for reading the files
    shape: ModelShape = field(default_factory=lambda: MINI)
    config: PretrainConfig = field(default_factory=PretrainConfig)  # its `tokens` are both token stages' together
    table_types: int = 150_000
    table_share: float = 0.8  # of the tokens, those of stage 1
    joint_rate: float = 1.5e-4
    start: str = ""  # the fingerprint of the model or vectors it starts from, if any
    device: str = CPU  # one of core.common.device, where the token stages run; the char-CNN is solved on the processor
    valid_sentences: int = 600

    def settings(self) -> dict:
        """Return everything that determines what is learned, as begun.json stores it, without machines and processes."""
        texts = {"corpus": artifacts.list_sums(self.files), "valid": artifacts.list_sums([self.valid]) if self.valid else None}
        names = ("hold_out", "language", "start", "table_types", "table_share", "joint_rate", "valid_sentences")
        values = {**texts, **{name: getattr(self, name) for name in names}, **asdict(self.config), "shape": asdict(self.shape)}
        return json.loads(json.dumps(values))

    def stage_config(self, stage: str) -> PretrainConfig:
        """Return the training parameters of a stage."""
        tokens = max(1, int(self.config.tokens * (self.table_share if stage == "table" else 1 - self.table_share)))
        if stage == "table":
            rate = self.joint_rate / self.config.learning_rate  # where this stage ends, the joint one begins
            return replace(self.config, tokens=tokens, table_types=self.table_types, last_rate=rate)
        # Solved by least squares, the char-CNN has little left to learn: a step in twelve is enough for it.
        rate = {"learning_rate": self.joint_rate, "decay": 1.0, "character_every": 12}
        return replace(self.config, tokens=tokens, table_types=0, seed=self.config.seed + 1, **rate)


Report = Callable[[dict], None]


def run(recipe: Recipe, folder: Path, *, start: Callable[[Trainer], int] | None = None, resume: bool = False, report: Report) -> Path:
    """Run all three stages, with `resume` from the last checkpoint, and return the model folder.

    `start` initializes the first stage (core.training.warm_start) and returns how many types it covered.
    """
    _begin(recipe, folder, resume)
    options = {"language": recipe.language, "hold_out": recipe.hold_out, "processes": recipe.processes}
    prepare(list(recipe.files), folder / "prepared", lambda line: report({"stage": "prepare", "note": line}), **options)
    corpus = Corpus(folder / "prepared")
    if not recipe.valid and (folder / "prepared" / "held-out.txt").is_file():
        recipe = replace(recipe, valid=folder / "prepared" / "held-out.txt")
    log = _Log(folder / "log.jsonl", report)
    if (passes := recipe.config.tokens / len(corpus.ids)) > MOST_PASSES:
        size = f"{len(corpus.starts) - 1:,} sentences, {len(corpus.ids):,} tokens"
        reading = f"--tokens {recipe.config.tokens:,} reads it {passes:,.0f} times"
        note = f"The text is too small ({size}): {reading}. Give more text, or fewer --tokens."
        report({"stage": "prepare", "note": note})
    trainer = _table_stage(recipe, corpus, folder, start, log)
    _fit_stage(trainer, folder, log)
    trainer = _joint_stage(recipe, corpus, trainer, folder, log)
    return finish(recipe, trainer, folder, log)


def _begin(recipe: Recipe, folder: Path, resume: bool) -> None:
    """Record everything that determines the training. Raises BadInput if `folder` holds another one, or files that would be overwritten."""
    existing = next((name for name in MADE if (folder / name).exists()), None)
    if existing and not resume:
        raise BadInput(f"{folder} already holds a training ({existing}). Add --resume to continue it, or name another folder.")
    wanted = recipe.settings()
    if not existing:
        if (folder / BEGUN).exists() and not _is_unused_record(folder / BEGUN, wanted):
            raise BadInput(atomic.describe_foreign_file(folder, BEGUN))
        write_json(folder / BEGUN, wanted)
        return
    if not (folder / BEGUN).is_file():
        raise BadInput(f"{folder} holds {existing}, but no {BEGUN} with its settings. Name another folder.")
    if differences := artifacts.describe_differences(read_json(folder / BEGUN, expect=dict), wanted):
        raise BadInput(f"The training in {folder} began with other settings ({differences}). Use the same ones, or name another folder.")


def _is_unused_record(path: Path, wanted: dict) -> bool:
    """Return whether a file records the settings of a training that was stopped before it learned anything."""
    with suppress(ElmoscopeError):
        return read_json(path, expect=dict).keys() == wanted.keys()
    return False


class _Log:
    """The training log: lines of data, appended to a file and passed to the watcher."""

    def __init__(self, path: Path, report: Report) -> None:
        self.path, self.report = path, report
        if path.is_file() and not (path.read_bytes() or b"\n").endswith(b"\n"):
            with path.open("a", encoding="utf-8", newline="\n") as file:
                file.write("\n")  # the last line was cut off

    def lines(self) -> list[dict]:
        """Return the complete lines written so far."""
        lines = []
        for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
            with suppress(ValueError):
                lines.append(json.loads(line))
        return lines

    def __call__(self, **facts) -> None:
        with self.path.open("a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps({**facts, "time": round(time.time(), 1)}) + "\n")
        self.report(facts)


def _table_stage(recipe: Recipe, corpus: Corpus, folder: Path, start, log: _Log) -> Trainer:
    trainer = Trainer(corpus, recipe.shape, recipe.stage_config("table"), choose(recipe.device))
    if (folder / "table.pt").exists():
        trainer.load(folder / "table.pt")
    elif start is not None:
        log(stage="start", types=start(trainer))
    _train(recipe, trainer, folder / "table.pt", "table", log)
    return trainer


def _fit_stage(trainer: Trainer, folder: Path, log: _Log) -> None:
    """Fit the char-CNN to the table, or load it if it is fitted."""
    path = folder / "characters.pt"
    characters = trainer.model.characters.cpu()
    target = trainer.table.weight.detach().cpu()
    if path.exists():
        with artifacts.read_checkpoint(path) as state:
            characters.load_state_dict(state)
    else:
        types = trainer.corpus.types[: min(FITTED_TYPES, len(target) - 1)]
        started = time.monotonic()
        result = solve_characters(characters, types, target[: len(types)])
        log(stage="characters", **result, types=len(types), seconds=round(time.monotonic() - started))
        artifacts.write_checkpoint(path, characters.state_dict())
    characters.to(trainer.device)


def _joint_stage(recipe: Recipe, corpus: Corpus, table: Trainer, folder: Path, log: _Log) -> Trainer:
    trainer = Trainer(corpus, recipe.shape, recipe.stage_config("joint"), choose(recipe.device))
    trainer.model.load_state_dict(table.model.state_dict())
    trainer.softmax.load_state_dict(table.softmax.state_dict())
    trainer.matrix_optimizer.load_state_dict(table.matrix_optimizer.state_dict())
    trainer.optimizer.load_state_dict(table.optimizer.state_dict())
    if (folder / "joint.pt").exists():
        trainer.load(folder / "joint.pt")
    _train(recipe, trainer, folder / "joint.pt", "joint", log, tokens_before=table.tokens)
    return trainer


def _train(recipe: Recipe, trainer: Trainer, checkpoint: Path, stage: str, log: _Log, *, tokens_before: int = 0) -> None:
    saved = validated = time.monotonic()
    for progress in trainer.run():
        if progress.step % 20 == 0:
            values = asdict(progress) | {"tokens": progress.tokens + tokens_before}
            log(stage=stage, **{name: float(f"{value:.5g}") if isinstance(value, float) else value for name, value in values.items()})
        if time.monotonic() - saved > SAVE_EVERY_S:
            trainer.save(checkpoint)
            saved = time.monotonic()
        if recipe.valid and time.monotonic() - validated > VALIDATE_EVERY_S:
            _log_perplexity(recipe, trainer, stage, tokens_before, log)
            validated = time.monotonic()
    trainer.save(checkpoint)
    if recipe.valid:
        _log_perplexity(recipe, trainer, stage, tokens_before, log)


def _log_perplexity(recipe: Recipe, trainer: Trainer, stage: str, tokens_before: int, log: _Log) -> None:
    result = validation(recipe, trainer)
    log(stage=stage, tokens=trainer.tokens + tokens_before, forward=round(result.forward, 2), backward=round(result.backward, 2))


def validation(recipe: Recipe, trainer: Trainer) -> Perplexity:
    """Return the full-softmax perplexity on the first held-out sentences."""
    tokenize = languages.get_language(recipe.language).tokenize
    lines = (tokenize(line) for _, line in zip(range(recipe.valid_sentences), read_lines(recipe.valid), strict=False))
    trained = trainer.model.training
    encoder = _TableEncoder(trainer) if trainer.table else Encoder(trainer.model)
    result = LanguageModel(encoder, trainer.softmax, Vocabulary(trainer.vocabulary())).perplexity(list(lines))
    trainer.model.train(trained).requires_grad_(True)
    return result


def calibrate(recipe: Recipe, trainer: Trainer, log: _Log) -> None:
    """Scale the softmax's weights by the factor that predicts the held-out sentences best (temperature scaling, Guo et al. 2017).

    A sampled softmax rarely draws the hardest wrong words, and leaves the logits slightly flat.
    """
    result = {}
    weights = [value.clone() for value in trainer.softmax.parameters()]

    def scale_weights(scale: float) -> None:
        with torch.no_grad():
            for value, before in zip(trainer.softmax.parameters(), weights, strict=True):
                value.copy_(before * scale)

    for scale in SCALES:
        scale_weights(scale)
        result[scale] = validation(recipe, trainer).mean
        if result[scale] > min(result.values()):  # convex: past the best one
            break
    best = min(result, key=result.__getitem__)
    scale_weights(best)
    log(stage="scale", scale=best, perplexity=round(result[best], 2), unscaled=round(result[1.0], 2))


class _TableEncoder(Encoder):
    """An encoder for stage 1, which has no char-CNN yet and reads words from the table."""

    def __init__(self, trainer: Trainer) -> None:
        super().__init__(trainer.model)
        self.table = trainer.table.weight.numpy(force=True)
        self.row = {word: k for k, word in enumerate(trainer.corpus.types[: len(self.table) - 1])}

    def word_vectors(self, words: list[str]) -> np.ndarray:
        return self.table[[self.row.get(word, len(self.table) - 1) for word in words]]


def finish(recipe: Recipe, trainer: Trainer, folder: Path, log: _Log) -> Path:
    """Write the model folder: float16 weights with the softmax, the vocabulary, the log and the provenance."""
    if recipe.valid:
        calibrate(recipe, trainer, log)
    origin = provenance(corpus=[path.name for path in recipe.files], config=asdict(recipe.config), prepared=trainer.corpus.meta)
    meta = {**origin, "language": recipe.language, "license": languages.get_language(recipe.language).license}
    with replacing(folder / "model", pattern=MODEL) as model:
        save_safetensors(trainer.model, model, softmax=trainer.softmax, words=trainer.vocabulary())
        write_json(model / "training_log.json", log.lines())
        write_json(model / "meta.json", {**meta, "weights_sha256": file_sha256(model / "weights.safetensors")})
    return folder / "model"


def progress_line(event: dict) -> str:
    """Format an event of `run` as a line for a terminal."""
    left = event.get("seconds_left")
    values = {name: value for name, value in event.items() if name not in ("seconds_left", "step")}
    text = ", ".join(f"{name} {value:,}" if isinstance(value, int) else f"{name} {value}" for name, value in values.items())
    return text + (f", {left / 60:.0f} min left in this stage" if left else "")
