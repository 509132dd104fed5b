"""What the Memory page says of its pictures, computed from the encodings they show."""

import numpy as np

from core.analysis.memory import Memory, changed_neighbours
from core.common.i18n import t
from core.common.markup import shorten
from core.index.table import OccurrenceTable
from core.senses.separation import pair_cosines
from pages._widgets.inputs import Chosen

UNSEEN = 5e-7  # a drift below is none: vectors are of float32
SEEN = 0.005  # a drift below is 0.00 to two digits
ROUNDING = 1e-3  # of numbers about 1 in float32, added in another order


def describe_words(memory: Memory, chosen: Chosen, layer: int) -> list[str]:
    if not layer:
        return [t("Nothing changes at layer 0, which reads only the spelling.")]
    drifted, tokens = memory.drifted, chosen.tokens
    if drifted.whole[layer].max() < UNSEEN:
        return [t("No word drifts at layer {layer}.", layer=layer)]
    worst = int(drifted.whole[layer].argmax())
    lines = [
        t(
            "At layer {layer} “{word}” drifts most (cosine {cosine:.2f}). Mean drift (1 − cosine): {mean:.3f}.",
            layer=layer,
            word=shorten(tokens[worst], 24),
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
                "The forward half drifts most at the first word ({first:.2f}), the backward half at the last ({last:.2f}): there each has read least.",
                first=float(ahead[0]),
                last=float(behind[-1]),
            )
        )
    else:
        lines.append(
            t(
                "Unexpectedly, the forward half drifts most at “{ahead}”, the backward half at “{behind}”.",
                ahead=shorten(tokens[int(ahead.argmax())], 24),
                behind=shorten(tokens[int(behind.argmax())], 24),
            )
        )
    return lines


def describe_settling(memory: Memory, layer: int) -> list[str]:
    if not layer:
        return []
    same, varied = memory.same.from_previous(layer), memory.varied.from_previous(layer)
    if max(same.max(), varied.max()) < UNSEEN:
        return [t("Earlier text changes nothing here.")]
    settled = same[-1] <= 0.01 * same[0]
    away = float(memory.same.from_fresh(layer)[-1])
    lines = [
        t("With the same text it settles, {away:.3f} from a fresh start.", away=away)
        if settled
        else t("Even with the same text it has not settled after {n} readings ({last:.4f}).", n=len(same), last=float(same[-1]))
    ]
    rest = float(varied[len(varied) // 2 :].mean())
    if rest > 0.001:
        lines.append(t("With different texts it does not ({rest:.3f} per reading), so warm-up batches do not help.", rest=rest))
    else:
        lines.append(t("With different texts it settles too ({rest:.5f}), so warm-up batches are enough.", rest=rest))
    return lines


def describe_encoder(memory: Memory) -> list[str]:
    alone, batch = memory.stateless_difference
    if not alone and not batch:
        return [t("This app’s numbers do not change.")]
    most = max(alone, batch)
    written = np.format_float_positional(most, precision=1, fractional=False, trim="-")
    if most < ROUNDING:
        return [t("This app’s numbers change by at most {most}, which is rounding.", most=written)]
    return [t("This app’s numbers change by at most {most}.", most=written)]


def describe_neighbors(table: OccurrenceTable, memory: Memory, chosen: Chosen, layer: int) -> list[str]:
    """Whether it matters: how many of the nearest labeled neighbors change."""
    first = memory.same.encodings[0]
    second = memory.same.encodings[1]
    changed, k, same_word = changed_neighbours(table, list(chosen.tokens), chosen.position, first, second)
    values = {"word": shorten(chosen.word, 24), "k": k, "n": changed[layer], "layer": layer}
    if not table.lemmas:  # a text without labels
        if same_word:
            return [t("The other text changes {n} of the {k} sentences nearest to “{word}” at layer {layer}.", **values)]
        return [t("“{word}” is not in this corpus. The other text changes {n} of its {k} nearest words at layer {layer}.", **values)]
    if same_word:
        return [t("The other text changes {n} of the {k} labeled sentences nearest to “{word}” at layer {layer}.", **values)]
    return [t("“{word}” has no labeled sentences. The other text changes {n} of its {k} nearest labeled words at layer {layer}.", **values)]


def describe_likeness(table: OccurrenceTable, memory: Memory, chosen: Chosen, layer: int) -> list[str]:
    """The drift beside what a change of sentence does to a word that keeps its meaning; nothing for a word without labels."""
    lemma = chosen.lemma_in(table)
    if not lemma or not layer:
        return []
    rows = table.labelled_rows(lemma)
    same, _ = pair_cosines(table.similarities(rows, np.eye(len(memory.fresh[0]))[layer]), table.sense[rows])
    if not np.isfinite(same):
        return []
    return [
        t(
            "Two labeled sentences of one sense of “{word}” average {same:.2f}. Yours before and after: {own:.2f}.",
            word=lemma,
            same=same,
            own=1 - float(memory.drifted.whole[layer, chosen.position]),
        )
    ]
