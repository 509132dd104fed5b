"""Bad requests over the wire: each is refused by one sentence that names the part, the value and what to do; what is allowed is answered."""

import pytest

from core.cli import wire
from core.cli.neighbors import view
from core.common.config import ASSETS
from core.common.errors import BadInput, ElmoscopeError
from core.text import languages
from core.workspace import Workspace, open_workspace
from tests.bench.nonsense import wrong_with

BANK, LENT = {"text": "We sat on the bank.", "word": "bank"}, {"text": "The bank lent him money."}
GOOD = {"pair": {"first": BANK, "second": LENT}, "edits": {"first": BANK, "second": LENT, "space": "1"}, "attribution": {"word": BANK}}
GOOD |= {"neighbors": {"word": BANK, "space": "1"}, "induction": {"word": "bank", "space": "1"}, "layouts": {"word": "bank"}}
GOOD |= {"substitutes": {"words": [BANK]}, "mix": {"words": [BANK], "weights": [1, 1, 1]}, "around": {"word": "bank", "contexts": [BANK]}}
GOOD |= {"concordance": {"query": "bank"}, "collocates": {"query": "bank"}, "keyness": {}}
GOOD |= {"compare": {"first": {"source": "glove-mini"}, "second": {"source": "glove-mini"}}}
GOOD |= {"change": {"word": "bank", "first": {"corpus": "sentences"}, "second": {"corpus": "sentences"}}}
NAN = float("nan")
LONG = "bank " * 2_000


@pytest.fixture(scope="module")
def workspace(tmp_path_factory) -> Workspace:
    """A workspace over the 32 bundled sentences with "bank", whose tokens are indexed in a moment."""
    path = tmp_path_factory.mktemp("corpus") / "bank.jsonl"
    rows = (ASSETS / "sentences.jsonl").read_text("utf-8").splitlines(keepends=True)
    path.write_text("".join(row for row in rows if '"lemma": "bank"' in row), "utf-8")
    return open_workspace("elmo-mini", corpus=str(path))


BAD = [
    ("pair", {"first": [BANK]}, """'first' is one word in context, not [{"text": "We sat"""),
    ("pair", {"first": None}, "'first' is a word in context, not null"),
    ("pair", {"first": {"text": LONG}}, "'first' is a text of 2,000 words. Use 1 to 120"),
    ("pair", {"first": BANK | {"read_as": "zebra"}}, "'bank' cannot be read as 'zebra'"),
    ("pair", {"first": BANK | {"word": ["bank"]}}, """'first.word' is ["bank"]. Use text."""),
    ("pair", {"first": BANK | {"word": "x" * 300}}, f"'{'x' * 39}…' is not a token of the text. Choose one of: We sat on the bank ."),
    ("pair", {"first": BANK | {"position": -1}}, "'first': position -1 is not a token. Use 0 to 5."),
    ("pair", {"first": BANK | {"position": 1}}, "'first': token 1 is 'sat', not 'bank'. Use 4."),
    ("pair", {"first": {"text": "bank " * 20 + "sat", "word": "bank", "position": 20}}, "Use 0 or 1 or 2 or 3 or 4 or 5 or 6 or 7 or …."),
    ("pair", {"x" * 300: 1}, f"'{'x' * 39}…' is not part of a request. Use: first, second."),
    ("substitutes", {"words": BANK}, "'words' is a list of words in context, not {"),
    ("substitutes", {"words": []}, "'words' is an empty list. Use ["),
    ("substitutes", {"k": 0}, "k must be between 1 and"),
    ("substitutes", {"k": NAN}, "'k' is NaN. Use a whole number."),
    ("substitutes", {"direction": "x" * 300}, f"Unknown direction '{'x' * 39}…'. Choose: both"),
    ("substitutes", {"common": "yes"}, """'common' is "yes". Use true or false."""),
    ("mix", {"weights": [NAN, 1, 1]}, "Layer weights must be between -1,000,000 and 1,000,000 and not all zero, got nan"),
    ("mix", {"weights": [10**400, 1, 1]}, "'weights' is 1000"),
    ("mix", {"weights": "1,1,1"}, """'weights' is "1,1,1". Use a list of a number."""),
    ("attribution", {"other": [BANK]}, "'other' is one word in context"),
    ("induction", {"word": "zebra-unicorn"}, "“zebra-unicorn” does not occur in your corpus. Choose another word."),
    ("induction", {"number": 0}, "Number of groups: 0. Choose 1 to 32, the number"),
    ("induction", {"given": [[0]]}, "'given' is [0]. Use a list of a whole number and text."),
    ("layouts", {"word": "x" * 300}, f"'{'x' * 39}…' has no labeled sentences here. Choose one of"),
    ("compare", {"first": {}}, "'first' lacks 'source'. It takes: source, layer"),
    ("concordance", {"senses": "zebra"}, "Unknown source of senses 'zebra'. Choose: labels, groups."),
    ("concordance", {"order": "random", "seed": -1}, "The seed must be at least 0, got -1"),
    ("concordance", {"number": -1}, "No −1 lines from line 0 on. Start at 0"),
    ("collocates", {"most": -1}, "Counts must be at least 1, got -1."),
]


@pytest.mark.parametrize(("name", "wrong", "message"), BAD)
def test_a_bad_request_names_the_part_the_value_and_what_to_do(workspace, name, wrong, message):
    with pytest.raises(ElmoscopeError) as refused:
        wire.answer(workspace, name, GOOD[name] | wrong)
    said = str(refused.value)
    assert message in said and len(said) < 400 and len(said.splitlines()) == 1
    assert list(wrong_with(said)) == []


def test_a_request_is_an_object_in_json(workspace):
    for given in (None, [], 5, "x", NAN, True):
        with pytest.raises(BadInput, match=r"^A request is a JSON object, not .+\. Use: \{\"word\": …\}\.$"):
            wire.answer(workspace, "induction", given)
    for given in ("[" * 100_000, "{", "", "nul"):
        with pytest.raises(BadInput, match=r'^--request is not JSON: .+ Use an object, such as \{"first": \{…\}, "second": \{…\}\}\.$'):
            view(name="pair", request=given)


def test_a_word_that_is_only_a_part_of_another_is_named_with_that():
    message = wire.no_token("밤", languages.get_language("ko").tokenize("밤길을 걸었다."))
    assert message == "'밤' is not a token of the text, only a part of '밤길'. Choose one of: 밤길 을 걸 었 다 ."
    assert wire.no_token("bank", ["Online", "banking"]).startswith("'bank' is not a token of the text, only a part of 'banking'.")
    assert wire.no_token("dog's", ["The", "dog", "'s", "bone"]).startswith("'dog's' is not a token of the text. Choose")
    assert wire.no_token("river", ["A", "bank"]) == "'river' is not a token of the text. Choose one of: A bank"
