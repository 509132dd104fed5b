"""The workspace every view computes from: models, vectors and tables, opened once by name.

`open_workspace(model="elmo-mini")` makes one for notebooks, commands and Python. Pages use an opener that shares what it opens with all users.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from .common.errors import BadInput, ElmoscopeError
from .common.i18n import t
from .common.memo import Kept
from .common.model_layers import Layers
from .common.reports import Report
from .corpus.encoded import EncodedCorpus, open_encoded
from .elmo.language_model import LanguageModel
from .elmo.models import BUNDLED_MODEL, Model, open_language_model, open_model
from .elmo.substitutes import Substitutes
from .index.neighbors import Products, normalized_products, products
from .index.rows import Query, query_of
from .index.sense_space import SenseSpace, make_space
from .index.table import OccurrenceTable
from .index.tables import open_table, open_word, opens_at_once, token_folder
from .static.vectors import StaticVectors, open_vectors, topics
from .text import languages
from .text.corpora import list_words
from .text.languages import Language
from .text.readings import WordInContext, dictionary_forms, read_in
from .text.target_word import find_target_words

P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The model, vectors and corpus by registry name or path; "" means the default of the model's language."""

    model: str = BUNDLED_MODEL
    vectors: str = ""
    corpus: str = ""


class Opener:
    """An opener of models, vectors and tables by name, which caches them. `report` and `note` are those of `open_workspace`."""

    def __init__(self, report: Report | None = None, note: Callable[[str], None] | None = None) -> None:
        self.memo = Kept()
        self._report, self._note = report, note

    def version(self, name: str, kind: str) -> Hashable:
        """Return a value that changes with the contents of a name. Here it is always None, so each name is opened once."""

    def once(self, maker: str, reads: Iterable[tuple[str, str]], key: Hashable, make: Callable[[], Any], *, most: int = 8) -> Any:
        """Return the result of `make` for a key and the contents of `reads` (kinds and names), made once."""
        versions = tuple((name, self.version(name, kind)) for kind, name in reads)
        return self.memo.value(maker, (versions, key), make, most=most, weighed=False)

    def model(self, name: str) -> Model:
        """Return a model."""
        return self.once("model", [("model", name)], None, lambda: open_model(name))

    def language(self, model_name: str) -> Language:
        """Return the language of a model."""
        return self.model(model_name).language

    def language_model(self, model_name: str) -> LanguageModel:
        """Return a model with its softmax. Raises MissingArtifact without a softmax, BadInput for a transformer."""
        model = self.model(model_name)
        return self.once("language model", (), model, lambda: open_language_model(model), most=3)

    def vectors(self, name: str) -> StaticVectors:
        """Return static vectors."""

        def open_with_notes() -> StaticVectors:
            vectors = open_vectors(name)
            if self._note is not None:
                for text in vectors.notes:
                    self._note(text)
            return vectors

        return self.once("vectors", [("vectors", name)], None, open_with_notes)

    def is_labeled(self, corpus: str) -> bool:
        """Return whether a corpus has labeled tokens."""
        return self.once("is labeled", [("corpus", corpus)], None, lambda: opens_at_once(corpus), most=32)

    def targets(self, corpus: str, model_name: str) -> OccurrenceTable:
        """Return the labeled tokens of a corpus, or every token of one without labels."""
        reads = ("corpus", corpus), ("model", model_name)
        return self.once("targets", reads, None, lambda: open_table(corpus, self.model(model_name), targets_only=True, report=self._report))

    def every_token(self, corpus: str, model_name: str) -> OccurrenceTable | None:
        """Return every token of a corpus, or None while a page reads it."""
        reads = ("corpus", corpus), ("model", model_name)
        return self.once("tokens", reads, None, lambda: open_table(corpus, self.model(model_name), report=self._report))

    def stored_tokens(self, corpus: str, model_name: str) -> OccurrenceTable | None:
        """Return every token of a corpus if its table is on disk already, else None. Reads no sentence."""
        reads = ("corpus", corpus), ("model", model_name)
        folder = self.once("token folder", reads, None, lambda: token_folder(corpus, self.model(model_name)))
        return self.once("stored", reads, None, lambda: OccurrenceTable(folder), most=3) if (folder / "meta.json").is_file() else None

    def encoded(self, corpus: str, language: Language) -> EncodedCorpus:
        """Return a corpus to search and count, tokenized as the language's."""
        return self.once("encoded", [("corpus", corpus)], language.code, lambda: open_encoded(corpus, language, report=self._report))

    def sentences(self, model_name: str, sentences: Iterable[tuple[str, ...]]) -> list[np.ndarray]:
        """Return the layers (L, T, D) of each sentence. New sentences are encoded in one batch, which takes two thirds of the time."""

        def encode(new: list[tuple]) -> list[np.ndarray]:
            return self.model(model_name).encoder.encode([list(tokens) for *_, tokens in new])

        version = self.version(model_name, "model")
        return self.memo.values("sentences", [(model_name, version, tokens) for tokens in sentences], encode, most=256)


