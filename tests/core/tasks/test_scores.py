"""Test the measures of SQuAD, GAP and CoNLL 2012 by hand and on examples of the official scorers."""

import pytest

from core.common.errors import BadInput
from core.tasks import coreference, entailment, questions
from core.tasks.coreference import Mentions, chosen, cut_passage
from core.tasks.inputs import covered, passage_of
from core.tasks.questions import Paragraph, normal, overlap
from core.tasks.task import Example


def test_answers_are_compared_without_articles_marks_and_capitals_by_the_words_they_share():
    assert list(map(normal, ["The Red-Cross, 1863!", "an  Apple a day", "a"])) == ["redcross 1863", "apple day", ""]
    assert overlap("the old town hall", "town hall, Lund") == pytest.approx(2 * 2 / (3 + 3))
    assert (overlap("Oslo", "Lund"), overlap("Lund", "LUND!")) == (0, 1)


def test_a_question_counts_its_best_answer_and_entailment_the_likeliest_label():
    text = "Ada was born in Lund in 1902."
    spans = tuple(passage_of(text)[1])
    examples = [Example((), None, Paragraph(text, spans, answers)) for answers in (("Lund", "in Lund"), ("1902",), ("Ada",))]
    result = questions.score(examples, [(3, 4, 0.5), (5, 6, 0.5), (1, 1, 0.5)])  # "in Lund", "in 1902", "was"
    assert result["exact"] == pytest.approx(1 / 3) and result["f1"] == pytest.approx((1 + 2 / 3 + 0) / 3)
    pairs = [Example((), label) for label in ("entailment", "neutral")]
    assert entailment.score(pairs, [{"entailment": 0.5, "neutral": 0.3, "contradiction": 0.2}] * 2)["accuracy"] == 0.5


def test_gap_counts_names_by_gender_and_their_ratio_and_none_of_them_is_an_answer_too():
    def example(target, gender):
        return Example((), target, Mentions((0, 0), ((1, 1), (2, 2)), gender))

    examples = [example(0, "M"), example(1, "M"), example(-1, "F"), example(1, "F")]
    said = [[0.8, 0.1], [0.9, 0.05], [0.2, 0.7], [0.1, 0.8]]  # right, the other name, a name where there is none, right
    result = coreference.score(examples, said)
    assert result["masculine"] == pytest.approx(0.5)  # 1 right of 2 said, of 2 there
    assert result["feminine"] == pytest.approx(2 * 0.5 * 1 / 1.5)  # 1 right of 2 said, of 1 there
    assert result["f1"] == pytest.approx(2 * (2 / 4) * (2 / 3) / (2 / 4 + 2 / 3))
    assert result["bias"] == pytest.approx(result["feminine"] / result["masculine"])
    assert (chosen([0.2, 0.3]), chosen([0.2, 0.7]), chosen([])) == (-1, 1, -1)


def test_characters_of_a_passage_are_those_of_the_text_as_written_and_only_its_sentences_with_mentions_are_read():
    text = "Dr. Lee left.  She said: don't!"
    passage, spans = passage_of(text)
    tokens = [token for sentence in passage for token in sentence]
    assert [text[a:b] for a, b in spans] == tokens and len(passage) == 2
    begin = text.index("don't")
    assert [tokens[k] for k in covered(spans, begin, begin + 5)] == ["do", "n't"] and covered(spans, 13, 14) is None
    text = "The cafe\u0301 shut. He left."
    passage, spans = passage_of(text)
    assert passage[0][1] == "caf\u00e9"
    assert [text[begin:end] for begin, end in spans] == ["The", "cafe\u0301", "shut", ".", "He", "left", "."]
    passage = (("It", "rained", "."), ("Ada", "came", "."), ("She", "sat", "."), ("Good", "."))
    assert cut_passage(passage, [(6, 6), (3, 3)]) == (passage[1:3], [(3, 3), (0, 0)])
    assert cut_passage(passage, [(9, 9), (0, 0)])[0] == passage


