"""Test the parts of the one-file page: numbers of 8 bits, custom examples, models that are too large."""

import json
import shutil
import subprocess
from itertools import product
from types import SimpleNamespace

import pytest

from core.common.errors import BadInput
from core.live import page
from core.live.pack import Pack, add_network
from core.text.tokens import JOINER, character_ids
from core.workspace import open_workspace

MINE, BANKS = {"bank": ["A bank.", "The bank."]}, ["We sat on the bank.", "The bank lent money."]


def test_a_model_too_large_is_named_with_its_size_before_sentences_are_encoded():
    large = SimpleNamespace(shape=SimpleNamespace(n_parameters=93_600_000))
    with pytest.raises(BadInput, match="93 million weights; a page holds at most 32 million"):
        add_network(Pack(), large)
    encoder = SimpleNamespace(model=large)
    with pytest.raises(BadInput, match="93 million weights"):
        page.examples_of(SimpleNamespace(substitutes=SimpleNamespace(model=SimpleNamespace(encoder=encoder))))


def in_node(name: str, expression: str) -> list:
    script = f"{(page.FOLDER / name).read_text('utf-8')}; console.log(JSON.stringify({expression}))"
    return json.loads(subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True, timeout=60).stdout)


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_page_cuts_tokens_and_hangul_as_core_does_in_time_that_grows_with_their_length():
    words = ["<S>", "</S>", "bank", "transformation", "x" * 60, "강" * 20, "na\u00efve", "\ud83d", "a\udc00b", "\U0001f3e6\ud83d"]
    sizes = [3, 10, 50]
    ids = in_node("network.js", f"{json.dumps(sizes)}.map((size) => {json.dumps(words)}.map((word) => characterIds(word, size)))")
    assert ids == [character_ids(words, size).tolist() for size in sizes]
    known, repeated = ["사람", f"{JOINER}에", f"{JOINER}서", f"{JOINER}에서"], "사람" + "에서" * 900
    tokens = ["사람", "사람에", "사람에서", "에서", repeated, f"{repeated}뷁", "bank"]
    pieces = in_node("text.js", f"{json.dumps(tokens)}.map((token) => cutHangul(token, (word) => new Set({json.dumps(known)}).has(word)))")
    assert pieces[:4] == [["사람"], ["사람", f"{JOINER}에"], ["사람", f"{JOINER}에서"], ["에서"]]
    assert pieces[4:] == [["사람", *[f"{JOINER}에서"] * 900], [f"{repeated}뷁"], ["bank"]]


WRONG_EXAMPLES = ([], {}, [("bank", "one", "two")], *({"bank": pair} for pair in ("one", ["one"], ["one", ""], ["one", 2], None, "ab")))
PAIR = json.dumps(BANKS)
EXAMPLES = (
    ({"zebra": BANKS}, "“zebra” is in neither of its sentences (“We sat on the bank.”"),
    ({"an": BANKS}, "“an” is in neither of its sentences"),  # a part of a word is no word
    ({"long": ["long " * 401, "long"]}, "“long” needs two sentences of 1 to 2,000 characters"),
    ({"stick to": ["Let us stick to the plan.", "They stick to it."]}, "“stick to” is in neither of its sentences"),  # two words
    ({"은행": BANKS}, "“은행” is in neither of its sentences"),
    ({"cell": ["The cell \ud83d is", "the cell"]}, r"mine.json: 'The cell \ud83d is' instead of text"),
    ({"\ud83d": ["The \ud83d is", "the"]}, r"mine.json: '\ud83d' instead of text"),
)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        *((json.dumps(MINE | examples).encode(), message) for examples, message in EXAMPLES),
        *((json.dumps(examples).encode(), "mine.json") for examples in WRONG_EXAMPLES),
        (f'{{"bank": {PAIR},}}'.encode(), "line 1 column"),
        (f'{{"bank": {PAIR}}}\n{{"sea": {PAIR}}}'.encode(), "Extra data: line 2 column 1 (char 58). Correct the file."),
        (f'{{"bank": {PAIR}, "bank": {PAIR}}}'.encode(), "mine.json: “bank” appears 2 times. Correct the file."),
        (f'{{"zebra": {PAIR}}}'.encode("utf-16"), "“zebra” is in neither of its sentences"),
        (f'{{"bänk": {PAIR}}}'.encode("latin-1"), "mine.json: 'utf-8' codec can't decode byte 0xe4"),
    ],
)
def test_the_command_refuses_wrong_examples_before_it_works(data, message, tmp_path, call):
    (tmp_path / "mine.json").write_bytes(data)
    status, _, error = call("live", "--output", tmp_path / "page.html", "--examples", tmp_path / "mine.json")
    assert status == 2 and error.count("\n") == 1 and message in error and "Delete" not in error
    assert not (tmp_path / "page.html").exists()


