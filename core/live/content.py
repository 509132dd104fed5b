"""Everything that the page's engine reads, in one pack: weights, words, labeled sentences."""

from collections.abc import Callable

from ..common.i18n import t
from ..common.limits import limits
from ..workspace import Workspace
from .labeled import add_labeled
from .pack import Pack
from .weights import add_network, add_softmax, add_static

SCRIPTS = {"Latin": "a", "Hangul": "가", "Greek": "α", "Cyrillic": "я", "Han": "水", "Hiragana": "あ", "Katakana": "ア"}
SCRIPTS |= {"Arabic": "ب", "Devanagari": "क"}
LISTS = ("function", "common", "graded", "before_nouns", "own", "either")  # of core.text.target_word.Words


def pack_workspace(workspace: Workspace, report: Callable[[float, str], None] = lambda share, what: None) -> tuple[bytes, dict]:
    """Return the pack of a workspace's model and the page's facts about it. Calls `report(share done, task)`.

    Raises BadInput or MissingArtifact for a model that no page can hold.
    """
    substitutes, pack = workspace.substitutes, Pack()  # first: a transformer, or a model without a softmax, is refused before any work
    report(0.1, t("Weights"))
    content = add_network(pack, workspace.model.encoder.model) | add_softmax(pack, substitutes)
    report(0.4, t("Words"))
    content |= add_static(pack, workspace.language_vectors)
    report(0.5, t("Labeled sentences"))
    content |= add_labeled(pack, workspace)
    report(0.7, t("Packing"))
    page_facts = {"random": content["random"], "lemmas": list(content["lemmas"]), "layer": content["calibration"]["layer"]}
    return pack.to_bytes(content | _language(workspace, page_facts["lemmas"])), page_facts


def _language(workspace: Workspace, lemmas: list[str]) -> dict:
    """Return how the page tokenizes text, and its word lists."""
    language, word_lists = workspace.language, workspace.word_lists
    return {
        "language": language.code,
        "tokenizer": language.tokenizer if language.tokenizer in ("words", "spaces") else "hangul",
        "most_words": limits().max_words,
        "scripts": [name for name, letter in SCRIPTS.items() if language.writes(letter)],
        "words": {
            **{name: sorted(getattr(word_lists, name)) for name in LISTS},
            "worth": word_lists.worth,
            "forms": word_lists.forms,
            # Hangul is not analyzed in a page: a token counts as the labeled word that it begins with.
            "stems": sorted((lemma for lemma in lemmas if "가" <= lemma[:1] <= "힣"), key=len, reverse=True),
        },
    }
