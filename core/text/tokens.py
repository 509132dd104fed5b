"""Split sentences into tokens, join tokens to text, and encode them as character ids, for any language.

Tokens follow the Penn Treebank ("don't" -> "do n't", "Let's" -> "Let 's"), like the text ELMo was trained on. Character ids are AllenNLP's: a
token is 50 ids unless a model has another number, 0 where there is no token at all, 1..256 a UTF-8 byte plus one, then begin and end of sentence,
begin and end of word, padding (262 ids in all). Longer tokens are cut, to 48 bytes of 50 ids.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from .normalization import JOINER, STRAIGHT, Choice, Legible, cut_words, fold_case, keep_hyphen, legible, plain_signs, read

IDS_PER_TOKEN = 50
N_CHARACTER_IDS = 262
BEGIN_SENTENCE, END_SENTENCE, BEGIN_WORD, END_WORD, PADDING = 257, 258, 259, 260, 261
SENTENCE_BEGIN, SENTENCE_END = "<S>", "</S>"  # names of the two boundary tokens in a vocabulary

_CLITIC = r"n't|'(?:s|m|d|ll|re|ve)"
# With accents, and the vowel signs of Hebrew, Arabic, the scripts of India, Thai, Burmese and Khmer.
_VOWEL_SIGNS = (
    r"\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e8\u06ea-\u06ed"
    r"\u0900-\u0963\u0966-\u0df3\u0e31-\u0e3a\u0e47-\u0e4e\u102b-\u103e\u17b4-\u17d3"
)
_LETTER = rf"[\w\u0300-\u036f{_VOWEL_SIGNS}]"
# Abbreviations in any letter case. Those that are words too ("rep", "sen", 5 ms) need a capital, and "no" a number after it.
_SHORT = r"mr|mrs|dr|prof|st|jr|sr|lt|sgt|capt|gov|vs|etc|inc|ltd|corp"
_SHORT_CAPITAL = r"M[Ss]|G[Ee][Nn]|C[Oo][Ll]|R[Ee][Vv]|S[Ee][Nn]|R[Ee][Pp]|C[Oo]|M[Tt]"
_NUMBER = r"nos?\.(?=\s*\d)"
_NUMBERS = r"\d++(?:[.,:/]\d++)*+"
_HANGUL = r"\uac00-\ud7a3"
_TOKEN = re.compile(
    rf"""
      (?:{_LETTER}{{1,40}}[-']){{0,5}}?{_LETTER}{{1,40}}?(?=(?:{_CLITIC})(?!{_LETTER}|-{_LETTER}))  # do|n't, O'Brien|'s: the word before a clitic
    | (?:{_CLITIC})(?!{_LETTER}|-{_LETTER})         # the clitic itself
    | (?:https?://|www\.)[^\s<>"]{{1,500}}[^\s<>".,;:!?)\]'] # web addresses stay whole
    | [\w.+-]{{1,64}}@[\w-]{{1,64}}(?:\.[\w-]{{1,64}})+            # mail addresses
    | (?:[A-Za-z]\.){{2,}}                    # U.S., e.g.
    | (?:{_SHORT}|(?-i:{_SHORT_CAPITAL}))\.(?!\w) | {_NUMBER}
    | [\U0001f1e6-\U0001f1ff]{{2}} | [0-9#*]\ufe0f\u20e3      # flags and keycaps, of two or three signs
    | (?-i:[A-Z]{{1,4}}(?:&[A-Z]{{1,4}})+)(?!\w)  # AT&T, R&D
    | {_NUMBERS}(?=[ap]\.m\.) | \d{{1,2}}:\d\d[ap]m(?!\w) | \d++(?:[.,:/]\d++)++(?=[{_HANGUL}])       # 5p.m., 7:30am, 1,000\uc6d0
    | \d++(?:(?:,\d{{3}})*+\.\d++|(?:,\d{{3}})++)[^\W\d_{_HANGUL}]{{1,10}}(?![^\W{_HANGUL}])  # 3.2GHz, 1,500mg
    | \d+(?:[.,:/]\d+)*(?:st|nd|rd|th|s|m|km|kg)?(?![^\W_])   # 3.14, 1,000, 12:30, 1990s
    | {_LETTER}+(?:[-'\u2019]{_LETTER}+)*    # words, with hyphens and inner apostrophes
    | \.\.+ | --+ | ``| ''                    # runs that mean one thing
    | [^\s](?:[\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]|\u200d[^\s\w])*   # any other visible character alone, an emoji with its signs
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CLOSES = re.compile(rf"[,.;:!?%)\]}}\u2026]+|{_CLITIC}", re.IGNORECASE)
_OPENERS = frozenset("([{$\u00a3\u20ac#")
_BLANKS = re.compile(r"\s*")
_CURLY = STRAIGHT | {0: " "}


def tokenize(sentence: str, choose: Choice = keep_hyphen) -> list[str]:
    """Return the tokens of one sentence: words, clitics and punctuation marks; [] for blank text.

    `choose` decides whether a word that a line's end has cut in two keeps its hyphen (core.text.normalization).

    >>> tokenize("Let's stick to the bank's plan, don't you think?")
    ['Let', "'s", 'stick', 'to', 'the', 'bank', "'s", 'plan', ',', 'do', "n't", 'you', 'think', '?']
    """
    return _TOKEN.findall(legible(sentence, choose).translate(_CURLY))


def token_spans(sentence: str, choose: Choice = keep_hyphen) -> tuple[Legible, list[tuple[int, int]]]:
    """Return the sentence as it is read, quotation marks straight, and where each token of `tokenize` begins and ends in that."""
    plain = read(sentence, choose)
    plain = replace(plain, text=plain.text.translate(_CURLY))
    return plain, [match.span() for match in _TOKEN.finditer(plain.text)]


def find_word(tokens: list[str], word: str) -> list[int]:
    """Return the positions of `word` among `tokens`, ignoring letter case, joiners and spellings of accents."""
    wanted = fold_case(bare(word))
    return [i for i, token in enumerate(tokens) if fold_case(bare(token)) == wanted]


def bare(token: str) -> str:
    """Return a token without the joiners at its edges."""
    return token.strip(JOINER) or token


def join_tokens(tokens: list[str]) -> str:
    """Join tokens to readable text: no space before closing marks and clitics, or after opening ones. Straight quotes open and close in turn.

    >>> join_tokens(["do", "not", "say", '"', "yes", "!", '"', "(", "yet", ")"])
    'do not say "yes!" (yet)'
    """
    return "".join(pieces(tokens))


def pieces(tokens: Sequence[str]) -> list[str]:
    """Return the tokens as `join_tokens` writes them, each with the space before it, if any."""
    return [f" {bare(token)}" if has_space else bare(token) for token, has_space in zip(tokens, spaced(tokens), strict=True)]


def as_in_text(tokens: Sequence[str], text: str | None) -> list[str]:
    """Return tokens as their text has them, with all blanks before them. Without a text, or if a token is not in it, as `pieces`.

    >>> as_in_text(["do", "n't", "say", "“"], "don’t   say “")
    ['do', 'n’t', '   say', ' “']
    """
    spans = spans_in(tokens, text) if text else [None]
    return pieces(tokens) if None in spans else [text[a:b] for a, b in pairwise([0, *(end for _, end in spans[:-1]), len(text)])]


def spans_in(tokens: Sequence[str], text: str) -> list[tuple[int, int] | None]:
    """Return where each token begins and ends in the text they were cut from; None for a token that is not in it.

    >>> spans_in(["bank", "ing", "hours"], "bank\u00ading hours"), spans_in(["banking", "hours"], "bank\u00ading hours")
    ([(0, 4), (5, 8), (9, 14)], [(0, 8), (9, 14)])
    """
    letters = [plain_signs(bare(token)).translate(_CURLY) or bare(token) for token in tokens]
    joined = " ".join(letters).casefold()
    spans = _aligned(letters, read(text, lambda word: (word.left + word.right).casefold() in joined))
    return spans if None not in spans or not any(cut_words(text)) else _aligned(letters, read(text))


def _aligned(letters: Sequence[str], plain: Legible) -> list[tuple[int, int] | None]:
    text = plain.text.translate(_CURLY)
    results: list[tuple[int, int] | None] = []
    position = 0
    for token in letters:
        start = text.find(token, position, _BLANKS.match(text, position).end() + len(token))
        if start < 0:
            results.append(None)
            continue
        position = start + len(token)
        results.append(plain.span(start, position))
    return results


def is_joined(tokens: Sequence[str], k: int) -> bool:
    """Return whether a joiner holds token `k` to the one before it; False past the end."""
    if not 0 < k < len(tokens):
        return False
    before, token = tokens[k - 1], tokens[k]
    return (token.startswith(JOINER) and bare(token) != token) or (before.endswith(JOINER) and bare(before) != before)


def spaced(tokens: Sequence[str]) -> list[bool]:
    """Return for each token whether `join_tokens` puts a space before it. A joiner prevents it."""
    results = []
    is_glued, is_quoting = True, False
    for k, token in enumerate(tokens):
        plain = bare(token)
        closes = plain == '"' and is_quoting
        results.append(not (is_glued or closes or is_joined(tokens, k) or _CLOSES.fullmatch(plain)))
        is_quoting ^= plain == '"'
        is_glued = plain in _OPENERS or (plain == '"' and is_quoting)
    return results


def around(tokens: Sequence[str], position: int) -> tuple[str, str, str]:
    """Split a sentence at a token: what is before it, the token, and what is after it.

    >>> around(["They", "sat", "on", "the", "bank", "of", "the", "river", "."], 4)
    ('They sat on the ', 'bank', ' of the river.')
    """
    written = pieces(tokens)
    word = written[position]
    left, right = "".join(written[:position]).lstrip(), "".join(written[position + 1 :]).rstrip()
    return left + (" " if left and word.startswith(" ") else ""), word.strip(), right


def character_ids(tokens: list[str], size: int = IDS_PER_TOKEN) -> np.ndarray:
    """Return ELMo's character ids of tokens, (T, size) int64: of each its first size - 2 bytes between two marks, as bilm-tf cuts it.

    Unpaired surrogates are dropped, as AllenNLP does.
    """
    ids = np.full((len(tokens), size), PADDING, dtype=np.int64)
    marks = {SENTENCE_BEGIN: [BEGIN_SENTENCE], SENTENCE_END: [END_SENTENCE]}
    for row, token in zip(ids, tokens, strict=True):
        inner = marks.get(token) or [byte + 1 for byte in token.encode("utf-8", "ignore")[: size - 2]]
        row[: len(inner) + 2] = [BEGIN_WORD, *inner, END_WORD]
    return ids


def letter_count(text: str) -> float:
    """Return the width of a text in Latin letters. A letter of Hangul is nearly twice as wide."""
    return sum(1.0 if sign.isascii() else 1.7 for sign in text)


def window(n: int, position: int, n_words: int, width: int) -> tuple[int, int]:
    """Return the range of the tokens to show of n: up to `width` around the target words, as evenly on both sides as the sentence allows.

    >>> window(100, 50, 1, 4), window(100, 1, 1, 4), window(100, 50, 1, 5)
    ((48, 53), (0, 5), (48, 54))
    """
    end = position + n_words
    n_left = min(position, max(width // 2, width - (n - end)))
    n_right = min(n - end, width - n_left)
    return position - n_left, end + n_right


def write_word(word: str) -> str:
    """Write a word of a model's vocabulary. One that is joined to the word before it gets a hyphen, as Korean endings are written."""
    return f"-{bare(word)}" if word.startswith(JOINER) and bare(word) != word else bare(word)


def other_forms(tokens: Sequence[str], text: str | None) -> list[tuple[int, str]]:
    r"""Return the position and the other form of each token that the end of a line has cut in two: with its hyphen, or without.

    >>> other_forms(["well-known", "council"], "well-\u200bknown coun-\u200bcil")
    [(0, 'wellknown'), (1, 'coun-cil')]
    """

    def is_cut(text: str) -> bool:
        return any(word.is_line_end and not word.is_soft for word in cut_words(text))

    if not text or not is_cut(text):
        return []
    results = []
    for k, (token, span) in enumerate(zip(tokens, spans_in(tokens, text), strict=True)):
        piece = text[span[0] : span[1]] if span else ""
        if is_cut(piece):
            joined, hyphened = legible(piece, lambda word: True), legible(piece)
            other_form = joined if bare(token) == hyphened else hyphened
            results.append((k, JOINER * token.startswith(JOINER) + other_form + JOINER * token.endswith(JOINER)))
    return results


def settle_tokens(sentences: Sequence[tuple[Sequence[str], str | None]]) -> dict[int, dict[int, str]]:
    """Return the tokens, by sentence and position, whose other form is more frequent elsewhere in sentences of (tokens, text)."""
    cut = {n: dict(forms) for n, (tokens, text) in enumerate(sentences) if text and (forms := other_forms(tokens, text))}
    if not cut:
        return {}
    spelled: Counter[str] = Counter()
    for n, (tokens, _) in enumerate(sentences):
        spelled.update(tokens if n not in cut else (token for k, token in enumerate(tokens) if k not in cut[n]))
    counts: Counter[str] = Counter()
    for token, count in spelled.items():
        counts[fold_case(bare(token))] += count

    def is_more_frequent(form: str, other_form: str) -> bool:
        return counts[fold_case(bare(form))] > counts[fold_case(bare(other_form))]

    changed = {n: {k: form for k, form in forms.items() if is_more_frequent(form, sentences[n][0][k])} for n, forms in cut.items()}
    return {n: forms for n, forms in changed.items() if forms}
