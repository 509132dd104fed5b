"""The two forms of a word that the end of a line has cut in two: with its hyphen and without. A corpus is read in the form it has elsewhere."""

from collections import Counter
from collections.abc import Sequence

from .composed import JOINER, folded
from .legible import cut_words, legible
from .tokens import bare, spans_in


def other_forms(tokens: Sequence[str], text: str | None) -> list[tuple[int, str]]:
    """Return the tokens that a line's end has cut in two: the position and the other form of each.

    >>> other_forms(["well-known", "council"], "well-\\u200bknown coun-\\u200bcil")
    [(0, 'wellknown'), (1, 'coun-cil')]
    """
    if not text or not any(word.is_line_end and not word.is_soft for word in cut_words(text)):
        return []
    results = []
    for k, (token, span) in enumerate(zip(tokens, spans_in(tokens, text), strict=True)):
        piece = text[span[0] : span[1]] if span else ""
        if any(word.is_line_end and not word.is_soft for word in cut_words(piece)):
            joined, hyphened = legible(piece, lambda word: True), legible(piece)
            other = joined if bare(token) == hyphened else hyphened
            results.append((k, JOINER * token.startswith(JOINER) + other + JOINER * token.endswith(JOINER)))
    return results


def settle_tokens(sentences: Sequence[tuple[Sequence[str], str | None]]) -> dict[int, dict[int, str]]:
    """Return the tokens, by sentence and position, whose other form is the commoner one elsewhere in sentences of (tokens, text)."""
    cut = {n: dict(forms) for n, (tokens, text) in enumerate(sentences) if text and (forms := other_forms(tokens, text))}
    if not cut:
        return {}
    words = {folded(bare(form)) for n, forms in cut.items() for k, other in forms.items() for form in (other, sentences[n][0][k])}
    spelled: Counter[str] = Counter()
    for n, (tokens, _) in enumerate(sentences):
        spelled.update(tokens if n not in cut else (token for k, token in enumerate(tokens) if k not in cut[n]))
    counts: Counter[str] = Counter()
    for token, count in spelled.items():
        if (word := folded(bare(token))) in words:
            counts[word] += count

    def count_of(form: str) -> int:
        return counts[folded(bare(form))]

    changed = {n: {k: other for k, other in forms.items() if count_of(other) > count_of(sentences[n][0][k])} for n, forms in cut.items()}
    return {n: forms for n, forms in changed.items() if forms}
