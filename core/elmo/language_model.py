"""The biLM as a language model: next and previous words, surprisal, perplexity.

Both directions share one softmax over a vocabulary of the most frequent types (Peters et al. 2018, section 3.1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from ..common.errors import BadInput
from ..common.i18n import t
from ..text.tokens import SENTENCE_BEGIN, SENTENCE_END

UNKNOWN = "<UNK>"
SPECIALS = (SENTENCE_BEGIN, SENTENCE_END, UNKNOWN)  # ids 0, 1, 2 of a vocabulary
WORDS_PER_BLOCK = 1024  # through the softmax at a time: 512 x 1,024 numbers are 2 MB


class Softmax(nn.Module):
    """The output layer shared by both directions: p(word | context) = softmax(W h + b)."""

    def __init__(self, n_words: int, projection: int, generator: torch.Generator | None = None) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(n_words, projection))
        self.bias = nn.Parameter(torch.zeros(n_words))
        nn.init.normal_(self.weight, std=projection**-0.5, generator=generator)

    def forward(self, h: Tensor) -> Tensor:
        """Return log-probabilities (N, V) of states (N, P)."""
        return torch.addmm(self.bias, h, self.weight.t()).log_softmax(dim=1)

    def log_probability(self, h: Tensor, targets: Tensor, *, rows: int = 512) -> Tensor:
        """Return log p(targets) (N,) under the full softmax of states (N, P), in blocks of rows and words that fit the processor's cache."""
        parts = [self._block(h[k : k + rows], targets[k : k + rows]) for k in range(0, len(h), rows)]
        return torch.cat(parts) if parts else h.new_empty(0)

    def _block(self, h: Tensor, targets: Tensor) -> Tensor:
        starts = range(0, len(self.bias), WORDS_PER_BLOCK)
        words = [slice(start, start + WORDS_PER_BLOCK) for start in starts]
        sums = torch.stack([torch.addmm(self.bias[w], h, self.weight[w].t()).logsumexp(dim=1) for w in words])
        return (h * self.weight[targets]).sum(dim=1) + self.bias[targets] - sums.logsumexp(dim=0)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words that the softmax can predict. Any other token is <UNK>."""

    words: tuple[str, ...]
    ids: dict[str, int]

    @classmethod
    def of(cls, words: list[str]) -> Vocabulary:
        """Build a vocabulary from words, most frequent first."""
        return cls(tuple(words), {word: k for k, word in enumerate(words)})

    def id(self, token: str) -> int:
        """Return a token's number, that of <UNK> for an unknown one."""
        return self.ids.get(token, SPECIALS.index(UNKNOWN))

    def __len__(self) -> int:
        return len(self.words)


@dataclass(frozen=True, slots=True)
class Prediction:
    """A word and its probability."""

    word: str
    probability: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Perplexity:
    """exp of the mean -log p over words of the vocabulary and the sentence boundary that each direction predicts.

    Words outside the vocabulary are not counted, which favors a small one. `charged_*` count all tokens: such a word has p(<UNK>)
    divided by the number of the text's distinct unknown words (the adjusted perplexity of Ueberla 1994).
    """

    forward: float
    backward: float
    charged_forward: float
    charged_backward: float
    tokens: int  # predictions scored in each direction
    unknown_share: float  # of the text's tokens, those not in the vocabulary; they are context, and targets of `charged_*` alone
    unknown_types: int  # distinct ones

    @property
    def mean(self) -> float:
        """Return the mean of both directions."""
        return (self.forward + self.backward) / 2


