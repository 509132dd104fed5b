"""Open corpora by name, list the labeled words of a language, and define their senses.

A language has one file of labeled sentences, which are tokenized again as its models read text. Labels stay on their words. The first part of
the file is the corpus named `Language.sentences`, to be searched and indexed token by token; the other part is `Language.reference`. The table of
labeled words (core.index.tables) holds both. Definitions are those of the labeled senses, in assets, and those of a WordNet, through the optional
package `wn`.
"""

import json
import re
import threading
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path

from ..common import config, i18n
from ..common.errors import BadInput, CorruptArtifact, ElmoscopeError, MissingArtifact
from ..common.i18n import t
from ..files import quotas, registry
from ..files.artifacts import read_json
from . import languages, own_corpus
from .languages import Language, ranks_of
from .morphemes import Morpheme, analyzed, may_follow_noun
from .normalization import fold_case, plain_word
from .sentences import Sentence, Target, read_sentences
from .target_word import NOUNS, find_forms
from .tokens import JOINER, bare, find_word, join_tokens, spaced

BUNDLED_CORPUS = "sentences"
_LETTERS = re.compile(r"[^\W_]*")
_CONTINUES = re.compile(r"[-&]|[.,]\d")  # continues a name or number that has signs
_AFTER_CLAUSES = ("것", "거", "수", "때", "리", "줄", "듯", "터", "경우", "가능성")  # nouns after the copula's 일: 차일 것이다
# Stems of what follows a clause in -임: 차임을 알았다
_KNOWING = ("알", "모르", "깨닫", "밝히", "밝혀지", "드러나", "확인", "분명", "틀림없", "불구", "뜻하", "의미")
_FREQUENT = 10_000  # a noun that is one token is not cut if it is among this many most frequent words
_FREQUENT_IN_GWA = 5_000  # the same for nouns that end like the particle 과, which often joins two nouns: 공과 허물
_RARER = 100  # a noun ending in 임 that is this many times rarer than the noun before 임 is read as that noun and the copula


def open_corpus(name: str, language: Language | None = None) -> list[Sentence]:
    """Return the sentences of a corpus by its registry name or file, with text cut as `language`, or else the one in use, is read.

    A language's labeled sentences are stored by words, for people, and are cut here as its models read them.
    """
    owner = owner_of(name)
    with languages.reading(owner or language or languages.in_use()):
        if not (owner and owner.basic):
            path = registry.resolve(name, "corpus")
            stored = read_sentences(path)
            sentences = list(as_read(stored, path))
            if sentences != stored and path.is_file():
                with suppress(BadInput):  # no disk space
                    quotas.mark(path, own_corpus.find_marks(path, sentences))
        elif name == owner.sentences:
            sentences = read_sentences(registry.resolve(name, "corpus"), limit=owner.basic)
        else:
            sentences = read_sentences(registry.resolve(name, "corpus"))[owner.basic :]
    return _recut_all(sentences, owner) if owner else sentences


def as_read(sentences: Iterable[Sentence], path: Path) -> Iterable[Sentence]:
    """Return the sentences of a file, tokenized again if it is a user's text that was tokenized in another language."""
    before, language = own_corpus.language_of(path), languages.in_use()
    if before is None or before.tokenizer == language.tokenizer:
        return sentences
    return (_tokenized_again(sentence, before, language) for sentence in sentences)


def _tokenized_again(sentence: Sentence, before: Language, language: Language) -> Sentence:
    text = sentence.text or join_tokens(list(sentence.tokens))
    if tuple(before.tokenize(text)) != sentence.tokens:  # the user's own tokens
        return sentence
    return recut(sentence, language) if sentence.targets else replace(sentence, tokens=tuple(language.tokenize(text)))


def labeled_of(language: Language, word: str) -> list[Sentence]:
    """Return the labeled sentences of a word of the language, cut as its models read them."""
    with languages.reading(language):
        return _recut_all(sentences_with(language, word), language)


def _recut_all(sentences: list[Sentence], language: Language) -> list[Sentence]:
    return sentences if language.tokenizer == "words" else [recut(sentence, language) for sentence in sentences]


