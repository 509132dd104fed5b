"""What the lessons take minutes to compute, kept beside the model: lessons.json, written by `python -m core evaluate lessons`."""

from collections.abc import Callable
from pathlib import Path

from core.common.errors import BadInput
from core.elmo.models import Model
from core.evaluation import before, context, control
from core.files import sums
from core.files.artifacts import provenance, read_json, write_json

FORMAT = 1
FILE = "lessons.json"
PARTS: dict[str, Callable[..., dict]] = {"context": context.measured, "before": before.measured, "control": control.measured}


def read(folder: Path, fingerprint: str) -> dict:
    """{part: what it measured} of a model; empty where nothing was measured of these very weights."""
    path = folder / FILE
    if not path.is_file():
        return {}
    sums.check(path)
    result = read_json(path, expect=dict)
    return result.get("parts", {}) if result.get("format") == FORMAT and result.get("fingerprint") == fingerprint else {}


def measure(model: Model, parts: list[str] | None = None, *, report: Callable | None = None) -> dict:
    """Measure parts of a model (all of them) and keep each as it is done; what else was kept of these weights stays."""
    if not model.language.sentences:
        raise BadInput(f"{model.name}'s language has no labelled sentences of its own, which the lessons are measured on.")
    result = read(model.folder, model.fingerprint)
    for name in parts or PARTS:
        result[name] = {**PARTS[name](model, report=report), "date": provenance()["date"]}
        facts = provenance(model=model.name, fingerprint=model.fingerprint, command="python -m core evaluate lessons", parts=result)
        write_json(model.folder / FILE, {"format": FORMAT} | facts)
        sums.renew(model.folder / FILE)
    return result
