"""Initialize a biLM's training from static vectors, and fit its char-CNN to the vectors that training found.

`copy_vectors` copies the static vectors into the first columns of the softmax and the input table, so that the first step already uses
known words; `copy_model` copies a trained biLM. `solve_characters` teaches the char-CNN to spell a table of vectors: each narrow filter
responds to one n-gram, each wide one to one complete word, and the last layer is found by least squares over them. The joint training then
adjusts everything by gradient.
"""

from collections import Counter
from collections.abc import Iterator

import numpy as np
import torch
from scipy import sparse
from torch import Tensor, nn

from ..common.errors import BadInput
from ..elmo.language_model import Softmax, Vocabulary
from ..elmo.model import BiLM, CharacterCNN
from ..learning.fit import of_like_lengths
from ..text.tokens import BEGIN_WORD, END_WORD, character_ids
from .trainer import Trainer, spell

WORD_WIDTHS = 2  # the widest widths of the char-CNN, whose filters match complete words
SCALE = 8.0  # how steeply an n-gram filter falls off as characters differ
RIDGE, WORD_RIDGE = 1e-2, 1e-3  # of n-grams, of complete words
STEPS = 60  # of conjugate gradients


def copy_vectors(trainer: Trainer, words: list[str], vectors: np.ndarray) -> int:
    """Copy `vectors` (n, d <= P - 3) of lowercase `words` into softmax and table; returns how many types had one.

    Three more columns of the table encode how a type is written: capitalized, all capitals, with a digit.
    """
    row = {word: k for k, word in enumerate(words)}
    types = trainer.corpus.types[: trainer.config.table_types]
    numbers = np.array([k for k, t in enumerate(types) if k > 1 and t.lower() in row])
    if len(numbers) < 2:  # their deviation would be 0
        text = f"Of the {len(words):,} words with start vectors, {len(numbers)} occur in the text; at least 2 must."
        raise BadInput(f"{text} Choose vectors of its language.")
    result = torch.from_numpy(vectors[[row[types[k].lower()] for k in numbers]]).float()
    result = (result - result.mean(0)) / result.std()
    d = result.shape[1]
    with torch.no_grad():
        slots = trainer.targets(torch.from_numpy(numbers))
        named = slots != 2
        trainer.softmax.weight.mul_(0.3)
        place = trainer.softmax.weight.device
        trainer.softmax.weight[slots[named].to(place), :d] = (result[named] * 0.25).to(place)
        chance = trainer.sampler.p.log().float()
        trainer.softmax.bias.copy_(chance - chance.mean())
        table = trainer.table.weight
        table[torch.from_numpy(numbers).to(table.device), :d] = (result * 0.5).to(table.device)
        written = [(t[:1].isupper(), len(t) > 1 and t.isupper(), any(c.isdigit() for c in t)) for t in types]
        table[: len(types), d : d + 3] = torch.tensor(written, dtype=torch.float32).to(table.device)
        ends = torch.randn(2, table.shape[1] - d, generator=trainer.generator) * 0.5  # the two boundaries
        table[:2, d:] = ends.to(table.device)
    return len(numbers)


