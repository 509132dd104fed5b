"""Test the choice of a device, and every fast path on a pretended device that refuses tensors of the processor."""

from collections.abc import Callable
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import torch

from core.analysis.expectation import prior
from core.analysis.spelling import firing
from core.analysis.walk import walk
from core.classify.explain import explain
from core.classify.head import TextHead
from core.classify.model import VARIANTS
from core.classify.train import make_text_fit
from core.common import device
from core.common.config import FLOAT16, ModelShape
from core.common.errors import BadInput
from core.elmo.encoder import Encoder
from core.elmo.language_model import SPECIALS, LanguageModel, Softmax, Vocabulary
from core.elmo.model import BiLM
from core.elmo.weights import save_safetensors
from core.training.data import Corpus, prepare
from core.training.recipe import Recipe, validation
from core.training.trainer import PretrainConfig, Trainer
from core.training.warm_start import copy_model, copy_vectors
from tests.core.elsewhere import META, Elsewhere, elsewhere
from tests.tiny import CONFIG, dataset, frozen

torch.set_num_threads(1)
SHAPE = ModelShape(filters=((1, 4), (2, 6)), hidden=12, projection=8)
SENTENCES = [["the", "bank", "of", "the", "river"], [], ["money"], ["a", "bank", "lent", "money", "there", "yesterday"]]
STEPS = {"learning_rate": 0.01, "warmup_steps": 2, "character_every": 2, "average": 0.5, "average_every": 1}
TRAINING = PretrainConfig(vocabulary=14, tokens=150, batch_tokens=60, negatives=10, **STEPS)


def model(seed: int = 0) -> BiLM:
    return BiLM(SHAPE, torch.Generator().manual_seed(seed))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "text.txt").write_text("\n".join(" ".join(f"w{(n + k) % 20}" for k in range(3 + n % 6)) for n in range(60)))
    return Corpus(prepare([folder / "text.txt"], folder / "prepared", lambda _: None, processes=1))


def numbers(module: torch.nn.Module) -> dict[str, np.ndarray]:
    return {name: value.numpy(force=True).copy() for name, value in module.state_dict().items()}


def same(result: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    for name, value in expected.items():
        np.testing.assert_allclose(result[name], value, atol=1e-5, err_msg=name)


def on_both(work: Callable[[torch.device], object]) -> tuple:
    """Return the results of work on the processor and elsewhere."""
    expected = work(torch.device("cpu"))
    with elsewhere() as there:
        return expected, work(there)


@pytest.mark.parametrize("cards", [(), ("mps",), ("cuda",), ("cuda", "mps")], ids=str)
def test_auto_is_cuda_else_mps_else_the_processor(monkeypatch, cards):
    names = (*cards, "cpu")
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", torch.backends.cudnn.allow_tf32)  # put back afterward
    monkeypatch.setattr(torch.cuda, "is_available", lambda: "cuda" in cards)
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: "mps" in cards)
    assert device.present() == names and device.choose("auto") == torch.device(names[0])
    assert device.choose() == device.choose("cpu") == torch.device("cpu")
    assert torch.backends.cudnn.allow_tf32 == ("cuda" not in cards)  # full single precision there
    for absent in {"cuda", "mps"} - set(cards):
        with pytest.raises(BadInput, match=f"No device “{absent}” here; use {', '.join(names)}"):
            device.choose(absent)
    with pytest.raises(BadInput, match=r"Unknown device 'gpu'\. Choose: auto, cpu, cuda, mps"):
        device.choose("gpu")


def test_the_pretended_device_refuses_what_a_card_refuses_and_fewer_bits():
    with elsewhere() as there:
        x = torch.arange(3.0).to(there)
        assert isinstance(x, Elsewhere) and x.device == META and (x * 2).cpu().tolist() == [0.0, 2.0, 4.0]
        for wrong in (lambda: x + torch.ones(3), lambda: torch.ones(3)[x.long()], lambda: x.numpy()):
            with pytest.raises((AssertionError, TypeError, RuntimeError)):
                wrong()
        with pytest.raises(BadInput, match=r"float16 runs only on the CPU\. Use float32 on meta"):
            Encoder(model(), precision=FLOAT16, device=there)


def test_an_encoder_elsewhere_gives_the_processors_arrays():
    def encoded(there: torch.device) -> list[np.ndarray]:
        encoder = Encoder(model(), device=there)
        assert encoder.device == there == Encoder(encoder.model).device  # a second one on the same model follows it
        return [*encoder.encode(SENTENCES), np.array(encoder.encode_streams([SENTENCES[:1] * 2, SENTENCES[2:3] * 2])[0])]

    for expected, item in zip(*on_both(encoded), strict=True):
        np.testing.assert_allclose(item, expected, atol=1e-6)


def test_words_are_foreseen_spelled_and_walked_through_elsewhere(tmp_path):
    words = [*SPECIALS, "the", "bank", "river", "money", "a"]

    def results_on(there: torch.device) -> list:
        torch.manual_seed(1)
        softmax, encoder = Softmax(len(words), SHAPE.projection).requires_grad_(False).to(there), Encoder(model(), device=there)
        lm = LanguageModel(encoder, softmax, Vocabulary(words))
        steps, fired = walk(encoder, SENTENCES[0], 1), firing(encoder.model.characters, "bank")
        save_safetensors(encoder.model, tmp_path / str(there), softmax=softmax, words=words)
        perplexity = lm.perplexity([s for s in SENTENCES if s])
        state = np.linspace(-1, 1, SHAPE.projection, dtype=np.float32)
        probabilities = [p.probability for p in lm.next_words(["the", "bank"], k=3).likeliest]
        walked = [steps.layers, steps.shares, steps.forward.steps[0].cell, steps.pooled]
        return [[perplexity.forward, perplexity.backward, *probabilities], lm.log_p(state), prior(lm), *walked, fired.grid]

    for item, other in zip(*on_both(results_on), strict=True):
        np.testing.assert_allclose(item, other, atol=1e-5)
    files = [(tmp_path / name / "weights.safetensors").read_bytes() for name in ("cpu", "meta")]
    assert files[0] == files[1]  # a model's file does not tell where it was


