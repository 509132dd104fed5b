"""What the biLM expected at every place of a text, from either side, and what it writes when its words are drawn.

One pass of the encoder gives the states of both directions at all places; the softmax then reads as many of them as are
asked for. Probabilities are those of the full softmax, as in `LanguageModel.log_probabilities`: a word outside its list is
<UNK>, which is context but is never scored, drawn or offered. Surprisal is -log2 p, in bits (Hale 2001; Levy 2008).
"""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

import numpy as np
import torch
from scipy.special import log_softmax, softmax

from ..common.errors import BadInput
from ..common.i18n import t
from ..elmo.language_model import SPECIALS, UNKNOWN, LanguageModel, Prediction
from ..text.languages import tokenize
from ..text.tokens import SENTENCE_BEGIN, SENTENCE_END, join_tokens, split_sentences

ROWS_PER_PRODUCT = 64  # states through the softmax at a time: 64 x 50,000 numbers are 13 MB
MAX_WRITTEN = 50  # words in one go
MAX_ALIGNED = 500  # tokens between what two texts begin and end with alike; longer stretches count as replaced whole
MAX_TEMPERATURE = 5.0
CONTEXTS = 500  # whose foresight is averaged to a word's own probability: of 1,000 the figures are 3% better


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as both directions read it, each sentence alone; T tokens in all, P numbers a state."""

    sentences: tuple[tuple[str, ...], ...]  # none of them empty
    ahead: np.ndarray  # (T, P): what the forward direction knew before each token
    behind: np.ndarray  # (T, P): what the backward direction knew before it, coming from the right
    after: np.ndarray  # (P,): forward, all of the last sentence read
    before: np.ndarray  # (P,): backward, all of the first sentence read
    forward: np.ndarray  # (T,): surprisal in bits of each token after those to its left; NaN outside the list
    backward: np.ndarray  # (T,): the same given those to its right

    @property
    def tokens(self) -> list[str]:
        return [token for sentence in self.sentences for token in sentence]

    def place(self, position: int) -> tuple[int, int]:
        """(sentence, place in it) of a token of the text."""
        before = 0
        for number, sentence in enumerate(self.sentences):
            if position < before + len(sentence):
                return number, position - before
            before += len(sentence)
        raise BadInput(
            t("There is no word {position} among {count} tokens. Choose another.", position=position + 1, count=len(self.tokens))
        )


@dataclass(frozen=True, slots=True)
class Expected:
    """What stood to be expected at one place, likeliest first, and how the word that is there fared."""

    likeliest: tuple[Prediction, ...]
    unknown: float  # the share of all words outside the list together
    probability: float | None  # of the word that is there; None outside the list
    rank: int | None  # 1 is the likeliest
    effective: float  # 2 to the entropy: so many equally likely words would be as uncertain


@dataclass(frozen=True, slots=True)
class Written:
    """Words drawn one after another, in reading order, and whether the sentence's own end (or beginning) was reached."""

    words: tuple[str, ...]
    ended: bool


def sentences_of(text: str) -> tuple[tuple[str, ...], ...]:
    """A text's sentences as tokens; () for a text without any."""
    return tuple(tuple(tokens) for sentence in split_sentences(text) if (tokens := tokenize(sentence)))


def read(lm: LanguageModel, sentences: tuple[tuple[str, ...], ...]) -> Reading:
    """One pass over a text: the states and surprisals of both directions. BadInput for a text without words."""
    if not sentences or not all(sentences):
        raise BadInput(t("There is no text to continue. Type a few words, for example: Let’s stick to"))
    states = {number: (ahead, behind) for number, ahead, behind in lm.encoder.directions([list(s) for s in sentences])}
    ordered = [states[k] for k in range(len(sentences))]
    ahead = np.concatenate([a[:-2] for a, _ in ordered])  # the state at token k - 1, or at <S>, foresees token k
    behind = np.concatenate([b[2:] for _, b in ordered])
    ids = torch.tensor([lm.vocabulary.id(token) for sentence in sentences for token in sentence])
    return Reading(sentences, ahead, behind, ordered[-1][0][-2], ordered[0][1][1], _surprisal(lm, ahead, ids), _surprisal(lm, behind, ids))


def _surprisal(lm: LanguageModel, states: np.ndarray, ids: torch.Tensor) -> np.ndarray:
    with torch.inference_mode():
        scores = lm.softmax.log_probability(torch.from_numpy(states).to(lm.device), ids.to(lm.device), rows=ROWS_PER_PRODUCT)
        scores = scores.cpu().double().numpy()
    return np.where(ids.numpy() == SPECIALS.index(UNKNOWN), np.nan, -scores / np.log(2))


def perplexity(surprisal: np.ndarray) -> float:
    """2 to the mean surprisal over words of the list, sentence ends not counted; NaN where there is none."""
    known = surprisal[np.isfinite(surprisal)]
    return float(2 ** known.mean()) if len(known) else float("nan")