def recut(sentence: Sentence, language: Language) -> Sentence:
    """Tokenize a sentence again as the language does. A target becomes its lemma's token if its word begins with the lemma.

    "눈이" of the lemma "눈" becomes 눈, however the tokenizer cuts that word. Letters are never changed, so that tokens are matched by the
    positions of their letters.
    """
    tokens = language.tokenize(join_tokens(list(sentence.tokens)))
    before = _spans(sentence.tokens)
    spans = []
    for target in sentence.targets:
        start, end = before[target.position]
        if target.lemma and bare(target.word).casefold().startswith(target.lemma.casefold()):
            end = start + len(target.lemma)
        tokens = _with_token(tokens, start, end)
        spans.append(start)
    starts = {start: k for k, (start, _) in enumerate(_spans(tokens))}
    positions = [starts[start] for start in spans]
    targets = (replace(target, position=k, word=tokens[k]) for target, k in zip(sentence.targets, positions, strict=True))
    return replace(sentence, tokens=tuple(tokens), targets=tuple(targets))


def with_word(tokens: list[str], word: str, language: Language) -> list[str]:
    """Return the tokens with `word` as one of them, if a word consists of it and its particles or the copula.

    "차이 다" becomes "차 이 다" for the word 차; 밤길 is no 밤. Without such a word, the tokens stay as they are. The frequency list of
    `language` shows which tokens are words: 강의 is one, 돈만 is 돈 and a particle.
    """
    word = plain_word(word.strip())
    if find_word(tokens, word) or not word:
        return tokens
    places = _spans(tokens)
    has_blank = spaced(tokens)
    ranks = ranks_of(language.vectors)
    read = analyzed(tokens)
    for first, _ in _runs(tokens):
        last = next((k for k in range(first + 1, len(tokens)) if has_blank[k]), len(tokens))
        letters = "".join(map(bare, tokens[first:last]))
        start = places[first][0]
        end = start + len(word)
        if not fold_case(letters).startswith(fold_case(word)) or not _may_end(letters, len(word), any(end == b for _, b in places)):
            continue
        rest = _LETTERS.match(letters, len(word))[0]
        token = bare(tokens[first])
        is_longer = len(token) > len(word)
        is_word = is_longer and (token in ranks or not ranks)
        following = read[next((k for k, (a, _) in enumerate(places) if a >= end + len(rest)), len(tokens)) :]
        if is_word and _is_other_noun(token, word, rest, read[first], following, ranks):
            continue
        after = next((item for item, (a, _) in zip(read, places, strict=True) if a == end), None)
        is_cut = after is not None and (after.tags[0] == "VCP" or after.tags[0].startswith("J"))  # 메타 · 버스 · 다
        alone = is_word or (is_longer and rest.startswith("하")) or (rest.endswith("일") and not _has_stem(following[:1], _AFTER_CLAUSES))
        if is_cut or may_follow_noun(word, rest, alone=alone):  # 정하고 does not contain the noun 정, nor 제일 the noun 제
            return _with_token(tokens, start, end)
    return tokens


def _is_other_noun(
    token: str, word: str, rest: str, morpheme: Morpheme | None, following: Sequence[Morpheme | None], ranks: dict[str, int]
) -> bool:
    """Return whether a token that is `word` and the letters `rest` is a separate noun, not the word with a particle or the copula.

    `following` is what comes after the token's letters: before a verb such as 알다, a rare noun in -임 is the copula.
    """
    if ranks.get(token, 0) > _RARER * ranks.get(word, len(ranks)) and _has_stem(following[:3], _KNOWING):
        return False
    limit = _FREQUENT_IN_GWA if token.endswith("과") else _FREQUENT
    is_noun = morpheme is not None and morpheme.tags[0] in NOUNS and ranks.get(token, limit) < limit
    return token == f"{word}임" or (is_noun and len(token) == len(word + rest))


def _may_end(letters: str, end: int, is_edge: bool) -> bool:
    """Return whether a word may end at this position: C+ is not a word of C++, nor GPT-4 of GPT-4-turbo."""
    following = letters[end : end + 1]
    if following.isalnum() or letters[:end].isalnum():
        return following.isalnum() or is_edge
    return is_edge and following != letters[end - 1] and not _CONTINUES.match(letters, end)


def _has_stem(read: Sequence[Morpheme | None], stems: Sequence[str]) -> bool:
    """Return whether one of the tokens begins with one of these morphemes."""
    return any(item is not None and item.parts[0][0] in stems for item in read)


