"""Pre-training: the sampled loss, the sampler and the optimizer against their formulas, and a run that resumes to the bit."""

import math
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

from core.common.config import ModelShape
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.elmo.encoder import Encoder
from core.elmo.language_model import LanguageModel, Softmax, Vocabulary
from core.training.data import Corpus, prepare
from core.training.losses import LogUniformSampler, _SampledLoss, sampled_loss
from core.training.trainer import LIKE_ADAM, OrthogonalMomentum, PretrainConfig, Trainer, orthogonal
from core.training.warm_start import copy_vectors, solve_characters

torch.set_num_threads(1)
CONFIG = PretrainConfig(vocabulary=14, tokens=10**6, batch_tokens=60, negatives=10, learning_rate=0.01, warmup_steps=2, character_every=2)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """60 short sentences in which every word follows from the one before it; 20 types, six of them beyond the vocabulary."""
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "text.txt").write_text("\n".join(" ".join(f"w{(start + k) % 20}" for k in range(3 + start % 6)) for start in range(60)))
    return Corpus(prepare([folder / "text.txt"], folder / "prepared", lambda _: None, processes=1))


def trainer(corpus, **changes) -> Trainer:
    return Trainer(corpus, ModelShape(filters=((1, 4), (2, 6)), hidden=12, projection=8), replace(CONFIG, **changes))


def train(t: Trainer, steps: int) -> list:
    return list(islice(t.run(), steps))


def everything(t: Trainer) -> dict[str, torch.Tensor]:
    """Return every tensor that a run learns, its cache and its counters."""
    state = {f"model.{k}": v for k, v in t.model.state_dict().items()} | {f"softmax.{k}": v for k, v in t.softmax.state_dict().items()}
    if t.table:
        state["table"] = t.table.weight

    state |= {"cache": t.cache, "known": t.known, "at": torch.tensor([t.step, t.tokens])}
    return {name: value.detach().clone() for name, value in state.items()}


def assert_same(item: dict, other: dict):
    assert item.keys() == other.keys()
    assert [name for name in item if not torch.equal(item[name], other[name])] == []


@pytest.mark.parametrize("rows", [1, 3, 256])
def test_the_sampled_loss_is_its_formula_with_accidental_hits_struck_out_and_its_gradient_is_right(rows):
    torch.manual_seed(0)
    h, w, b, true = (torch.randn(shape, dtype=torch.double, requires_grad=True) for shape in ((7, 3), (5, 3), (5,), (7,)))
    hit = torch.tensor([-1, 2, -1, 0, 4, -1, -1])
    logits = h @ w.t() + b
    logits[hit >= 0, hit[hit >= 0]] = -torch.inf
    plain = (torch.logsumexp(torch.cat([logits, true[:, None]], 1), 1) - true).sum()
    torch.testing.assert_close(_SampledLoss.apply(h, w, b, true, hit, rows), plain, atol=1e-9, rtol=0)
    assert torch.autograd.gradcheck(lambda *a: _SampledLoss.apply(*a, hit, rows), (h, w, b, true))
    loss = _SampledLoss.apply(h * 1e6, w, b, true * -1e6, hit, rows)  # enormous logits
    assert loss.isfinite() and all(g.isfinite().all() for g in torch.autograd.grad(loss, (h, w, b, true)))
    # By hand as TensorFlow's sampled_softmax_loss: one target, one negative, logits less the log of the expected count.
    softmax = Softmax(3, 1).requires_grad_(False)
    softmax.weight.zero_()
    log_count = torch.tensor([1.0, 0.5, 0.25]).log()
    assert sampled_loss(softmax, torch.ones(1, 1), torch.tensor([1]), torch.tensor([2]), log_count).exp().item() == pytest.approx(6 / 2)


def test_negatives_are_distinct_and_drawn_as_often_as_the_formula_and_their_expected_counts_say():
    expected = [math.log((r + 2) / (r + 1)) / math.log(6) for r in range(5)]
    np.testing.assert_allclose(LogUniformSampler(5, 2).p.numpy(), expected)
    sampler = LogUniformSampler(4, 10)  # no more than there are words
    assert sorted(sampler.draw().tolist()) == [0, 1, 2, 3] and (sampler.log_count.exp() > 0.99).all()
    sampler = LogUniformSampler(200, 40)
    torch.manual_seed(0)
    drawn, n = torch.zeros(200), 2000
    for _ in range(n):
        chosen = sampler.draw()
        assert len(chosen.unique()) == 40
        drawn[chosen] += 1
    expected = sampler.log_count.exp()
    assert expected.sum().item() == pytest.approx(40, rel=1e-3)
    assert (drawn / n - expected).abs().max() < 0.05  # chances run from 0.06 to 0.98; the estimate itself is an approximation
    assert abs((drawn[:10].sum() - n * expected[:10].sum()) / n) < 0.1


