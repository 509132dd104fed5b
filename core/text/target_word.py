"""Choose the target word of two sentences: one spelling that is in both, else two forms of one word, else the best word of each.

Words that carry grammar are left out, unless a sentence has no other and shares one with the other sentence. Lists of ambiguous words only choose among several words of the same kind.
A token is identified by its spelling without letter case, joiners and hyphens, and by the lemmas it may be a form of: English ones by
rules for regular endings and a list of irregular forms, Korean ones by the analyzer. A language's description has lists of words
(`Language.words`, each a list of lines):
"function" words that carry grammar, never target words;
"common" words that are rarely what a pair of sentences is about;
"ambiguous" lists of words with several meanings, the most telling list first;
"forms" irregular forms and what they may be forms of, "ran run, lay lie lay";
"own" separate words spelled like a form of another word, "wound" (wind); "either" those that are that form more often, "fell" (fall);
"graded" adjectives that take -er and -est; "before nouns" words after which a noun is likely;
"endings" last syllables of a verb that the analyzer may take for a noun;
"bound" nouns that are grammar behind a verb ("할 수 있다"), separate words elsewhere ("수를 놓다");
"nouns" words that the analyzer takes for pronouns, each with the pieces after it, or words near it, that make it a noun: "이 가 닦다".
A word on no list scores higher, the nearer it is to the middle of its vectors' frequency list: very frequent words mean little, and very
rare ones have one meaning. A language without lists has only these frequencies.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..common import i18n
from ..common.memo import Bounded
from . import languages
from .languages import Language, ranks_of
from .morphemes import Morpheme, analyzed, has_hangul, verbs_of
from .normalization import fold_case
from .tokens import bare

# Scores of words: the lists of ambiguous words share FIRST..LAST, words on no list LEAST..MOST, common ones less.
FIRST, LAST, MOST, LEAST, COMMON, GRAMMAR = 100.0, 60.0, 50.0, 15.0, 8.0, 0.0
AFTER_DETERMINER, NOUN, FREQUENT = 4.0, 4.0, 1.0  # bonuses, all less than the difference between two lists
MIDDLE = 3.2  # log10 of the rank of a word on no list that is worth most, about the 1,600th
# Tags of mecab-ko: verbs and adjectives, nouns and roots, what may be a noun in spite of its tag, endings that make a noun a verb.
VERBS, NOUNS, OTHER = ("VV", "VA"), ("NNG", "NNP", "XR"), ("NNB", "NNBC", "NR", "MAG", "XSN", "IC")
MAKES_VERBS = ("XSV", "XSA")
_NO_PART = ("", "")  # in place of a morpheme and its tag
# Forms of auxiliary verbs, which the language's lists have only among its function words.
_AUXILIARY_FORMS = {
    "be": ("am", "is", "are", "was", "were", "been", "being", "'m", "'re"),
    "have": ("has", "had", "having", "'ve"),
    "do": ("does", "did", "done", "doing"),
    "can": ("could", "ca"),
    "will": ("would", "wo", "'ll"),
}
_PLURALS = ("cpus", "gurus", "hindus", "israelis", "kiwis", "menus", "nazis", "plateaus", "rabbis", "safaris", "skis", "taxis")
_NO_PLURALS = ("always", "gas", "hers", "its", "lens", "news", "ours", "theirs", "yours")
_AFTER_EE = ("agreed", "decreed", "freed", "guaranteed", "kneed", "refereed", "treed")
_DOUBLES = re.compile("[^aeiouy]+[aeiou][^aeiouwxy]")  # what doubles its last letter before -ed, -ing, -er: plan


class Words(NamedTuple):
    """A language's lists of words."""

    function: frozenset[str]
    common: frozenset[str]
    worth: dict[str, float]  # of an ambiguous word
    forms: dict[str, tuple[str, ...]]
    graded: frozenset[str]
    before_nouns: frozenset[str]
    endings: frozenset[str]
    bound: frozenset[str]
    nouns: dict[str, frozenset[str]]
    separate: frozenset[str]
    either: frozenset[str]

    def is_own(self, spelling: str, before: str) -> bool:
        """Return whether a spelling after the word `before` is a separate word, not a form of another: "a saw", "wound"."""
        return spelling in self.separate or (spelling in self.either and before in self.before_nouns)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A token that may be the target word."""

    position: int
    spelling: str  # without hyphens
    worth: dict[str, float]  # score of each lemma, its spelling first
    stem: str  # of a verb, which a noun may be spelled like; else ""
    parts: frozenset[str]  # of a compound

    @property
    def best(self) -> float:
        """Return the score of its best lemma."""
        return max(self.worth.values())


def find_target_words(
    tokens_a: Sequence[str], tokens_b: Sequence[str], language: Language, *, tapped: tuple[int | None, int | None] = (None, None)
) -> tuple[int | None, int | None]:
    """Return the positions of the target words of two sentences; None for one without a token.

    A position in `tapped`, which the user selected, is fixed. The other sentence then follows it if it has the same word.

    >>> find_target_words("He ran to the banks .".split(), "The bank was shut .".split(), languages.get_language("en"))
    (4, 1)
    """
    both = [candidates(tokens, language) for tokens in (tokens_a, tokens_b)]
    for side, position in enumerate(tapped):
        if position is not None:
            both[side] = [_at(both[side], (tokens_a, tokens_b)[side], position)]
    pair = _find_pair(*both)
    if pair is None and tapped == (None, None):
        pair = _find_pair(*_with_spelled_alike(both, (tokens_a, tokens_b)))
        if pair is None and not all(both) and (shared := _longest_shared(tokens_a, tokens_b)):
            return shared
    i, j = pair or tuple(max(words, key=lambda item: item.best, default=None) for words in both)
    return _place(i, tokens_a), _place(j, tokens_b)


def same_word(tokens_a: Sequence[str], i: int, tokens_b: Sequence[str], j: int, language: Language) -> bool:
    """Return whether two tokens are, or may be, forms of one word."""
    a, b = (_at(candidates(tokens, language), tokens, k) for tokens, k in ((tokens_a, i), (tokens_b, j)))
    return bool(a.worth.keys() & b.worth.keys())


def find_forms(tokens: Sequence[str], word: str, language: Language) -> list[int]:
    """Return the positions of a sentence's tokens that are, or may be, forms of a word."""
    wanted = {*_at(candidates([word], language), [word], 0).worth, *auxiliary_forms(word, language)}
    worths = {item.position: item.worth.keys() for item in candidates(tokens, language)}
    verbs = verbs_in(tokens) if has_hangul(word) else [()] * len(tokens)
    return [k for k, token in enumerate(tokens) if wanted & worths.get(k, {_spelling(token)}) or word in verbs[k]]


