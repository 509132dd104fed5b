"""The measures of GAP and SQuAD, by hand on examples of our own, as the official scorers count."""

import pytest

from core.tasks import coreference, entailment, questions
from core.tasks.coreference import Mentions, about, chosen
from core.tasks.inputs import covered, passage_of
from core.tasks.questions import Paragraph, normal, overlap
from core.tasks.task import Example


@pytest.mark.parametrize(
    ("said", "plain"),
    [("The Red-Cross, 1863!", "redcross 1863"), ("an  Apple a day", "apple day"), ("Theatre", "theatre"), ("a", "")],
)
def test_answers_are_compared_without_articles_marks_and_capitals(said, plain):
    assert normal(said) == plain


def test_words_that_two_answers_share():
    assert overlap("the old town hall", "town hall, Lund") == pytest.approx(2 * 2 / (3 + 3))
    assert overlap("Oslo", "Lund") == 0.0 and overlap("Lund", "LUND!") == 1.0


def test_a_question_counts_its_best_answer():
    text = "Ada was born in Lund in 1902."
    spans = tuple(passage_of(text)[1])
    examples = [Example((), None, Paragraph(text, spans, answers)) for answers in (("Lund", "in Lund"), ("1902",), ("Ada",))]
    found = questions.score(examples, [(3, 4, 0.5), (5, 6, 0.5), (1, 1, 0.5)])  # "in Lund", "in 1902", "was"
    assert found["exact"] == pytest.approx(1 / 3) and found["f1"] == pytest.approx((1 + 2 / 3 + 0) / 3)


def test_gap_counts_names_by_gender_and_their_ratio():
    def example(target, gender):
        return Example((), target, Mentions((0, 0), ((1, 1), (2, 2)), gender))

    examples = [example(0, "M"), example(1, "M"), example(-1, "F"), example(1, "F")]
    said = [[0.8, 0.1], [0.9, 0.05], [0.2, 0.7], [0.1, 0.8]]  # right, the other name, a name where there is none, right
    found = coreference.score(examples, said)
    assert found["masculine"] == pytest.approx(0.5)  # 1 right of 2 said, of 2 there
    assert found["feminine"] == pytest.approx(2 * 0.5 * 1 / 1.5)  # 1 right of 2 said, of 1 there
    assert found["f1"] == pytest.approx(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3))
    assert found["bias"] == pytest.approx(found["feminine"] / found["masculine"])


def test_none_of_the_names_is_an_answer_too():
    assert (chosen([0.2, 0.3]), chosen([0.2, 0.7]), chosen([])) == (-1, 1, -1)


def test_only_the_sentences_with_mentions_are_read():
    passage = (("It", "rained", "."), ("Ada", "came", "."), ("She", "sat", "."), ("Good", "."))
    assert about(passage, [(6, 6), (3, 3)]) == (passage[1:3], [(3, 3), (0, 0)])
    assert about(passage, [(9, 9), (0, 0)])[0] == passage


def test_entailment_counts_the_likeliest_label():
    examples = [Example((), label) for label in ("entailment", "neutral")]
    said = {"entailment": 0.5, "neutral": 0.3, "contradiction": 0.2}
    assert entailment.score(examples, [said, said])["accuracy"] == 0.5


def test_characters_and_tokens_of_a_passage():
    text = "Dr. Lee left.  She said: don't!"
    passage, spans = passage_of(text)
    tokens = [token for sentence in passage for token in sentence]
    assert [text[a:b] for a, b in spans] == tokens and len(passage) == 2
    begin = text.index("don't")
    assert [tokens[k] for k in covered(spans, begin, begin + 5)] == ["do", "n't"] and covered(spans, 13, 14) is None
