"""Substitutes: the words that both directions of the biLM expect in a token's place, before they read it.

log p(w | left) + log p(w | right) - log p(w), normalized over the allowed words: Bayes' rule if both sides are independent given
the word (Amrami and Goldberg 2018; Melamud et al. 2016). p(w) is the softmax at a state of zeros, its bias alone; the mean over many
contexts separates senses no better. Special symbols, words without a letter, the most frequent words, which fit
everywhere, and the token's own forms are masked. For a Korean token only pieces that are joined in the same way are allowed, so
that no particle replaces a noun. Substitutes are weak for function words, names, and the first or last token of a sentence, where one
direction has no context.
"""

import math
import time
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np
import torch
from torch import Tensor

from ..common.directions import unit
from ..common.errors import BadInput
from ..common.i18n import ENGLISH, t
from ..common.markup import check_choice
from ..common.memo import Bounded
from ..text import languages
from ..text.readings import WordInContext, dictionary_forms
from ..text.target_word import candidates, lemmas, words_of
from ..text.tokens import JOINER, as_in_text, bare, spans_in
from .language_model import SPECIALS, LanguageModel, Prediction

BOTH, FORWARD, BACKWARD = "both", "forward", "backward"
COMMONEST = 200  # the most frequent words of the vocabulary, which are masked
MOST = 1000  # substitutes of one place
MOST_WORDS, MOST_BEGINNINGS = 4_096, 4_096  # whose forms are cached
ROWS_PER_PRODUCT = 64  # places through the softmax at a time: 64 x 50,000 numbers are 13 MB
FREQUENT, EVERY = 8_000, 4  # `vectors` reads the FREQUENT most frequent words, and one in EVERY of the rarer ones
ROWS_PER_BLOCK, WORDS_PER_BLOCK = 512, 1024  # of `vectors`: 512 x 1,024 numbers are 2 MB
TEN, MASS = 10, 0.25  # expected words, and the probability that they have together where they are good
READ_AT_ONCE = 128  # sentences between two reports
GRAMMAR, NAME, FIRST, LAST, ALONE = "grammar", "name", "first", "last", "alone"


@dataclass(frozen=True, slots=True)
class Change:
    """The change from the substitutes of one place to those of another."""

    size: float  # 1 - the sum of sqrt(p q): 0 the same, 1 no word in common
    come: tuple[str, ...]  # words that gain most by it, most first
    go: tuple[str, ...]  # words that lose most


