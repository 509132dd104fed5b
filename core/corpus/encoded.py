"""Encode a corpus: every token as numbers, in memory or mapped from disk, with sentences, documents, dates, labels and text as written.

A token has the number of its spelling and that of its word, the spelling without letter case and joiners. Words are numbered in alphabetical
order, so that sorting by context compares numbers.
"""

import hashlib
import json
import shutil
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from itertools import chain, count
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ..common import reports
from ..common.config import cache_folder
from ..common.errors import BadInput, CorruptArtifact, MissingArtifact
from ..common.i18n import t
from ..common.markup import shorten
from ..files import registry
from ..files.artifacts import read_json
from ..files.atomic import replacing
from ..files.quotas import may_store
from ..files.sums import file_sha256
from ..text import languages
from ..text.corpora import as_read, open_corpus, owner_of
from ..text.dates import DateSpan, parse_dates
from ..text.languages import Language, note_unread
from ..text.morphemes import has_hangul
from ..text.normalization import fold_case
from ..text.sentences import MAX_NAME, Sentence, stream_sentences
from ..text.target_word import words_of
from ..text.tokens import JOINER, bare, other_forms

VERSION = 3
LISTED = 20  # documents named in a message


@dataclass(frozen=True, eq=False, kw_only=True)
class EncodedCorpus:
    """N tokens in S sentences. Searches do not change it."""

    spelling: np.ndarray  # (N,) int32, in `spellings`
    word: np.ndarray  # (N,) int32, in `words`
    sentence: np.ndarray  # (N,) int32
    starts: np.ndarray  # (S + 1,) int64, the first token of each sentence
    document: np.ndarray  # (S,) int32, in `documents`
    date: np.ndarray  # (S,) int32, in `dates`; -1 for none
    text_at: np.ndarray  # (S + 1,) int64, where a sentence's text begins in `texts`; empty if `join_tokens` gives it
    texts: np.ndarray  # uint8, UTF-8
    label_at: np.ndarray  # (n,) int64, labeled tokens in order
    label_sense: np.ndarray  # (n,) int32, in `senses`; -1 for none
    other_at: np.ndarray  # (n,) int64, tokens, in order, that the end of a line has cut in two
    other_word: np.ndarray  # (n,) int32, in `words`: with a hyphen if `word` has none, and vice versa
    spellings: pa.Array = field(repr=False)
    words: pa.Array = field(repr=False)  # alphabetical
    documents: list[str]
    dates: list[str]  # sorted
    senses: list[str]
    notes: list[str] = field(default_factory=list)  # on the reading of its file
    unnamed: str = ""  # the name in `documents` for sentences without a document
    folder: Path | None = None  # from which it is mapped
    language: Language = field(default_factory=languages.in_use, repr=False)  # tokenizes its text and queries
    numbers: np.ndarray | None = None  # (S,) the number of each sentence in the corpus that this one was cut from

    def __len__(self) -> int:
        return len(self.word)

    @property
    def n_sentences(self) -> int:
        """Return the number of sentences."""
        return len(self.starts) - 1

    @property
    def n_bytes(self) -> int:
        """The approximate number of bytes that `save` writes."""
        return sum(getattr(self, name).nbytes for name in ARRAYS) + self.spellings.nbytes + self.words.nbytes

    @cached_property
    def fingerprint(self) -> str:
        """sha256 of its content, the key of cached answers about it."""
        digest = hashlib.sha256()
        for name in ARRAYS:
            digest.update(np.ascontiguousarray(getattr(self, name)).data)
        names = (self.spelling_list, self.documents, self.dates, self.senses)
        digest.update(self.language.code.encode())
        digest.update(json.dumps(names, ensure_ascii=False).encode("utf-8", "surrogatepass"))
        return digest.hexdigest()

    @cached_property
    def number(self) -> dict[str, int]:
        """The number of each word."""
        return {word: k for k, word in enumerate(self.word_list)}

    @cached_property
    def word_list(self) -> list[str]:
        """Return the words as a list."""
        return self.words.to_pylist()

    @cached_property
    def spelling_list(self) -> list[str]:
        """Return the spellings as a list."""
        return self.spellings.to_pylist()

    @cached_property
    def spelling_array(self) -> np.ndarray:
        """`spelling_list` as an array (spellings,), for taking many at once."""
        return np.array(self.spelling_list, object)

    @cached_property
    def lettered(self) -> np.ndarray:
        """(words,) bool: which have a letter."""
        return pc.match_substring_regex(self.words, r"\p{L}").to_numpy(zero_copy_only=False)

    @cached_property
    def attached(self) -> np.ndarray:
        """(words,) bool: which are always joined to the word before, as Korean endings are."""
        joined = np.array([name.startswith(JOINER) and bare(name) != name for name in self.spelling_list], bool)
        word_of_spelling = np.array([self.number[fold_case(bare(name))] for name in self.spelling_list], np.int32)
        return ~np.isin(np.arange(len(self.words)), word_of_spelling[~joined])

    @cached_property
    def frequency(self) -> np.ndarray:
        """(words,) the number of occurrences."""
        return np.bincount(self.word, minlength=len(self.words))

    @property
    def counts(self) -> dict[str, int]:
        """The number of occurrences of each word."""
        return {word: n for word, n in zip(self.word_list, self.frequency.tolist(), strict=True) if n}

    def opening_word(self, word: str = "") -> str:
        """Return the word if it occurs, else `usual_word`."""
        return word if word in self.number else self.usual_word

    @cached_property
    def usual_word(self) -> str:
        """The most frequent content word of at least five letters, or two syllables of Hangul; without any a readable word."""
        codes = self.frequency.argsort(kind="stable")[::-1][:500].tolist()
        words = [self.word_list[k] for k in codes]
        function_words = words_of(self.language).function
        content_words = (
            word
            for k, word in zip(codes, words, strict=True)
            if len(word) > (1 if has_hangul(word) else 4) and word.isalpha() and word not in function_words and not self.attached[k]
        )
        readable = (word for word in words if any(map(str.isalnum, word)))
        return next(chain(content_words, readable, words))

    @cached_property
    def document_sizes(self) -> np.ndarray:
        """(documents,) the number of tokens."""
        return np.bincount(self.document, np.diff(self.starts), len(self.documents)).astype(np.int64)

    @cached_property
    def date_spans(self) -> list[DateSpan | None]:
        """The meaning of each of `dates`; None for one that cannot be read."""
        return parse_dates(self.dates)

    @cached_property
    def undated(self) -> np.ndarray:
        """(S,) bool: which sentences have no readable date."""
        return ~np.array([span is not None for span in self.date_spans] + [False])[self.date]

    @cached_property
    def unread_date(self) -> str:
        """A date that cannot be read, as written; "" if all can."""
        return next((name for name, span in zip(self.dates, self.date_spans, strict=True) if span is None), "")

    def of_documents(self, names: Collection[str]) -> "EncodedCorpus":
        """Return some of the documents as a corpus. Raises BadInput for a name that no document has."""
        if unknown := [name for name in names if name not in self.documents]:
            listed = ", ".join(shorten(name, 40) for name in self.documents[:LISTED]) + (", …" if len(self.documents) > LISTED else "")
            raise BadInput(t("No document is called “{name}”. Choose from: {names}.", name=shorten(unknown[0]), names=listed))
        return self.cut(np.isin(self.document, [k for k, name in enumerate(self.documents) if name in names]))

    def cut(self, chosen: np.ndarray) -> "EncodedCorpus":
        """Return the sentences of a mask (S,) as a corpus. Only their `numbers` refer to this corpus."""
        sentences = np.flatnonzero(chosen)
        lengths = np.diff(self.starts)[sentences]
        sizes = np.diff(self.text_at)[sentences]  # of the texts, in bytes
        tokens = np.repeat(chosen, np.diff(self.starts))
        spelling, spellings = _renumbered(self.spelling[tokens], len(self.spellings))
        others = tokens[self.other_at]
        word, words = _renumbered(np.concatenate([self.word[tokens], self.other_word[others]]), len(self.words))
        document, documents = _renumbered(self.document[sentences], len(self.documents))
        date, dates = _renumbered(self.date[sentences], len(self.dates))
        labeled = tokens[self.label_at]
        sense, senses = _renumbered(self.label_sense[labeled], len(self.senses))
        text_at = np.concatenate([[0], np.cumsum(sizes)])
        return EncodedCorpus(
            spelling=spelling,
            word=word[: tokens.sum()],
            sentence=np.repeat(np.arange(len(sentences), dtype=np.int32), lengths),
            starts=np.concatenate([[0], np.cumsum(lengths)]),
            document=document,
            date=date,
            text_at=text_at,
            texts=self.texts[np.arange(text_at[-1]) + np.repeat(self.text_at[sentences] - text_at[:-1], sizes)],
            label_at=(np.cumsum(tokens) - 1)[self.label_at[labeled]],
            label_sense=sense,
            other_at=(np.cumsum(tokens) - 1)[self.other_at[others]],
            other_word=word[tokens.sum() :],
            spellings=self.spellings.take(pa.array(spellings)),
            words=self.words.take(pa.array(words)),
            documents=[self.documents[k] for k in documents],
            dates=[self.dates[k] for k in dates],
            senses=[self.senses[k] for k in senses],
            unnamed=self.unnamed,
            language=self.language,
            numbers=sentences if self.numbers is None else self.numbers[sentences],
        )

    def tokens(self, sentence: int) -> tuple[str, ...]:
        """Return a sentence's tokens."""
        return tuple(self.spelling_array[self.spelling[self.starts[sentence] : self.starts[sentence + 1]]].tolist())

    def texts_of(self, sentences: np.ndarray) -> list[str | None]:
        """Return sentences (n,) as written; None for one that `join_tokens` writes the same."""
        view = memoryview(self.texts)
        spans = zip(self.text_at[sentences].tolist(), self.text_at[sentences + 1].tolist(), strict=True)
        return [str(view[first:last], "utf-8") if last > first else None for first, last in spans]

    def save(self, folder: Path) -> None:
        """Write the corpus as a folder, completely or not at all."""
        with replacing(folder) as temporary:
            temporary.mkdir()
            for name in ARRAYS:
                np.save(temporary / f"{name}.npy", getattr(self, name))
            for name in ("spellings", "words"):
                table = pa.table({name: getattr(self, name)})
                with pa.OSFile(str(temporary / f"{name}.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
                    writer.write_table(table)
            names = {"version": VERSION, **{name: getattr(self, name) for name in ("documents", "dates", "senses", "notes")}}
            (temporary / "meta.json").write_text(json.dumps(names, ensure_ascii=False), encoding="utf-8", newline="\n")


ARRAYS = tuple(item.name for item in fields(EncodedCorpus) if item.type is np.ndarray)  # in a folder, a file each


def open_folder(folder: Path) -> EncodedCorpus:
    """Map an encoded corpus from the folder that `EncodedCorpus.save` wrote. Raises CorruptArtifact if it is damaged."""
    names = read_json(folder / "meta.json", expect=dict)
    try:
        mapped = {name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False) for name in ARRAYS}
        arrays = {name: array.view(np.ndarray) for name, array in mapped.items()}  # a part of a memmap costs ten times an array's
        lists = {name: _strings(folder / f"{name}.arrow") for name in ("spellings", "words")}
        named = {name: list(names[name]) for name in ("documents", "dates", "senses", "notes")}
        if names["version"] != VERSION or len(arrays["word"]) != arrays["starts"][-1]:
            raise ValueError("version")
    except (OSError, ValueError, KeyError, EOFError, IndexError, pa.ArrowInvalid):
        raise CorruptArtifact(t("{path} is damaged. Delete and remake it.", path=folder)) from None
    return EncodedCorpus(**arrays, **lists, **named, folder=folder)


def _strings(path: Path) -> pa.Array:
    with pa.memory_map(str(path)) as source:
        column = pa.ipc.open_file(source).read_all().column(0)
    return column.chunk(0) if column.num_chunks else pa.array([], pa.string())


def _renumbered(codes: np.ndarray, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return codes below n (-1: none) renumbered without gaps, and the old code of each new one."""
    used = np.bincount(codes[codes >= 0], minlength=n) > 0
    return np.append(np.cumsum(used) - 1, -1)[codes].astype(np.int32), np.flatnonzero(used)


def encode(sentences: Iterable[Sentence], unnamed: str = "") -> EncodedCorpus:
    """Encode sentences in memory. Needs about 16 bytes per token. `unnamed` is the document of sentences that have none."""
    spellings, documents, dates, senses = (defaultdict(count().__next__) for _ in range(4))  # numbers in the order of first use
    spelling, lengths, document, date = (array("i") for _ in range(4))
    text_at, texts = array("q", [0]), bytearray()
    labels, others = [], []  # (token, sense), (token, other spelling)
    for sentence in sentences:
        labels += [
            (len(spelling) + target.position, target.sense)
            for target in sorted(sentence.targets, key=lambda target: target.position)
            if target.sense is not None or target.lemma is not None
        ]
        others += [(len(spelling) + k, spellings[form]) for k, form in other_forms(sentence.tokens, sentence.text)]
        spelling.extend(map(spellings.__getitem__, sentence.tokens))
        lengths.append(len(sentence.tokens))
        document.append(documents[sentence.document or unnamed])
        date.append(-1 if sentence.date is None else dates[sentence.date])
        if sentence.text:
            texts += sentence.text.encode("utf-8", "replace")
        text_at.append(len(texts))
    starts = np.concatenate([[0], np.cumsum(np.frombuffer(lengths, np.int32), dtype=np.int64)])
    names = list(spellings)
    words, of_spelling = np.unique(np.array([fold_case(bare(name)) for name in names], object), return_inverse=True)
    of_spelling = of_spelling.astype(np.int32)
    codes, other_at, other_spellings = _settle(np.frombuffer(spelling, np.int32), others, of_spelling)
    ordered, place = np.unique(np.array(list(dates), object), return_inverse=True)
    days = np.frombuffer(date, np.int32)
    return EncodedCorpus(
        spelling=codes,
        word=of_spelling[codes] if len(codes) else codes,
        sentence=np.repeat(np.arange(len(lengths), dtype=np.int32), np.diff(starts)),
        starts=starts,
        document=np.frombuffer(document, np.int32),
        date=np.where(days < 0, -1, place[days]).astype(np.int32) if len(dates) else days,
        text_at=np.frombuffer(text_at, np.int64),
        texts=np.frombuffer(bytes(texts), np.uint8),
        label_at=np.array([token for token, _ in labels], np.int64),
        label_sense=np.array([-1 if sense is None else senses[sense] for _, sense in labels], np.int32),
        other_at=other_at,
        other_word=of_spelling[other_spellings] if len(other_spellings) else other_spellings,
        spellings=pa.array(names, pa.string()),
        words=pa.array(words.tolist(), pa.string()),
        documents=[name[:MAX_NAME] for name in documents],
        dates=ordered.tolist(),
        senses=list(senses),
        unnamed=unnamed[:MAX_NAME],
    )


def _settle(codes: np.ndarray, others: list[tuple[int, int]], word: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the spellings (N,) of all tokens; and the positions and other spellings, (n,) each, of words cut at the end of a line.

    Of the two forms of such a word, the one that is more frequent elsewhere becomes its spelling. `others` are positions and other spellings.
    """
    places = np.array([place for place, _ in others], np.int64)
    alternatives = np.array([form for _, form in others], np.int32)
    if not others:
        return codes, places, alternatives
    first = codes[places]
    counts = np.bincount(word[codes], minlength=int(word.max()) + 1) - np.bincount(word[first], minlength=int(word.max()) + 1)
    is_other = counts[word[alternatives]] > counts[word[first]]
    codes = codes.copy()
    codes[places] = np.where(is_other, alternatives, first)
    return codes, places, np.where(is_other, first, alternatives)


DIGITS = 32  # digits used of a file's sha256
UNPACKED = 3.6  # unpacked bytes per packed byte, about


def open_encoded(corpus: str, language: Language | None = None, *, report: reports.Report | None = None) -> EncodedCorpus:
    """Return the encoded corpus of a registry name or a file, read as that language (else the one in use).

    A file is read once. Then its folder in the cache is mapped. Bundled labeled sentences are few, and encoded each time.
    """
    language = language or languages.in_use()
    if owner := owner_of(corpus):
        with languages.reading(owner):
            return encode(open_corpus(corpus), corpus)
    path = registry.resolve(corpus, "corpus")
    if path.is_dir():
        raise BadInput(t("{path} is an index or another folder. Name the file of its text.", path=path))
    with languages.reading(language):
        folder = _folder(path, language)
        try:
            opened = open_folder(folder)
        except (MissingArtifact, CorruptArtifact):
            shutil.rmtree(folder, ignore_errors=True)
            opened = _encode_file(path, folder, report)
    # The name of the file is not stored, because the same file may have two
    opened = replace(opened, documents=[name or path.name for name in opened.documents], unnamed=path.name)
    note_unread(opened.counts, language, opened.unnamed)
    with reports.passing_on():
        for text in opened.notes:
            reports.add(text, text)
    return opened


def _encode_file(path: Path, folder: Path, report: reports.Report | None) -> EncodedCorpus:
    """Read a file, and store what is read in a folder if it may be. Raises BadInput for a file without a sentence."""
    size = path.stat().st_size * (UNPACKED if path.suffix in (".xz", ".gz") else 1)
    watched = reports.watch_steps(reports.ReadingProgress(int(size), report).step) if report else nullcontext()
    with reports.collecting() as collected, watched:
        corpus = encode(as_read(stream_sentences(path), path))
    corpus = replace(corpus, notes=list(collected.values()))
    if not len(corpus):
        raise BadInput(t("{name} has no sentence. Add text.", name=path.name))
    with suppress(BadInput, MissingArtifact, CorruptArtifact):  # not stored, or removed meanwhile: the corpus is encoded again next time
        if may_store(corpus.n_bytes):
            corpus.save(folder)
            if path.is_file():
                return open_folder(folder)
            shutil.rmtree(folder, ignore_errors=True)  # a user's text that was deleted meanwhile
    return corpus


def unread_bytes(corpus: str, language: Language) -> int:
    """Return the size of the file that `open_encoded` would have to read; 0 if it is cached, or not a file."""
    path = registry.place_of(corpus, "corpus")
    if path is None or not path.is_file() or owner_of(corpus):
        return 0
    return 0 if (_folder(path, language) / "meta.json").is_file() else path.stat().st_size


def _folder(path: Path, language: Language) -> Path:
    return cache_folder() / "encoded" / f"{file_sha256(path)[:DIGITS]}-{language.code}-{VERSION}"
