"""Names to occurrence tables: an index folder, the shipped one, or one built into the cache."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.common.config import ASSETS, cache_folder
from core.common.errors import BadInput
from core.common.i18n import t
from core.common.limits import limits
from core.elmo.models import Model
from core.files import sums
from core.files.artifacts import read_json
from core.index.build import build_index
from core.index.table import OccurrenceTable
from core.text.corpora import open_corpus
from core.text.sentences import fingerprint

Report = Callable[[int, int, float], None]  # tokens done, in all, per second


def open_table(corpus: str, model: Model, *, targets_only: bool = False, report: Report | None = None) -> OccurrenceTable:
    """The index of a corpus under a model: an index folder as it is, the bundled one, or one built into the cache.

    `targets_only` asks for the labelled tokens alone; a corpus without any is indexed whole.
    """
    if limits().paths and (Path(corpus) / "meta.json").is_file() and (Path(corpus) / "occurrences.arrow").is_file():
        table = OccurrenceTable(corpus)
        if table.meta.get("model") != model.fingerprint:  # two models' vectors have no angle to each other
            raise BadInput(
                t(
                    "The index {corpus} was made with another model than {model}. Name its model, or build it again.",
                    corpus=corpus,
                    model=model.name,
                )
            )
        return table
    if targets_only and (table := bundled_targets(corpus, model)):
        return table
    sentences = open_corpus(corpus, model.language)
    targets_only &= any(sentence.targets for sentence in sentences)
    folder = cache_folder() / "indexes" / f"{model.fingerprint}-{fingerprint(sentences)[:16]}{'-targets' if targets_only else ''}"
    if (folder / "meta.json").is_file():
        return OccurrenceTable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    return build_index(sentences, model.encoder, folder, model=model.fingerprint, targets_only=targets_only, report=report)


def bundled_targets(corpus: str, model: Model) -> OccurrenceTable | None:
    """The shipped table of the bundled sentences' labelled tokens, if it was made with this very model."""
    language = model.language
    folder = ASSETS / language.targets
    if not language.targets or corpus != language.sentences or not (folder / "meta.json").is_file():
        return None
    if read_json(folder / "meta.json", expect=dict).get("model") != model.fingerprint:
        return None
    sums.check(folder)
    return OccurrenceTable(folder)
