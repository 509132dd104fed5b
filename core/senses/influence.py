"""Find the words that decided a word's sense: drop, mask or swap each word around it, and encode it again.

A word's senses are the centroids of its labeled occurrences; an occurrence has the sense of the nearest centroid
(Peters et al. 2018, section 5.3). The forward LSTMs of a biLM fill the first half of a vector and have read the past,
the backward ones fill the second and have read the future, and the two never meet (section 3.1). So each half can be
measured separately. Both have read the word itself. Layer 0 repeats the char-CNN in both halves and has read nothing else.
The model expects words in a place without having read it: there each word's influence is a change of substitutes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import t
from ..common.markup import check_choice, shorten
from ..elmo.mix import mixed
from ..elmo.substitutes import Change, Substitutes
from ..text.languages import tokenize
from ..text.tokens import bare, join_tokens

DROP, MASK, SWAP = WAYS = ("drop", "mask", "swap")
PAST, FUTURE, BOTH = HALVES = ("past", "future", "both")
MASK_TOKEN = "<UNK>"  # spelled like any token: five characters that are not a word
REACH = 20  # words tried on each side: the work grows with words tried times words in the sentence
CLEAR = 0.005  # a smaller margin is 0.00 to two digits: no sense is nearest
LARGE = 0.8  # times a half's spread: from this distance on one half decides, below it only adds more (a large effect, Cohen 1988)
EVEN = 0.3  # times a half's spread: halves whose gains differ by less agree, and a smaller gain does not count


@dataclass(frozen=True, slots=True)
class SentenceVariant:
    """A sentence with one word of the context dropped or replaced."""

    tokens: tuple[str, ...]
    position: int  # position of the target in `tokens`
    changed: int  # position of the changed word in the original sentence


@dataclass(frozen=True, slots=True, eq=False)
class Centroids:
    """A word's senses as vectors: each the mean of its labeled occurrences' unit vectors."""

    senses: tuple[str, ...]
    vectors: np.ndarray  # (S, ...): here (S, V, 3, D), by view and half; in core.senses.edits (S, D), of length 1, in one space
    spread: np.ndarray | None = None  # (V, 3, S) standard deviation of each sense's margin over the labeled occurrences
    least: np.ndarray | None = None  # (V, 3, S) least cosine of a sense's labeled occurrence with the mean of its others


@dataclass(frozen=True, slots=True, eq=False)
class Influence:
    """Cosines of the target to every sense, in its sentence, in each variant of it, and alone; V views, 3 halves, S senses.

    Views are the layers, then the mix. Without labeled senses S is 0 and only `moved` has values.
    """

    tokens: tuple[str, ...]
    position: int
    changed: tuple[int, ...]  # (K,) positions of the words tried
    views: tuple[str, ...]
    senses: tuple[str, ...]
    cosines: np.ndarray  # (V, 3, S) in the sentence
    varied: np.ndarray  # (K, V, 3, S) in each variant
    alone: np.ndarray  # (V, 3, S) with no sentence around it
    moved: np.ndarray  # (K, V, 3) 1 - cosine of the target's vector in the variant with the one in the sentence
    spread: np.ndarray  # (V, 3, S), of Centroids; 0 where not known
    least: np.ndarray  # (V, 3, S), of Centroids; -1 where not known

    def word_at(self, position: int) -> str:
        """Return a word of the sentence, cut if it is long."""
        return shorten(bare(self.tokens[position]))


@dataclass(frozen=True, slots=True)
class SenseStanding:
    """The comparison of a sense with its rivals in one half of one view."""

    view: str
    half: str
    sense: str
    rival: str  # the nearest of the others
    cosine: float
    margin: float  # cosine to the sense minus that to the rival, -2 to 2; negative where the rival is nearer
    alone: float  # the sense's margin with no sentence around the word
    far: bool = False  # farther from the sense than any of its labeled sentences

    @property
    def clear(self) -> bool:
        """Return whether the sense leads clearly."""
        return self.margin >= CLEAR


def half_name(half: str) -> str:
    """Return the name of a direction: "past", "future" or "both"."""
    return {"past": t("past"), "future": t("future"), "both": t("both")}[half]


def variants(tokens: Sequence[str], position: int, how: str, swap: str = "") -> tuple[SentenceVariant, ...]:
    """Return one sentence for each word but the target within REACH of it, in reading order.

    `how` is 'drop', 'mask' (MASK_TOKEN in its place) or 'swap' (`swap` in its place). A swap with the same word stays, with an influence of
    0. BadInput if `how` is unknown, `position` is outside, or `swap` is not one word.
    """
    tokens = tuple(tokens)
    if not 0 <= position < len(tokens):
        raise BadInput(t("There is no word number {number} in a sentence of {n}. Tap a word.", number=position + 1, n=len(tokens)))
    check_choice(t("way to change a word"), how, WAYS)
    if how == DROP:
        replacement = ()
    else:
        replacement = (MASK_TOKEN,) if how == MASK else (_one_word(swap),)
    results = []
    for k in range(max(0, position - REACH), min(len(tokens), position + REACH + 1)):
        if k != position:
            moved = position - 1 if how == DROP and k < position else position  # a word is missing before the target
            results.append(SentenceVariant(tokens[:k] + replacement + tokens[k + 1 :], moved, k))
    return tuple(results)


def centroids(vectors: np.ndarray, labels: Sequence[str], weights: np.ndarray) -> Centroids:
    """Return the mean of each sense's unit vectors in every view and half, from labeled occurrences (N, L, D) and a mix (L,)."""
    units = unit_views(vectors, weights)
    names = np.asarray(labels, object)
    senses = tuple(sorted(set(labels)))
    if not senses:
        return Centroids((), np.empty((0, *units.shape[1:]), units.dtype))
    means = np.stack([units[names == sense].mean(axis=0) for sense in senses])
    cosines = np.einsum("nvhd,svhd->nvhs", units, unit(means))
    least = np.stack([_least(units[names == sense]) for sense in senses], axis=-1)
    if len(senses) == 1:
        return Centroids(senses, means, least=least)
    return Centroids(senses, means, np.stack([margins(cosines, s).std(axis=0) for s in range(len(senses))], axis=-1), least)


