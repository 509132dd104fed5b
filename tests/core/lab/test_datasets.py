"""Test readers of public data sets on small files, and splits that share no sentence and no document."""

import json
import lzma
from collections import Counter
from pathlib import Path

import pytest

from core.common.errors import BadInput
from core.lab.datasets import SenseSentence, SpanTarget, read_semcor, read_tags, split_documents
from core.senses.senseval import read_sense_rows, read_senseval, split_rows
from core.text.sentences import LabeledRow


def words(text: str) -> str:
    """Return the marks of words; the word between asterisks is the head."""
    marks = [f'<wf pos="X">{word.strip("*")}</wf>' for word in text.split(" ")]
    return " ".join(f"<head> {m}</head>" if w.startswith("*") else m for w, m in zip(text.split(" "), marks, strict=True))


def senseval(path: Path, *contexts: str, item: str = "hard-a", answer: str = '<answer instance="i" senseid="HARD1"/>') -> Path:
    instances = "".join(f'<instance id="{k}">\n{answer}\n<context>\n{c}\n</context>\n</instance>\n' for k, c in enumerate(contexts))
    path.write_text(f'<corpus lang="en">\n<lexelt item="{item}">\n{instances}</lexelt>\n</corpus>\n', encoding="utf-8")
    return path


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_an_instance_becomes_a_row_and_one_without_a_head_or_an_answer_is_passed_over(tmp_path):
    path = senseval(tmp_path / "hard.pos", words("that 's *hard* to do ."))
    packed = tmp_path / "hard.pos.xz"
    packed.write_bytes(lzma.compress(path.read_bytes()))
    assert read_senseval(path) == read_sense_rows(packed) == [LabeledRow("hard", ("that", "'s", "hard", "to", "do", "."), 2, "HARD1")]
    row = {"word": "bank", "tokens": ["the", "bank"], "position": 1, "label": "edge"}
    assert read_sense_rows(write(tmp_path / "a.jsonl", json.dumps(row))) == [LabeledRow("bank", ("the", "bank"), 1, "edge")]
    assert len(read_senseval(senseval(tmp_path / "a.pos", words("no head"), words("a *hard* one")))) == 1
    with pytest.raises(BadInput, match=r"b\.pos holds no instance of Senseval-2"):
        read_senseval(senseval(tmp_path / "b.pos", words("a *hard* one"), answer=""))


@pytest.mark.parametrize(
    ("context", "kept"),
    {
        "the line": (f"{words('go on .')}\n{words('a *hard* day')}\n{words('so be it .')}", "a hard day"),
        "after <s>": (f"{words('go on')} <s snum='2'/> {words('a *hard* day')}", "a hard day"),
        "between full stops": (words("it was late . a *hard* day ended . we slept ."), "a hard day ended ."),
        "with its closing quote": (words("go on ! '' a *hard* day is over ? '' we slept ."), "a hard day is over ? ''"),
        "with plain quotes": (words('" go on . " a *hard* day . " now what ?'), "a hard day ."),
        "past an abbreviation": (words("mr . smith of the u . s . is *hard* ."), "mr . smith of the u . s . is hard ."),
        "past a price": (words("it cost $ 16 . 73 and was *hard* ."), "it cost $ 16 . 73 and was hard ."),
        "without entities": (words("AT&amp;T is *Hard* &lt;now&gt;"), "AT&T is Hard <now>"),
    }.values(),
)
def test_of_a_context_only_the_sentence_around_the_head_is_kept(tmp_path, context, kept):
    (row,) = read_senseval(senseval(tmp_path / "hard.pos", context))
    assert " ".join(row.tokens) == kept and row.tokens[row.position].casefold() == "hard"


def test_a_damaged_file_is_read_by_its_marks_and_may_have_several_words_and_answers(tmp_path):
    two = '<answer instance="i" senseid="B"/>\n<answer instance="i" senseid="A"/>'
    text = senseval(tmp_path / "a.pos", words("one *hard* day"), words("two *hard* days"), answer=two).read_text()
    text = text.replace("</context>", "", 1).replace("</instance>", "", 1).replace("</corpus>", "&&& <p>")
    assert [(row.tokens[0], row.label) for row in read_senseval(write(tmp_path / "b.pos", text))] == [("one", "B"), ("two", "B")]
    a, b = (senseval(tmp_path / "a.pos", words("*x*"), item=item).read_text() for item in ("line-n", "serve.v"))
    assert [row.word for row in read_senseval(write(tmp_path / "b.pos", a + b))] == ["line", "serve"]


SEMCOR = """# brown1/br-a01 s1
The	DT	the	
Fulton_County_Grand_Jury	NNP	group	group%1:03:00::
said	VB	say	say%2:32:00::
well	RB	well	well%4:02:00::;4:02:01::
#	SYM	#	

# brown1/br-a02 s1
no	DT	no	
.			

# brown2/br-b01 s7
recent	JJ	recent	recent%5:00:00:past:00
"""


