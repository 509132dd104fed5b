"""Open encoded corpora by name. They are made once and cached by the content of the file and its language."""

import shutil
from dataclasses import replace
from pathlib import Path

from ..common import reports
from ..common.config import cache_folder
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..files import registry
from ..files.quotas import may_store
from ..files.sums import file_sha256
from ..text import languages
from ..text.corpora import open_corpus
from ..text.labeled_words import owner_of
from ..text.languages import Language, note_unread
from ..text.sentences import stream_sentences
from .encoded import VERSION, EncodedCorpus, Report, encode, open_folder

DIGITS = 32  # of the sha256 of a file
UNPACKED = 3.6  # bytes of text in one of a packed file, about


def open_encoded(corpus: str, language: Language | None = None, *, report: Report | None = None) -> EncodedCorpus:
    """Return the encoded corpus of a registry name or a file, read as that language (else the one in use).

    A file is read once. Then its folder in the cache is mapped. Bundled labeled sentences are few, and encoded each time.
    """
    language = language or languages.in_use()
    if owner := owner_of(corpus):
        with languages.reading(owner):
            return encode(open_corpus(corpus), corpus)
    path = registry.resolve(corpus, "corpus")
    with languages.reading(language):
        folder = _folder(path, language)
        try:
            return _note_contents(_with_name(open_folder(folder), path.name), language)
        except CorruptArtifact:
            shutil.rmtree(folder, ignore_errors=True)
        except MissingArtifact:
            pass
        position = [0]
        size = path.stat().st_size * (UNPACKED if path.suffix in (".xz", ".gz") else 1)
        with reports.collecting() as collected:
            made = encode(stream_sentences(path, position), report=report, share=lambda: min(1.0, position[0] / max(size, 1)))
        made = replace(made, notes=list(collected.values()))
    if not len(made):
        raise BadInput(t("{name} has no sentence. Add text.", name=path.name))
    try:
        if is_stored := may_store(made.n_bytes):
            made.save(folder)
    except BadInput:  # the cache cannot be written, so the corpus is encoded again next time
        is_stored = False
    if not path.is_file():  # a user's text that was deleted meanwhile
        shutil.rmtree(folder, ignore_errors=True)
        is_stored = False
    if not is_stored:
        return _note_contents(_with_name(made, path.name), language)
    return _note_contents(_with_name(open_folder(folder), path.name), language)


def unread_bytes(corpus: str, language: Language) -> int:
    """Return the size of the file that `open_encoded` would have to read; 0 if it is cached, or not a file."""
    path = registry.place_of(corpus, "corpus")
    if path is None or not path.is_file() or owner_of(corpus):
        return 0
    return 0 if (_folder(path, language) / "meta.json").is_file() else path.stat().st_size


def _folder(path: Path, language: Language) -> Path:
    return cache_folder() / "encoded" / f"{file_sha256(path)[:DIGITS]}-{language.code}-{VERSION}"


def _note_contents(corpus: EncodedCorpus, language: Language) -> EncodedCorpus:
    """Repeat the notes from the reading of the file, and note the tokens that the language's models cannot read."""
    note_unread(corpus.counts, language, corpus.unnamed)
    with reports.passing_on():
        for text in corpus.notes:
            reports.add(text, text)
    return corpus


def _with_name(corpus: EncodedCorpus, unnamed: str) -> EncodedCorpus:
    """Name the document of sentences that have none. The name is not stored, because the same file may have two."""
    return replace(corpus, documents=[name or unnamed for name in corpus.documents], unnamed=unnamed)