class Substitutes:
    """Substitutes by both directions' softmax. A place is a result (2P,) of `Encoder.around`: the states before and behind a token."""

    def __init__(self, model: LanguageModel) -> None:
        self.model = model
        self.dim = model.softmax.weight.shape[1]  # P, of `vectors`
        self._own_forms: Bounded[str, list[int]] = Bounded(MOST_WORDS)
        self._forms_by_beginning: Bounded[str, dict[str, list[str]]] = Bounded(MOST_BEGINNINGS)

    def likeliest(
        self, places: np.ndarray, words: Sequence[str], k: int = 10, *, direction: str = BOTH, common: bool = False
    ) -> list[tuple[Prediction, ...]]:
        """Return the k likeliest substitutes of n places (n, 2P) with tokens `words`, best first.

        `direction` "forward" uses p(w | left) alone, "backward" p(w | right). `common` also allows the most frequent words. Probabilities
        are normalized over the allowed words.
        """
        if not 1 <= k <= MOST:
            raise BadInput(t("k must be between 1 and {most}, got {k}.", most=MOST, k=k))
        check_choice(t("direction"), direction, (BOTH, FORWARD, BACKWARD))
        results = []
        for start in range(0, len(places), ROWS_PER_PRODUCT):
            rows = slice(start, start + ROWS_PER_PRODUCT)
            p, ids = self._shares(places[rows], words[rows], direction, common).topk(min(k, len(self.model.vocabulary)), dim=1)
            results += [
                tuple(Prediction(bare(self.model.vocabulary.words[i]), share) for i, share in zip(*row, strict=True) if share > 0)
                for row in zip(ids.tolist(), p.tolist(), strict=True)
            ]
        return results

    def vectors(self, places: np.ndarray, words: Sequence[str]) -> np.ndarray:
        """Return vectors (n, P) float32 of length 1 for places (n, 2P): the sum of sqrt(p) times the whitened softmax weights.

        Square roots are used because p and q overlap by the sum of sqrt(p q) (Bhattacharyya 1943), so that rare substitutes count next to a
        certain one. Of the words after the FREQUENT most frequent ones, one in EVERY is computed and represents all: a third of the time,
        with the same separation of senses. Zeros for a mark without a letter or digit.
        """
        vectors = np.zeros((len(places), self.dim), np.float32)
        spelled = np.flatnonzero([any(map(str.isalnum, word)) for word in words])
        with torch.inference_mode():
            for start in range(0, len(spelled), ROWS_PER_BLOCK):
                rows = spelled[start : start + ROWS_PER_BLOCK]
                halves = torch.from_numpy(0.5 * _state(places[rows])).to(self.model.device)
                vectors[rows] = self._sums(halves, [words[row] for row in rows]).cpu().numpy()
        return vectors

    def _sums(self, halves: Tensor, words: Sequence[str]) -> Tensor:
        """Return the sums (n, P) of `vectors` from half of each place's state (n, P): half a logit is the logarithm of a root."""
        weight, biases, whitened, numbers = self.sample
        kinds = [int(word.startswith(JOINER)) for word in words]
        biases = biases[kinds if len(set(kinds)) > 1 else kinds[0]]  # in English one row for all
        forms = (numbers[self._forms_of(word)] for word in words)
        excluded = [columns[columns >= 0] for columns in forms]
        rows = np.repeat(np.arange(len(excluded)), [*map(len, excluded)])
        columns = np.concatenate(excluded)
        order = np.argsort(columns, kind="stable")
        rows, columns = rows[order], columns[order]
        ends = np.searchsorted(columns, [*range(0, len(weight), WORDS_PER_BLOCK), len(weight)])
        rows, columns = torch.from_numpy(rows), torch.from_numpy(columns)
        sums, largest = torch.zeros_like(halves), None
        for k, start in enumerate(range(0, len(weight), WORDS_PER_BLOCK)):  # a block between the two products fits the processor's cache
            block = slice(start, start + WORDS_PER_BLOCK)
            roots = torch.addmm(biases[..., block], halves, weight[block].t())
            excluded_rows = slice(ends[k], ends[k + 1])
            roots[rows[excluded_rows], columns[excluded_rows] - start] = -torch.inf
            if largest is None:  # of the most frequent words: near enough to all to keep the powers small
                largest = roots.amax(dim=1, keepdim=True).nan_to_num(neginf=0.0)
            sums.addmm_(roots.sub_(largest).exp_(), whitened[block])
        return torch.nn.functional.normalize(sums)  # zeros where no word may answer

    def changes(self, places: np.ndarray, words: Sequence[str]) -> list[Change]:
        """Return the change from the first of n places (n, 2P) to each of the others, with the three words that contribute most to it.

        1 - the sum of sqrt(p q) is half the sum of (sqrt p - sqrt q)^2.
        """
        roots = self._shares(places, words, BOTH, False).sqrt()
        changes = []
        for gains in roots[1:] - roots[0]:
            come, go = (row.topk(min(3, len(row))) for row in (gains, -gains))
            named = (tuple(bare(self.model.vocabulary.words[i]) for v, i in zip(*top, strict=True) if v > 1e-4) for top in (come, go))
            changes.append(Change(min(1.0, float(gains.square().sum()) / 2), *named))
        return changes

    def _shares(self, places: np.ndarray, words: Sequence[str], direction: str, common: bool) -> Tensor:
        """Return the probabilities (n, V) of the allowed words."""
        softmax = self.model.softmax
        half = places.shape[1] // 2
        states = {BOTH: _state(places), FORWARD: places[:, :half], BACKWARD: places[:, half:]}[direction]
        with torch.inference_mode():
            states = torch.from_numpy(np.ascontiguousarray(states)).to(self.model.device)
            logits = torch.addmm(softmax.bias, states, softmax.weight.t())  # with both sides: minus one bias, log p(w)
            for row, word in zip(logits, words, strict=True):
                row += self._answer_masks[int(word.startswith(JOINER))]
                if not common:
                    row[len(SPECIALS) : len(SPECIALS) + min(COMMONEST, len(row) // 10)] = -torch.inf
                row[self._forms_of(word)] = -torch.inf
            return logits.softmax(dim=1).nan_to_num()  # where no word may answer

    def _forms_of(self, word: str) -> list[int]:
        """Return the entries of the vocabulary that are the word or another form of it."""

        def find() -> list[int]:
            spelled = bare(word).casefold()
            word_lists = words_of(languages.get_language(ENGLISH))
            wanted = {spelled, *(lemmas(spelled, word_lists) if spelled.isascii() else dictionary_forms(spelled))}
            same = wanted.union(*(self._irregular_forms.get(lemma, ()) for lemma in wanted))
            if spelled.isascii():
                for forms in map(self._regular_forms, wanted):
                    same.update(*(forms.get(lemma, ()) for lemma in wanted))
            return sorted(number for entry in same for number in self._numbers.get(entry, ()))

        return self._own_forms.value(word, find)

    @cached_property
    def _numbers(self) -> dict[str, list[int]]:
        """Return a spelling's entries of the vocabulary, ignoring case and joiners."""
        numbers: dict[str, list[int]] = {}
        for number, word in enumerate(self.model.vocabulary.words[len(SPECIALS) :], len(SPECIALS)):
            numbers.setdefault(bare(word).casefold(), []).append(number)
        return numbers

    @cached_property
    def _sorted(self) -> list[str]:
        """Return the ASCII spellings in order, so that words with the same beginning are adjacent."""
        return sorted(filter(str.isascii, self._numbers))

    @cached_property
    def _irregular_forms(self) -> dict[str, list[str]]:
        forms: dict[str, list[str]] = {}
        for form, lemmas_of_form in words_of(languages.get_language(ENGLISH)).forms.items():
            for lemma in lemmas_of_form:
                forms.setdefault(lemma, []).append(form)
        return forms

    def _regular_forms(self, word: str) -> dict[str, list[str]]:
        """Return the vocabulary's spellings that begin as a word's regular forms do ("fl" for fly and flies), grouped by lemma."""
        beginning = word[: max(1, min(3, len(word) - 1))]

        def find() -> dict[str, list[str]]:
            word_lists, forms = words_of(languages.get_language(ENGLISH)), {}
            for entry in self._sorted[bisect_left(self._sorted, beginning) : bisect_left(self._sorted, beginning + "\x80")]:
                for lemma in lemmas(entry, word_lists):
                    forms.setdefault(lemma, []).append(entry)
            return forms

        return self._forms_by_beginning.value(beginning, find) if beginning else {}

    @cached_property
    def _answer_masks(self) -> Tensor:
        """Return masks (2, V), 0 for allowed words and -inf for others, for a free token and for one joined to the token before it."""
        words = self.model.vocabulary.words
        answers = np.array([any(map(str.isalpha, word)) for word in words])
        answers[: len(SPECIALS)] = False
        joined = np.array([word.startswith(JOINER) for word in words])
        masks = np.where([answers & ~joined, answers & joined], 0.0, -np.inf).astype(np.float32)
        return torch.from_numpy(masks).to(self.model.device)

    @cached_property
    def sample(self) -> tuple[Tensor, Tensor, Tensor, np.ndarray]:
        """Return the n words that `vectors` computes: weights (n, P), half of their bias, whitened weights (n, P), and numbers.

        The bias (2, n) is -inf where `_answer_masks` excludes a word or it is among the most frequent. Numbers (V,) give each word of the
        vocabulary its place among them, or -1.
        """
        size, softmax = len(self.model.vocabulary), self.model.softmax
        rarer = np.arange(FREQUENT, size, EVERY)
        numbers = np.concatenate([np.arange(min(FREQUENT, size)), rarer])
        halves = 0.5 * softmax.bias.detach() + self._answer_masks
        halves[:, len(SPECIALS) : len(SPECIALS) + min(COMMONEST, size // 10)] = -torch.inf
        halves[:, rarer] += math.log(EVERY)
        numbers = numbers[halves[:, numbers].isfinite().any(dim=0).cpu().numpy()]
        columns = np.full(size, -1)
        columns[numbers] = np.arange(len(numbers))
        weights = softmax.weight.detach()[numbers]
        mean, whitening = self.whitening
        return weights, halves[:, numbers], ((weights.double() - mean) @ whitening).float(), columns

    @cached_property
    def whitening(self) -> tuple[Tensor, Tensor]:
        """Return the softmax weights' mean (P,) and whitening map (P, P), float64, with a tenth of the mean variance added everywhere."""
        weights = self.model.softmax.weight.detach().double()
        mean = weights.mean(dim=0)
        widths, directions = torch.linalg.eigh((weights - mean).t() @ (weights - mean) / len(weights))
        return mean, directions / (widths + 0.1 * widths.mean() + 1e-12).sqrt()


def _state(places: np.ndarray) -> np.ndarray:
    """Add the halves of places (n, 2P) to states (n, P): the shared softmax's logits add up."""
    half = places.shape[1] // 2
    return places[:, :half] + places[:, half:]


@dataclass(frozen=True, slots=True)
class InPlace:
    """The substitutes of a word in its place."""

    substitutes: tuple[Prediction, ...]  # best first
    weak: str  # why they may be unreliable: GRAMMAR, NAME, FIRST, LAST, ALONE, or ""
    is_good: bool  # whether they are good enough to be shown without a request


def in_place(
    substitutes: Substitutes,
    words: Sequence[WordInContext],
    k: int,
    *,
    direction: str = BOTH,
    common: bool = False,
    read: Sequence[np.ndarray] = (),
) -> tuple[InPlace, ...]:
    """Return the k likeliest substitutes of each word. `read` holds the sentences' layers (L, T, D), if already computed."""
    if not words:
        return ()
    places = substitutes.model.encoder.around([list(word.tokens) for word in words], [word.position for word in words], read)
    number = max(k, TEN) if k > 0 else k  # `likeliest` refuses a number below 1, and names it
    likeliest = substitutes.likeliest(places, [word.word for word in words], number, direction=direction, common=common)
    weak = [weakness(word, direction) for word in words]
    return tuple(InPlace(best[:k], why, are_good(best, why)) for best, why in zip(likeliest, weak, strict=True))


def are_good(best: Sequence[Prediction], weak: str) -> bool:
    """Return whether expected words, best first, can be shown: the TEN likeliest have MASS together, and `weakness` is empty."""
    return not weak and sum(word.probability for word in best[:TEN]) >= MASS


def by_substitutes(
    substitutes: Substitutes, words: Sequence[WordInContext], report: Callable[[int, int, float], None] | None = None
) -> np.ndarray:
    """Return an order (n,) by similar substitutes: the leaves of average linkage. Calls `report(done, total, sentences per second)`."""
    from scipy.cluster.hierarchy import leaves_list, linkage

    if len(words) < 3:
        return np.arange(len(words))
    started = time.monotonic()
    vectors = []
    for first in range(0, len(words), READ_AT_ONCE):
        if report:
            report(first, len(words), first / max(time.monotonic() - started, 1e-9))
        part = words[first : first + READ_AT_ONCE]
        places = substitutes.model.encoder.around([list(word.tokens) for word in part], [word.position for word in part])
        vectors.append(substitutes.vectors(places, [word.word for word in part]))
    return leaves_list(linkage(unit(np.concatenate(vectors)), "average"))


def weakness(word: WordInContext, direction: str = BOTH) -> str:
    """Return the reason why a word's substitutes may be unreliable, or ""."""
    spelled = [k for k, token in enumerate(word.tokens) if any(map(str.isalnum, bare(token)))]
    if spelled == [word.position]:
        return ALONE
    if word.position not in {candidate.position for candidate in candidates(word.tokens, languages.in_use())}:
        return GRAMMAR
    if word.is_name:
        return NAME
    if word.position == spelled[0] and direction != BACKWARD:
        return FIRST
    return LAST if word.position == spelled[-1] and direction != FORWARD else ""


def put_in(text: str, tokens: Sequence[str], position: int, word: str) -> tuple[str, int]:
    """Return the text with another word in a token's place, capitalized like the token, and the word's position in it.

    >>> put_in("Banks lend  money.", ["Banks", "lend", "money", "."], 0, "companies")
    ('Companies lend  money.', 0)
    """
    pieces = as_in_text(tokens, text)
    original = "".join(pieces)
    start = len(original) - len("".join(pieces[position:]).lstrip())
    start, end = spans_in(tokens, original)[position] or (start, len("".join(pieces[: position + 1])))
    is_first = not any(map(str.isalnum, original[:start]))
    if is_first and original[start].isupper() and word[:1].islower():
        word = word[:1].upper() + word[1:]
    changed = original[:start] + word + original[end:]
    ends = [*accumulate(map(len, as_in_text(languages.tokenize(changed), changed)))]
    return changed, max(0, min(bisect_right(ends, start), len(ends) - 1))
