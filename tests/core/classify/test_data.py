"""Labeled files: their columns, rows and splits, and the errors of files that cannot be used."""

import lzma

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.classify.data import Dataset, RowRules, SplitConfig, make_dataset, normal_form, shuffled_labels
from core.classify.publications import clean_ag_news
from core.classify.tables import ScoreRow, Table, read_columns, read_table
from core.common.errors import BadInput, MissingArtifact
from core.text.tokens import tokenize

AG = '"3","Fears for pension","Unions say ""no"" to Haiti #39;s plan."\n"4","Race is on","A second\\team."\n"3","Oil","Up."\n'


def write(tmp_path, name: str, content: str | bytes):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(n: int, *, labels=("a", "b")) -> Table:
    return Table("rows.csv", tuple(ScoreRow(f"text number {k}", labels[k % len(labels)]) for k in range(n)), ("text",), "label")


def forms(examples) -> set[str]:
    return {normal_form(example.text) for example in examples}


def no_text_is_shared(data: Dataset) -> bool:
    train, valid, test = forms(data.train), forms(data.valid), forms(data.test)
    return not (train & valid or train & test or valid & test)


@pytest.mark.parametrize(
    ("name", "content", "first", "columns"),
    [
        ("ag.csv", AG, ('Fears for pension Unions say "no" to Haiti #39;s plan.', "3"), ("title", "description")),
        ("sub.csv", "class,text\n4,Sci fi\n1,War\n", ("Sci fi", "4"), ("text",)),
        ("spam.csv", "v1,v2,,,\nham,Ok lar...,,,\nspam,WIN,,,\n", ("Ok lar...", "ham"), ("v2",)),
        ("sms.tsv", 'ham\tGo "now"\nham\tHi\nspam\tWIN\n', ('Go "now"', "ham"), ("text",)),
        ("last.csv", "One day,x\nTwo,y\nThree,x\n", ("One day", "x"), ("text",)),
        ("own.csv", "Category;Headline\nx;One, two\ny;Three\n", ("One, two", "x"), ("Headline",)),
        ("own.jsonl", '{"target": 1.0, "message": "Hello"}\n\n{"target": 0, "message": "Bye"}\n', ("Hello", "1"), ("message",)),
        ("two.csv", "label,words\n1,Hello\n0,Bye\n", ("Hello", "1"), ("words",)),
    ],
)
def test_usual_files_are_read_without_being_told_their_columns(tmp_path, name, content, first, columns):
    table = read_table(write(tmp_path, name, content))
    assert (table.rows[0].text, table.rows[0].label) == first and table.text_columns == columns and len(table.rows) >= 2


def test_columns_are_taken_by_name_or_number_and_joined_by_a_blank(tmp_path):
    path = write(tmp_path, "own.csv", "Id,Kind,Lead,Body\n1,a,One,two\n2,b,Three,four\n")
    by_name = read_table(path, text_columns=["body", "Lead"], label_column="kind")
    assert [row.text for row in by_name.rows] == ["two One", "four Three"] and by_name.label_column == "Kind"
    assert read_table(path, text_columns=["3"], label_column="2").rows == (ScoreRow("One", "a"), ScoreRow("Three", "b"))
    bare = write(tmp_path, "bare.csv", "7,u,One\n8,v,Two\n")
    assert read_table(bare, text_columns=["3"], label_column="2").rows == (ScoreRow("One", "u"), ScoreRow("Two", "v"))
    ag = write(tmp_path, "ag.csv", AG)
    assert read_table(ag, prefer=("title",)).rows[1] == ScoreRow("Race is on", "4")
    assert read_table(path, label_column="Kind", text_columns=["Lead"], prefer=("title",)).text_columns == ("Lead",)


def test_trees_are_read_as_text_and_the_label_of_the_root(tmp_path):
    trees = "(4 (2 It) (4 (2 's) (3 (2 a) (4 (2 good) (2 -LRB-film-RRB-)))))\n(1 (2 -LRB-) (1 (1 bad) (2 -RRB-)))\n"
    path = tmp_path / "train.txt.xz"
    path.write_bytes(lzma.compress(trees.encode()))
    assert [row.label for row in read_table(path).rows] == ["very positive", "negative"]
    assert read_table(path).rows[1].text == "(bad)" and read_table(path).rows[0].text.startswith("It's a good")


