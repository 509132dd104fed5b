"""The occurrence table: one row per token in context, on disk as Arrow IPC, opened by memory-mapping.

A folder holds `occurrences.arrow` (word, lemma, sense: dictionary-coded; sentence, position: int32; layers: float16 (L * D);
gram: float32 (L(L+1)/2)), `types.arrow` (the same columns, layers averaged over a spelling's occurrences), `sentences.arrow` and
`meta.json`. The sentences have tokens; their text if `join_tokens` would write it differently; the parts of speech of labels; and senses
that a model guessed. Guessed rows have no sense, so that nothing is measured on them. Vectors are read only when a search needs them.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common.config import NEIGHBORS
from ..common.errors import CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..common.memo import Bounded
from ..elmo.mix import check_weights, layer_normalized, mixed
from ..files.artifacts import read_json
from ..text.morphemes import stems
from ..text.normalization import fold_case
from ..text.readings import dictionary_forms, forms_among, is_separate_word
from ..text.target_word import verbs_in
from ..text.tokens import bare
from .neighbors import ANY, SAME, Index, Neighbor, Products, Question, TypeNeighbor, best, cosines, products_of
from .rows import Occurrence, Query, Rows

FORMAT = 1
MOST_VERBS = 64  # whose forms among the rows are cached: N bytes each
TAGS = pa.list_(pa.struct([("position", pa.int32()), ("pos", pa.string())]))  # of a sentence: its labeled tokens' parts of speech
GUESSES = pa.list_(pa.struct([("position", pa.int32()), ("sense", pa.string())]))  # of a sentence: the senses that a model gave its tokens
ENTRIES = {  # of meta.json, with their types
    **dict.fromkeys(("occurrences", "types", "sentences", "layers", "dim"), int),
    **dict.fromkeys(("seconds", "tokens_per_second"), (int, float)),
    **dict.fromkeys(("model", "corpus"), str),
}
COUNTED = {  # a table's columns, by the key of "basic" in meta.json that has their length
    "occurrences": ("word", "sense", "lemma", "sentence", "position"),
    "sentences": ("sentences", "texts", "tags", "guessed"),
    "types": ("words",),
    "senses": ("senses",),
    "lemmas": ("lemmas",),
}
LOOKED_AT = 64  # occurrences of a spelling among which the nearest is searched
STEMS = 2_000  # occurrences of a bare stem that are read in their sentences


class OccurrenceTable(Index):
    """An index folder, memory-mapped. Reading changes nothing in it."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / "meta.json").is_file():
            raise MissingArtifact(t("{folder} is not an index (no meta.json). Run: python -m core index build", folder=folder))
        self.meta = read_json(self.folder / "meta.json", expect=dict)
        if self.meta.get("format") != FORMAT:
            values = {"folder": folder, "found": self.meta.get("format"), "needed": FORMAT}
            raise CorruptArtifact(t("{folder} has format {found}, not {needed}. Rebuild the index.", **values))
        for name, kind in ENTRIES.items():
            if not isinstance(self.meta.get(name), kind):
                damage = {"file": self.folder / "meta.json", "reason": say_wrong(name, self.meta.get(name))}
                raise CorruptArtifact(t("{file} is damaged: {reason}. Rebuild the index.", **damage))
        shape = self.meta["layers"], self.meta["dim"]
        self.rows, self.types = Rows(self.folder / "occurrences.arrow", *shape), Rows(self.folder / "types.arrow", *shape)
        self.sentences, self.texts, self.tags, self.guessed = _read_sentences(self.folder / "sentences.arrow")
        self.words, self.senses, self.lemmas = (self.rows.names(name) for name in ("word", "sense", "lemma"))
        if len(self.types) != len(self.words):
            raise CorruptArtifact(t("{folder}/types.arrow is from another index. Rebuild the index.", folder=folder))
        self.word, self.sense, self.lemma, self.sentence, self.position = map(self.rows.numbers, COUNTED["occurrences"])

    def __len__(self) -> int:
        return len(self.rows)

    def occurrence(self, row: int) -> Occurrence:
        """Return a row as a token in its sentence."""
        sense, lemma = self.sense[row], self.lemma[row]
        labels = (self.senses[sense] if sense >= 0 else None, self.lemmas[lemma] if lemma >= 0 else None)
        sentence = int(self.sentence[row])
        tokens, text = tuple(self.sentences[sentence].as_py()), self.texts[sentence].as_py()
        return Occurrence(row, self.words[self.word[row]], tokens, int(self.position[row]), *labels, text, self.guesses.get(row))

    def occurrences(self, rows: Iterable[int]) -> list[Occurrence]:
        """Return rows as tokens in their sentences."""
        return [self.occurrence(int(row)) for row in rows]

    def places(self, rows: Iterable[int]) -> list[tuple[tuple[str, ...], int]]:
        """Return the tokens and the position of rows."""
        return [(occurrence.tokens, occurrence.position) for occurrence in self.occurrences(rows)]

    def labeled_rows(self, lemma: str | None = None) -> np.ndarray:
        """Return the rows that have a sense (of one lemma)."""
        wanted = self.sense >= 0
        if lemma is not None:
            wanted &= self.lemma == (self.lemmas.index(lemma) if lemma in self.lemmas else -2)
        return np.flatnonzero(wanted)

    def without_copies(self, rows: np.ndarray) -> np.ndarray:
        """Return these rows without those of a repeated sentence: the first row for each sentence, ignoring case, and position."""
        places = self._texts_by_sentence[self.sentence[rows]] << 32 | self.position[rows]
        return rows[np.sort(np.unique(places, return_index=True)[1])]

    @cached_property
    def _texts_by_sentence(self) -> np.ndarray:
        """Return a number (S,) int64 for each sentence, equal for the same tokens, ignoring case."""
        texts = pc.utf8_lower(pc.binary_join(self.sentences, "\0"))
        return texts.dictionary_encode("encode").indices.to_numpy(zero_copy_only=False).astype(np.int64)

    def has_senses(self, lemma: str) -> bool:
        """Return whether a word has two senses, one of them at least twice."""
        counts = np.unique(self.sense[self.labeled_rows(lemma)], return_counts=True)[1]
        return len(counts) > 1 and counts.max() > 1

    def rows_to_draw(self, lemma: str | None = None) -> np.ndarray:
        """Return the rows that have a sense, or a model's guess of one (of one lemma)."""
        guessed = np.fromiter(self.guesses, int, len(self.guesses))
        if lemma is not None:
            guessed = guessed[self.lemma[guessed] == (self.lemmas.index(lemma) if lemma in self.lemmas else -2)]
        return np.union1d(self.labeled_rows(lemma), guessed)

    @cached_property
    def basic(self) -> "OccurrenceTable":
        """Return the first rows, those of a language's basic sentences, on which measures over all words rest. Usually the table itself."""
        if (basic := self.meta.get("basic")) is None:
            return self
        part = OccurrenceTable.__new__(OccurrenceTable)
        part.folder = self.folder
        part.meta = {name: value for name, value in (self.meta | basic).items() if name != "basic"}
        part.rows, part.types = self.rows.first(basic["occurrences"]), self.types.first(basic["types"])
        for entry, names in COUNTED.items():
            for name in names:
                setattr(part, name, getattr(self, name)[: basic[entry]])
        return part

    @cached_property
    def guesses(self) -> dict[int, str]:
        """Return the sense that a model, not a person, gave a row, by the row's number."""
        sentences = np.flatnonzero(self.guessed.is_valid().to_numpy(zero_copy_only=False))
        senses = {(int(k), guess["position"]): guess["sense"] for k in sentences for guess in self.guessed[int(k)].as_py()}
        rows = np.flatnonzero(np.isin(self.sentence, sentences)).tolist() if senses else ()
        places = {row: (int(self.sentence[row]), int(self.position[row])) for row in rows}
        return {row: senses[place] for row, place in places.items() if place in senses}

    def pos_of(self, rows: np.ndarray) -> np.ndarray:
        """Return the labeled part of speech of each of these rows, (n,) str, "" if unknown."""
        tags = ({tag["position"]: tag["pos"] for tag in self.tags[int(number)].as_py() or ()} for number in self.sentence[rows])
        return np.array([by_position.get(k, "") for by_position, k in zip(tags, self.position[rows].tolist(), strict=True)], str)

    def lemma_of(self, word: str) -> str | None:
        """Return the labeled word that a form belongs to ("banks" -> "bank"), or None. An unlabeled form is judged by its ending.

        A separate word is not a form of another: "wound" of "wind" (core.text.readings).
        """
        if not self.lemmas:
            return None
        if lemma := next((form for form in (word, fold_case(word)) if form in self.lemmas), None):
            return lemma
        word = fold_case(word)
        if is_separate_word(word):
            return None
        rows = self.lemma[self.spelled(word) & (self.lemma >= 0)]
        if len(rows):
            return self.lemmas[rows[0]]
        return next((form for form in dictionary_forms(word) if form in self.lemmas), None)

    def senses_of(self, word: str) -> list[str]:
        """Return a word's senses in the labeled sentences, always in the same order, so that each keeps its color everywhere."""
        lemma = self.lemma_of(word)
        return sorted({self.senses[k] for k in self.sense[self.labeled_rows(lemma)]}) if lemma else []

    @cached_property
    def word_codes(self) -> dict[str, int]:
        """Return the code of each spelling."""
        return {word: code for code, word in enumerate(self.words)}

    @cached_property
    def plain_codes(self) -> dict[str, list[int]]:
        """Return the codes of the words by their spelling without joiners, ignoring case and an emoji's choice of form."""
        return self._codes_by(lambda word: fold_case(bare(word)))

    @cached_property
    def folded_codes(self) -> dict[str, list[int]]:
        """Return the codes of the words by their spelling, ignoring case and an emoji's choice of form."""
        return self._codes_by(fold_case)

    def _codes_by(self, spell: Callable[[str], str]) -> dict[str, list[int]]:
        codes: dict[str, list[int]] = {}
        for code, word in enumerate(self.words):
            codes.setdefault(spell(word), []).append(code)
        return codes

    def answer(self, question: Question) -> list[Neighbor]:
        """Return the neighbors that a validated question selects."""
        values = cosines(self.rows, products_of(self.rows, question.source), question.weights)
        rows = np.flatnonzero(self.may_answer(question))
        return self.best_of(rows, values[rows], question.k)

    def best_of(self, rows: np.ndarray, values: np.ndarray, k: int) -> list[Neighbor]:
        """Return the k best of these rows by their cosines, (n,) each, best first."""
        return [Neighbor(self.occurrence(int(rows[n])), float(values[n])) for n in best(values, k)]

    def may_answer(self, question: Question) -> np.ndarray:
        """Return which rows may answer (N,), by spelling and lemma, never the query's own."""
        if question.which == ANY:
            return ~self.own_row(question.query)
        same = self.same_word(question.query.word, question.lemmas, question.query.read_as)
        return (same if question.which == SAME else ~same) & ~self.own_row(question.query)

    def spelled(self, word: str) -> np.ndarray:
        """Return the rows (N,) with this spelling, ignoring case and an emoji's choice of form."""
        return np.isin(self.word, self.folded_codes.get(fold_case(word), ()))

    def lemmas_of(self, word: str) -> set[str]:
        """Return the lemmas that a spelling is labeled with; for a separate word only itself."""
        if is_separate_word(word):
            return {fold_case(word)} & set(self.lemmas)
        return {self.lemmas[code] for code in np.unique(self.lemma[self.spelled(word)]) if code >= 0}

    def same_word(self, word: str, lemmas: Collection[str] = (), read_as: str = "") -> np.ndarray:
        """Return the rows (N,) of a word: its spelling, the inflected forms of a labeled word or of `lemmas`, and those of a Korean verb.

        A word that does not occur as it is spelled counts as the word that it is a form of, unless it is a separate word. `read_as` states
        which word it is (core.text.readings); then rows labeled as another are left out.
        """
        spelled = self.spelled(word)
        if read_as:
            lemma = self.lemmas.index(read_as) if read_as in self.lemmas else -1
            return (spelled | self.spelled(read_as)) & (self.lemma < 0) | ((self.lemma == lemma) & (lemma >= 0))
        wanted = self.lemmas_of(word).union(lemmas)
        if is_separate_word(word):
            return spelled & ((self.lemma < 0) | np.isin(self.lemma, [self.lemmas.index(lemma) for lemma in wanted]))
        if not wanted and (forms := dictionary_forms(fold_case(word))):
            if not spelled.any():
                spelled |= np.isin(self.word, [self.word_codes[form] for form in forms if form in self.word_codes])
            spelled |= self._forms_of(forms[0])
        return spelled | np.isin(self.lemma, [code for code, lemma in enumerate(self.lemmas) if lemma in wanted])

    def _forms_of(self, verb: str) -> np.ndarray:
        """Return the rows (N,) with forms of a Korean verb. A bare stem may be a noun, so that its sentence decides."""

        def find() -> np.ndarray:
            result = np.isin(self.word, forms_among(self.words, verb))
            if verb.endswith("다"):
                has_stem = np.any([self.spelled(stem) for stem in stems(verb)], axis=0)
                for row in np.flatnonzero(has_stem & ~result)[:STEMS]:
                    result[row] = verb in verbs_in(self.sentences[int(self.sentence[row])].as_py())[self.position[row]]
            return result

        return self._verbs.value(verb, find)

    @cached_property
    def _verbs(self) -> Bounded[str, np.ndarray]:
        return Bounded(MOST_VERBS)

    def own_row(self, query: Query) -> np.ndarray:
        """Return the row (N,) that is the query's own occurrence, if its sentence is in the corpus."""
        result = np.zeros(len(self), bool)
        rows = np.flatnonzero(self.spelled(query.word))
        result[rows] = self.same_sentence(rows, query.tokens, query.position)
        return result

    def same_sentence(self, rows: np.ndarray, tokens: Sequence[str], position: int) -> np.ndarray:
        """Return which of some rows (n,) are this very token of this very sentence."""
        wanted = tuple(tokens)
        same = self.position[rows] == position
        for k in np.flatnonzero(same):
            same[k] = tuple(self.sentences[int(self.sentence[rows[k]])].as_py()) == wanted
        return same

    def nearest_types(self, query: Query | Products, weights, *, k: int = NEIGHBORS) -> list[TypeNeighbor]:
        """Return the k nearest other spellings by their mean vectors; `query` may be its products with `types`."""
        question = Question(query, weights, k)
        values = cosines(self.types, products_of(self.types, query), question.weights)
        values[self.folded_codes.get(fold_case(question.query.word), [])] = -np.inf
        counts = np.bincount(self.word, minlength=len(values))
        return [TypeNeighbor(self.words[code], float(values[code]), int(counts[code])) for code in best(values, k)]

    def nearest_of_types(self, query: Query, words: Sequence[str], weights) -> list[Occurrence]:
        """Return for each spelling its occurrence nearest to the query, among the first LOOKED_AT."""
        checked = check_weights(weights, len(query.layers))
        is_query = self.own_row(query)
        wanted = mixed(query.layers, checked, unit=True)
        results = []
        for word in words:
            rows = np.flatnonzero(self.spelled(word) & ~is_query)[:LOOKED_AT]
            values = mixed(self.rows.take(rows), checked, axis=1, unit=True) @ wanted
            results.append(self.occurrence(int(rows[values.argmax()])))
        return results

    def similarities(self, rows: np.ndarray, weights, *, normalized: bool = False) -> np.ndarray:
        """Return the cosines of the mixes of rows with each other, (n, n) float32, optionally of normalized layers."""
        layers = self.rows.take(rows)
        layers = layer_normalized(layers) if normalized else layers
        mixes = mixed(layers, check_weights(weights, self.meta["layers"]), axis=1, unit=True)
        return mixes @ mixes.T


def say_wrong(name: str, value) -> str:
    """Describe a missing or wrong entry of meta.json."""
    return t("no {name}", name=name) if value is None else t("{name} is {value}", name=name, value=shorten(value))


def index_info(folder: Path) -> dict:
    """Return an index's meta.json and its size in bytes."""
    return {**OccurrenceTable(folder).meta, "bytes": sum(p.stat().st_size for p in Path(folder).iterdir())}


def _read_sentences(path: Path) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array]:
    """Read the sentences' tokens, texts, parts of speech and guessed senses; null where an index has none."""
    try:
        batch = pa.ipc.open_file(pa.memory_map(str(path))).get_batch(0)
        optional = {"text": pa.string(), "pos": TAGS, "guess": GUESSES}
        others = (batch.column(name) if name in batch.schema.names else pa.nulls(len(batch), kind) for name, kind in optional.items())
        return batch.column("tokens"), *others
    except (pa.ArrowInvalid, OSError, IndexError, KeyError) as error:
        raise CorruptArtifact(t("Cannot read {path} ({error}). Rebuild the index.", path=path, error=error)) from None