def copy_model(trainer: Trainer, model: BiLM, softmax: Softmax, vocabulary: Vocabulary) -> int:
    """Copy a trained biLM into a trainer: LSTMs, the softmax of shared words, and char-CNN vectors as input table.

    Returns the number of shared words. The model must have the trainer's shape.
    """
    trainer.model.load_state_dict(model.state_dict())
    pairs = [(mine, vocabulary.ids[word]) for mine, word in enumerate(trainer.vocabulary()) if word in vocabulary.ids]
    types = trainer.corpus.types[: trainer.config.table_types]
    table = trainer.table.weight
    model.characters.anchor()
    with torch.no_grad():
        mine, theirs = torch.tensor(pairs, dtype=torch.long).reshape(-1, 2).unbind(1)
        for weight, known_weight in zip(trainer.softmax.parameters(), softmax.parameters(), strict=True):
            weight[mine.to(weight.device)] = known_weight[theirs].to(weight.device)
        table[: len(types)] = spell(model.characters, types).to(table.device)
        table[-1] = table[len(types) // 2 : -1].mean(0)  # represents every rarer type
    return len(pairs)


def space_out(characters: CharacterCNN) -> None:
    """Give characters vectors of one length in random directions, and the begin mark twice that length in a direction of its own.

    Filters that begin with the mark then stay silent wherever it is missing (see CharacterCNN.anchor).
    """
    with torch.no_grad():
        vectors = characters.embedding.weight
        vectors[:, -1] = 0.0
        vectors.mul_(2.0 / vectors.norm(dim=1, keepdim=True).clamp_min(1e-6))
        vectors[0] = 0.0  # no character
        vectors[BEGIN_WORD] = 0.0
        vectors[BEGIN_WORD, -1] = 4.0


def set_n_grams(characters: CharacterCNN, types: list[str], *, word_widths: int = WORD_WIDTHS) -> int:
    """Let each filter, except those of the `word_widths` widest widths, respond with 1 to one character n-gram and about 0 to all others.

    The most important n-grams of `types` are used, so that unknown words are spelled from parts (as in Bojanowski et al. 2017).
    Returns how many filters are set; the widest are made silent.
    """
    encoded = [character_ids([word], characters.max_characters)[0][: len(word.encode("utf-8", "ignore")) + 2] for word in types]
    narrow = len(characters.convolutions) - word_widths
    n_set = 0
    for k, convolution in enumerate(characters.convolutions):
        n_grams = _weightiest(encoded, convolution.kernel_size[0]) if k < narrow else []
        n_set += _set_windows(convolution, characters, n_grams, SCALE)
    return n_set


def set_words(characters: CharacterCNN, types: list[str], gain: np.ndarray, *, word_widths: int = WORD_WIDTHS) -> int:
    """Let each filter of the `word_widths` widest widths respond with 1 to one complete word, choosing those with most `gain`, (n,).

    A word is spelled with its begin and end marks, or by its beginning if it is longer than the widest filter. One wrong
    character subtracts 1 - (the cosine of the two) from the response. Returns how many filters are set.
    """
    wide = _widest(characters, word_widths)
    windows: list[dict[tuple, None]] = [{} for _ in wide]
    for number in np.argsort(-gain, kind="stable"):
        ids = character_ids([types[number]], characters.max_characters)[0]
        length = int((ids == END_WORD).argmax()) + 1
        for convolution, chosen in zip(wide, windows, strict=True):  # the narrowest with room for the word
            width = convolution.kernel_size[0]
            if len(chosen) < convolution.out_channels and (length <= width or convolution is wide[-1]):
                chosen[tuple(ids[:width].tolist())] = None
                break
    # The begin mark is as long as four characters: of this many units, one wrong character takes one.
    return sum(_set_windows(c, characters, list(chosen), c.kernel_size[0] + 3) for c, chosen in zip(wide, windows, strict=True))


def _weightiest(encoded: list[np.ndarray], width: int) -> list[tuple]:
    """Return the character n-grams of one width by the importance of their types, most important first."""
    weights: Counter[tuple] = Counter()
    for ids, weight in zip(encoded, importance(len(encoded)).tolist(), strict=True):
        listed = ids.tolist()
        for window in {tuple(listed[k : k + width]) for k in range(len(listed) - width + 1)}:
            weights[window] += weight
    return [window for window, _ in weights.most_common()]


def _set_windows(convolution: nn.Conv1d, characters: CharacterCNN, windows: list[tuple], scale: float) -> int:
    """Set one filter per window to its characters, with response 1; the remaining filters are silent."""
    windows = windows[: convolution.out_channels]
    with torch.no_grad():
        convolution.weight.zero_()
        convolution.bias.fill_(-1.0)
        if windows:
            spelled = characters.embedding.weight[torch.tensor(windows)]  # (n, width, 16)
            convolution.weight[: len(windows)] = (spelled * scale / spelled.square().sum((1, 2), keepdim=True)).transpose(1, 2)
            convolution.bias[: len(windows)] = 1.0 - scale
    return len(windows)


def importance(n: int) -> np.ndarray:
    """Return the weight (n,) of the type of each frequency rank, between its share of tokens (1 / rank) and an equal vote."""
    return (np.arange(n) + 10.0) ** -0.75


def solve_characters(characters: CharacterCNN, types: list[str], target: Tensor, *, word_widths: int = WORD_WIDTHS) -> dict:
    """Set the char-CNN so that it spells `target` (n, P), the vectors of `types`, most frequent first; widths must rise.

    First the n-grams are fitted by a ridge regression over types with more equal weights, so that they learn the general effect of
    spelling. The words with the largest errors, by `importance`, get the filters of the `word_widths` widest widths, which learn the rest. They
    are sparse and solved by conjugate gradients. A highway layer would mix both kinds; with one, all filters are n-grams. Returns
    {"n_grams", "words", "r2"}: filters set, and the R^2 weighted by `importance`.
    """
    word_widths = 0 if len(characters.highways) else word_widths
    space_out(characters)
    n_set = set_n_grams(characters, types, word_widths=word_widths)
    characters.anchor()
    n_grams = characters.projection.in_features - sum(c.out_channels for c in _widest(characters, word_widths))
    parts = torch.ones(len(types), n_grams + 1)  # the one is for the bias
    for rows, answers in _answers(characters, types):
        parts[rows, :-1] = answers[:, :n_grams]
    even = torch.from_numpy(importance(len(types)) ** 0.5).float()
    gram = parts.t() @ (parts * even[:, None])
    moment = parts.t() @ (target * even[:, None])
    penalty = torch.full((n_grams + 1,), RIDGE * float(gram.diagonal()[:-1].mean()))
    penalty[-1] = 0.0
    solution = torch.linalg.solve(gram + penalty.diag(), moment)
    left = (target - parts @ solution).numpy()
    weights = importance(len(types)).astype(np.float32)
    n_words = set_words(characters, types, weights * np.square(left).sum(1), word_widths=word_widths)
    characters.anchor()
    order, values = [], []
    for rows, answers in _answers(characters, types) if word_widths else ():
        order += rows
        values.append(sparse.csr_array(answers[:, n_grams:].numpy()))
    words = sparse.vstack(values, format="csr")[np.argsort(order)] if values else sparse.csr_array((len(types), 0), dtype=np.float32)
    word_solution = _conjugate_gradients(words, weights, left, WORD_RIDGE)
    with torch.no_grad():
        characters.projection.weight.copy_(torch.cat([solution[:-1], torch.from_numpy(word_solution)]).t())
        characters.projection.bias.copy_(solution[-1])
    missed = np.square(left - words @ word_solution).sum(1)
    mean = (target.numpy() * weights[:, None]).sum(0) / weights.sum()
    r2 = 1 - (missed * weights).sum() / (np.square(target.numpy() - mean).sum(1) * weights).sum()
    return {"n_grams": n_set, "words": n_words, "r2": float(r2)}


def _widest(characters: CharacterCNN, word_widths: int) -> list[nn.Conv1d]:
    return list(characters.convolutions[len(characters.convolutions) - word_widths :])


def _answers(characters: CharacterCNN, types: list[str]) -> Iterator[tuple[list[int], Tensor]]:
    """Yield type numbers, grouped by similar length, and the inputs of the last layer for them: (rows, filters)."""
    for rows in of_like_lengths([len(word) for word in types], 256):
        with torch.no_grad():
            yield rows, characters.highways(characters.pooled(characters.ids([types[k] for k in rows])))


def _conjugate_gradients(x: sparse.csr_array, weights: np.ndarray, target: np.ndarray, ridge: float) -> np.ndarray:
    """Solve (X^T D X + ridge * mean(D)) W = X^T D T for all columns of T at once, preconditioned by the diagonal: (W, P)."""
    weighed = x.T.multiply(weights[None]).tocsr().astype(np.float32)  # X^T D
    ridge = ridge * float(weights.mean())
    diagonal = (weighed.multiply(x.T).sum(axis=1) + ridge)[:, None].astype(np.float32)
    solution = np.zeros((x.shape[1], target.shape[1]), np.float32)
    residual = weighed @ target
    ahead = towards = residual / diagonal
    size = (residual * ahead).sum(0)
    for _ in range(STEPS):
        image = weighed @ (x @ towards) + ridge * towards
        step = size / np.maximum((towards * image).sum(0), 1e-30)
        solution += step * towards
        residual -= step * image
        ahead = residual / diagonal
        size, before = (residual * ahead).sum(0), size
        towards = ahead + size / np.maximum(before, 1e-30) * towards
    return solution
