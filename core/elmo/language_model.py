"""The biLM as a language model: next and previous words, surprisal, perplexity, and minimal pairs.

Both directions share one softmax over a vocabulary of the most frequent types (Peters et al. 2018, section 3.1).

BLiMP (Warstadt et al. 2020) has 67 sets of 1,000 pairs of English sentences, one of them grammatical, as JSON lines. A sentence's log
probability is the sum over its tokens and its end (backward: its beginning). A word outside the vocabulary counts as <UNK>.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from ..common.errors import BadInput, MissingArtifact
from ..common.i18n import t
from ..text.file_lines import json_rows
from ..text.tokens import SENTENCE_BEGIN, SENTENCE_END

UNKNOWN = "<UNK>"
SPECIALS = (SENTENCE_BEGIN, SENTENCE_END, UNKNOWN)  # ids 0, 1, 2 of a vocabulary
ROWS_PER_BLOCK, WORDS_PER_BLOCK = 512, 1024  # through the softmax at a time: 512 x 1,024 numbers are 2 MB


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

    def log_probability(self, h: Tensor, targets: Tensor) -> Tensor:
        """Return log p(targets) (N,) under the full softmax of states (N, P), in blocks of rows and words that fit the processor's cache."""
        sums = [self._log_sum(part) for part in h.split(ROWS_PER_BLOCK)]
        return (h * self.weight[targets]).sum(dim=1) + self.bias[targets] - torch.cat(sums)

    def _log_sum(self, h: Tensor) -> Tensor:
        blocks = zip(self.weight.split(WORDS_PER_BLOCK), self.bias.split(WORDS_PER_BLOCK), strict=True)
        return torch.stack([torch.addmm(bias, h, weight.t()).logsumexp(dim=1) for weight, bias in blocks]).logsumexp(dim=0)