@pytest.fixture
def written(monkeypatch, tmp_path) -> list[str]:
    """The models whose pages are written, in place of the 27 MB: each page is its frame and its model's name."""
    names: list[str] = []
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page, "pack_workspace", lambda workspace, report: names.append(workspace.model.name) or (names[-1].encode(), {}))
    return names


def test_a_notebook_shows_the_page_of_the_model_and_examples_it_names(written, tmp_path):
    steps = [({}, 1), ({"first": "A bank.", "second": "The bank."}, 1), ({"model": "elmo-ko-mini"}, 2), ({}, 3)]  # pages written by then
    steps += [({"examples": MINE}, 4), ({"examples": {"bank": tuple(MINE["bank"])}}, 4), ({"examples": {"bank": BANKS}}, 5), ({}, 6)]
    for options, n in steps:
        page.live(**options, path="page.html")
        assert len(written) == n and written[-1] == ("elmo-ko-mini" if n == 2 else "elmo-mini")
    mini = open_workspace("elmo-mini")
    assert page.page_made_of(tmp_path / "page.html") == page.made_of(mini, page.examples_of(mini))
    assert page.live().path.name == "elmoscope.html" and page.live(model="elmo-ko-mini").path.name == "elmoscope-elmo-ko-mini.html"
    for place, message in ((tmp_path, "is a folder"), (tmp_path / "page.html" / "a.html", "cannot be written")):
        with pytest.raises(BadInput, match=message):
            page.write(place, "x")


def test_a_file_that_is_no_page_is_never_written_over(written, tmp_path):
    marks = ("", "{}", "[1]", "{&#34;model&#34;: &#34;x&#34;, &#34;sha256&#34;: &#34;&#34;}")
    contents = [b"my page", b"", b"<html>", b"\xff\xfe\x00", *(f'<meta name="elmoscope" content="{mark}">'.encode() for mark in marks)]
    contents.append(page.live().path.read_bytes().replace(b"</main>", b"<p>my notes</p></main>"))  # changed by hand
    for content, examples in product(contents, (None, MINE)):
        (tmp_path / "mine.html").write_bytes(content)
        with pytest.raises(BadInput, match="is not a page that elmoscope wrote, or was changed since"):
            page.live(path="mine.html", examples=examples)
        assert (tmp_path / "mine.html").read_bytes() == content and len(written) == 1


def test_an_example_opens_on_its_word_in_any_form_in_its_language(written, tmp_path):
    page.live(examples={"run": ["He ran past a bank.", "Running a bank is hard."], "Sea": ["The SEA rose.", "It fell."]}, path="page.html")
    _, data = (tmp_path / "page.html").read_text("utf-8").split("ELMOSCOPE = ")
    assert [forms for *_, forms in json.JSONDecoder().raw_decode(data)[0]["examples"]] == [["ran", "Running"], ["SEA", None]]
    korean = open_workspace("elmo-ko-mini")
    assert page.examples_of(korean, [("배", "배를 먹었다.", "배가 떠났다.")])
    with pytest.raises(BadInput, match="“말” is in neither"):
        page.examples_of(korean, [("말", "배를 먹었다.", "배가 떠났다.")])


def test_a_notebook_shows_the_page_at_its_sentences(written):
    frame = str(page.live("We sat on the bank.", 'The "bank" lent.', layer="1")._repr_html_())
    assert 'src="elmoscope.html#a=We%20sat%20on%20the%20bank.' in frame and "layer=1" in frame and '"bank"' not in frame
    assert page.live().address == "" and page.live("", "half \ud83d").address == "#b=half%20%3F"