def test_semcor_columns_become_sentences_with_documents_and_targets_over_spans(tmp_path):
    first, last = read_semcor(write(tmp_path / "a.tsv", SEMCOR))
    assert first.document == "brown1/br-a01" and last.document == "brown2/br-b01"  # a sentence without a target is left out
    assert first.tokens == ("The", "Fulton", "County", "Grand", "Jury", "said", "well", "#")
    assert first.targets == (
        SpanTarget(1, 5, "group", "n", "group%1:03:00::"),
        SpanTarget(5, 6, "say", "v", "say%2:32:00::"),
        SpanTarget(6, 7, "well", "r", "well%4:02:00::"),  # the first of two keys
    )
    assert last.targets == (SpanTarget(0, 1, "recent", "a", "recent%5:00:00:past:00"),)  # ss_type 5 is an adjective
    (sentence,) = read_semcor(write(tmp_path / "b.tsv", "# d s\n_to\tTO\t_to\t\n_\tX\t\t\ngo\tVB\tgo\tgo%2:38:00::\n"))
    assert sentence.tokens == ("to", "_", "go") and sentence.targets[0].start == 2  # an underscore alone stays a token


UD = """# newdoc
# text = I can't
1\tI\ti\tPRON\tPRP\t_\t2\tnsubj\t_\t_
2-3\tcan't\t_\t_\t_\t_\t_\t_\t_\t_
2\tca\tcan\tAUX\tMD\t_\t0\troot\t_\t_
3\tn't\tnot\tPART\tRB\t_\t2\tadvmod\t_\t_
3.1\tgo\tgo\tVERB\tVB\t_\t_\t_\t_\t_

# text = Yes
1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_
"""


WRONG = [  # reader, text, message
    (read_semcor, "go\tVB\tgo\tgo%2:38:00::\n", "line 1: 'go.* before any document"),
    (read_semcor, "# d s\nThe\tDT\tthe\t\ngo\tVB\tgo\n", "line 3: 3 columns"),
    (read_semcor, "# d s\ngo\tVB\tgo\tgo.v.01\n", "line 2: 'go.v.01' is not a sense key"),
    (read_semcor, "# d s\ngo\tVB\tgo\t\n", "holds no word with a sense key"),
    *((read_semcor, "", "holds no word with a sense key"), (read_tags, "the DT\n\nriver\n", "line 3: 2 / 3 cells are expected")),
    (read_tags, "the  DT\n", "line 1: 2 / 3 cells are expected"),
    (read_tags, "the \nbank NN\n", "line 1: 2 / 3 cells are expected"),
    (read_tags, "-DOCSTART- -X-\n", "has no tagged sentence"),
    (read_tags, UD, "line 2: 2 / 3 cells are expected"),
]


@pytest.mark.parametrize(("read", "text", "message"), WRONG, ids=range(len(WRONG)))
def test_wrong_file_is_refused_with_its_line(tmp_path, read, text, message):
    name = "a.tsv" if read is read_semcor else "a.txt"
    with pytest.raises(BadInput, match=f"{name}.*{message}"):
        read(write(tmp_path / name, text))


def rows_of(*sentences: str) -> list[LabeledRow]:
    return [LabeledRow("w", tuple(s.split()), 0, "a") for s in sentences]


def test_a_split_is_drawn_by_its_seed_and_separates_no_equal_sentences_and_no_document():
    twice = [*rows_of(*"abcdefgh" * 3), *rows_of(*(f"more {k}" for k in range(40)))]
    train, test = split_rows(twice, 0.5)
    assert not {r.tokens for r in train} & {r.tokens for r in test} and Counter(train + test) == Counter(twice)
    rows = rows_of(*map(str, range(200)))
    assert split_rows(rows, seed=1) != split_rows(rows, seed=2)
    assert split_rows(rows[50:])[0] == [row for row in split_rows(rows)[0] if row in rows[50:]]  # other rows do not matter
    sentences = [SenseSentence(f"d{k // 3}", (str(k),), ()) for k in range(60)]
    train, test = split_documents(sentences, 0.9)
    documents = [{s.document for s in part} for part in (train, test)]
    assert (len(documents[0]), len(documents[1])) == (18, 2) and not documents[0] & documents[1] and len(train) == 54
    assert split_documents(sentences, 0.9, 1) != (train, test)
    with pytest.raises(BadInput, match="1 documents cannot be split"):
        split_documents(sentences[:3])


def test_shares_and_rows_that_cannot_be_split_are_refused():
    for share in (0, 1, -0.5, 1.5, float("nan")):
        for split, rows in ((split_rows, rows_of("a", "b")), (split_documents, [])):
            with pytest.raises(BadInput, match="share"):
                split(rows, share)
    with pytest.raises(BadInput, match="one side is empty"):
        split_rows(rows_of("the same", "the same"))


COLUMNS_OF_TAGS = {
    "blanks in cells": (': "\tO\nNew York\tB-LOC\n\nAnna B-PER\n', [': "/O New York/B-LOC', "Anna/B-PER"]),
    "documents": ("-DOCSTART- -X- O\n\nThe DT B-NP\n# SYM O\n\n\nbank\tNN\n", ["The/DT #/SYM", "bank/NN"]),
    "no-break space": ("10\u00a0000 CD B-NP\nbanks NNS I-NP\n", ["10\u00a0000/CD banks/NNS"]),
    "blank in a tag": ("London\tplace name\nis\tO\n", ["London/place name is/O"]),
    "numbers": ("1 CD\n2 CD\n", ["1/CD 2/CD"]),
}


@pytest.mark.parametrize(("text", "sentences"), COLUMNS_OF_TAGS.values(), ids=COLUMNS_OF_TAGS)
def test_tokens_and_tags_are_read_from_the_columns_that_hold_them(tmp_path, text, sentences):
    result = read_tags(write(tmp_path / "a.txt", text))
    assert [" ".join(map("/".join, zip(*sentence, strict=True))) for sentence in result] == sentences