# The official scorer's own worked examples: a letter a mention, a word a cluster; recall and precision of MUC, B3 and CEAFe, None where it
# states none (https://github.com/conll/reference-coreference-scorers, test/TestCases.README and CorefMetricTestConfig.pm).
WORKED = {
    "A1": ("a bc def", "a bc def", (1, 1), (1, 1), (1, 1)),
    "A2": ("a bc def", "a de", (1 / 3, 1), (7 / 18, 1), (0.6, 0.9)),
    "A3": ("a bc def", "a bcx defy z", (1, 3 / 5), (1, 55 / 108), (0.88571, 0.66429)),
    "A4": ("a bc def", "a bcx dy z", (1 / 3, 1 / 3), (5 / 9, 17 / 42), (0.73333, 0.55)),
    "A5": ("a bc def", "a bcxB dy z", (1 / 3, 1 / 4), (5 / 9, 5 / 16), (0.68889, 0.51667)),
    "A6": ("a bc def", "a bcx dy Bz", (1 / 3, 1 / 4), (5 / 9, 17 / 48), (0.73333, 0.55)),
    "A10": ("a bc def", "a b c d e f", (0, 0), (3 / 6, 1), None),
    "A11": ("a bc def", "abcdef", (1, 3 / 5), (1, 7 / 18), None),
    "A12": ("a bc def", "a x y c d e z", (0, 0), (13 / 36, 4 / 7), None),
    "A13": ("a bc def", "axycdez", (1 / 3, 1 / 6), (17 / 36, 6 / 49), None),
    "D1": ("12345 67 89ABC", "12345 6789ABC", (1, 9 / 10), (1, 16 / 21), None),
    "E1": ("12345 67 89ABC", "1234589ABC 67", (1, 9 / 10), (1, 7 / 12), None),
    "F1": ("ABCD", "AB CD", (2 / 3, 1), None, None),
    "G1": ("AB CD", "ABCD", (1, 2 / 3), None, None),
    "J1": ("ABC", "AC", (1 / 2, 1), None, None),
    "K1": ("BCDEGHJ", "ABC DEF GHI", (3 / 6, 3 / 6), None, None),
    "L1": ("ABC DEFG", "AB CD FGH", (2 / 5, 2 / 4), None, None),
}


@pytest.mark.parametrize("case", WORKED)
def test_clusters_are_counted_as_in_the_official_scorers_worked_examples(case):
    key, response, *expected = WORKED[case]
    result = coreference.conll_f1([([frozenset(c) for c in key.split()], [frozenset(c) for c in response.split()])])
    for name, pair in zip(("muc", "b3", "ceafe"), expected, strict=True):
        if pair is not None:
            assert (result[f"{name}_recall"], result[f"{name}_precision"]) == pytest.approx(pair, abs=1e-5), name
    assert result["f1"] == pytest.approx(sum(result[f"{name}_f1"] for name in ("muc", "b3", "ceafe")) / 3)


def test_documents_are_summed_before_they_are_divided_and_lone_mentions_are_in_no_cluster():
    perfect, missed = ([frozenset("ab")], [frozenset("ab")]), ([frozenset("cde")], [])
    result = coreference.conll_f1([perfect, missed])
    assert result["muc_recall"] == pytest.approx(1 / 3) and result["b3_recall"] == pytest.approx(2 / 5)
    example = Example((), ((0, 0, 1), (2, 3, 2), (5, 5, 1)), ((0, 0), (2, 3), (5, 5)))
    assert coreference.score_clusters([example], [[0, 1, 0]])["f1"] == pytest.approx(1)
    assert coreference.score_clusters([example], [[0, 1, 2]])["f1"] == 0


def test_clusters_are_read_with_mentions_within_mentions(tmp_path):
    path = tmp_path / "x.conll"
    cells = ["(3(1)", "_", "3)", "_", "(1)"]
    path.write_text("# begin document x\n" + "".join(f"{k}\tw{k}\t{c}\n" for k, c in enumerate(cells)) + "# end document\n")
    (example,) = coreference.read_clusters(path)
    assert example.target == ((0, 0, 1), (0, 2, 3), (4, 4, 1)) and example.facts == ((0, 0), (0, 2), (4, 4))
    path.write_text("# begin document x\n0\tw\t3)\n")
    with pytest.raises(BadInput, match="did not begin"):
        coreference.read_clusters(path)