def test_the_trainers_loss_is_the_formula_over_both_directions_of_the_model(corpus):
    """With every word a negative: the mean of -log p(next) forward and backward, that of <UNK> for words beyond the vocabulary."""
    t, batch = trainer(corpus, negatives=14, vocabulary=14), next(corpus.batches(tokens=60, seed=0, oversample={}))
    t.model.eval()
    t.sampler.log_count = torch.zeros(t.n_words)
    loss = t.gradients(batch, torch.arange(t.n_words), train_characters=True)
    starts, lengths = np.cumsum([0, *batch.batch_sizes]), [sum(k < n for n in batch.batch_sizes) for k in range(batch.batch_sizes[0])]
    sentences = [[corpus.types[k] for k in batch.ids[starts[1 : n - 1] + rank]] for rank, n in enumerate(lengths)]
    scores = LanguageModel(Encoder(t.model), t.softmax.requires_grad_(False), Vocabulary(t.vocabulary())).sentence_scores(sentences)
    assert loss == pytest.approx(-scores.sum() / 2 / sum(n - 1 for n in lengths), rel=1e-5)


@pytest.mark.parametrize("table_types", [0, 12])
def test_two_threads_gradients_are_those_of_the_mean_loss_of_both_directions(corpus, table_types):
    t, batch = trainer(corpus, table_types=table_types), next(corpus.batches(tokens=60, seed=0, oversample={}))
    drawn = t.sampler.draw()
    learned = [*t.model.forward_layers.parameters(), *t.model.backward_layers.parameters(), *t.softmax.parameters()]
    learned += [t.table.weight] if t.table else [*t.model.characters.parameters()]
    t.gradients(batch, drawn, train_characters=True)
    result = [p.grad.to_dense() for p in learned]
    x = t.word_vectors(torch.from_numpy(batch.ids), train=True)
    loss = sum(t.loss(x, batch, drawn, backward=backward) for backward in (False, True)) / 2
    for mine, plain in zip(result, torch.autograd.grad(loss, learned), strict=True):
        torch.testing.assert_close(mine, plain.to_dense(), atol=1e-6, rtol=1e-4)


def test_a_run_stops_at_its_tokens_with_the_learning_rate_low(corpus):
    t = trainer(corpus, tokens=600)
    steps = list(t.run())
    assert steps[-2].tokens < 600 <= steps[-1].tokens == t.tokens and [p.step for p in steps] == list(range(1, len(steps) + 1))
    rates = [p.learning_rate for p in steps]
    assert rates[0] == pytest.approx(0.005) and rates[1] == pytest.approx(0.01) and rates[-1] < 0.003  # warm-up, plateau, decay
    assert list(t.run()) == []


@pytest.mark.parametrize("table_types", [0, 12])
def test_six_steps_equal_a_run_saved_and_loaded_on_the_way_to_the_bit(corpus, tmp_path, table_types):
    whole = trainer(corpus, table_types=table_types)
    train(whole, 6)
    for first in (2, 3):  # 3: the char-CNN's next turn is a step away
        torch.manual_seed(first)  # another run draws meanwhile
        begun, resumed = (trainer(corpus, table_types=table_types) for _ in range(2))
        train(begun, first)
        begun.save(tmp_path / "checkpoint.pt")
        resumed.load(tmp_path / "checkpoint.pt")
        assert_same(everything(resumed), everything(begun))
        progress = train(resumed, 6 - first)
        assert_same(everything(resumed), everything(whole))
        assert progress[-1].step == 6 and progress[-1].tokens == whole.tokens
    assert not torch.equal(trainer(corpus, seed=1).softmax.weight, trainer(corpus).softmax.weight)


@pytest.mark.parametrize("table_types", [0, 12])
def test_in_the_end_the_weights_are_their_mean_over_the_last_steps_also_when_the_run_was_cut(corpus, tmp_path, table_types):
    changes = {"tokens": 600, "average": 0.5, "average_every": 2, "table_types": table_types}
    whole, begun, cut = (trainer(corpus, **changes) for _ in range(3))
    seen = [whole.softmax.weight.detach().clone() for item in whole.run() if item.tokens > 300 and item.step % 2 == 0]
    assert len(seen) > 2
    torch.testing.assert_close(whole.softmax.weight.detach(), torch.stack(seen).mean(0), atol=1e-6, rtol=0)
    train(begun, whole.step - 2)
    begun.save(tmp_path / "a.pt")
    cut.load(tmp_path / "a.pt")
    list(cut.run())
    assert_same(everything(cut), everything(whole))


