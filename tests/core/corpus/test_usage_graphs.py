"""DURel's files: what is written is read back; what is wrong is named with its line."""

from functools import partial
from itertools import combinations

import hypothesis
import pytest
from hypothesis import strategies as st

from core.common import reports
from core.common.errors import BadInput
from core.corpus import usage_graphs
from core.text import languages
from core.text.tokens import bare, pieces
from tests.tiny import workbook

HEADER = "\t".join(usage_graphs.USES)


def use(name: str, context: str, span: str, grouping: str = "1") -> str:
    return "\t".join(["plane", "nn", "1850", grouping, name, "", context, span, f"0:{len(context)}"])


def write(path, *lines: str):
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@pytest.mark.parametrize(
    ("text", "word", "place"),
    [
        *(("눈이 내려서 눈을 감았다.", "눈", 0), ("눈이 내려서 눈을 감았다.", "눈", 7), ("이것은 좋은 차이다.", "차", 7)),
        *(("은행에서 돈을 빌렸다.", "은행", 0), ("그는 “배도 먹었다”고 했다.", "배", 4), ("밤새 \u200b눈이 내렸다.", "눈", 4)),
    ],
)
def test_korean_uses_are_cut_as_korean_and_come_back_with_their_word(tmp_path, text, word, place):
    ko = languages.get_language("ko")
    with languages.reading(ko):
        (use,) = usage_graphs.read_uses(
            write(tmp_path / "uses.csv", HEADER, "\t".join([word, "", "1850", "1", "u", "", text, f"{place}:{place + len(word)}", "0:9"]))
        )
        (sentence,) = usage_graphs.sentences_of_uses([use])["1"]
        position = sentence.targets[0].position
        assert bare(sentence.tokens[position]) == word
        (tmp_path / "again.csv").write_text(usage_graphs.format_uses(word, [(sentence.tokens, position)], ["1"]), "utf-8")
        (again,) = usage_graphs.sentences_of_uses(usage_graphs.read_uses(tmp_path / "again.csv"))["1"]
    assert (again.tokens, again.targets) == (sentence.tokens, sentence.targets)
    assert sentence.document == "1850" and bare(sentence.tokens[-1]) == "." and len(sentence.tokens) > len(text.split())


WORDS = st.lists(
    st.sampled_from(["=", "+", "-", "@", "'", "''", "=1+1", "-5", "'=", "\uff1d", "bank", ",", "“", ".", "the", "\u00ad-"]), min_size=1
)


