"""A sentence is given to senses by their middles."""

from core.senses.verdict import ONE, TWO
from core.text.readings import WordInContext
from core.text.tokens import tokenize
from core.views.pair import judge
from core.workspace import open_workspace


def test_a_sense_is_reported_in_either_part_of_speech():
    """Regression: with one mean for noun and verb, a crack in a cup and cracking ice were two meanings."""
    workspace = open_workspace()

    def context(text: str, word: str) -> WordInContext:
        tokens = tuple(tokenize(text))
        return WordInContext(tokens, tokens.index(word))

    for pair, senses, says in (
        ((("Put a tick next to each name on the list.", "tick"), ("Tick the box if you agree.", "Tick")), ("mark as done",) * 2, ONE),
        ((("The ice cracked under our feet.", "cracked"), ("There is a crack in this cup.", "crack")), ("split or gap",) * 2, ONE),
        ((("Nurses may strike again.", "strike"), ("A stone struck the windscreen.", "struck")), ("refusal to work", "hit"), TWO),
    ):
        message = judge(workspace, *(context(*each) for each in pair)).verdict
        assert (message.says, message.senses) == (says, senses), pair
