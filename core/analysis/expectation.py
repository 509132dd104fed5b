"""Predictions of the biLM at every place of a text, from either side, and texts that it generates.

One pass of the encoder gives the states of both directions at all places. The softmax is applied only to those that are needed.
Probabilities come from the full softmax, as in `LanguageModel.perplexity`. A word outside the vocabulary is <UNK>: it
counts as context but is never scored, generated or offered. Surprisal is -log2 p, in bits (Hale 2001; Levy 2008).
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import takewhile, zip_longest

import numpy as np
import torch
from scipy.special import log_softmax, softmax

from ..common.errors import BadInput
from ..common.i18n import t
from ..elmo.language_model import SPECIALS, UNKNOWN, Expected, LanguageModel, no_answers
from ..text.languages import tokenize
from ..text.sentence_ends import split_sentences
from ..text.tokens import SENTENCE_BEGIN, SENTENCE_END, join_tokens

ROWS_PER_PRODUCT = 64  # states through the softmax at a time: 64 x 50,000 numbers are 13 MB
MAX_WRITTEN = 50  # words in one go
MAX_ALIGNED = 500  # tokens between the common beginning and end of two texts; longer runs count as one replacement
MAX_TEMPERATURE = 5.0
CONTEXTS = 500  # contexts whose predictions are averaged to a word's marginal probability; with 1,000 the figures are 3% better


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as both directions read it, sentence by sentence: T tokens in all, states of size P."""

    sentences: tuple[tuple[str, ...], ...]  # none of them empty
    ahead: np.ndarray  # (T, P): what the forward direction knew before each token
    behind: np.ndarray  # (T, P): what the backward direction knew before it, coming from the right
    after: np.ndarray  # (P,): forward, all of the last sentence read
    before: np.ndarray  # (P,): backward, all of the first sentence read
    forward: np.ndarray  # (T,): surprisal in bits of each token after those to its left; NaN outside the list
    backward: np.ndarray  # (T,): the same given those to its right

    @property
    def tokens(self) -> list[str]:
        """Return all tokens of the text."""
        return [token for sentence in self.sentences for token in sentence]


@dataclass(frozen=True, slots=True)
class Written:
    """Generated words in reading order, and whether the end (or beginning) of the sentence was reached."""

    words: tuple[str, ...]
    ended: bool


def sentences_of(text: str) -> tuple[tuple[str, ...], ...]:
    """Return a text's sentences as tokens; () for a text without any."""
    return tuple(tuple(tokens) for sentence in split_sentences(text) if (tokens := tokenize(sentence)))


def read(lm: LanguageModel, sentences: tuple[tuple[str, ...], ...]) -> Reading:
    """Return the states and surprisals of both directions over a text. Raises BadInput for a text without words."""
    if not sentences or not all(sentences):
        raise BadInput(t("There is no text to continue. Type a few words, for example: Let’s stick to"))
    states = {number: (ahead, behind) for number, ahead, behind in lm.encoder.directions([list(s) for s in sentences])}
    ordered = [states[k] for k in range(len(sentences))]
    ahead = np.concatenate([a[:-2] for a, _ in ordered])  # the state at token k - 1, or at <S>, foresees token k
    behind = np.concatenate([b[2:] for _, b in ordered])
    ids = torch.tensor([lm.vocabulary.id(token) for sentence in sentences for token in sentence])
    return Reading(sentences, ahead, behind, ordered[-1][0][-2], ordered[0][1][1], _surprisal(lm, ahead, ids), _surprisal(lm, behind, ids))


def _surprisal(lm: LanguageModel, states: np.ndarray, ids: torch.Tensor) -> np.ndarray:
    return np.where(ids.numpy() == SPECIALS.index(UNKNOWN), np.nan, -lm.score(states, ids) / np.log(2))


def perplexity(surprisal: np.ndarray) -> float:
    """Return 2 to the mean surprisal of the words in the vocabulary, without sentence ends; NaN without such words."""
    finite = surprisal[np.isfinite(surprisal)]
    return float(2 ** finite.mean()) if len(finite) else float("nan")