class Vocabulary:
    """The words that the softmax can predict, most frequent first. Any other token is <UNK>."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self.ids = {word: k for k, word in enumerate(words)}

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


@dataclass(frozen=True, slots=True)
class Expected:
    """The predictions at one place, likeliest first, and the rank of the actual word."""

    likeliest: tuple[Prediction, ...]
    unknown: float  # the share of all words outside the list together
    probability: float | None  # of the actual word; None outside the list
    rank: int | None  # 1 is the likeliest
    effective: float  # 2 to the entropy in bits: the number of equally likely words with the same uncertainty


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


def no_answers(backward: bool) -> list[int]:
    """Return the ids that are not answers: <UNK>, and the boundary that a direction comes from."""
    return [SPECIALS.index(UNKNOWN), SPECIALS.index(SENTENCE_END if backward else SENTENCE_BEGIN)]


class LanguageModel:
    """An encoder with its softmax: predictions and surprisal of both directions."""

    def __init__(self, encoder, softmax: Softmax, vocabulary: Vocabulary) -> None:
        self.encoder, self.softmax, self.vocabulary = encoder, softmax, vocabulary
        self.device = softmax.weight.device  # the encoder returns its states in the processor's memory

    def log_p(self, state: np.ndarray) -> np.ndarray:
        """Return log p (V,) float64 of the word that a state (P,) predicts."""
        with torch.inference_mode():
            return self.softmax(torch.from_numpy(state)[None].to(self.device))[0].cpu().double().numpy()

    def next_log_p(self, tokens: list[str], *, backward: bool = False) -> np.ndarray:
        """Return log p (V,) float64 of the word after `tokens` (or before them). Raises BadInput without tokens."""
        if not tokens:
            raise BadInput(t("There is no text to continue. Type a few words, for example: Let’s stick to"))
        ((_, ahead, behind),) = self.encoder.directions([tokens])
        return self.log_p(behind[1] if backward else ahead[-2])  # the state that has read all tokens but not the far boundary

    def next_words(self, tokens: list[str], *, backward: bool = False, k: int = 10) -> Expected:
        """Return the k likeliest words after `tokens` (or before them). Raises BadInput without tokens, or unless k is 1 to 1000."""
        if not 1 <= k <= 1000:
            raise BadInput(f"k must be between 1 and 1000, got {k}.")
        return self.expected(self.next_log_p(tokens, backward=backward), backward=backward, k=k)

    def expected(self, log_p: np.ndarray, word: str | None = None, *, backward: bool = False, k: int = 10) -> Expected:
        """Return the k likeliest answers of a distribution (V,) and the rank of `word`.

        <UNK> is no answer, has no rank, and keeps its probability.
        """
        p = np.exp(log_p)
        unknown = SPECIALS.index(UNKNOWN)
        answers = p.copy()
        answers[no_answers(backward)] = -1.0
        best = np.argsort(-answers, kind="stable")[:k]
        likeliest = tuple(Prediction(self.vocabulary.words[i], float(p[i])) for i in best if answers[i] > 0)
        number = unknown if word is None else self.vocabulary.id(word)
        has_rank = number != unknown
        return Expected(
            likeliest=likeliest,
            unknown=float(p[unknown]),
            probability=float(p[number]) if has_rank else None,
            rank=int((answers > answers[number]).sum()) + 1 if has_rank else None,
            effective=float(np.exp(-np.sum(p * np.where(p > 0, log_p, 0.0)))),
        )

    def _all_scored(self, sentences: list[list[str]]) -> list[tuple]:
        """Return for each sentence the forward and backward log p (T + 1,), that of <UNK> for unknown tokens, and where those are.

        The states of all sentences pass the softmax together, so that its weights are read once for hundreds of tokens.
        """
        of_empty = (np.full(1, np.nan),) * 2, (np.zeros(1, bool),) * 2
        results: list = [of_empty for _ in sentences]
        if not (read := list(self.encoder.directions(sentences))):
            return results
        numbers, ahead, behind = zip(*read, strict=True)
        ids = [torch.tensor([0, *(self.vocabulary.id(token) for token in sentences[number]), 1]) for number in numbers]
        forward = self.score(np.concatenate([states[:-1] for states in ahead]), torch.cat([sentence[1:] for sentence in ids]))
        backward = self.score(np.concatenate([states[1:] for states in behind]), torch.cat([sentence[:-1] for sentence in ids]))
        ends = np.cumsum([len(sentence) - 1 for sentence in ids])[:-1]
        scores = zip(np.split(forward, ends), np.split(backward, ends), strict=True)
        for number, sentence, both in zip(numbers, ids, scores, strict=True):
            unknown = (sentence == SPECIALS.index(UNKNOWN)).numpy()
            results[number] = both, (unknown[1:], unknown[:-1])
        return results

    def score(self, states: np.ndarray, targets: Tensor) -> np.ndarray:
        """Return log p (N,) float64 of target words under states (N, P)."""
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
        sums, unknown_sums = np.zeros(2), np.zeros(2)  # of log p in each direction: of words in the vocabulary, and of <UNK>
        n = n_unknown = 0
        for scores, unknown in self._in_parts(sentences, report):
            sums += [score[~where].sum() for score, where in zip(scores, unknown, strict=True)]
            unknown_sums += [score[where].sum() for score, where in zip(scores, unknown, strict=True)]
            n += int((~unknown[0]).sum())
            n_unknown += int(unknown[0].sum())
        types = {token for s in sentences for token in s if token not in self.vocabulary.ids}
        forward, backward = np.exp(-sums / n)
        shared_out = n_unknown * np.log(max(len(types), 1))
        charged = np.exp(-(sums + unknown_sums - shared_out) / (n + n_unknown))
        return Perplexity(
            forward=float(forward),
            backward=float(backward),
            charged_forward=float(charged[0]),
            charged_backward=float(charged[1]),
            tokens=n,
            unknown_share=n_unknown / sum(map(len, sentences)),
            unknown_types=len(types),
        )


OVERALL = "overall"
MEASURES = ("forward", "backward", "joined")  # the last is the sum of both directions' log probabilities
KEYS = ("sentence_good", "sentence_bad", "linguistics_term")  # of a row
IN_PAPER = {"s-selection": "argument_structure"}  # a term of the files -> the paper's phenomenon
MODELS = ("5-gram", "LSTM", "Transformer-XL", "GPT-2")
PUBLISHED = {  # phenomenon -> accuracy in percent of MODELS: raw_results/summary/models_summary.jsonl of github.com/alexwarstadt/blimp
    OVERALL: (61.2, 69.8, 69.6, 83.0),
    "anaphor_agreement": (47.9, 91.7, 94.1, 99.3),
    "argument_structure": (71.9, 73.2, 72.2, 81.8),
    "binding": (64.4, 73.5, 74.7, 80.9),
    "control_raising": (68.5, 67.0, 71.5, 81.9),
    "determiner_noun_agreement": (70.1, 85.4, 83.0, 95.8),
    "ellipsis": (36.9, 67.6, 77.2, 89.4),
    "filler_gap_dependency": (60.2, 73.9, 66.6, 81.3),
    "irregular_forms": (79.5, 89.1, 78.2, 91.9),
    "island_effects": (57.2, 46.6, 48.3, 72.7),
    "npi_licensing": (45.5, 51.7, 55.2, 76.8),
    "quantifiers": (53.5, 64.5, 69.3, 79.0),
    "subject_verb_agreement": (60.3, 80.1, 76.0, 86.4),
}


@dataclass(frozen=True, slots=True)
class MinimalPair:
    """A grammatical and an ungrammatical sentence, and the phenomenon in which they differ."""

    good: str
    bad: str
    phenomenon: str


def read_pairs(folder: Path) -> list[MinimalPair]:
    """Return the pairs of all .jsonl files in a folder and in its folders. Raises MissingArtifact or BadInput with the file and line."""
    files = sorted(folder.rglob("*.jsonl"))
    if not files:
        archive = next(folder.glob("blimp*.tar.xz"), None)
        if archive:
            raise MissingArtifact(f"{folder} has no .jsonl files of BLiMP. Unpack its archive: tar xJf {archive} -C FOLDER")
        raise MissingArtifact(f"{folder} has no .jsonl files of BLiMP. Get them from https://github.com/alexwarstadt/blimp")
    needed = f"Each line needs {', '.join(KEYS)}, as BLiMP publishes them."
    pairs = []
    for path in files:
        for place, row in json_rows(path, needed=needed):
            values = [row.get(key) for key in KEYS] if isinstance(row, dict) else []
            if not values or not all(isinstance(value, str) and value.strip() for value in values):
                raise BadInput(f"{place} is not a minimal pair. {needed}")
            good, bad, term = values
            pairs.append(MinimalPair(good, bad, IN_PAPER.get(term, term)))
    if not pairs:
        raise BadInput(f"The .jsonl files in {folder} are empty. {needed}")
    return pairs


def evaluate_pairs(
    model: LanguageModel,
    pairs: list[MinimalPair],
    tokenize: Callable[[str], list[str]],
    *,
    report: Callable[[int, int], None] | None = None,
) -> dict[str, dict[str, float]]:
    """Return {phenomenon or OVERALL: {"n": pairs, and for each of MEASURES the share in which the good sentence is more probable}}.

    Each distinct sentence is read once. Equal probabilities count as wrong. Calls `report(sentences done, total)`.
    """
    texts = list(dict.fromkeys(text for pair in pairs for text in (pair.good, pair.bad)))
    number = {text: k for k, text in enumerate(texts)}
    scores = model.sentence_scores([tokenize(text) for text in texts], report=report)  # (sentences, 2)
    scores = np.column_stack([scores, scores.sum(axis=1)])
    is_right = scores[[number[pair.good] for pair in pairs]] > scores[[number[pair.bad] for pair in pairs]]  # (pairs, 3)
    phenomena = np.array([pair.phenomenon for pair in pairs])
    rows = {OVERALL: np.ones(len(pairs), bool)} | {name: phenomena == name for name in sorted(set(phenomena.tolist()))}
    return {
        name: {"n": int(row.sum()), **dict(zip(MEASURES, is_right[row].mean(axis=0).tolist(), strict=True))} for name, row in rows.items()
    }
