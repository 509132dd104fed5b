"""Sentences about two lists of neighbors: pure functions of their entries."""

from collections import Counter
from collections.abc import Sequence

from core.common import model_layers
from core.common.i18n import t
from core.figures.style import layer_title
from core.index.neighbors import Neighbor
from core.text.tokens import bare
from core.views.neighbors import Neighbors


def write_notices(first: Neighbors, second: Neighbors, layer: str, *, static_has: bool) -> list[str]:
    """State how far the two lists agree and which senses they hold. `static_has`: whether the static vectors know the word."""
    lines = [_agreement(first, second, layer, static_has)]
    sense_texts = [_senses(item) for item in (first, second)]
    if all(sense_texts):
        lines.append(t("Labeled neighbors, first sentence: {first}; second: {second}.", first=sense_texts[0], second=sense_texts[1]))
    elif sense_texts[0]:
        lines.append(t("Labeled neighbors, first sentence: {first}.", first=sense_texts[0]))
    elif sense_texts[1]:
        lines.append(t("Labeled neighbors, second sentence: {second}.", second=sense_texts[1]))
    return lines


def compare_with_second_model(model: str, first: Sequence[Neighbors], other: Sequence[Neighbors], layer: str) -> list[str]:
    """State how far a second model's two lists agree with each other and with the first model's. Layers are the second model's."""
    if len(other) < 2 or len(first) < 2 or not all(item.entries for item in (*first, *other)):
        return []
    (a, b), (c, d) = ([{n.in_any_table for n in item.entries} for item in pair] for pair in (other, first))
    values = {"model": model, "where": layer_title(layer), "shared": len(a & b), "most": max(len(a), len(b))}
    both = {"common": len(a & c) + len(b & d), "all": len(a) + len(b)}
    return [
        t("In {model}, {where}, they share {shared} of {most}; {common} of its {all} entries are in the lists above.", **values, **both)
    ]


def _agreement(first: Neighbors, second: Neighbors, layer: str, static_has: bool) -> str:
    a, b = ([n.identity for n in item.entries] for item in (first, second))
    values = {"where": model_layers.in_use().at(layer, begins=True), "shared": len(set(a) & set(b)), "most": max(len(a), len(b))}
    if not a and not b:
        return t("Both lists are empty.")
    if not a or not b:
        return t("One list is empty.")
    words = bare(first.word.word), bare(second.word.word)
    if words[0].casefold() != words[1].casefold():
        return t("Two different words. {where} their lists share {shared} of {most}.", **values)
    if (first.word.tokens, first.word.position) == (second.word.tokens, second.word.position):
        return t("Both sentences are the same, so the lists are too.")
    if set(a) == set(b):
        if a != b:
            return t("{where} the two lists have the same {most} in a different order.", where=values["where"], most=values["most"])
        if layer == "0" and words[0] == words[1] and model_layers.in_use().is_elmo:
            return t("At layer 0 the lists are identical: it reads only the spelling.")
        return t("{where} the two lists are identical.", where=values["where"])
    if static_has:
        return t("{where} the lists share {shared} of {most}; GloVe’s are identical.", **values)
    return t("{where} the lists share {shared} of {most}; the word is not in GloVe.", **values)


def _senses(listed: Neighbors) -> str:
    """State which sense most labeled neighbors of the target word have. Return "" if none is labeled."""
    results = [n.occurrence for n in listed.entries if isinstance(n, Neighbor)]
    counts = Counter(o.sense for o in results if o.sense and listed.lemma is not None and o.lemma == listed.lemma).most_common()
    if not counts:
        return ""
    n = sum(count for _, count in counts)
    top = [sense for sense, count in counts if count == counts[0][1]]
    if n == 1:
        return t("the only neighbor means “{sense}”", sense=top[0])
    if len(top) > 1:
        return (
            t("“{one}” and “{other}” tie, {count} of {n} each", one=top[0], other=top[1], count=counts[0][1], n=n)
            if len(top) == 2
            else t("{number} senses tie", number=len(top))
        )
    return t("{count} of {n} mean “{sense}”", count=counts[0][1], n=n, sense=top[0])