def prior(lm: LanguageModel) -> np.ndarray:
    """Return log p (V,) of a word without any context: the softmax at a state of zeros, its bias alone."""
    return lm.softmax.bias.detach().cpu().double().log_softmax(0).numpy()


def marginal(lm: LanguageModel, sentences: Sequence[Sequence[str]]) -> np.ndarray:
    """Return log p (V,) of a word in any context: the mean prediction over contexts from these random sentences.

    This is the p(w) that belongs to p(w | left) and p(w | right). The softmax's bias (`prior`) is its prediction at a state of
    zeros, which no context gives. Random sentences are read until there are CONTEXTS contexts.
    """
    order = np.random.default_rng(0).permutation(len(sentences))
    before = np.cumsum([0, *(2 * len(sentences[k]) for k in order)])[:-1]
    chosen = [list(sentences[k]) for k, n in zip(order, before, strict=True) if n < CONTEXTS and sentences[k]]
    if not chosen:
        return prior(lm)
    states = np.concatenate([part for _, ahead, behind in lm.encoder.directions(chosen) for part in (ahead[:-2], behind[2:])])
    states = torch.from_numpy(states[:CONTEXTS])
    total = torch.zeros(len(lm.vocabulary), dtype=torch.float64)
    with torch.inference_mode():
        for start in range(0, len(states), ROWS_PER_PRODUCT):
            total += lm.softmax(states[start : start + ROWS_PER_PRODUCT].to(lm.device)).exp().double().sum(dim=0).cpu()
    return (total / len(states)).log().numpy()


def both_sides(forward: np.ndarray, backward: np.ndarray, log_marginal: np.ndarray) -> np.ndarray:
    """Return log p (V,) given both sides: forward times backward divided by the word's marginal, normalized over words.

    This is Bayes' rule if the two sides are independent given the word, which is only nearly true. Without the division, frequent words
    would count twice. Over a text it gives a pseudo-perplexity, because each word is predicted from words that are predicted from it.
    On 449 words of the bundled sentences it is 64 with the `marginal` of 1,000 other contexts and 65 with the softmax's bias; the
    directions alone have 209 and 195.
    """
    log_p = forward + backward - log_marginal
    log_p[: len(SPECIALS)] = -np.inf
    return log_softmax(log_p)


def expected_next(lm: LanguageModel, reading: Reading, *, backward: bool) -> Expected:
    """Return the predictions after a text's last word, or before its first one."""
    return lm.expected(lm.log_p(reading.before if backward else reading.after), backward=backward)


def expected_at(
    lm: LanguageModel, reading: Reading, position: int, log_marginal: np.ndarray, *, k: int = 8
) -> tuple[Expected, Expected, Expected]:
    """Return the predictions at a token's place from the left, from the right and from both sides; `log_marginal` is the result of `marginal`."""
    if not position < len(reading.tokens):
        places = {"position": position + 1, "count": len(reading.tokens)}
        raise BadInput(t("There is no word {position} among {count} tokens. Choose another.", **places))
    left, right = (lm.log_p(states[position]) for states in (reading.ahead, reading.behind))
    word = reading.tokens[position]
    return (
        lm.expected(left, word, k=k),
        lm.expected(right, word, backward=True, k=k),
        lm.expected(both_sides(left, right, log_marginal), word, k=k),
    )


def ranks(lm: LanguageModel, reading: Reading, n: int, log_marginal: np.ndarray) -> np.ndarray:
    """Return the ranks (3, n) of the first n tokens from the left, the right and both sides; NaN outside the vocabulary."""
    ids = np.array([lm.vocabulary.id(token) for token in reading.tokens[:n]])
    excluded = (no_answers(False), no_answers(True), list(range(len(SPECIALS))))
    result = np.full((3, len(ids)), np.nan)
    for place in np.flatnonzero(ids != SPECIALS.index(UNKNOWN)):
        left, right = (lm.log_p(states[place]) for states in (reading.ahead, reading.behind))
        for row, log_p in enumerate((left, right, left + right - log_marginal)):
            is_likelier = log_p > log_p[ids[place]]
            is_likelier[excluded[row]] = False
            result[row, place] = is_likelier.sum() + 1
    return result