def cut_at(tokens: list[str], k: int, start: int, end: int) -> list[str]:
    """Return the tokens with token `k` cut so that its letters from `start` to `end` are a separate token."""
    first, last = _spans(tokens)[k]
    return _with_token(tokens, first + start, min(first + end, last))


def locate(tokens: Sequence[str], word: str, language: Language, *, forms: bool = False) -> tuple[list[str], list[int]]:
    """Return a sentence's tokens, cut so that the word is one of them if it can be, and the positions of the word.

    With `forms`, the positions of its other forms if the word itself is missing.
    """
    cut = with_word(list(tokens), word, language) if language.tokenizer != "words" else list(tokens)
    places = find_word(cut, word)
    if not places and forms:
        places = find_forms(cut, word, language)
    return cut, places


def longer_word(tokens: Sequence[str], word: str) -> str:
    """Return the word of a sentence that a word is only a part of, as 밤 is of 밤길; "" if the sentence has no such word."""
    wanted = fold_case(bare(plain_word(word)))
    runs = ("".join(map(bare, tokens[first:last])) for first, last in _runs(tokens))
    longer = (item for item in [*map(bare, tokens), *runs] if wanted in fold_case(item) and wanted != fold_case(item))
    return next(longer, "") if wanted else ""


def _runs(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return the ranges of tokens that are joined to each other, without punctuation at their edges."""
    is_word = [any(map(str.isalnum, token)) for token in tokens]
    has_blank = spaced(tokens)
    starts = {k for k in range(len(tokens)) if has_blank[k] or not is_word[k] or (k and not is_word[k - 1])}
    edges = sorted({0, *starts, len(tokens)})
    return [(first, last) for first, last in pairwise(edges) if is_word[first]]


def _spans(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return where each token begins and ends among the letters of all, without spaces and joiners."""
    return list(pairwise(accumulate((len(bare(token)) for token in tokens), initial=0)))


def _with_token(tokens: list[str], start: int, end: int) -> list[str]:
    """Return the tokens, cut and joined so that one of them is exactly the letters from `start` to `end`."""
    parts: list[str] = []
    for token, (first, last) in zip(tokens, _spans(tokens), strict=True):
        plain = bare(token)
        edges = [first, *(k for k in (start, end) if first < k < last), last]
        for a, b in pairwise(edges):
            piece = plain[a - first : b - first]
            if start < a < end:  # the word continues in this piece
                parts[-1] += piece
            elif a > first or (a == end and first > start and len(parts[-1]) > 1 and parts[-1].endswith("#")):  # the "#" of "C#"
                parts.append(f"{JOINER}{piece}")
            else:
                parts.append(token if b == last else token[: len(token) - (last - b)])
    return parts


def sentences_of(corpus: str) -> Language | None:
    """Return the language whose labeled sentences a corpus is, or None."""
    described = map(languages.get_language, languages.codes())
    return next((item for item in described if corpus and item.sentences == corpus), None)


def owner_of(corpus: str) -> Language | None:
    """Return the language in whose file of labeled sentences a corpus is stored, or None."""
    described = map(languages.get_language, languages.codes())
    return next((item for item in described if corpus and corpus in (item.sentences, item.reference)), None)


def sentences_with(language: Language, lemma: str) -> list[Sentence]:
    """Return the labeled sentences of one word of a language as they are stored. Parses no other word's lines."""
    try:
        path = registry.resolve(language.sentences, "corpus")
    except ElmoscopeError:
        return []
    wanted = f'"lemma": {json.dumps(lemma, ensure_ascii=False)}'
    with path.open(encoding="utf-8") as file:
        return [_parse(line, number, language.sentences) for number, line in enumerate(file, 1) if wanted in line]


def words_of(language: Language) -> tuple[str, ...]:
    """Return every labeled word of a language in alphabetical order: the listed ones, or else those of its file."""
    if listed := list_words(language):
        return tuple(listed)
    try:
        sentences = read_sentences(registry.resolve(language.sentences, "corpus"))
    except ElmoscopeError:
        return ()
    return tuple(sorted({target.lemma for sentence in sentences for target in sentence.targets if target.lemma}))


def _parse(line: str, number: int, name: str) -> Sentence:
    try:
        row = json.loads(line)
        target = Target(row["position"], row["tokens"][row["position"]], row["sense"], row["lemma"], row.get("pos"))
        return Sentence(tuple(row["tokens"]), (target,))
    except (ValueError, KeyError, IndexError, TypeError):
        raise CorruptArtifact(t("Line {n} of {name} needs tokens, position, lemma and sense.", n=number, name=name)) from None


@dataclass(frozen=True, slots=True)
class Labeled:
    """A labeled word before any of its sentences is read."""

    themes: tuple[str, ...]  # subjects a person may look for it under
    senses: int
    pos: tuple[str, ...]

    @property
    def part_of_speech(self) -> str:
        """Return its only part of speech, or "several"."""
        return self.pos[0] if len(self.pos) == 1 else "several"


def list_words(language: Language) -> dict[str, Labeled]:
    """Return every labeled word of a language in alphabetical order; {} where they are not listed."""
    words = sorted(_read_asset("words", language).items())
    return {word: Labeled(tuple(item["themes"]), item["senses"], tuple(item["pos"])) for word, item in words}


def list_words_in(corpus: str) -> dict[str, Labeled]:
    """Return the labeled words of a language's own corpus; {} for any other corpus."""
    language = sentences_of(corpus)
    return list_words(language) if language else {}


def definition(language: Language, word: str, sense: str) -> str:
    """Return a sense's definition in the user's language, else in the word's language, else in any other; "" if it has none."""
    texts = {code: text for code, text in _read_asset("senses", language).get(word, {}).get(sense, {}).items() if code != "pos"}
    return next((texts[code] for code in (i18n.language(), language.code, *texts) if code in texts), "")


def definitions(language: Language, word: str) -> dict[str, str]:
    """Return the definition of each sense of a word that has one."""
    return {sense: text for sense in _read_asset("senses", language).get(word, {}) if (text := definition(language, word, sense))}


def list_definitions(language: Language) -> list[tuple[str, str, str]]:
    """Return (word, sense, definition) of all defined senses, by word."""
    return [(word, *item) for word in sorted(_read_asset("senses", language)) for item in definitions(language, word).items()]


def _read_asset(name: str, language: Language) -> dict[str, dict]:
    """Return a language's "words", or its "senses": for each word and sense the part of speech, "pos", and the definitions by language code."""
    path = config.ASSETS / f"{name}-{language.code}.json"
    return _read(path, path.stat().st_mtime_ns) if path.is_file() else {}


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> dict[str, dict]:
    """Read a file of words or senses; `changed` is the time of its last change."""
    return read_json(path, expect=dict)


PACKAGE, LEXICON = "wn==1.1.1", "oewn:2024"  # what to install, and to download
_WN_LOCK = threading.Lock()  # wn has one connection for all threads


@dataclass(frozen=True, slots=True)
class DictionarySense:
    """One of a word's senses, in the dictionary's order."""

    number: str  # its identifier in the dictionary
    pos: str
    gloss: str
    words: tuple[str, ...]  # that share it, including this one
    examples: tuple[str, ...]


def dictionary_senses(word: str, language: str) -> tuple[str, tuple[DictionarySense, ...]]:
    """Return the lexicon's name and the word's senses.

    Raises MissingArtifact without the package, its data, or a lexicon of the language.
    """
    try:
        import wn
    except ImportError as error:
        values = {"error": error, "package": PACKAGE}
        raise MissingArtifact(t("WordNet needs the package wn ({error}). Run: pip install {package}", **values)) from None
    with _WN_LOCK:
        wn.config.allow_multithreading = True  # pages run in threads; before the first connection
        if not Path(wn.config.database_path).is_file():  # looking would make an empty one
            raise _no_data(language)
        lexicons = sorted((lexicon.specifier() for lexicon in wn.lexicons(lang=language)), key=lambda name: not name.startswith("oewn"))
        if not lexicons:
            raise _no_data(language)
        synsets = wn.Wordnet(lexicons[0], expand="").synsets(word)
        senses = (DictionarySense(s.id, s.pos, s.definition() or "", tuple(s.lemmas()), tuple(s.examples())) for s in synsets)
        return lexicons[0], tuple(senses)


def _no_data(language: str) -> MissingArtifact:
    if language == "en":
        return MissingArtifact(t("No WordNet here. Run: python -m wn download {lexicon}", lexicon=LEXICON))
    return MissingArtifact(t("No WordNet of this language here. List those available: python -m wn projects"))