def distribution(lm: LanguageModel, state: np.ndarray) -> np.ndarray:
    """(P,) -> log p (V,) float64 of the word that `state` foresees."""
    with torch.inference_mode():
        return lm.softmax(torch.from_numpy(state)[None].to(lm.device))[0].cpu().double().numpy()


def prior(lm: LanguageModel) -> np.ndarray:
    """log p (V,) of a word of which nothing is known: the softmax at a state of zeros, its bias alone."""
    return lm.softmax.bias.detach().cpu().double().log_softmax(0).numpy()


def marginal(lm: LanguageModel, sentences: Sequence[Sequence[str]], *, contexts: int = CONTEXTS, seed: int = 0) -> np.ndarray:
    """log p (V,) of a word whatever is around it: the mean of what the model foresees in contexts of these random sentences.

    That is the p(w) that belongs to its p(w | left) and p(w | right); the softmax's bias (`prior`) is but what is left where a state is
    zero, which no context gives. Enough random sentences are read to hold so many contexts.
    """
    order = np.random.default_rng(seed).permutation(len(sentences))
    chosen = []
    places = 0
    for k in order:
        if places >= contexts:
            break
        if sentences[k]:
            chosen.append(list(sentences[k]))
            places += 2 * len(sentences[k])
    if not chosen:
        return prior(lm)
    states = np.concatenate([part for _, ahead, behind in lm.encoder.directions(chosen) for part in (ahead[:-2], behind[2:])])
    states = torch.from_numpy(states[:contexts])
    total = torch.zeros(len(lm.vocabulary), dtype=torch.float64)
    with torch.inference_mode():
        for start in range(0, len(states), ROWS_PER_PRODUCT):
            total += lm.softmax(states[start : start + ROWS_PER_PRODUCT].to(lm.device)).exp().double().sum(dim=0).cpu()
    return (total / len(states)).log().numpy()


def both_sides(forward: np.ndarray, backward: np.ndarray, unread: np.ndarray) -> np.ndarray:
    """log p (V,) given both sides: forward times backward over the word's own p, normalized over words.

    Bayes' rule if the two sides are independent of each other given the word, which they are not quite; nothing was trained to do this.
    Without the word's own p common words would be counted twice. What it gives the words of a text is a pseudo-perplexity, no
    perplexity: each word is guessed from words that are guessed from it in turn. On 449 words of the bundled sentences it is 64
    with the `marginal` of 1,000 other contexts (65 with the softmax's bias), where the directions alone have 209 and 195.
    """
    log_p = forward + backward - unread
    log_p[: len(SPECIALS)] = -np.inf
    return log_softmax(log_p)


def expected(lm: LanguageModel, log_p: np.ndarray, word: str | None = None, *, backward: bool = False, k: int = 10) -> Expected:
    """The k likeliest answers of a distribution (V,) and the rank of `word`. <UNK> is no answer and has no rank."""
    p = np.exp(log_p)
    unknown = SPECIALS.index(UNKNOWN)
    effective = float(np.exp(-np.sum(p * np.where(p > 0, log_p, 0.0))))
    answers = p.copy()
    answers[_never(backward)] = -1.0
    best = np.argsort(-answers, kind="stable")[:k]
    likeliest = tuple(Prediction(lm.vocabulary.words[i], float(p[i])) for i in best if answers[i] > 0)
    number = unknown if word is None else lm.vocabulary.id(word)
    known = number != unknown
    return Expected(
        likeliest=likeliest,
        unknown=float(p[unknown]),
        probability=float(p[number]) if known else None,
        rank=int((answers > answers[number]).sum()) + 1 if known else None,
        effective=effective,
    )


def expected_next(lm: LanguageModel, reading: Reading, *, backward: bool, k: int = 10) -> Expected:
    """What may follow a text's last word, or precede its first one."""
    log_p = distribution(lm, reading.before if backward else reading.after)
    return expected(lm, log_p, backward=backward, k=k)


def expected_at(
    lm: LanguageModel, reading: Reading, position: int, unread: np.ndarray, *, k: int = 8
) -> tuple[Expected, Expected, Expected]:
    """What could stand in a token's place: from the left, from the right, and from both sides together; `unread` as `marginal` has it."""
    number, place = reading.place(position)
    left, right = (distribution(lm, states[position]) for states in (reading.ahead, reading.behind))
    word = reading.sentences[number][place]
    return (
        expected(lm, left, word, k=k),
        expected(lm, right, word, backward=True, k=k),
        expected(lm, both_sides(left, right, unread), word, k=k),
    )


def ranks(lm: LanguageModel, reading: Reading, n: int, unread: np.ndarray) -> np.ndarray:
    """(3, n): of each of the first n tokens the rank from the left, the right and both sides; NaN outside the list."""
    ids = np.array([lm.vocabulary.id(token) for token in reading.tokens[:n]])
    result = np.full((3, len(ids)), np.nan)
    for place in np.flatnonzero(ids != SPECIALS.index(UNKNOWN)):
        left, right = (distribution(lm, states[place]) for states in (reading.ahead, reading.behind))
        for row, (log_p, backward) in enumerate(((left, False), (right, True), (left + right - unread, None))):
            higher = log_p > log_p[ids[place]]
            higher[list(range(len(SPECIALS))) if backward is None else _never(backward)] = False
            result[row, place] = higher.sum() + 1
    return result