def _least(units: np.ndarray) -> np.ndarray:
    """Return the least cosine of one row with the mean of the others, (N, V, 3, D) -> (V, 3); -1 if there is no other."""
    if len(units) < 2:
        return np.full(units.shape[1:3], -1.0)
    return np.einsum("nvhd,nvhd->nvh", units, unit(units.sum(axis=0) - units)).min(axis=0)


def unit_views(layers: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return every layer and the mix as past half, future half and both: (N, L, D) -> (N, L + 1, 3, D), of length 1 (or 0).

    The numbers of the other half are 0, so that a dot product is the cosine of halves.
    """
    mix = mixed(layers, weights, axis=1)[:, None]  # (N, 1, D)
    wide = np.repeat(np.concatenate([layers, mix], axis=1)[:, :, None], 3, axis=2)  # (N, L + 1, 3, D)
    middle = layers.shape[-1] // 2
    wide[:, :, HALVES.index(PAST), middle:] = 0
    wide[:, :, HALVES.index(FUTURE), :middle] = 0
    return unit(wide)


def influence(
    encoder, tokens: Sequence[str], position: int, sense_centroids: Centroids | None, *, how: str, weights: np.ndarray, swap: str = ""
) -> Influence:
    """Compute the target's cosines to its senses with every word of its context changed in turn, in one batch of `encoder`.

    `sense_centroids` are the word's (None: it has no labeled ones), made with the same mix `weights` (L,). BadInput as `variants`.
    """
    tried = variants(tokens, position, how, swap)
    sentences = [list(tokens), [tokens[position]], *(list(v.tokens) for v in tried)]
    places = [position, 0, *(v.position for v in tried)]
    encoded = encoder.encode(sentences)
    layers = np.stack([array[:, place] for array, place in zip(encoded, places, strict=True)])  # (2 + K, L, D)
    units = unit_views(layers, weights)  # (2 + K, V, 3, D)
    senses = sense_centroids or Centroids((), np.empty((0, *units.shape[1:]), units.dtype))
    cosines = np.einsum("nvhd,svhd->nvhs", units, unit(senses.vectors))
    return Influence(
        tokens=tuple(tokens),
        position=position,
        changed=tuple(v.changed for v in tried),
        views=(*map(str, range(layers.shape[1])), "mix"),
        senses=senses.senses,
        cosines=cosines[0],
        alone=cosines[1],
        varied=cosines[2:],
        moved=np.maximum(0.0, 1.0 - np.einsum("nvhd,vhd->nvh", units[2:], units[0])),
        spread=np.zeros_like(cosines[0]) if senses.spread is None else senses.spread,
        least=np.full_like(cosines[0], -1.0) if senses.least is None else senses.least,
    )


def expectations(substitutes: Substitutes, tokens: Sequence[str], position: int, *, how: str, swap: str = "") -> dict[int, Change]:
    """Return by position how each word, changed as by `variants`, changes what is expected in the target's place."""
    tried = variants(tokens, position, how, swap)
    sentences = [list(tokens), *(list(v.tokens) for v in tried)]
    places = substitutes.model.encoder.around(sentences, [position, *(v.position for v in tried)])
    changes = substitutes.changes(places, [tokens[position]] * len(sentences))
    return dict(zip((v.changed for v in tried), changes, strict=True))


def margins(cosines: np.ndarray, sense: int) -> np.ndarray:
    """Return the cosine to a sense minus the best of all others', (..., S) -> (...). BadInput if there is no other."""
    if cosines.shape[-1] < 2:
        raise BadInput(t("A word needs at least two labeled senses."))
    return cosines[..., sense] - np.delete(cosines, sense, axis=-1).max(axis=-1)


def parts(result: Influence, view: str, half: str, sense: str) -> np.ndarray:
    """Return how much each word adds to the sense's margin (K,): positive if the word supports the sense."""
    v, h, s = result.views.index(view), HALVES.index(half), result.senses.index(sense)
    return margins(result.cosines[v, h], s) - margins(result.varied[:, v, h], s)


def measure_apart(result: Influence, view: str, half: str) -> np.ndarray:
    """Return how much the target's cosine with the second centroid, the word of another sentence, gains without each word (K,)."""
    v, h = result.views.index(view), HALVES.index(half)
    return result.varied[:, v, h, 1] - result.cosines[v, h, 1]


def shifts(result: Influence, view: str, half: str) -> np.ndarray:
    """Return how far each word moves the target toward each sense (K, S), a difference of cosines."""
    v, h = result.views.index(view), HALVES.index(half)
    return result.cosines[v, h] - result.varied[:, v, h]


def verdict(result: Influence, view: str, half: str, sense: str | None = None) -> SenseStanding:
    """Compare a sense, by default the nearest one, with its rivals in one half of one view."""
    v, h = result.views.index(view), HALVES.index(half)
    cosines = result.cosines[v, h]
    s = int(cosines.argmax()) if sense is None else result.senses.index(sense)
    margin, base_margin = margins(cosines, s), margins(result.alone[v, h], s)
    rival = next(int(k) for k in np.argsort(-cosines, kind="stable") if k != s)
    far = bool(cosines[s] < result.least[v, h, s])
    return SenseStanding(view, half, result.senses[s], result.senses[rival], float(cosines[s]), float(margin), float(base_margin), far)


def halves(result: Influence, view: str) -> dict[str, SenseStanding]:
    """Return the sense that the past, the future and both together choose in one view."""
    return {half: verdict(result, view, half) for half in HALVES}


def gains(result: Influence, view: str) -> dict[str, float]:
    """Return what the sentence adds in each half to the lead of the chosen sense, in standard deviations of that half.

    Both halves together choose the sense. A half favors a sense whatever it has read: its margin without a sentence is subtracted, which
    leaves a half that has read nothing at 0. One half's margins may be larger throughout: each is divided by how much its margin for that
    sense varies over the word's labeled occurrences. 0 if they do not vary.
    """
    v = result.views.index(view)
    sense = verdict(result, view, BOTH).sense
    scores = {}
    for half in HALVES:
        item = verdict(result, view, half, sense)
        spread = result.spread[v, HALVES.index(half), result.senses.index(sense)]
        scores[half] = (item.margin - item.alone) / float(spread) if spread > 0 else 0.0
    return scores


def settles(result: Influence, view: str) -> str | None:
    """Return the half, "past" or "future", that adds more to the lead of the chosen sense, or None if neither does clearly."""
    added = gains(result, view)
    past, future = added[PAST], added[FUTURE]
    if not verdict(result, view, BOTH).clear or abs(past - future) < EVEN or max(past, future) < EVEN:
        return None
    return PAST if past > future else FUTURE


def turning(result: Influence, view: str, half: str) -> tuple[int, ...]:
    """Return the positions of words that, changed one at a time, make another sense the nearest."""
    v, h = result.views.index(view), HALVES.index(half)
    current = result.cosines[v, h].argmax()
    return tuple(k for k, row in zip(result.changed, result.varied[:, v, h], strict=True) if row.argmax() != current)


def _one_word(swap: str) -> str:
    result = tokenize(swap)
    if not result:
        raise BadInput(t("Type the word to put in each place."))
    if len(result) > 1:
        raise BadInput(t("“{text}” is not one word. Type a single word to put in each place.", text=shorten(join_tokens(result))))
    return result[0]