@dataclass(eq=False)
class Workspace:
    """A model, vectors and tables, opened on first use. Threads may share it; its results must not be changed."""

    names: Names
    opener: Opener

    @property
    def model(self) -> Model:
        """Return the model."""
        return self.opener.model(self.names.model)

    @property
    def language(self) -> Language:
        """Return the language of the model."""
        return self.opener.language(self.names.model)

    @property
    def layers(self) -> Layers:
        """Return the names of the model's layers."""
        return self.model.layers

    @property
    def language_model(self) -> LanguageModel:
        """Return the model with its softmax. Raises MissingArtifact without a softmax, BadInput for a transformer."""
        return self.opener.language_model(self.names.model)

    @property
    def substitutes(self) -> Substitutes:
        """Return the model that predicts substitutes. Raises as `language_model`."""
        return self.once("substitutes", lambda: Substitutes(self.language_model), self.language_model)

    @property
    def corpus(self) -> str:
        """Return the name of the corpus."""
        return self.names.corpus or self.language.sentences

    @property
    def vectors(self) -> StaticVectors:
        """Return the selected static vectors. Raises MissingArtifact without any."""
        return self.opener.vectors(self.names.vectors or self.language.vectors)

    @property
    def language_vectors(self) -> StaticVectors | None:
        """Return the vectors of the model's language, which its sense space uses, or None without any."""
        with suppress(ElmoscopeError):
            return self.opener.vectors(self.language.vectors) if self.language.vectors else None
        return None

    @property
    def sense_space(self) -> SenseSpace | None:
        """Return the model's sense space, or None without a softmax or a biLM."""

        def make() -> SenseSpace | None:
            with suppress(ElmoscopeError):
                return make_space(self.model, self.substitutes, self.language_vectors)
            return None

        with languages.reading(self.language):
            return self.once("sense space", make, self.model)

    def require_sense_space(self) -> SenseSpace:
        """Return the model's sense space. Raises BadInput if it has none."""
        if (space := self.sense_space) is None:
            raise BadInput(t("{model} has no sense space: a layer is shown.", model=self.names.model))
        return space

    @property
    def labeled_sentences(self) -> OccurrenceTable | None:
        """Return the basic labeled sentences of the model's language, or None without any."""
        with suppress(ElmoscopeError):
            return self.opener.targets(self.language.sentences, self.names.model).basic
        return None

    @property
    def language_tokens(self) -> OccurrenceTable | None:
        """Return every token of the language's sentences if they are encoded already, else the labeled ones, or None."""
        names = self.language.sentences, self.names.model
        with suppress(ElmoscopeError):
            return self.opener.stored_tokens(*names) or self.opener.targets(*names)
        return None

    @property
    def language_texts(self) -> list[tuple[str, ...]]:
        """Return the tokens of each of the language's basic sentences; none for a language without them."""
        with suppress(ElmoscopeError):
            texts = self.opener.encoded(self.language.sentences, self.language)
            return [texts.tokens(k) for k in range(texts.n_sentences)]
        return []

    @property
    def is_labeled(self) -> bool:
        """Return whether the corpus has labeled tokens."""
        return self.opener.is_labeled(self.corpus)

    @property
    def targets(self) -> OccurrenceTable:
        """Return the labeled tokens of the corpus, or every token of one without labels."""
        return self.opener.targets(self.corpus, self.names.model)

    @property
    def every_token(self) -> OccurrenceTable | None:
        """Return every token of the corpus, or None while a page reads it."""
        return self.opener.every_token(self.corpus, self.names.model)

    @property
    def encoded(self) -> EncodedCorpus:
        """Return the corpus to search and count, which needs no model."""
        return self.opener.encoded(self.corpus, self.language)

    def reads(self, *kinds: str) -> list[tuple[str, str]]:
        """Return (kind, name) of the selected "model", "vectors" or "corpus"."""
        names = {"model": self.names.model, "vectors": self.names.vectors or self.language.vectors, "corpus": self.corpus}
        return [(kind, names[kind]) for kind in kinds]

    def with_corpus(self, corpus: str) -> "Workspace":
        """Return the workspace with another corpus."""
        return Workspace(replace(self.names, corpus=corpus), self.opener)

    def with_model(self, model: str) -> "Workspace":
        """Return the workspace with another model."""
        return Workspace(replace(self.names, model=model), self.opener)

    def words(self, *texts: str, positions: Sequence[int | None] = ()) -> tuple[WordInContext, ...]:
        """Return the target word of each text: the token at the given position, else the one that all texts together suggest."""
        tokens = [self.language.tokenize(text) for text in texts]
        first, second = (*tokens, [])[:2]
        tapped = (*positions, None, None)[:2]
        guesses = find_target_words(first, second, self.language, tapped=tapped)
        pairs = [(tuple(sentence), place or 0) for sentence, place in zip(tokens, guesses, strict=False) if sentence]
        return tuple(WordInContext(sentence, place, read_in(sentence, place)) for sentence, place in pairs)

    def layers_of(self, sentences: Iterable[tuple[str, ...]]) -> list[np.ndarray]:
        """Return the layers (L, T, D) float32 of each sentence."""
        return self.opener.sentences(self.names.model, sentences)

    def queries(self, words: Sequence[WordInContext]) -> list[Query]:
        """Return each word with its layers (L, D) as a table would store them: float16 and back."""
        read = self.layers_of([word.tokens for word in words])
        queries = (query_of(layers, word.tokens, word.position) for layers, word in zip(read, words, strict=True))
        return [replace(query, read_as=word.read_as) for query, word in zip(queries, words, strict=True)]

    def products(self, table: OccurrenceTable, query: Query, *, normalized: bool = False, types: bool = False) -> Products:
        """Return the layer products of a query with a table's rows, or with its types; of normalized layers if `normalized`."""
        rows = table.types if types else table.rows

        def compute() -> Products:
            return normalized_products(rows, self.products(table, query, types=types)) if normalized else products(rows, query)

        key = table_key(table), query.tokens, query.position, query.read_as, normalized, types
        return self.opener.memo.value("products", key, compute, most=64)

    def once(self, name: str, make: Callable[[], Any], *key: Hashable, most: int = 3) -> Any:
        """Return a value that depends only on the model's weights, its folder and this key, made once for all workspaces."""
        return self.opener.memo.value(name, (self.model.fingerprint, str(self.model.folder), *key), make, most=most, weighed=False)


