"""Korean text to morphemes, as written: the analyser says where a word is cut, no letter of it is changed.

mecab-ko (Apache-2.0 dictionary, BSD binding; optional) reads the whole sentence; its cuts count inside words that hold Hangul, all
other tokens are core.text's. A piece that stood against the one before it bears core.text's JOINER, so that `join_tokens` gives
the text back, and so that the particle 이 of 눈이 is another token than the word 이.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

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
    return {morpheme.span.start for morpheme in _analyser().parse(whole)}


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
def _analyser():
    try:
        from mecab import MeCab
    except ImportError:
        raise BadInput(
            t("Korean text is cut into morphemes by python-mecab-ko, which is not installed: `pip install python-mecab-ko`.")
        ) from None
    return MeCab()
