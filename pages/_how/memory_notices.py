"""What the Memory page says of its pictures, computed from the encodings they show."""

import numpy as np

from core.analysis.memory import Memory, changed_neighbours
from core.common.i18n import t
from core.senses.separation import pair_cosines
from pages._cached import opened
from pages._frame.in_use import InUse
from pages._widgets.inputs import Chosen

UNSEEN = 5e-7  # a drift below is none: vectors are of float32
SEEN = 0.005  # a drift below is 0.00 to two digits
ROUNDING = 1e-3  # of numbers about 1 in float32, added in another order


def about_words(memory: Memory, chosen: Chosen, layer: int) -> list[str]:
    if not layer:
        return [t("At layer 0 nothing changes: it reads the spelling and no text, before or now.")]
    drifted, tokens = memory.drifted, chosen.tokens
    if drifted.whole[layer].max() < UNSEEN:
        return [t("At layer {layer} no word drifts: its vectors are those of a fresh start.", layer=layer)]
    worst = int(drifted.whole[layer].argmax())
    lines = [
        t(
            "At layer {layer} “{word}” drifts most (cosine {cosine:.2f} to its fresh vector); the mean drift, 1 − cosine, is {mean:.3f}.",
            layer=layer,
            word=tokens[worst][:24],
            cosine=1 - float(drifted.whole[layer, worst]),
            mean=float(drifted.whole[layer].mean()),
        )
    ]
    if len(tokens) < 3:
        return lines
    ahead, behind = drifted.forward[layer], drifted.backward[layer]
    if min(ahead.max(), behind.max()) < SEEN:  # 0.00 in two digits
        return lines
    if ahead.argmax() == 0 and behind.argmax() == len(tokens) - 1:
        lines.append(
            t(
                "The forward half drifts most at the first word ({first:.2f}), the backward half at the last ({last:.2f}): there each has read "
                "least of this sentence, and leans most on what came before.",
                first=float(ahead[0]),
                last=float(behind[-1]),
            )
        )
    else:
        lines.append(
            t(
                "One expects the forward half to drift most at the first word and the backward half at the last; here it is “{ahead}” and “{behind}”.",
                ahead=tokens[int(ahead.argmax())][:24],
                behind=tokens[int(behind.argmax())][:24],
            )
        )
    return lines


def about_settling(memory: Memory, layer: int) -> list[str]:
    if not layer:
        return []
    same, varied = memory.same.from_previous(layer), memory.varied.from_previous(layer)
    if max(same.max(), varied.max()) < UNSEEN:
        return [t("What was read before changes nothing here: every time the vectors are those of a fresh start.")]
    settled = same[-1] <= 0.01 * same[0]
    away = float(memory.same.from_fresh(layer)[-1])
    lines = [
        t(
            "With the same text each time it settles ({first:.3f}, then {last:.4f}), but {away:.3f} away from a fresh start.",
            first=float(same[0]),
            last=float(same[-1]),
            away=away,
        )
        if settled
        else t(
            "Even with the same text each time it has not settled after {n} times ({first:.3f}, then {last:.4f}).",
            n=len(same),
            first=float(same[0]),
            last=float(same[-1]),
        )
    ]
    rest = float(varied[len(varied) // 2 :].mean())
    if rest > 0.001:
        lines.append(
            t(
                "With another text each time, as on a server, it does not within {n} times: {rest:.3f} from one time to the next.",
                n=len(varied),
                rest=rest,
            )
        )
        lines.append(t("Warming up with a few batches, as AllenNLP advises, does not take that away."))
    else:
        lines.append(t("With another text each time it settles too ({rest:.5f}): warming up with a few batches is enough.", rest=rest))
    return lines


def about_ours(memory: Memory) -> list[str]:
    alone, batch = memory.stateless_difference
    if not alone and not batch:
        return [t("Ours, before and after the same text, alone or in one batch with it, differs in no number.")]
    values = {"alone": alone, "batch": batch}
    if max(alone, batch) < ROUNDING:
        return [
            t(
                "Ours, before and after the same text: the largest difference of any number is {alone:.1g}; in one batch with that text "
                "{batch:.1g}, which is rounding.",
                **values,
            )
        ]
    return [
        t(
            "Ours, before and after the same text: the largest difference of any number is {alone:.1g}; in one batch with that text {batch:.1g}.",
            **values,
        )
    ]


def about_neighbours(in_use: InUse, memory: Memory, chosen: Chosen, layer: int) -> list[str]:
    """Whether it matters: how many of the nearest labelled neighbours change."""
    table = opened.targets(in_use.corpus, in_use.model)
    first = memory.same.encodings[0]
    second = memory.same.encodings[1]
    changed, k, same_word = changed_neighbours(table, list(chosen.tokens), chosen.position, first, second)
    values = {"word": chosen.word[:24], "k": k, "n": changed[layer], "layer": layer}
    if not table.lemmas:  # a text without labels
        if same_word:
            return [t("The other text changes {n} of the {k} sentences of this corpus nearest to “{word}” at layer {layer}.", **values)]
        return [t("“{word}” is not in this corpus; the other text changes {n} of the {k} words nearest to it at layer {layer}.", **values)]
    if same_word:
        return [t("The other text changes {n} of the {k} labelled sentences nearest to “{word}” at layer {layer}.", **values)]
    return [
        t(
            "“{word}” has no labelled sentences; the other text changes {n} of the {k} labelled words nearest to it at layer {layer}.",
            **values,
        )
    ]


def about_likeness(in_use: InUse, memory: Memory, chosen: Chosen, layer: int) -> list[str]:
    """The drift beside what a change of sentence does to a word that keeps its meaning; nothing for a word without labels."""
    table = opened.targets(in_use.corpus, in_use.model)
    lemma = chosen.lemma_in(table)
    if not lemma or not layer:
        return []
    rows = table.labelled_rows(lemma)
    same, _ = pair_cosines(table.similarities(rows, np.eye(len(memory.fresh[0]))[layer]), table.sense[rows])
    if not np.isfinite(same):
        return []
    return [
        t(
            "To compare: two labelled sentences where “{word}” means the same have a cosine of {same:.2f}; before and after, yours has {own:.2f}.",
            word=lemma,
            same=same,
            own=1 - float(memory.drifted.whole[layer, chosen.position]),
        )
    ]
