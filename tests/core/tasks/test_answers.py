"""Test typed input of each task: each form of answer, and wrong input that no snapshot of a page has."""

import pytest
import torch

from core.common.errors import BadInput
from core.elmo.models import Model
from core.tasks import answers
from core.tasks.heads import TASKS, freeze, make_fit, save_head
from core.tasks.task import VARIANTS, read_data
from tests.tiny import task_recipe

torch.set_num_threads(1)


@pytest.fixture(scope="module")
def heads(tmp_path_factory, folder, given):
    output = tmp_path_factory.mktemp("heads")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ELMOSCOPE_CACHE", str(output / "cache"))
        for name, task in TASKS.items():
            recipe, examples = task_recipe(name), read_data(task, folder, task_recipe(name))
            for variant in VARIANTS:
                save_head(make_fit(task, variant, examples, recipe, freeze(variant, examples, *given)).finish(), output / name / variant)
    return output


def test_every_task_answers_in_its_form(heads, given):
    opened = answers.open_tasks(*given, heads)
    assert list(opened) == list(TASKS) and all(set(item.heads) == set(VARIANTS) for item in opened.values())

    def said(name, example):
        return answers.ask(opened[name], example, *given)

    sentence = answers.sentence_example("roles", "Ada went to Lund and sang.")
    assert set(answers.predicates(opened["roles"], sentence, *given)) <= set(range(7))
    for spans in said("roles", answers.with_predicate(sentence, 1)).values():
        assert all(0 <= a <= b < 7 for a, b, _ in spans)
    for probabilities in said("entailment", answers.pair_example("Ada sings.", "Nobody sings.")).values():
        assert sum(probabilities.values()) == pytest.approx(1, abs=1e-5)
    request = answers.question_example("Where was Ada born?", "Ada was born in Lund. It is small.")
    for first, last, _ in said("questions", request).values():
        assert request.facts.words(first, last)
    result = answers.mentioned("When Ada met Clara Berg, it rained. Then she left.")
    assert [result.words(span) for span in result.names] == ["Ada", "Clara Berg"] and len(result.pronouns) == 1
    for shares in said("coreference", result.example(result.pronouns[0])).values():
        assert len(shares) == 2 and 0 < sum(shares) < 1


def test_a_sentence_is_read_once_for_all_tasks(heads, given, monkeypatch):
    encode, read = type(given[0].encoder).encode, []
    monkeypatch.setattr(type(given[0].encoder), "encode", lambda self, texts: [read.extend(texts), encode(self, texts)][1])
    opened = answers.open_tasks(*given, heads)
    for name in ("names", "chunks", "speech"):
        answers.ask(opened[name], answers.sentence_example(name, "Ada saw Riga."), *given)
    answers.predicates(opened["roles"], answers.sentence_example("roles", "Ada saw Riga."), *given)
    assert len(read) == 1


def test_heads_of_another_model_are_not_asked(heads, given):
    opened = answers.open_tasks(Model("other", given[0].folder, given[0].encoder, "0" * 16), given[1], heads)
    assert all(set(item.heads) == {"baseline"} and "was trained with" in item.problems[0] for item in opened.values())
    assert answers.open_tasks(*given, heads / "none") == {}


def test_wrong_input_is_reported():
    with pytest.raises(BadInput, match="too long: at most 400 tokens"):
        answers.question_example("Who?", "word " * 900)
    for text, missing in (("Ada met Clara.", "pronoun"), ("When it rained she left.", "name")):
        with pytest.raises(BadInput, match=f"needs a {missing}"):
            answers.mentioned(text)
