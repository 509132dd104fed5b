"""No command takes a file from its user: what is there is refused before the work begins, and what cannot be matched is carried along."""

import csv
import gzip
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import click
import pytest

from core.cli import senses
from core.cli.main import elmoscope
from core.cli.neighbors import in_shards
from core.cli.options import READS, Command, OutputPath
from core.cli.shared import write_texts
from core.common.errors import BadInput
from core.corpus import label_files
from core.corpus.label_files import carry_rows
from core.corpus.spread import Labels
from core.elmo import models
from core.files.outputs import Outputs
from core.lab.__main__ import lab
from core.text import languages

NO_FILES = [
    *("A..B", "A=B", "ADDRESS", "DATASET", "E", "I", "JSON", "K", "KIND", "L", "N", "NAME", "PART", "QUERY", "S", "SET", "T", "TEXT"),
    *("W", "WHAT", "XX.po", "a,b,c", "all"),
]  # metavars


def commands(group: click.Group, path: str = ""):
    for name, item in group.commands.items():
        yield from commands(item, f"{path}{name} ") if isinstance(item, click.Group) else [(f"{path}{name}", item)]


COMMANDS = {
    path: command for path, command in [*commands(elmoscope), *commands(lab, "lab ")] if isinstance(command, Command)
}  # `serve` is Streamlit's


def outputs_of(command: Command) -> list[click.Parameter]:
    return [param for param in command.params if isinstance(param.type, OutputPath)]


def needed(path: str, folder: Path) -> list[str]:
    """The command and values of all that it cannot do without: files that are not there."""
    values = {"W": "bank", "T": "spam", "NAME": "tfidf", "O.npz": "o.npz", "FOLDER": str(folder / "data")}
    words = path.split()
    for param in COMMANDS[path].params:
        if isinstance(param, click.Option) and param.required:
            choices = list(getattr(param.type, "choices", ()))
            words += [param.opts[0], *(choices[:1] or [values.get(param.metavar, str(folder / f"{param.name}.jsonl"))])]
    return words