@hypothesis.given(
    st.lists(WORDS, min_size=1, max_size=5), st.sampled_from(["bank", "=bank", "-", "'+x", "@home"]), st.sampled_from(["1", "=cmd|x"])
)
def test_what_a_spreadsheet_would_run_is_guarded_and_read_back_equal(tmp_path_factory, sentences, lemma, grouping):
    folder = tmp_path_factory.mktemp("graph")
    occurrences = [(tuple(tokens), len(tokens) // 2) for tokens in sentences]
    n = len(sentences)
    (folder / "uses.csv").write_text(usage_graphs.format_uses(lemma, occurrences, [grouping] * n), "utf-8")
    (folder / "clusters.csv").write_text(usage_graphs.format_clusters(lemma, [-1, *range(n - 1)]), "utf-8")
    (folder / "judgments.csv").write_text(usage_graphs.format_judgments(lemma, [k % 2 for k in range(n)], "=A1"), "utf-8")
    for name in ("uses", "clusters", "judgments"):
        for line in (folder / f"{name}.csv").read_text("utf-8").splitlines():
            for cell in line.split("\t"):
                assert cell.lstrip()[:1] not in tuple("=+-@\uff1d") or cell == "-1", cell
    uses = usage_graphs.read_uses(folder / "uses.csv")
    names = [f"{lemma}-{k}" for k in range(1, n + 1)]
    assert [(each.identifier, each.lemma, each.grouping) for each in uses] == [(name, lemma, grouping) for name in names]
    for use, (tokens, position) in zip(uses, occurrences, strict=True):
        assert use.context == "".join(pieces(tokens))
        assert use.context[use.start : use.end] == tokens[position]
    assert usage_graphs.read_clusters(folder / "clusters.csv", uses) == dict(zip(names, ["-1", *map(str, range(n - 1))], strict=True))
    if n > 1:
        read = usage_graphs.read_judgments(folder / "judgments.csv")
        assert [(each.first, each.second, each.annotator) for each in read] == [(a, b, "=A1") for a, b in combinations(names, 2)]
        assert [each.judgment for each in read] == [1 if (a - b) % 2 else 4 for a, b in combinations(range(n), 2)]


def test_what_is_wrong_is_named_with_its_line(tmp_path):
    path = tmp_path / "uses.csv"
    good = use("u1", "A plane.", "2:7")
    uses = usage_graphs.read_uses(write(path, HEADER, good))
    read_uses, read_judgments, keep_sides = usage_graphs.read_uses, usage_graphs.read_judgments, usage_graphs.keep_sides
    read_clusters = partial(usage_graphs.read_clusters, uses=uses)
    for read, lines, message in (
        (read_uses, (HEADER, use("u1", "A plane.", "2:70")), r"line 2: '2:70' is not a place in a context of 8 characters"),
        (read_uses, (HEADER, good, good), "line 3: use 'u1' is there twice"),
        (read_uses, (HEADER,), "has no row below its header"),
        (read_uses, (HEADER, use("", "A plane.", "2:7")), "line 2: no identifier"),
        (read_uses, ("lemma,context", "plane,A plane."), "no column 'grouping'"),
        (read_clusters, ("identifier\tcluster", "u9\t0"), "line 2: use 'u9' is not among the uses"),
        (read_clusters, ("identifier\tcluster", "u1\t0", "u1\t1"), "line 3: use 'u1' is in two clusters"),
        (read_judgments, ("\t".join(usage_graphs.JUDGMENTS), "u1\tu2\tann\t7\t\tplane"), "judgment '7'"),
        (
            lambda path: usage_graphs.sentences_of_uses(read_uses(path)),
            (HEADER, use("u2", "A plane. ", "8:9")),
            "line 2: use 'u2' has no word at 8",
        ),
        (keep_sides, (HEADER, good.replace("plane\t", f"{'x' * 5_000}\t", 1)), r"^uses\.csv has 1 groupings of “x{39}…” .*Keep two"),
        (keep_sides, (HEADER, good, use("u2", "A plane.", "2:7", grouping="2")), r"uses\.csv has the same sentences in both groupings"),
    ):
        with pytest.raises(BadInput, match=message) as refused:
            read(write(path, *lines))
        assert len(str(refused.value)) < 400 and len(str(refused.value).splitlines()) == 1


CONTEXTS = [f'He said "well" and "so", number {k}: the bank was steep.' for k in range(12)]


def graph(*, quote=str, span=lambda k, start: f"{start}:{start + 4}", mark="\t") -> str:
    names = ("lemma", "grouping", "identifier", "context", "indexes_target_token")
    rows = [("bank", str(1 + k % 2), f"u{k}", quote(text), span(k, text.index("bank"))) for k, text in enumerate(CONTEXTS)]
    return "\n".join(mark.join(row) for row in (names, *rows)) + "\n"


def as_pandas(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


@pytest.mark.parametrize(
    "content",
    [
        *(graph(), graph(quote=as_pandas), graph(quote=as_pandas, mark=","), "sep=;\n" + graph(quote=as_pandas, mark=";")),
        *("\ufeff" + graph().replace("\n", "\r\n"), graph(span=lambda _, start: f"{start}:{start + 4}:00")),
        graph(span=lambda _, start: f"{start}:{start + 4},0:2"),
    ],
)
def test_uses_are_read_however_they_are_quoted_and_separated(tmp_path, content):
    uses = usage_graphs.read_uses(write(tmp_path / "uses.csv", content))
    assert [use.context for use in uses] == CONTEXTS
    assert {use.context[use.start : use.end] for use in uses} == {"bank"} and {use.grouping for use in uses} == {"1", "2"}


def test_a_workbook_of_uses_is_read_and_a_quote_of_another_file_s_text_stays(tmp_path):
    names, *rows = [line.split("\t") for line in graph().splitlines()]
    uses = usage_graphs.read_uses(workbook(tmp_path / "uses.xlsx", uses=[names, *([row[0], float(row[1]), *row[2:]] for row in rows)]))
    assert [(use.context, use.grouping) for use in uses] == [(text, str(1 + k % 2)) for k, text in enumerate(CONTEXTS)]
    (read,) = usage_graphs.read_uses(write(tmp_path / "uses.csv", HEADER, use("u1", "'- and the plane,' he said", "11:16")))
    assert read.context == "'- and the plane,' he said" and read.context[read.start : read.end] == "plane"


def test_other_lemmas_and_uses_without_a_cluster_are_noted_and_clusters_of_another_word_refused(tmp_path):
    sides = (use("u1", "A plane.", "2:7"), use("u2", "The plane.", "4:9", grouping="2"))
    uses = write(tmp_path / "uses.csv", HEADER, *sides, use("b1", "A bank.", "2:6").replace("plane", "bank"))
    clusters = write(tmp_path / "clusters.csv", "identifier\tcluster", "u1\t0", "b1\t0")
    with reports.collecting() as found:
        assert usage_graphs.keep_sides(uses, clusters)[0] == "plane"
    notes = ["uses.csv: only the uses of “plane” are read, not those of bank.", "clusters.csv has no cluster for 1 of 2 uses of “plane”."]
    assert list(found.values()) == notes
    with pytest.raises(BadInput, match=r"clusters\.csv has no cluster for 2 of 2 uses of “plane”\. Load the uses that belong"):
        usage_graphs.keep_sides(uses, write(tmp_path / "clusters.csv", "identifier\tcluster", "b1\t0"), "plane")


@pytest.mark.parametrize("span", ["5:5", "", "70:900", "2:3", "x", "nan", "9:4"])
def test_one_use_out_of_order_is_left_out_and_noted(tmp_path, span):
    path = tmp_path / "uses.csv"
    path.write_text(graph(span=lambda k, start: span if k == 3 else f"{start}:{start + 4}"))
    with reports.collecting() as found:
        uses = usage_graphs.read_uses(path)
    assert [use.identifier for use in uses] == [f"u{k}" for k in range(12) if k != 3]
    assert next(iter(found.values())).startswith("uses.csv: rows left out: 1. The first is line 5: ")
    path.write_text("\n".join([*path.read_text().rstrip("\n").split("\n"), "too\tmany" + "\tcells" * 20, ""]))
    with reports.collecting() as found:
        usage_graphs.read_uses(path)
    assert len(found) == 2  # for each reason a note


def test_every_spelling_of_cannot_decide_is_one_and_of_noise_too(tmp_path):
    undecided = ("nan", "NaN", "NA", "N/A", "<NA>", "None", "null", "", "-", "?", "0", "0.0", "x")
    undecided += ("Cannot decide", "can’t decide", "판단 불가")
    rows = [f"u1\tu{k}\tann\t{value}\t" for k, value in enumerate(("４", "3.0", "1,0", "2.00", *undecided))]
    read = usage_graphs.read_judgments(write(tmp_path / "judgments.csv", "identifier1\tidentifier2\tannotator\tjudgment\tcomment", *rows))
    assert [each.judgment for each in read] == [4, 3, 1, 2, *[0] * len(undecided)]
    assert usage_graphs.answers_of(read) == [[4, 3, 1, 2, *[None] * len(undecided)]]  # who could not decide said nothing
    rows = [f"u{k}\t{cluster}" for k, cluster in enumerate(("0.0", "-1.0", "1.0", "nan", "", "-1", "river"))]  # floats are pandas'
    clusters = usage_graphs.read_clusters(write(tmp_path / "clusters.csv", "identifier\tcluster", *rows))
    assert list(clusters.values()) == ["0", "-1", "1", "-1", "-1", "-1", "river"]