@pytest.mark.parametrize("changes", [{}, {"table_types": 12}], ids=str)
def test_a_training_elsewhere_learns_what_the_processor_learns_and_goes_on_from_its_checkpoint(corpus, tmp_path, changes):
    config = replace(TRAINING, **changes)

    def trained(there: torch.device) -> tuple[list[float], dict, dict]:
        trainer, path = Trainer(corpus, SHAPE, config, there), tmp_path / f"{there}.pt"
        losses = [progress.loss for progress in islice(trainer.run(), 2)]
        trainer.save(path)
        other = Trainer(corpus, SHAPE, config, there)
        other.load(path)
        losses += [progress.loss for progress in other.run()]  # to the end, where weights are averaged
        return losses, numbers(other.learned), numbers(trainer.learned)

    expected, result = on_both(trained)
    np.testing.assert_allclose(result[0], expected[0], atol=1e-5)
    same(result[1], expected[1])
    same(result[2], expected[2])
    resumed = Trainer(corpus, SHAPE, config)
    resumed.load(tmp_path / "meta.pt")  # on a machine without that device
    same(numbers(resumed.learned), expected[2])


def test_a_training_elsewhere_starts_from_what_is_known(corpus, tmp_path):
    words, text = [*SPECIALS, "w1", "w2", "w15"], tmp_path / "valid.txt"
    text.write_text("w1 w2 w3\nw4 w5\n")

    def begun(there: torch.device) -> dict:
        trainer, other = (Trainer(corpus, SHAPE, replace(TRAINING, table_types=12), there) for _ in range(2))
        copy_vectors(other, corpus.types[2:6], np.random.default_rng(0).normal(size=(4, 5)).astype(np.float32))
        copy_model(trainer, model(3), Softmax(len(words), SHAPE.projection, torch.Generator().manual_seed(1)), Vocabulary(words))
        perplexity = validation(Recipe(files=(), valid=text), trainer)
        vectors = {f"vectors {name}": value for name, value in numbers(other.learned).items()}
        return numbers(trainer.learned) | vectors | {"perplexity": np.array([perplexity.mean / 1000])}

    same(*on_both(begun))


@pytest.mark.parametrize("variant", ["embedding", "glove-unfrozen+elmo", "mean-elmo"])
def test_a_head_trained_elsewhere_is_the_processors_and_answers_and_explains_there(variant, tmp_path):
    data, parts, text = dataset(40), frozen(), ("the", "new", "comet")
    given = {"vectors": parts.vectors, "layers": parts.layers}

    def trained(there: torch.device) -> tuple[TextHead, list]:
        trainer = make_text_fit(VARIANTS[variant], data, replace(CONFIG, epochs=1), parts, there)
        list(trainer.run())
        trainer.save(tmp_path / "run.pt")
        trainer.load(tmp_path / "run.pt")
        head = trainer.finish()
        assert device.device_of(head.classifier) == there
        return head, [head.logits([text, ()], **given), explain(head, text, **given).occlusion]

    expected, answers = trained(torch.device("cpu"))
    with elsewhere() as there:
        _, result = trained(there)
        moved = expected.to(there)  # one that was loaded
        np.testing.assert_allclose(moved.logits([text, ()], **given), answers[0], atol=1e-5)
    for item, other in zip(result, answers, strict=True):
        np.testing.assert_allclose(item, other, atol=1e-4)


def test_the_command_line_takes_a_device_and_names_one_that_is_absent(tmp_path, call, refused, monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    save_safetensors(model(), tmp_path / "model", dtype=torch.float32)
    (tmp_path / "in.txt").write_text("The bank lent her money.\n")
    request = ("embed", "--model", tmp_path / "model", "--input", tmp_path / "in.txt", "--output")
    assert call(*request, tmp_path / "cpu.npz", "--device", "cpu")[0] == 0
    for command in (
        (*request, tmp_path / "cuda.npz"),
        ("pretrain", "--corpus", tmp_path / "in.txt", "--output", tmp_path / "run"),
        ("index", "build", "--corpus", tmp_path / "in.txt", "--output", tmp_path / "index"),
        ("train", "--task", "mine", "--variant", "embedding", "--train", tmp_path / "rows.csv"),
        ("classify", "--task", "spam", "--text", "Win a prize", "--variant", "embedding"),
    ):
        assert refused(*command, "--device", "cuda").startswith("error: No device “cuda” here; use ")
    assert not any((tmp_path / name).exists() for name in ("cuda.npz", "run", "index"))
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", torch.backends.cudnn.allow_tf32)  # put back afterward
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    for more in (("--cluster", "tcp://127.0.0.1:1"), ("--engine", "allennlp")):  # a device is of this process
        assert "leave out --cluster and --engine allennlp" in refused(*request, tmp_path / "cuda.npz", "--device", "cuda", *more)