def write(lm: LanguageModel, tokens: list[str], n: int, *, backward: bool = False, temperature: float = 1.0, seed: int = 0) -> Written:
    """Draw up to n words after one sentence's tokens (or before them), each read before the next is drawn.

    p of the list's words is raised to 1 / temperature and normalized, so that a draw never names the unknown; 0 takes the likeliest word. Each draw depends on the seed and the words
    so far alone, so five words at once are the same as one word five times.
    """
    if not tokens:
        raise BadInput(t("There is no text to continue. Type a few words, for example: Let’s stick to"))
    if not 1 <= n <= MAX_WRITTEN:
        raise BadInput(t("Choose 1 to {most} words, not {n}.", most=MAX_WRITTEN, n=n))
    if not 0 <= temperature <= MAX_TEMPERATURE:
        raise BadInput(t("The temperature must be between 0 and {most}, got {value}.", most=MAX_TEMPERATURE, value=temperature))
    words: list[str] = []
    end = SENTENCE_BEGIN if backward else SENTENCE_END
    for _ in range(n):
        sofar = [*reversed(words), *tokens] if backward else [*tokens, *words]
        ((_, ahead, behind),) = lm.encoder.directions([sofar])
        log_p = distribution(lm, behind[1] if backward else ahead[-2])
        log_p[_never(backward)] = -np.inf
        word = lm.vocabulary.words[_draw(log_p, temperature, [seed, zlib.crc32("\n".join(sofar).encode("utf-8", "ignore"))])]
        if word == end:
            break
        words.append(word)
    return Written(tuple(reversed(words) if backward else words), len(words) < n)


def _never(backward: bool) -> list[int]:
    """What no answer can be: the unknown, and the boundary that a direction comes from."""
    return [SPECIALS.index(UNKNOWN), SPECIALS.index(SENTENCE_END if backward else SENTENCE_BEGIN)]


def _draw(log_p: np.ndarray, temperature: float, seed: list[int]) -> int:
    if temperature < 1e-3:  # nearer to 0 than any two words are to each other
        return int(log_p.argmax())
    return int(np.random.default_rng(seed).choice(len(log_p), p=softmax(log_p / temperature)))


# --- texts with a word more, or another one ----------------------------------------------------------------------------


def appended(text: str, words: list[str] | tuple[str, ...]) -> str:
    """`text` and then `words`, spaced as `join_tokens` would; the text itself stays as it was typed."""
    read_so_far = list((sentences_of(text) or [()])[-1])
    return text.rstrip() + join_tokens([*read_so_far, *words])[len(join_tokens(read_so_far)) :]


def prepended(text: str, words: list[str] | tuple[str, ...]) -> str:
    """`words` and then `text`, spaced as `join_tokens` would."""
    first = list((sentences_of(text) or [()])[0][:1])
    joined = join_tokens([*words, *first])
    return joined[: len(joined) - len(join_tokens(first))] + text.lstrip()


def replaced(text: str, position: int, word: str) -> str:
    """`text` with another word in a token's place; its sentence is spaced anew, the others stay."""
    parts = [sentence for sentence in split_sentences(text) if tokenize(sentence)]
    for number, sentence in enumerate(parts):
        tokens = tokenize(sentence)
        if position < len(tokens):
            parts[number] = join_tokens([*tokens[:position], word, *tokens[position + 1 :]])
            return ("\n" if "\n" in text.strip() else " ").join(parts)
        position -= len(tokens)
    return text


def aligned(old: list[str], new: list[str]) -> list[tuple[int | None, int | None]]:
    """Two token lists side by side: (place in old, place in new), None where one of them has nothing there. A token that was put in
    another's place stands beside it."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    a, b = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(a), len(b)) > MAX_ALIGNED:
        blocks = [("replace", 0, len(a), 0, len(b))]
    else:
        blocks = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    pairs: list[tuple[int | None, int | None]] = [(k, k) for k in range(start)]
    for _, a_from, a_to, b_from, b_to in blocks:
        for k in range(max(a_to - a_from, b_to - b_from)):
            i, j = a_from + k, b_from + k
            pairs.append((start + i if i < a_to else None, start + j if j < b_to else None))
    return [*pairs, *((len(old) - k, len(new) - k) for k in range(end, 0, -1))]


def is_version(text: str, other: str) -> bool:
    """Whether two texts can be compared word by word: half of the longer one's tokens stand in both, in the same order."""
    a, b = ([token for sentence in sentences_of(item) for token in sentence] for item in (text, other))
    same = sum(block.size for block in SequenceMatcher(None, a, b, autojunk=False).get_matching_blocks())
    return bool(same) and 2 * same >= max(len(a), len(b))