def test_between_its_turns_the_char_cnn_rests_and_its_cached_vectors_are_used(corpus):
    t, ids = trainer(corpus), torch.tensor([5, 2, 5, 9, 0, 1])
    fresh = t.word_vectors(ids, train=True)
    assert fresh.requires_grad and torch.equal(fresh.detach(), t.word_vectors(ids, train=False))
    torch.testing.assert_close(t.word_vectors(torch.tensor([9, 7]), train=False)[0], fresh[3].detach())  # 7 is new, 9 is not
    assert t.known.nonzero()[:, 0].tolist() == [0, 1, 2, 5, 7, 9]
    states = [everything(t) for _ in islice(t.run(), 3)]
    for name, (first, second, third) in ((name, [state[name] for state in states]) for name in states[0] if name.startswith("model.")):
        is_char_cnn = name.startswith("model.characters.")
        assert torch.equal(first, second) == is_char_cnn and not torch.equal(second, third), name  # character_every = 2


class Evil:
    def __reduce__(self):
        return print, ("run",)


def test_a_checkpoint_that_is_damaged_or_of_another_run_is_refused_by_name(corpus, tmp_path):
    t, with_table, path = trainer(corpus), trainer(corpus, table_types=12), tmp_path / "checkpoint.pt"
    with pytest.raises(MissingArtifact, match=r"No file .*checkpoint\.pt"):
        t.load(path)
    for saved, others in ((with_table, [t]), (t, [with_table, trainer(corpus, vocabulary=10)])):
        saved.save(path)
        for other in others:
            with pytest.raises(CorruptArtifact, match=r"checkpoint\.pt does not fit"):
                other.load(path)
    plain = path.read_bytes()
    for content in (plain[: len(plain) // 2], b"\x80\x02c__main__\nnothing\n.", b"", [1, 2, 3], {"model": Evil()}):
        path.write_bytes(content) if isinstance(content, bytes) else torch.save(content, path)
        said = r"checkpoint\.pt (is not a readable checkpoint|does not fit)" if not isinstance(content, dict) else "UnpicklingError"
        with pytest.raises(CorruptArtifact, match=said):  # a checkpoint cannot run code
            t.load(path)


def test_a_run_whose_loss_is_no_number_stops_before_it_spoils_the_weights(corpus):
    t = trainer(corpus)
    train(t, 1)
    with torch.no_grad():
        t.softmax.bias[0] = torch.nan
    before = {name: value.clone() for name, value in t.model.state_dict().items()}
    with pytest.raises(BadInput, match=r"step 1 .* not a finite number"):
        train(t, 1)
    assert_same(t.model.state_dict(), before)
    assert t.step == 1


def test_start_vectors_without_two_words_of_the_text_and_a_config_that_cannot_be_are_refused(corpus):
    for words, n in ((["zebra"], 0), (["w1", "zebra"], 1)):
        with pytest.raises(BadInput, match=f"{n} occur in the text"):
            copy_vectors(trainer(corpus, table_types=22), words, np.ones((len(words), 3), np.float32))
    for wrong in ({"vocabulary": 0}, {"tokens": 0}, {"batch_tokens": -1}, {"negatives": 0}, {"negatives": 15}):
        with pytest.raises(BadInput):
            replace(CONFIG, **wrong)


def test_whole_word_filters_that_training_moves_are_looked_for_where_they_then_answer(corpus):
    t = Trainer(corpus, ModelShape(filters=((2, 8), (5, 6)), hidden=12, projection=8, n_highway=0), replace(CONFIG, character_every=1))
    solve_characters(t.model.characters, corpus.types[:20], torch.randn(20, 8), word_widths=1)
    train(t, 1)
    assert t.model.characters.anchored == [False, True]
    with torch.no_grad():
        t.model.characters.convolutions[1].bias.add_(5.0)  # now they answer anywhere
    train(t, 1)
    assert t.model.characters.anchored == [False, False]


def test_a_block_becomes_its_nearest_orthonormal_one_which_is_u_v_of_its_singular_values():
    torch.manual_seed(0)
    blocks = torch.randn(3, 9, 4)
    u, _, v = torch.linalg.svd(blocks, full_matrices=False)
    torch.testing.assert_close(orthogonal(blocks), u @ v, atol=1e-5, rtol=0)
    block = torch.zeros(1, 4, 2)
    assert torch.equal(orthogonal(block), block)
    block[0, :, 0] = 3.0  # of one direction
    assert orthogonal(block)[0].tolist() == [[0.5, 0.0]] * 4


@pytest.mark.parametrize("shape", [(16, 3), (3, 8)])
def test_a_step_has_the_size_that_adam_would_have_whatever_the_gradients_size(shape):
    """Two stacked blocks of 8 rows, each by itself, and one turned: root mean square LIKE_ADAM * lr * sqrt(rows / (rows * cols) * cols)."""
    torch.manual_seed(1)
    for scale in (1e-4, 1.0, 1e4):
        weight = torch.nn.Parameter(torch.zeros(shape))
        weight.grad = torch.randn(shape)
        weight.grad[:8] *= scale
        OrthogonalMomentum([weight], lr=0.5, rows=8).step()
        for block in weight.detach().split(8):
            assert block.square().mean().sqrt().item() == pytest.approx(0.5 * LIKE_ADAM, rel=1e-3)