def test_a_url_is_no_place_on_disk_and_refused_where_only_files_are_written(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("s3:", "index.json", "a.txt"):
        Path(name).write_text("{}")
    assert OutputPath(is_folder=True).convert("s3://bucket/index", None, None) == "s3://bucket/index"
    assert not in_shards("")
    for words in (["embed", "--input", "a.txt"], ["index", "build", "--corpus", "a.txt"]):
        assert "s3://bucket/o.npz is a URL. Name a path on this machine." in refused(*words, "--output", "s3://bucket/o.npz")
    assert {path.name for path in tmp_path.iterdir()} - {"cache"} == {"s3:", "index.json", "a.txt"}


WRITERS = [(path, option.opts[0]) for path, command in COMMANDS.items() for option in outputs_of(command) if option.metavar != "DIR"]


@pytest.mark.parametrize(("path", "option"), WRITERS)
def test_a_file_of_others_is_refused_before_any_work(refused, tmp_path, monkeypatch, path, option):
    monkeypatch.chdir(tmp_path)
    if path != "lab card":  # whose file's default place is the model's
        monkeypatch.setattr(models, "open_model", lambda *_, **__: pytest.fail("the work has begun"))
    (tmp_path / "data").mkdir()
    mine = tmp_path / "mine.npz"
    said = f"error: {mine} exists and “{COMMANDS[path].path}” did not write it. Name another, or add --overwrite."
    for content in (b"mine \xff", b""):
        mine.write_bytes(content)
        assert refused(*needed(path, tmp_path), option, mine) == said
        assert mine.read_bytes() == content and {each.name for each in tmp_path.iterdir()} - {"cache", "data"} == {"mine.npz"}


def test_a_default_place_may_be_of_others(refused, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "assets" / "results").mkdir(parents=True)
    for path, name in (("live", "elmoscope.html"), ("lab experiments", "assets/results/classification.jsonl")):
        (tmp_path / name).write_text("mine")
        assert refused(*needed(path, tmp_path)).startswith(f"error: {tmp_path / name} exists and “{COMMANDS[path].path}” did not write it.")
        assert (tmp_path / name).read_text() == "mine"


@pytest.mark.parametrize("path", [path for path, command in COMMANDS.items() if outputs_of(command)])
def test_each_command_that_writes_has_overwrite_and_its_whole_name(path):
    assert "--overwrite" in [name for param in COMMANDS[path].params for name in param.opts]
    assert COMMANDS[path].path == path.removeprefix("lab ")


def test_every_value_is_known_to_name_what_a_command_reads_or_not():
    """Require each metavar in one of the two lists, because no input is ever replaced."""
    params = [param for command in COMMANDS.values() for param in command.params if param not in outputs_of(command)]
    read = {param.metavar for param in params if param.metavar and not getattr(param, "is_flag", False)}
    assert read - set(NO_FILES) == set(READS)


@pytest.fixture
def graph(tmp_path) -> Path:
    """A word usage graph that people annotated."""
    folder = tmp_path / "bank"
    folder.mkdir()
    rows = ["lemma\tpos\tdate\tgrouping\tidentifier\tdescription\tcontext\tindexes_target_token\tindexes_target_sentence"]
    for k in range(12):
        text = f"{('The river bank was steep and green.', 'The bank lent them some money.')[k % 2]} It was {1850 + k}."
        start = text.index("bank")
        rows.append(f"bank\tnn\t{1850 + 50 * (k // 6)}\t{k // 6 + 1}\tmag{k}\tby hand\t{text}\t{start}:{start + 4}\t0:{len(text)}")
    (folder / "uses.csv").write_text("\n".join(rows) + "\n")
    judged = [f"mag{a}\tmag{b}\tann1\t{4 if (a - b) % 2 == 0 else 1}\tsure\tbank" for a in range(12) for b in range(a)]
    (folder / "judgments.csv").write_text("identifier1\tidentifier2\tannotator\tjudgment\tcomment\tlemma\n" + "\n".join(judged) + "\n")
    return folder


def contents(folder: Path) -> dict[Path, bytes]:
    """Return the files of a folder, without those of the cache."""
    paths = (path for path in folder.rglob("*") if path.relative_to(folder).parts[0] != "cache")
    return {path: path.read_bytes() if path.is_file() else b"" for path in paths}


@pytest.mark.parametrize("taken", [["a.csv"], ["b.csv"], ["c.csv", "a.csv"]])
def test_each_of_several_results_stays_although_the_places_of_others_are_taken_meanwhile(tmp_path, taken):
    files = tuple(tmp_path / name for name in ("a.csv", "b.csv", "c.csv"))
    with pytest.raises(BadInput) as caught, Outputs("senses change", named=files, files=files).guarding():
        for name in taken:
            (tmp_path / name).write_text("mine")
        write_texts({path: f"result {path.name}" for path in files})
    assert all(f"{name} exists" in str(caught.value) for name in taken)
    for path in files:
        place = path.with_stem(f"{path.stem}-2") if path.name in taken else path
        assert place.read_text() == f"result {path.name}" and (path == place or path.read_text() == "mine")


def test_judgments_of_other_uses_are_not_used_and_equal_ones_have_no_agreement(call, refused, graph):
    judgments = graph / "judgments.csv"
    command = ("senses", "change", "--word", "bank", "--uses", graph / "uses.csv", "--judgments", judgments, "--layer", 0)
    assert "rho with the cosines –\n" in (out := call(*command)[1]) and "no rho: the pairs' cosines are all the same." in out
    head = judgments.read_text().splitlines()[0]
    other, equal = "port1\tport2\tann1\t4\tsure\tport", "mag0\tmag1\tann1\t4\tsure\tbank"
    for lines, why in (
        ([equal], "no alpha: no pair has the judgments of two annotators."),
        ([equal, equal.replace("ann1", "ann2")], "no alpha: all judgments are the same."),
    ):
        judgments.write_text("\n".join([head, *lines, other]) + "\n")
        status, out, err = call(*command)
        assert status == 0 and "1 judgment of " in err and "not used" in err, err
        assert why in out and "no rho: the pairs' mean judgments are all the same." in out
    judgments.write_text(f"{head}\n{other}\n")
    assert "None of the judgments in" in refused(*command)


def test_a_usage_graph_takes_no_place_of_one_that_people_annotated(answer, refused, graph, tmp_path):
    before = contents(graph)
    reads = ("senses", "change", "--word", "bank", "--uses", graph / "uses.csv", "--judgments", graph / "judgments.csv")
    for more in ((), ("--overwrite",)):
        assert "uses.csv is read by this command and stays as it is" in refused(*reads, "--graph", graph, *more)
    (graph / "uses.csv").rename(tmp_path / "uses.csv")  # one of them alone is an input, or none of them
    reads = ("senses", "change", "--word", "bank", "--uses", tmp_path / "uses.csv")
    assert "judgments.csv exists and “senses change” did not write it" in refused(*reads, "--graph", graph)
    more = ("--judgments", graph / "judgments.csv", "--overwrite")
    assert "judgments.csv is read by this command" in refused(*reads, *more, "--graph", graph)
    (tmp_path / "uses.csv").rename(graph / "uses.csv")
    assert contents(graph) == before
    reads = ("senses", "change", "--uses", graph / "uses.csv")
    for _ in range(2):
        answer(*reads, "--graph", tmp_path / "new", "--csv", tmp_path / "new.csv")
    assert {path.name for path in contents(tmp_path / "new")} == set(senses.GRAPH)
    (tmp_path / "new" / "judgments.csv").write_text((graph / "judgments.csv").read_text())
    said = refused(*reads, "--graph", tmp_path / "new")
    assert "judgments.csv was changed after “senses change” wrote it" in said
    assert (tmp_path / "new" / "judgments.csv").read_text() == (graph / "judgments.csv").read_text()
    assert "is named for two outputs" in refused(*reads, "--graph", tmp_path / "g", "--csv", tmp_path / "g" / "uses.csv")
    assert "is not a folder" in refused(*reads, "--graph", tmp_path / "new.csv")
    assert contents(graph) == before


RIVER = [f"He sat on the {which} bank ." for which in ("river", "muddy", "grassy", "steep", "left")]
MONEY = [f"The bank {what} ." for what in ("lent him money", "paid it out", "raised its rates", "holds deposits", "closed it")]


def row(text: str, sense: str, word: str = "bank", **more) -> dict:
    tokens = text.split()
    return {"tokens": tokens, "position": tokens.index(word), "sense": sense, **more}


@pytest.fixture
def labels(tmp_path) -> Path:
    """Labels of two sentences of a corpus, with a comment, and of two that are not in it, one of another word."""
    (tmp_path / "corpus.txt").write_text("\n".join([*RIVER, *MONEY]) + "\n")
    rows = [
        *(row(RIVER[0], "river", comment="clear", id=7), row("The bank was robbed at noon .", "money", annotator="Ann")),
        *(row(MONEY[0], "money"), row("The cell was locked .", "prison", "cell", note={"page": 3})),
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(each) + "\n" for each in rows))
    return tmp_path / "mine.jsonl"


