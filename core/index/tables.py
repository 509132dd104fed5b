"""Open occurrence tables by the name of a corpus: an index folder, the bundled table, or one built into the cache."""

from collections.abc import Callable
from pathlib import Path

from ..common.config import ASSETS, cache_folder
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.limits import limits
from ..elmo.models import Model
from ..files import sums
from ..files.artifacts import read_json
from ..files.registry import existing
from ..text.corpora import labeled_of, open_corpus, sentences_of
from ..text.sentences import Sentence, fingerprint
from .build import build_index
from .sense_space import keeps_substitutes, substitutes_of
from .table import OccurrenceTable

Report = Callable[[int, int, float], None]  # tokens done, in all, per second


def open_table(corpus: str, model: Model, *, targets_only: bool = False, report: Report | None = None) -> OccurrenceTable:
    """Open the index of a corpus under a model, or build it into the cache.

    With `targets_only` it has the labeled tokens alone; of a corpus without labels it has every token. Under a bundled model both tables of
    a language's sentences also have the labeled tokens of the reference corpus.
    """
    if (folder := index_at(corpus)) and (folder / "occurrences.arrow").is_file():
        table = OccurrenceTable(folder)
        if table.meta.get("model") != model.fingerprint:  # two models' vectors have no angle to each other
            raise BadInput(
                t("Index {corpus} is from another model than {model}. Name its model, or rebuild it.", corpus=corpus, model=model.name)
            )
        return table
    if targets_only and (table := bundled_targets(corpus, model)):
        return table
    return _built(open_corpus(corpus, model.language), model, targets_only, report, _labels_to_add(corpus, model))


def open_word(word: str, model: Model) -> OccurrenceTable:
    """Open a table with the labeled sentences of one word of the model's language: the bundled one, else one of that word alone."""
    table = bundled_targets(model.language.sentences, model)
    return table if table and word in table.lemmas else _built(labeled_of(model.language, word), model, True)


def bundled_targets(corpus: str, model: Model) -> OccurrenceTable | None:
    """Open the bundled table of a language's labeled words, if it was made with this very model."""
    folder = bundled_folder(model)
    if folder is None or corpus != model.language.sentences:
        return None
    sums.check(folder)
    return OccurrenceTable(folder)


def bundled_folder(model: Model) -> Path | None:
    """Return the folder of the bundled table that was made with this very model, or None."""
    folder = ASSETS / model.language.targets
    if not model.language.targets or not (folder / "meta.json").is_file():
        return None
    return folder if read_json(folder / "meta.json", expect=dict).get("model") == model.fingerprint else None


def index_at(corpus: str) -> Path | None:
    """Return the folder of an index if a path names one and paths may be named, else None."""
    folder = existing(corpus, "corpus") if limits().paths else None
    return folder if folder and (folder / "meta.json").is_file() else None


def takes_long(corpus: str) -> bool:
    """Return whether a corpus may have more labeled sentences than are encoded in a moment: it is a user's."""
    return not sentences_of(corpus) and not index_at(corpus)


def opens_at_once(corpus: str) -> bool:
    """Return whether a corpus has labeled tokens, or is a table already, so that it opens without encoding every word."""
    return bool(sentences_of(corpus)) or index_at(corpus) is not None or any(sentence.targets for sentence in open_corpus(corpus))


def unread(corpus: str, model: Model, *, targets_only: bool = False) -> list[Sentence]:
    """Return the sentences that `open_table` would have to encode."""
    if index_at(corpus) or (targets_only and _is_bundled(corpus, model)):
        return []
    sentences = open_corpus(corpus, model.language)
    return [] if (_folder(sentences, model, targets_only, _is_bundled(corpus, model)) / "meta.json").is_file() else sentences


def token_folder(corpus: str, model: Model) -> Path:
    """Return the folder of a corpus' index of every token, complete once it has a meta.json; the corpus is no index itself."""
    return _folder(open_corpus(corpus, model.language), model, False, _is_bundled(corpus, model))


def _is_bundled(corpus: str, model: Model) -> bool:
    return corpus == model.language.sentences and bundled_folder(model) is not None


def _labels_to_add(corpus: str, model: Model) -> OccurrenceTable | None:
    """Return the bundled table whose labeled tokens a table of every token of this corpus has as well, or None."""
    table = bundled_targets(corpus, model)
    return table if table and table.basic is not table and keeps_substitutes(table) else None


def _folder(sentences: list[Sentence], model: Model, targets_only: bool, adds_labels: bool = False) -> Path:
    kind = "-targets" if targets_only and any(sentence.targets for sentence in sentences) else ""
    kind = kind or ("-labeled" if adds_labels else "")
    return cache_folder() / "indexes" / f"{model.fingerprint}-{fingerprint(sentences)[:16]}{kind}"


def _built(
    sentences: list[Sentence], model: Model, targets_only: bool, report: Report | None = None, labels: OccurrenceTable | None = None
) -> OccurrenceTable:
    """Open the table of sentences in the cache, made if needed; of every token with its substitutes, where the model has any."""
    targets_only &= any(sentence.targets for sentence in sentences)
    folder = _folder(sentences, model, targets_only, labels is not None)
    if (folder / "meta.json").is_file():
        return OccurrenceTable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    substitutes = None if targets_only else substitutes_of(model)
    return build_index(
        sentences,
        model.encoder,
        folder,
        model=model.fingerprint,
        targets_only=targets_only,
        report=report,
        substitutes=substitutes,
        more=open_corpus(model.language.reference, model.language) if labels else (),
        known=labels,
    )
