"""Names to occurrence tables: an index folder, the shipped one, or one built into the cache."""

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
from ..text.corpora import labeled_of, open_corpus
from ..text.labeled_words import indexed, parts, sentences_of
from ..text.languages import Language
from ..text.sentences import Sentence, fingerprint
from .build import build_index
from .joined import JoinedTable
from .sense_space import substitutes_of
from .table import OccurrenceTable

FEW_WORDS = 8  # further labeled words whose sentences, some forty each, are read in a moment
Report = Callable[[int, int, float], None]  # tokens done, in all, per second


def open_table(corpus: str, model: Model, *, targets_only: bool = False, report: Report | None = None) -> OccurrenceTable:
    """The index of a corpus under a model: an index folder as it is, the bundled one, or one built into the cache.

    `targets_only` asks for the labeled tokens alone; a corpus without any is indexed whole. Of "sentences+python" these are the
    language's own and that word's, each encoded once and kept by itself (core.text.labeled_words).
    """
    if (folder := index_at(corpus)) and (folder / "occurrences.arrow").is_file():
        table = OccurrenceTable(folder)
        if table.meta.get("model") != model.fingerprint:  # two models' vectors have no angle to each other
            raise BadInput(
                t("Index {corpus} is from another model than {model}. Name its model, or rebuild it.", corpus=corpus, model=model.name)
            )
        return table
    own, added = parts(corpus)
    if targets_only and added:
        return JoinedTable(
            [
                open_table(own, model, targets_only=True, report=report),
                *(_further(item, sentences_of(corpus), model, report) for item in added),
            ]
        )
    if targets_only and (table := bundled_targets(corpus, model)):
        return table
    return _built(open_corpus(corpus, model.language), model, targets_only, report)


def index_at(corpus: str) -> Path | None:
    """The folder of an index that a path names, where paths may be named; None for anything else, names that no path can have included."""
    folder = existing(corpus, "corpus") if limits().paths else None
    return folder if folder and (folder / "meta.json").is_file() else None


def takes_long(corpus: str) -> bool:
    """Whether a corpus has more labeled sentences than are read in a moment: those of many further words, or somebody's own."""
    if language := sentences_of(corpus):
        added = parts(corpus)[1]
        return language.more_sentences in added or len(added) > FEW_WORDS
    return not index_at(corpus)


def opens_at_once(corpus: str) -> bool:
    """Whether a corpus has labeled tokens, or is a table already, so that it opens without reading every word."""
    return bool(sentences_of(corpus)) or index_at(corpus) is not None or any(sentence.targets for sentence in open_corpus(corpus))


def open_tokens(corpus: str, model: Model, *, report: Report | None = None) -> OccurrenceTable:
    """Every token of a corpus, and with it the labeled rows of the further words that it names ("sentences+python")."""
    return with_further(open_table(indexed(corpus), model, report=report), corpus, model)


def unread(corpus: str, model: Model, *, targets_only: bool = False) -> list[Sentence]:
    """What `open_table` would have to encode: the sentences that no table in the cache, or shipped, holds yet."""
    if index_at(corpus):
        return []
    own, added = parts(corpus)
    if not (targets_only and added):
        return (
            []
            if targets_only and bundled_targets(corpus, model)
            else _unless_built(open_corpus(corpus, model.language), model, targets_only)
        )
    further = [_unless_built(labeled_of(sentences_of(corpus), item), model, True) for item in added]
    return [*unread(own, model, targets_only=True), *(sentence for part in further for sentence in part)]


def token_folder(corpus: str, model: Model) -> Path:
    """Return the folder in which `open_tokens` stores the index of a corpus that is no index itself: complete once it has a meta.json."""
    return _folder(open_corpus(indexed(corpus), model.language), model, False)


def open_word(word: str, model: Model) -> OccurrenceTable:
    """The labeled sentences of one word of the model's language: the bundled table where it holds the word, else a table of that
    word alone, built into the cache without reading any other word's sentences."""
    table = bundled_targets(model.language.sentences, model)
    return table if table and word in table.lemmas else _further(word, model.language, model)


def with_further(table: OccurrenceTable, corpus: str, model: Model) -> OccurrenceTable:
    """The table of every token of a language's own sentences with the labeled rows of the further words that the corpus names."""
    added = () if indexed(corpus) == corpus else parts(corpus)[1]
    return JoinedTable([table, *(_further(item, sentences_of(corpus), model) for item in added)]) if added else table


def _further(added: str, owner: Language, model: Model, report: Report | None = None) -> OccurrenceTable:
    """The labeled rows of a further word of a language, or of all of them."""
    return _built(labeled_of(owner, added), model, True, report)


def _unless_built(sentences: list[Sentence], model: Model, targets_only: bool) -> list[Sentence]:
    return [] if (_folder(sentences, model, targets_only) / "meta.json").is_file() else sentences


def _folder(sentences: list[Sentence], model: Model, targets_only: bool) -> Path:
    kind = "-targets" if targets_only and any(sentence.targets for sentence in sentences) else ""
    return cache_folder() / "indexes" / f"{model.fingerprint}-{fingerprint(sentences)[:16]}{kind}"


def _built(sentences: list[Sentence], model: Model, targets_only: bool, report: Report | None) -> OccurrenceTable:
    """The table of sentences in the cache, made there if it is not yet; of every token with its substitutes, where the model has any."""
    targets_only &= any(sentence.targets for sentence in sentences)
    folder = _folder(sentences, model, targets_only)
    if (folder / "meta.json").is_file():
        return OccurrenceTable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    substitutes = None if targets_only else substitutes_of(model)
    return build_index(
        sentences, model.encoder, folder, model=model.fingerprint, targets_only=targets_only, report=report, substitutes=substitutes
    )


def bundled_targets(corpus: str, model: Model) -> OccurrenceTable | None:
    """The shipped table of the bundled sentences' labeled tokens, if it was made with this very model."""
    language = model.language
    folder = ASSETS / language.targets
    if not language.targets or corpus != language.sentences or not (folder / "meta.json").is_file():
        return None
    if read_json(folder / "meta.json", expect=dict).get("model") != model.fingerprint:
        return None
    sums.check(folder)
    return OccurrenceTable(folder)