def auxiliary_forms(word: str, language: Language) -> tuple[str, ...]:
    """Return the other forms of an English auxiliary verb; () for other words."""
    return _AUXILIARY_FORMS.get(_spelling(word), ()) if language.code == i18n.ENGLISH else ()


def verbs_in(tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """Return for each token the Korean verbs that it, with the token after it, may be a form of: 먹 · 었다 of 먹다, 사랑 · 해 of 사랑하다."""
    read = analyzed(tokens)
    results = []
    for item, following in zip(read, [*read[1:], None], strict=True):
        parts = [*item.parts, *(following.parts if following else ())] if item else []
        (stem, tag), (after, next_tag) = (*parts, _NO_PART, _NO_PART)[:2]
        if tag in VERBS:
            results.append(verbs_of(stem, after))
        else:
            results.append((f"{stem}{after}다",) if next_tag in MAKES_VERBS else ())
    return results


def candidates(tokens: Sequence[str], language: Language) -> list[Candidate]:
    """Return the tokens that may be the target word: all words except those that carry grammar."""
    words = []
    read = analyzed(tokens)
    stems = frozenset(part + "다" * (tag in VERBS) for item in read if item for part, tag in item.parts) | {*map(bare, tokens)}
    for k, (token, morpheme) in enumerate(zip(tokens, read, strict=True)):
        if morpheme is not None:
            before = read[k - 1].parts[-1] if k and read[k - 1] else _NO_PART
            after = read[k + 1].parts[0] if k + 1 < len(read) and read[k + 1] else _NO_PART
            item = _korean(k, token, morpheme, (before, after), stems, _of_hangul(language))
        elif has_hangul(token) or not any(map(str.isalpha, bare(token))):
            continue
        else:
            item = _make_candidate(k, tokens, language)
        if item is not None:
            words.append(item)
    return words


def _with_spelled_alike(both: list[list[Candidate]], tokens: tuple[Sequence[str], ...]) -> list[list[Candidate]]:
    """Add the grammatical words of one sentence that the other has as a content word, such as "may" and "May"."""
    results = []
    for items, other_items, words in zip(both, both[::-1], tokens, strict=True):
        positions, spellings = {item.position for item in items}, {item.spelling for item in other_items}
        added = (_at(items, words, k) for k, word in enumerate(words) if k not in positions and _spelling(word) in spellings)
        results.append([*items, *added])
    return results


def _find_pair(of_a: list[Candidate], of_b: list[Candidate]) -> tuple[Candidate, Candidate] | None:
    """Return the best pair of one spelling, else of forms of one word, else of one verb's stem, else sharing a part of a compound."""
    for keys in (lambda c: {c.spelling}, lambda c: set(c.worth), lambda c: {c.stem, *c.worth} - {""}, lambda c: {*c.parts, *c.worth}):
        pairs = [(a, b, shared | (a.worth.keys() & b.worth.keys())) for a in of_a for b in of_b if (shared := keys(a) & keys(b))]
        if pairs:
            return max(pairs, key=_rank)[:2]
    return None


def _longest_shared(tokens_a: Sequence[str], tokens_b: Sequence[str]) -> tuple[int, int] | None:
    """Return the positions of the longest spelling that is a word in both sentences, including function words."""
    in_a, in_b = ([(k, _spelling(token)) for k, token in enumerate(tokens) if token.isalpha()] for tokens in (tokens_a, tokens_b))
    pairs = [(i, j, word) for i, word in in_a for j, other in in_b if word == other]
    return max(pairs, key=lambda pair: (len(pair[2]), -pair[0] - pair[1], pair[2]))[:2] if pairs else None


def _rank(pair: tuple[Candidate, Candidate, set[str]]) -> tuple[float, int, str]:
    """Rank a pair by its worth in both sentences, its places, and its spelling, the same for either order of the sentences.

    `shared` are the spellings and lemmas that both have.
    """
    a, b, shared = pair
    worth = max(min(item.worth.get(key, item.best) for item in (a, b)) for key in shared)
    return worth, -a.position - b.position, min(a.spelling, b.spelling)


def _place(candidate: Candidate | None, tokens: Sequence[str]) -> int | None:
    """Return a candidate's position. Without one, return that of the longest word, or else of the first token."""
    if candidate is not None:
        return candidate.position
    return max(range(len(tokens)), key=lambda k: sum(map(str.isalpha, tokens[k])), default=None)


def _at(words: list[Candidate], tokens: Sequence[str], position: int) -> Candidate:
    plain = _spelling(tokens[position])
    candidate = next((word for word in words if word.position == position), None)
    return candidate or Candidate(position, plain, {plain: GRAMMAR}, "", frozenset())


def _spelling(token: str) -> str:
    return fold_case(bare(token))


# --- words as they are written --------------------------------------------------------------------------------------------


def _make_candidate(k: int, tokens: Sequence[str], language: Language) -> Candidate | None:
    is_latin = language.tokenizer == "morphemes-ko" and bare(tokens[k]).isascii()  # in a Korean text
    source = languages.get_language(i18n.ENGLISH) if is_latin else language
    lists = words_of(source)
    spelling = _spelling(tokens[k])
    before = _spelling(tokens[k - 1]) if k else ""
    is_noun = any(_spelling(token) in lists.before_nouns for token in tokens[max(0, k - 2) : k])
    is_name = k > 0 and tokens[k][:1].isupper() and not tokens[k].isupper() and bare(tokens[k - 1])[-1:].isalnum()
    if spelling in lists.function and not (spelling in lists.worth and (is_noun or is_name)):
        return None
    joined = spelling.replace("-", "") or spelling
    bonus = AFTER_DETERMINER * (before in lists.before_nouns) + NOUN * is_noun
    worth = {}
    for lemma in (joined, *(() if lists.is_own(joined, before) else lemmas(joined, lists))):
        is_only_name = is_name and lemma not in lists.worth
        worth[lemma] = (COMMON if is_only_name else _worth(lemma, lists, source)) + bonus
    parts = [part for part in spelling.split("-") if part] if "-" in spelling else []
    other_lemmas = {lemma for part in parts for lemma in (part, *lemmas(part, lists))} - lists.function
    return Candidate(k, joined, worth, "", frozenset(other_lemmas))


def lemmas(word: str, lists: Words) -> tuple[str, ...]:
    """Return the words that a spelling may be a form of, by its ending or the list of irregular forms.

    >>> lemmas("banks", words_of(languages.get_language("en"))), lemmas("running", words_of(languages.get_language("en")))
    (('bank',), ('runn', 'runne', 'run'))
    """
    if not lists.forms:  # regular endings are those of languages that list irregular forms
        return ()
    result = list(lists.forms.get(word, ()))
    if word.endswith("ies") and len(word) > 3:
        result += [word[:-3] + "y", word[:-1]]
    elif word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        result += [word[:-2], word[:-1]]
    elif word.endswith("s") and (word in _PLURALS or not (word.endswith(("ss", "us", "is")) or word in _NO_PLURALS)):
        result.append(word[:-1])
    if word.endswith("ied"):
        result += [word[:-3] + "y", word[:-1]]
    elif word.endswith(_AFTER_EE):
        result.append(word[:-1])
    elif word.endswith("ed") and not word.endswith("eed"):
        result += _without(word, 2)
    elif word.endswith("ing"):
        result += _without(word, 3)
    for ending in ("er", "est"):
        if word.endswith(ending):
            bases = [word[: -len(ending) - 1] + "y"] if word.endswith(f"i{ending}") else _without(word, len(ending))
            result += [base for base in bases if base in lists.graded]
    return tuple(item for item in dict.fromkeys(result) if item != word and len(item) > 1 and set(item) & set("aeiouy"))


def _without(word: str, ending: int) -> list[str]:
    """Return bases without an ending: unchanged ("stared" is no "star", which doubles its r), with a silent e, with a single last letter."""
    base = word[:-ending]
    if len(base) < 2 or not set(base) & set("aeiouy"):  # "thing" is no form of "the"
        return []
    if len(base) == 2:  # nor is "used" of "us"
        return [base if base in ("be", "do", "go") else base + "e"]
    unchanged = [] if _DOUBLES.fullmatch(base) else [base]
    return [*unchanged, base + "e"] + ([base[:-1]] if base[-1] == base[-2] and base[-1] not in "aeiou" else [])


# --- words as mecab-ko reads them -----------------------------------------------------------------------------------------


def _of_hangul(language: Language) -> Language:
    """Return the language whose lists hold Hangul: this one, or else the one with the analyzer."""
    codes = (language.code, *languages.codes())
    return next((languages.get_language(code) for code in codes if languages.get_language(code).tokenizer == "morphemes-ko"), language)


def _korean(
    k: int, token: str, morpheme: Morpheme, around: tuple[tuple[str, str], ...], stems: frozenset[str], language: Language
) -> Candidate | None:
    """Return a Korean token as a candidate; `around` are the (morpheme, tag) before and after it, `stems` the words of its sentence."""
    lists = words_of(language)
    stem, tag = morpheme.parts[0]
    spelling = bare(token)
    before, after = around
    if tag == "NP" and not lists.nouns.get(spelling, frozenset()).isdisjoint({after[0], *stems}):
        tag = "NNG"  # the tooth of 이가 아프다, which might be "this"
    if tag == "NNB" and spelling in lists.bound:
        return None
    verbs = verbs_of(stem, morpheme.parts[1][0] if len(morpheme.parts) > 1 else after[0]) if tag in VERBS else ()
    if verbs:
        lemma = verbs[0]
    elif tag in (*NOUNS, *OTHER):
        lemma = spelling
    else:
        return None
    listed = lemma in lists.worth
    noun = tag in NOUNS or (tag == "NNB" and before[1] not in NOUNS)  # "사과 등" is "and the like", "굽은 등" a back
    if (lemma in lists.function and not (listed and noun)) or (tag in OTHER and not listed):
        return None
    worth = _worth(lemma, lists, language) + (NOUN if tag in NOUNS else 0.0)
    if after[1] in MAKES_VERBS and f"{spelling}{after[0]}다" in lists.common:  # the 말 of 말했다
        worth = COMMON
    parts = {part for part, part_tag in morpheme.parts if part_tag in NOUNS} if len(morpheme.parts) > 1 else set()
    if tag not in VERBS:  # one that the analyzer took for a noun, perhaps: 차서, 지기
        stem = spelling[:-1] if f"{spelling[:-1]}다" in lists.worth and spelling[-1:] in lists.endings else ""
    # Also its spelling: the analyzer may read a verb of two homographs as either, or as a noun.
    return Candidate(k, spelling, dict.fromkeys((lemma, spelling, *verbs), worth), stem, frozenset(parts))


# --- scores of words -------------------------------------------------------------------------------------------------


def _worth(lemma: str, lists: Words, language: Language) -> float:
    rank = ranks_of(language.vectors).get(lemma)
    frequent = FREQUENT / math.log10(rank + 10) if rank is not None else 0.0
    if lemma in lists.worth:
        return lists.worth[lemma] + frequent
    if lemma in lists.common:
        return COMMON + frequent
    if rank is None:
        return LEAST
    return max(LEAST, MOST - 10 * abs(math.log10(rank + 1) - MIDDLE)) + frequent


_LISTS = Bounded(16)  # by the id of a language's lists; they are stored too, so that no other object gets that id


def words_of(language: Language) -> Words:
    """Return a language's lists of words."""
    source = language.words
    return _LISTS.value(id(source), lambda: (source, _read_lists(source)))[1]


def _read_lists(source: dict) -> Words:
    tiers = source.get("ambiguous", ())
    worth: dict[str, float] = {}
    for k, lines in enumerate(tiers):
        for word in " ".join(lines).split():
            worth.setdefault(word, FIRST - (FIRST - LAST) * k / max(1, len(tiers) - 1))

    def read_words(name: str) -> frozenset[str]:
        return frozenset(" ".join(source.get(name, ())).split())

    def read_entries(name: str) -> dict[str, tuple[str, ...]]:
        entries = (entry.split() for entry in " ".join(source.get(name, ())).split(",") if entry.strip())
        return {item: tuple(more) for item, *more in entries}

    return Words(
        function=read_words("function"),
        common=read_words("common"),
        worth=worth,
        forms=read_entries("forms"),
        graded=read_words("graded"),
        before_nouns=read_words("before nouns"),
        endings=read_words("endings"),
        bound=read_words("bound"),
        nouns={word: frozenset(pieces) for word, pieces in read_entries("nouns").items()},
        separate=read_words("own"),
        either=read_words("either"),
    )
