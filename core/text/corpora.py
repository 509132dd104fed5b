"""Open corpora by name. Labeled sentences are tokenized again as their language's models read text, and labels stay on their words."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from ..files.registry import resolve
from . import languages
from .labeled_words import owner_of, sentences_with
from .languages import Language
from .morphemes import may_follow_noun
from .normalization import fold_case, plain_word
from .sentences import Sentence, Target, read_sentences
from .target_word import same_word
from .tokens import JOINER, bare, find_word, join_tokens, spaced

BUNDLED_CORPUS = "sentences"


def open_corpus(name: str, language: Language | None = None) -> list[Sentence]:
    """Return the sentences of a corpus by its registry name or file, with text cut as `language`, or else the one in use, is read.

    A language's own labeled sentences are stored by words, for people; they come cut as its models read them. They are two corpora in one
    file: the first part, and the reference (core.text.labeled_words).
    """
    owner = owner_of(name)
    with languages.reading(owner or language or languages.in_use()):
        if not (owner and owner.basic):
            sentences = read_sentences(resolve(name, "corpus"))
        elif name == owner.sentences:
            sentences = read_sentences(resolve(name, "corpus"), limit=owner.basic)
        else:
            sentences = read_sentences(resolve(name, "corpus"))[owner.basic :]
    return _recut_all(sentences, owner) if owner else sentences


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
    targets = [_move(t, starts[start], tokens) for t, start in zip(sentence.targets, spans, strict=True)]
    return replace(sentence, tokens=tuple(tokens), targets=tuple(targets))


def with_word(tokens: list[str], word: str) -> list[str]:
    """Return the tokens with `word` as one of them, if a word consists of it and its particles or the copula.

    "차이 다" becomes "차 이 다" for the word 차; 밤길 is no 밤. Without such a word, the tokens stay as they are.
    """
    word = plain_word(word)
    if find_word(tokens, word) or not word:
        return tokens
    places = _spans(tokens)
    for first, last in _runs(tokens):
        letters = "".join(map(bare, tokens[first:last]))
        rest = letters[len(word) :]
        if fold_case(letters).startswith(fold_case(word)) and bare(tokens[first]) != f"{word}임" and may_follow_noun(word, rest):
            start = places[first][0]
            return _with_token(tokens, start, start + len(word))
    return tokens


def cut_at(tokens: list[str], k: int, start: int, end: int) -> list[str]:
    """Return the tokens with token `k` cut so that its letters from `start` to `end` are a separate token."""
    first, last = _spans(tokens)[k]
    return _with_token(tokens, first + start, min(first + end, last))


def locate(tokens: Sequence[str], word: str, language: Language, *, forms: bool = False) -> tuple[list[str], list[int]]:
    """Return a sentence's tokens, cut so that the word is one of them if it can be, and the positions of the word.

    With `forms`, the positions of its other forms if the word itself is missing.
    """
    cut = with_word(list(tokens), word) if language.tokenizer != "words" else list(tokens)
    places = find_word(cut, word)
    if not places and forms:
        places = [k for k in range(len(cut)) if same_word([word], 0, cut, k, language)]
    return cut, places


def longer_word(tokens: Sequence[str], word: str) -> str:
    """Return the word of a sentence that a word is only a part of, as 밤 is of 밤길; "" if the sentence has no such word."""
    wanted = fold_case(bare(plain_word(word)))
    runs = ("".join(map(bare, tokens[first:last])) for first, last in _runs(tokens))
    return next((letters for letters in [*map(bare, tokens), *runs] if wanted and wanted in fold_case(letters)), "")


def _runs(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return the ranges of tokens that are joined to each other, without punctuation at their edges."""
    starts = [
        k
        for k, has_blank in enumerate(spaced(tokens))
        if has_blank or not _is_lettered(tokens[k]) or (k and not _is_lettered(tokens[k - 1]))
    ]
    edges = sorted({0, *starts, len(tokens)})
    return [(first, last) for first, last in pairwise(edges) if _is_lettered(tokens[first])]


def _is_lettered(token: str) -> bool:
    return any(map(str.isalnum, token))


def _move(target: Target, position: int, tokens: list[str]) -> Target:
    return replace(target, position=position, word=tokens[position])


def _spans(tokens) -> list[tuple[int, int]]:
    """Return where each token begins and ends among the letters of all, without spaces and joiners."""
    spans = []
    end = 0
    for token in tokens:
        start = end
        end = end + len(bare(token))
        spans.append((start, end))
    return spans


def _with_token(tokens: list[str], start: int, end: int) -> list[str]:
    """Return the tokens, cut and joined so that one of them is exactly the letters from `start` to `end`."""
    parts: list[str] = []
    for token, (first, last) in zip(tokens, _spans(tokens), strict=True):
        plain = bare(token)
        edges = [first, *(k for k in (start, end) if first < k < last), last]
        for a, b in pairwise(edges):
            piece = plain[a - first : b - first]
            if start < a < end:  # the word goes on in this piece
                parts[-1] += piece
            elif a > first:
                parts.append(f"{JOINER}{piece}")
            else:
                parts.append(token if b == last else token[: len(token) - (last - b)])
    return parts