class LanguageModel:
    """An encoder with its softmax: predictions and surprisal of both directions."""

    def __init__(self, encoder, softmax: Softmax, vocabulary: Vocabulary) -> None:
        self.encoder, self.softmax, self.vocabulary = encoder, softmax, vocabulary

    @property
    def device(self) -> torch.device:
        """Return the softmax's device. The encoder returns its states in the processor's memory."""
        return self.softmax.weight.device

    def predict(self, tokens: list[str], *, backward: bool = False, k: int = 10) -> list[Prediction]:
        """Return the k likeliest words after `tokens` (or before them), never <UNK> or <S>.

        Probabilities are those of the full softmax, as for surprisal. The share of <UNK> (`unknown_probability`) is not distributed among
        the words, so they do not sum to 1.
        """
        if not 1 <= k <= 1000:
            raise BadInput(f"k must be between 1 and 1000, got {k}.")
        p = self._expected(tokens, backward)
        never = [SPECIALS.index(UNKNOWN), SPECIALS.index(SENTENCE_END if backward else SENTENCE_BEGIN)]
        answers = p.clone()
        answers[never] = -1.0
        ids = answers.topk(min(k, len(p) - len(never))).indices
        return [Prediction(self.vocabulary.words[i], p) for i, p in zip(ids.tolist(), p[ids].tolist(), strict=True)]

    def unknown_probability(self, tokens: list[str], *, backward: bool = False) -> float:
        """Return the probability that the next (or previous) word is outside the vocabulary."""
        return float(self._expected(tokens, backward)[SPECIALS.index(UNKNOWN)])

    def _expected(self, tokens: list[str], backward: bool) -> Tensor:
        """Return p (V,) of the next or the previous word."""
        if not tokens:
            raise BadInput(t("There is no text to continue. Type a few words, for example: Let’s stick to"))
        ((_, ahead, behind),) = self.encoder.directions([tokens])
        state = behind[1] if backward else ahead[-2]  # the state that has read all tokens but not the far boundary
        with torch.inference_mode():
            return self.softmax(torch.from_numpy(state)[None].to(self.device))[0].exp().cpu()

    def log_probabilities(self, sentences: list[list[str]]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return for each sentence log p(token | before) and log p(token | after), (T + 1,) each.

        Forward position T is the sentence's end, backward position 0 its beginning. NaN for unknown or missing tokens.
        """
        items = self._in_parts(sentences, None)
        return [tuple(np.where(unknown, np.nan, scores) for scores, unknown in zip(*item, strict=True)) for item in items]

    def _all_scored(self, sentences: list[list[str]]) -> list[tuple]:
        """Return for each sentence the forward and backward log p (T + 1,), that of <UNK> for unknown tokens, and where those are.

        The states of all sentences pass the softmax together, so that its weights are read once for hundreds of tokens.
        """
        nothing = (np.full(1, np.nan),) * 2, (np.zeros(1, bool),) * 2
        results: list = [nothing for _ in sentences]  # stays so for an empty sentence
        numbers, ahead, behind = [], [], []
        for number, forward, backward in self.encoder.directions(sentences):
            numbers.append(number)
            ahead.append(forward[:-1])
            behind.append(backward[1:])
        if not numbers:
            return results
        ids = [torch.tensor([0, *(self.vocabulary.id(t) for t in sentences[number]), 1]) for number in numbers]
        ends = np.cumsum([len(states) for states in ahead])[:-1]
        following = np.split(self._score(np.concatenate(ahead), torch.cat([i[1:] for i in ids])), ends)
        preceding = np.split(self._score(np.concatenate(behind), torch.cat([i[:-1] for i in ids])), ends)
        for number, i, after, before in zip(numbers, ids, following, preceding, strict=True):
            unknown = (i == SPECIALS.index(UNKNOWN)).numpy()
            results[number] = (after, before), (unknown[1:], unknown[:-1])
        return results

    def _score(self, states: np.ndarray, targets: Tensor) -> np.ndarray:
        with torch.inference_mode():
            scores = self.softmax.log_probability(torch.from_numpy(states).to(self.device), targets.to(self.device))
            return scores.cpu().double().numpy()

    def _in_parts(self, sentences: list[list[str]], report: Callable[[int, int], None] | None) -> Iterator[tuple]:
        """Yield the items of `_all_scored`, 256 sentences at a time to bound memory. Calls `report(sentences done, total)`."""
        for start in range(0, len(sentences), 256):
            yield from self._all_scored(sentences[start : start + 256])
            if report:
                report(min(start + 256, len(sentences)), len(sentences))

    def sentence_scores(self, sentences: list[list[str]], *, report: Callable[[int, int], None] | None = None) -> np.ndarray:
        """Return log p (n, 2) of n complete sentences, forward and backward, with log p(<UNK>) for unknown words; NaN for empty ones."""
        return np.array([[score.sum() for score in scores] for scores, _ in self._in_parts(sentences, report)]).reshape(-1, 2)

    def perplexity(self, sentences: list[list[str]], *, report: Callable[[int, int], None] | None = None) -> Perplexity:
        """Return the full-softmax perplexity of both directions over tokenized sentences."""
        sentences = [s for s in sentences if s]
        if not sentences:
            raise BadInput("There is no text to score: the file has no words. Choose another file.")
        sums, unknown_sums, n, unscored = np.zeros(2), np.zeros(2), 0, 0  # sums of log p, of known words and of <UNK>
        for scores, unknown in self._in_parts(sentences, report):
            sums += [score[~where].sum() for score, where in zip(scores, unknown, strict=True)]
            unknown_sums += [score[where].sum() for score, where in zip(scores, unknown, strict=True)]
            n, unscored = n + int((~unknown[0]).sum()), unscored + int(unknown[0].sum())
        types = {token for s in sentences for token in s if token not in self.vocabulary.ids}
        forward, backward = np.exp(-sums / n)
        shared_out = unscored * np.log(max(len(types), 1))
        charged = np.exp(-(sums + unknown_sums - shared_out) / (n + unscored))
        return Perplexity(
            forward=float(forward),
            backward=float(backward),
            charged_forward=float(charged[0]),
            charged_backward=float(charged[1]),
            tokens=n,
            unknown_share=unscored / sum(map(len, sentences)),
            unknown_types=len(types),
        )
