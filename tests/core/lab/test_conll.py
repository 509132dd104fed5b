"""Tagged sentences as corpora ship them: CoNLL's columns, CoNLL-U, tokens with blanks."""

import pytest

from core.common import reports
from core.common.errors import BadInput
from core.lab.datasets import read_tags

UD = """# newdoc
# text = I can't see it
1\tI\ti\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tsee\tsee\tVERB\tVB\t_\t0\troot\t_\t_
4.1\tthing\tthing\tNOUN\tNN\t_\t_\t_\t_\t_
5\tit\tit\tPRON\tPRP\t_\t4\tobj\t_\t_

# text = Yes
1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_
"""


@pytest.fixture
def read(tmp_path):
    def reading(text: str, name: str = "a.conllu"):
        (tmp_path / name).write_text(text)
        with reports.collecting() as found:
            return [(s.tokens, s.tags) for s in read_tags(tmp_path / name)], list(found.values())

    return reading


def test_conll_u_gives_forms_and_universal_tags(read):
    sentences, said = read(UD)
    assert sentences == [(("I", "ca", "n't", "see", "it"), ("PRON", "AUX", "PART", "VERB", "PRON")), (("Yes",), ("INTJ",))]
    assert said == ["a.conllu is read as CoNLL-U: forms in column 2, UPOS in column 4."]


def test_conll_u_that_begins_with_several_words_in_one_is_read(read):
    lines = ["1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_", "1\tde\tde\tADP\t_\t_\t0\troot\t_\t_", "2\tle\tle\tDET\t_\t_\t1\tdet\t_\t_"]
    assert read("\n".join(lines))[0] == [(("de", "le"), ("ADP", "DET"))]


def test_conll_u_without_universal_tags_gives_its_own(read):
    sentences, said = read("1\tI\t_\t_\tPRP\t_\t_\t_\t_\t_\n2\tgo\t_\t_\tVB\t_\t_\t_\t_\t_\n")
    assert sentences == [(("I", "go"), ("PRP", "VB"))] and "XPOS in column 5" in said[0]


def test_blanks_within_a_cell_belong_to_the_token(read):
    assert read(': "\tO\nNew York\tB-LOC\n\nAnna B-PER\n') == ([((': "', "New York"), ("O", "B-LOC")), (("Anna",), ("B-PER",))], [])


def test_comments_beside_tabs_are_no_tokens_and_a_number_sign_is_one(read):
    assert read("# sent_id = 1\nThe\tDT\n#\tSYM\n") == ([(("The", "#"), ("DT", "SYM"))], [])
    assert read("The DT\n# SYM\n") == ([(("The", "#"), ("DT", "SYM"))], [])


def test_a_column_that_counts_tokens_is_no_token(read):
    sentences, said = read("1\tAnna\tB-PER\n2\tslept\tO\n\n1\tYes\tO\n")
    assert sentences == [(("Anna", "slept"), ("B-PER", "O")), (("Yes",), ("O",))] and "from column 2" in said[0]
    assert read("1 CD\n2 CD\n")[0] == [(("1", "2"), ("CD", "CD"))]


def test_another_format_with_numbers_first_is_refused(tmp_path):
    row = "\t".join(["1", "The", "the", "the", "DT", "DT", *["_"] * 8])
    (tmp_path / "a.conll").write_text(f"{row}\n")
    with pytest.raises(BadInput, match=r"a\.conll counts tokens in column 1 and is no CoNLL-U"):
        read_tags(tmp_path / "a.conll")


def test_one_sentence_without_a_tag_is_left_out_and_named(read):
    good = "".join(f"word{k}\tNN\n\n" for k in range(30))
    sentences, said = read(good + "river\n\n" + good)
    assert len(sentences) == 60 and said == ["a.conllu: 1 row is left out, line 61: 'river' without a tag."]