def rows_of(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def same(first: dict, second: dict) -> bool:
    return (first["tokens"], first["position"]) == (second["tokens"], second["position"])


@pytest.mark.parametrize("over", [True, False], ids=["over the labels", "to another file"])
def test_a_spread_carries_every_label_through(call, labels, tmp_path, over):
    before = rows_of(labels)
    output = labels if over else tmp_path / "all.jsonl"
    words = ("senses", "spread", "--word", "bank", "--labels", labels, "--corpus", tmp_path / "corpus.txt", "--output", output)
    for _ in range(2 if over else 1):
        status, _, err = call(*words)
        assert status == 0, err
        assert f"{labels}: 2 rows on other sentences copied to {output}." in err
        rows = rows_of(output)
        assert len(rows) == 12 and [each["given"] for each in rows if "given" in each].count(False) == 8
        for each in before:
            kept = [found for found in rows if same(each, found)]
            assert len(kept) == 1 and each.items() <= kept[0].items()
        assert len(label_files.read_senses(output)) == 4
    assert over or rows_of(labels) == before


def test_labels_are_not_written_over_where_they_would_change(refused, labels, tmp_path):
    before = labels.read_bytes()
    words = ("senses", "spread", "--word", "bank", "--corpus", tmp_path / "corpus.txt", "--labels")
    hers, listed, link = tmp_path / "hers.jsonl", tmp_path / "mine.json", tmp_path / "link.jsonl"
    hers.write_bytes(before)
    listed.write_text(json.dumps(rows_of(labels)))
    link.symlink_to(listed)
    for more, said in (
        ((labels, "--output", labels, "--merge", "river=money"), "--merge would replace senses"),
        ((labels, "--output", tmp_path / "x", "--csv", tmp_path / "x"), "is named for two outputs"),
        ((labels, "--csv", labels, "--overwrite"), "is read by this command"),
        ((labels, "--second", hers, "--output", hers, "--overwrite"), "is read by this command"),
        ((listed, "--output", listed), "is not a .jsonl file"),
        ((listed, "--output", link), "mine.json is not a .jsonl file"),
    ):
        assert said in refused(*words, *more)
    assert labels.read_bytes() == before == hers.read_bytes() and len(json.loads(listed.read_text())) == 4


@pytest.fixture
def spread(labels, tmp_path) -> list:
    """Return the command that spreads the labels, after one more sense is added to them."""
    with labels.open("a") as file:
        file.write(json.dumps(row(MONEY[1], "account")) + "\n")
    return ["senses", "spread", "--word", "bank", "--labels", labels, "--corpus", tmp_path / "corpus.txt"]


def test_senses_are_merged_in_the_labels_of_both_annotators(answer, refused, spread, labels, tmp_path):
    second = tmp_path / "second.jsonl"
    second.write_text("".join(json.dumps(each | {"sense": f"her {each['sense']}"}) + "\n" for each in rows_of(labels)))
    words = (*spread, "--second", second)
    merges = [word for sense in ("river", "money", "account") for word in ("--merge", f"her {sense}={sense}")]
    result = answer(*words, *merges, "--merge", "account=money", "--merge", "money=prison")
    assert (result["alpha"], result["labeled_by_both"], len(result["senses"])) == (1, 3, 2)
    assert "No sense “his river”. Senses: river, money, prison, account, her river" in refused(*words, "--merge", "his river=river")
    second.write_text(json.dumps(row(RIVER[1], "river")) + "\n")
    refused(*words, "--output", tmp_path / "all.jsonl")  # no agreement can be computed
    assert not (tmp_path / "all.jsonl").exists()


def test_labels_of_nine_senses_can_be_spread_once_some_are_merged(answer, refused, spread, tmp_path):
    spread[5] = tmp_path / "many.jsonl"
    spread[5].write_text("".join(json.dumps(row(text, f"s{k}")) + "\n" for k, text in enumerate((*RIVER, *MONEY))))
    assert "“s9” would be sense 9; at most 8. Merge two first." in refused(*spread, "--merge", "s8=s0")
    assert answer(*spread, "--merge", "s8=s0", "--merge", "s9=s8")["senses"] == [f"s{k}" for k in range(8)]


def test_rows_that_another_process_added_meanwhile_stay(labels):
    sentences = [(tuple(text.split()), text.split().index("bank")) for text in (*RIVER, *MONEY)]
    text = label_files.format_labels("bank", sentences, Labels(((0, "river"), (5, "money"))), None)
    with labels.open("a") as file:  # since they were read
        file.write(json.dumps(row(RIVER[1], "river", comment="new")) + "\n")
        file.write(json.dumps(row("A bank of clouds .", "cloud")) + "\n")
        file.write('{"tokens": ["cut\n"a note"\n')  # by another program
    kept, carried = carry_rows(text + json.dumps(row(RIVER[1], "money", given=False)) + "\n", labels, sentences)
    assert [line for line in kept.splitlines() if "position" not in line] == ['{"tokens": ["cut', '"a note"']
    rows = [json.loads(line) for line in kept.splitlines() if "position" in line]
    assert carried == 5 and len(rows) == 6
    assert [each["sense"] for each in rows if same(each, row(RIVER[1], ""))] == ["river"]
    assert {each["sense"] for each in rows} == {"river", "money", "prison", "cloud"}


@pytest.mark.parametrize("name", ["my.json.jsonl", "my.jsonl.json", "my.JSON", "my.json.gz", "my.json.jsonl.gz"])
def test_rows_are_carried_from_a_file_of_each_kind(tmp_path, name):
    rows = [row(text, "river") for text in RIVER]
    is_list = ".jsonl" not in name or name.endswith(".json")
    content = (json.dumps(rows) if is_list else "".join(json.dumps(each) + "\n" for each in rows)).encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    text, carried = carry_rows("", tmp_path / name, [])
    assert carried == len(label_files.read_senses(tmp_path / name)) == 5 and [json.loads(line) for line in text.splitlines()] == rows


def test_a_row_belongs_to_the_sentence_that_it_is_read_as(labels):
    labels.write_text(json.dumps(row("We walked al\u00adong the o\ufb03ce\u200b bank", "river", comment="clear")))
    sentences = list(label_files.read_senses(labels))
    assert sentences == [(("We", "walked", "along", "the", "office", "bank"), 5)]
    text, carried = carry_rows(label_files.format_labels("bank", sentences, Labels(((0, "river"),)), None), labels, sentences)
    assert carried == 0 and [each["comment"] for each in map(json.loads, text.splitlines())] == ["clear"]


FORMULA = '=HYPERLINK("http://x","y")'


def test_no_cell_of_the_command_line_is_run_by_a_spreadsheet(call, tmp_path):
    corpus = tmp_path / "c.jsonl"
    rows = [{"text": f"{sign} bank lent it", "document": FORMULA} for sign in ("the", "@", "=", "+cmd|x", "- -")]
    corpus.write_text("".join(json.dumps(each) + "\n" for each in rows * 3))
    for words in (
        *(("search", "bank", "--corpus", corpus), ("search", "lent", "--corpus", corpus)),
        ("collocates", "lent", "--corpus", corpus, "--minimum", "1"),
        ("keyness", "--corpus", corpus, "--against", "sentences", "--minimum", "1"),
    ):
        status, out, err = call("corpus", *words, "--csv")
        assert status == 0, err
        rows = list(csv.reader(io.StringIO(out)))
        cells = [cell for each in rows for cell in each]
        wrong = [cell for cell in cells if re.match(r"[=@]|[+-](?![\d.]+(e[+-]?\d+)?$)", cell)]
        assert len(rows) > 1 and wrong == []
        assert words[0] != "search" or f"'{FORMULA}" in cells


CLUSTER = ["--cluster", "tcp://127.0.0.1:1"]
EMBED = ["embed", "--input", "{dir}/in.json", "--output", "{dir}/out.npz"]


@pytest.mark.parametrize(
    ("command", "what"),
    [
        *(([*EMBED, *CLUSTER], "--cluster"), ([*EMBED, "--stateful"], "--stateful")),
        (["evaluate", "senses", "--data", "{dir}/rows.jsonl", *CLUSTER], "--cluster"),
        (["index", "build", "--corpus", "{dir}/text.txt", "--output", "{dir}/index", *CLUSTER], "--cluster"),
        (["convert", "--output", "{dir}/new"], "AllenNLP's format"),
    ],
)
def test_a_command_that_needs_elmo_refuses_a_transformer(refused, tmp_path, monkeypatch, command, what):
    (tmp_path / "in.json").write_text('[["the"]]')
    (tmp_path / "text.txt").write_text("the bank")
    rows = [{"word": "a", "tokens": ["a", str(k)], "position": 0, "label": "x"} for k in range(20)]
    (tmp_path / "rows.jsonl").write_text("\n".join(map(json.dumps, rows)))
    transformer = SimpleNamespace(name="my-bert", is_elmo=False, language=languages.in_use())
    monkeypatch.setattr(models, "open_model", lambda *_, **__: transformer)
    error = refused(*(word.format(dir=tmp_path) for word in command))
    assert error == f"error: my-bert is a transformer, and {what} needs ELMo. Choose another model."