@pytest.mark.parametrize(
    ("encoding", "first", "second"),
    [
        ("cp949", "비가 와서 우산을 폈다", "눈이 녹았다"),
        ("cp1252", "“It’s open” – the café", "nothing"),
        ("cp1252", "£5 café", "b"),
        ("cp1252", "“The price rose to £30!” he said; “it’s far too much” was her reply", "He’s paid £20 – “a café’s price”"),
        ("cp1252", "Die Straße ist schön", "Größe und Übermut"),
        ("cp932", "雨が降って傘をさした", "雪がとけた"),
        ("cp1250", "Żółw idzie przez łąkę", "Śnieg już stopniał"),
    ],
)
def test_what_is_no_utf8_is_read_as_its_bytes_look_and_reported(tmp_path, encoding, first, second):
    table = read_table(write(tmp_path, "own.csv", f"label,text\nx,{first}\ny,{second}\n".encode(encoding)))
    assert [row.text for row in table.rows] == [first, second]
    assert table.notes[0].startswith("own.csv is not UTF-8 (line ") and table.notes[0].endswith(f"was read as {encoding.upper()}.")
    named = read_table(write(tmp_path, "own.csv", "label,text\nx,a\x92b\ny,c\n".encode("latin-1")), encoding="latin-1")
    assert named.rows[0].text == "a\x92b" and named.notes[0].endswith("Latin-1.")