@dataclass(frozen=True, eq=False)
class Word:
    """A word in its sentence, with the labeled sentences that have it and its vectors, each computed once."""

    workspace: Workspace
    context: WordInContext

    @property
    def tokens(self) -> tuple[str, ...]:
        """Return the tokens of the sentence."""
        return self.context.tokens

    @cached_property
    def table(self) -> OccurrenceTable | None:
        """Return the first table in which the word has two labeled senses: of the corpus, then of its language. None without one."""
        tables = self._tables() if self.context.spelling else ()
        return next((table for table in tables if (lemma := self.context.lemma_in(table)) and table.has_senses(lemma)), None)

    @cached_property
    def lemma(self) -> str:
        """Return the labeled word that it is a form of, or "" if no such word has two senses."""
        return self.context.lemma_in(self.table) if self.table is not None else ""

    @cached_property
    def sentence(self) -> np.ndarray:
        """Return the layers (L, T, D) float32 of the word's sentence."""
        return self.workspace.layers_of([self.tokens])[0]

    @cached_property
    def query(self) -> Query:
        """Return the word as a table would store it."""
        return replace(query_of(self.sentence, self.tokens, self.context.position), read_as=self.context.read_as)

    @property
    def layers(self) -> np.ndarray:
        """Return the layers (L, D) of the word."""
        return self.query.layers

    @cached_property
    def alone(self) -> np.ndarray:
        """Return the layers (L, D) of the word as a one-word sentence."""
        return self.workspace.layers_of([(self.context.word,)])[0][:, 0]

    @cached_property
    def topic(self) -> np.ndarray:
        """Return the sum (V,) of the other words' static vectors."""
        return topics(self.workspace.language_vectors, [(self.tokens, self.context.position)])[0]

    @cached_property
    def place(self) -> np.ndarray:
        """Return the states (2P,) of both directions next to the word, before they read it."""
        return self.workspace.model.encoder.around([list(self.tokens)], [self.context.position], [self.sentence])[0]

    @cached_property
    def sense_parts(self) -> np.ndarray:
        """Return the three parts (V,) of the sense space. The model must have one."""
        return self.workspace.sense_space.views([(self.tokens, self.context.position)], self.layers[None], [self.sentence])[0]

    def _tables(self) -> Iterator[OccurrenceTable]:
        workspace, language = self.workspace, self.workspace.language
        for corpus in dict.fromkeys([workspace.corpus if workspace.is_labeled else "", language.sentences]):
            with suppress(ElmoscopeError):
                if corpus:
                    yield workspace.opener.targets(corpus, workspace.names.model)
        listed, spelling = list_words(language), self.context.read_as or self.context.spelling
        if lemma := next((form for form in (spelling, *dictionary_forms(spelling)) if form in listed), ""):
            with suppress(ElmoscopeError):  # a model whose table has not all words of its language
                reads = workspace.reads("model")
                yield workspace.opener.once("word", reads, lemma, lambda: open_word(lemma, workspace.model), most=16)


