"""Of the Model page: what core.evaluation.card and the training log name, in the reader's language."""

from __future__ import annotations

from core.common.i18n import t


def quantity_titles() -> dict[str, str]:
    """What of a training log can be drawn."""
    return {
        "perplexity": t("Perplexity"),
        "loss": t("Loss"),
        "learning_rate": t("Learning rate"),
        "tokens_per_second": t("Speed"),
    }


def in_words() -> dict[str, str]:
    """What core.evaluation.card writes on panels, stages and measures, in the reader's language."""
    return {
        "Parts of speech": t("Parts of speech"),
        "Senses of four words": t("Senses of four words"),
        "Senses of all words": t("Senses of all words"),
        "Senses in our sentences": t("Senses in our sentences"),
        "CoNLL-2000, linear probe": t("CoNLL-2000, linear probe"),
        "Senseval-2, nearest neighbour": t("Senseval-2, nearest neighbour"),
        "SemCor, nearest centroid": t("SemCor, nearest centroid"),
        "1-NN, leaving one out": t("1-NN, leaving one out"),
        "commonest tag": t("commonest tag"),
        "commonest sense": t("commonest sense"),
        "chance": t("chance"),
        "embedding table": t("embedding table"),
        "char-CNN": t("char-CNN"),
    } | _measure_words()


def _measure_words() -> dict[str, str]:
    """Headers and cells of the table of measures."""
    return {
        "measure": t("measure"),
        "result": t("result"),
        "items": t("items"),
        "published": t("published"),
        "command": t("command"),
        "without context": t("without context"),
        "layer 0": t("layer {layer}", layer="0"),
        "layer 1": t("layer {layer}", layer="1"),
        "layer 2": t("layer {layer}", layer="2"),
        "mix": t("mix"),
        "best mix": t("best mix"),
        "its weights": t("its weights"),
        "Perplexity: forward, backward": t("Perplexity: forward, backward"),
        "Parts of speech (CoNLL-2000), linear probe": t("Parts of speech (CoNLL-2000), linear probe"),
        "Word senses (Senseval-2: hard, interest, line, serve), nearest neighbour, macro": t(
            "Word senses (Senseval-2: hard, interest, line, serve), nearest neighbour, macro"
        ),
        "All-words senses (SemCor), nearest centroid": t("All-words senses (SemCor), nearest centroid"),
        "The same, the sense's frequency counted too": t("The same, the sense's frequency counted too"),
        "The same, unknown words charged: forward, backward": t("The same, unknown words charged: forward, backward"),
        "other words’ static vectors": t("other words’ static vectors"),
        "layer 1 less these": t("layer {layer} less these", layer="1"),
        "layer 2 less these": t("layer {layer} less these", layer="2"),
        "layer 1 less layer 2": t("layer 1 less layer 2"),
        "Same sense or not, threshold on the cosine": t("Same sense or not, threshold on the cosine"),
        "Our own sentences, 1-NN leaving one out": t("Our own sentences, 1-NN leaving one out"),
        "Cosine of two sentences of one sense, less that of two senses (one spelling)": t(
            "Cosine of two sentences of one sense, less that of two senses (one spelling)"
        ),
        "39.7, on the 1B Word test set": t("39.7, on the 1B Word test set"),
        "97.3 / 96.8 (layers 1 / 2), on the PTB": t("97.3 / 96.8 (layers 1 / 2), on the PTB"),
        "67.4 / 69.0 (layers 1 / 2) against 65.9, on the test sets of Raganato et al. 2017": t(
            "67.4 / 69.0 (layers 1 / 2) against 65.9, on the test sets of Raganato et al. 2017"
        ),
    }


def log_words() -> dict[str, str]:
    """The columns of a training log."""
    return {
        "stage": t("stage"),
        "tokens": t("tokens"),
        "loss": t("loss"),
        "tokens_per_second": t("tokens_per_second"),
        "learning_rate": t("learning_rate"),
        "forward": t("forward"),
        "backward": t("backward"),
    }