def test_rows_without_text_or_label_are_left_out_and_counted(tmp_path):
    table = read_table(write(tmp_path, "own.csv", "label,text\na,One\n,Two\nb, \nb,Four\n"))
    assert [row.text for row in table.rows] == ["One", "Four"] and "2 rows" in table.notes[0]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", "", "a.csv is empty"),
        ("a.csv", ",\n,\n", "a.csv is empty"),
        ("a.csv", "label,text\n", "holds no row with both"),
        ("a.csv", "p,q,r\n1,2,3\n4,5,6\n", "no label column among"),
        ("a.csv", "label,x,y\n1,2,3\n4,5,6\n", "no text column among"),
        ("a.csv", "label,text\na\n", "line 2: 1 columns"),
        (
            "a.csv",
            "label,text\nham,Hi\nspam,Win money, now!\nham,a,b\nham,c,d\n",
            r'line 3: 3 cells for 2 columns; errors also in line 4, 5\. Quote a cell with ","',
        ),
        ("a.csv", "label;text\nspam;Win; money\n", 'line 2: 3 cells for 2 columns. Quote a cell with ";"'),
        ("a.tsv", "label\ttext\nspam\tWin\tmoney\n", "line 2: 3 cells for 2 columns. Replace tabs"),
        ("a.csv", 'label,text\na,"open, and more\n', "Check for an unclosed quote"),
        ("a.csv", b"PK\x00\x00", "a NUL byte"),
        ("a.csv", bytes(range(1, 32)) * 3 + b"\xff\xfe\xfd", "not text in any known encoding"),
        ("a.jsonl", "[1]\n", "line 1: .* is not a row"),
        ("a.jsonl", '{"text": "a", "label": ["b"]}\n', "one value each"),
        ("a.jsonl", "{\n", "line 1: not JSON"),
        ("a.txt", "plain words\n", "line 1: .* is not a tree"),
        ("a.pdf", "x", r"a\.pdf: \.pdf files are not read\. Copy its table into a spreadsheet and save it as \.xlsx"),
        ("a.csv.xz", b"no xz", "is incomplete"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_in_one_sentence(tmp_path, name, content, message):
    with pytest.raises(BadInput, match=message) as error:
        read_table(write(tmp_path, name, content))
    assert "\n" not in str(error.value)


def test_a_named_column_that_is_not_there_is_reported_with_those_that_are(tmp_path):
    with pytest.raises(BadInput, match=r"no column 'body' among a row of|no column 'body' among \['label', 'text'\]"):
        read_table(write(tmp_path, "a.csv", "label,text\na,b\n"), text_columns=["body"])
    with pytest.raises(MissingArtifact, match="No file"):
        read_table(tmp_path / "none.csv")


def test_a_file_over_the_limit_is_refused_unread_and_one_that_unpacks_to_more_too(tmp_path, monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_MAX_TABLE_MB", "1")
    with pytest.raises(BadInput, match=r"above the limit of 1.0 MB"):
        read_table(write(tmp_path, "a.csv", "x" * 1_000_001))
    (tmp_path / "b.csv.xz").write_bytes(lzma.compress(b"label,text\n" + (b"a," + 400 * b"b" + b"\n") * 2_500))
    with pytest.raises(BadInput, match="over 1,000,000 bytes unpacked"):
        read_table(tmp_path / "b.csv.xz")


def test_a_row_of_a_hundred_thousand_tokens_is_cut_and_reported(tmp_path):
    path = write(
        tmp_path, "a.csv", "label,text\n" + "".join(f"{'ab'[k % 2]},{k} {'word ' * (100_000 if k == 0 else 2)}\n" for k in range(30))
    )
    data = make_dataset("own", read_table(path), SplitConfig())
    longest = max(len(example.tokens) for part in (data.train, data.valid, data.test) for example in part)
    assert longest == 128 and any("1 texts were cut to their first 128 tokens" in note for note in data.notes)


def test_ag_news_is_cleaned_of_what_its_files_did_to_it():
    raw = "Haiti #39;s second\\team pays  #36;10  quot;now quot; &lt;b&gt;(AP)&lt;/b&gt; &lt;TXN.N&gt; Barnes  amp; Noble #151;so"
    assert clean_ag_news(raw) == 'Haiti\'s second team pays $10 "now " (AP) <TXN.N> Barnes & Noble —so'
    assert clean_ag_news("Tidy text; no. 39; it's fine & done") == "Tidy text; no. 39; it's fine & done"


def test_shares_are_of_the_distinct_texts_and_every_row_is_in_one_split():
    data = make_dataset("own", rows(100), SplitConfig())
    assert [len(part) for part in (data.train, data.valid, data.test)] == [72, 8, 20]
    assert len(forms(data.train) | forms(data.valid) | forms(data.test)) == 100 and no_text_is_shared(data)


@settings(max_examples=40)
@given(
    st.lists(
        st.sampled_from(["One", "one", " ONE ", "two", "Two", "three", "four", "five five", "Five  FIVE", "six", "seven"]),
        min_size=25,
        max_size=40,
    ),
    st.integers(0, 3),
    st.sampled_from([0, 3]),
)
def test_equal_texts_never_cross_a_split(texts, seed, folds):
    spread = [*texts, *(f"other {k}" for k in range(12))]
    table = Table("t", tuple(ScoreRow(text, "ab"[k % 2]) for k, text in enumerate(spread)), ("text",), "label")
    data = make_dataset("own", table, SplitConfig(seed=seed, folds=folds))
    assert no_text_is_shared(data)
    assert len(data.train) + len(data.valid) + len(data.test) == len(spread)


def test_folds_test_every_text_once_and_share_their_texts():
    data = [make_dataset("own", rows(50), SplitConfig(folds=6, fold=k)) for k in range(6)]
    tested = [form for each in data for form in forms(each.test)]
    assert sorted(tested) == sorted({normal_form(row.text) for row in rows(50).rows}) and all(map(no_text_is_shared, data))
    assert len({each.texts for each in data}) == 1 and len({each.fingerprint for each in data}) == 6


def test_a_seed_decides_the_split_and_the_files_order_does_not():
    backwards = Table("t", rows(60).rows[::-1], ("text",), "label")
    item, other = make_dataset("own", rows(60), SplitConfig()), make_dataset("own", backwards, SplitConfig())
    assert forms(item.test) == forms(other.test) and forms(item.valid) == forms(other.valid)
    assert forms(make_dataset("own", rows(60), SplitConfig(seed=1)).test) != forms(item.test)


def test_a_smaller_share_is_part_of_a_larger_one_validation_shrinks_with_it_and_the_test_set_stays_complete():
    whole, half, tenth = (make_dataset("own", rows(200), SplitConfig(share=share)) for share in (1, 0.5, 0.1))
    assert forms(tenth.train) < forms(half.train) < forms(whole.train) and len(tenth.train) == 14
    assert forms(tenth.valid) < forms(half.valid) < forms(whole.valid) and len(tenth.valid) == 2 and len(whole.valid) == 16
    assert forms(tenth.test) == forms(whole.test)
    official = Table("valid.csv", tuple(ScoreRow(f"checked {k}", "ab"[k % 2]) for k in range(50)), ("text",), "label")
    assert len(make_dataset("own", rows(200), SplitConfig(share=0.1), valid=official).valid) == 5
    assert tenth.texts == whole.texts and tenth.labels == whole.labels


def test_duplicates_are_kept_or_the_first_of_them_is():
    table = Table("t", (*rows(30).rows, ScoreRow("Text  NUMBER 3", "b"), ScoreRow("text number 4", "b")), ("text",), "label")
    kept, dropped = (make_dataset("own", table, SplitConfig(duplicates=how)) for how in ("keep", "drop"))
    assert len(kept.train) + len(kept.valid) + len(kept.test) == 32
    assert len(dropped.train) + len(dropped.valid) + len(dropped.test) == 30
    assert dropped.notes == ("2 rows repeat an earlier text and were dropped (1 under another label).",)


def test_training_rows_whose_text_is_in_the_official_test_file_are_dropped_and_counted():
    official = Table("test.csv", (ScoreRow("TEXT number  5", "b"), ScoreRow("unseen", "a")), ("text",), "label")
    data = make_dataset("own", rows(40), SplitConfig(), test=official)
    assert len(data.test) == 2 and no_text_is_shared(data) and len(data.train) + len(data.valid) == 39
    assert any("1 training rows whose text is in the test set" in note for note in data.notes)


def test_no_text_that_is_tested_on_is_validated_on():
    half = Table("test.csv", tuple(ScoreRow(row.text.upper(), row.label) for row in rows(50).rows), ("text",), "label")
    data = make_dataset("own", rows(100), SplitConfig(), test=half)
    assert no_text_is_shared(data) and (len(data.train), len(data.valid), len(data.test)) == (45, 5, 50)
    checked = Table("valid.csv", (*half.rows[:10], ScoreRow("one more", "a"), ScoreRow("and another", "b")), ("text",), "label")
    data = make_dataset("own", rows(100), SplitConfig(), test=half, valid=checked)
    assert no_text_is_shared(data) and forms(data.valid) == {"one more", "and another"}
    assert any("10 validation rows whose text is in the test set were dropped" in note for note in data.notes)
    twice = Table("t", (*rows(40).rows[:36], *rows(12).rows), ("text",), "label")  # in file order training may repeat a test text
    data = make_dataset("own", twice, SplitConfig(in_order=True))
    assert not forms(data.valid) & forms(data.test) and not forms(data.valid) & forms(data.train)
    assert forms(data.train) & forms(data.test)


def test_extra_rows_are_only_trained_on_and_never_what_is_tested():
    extra = Table("more.csv", (*rows(40).rows, ScoreRow("new", "a"), ScoreRow("newer", "b")), ("text",), "label")
    data, alone = make_dataset("own", rows(40), SplitConfig(), extra=extra), make_dataset("own", rows(40), SplitConfig())
    assert forms(data.test) == forms(alone.test) and no_text_is_shared(data) and {"new", "newer"} <= forms(data.train)


def test_file_order_tests_on_the_last_rows_and_says_how_many_it_leaks():
    table = Table("t", (*rows(40).rows[:36], *rows(4).rows), ("text",), "label")
    data = make_dataset("own", table, SplitConfig(in_order=True))
    assert [e.text for e in data.test] == [row.text for row in table.rows[32:]]
    assert any("of 8 test rows repeat a training text" in note for note in data.notes)
    dropped = make_dataset("own", table, SplitConfig(in_order=True, duplicates="drop"))
    assert no_text_is_shared(dropped) and len(dropped.test) == 7


def test_labels_are_ordered_renamed_and_left_out():
    table = rows(60, labels=("10", "9", "x"))
    assert make_dataset("own", table, SplitConfig()).labels == ("9", "10", "x")
    renamed = make_dataset("own", table, SplitConfig(), rules=RowRules(names={"9": "nine", "x": "nine"}, order=("nine", "10")))
    assert renamed.labels == ("nine", "10")
    left = make_dataset("own", table, SplitConfig(), rules=RowRules(left_out="x"))
    assert left.labels == ("9", "10") and left.texts == make_dataset("own", table, SplitConfig()).texts


@pytest.mark.parametrize(
    ("table", "config", "message"),
    [
        (rows(20, labels=("a",)), SplitConfig(), "only one label, 'a'"),
        (rows(2), SplitConfig(), "no row to train on"),
        (rows(500, labels=tuple(map(str, range(250)))), SplitConfig(), "different labels; at most 200"),
        (rows(4), SplitConfig(folds=5), "4 distinct texts cannot make 5 folds"),
        (rows(30), SplitConfig(folds=5, in_order=True), "not both"),
        (rows(40), SplitConfig(share=0.01), "all have the same label"),
        (Table("t", (ScoreRow(" ", "a"), ScoreRow("\t", "b")), ("text",), "label"), SplitConfig(), "no row to train on"),
    ],
)
def test_rows_that_cannot_be_split_are_refused_in_one_sentence(table, config, message):
    with pytest.raises(BadInput, match=message) as error:
        make_dataset("own", table, config)
    assert "\n" not in str(error.value)


def test_a_label_that_only_the_test_file_has_is_named():
    official = Table("test.csv", (ScoreRow("unseen", "c"),), ("text",), "label")
    with pytest.raises(BadInput, match="The label 'c' is in the test rows but not among the training labels"):
        make_dataset("own", rows(40), SplitConfig(), test=official)


@pytest.mark.parametrize("wrong", [{"share": 0}, {"folds": 1}, {"folds": 3, "fold": 3}, {"duplicates": "some"}, {"max_tokens": 0}])
def test_a_split_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(BadInput):
        SplitConfig(**wrong)


def test_tokens_are_the_projects_own_and_the_fingerprint_sees_labels_and_splits():
    data = make_dataset("own", rows(40), SplitConfig())
    assert all(example.tokens == tuple(tokenize(example.text)) for example in data.train)
    assert data.fingerprint == make_dataset("own", rows(40), SplitConfig()).fingerprint
    assert data.fingerprint != make_dataset("own", rows(40, labels=("b", "a")), SplitConfig()).fingerprint


def test_shuffled_labels_keep_the_texts_and_lose_what_they_say():
    data = make_dataset("own", rows(400), SplitConfig())
    drawn = shuffled_labels(data, seed=0)
    assert forms(drawn.test) == forms(data.test) and drawn.labels == data.labels
    same = sum(a.label == b.label for a, b in zip(data.train, drawn.train, strict=True)) / len(data.train)
    assert 0.4 < same < 0.6


TOPICS = ("garden", "kitchen", "workshop")
SENTENCES = ("the hinge of the old door squeaks", "two eggs and a cup of flour", "rain fell on the seedlings all night")


def cells(n: int = 12) -> list[tuple[str, str, str]]:
    return [(f"id-{k}", f"{SENTENCES[k % 3]} {k}", TOPICS[k % 3]) for k in range(n)]


@pytest.mark.parametrize(
    ("name", "text", "texts", "label"),
    [
        ("a.csv", "text,label\n" + "\n".join(f"{b},{c}" for _, b, c in cells()), ("text",), "label"),
        ("b.csv", "key;what was said;place\n" + "\n".join(";".join(row) for row in cells()), ("what was said",), "place"),
        ("c.tsv", "place\tkey\tremark\n" + "\n".join(f"{c}\t{a}\t{b}" for a, b, c in cells()), ("remark",), "place"),
        ("d.jsonl", "\n".join(f'{{"said": "{b}", "where": "{c}"}}' for _, b, c in cells()), ("said",), "where"),
        ("e.csv", "title,description,category\n" + "\n".join(f"{a},{b},{c}" for a, b, c in cells()), ("title", "description"), "category"),
        ("f.csv", "\n".join(f"{c},{b}" for _, b, c in cells()), ("text",), "class"),  # no names on top
        ("g.csv", "one,two\n" + "\n".join(f"{b},{a}" for a, b, _ in cells()), ("one",), None),  # nothing recurs
    ],
)
def test_columns_are_guessed(tmp_path, name, text, texts, label):
    (tmp_path / name).write_text(text)
    result = read_columns(tmp_path / name)
    assert tuple(result.names[k] for k in result.texts) == texts
    assert (None if result.label is None else result.names[result.label]) == label


def test_a_chosen_column_may_share_its_name_or_have_none(tmp_path):
    (tmp_path / "own.csv").write_text("x,x,\n" + "\n".join(",".join(row) for row in cells()))
    assert read_columns(tmp_path / "own.csv").names == ("x", "x", "")
    table = read_table(tmp_path / "own.csv", text_columns=[2], label_column=3)
    assert table.rows[0].text == "the hinge of the old door squeaks 0" and table.rows[0].label == "garden" and len(table.rows) == 12


def test_an_empty_file_is_reported_to_be_empty(tmp_path):
    (tmp_path / "none.csv").write_text(" \n")
    with pytest.raises(BadInput, match="is empty"):
        read_columns(tmp_path / "none.csv")