def reads_as_model(view: Callable[Concatenate[Workspace, P], R]) -> Callable[Concatenate[Workspace, P], R]:
    """Let a function of a workspace read text as the language of the workspace's model, whatever language is in use around it."""

    @wraps(view)
    def read(workspace: Workspace, *args: P.args, **kwargs: P.kwargs) -> R:
        with languages.reading(workspace.language):
            return view(workspace, *args, **kwargs)

    return read


def table_key(table: OccurrenceTable) -> str:
    """Return what distinguishes a table from every other, including one made again later in the same folder."""
    return f"{table.folder} {table.meta['model']} {table.meta['corpus']}"


def open_workspace(
    model: str | Model = BUNDLED_MODEL,
    vectors: str = "",
    corpus: str = "",
    *,
    report: Report | None = None,
    note: Callable[[str], None] | None = None,
) -> Workspace:
    """Return a workspace for a model, by name or open.

    `report` is called while a corpus is read, with the bytes or tokens done, in all, and per second. `note` is called with a sentence for each way
    in which the vectors' file differs from its format.
    """
    opener = Opener(report, note)
    if not isinstance(model, str):  # opened by its name from now on
        model = opener.once("model", [("model", model.name)], None, lambda: model).name
    return Workspace(Names(model=model, vectors=vectors, corpus=corpus), opener)