def write(lm: LanguageModel, tokens: list[str], n: int, *, backward: bool = False, temperature: float = 1.0, seed: int = 0) -> Written:
    """Generate up to n words after (or before) one sentence's tokens, one at a time.

    Probabilities are raised to 1 / temperature and normalized without <UNK>; temperature 0 takes the likeliest word. Each draw depends only
    on the seed and the words so far, so generating five words at once equals generating one word five times.
    """
    if not 1 <= n <= MAX_WRITTEN:
        raise BadInput(t("Choose 1 to {most} words, not {n}.", most=MAX_WRITTEN, n=n))
    if not 0 <= temperature <= MAX_TEMPERATURE:
        raise BadInput(t("The temperature must be between 0 and {most}, got {value}.", most=MAX_TEMPERATURE, value=temperature))
    words: list[str] = []
    end = SENTENCE_BEGIN if backward else SENTENCE_END
    for _ in range(n):
        sofar = [*reversed(words), *tokens] if backward else [*tokens, *words]
        log_p = lm.next_log_p(sofar, backward=backward)
        log_p[no_answers(backward)] = -np.inf
        word = lm.vocabulary.words[_draw(log_p, temperature, [seed, zlib.crc32("\n".join(sofar).encode("utf-8", "ignore"))])]
        if word == end:
            break
        words.append(word)
    return Written(tuple(reversed(words) if backward else words), len(words) < n)


def _draw(log_p: np.ndarray, temperature: float, seed: list[int]) -> int:
    if temperature < 1e-3:  # nearer to 0 than any two words are to each other
        return int(log_p.argmax())
    return int(np.random.default_rng(seed).choice(len(log_p), p=softmax(log_p / temperature)))


# --- texts with a word more, or another one ----------------------------------------------------------------------------


def appended(text: str, words: list[str] | tuple[str, ...]) -> str:
    """Return `text` followed by `words`, spaced as by `join_tokens`. The text itself stays as typed."""
    read_so_far = list((sentences_of(text) or [()])[-1])
    return text.rstrip() + join_tokens([*read_so_far, *words])[len(join_tokens(read_so_far)) :]


def prepended(text: str, words: list[str] | tuple[str, ...]) -> str:
    """Return `words` followed by `text`, spaced as by `join_tokens`."""
    first = list((sentences_of(text) or [()])[0][:1])
    joined = join_tokens([*words, *first])
    return joined[: len(joined) - len(join_tokens(first))] + text.lstrip()


def replaced(text: str, position: int, word: str) -> str:
    """Return `text` with another word in a token's place. Its sentence is spaced again, the others stay as typed."""
    end = 0
    for sentence in split_sentences(text):
        start = text.index(sentence, end)
        end = start + len(sentence)
        tokens = tokenize(sentence)
        if position < len(tokens):
            return text[:start] + join_tokens([*tokens[:position], word, *tokens[position + 1 :]]) + text[end:]
        position -= len(tokens)
    return text


def aligned(old: list[str], new: list[str]) -> list[tuple[int | None, int | None]]:
    """Align two token lists as pairs of places (old, new), None for a missing token. A replacement is paired with the replaced token."""
    start = _common_length(old, new)
    end = _common_length(old[start:][::-1], new[start:][::-1])
    a, b = old[start : len(old) - end], new[start : len(new) - end]
    is_long = max(len(a), len(b)) > MAX_ALIGNED
    blocks = [("replace", 0, len(a), 0, len(b))] if is_long else SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    pairs: list[tuple[int | None, int | None]] = [(k, k) for k in range(start)]
    for _, a_from, a_to, b_from, b_to in blocks:
        pairs += zip_longest(range(start + a_from, start + a_to), range(start + b_from, start + b_to))
    return [*pairs, *((len(old) - k, len(new) - k) for k in range(end, 0, -1))]


def _common_length(first: list[str], second: list[str]) -> int:
    """Return the number of equal tokens at the beginning of both lists."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def is_version(text: str, original: str) -> bool:
    """Return whether half of the longer text's tokens appear in both texts in the same order."""
    a, b = ([token for sentence in sentences_of(item) for token in sentence] for item in (text, original))
    same = sum(block.size for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
    return bool(same) and 2 * same >= max(len(a), len(b))
