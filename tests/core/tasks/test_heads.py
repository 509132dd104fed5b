"""Test that every task is read, trained, resumed and stored, and that files of another form are refused."""

import lzma
import shutil

import pytest
import torch

from core.common.errors import BadInput, MissingArtifact
from core.learning.features import Frozen
from core.learning.fit import Fit, learned_mixes
from core.tasks.heads import TASKS, load_head, make_fit, save_head, task_named
from core.tasks.task import VARIANTS, read_data, read_test
from tests.tiny import frozen, task_recipe, tiny_vectors

torch.set_num_threads(1)
FACTS = {"vectors": "e" * 16, "vectors_name": "tiny vectors"}
OF_SPANS = ("names", "roles", "wikigold", "chunks", "speech")


@pytest.fixture(scope="module")
def parts():
    return {"baseline": Frozen(tiny_vectors(), facts=FACTS), "elmo": frozen()}


@pytest.fixture(scope="module")
def read(folder):
    return lambda name, **changes: read_data(TASKS[name], folder, task_recipe(name, **changes))


@pytest.fixture(scope="module")
def fit(read, parts):
    def made(name: str, variant: str, **changes) -> Fit:
        return make_fit(TASKS[name], variant, read(name, **changes), task_recipe(name, **changes), parts[variant])

    return made


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", TASKS)
def test_a_head_learns_is_stored_and_answers_as_it_was_scored(name, variant, fit, parts, tmp_path):
    item = fit(name, variant, epochs=3)
    events = list(item.run())
    losses = [event.loss for event in events if event.measures]
    assert losses[-1] < losses[0] and events[0].seconds_left >= 0
    head = item.finish()
    fits = {"model": head.meta.get("model"), "vectors": FACTS["vectors"]}
    again = load_head(save_head(head, tmp_path / "head"), **fits)
    said = again.predictions(item.job.data.test, parts[variant].vectors, parts[variant].layers)
    assert TASKS[name].score(item.job.data.test, said) == head.meta["test"] == again.meta["test"]
    mixes = learned_mixes(head.network).values()
    assert bool(mixes) == (variant == "elmo") and all(sum(mix["s"]) == pytest.approx(1, abs=1e-3) for mix in mixes)


@pytest.mark.parametrize("name", TASKS)
def test_chance_labels_fit_the_examples_that_they_stand_for(name, read):
    data, plain = read(name, random_labels=True), read(name)
    assert [e.passages for e in data.train] == [e.passages for e in plain.train] and data.test == plain.test and data != plain
    for example in data.train:
        if name in OF_SPANS:
            n, taken = len(example.passages[0][0]), [k for a, b, _ in example.target for k in range(a, b + 1)]
            assert len(set(taken)) == len(taken) and all(0 <= k < n for k in taken)
        if name == "questions":
            assert 0 <= example.target[0] <= example.target[1] < len(example.facts.spans)


def test_examples_of_each_task_have_their_predicate_commonest_answer_spans_or_tags(read):
    roles = read("roles").train
    assert len(roles) == 16 and {e.facts.token for e in roles} == {1, 5} and roles[0].facts.every == (1, 5)
    assert set(roles[0].target) == {(0, 0, "ARG0"), (1, 1, "V"), (2, 3, "ARG4")}
    request = read("questions")
    assert (len(request.train), len(request.dev), len(request.test)) == (36, 4, 8)
    example = request.train[0]
    assert example.facts.words(*example.target) == example.facts.answers[0]
    chunks, speech = read("chunks"), read("speech")
    assert chunks.train[0].target == ((0, 0, "NP"), (1, 1, "VP"), (2, 3, "NP"))
    assert [label for *_, label in speech.train[0].target] == ["NNP", "VBD", "DT", "NN", "."] and len(speech.train) == 8
    said = [[(k, k, "NN") for k in range(5)]] * len(speech.test)
    assert TASKS["speech"].score(speech.test, said)["accuracy"] == pytest.approx(1 / 5)


def test_folds_are_of_documents_and_each_is_tested_on_once(read):
    tested = []
    for seed in range(5):
        data = read("wikigold", seed=seed, dev_limit=0)
        parts = [{e.facts for e in part} for part in (data.train, data.dev, data.test)]
        assert [len(part) for part in parts] == [12, 4, 4] and len(set.union(*parts)) == 20
        tested += parts[2]
    assert sorted(tested) == list(range(20)) and {e.target for e in data.test} == {((0, 0, "PER"), (2, 2, "LOC"))}


def test_further_sets_are_joined_to_the_training_set_and_tested_on_alone_and_unknown_names_refused(read, folder):
    task, own = TASKS["questions"], read("questions")
    both = read_data(task, folder, task_recipe("questions"), further=["reddit"])
    assert len(both.train) == len(own.train) + 5 and both.test == own.test and both.n_available["train"] == own.n_available["train"] + 5
    other = read_test(task, folder, "xquad")
    assert (other.train, len(other.test)) == ((), 5)
    with pytest.raises(BadInput, match=r"no data set 'tv' beside its own\. There are: reddit, amazon"):
        read_data(task, folder, task_recipe("questions"), further=["tv"])
    with pytest.raises(BadInput, match="There are: none"):
        read_test(TASKS["names"], folder, "xquad")
    with pytest.raises(BadInput, match="Choose: questions"):
        task_named("chess")


def test_padding_changes_no_answer(fit, parts):
    for name in TASKS:
        item = fit(name, "elmo")
        head, given = item.job.head(), (parts["elmo"].vectors, parts["elmo"].layers)
        alone = [head.predictions([e], *given)[0] for e in item.job.data.test]
        together = head.predictions(item.job.data.test, *given)
        for a, b in zip(alone, together, strict=True):
            first, second = (list(x.values()) if isinstance(x, dict) else x for x in (a, b))
            assert first == (second if name in (*OF_SPANS, "clusters") else pytest.approx(second, abs=1e-5)), name


WRONG = [
    ("names", "ner/wnut17_train.conll.xz", "one two three\n"),
    ("roles", "srl/ewt_propbank.train.conll.xz", "s\t0\tx\tX\tX\t-\tgo.01\t(V*\n\n"),
    ("roles", "srl/ewt_propbank.train.conll.xz", "s\t0\n"),
    ("entailment", "entailment/snli_train_33k.jsonl.xz", '{"sentence1": 3}\n'),
    ("entailment", "entailment/snli_train_33k.jsonl.xz", '{"sentence1": " ", "sentence2": "Yes.", "gold_label": "neutral"}\n'),
    *(("coreference", "coref/gap-development.tsv.xz", "ID\tText\n"), ("questions", "qa/squadshifts_new_wiki.json.xz", "[]")),
]


@pytest.mark.parametrize(("name", "file", "text"), WRONG)
def test_a_file_of_another_form_is_named(name, file, text, folder, tmp_path):
    path = shutil.copytree(folder, tmp_path / "copy") / file
    for content in (lzma.compress(text.encode()), b"no xz"):
        path.write_bytes(content)
        with pytest.raises(BadInput, match=path.name.split(".")[0]):
            read_data(TASKS[name], tmp_path / "copy", task_recipe(name))
    path.unlink()
    with pytest.raises(MissingArtifact, match="Name the folder"):
        read_data(TASKS[name], tmp_path / "copy", task_recipe(name))
