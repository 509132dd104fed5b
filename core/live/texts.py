"""The texts of the page and of its widgets in the selected language. Placeholders are in braces."""

from ..common.i18n import t
from ..common.model_layers import MIX, SENSES, Layers
from ..figures.style import layer_title
from ..senses.evidence import AROUND, EXPECTED, NEAREST
from ..senses.verdict import CLOSE, ONE, TWO
from ..text.languages import Language


def texts(layers: Layers, model: str, language: Language) -> dict:
    """Return all texts by part of the page of a model of `language`."""
    spaces = layers.spaces
    cut = t("Korean is split without the app’s analyzer here: of 100 verdicts, 68 match the app’s and 2 are the opposite.")
    says = {code: say_together(answer, "{one}", "{two}") for code, answer in (("one", ONE), ("two", TWO), ("close", CLOSE))}
    return {
        "page": {
            "question": t("Does a word mean the same thing twice?"),
            "lede": t("Type two sentences. {model} reads them in your browser: nothing is sent.", model=model),
            "sentences": [t("First sentence"), t("Second sentence")],
            "words": [t("Word, first sentence"), t("Word, second sentence")],
            "type": t("Type a sentence"),
            "examples": t("Examples"),
            "language": t("Language"),
            "copy": t("Copy link"),
            "copied": t("Copied"),
            "empty": t("Type two sentences"),
            "mix": t("Mix the layers"),
            "map": t("Map of its senses"),
            "no_map": t("Maps are of words with labeled sentences, such as: {words}.", words="{words}"),
            "no_labels": t("There are no labeled sentences here, so there is no map."),
            "loading": t("Unpacking {model}…", model=model),
            "no_worker": t("This browser runs no web workers here, so the model cannot run. Open the file in a current browser."),
            "no_unpacking": t("This browser cannot unpack the model. Use one of 2023 or later."),
            "broken": t("The model stopped: {reason}. Reload the page.", reason="{reason}"),
            "failed": t("These two sentences cannot be answered: {reason}. Change one of them.", reason="{reason}"),
            "about": t("{model} in 8 bits: cosines within 0.02 of the app’s. The model is small and sometimes wrong.", model=model),
            "cut": cut if language.tokenizer not in ("words", "spaces") else "",
        },
        "verdict": {
            "one": t("One meaning"),
            "two": t("Two meanings"),
            "one_sense": t("One meaning: {sense}", sense="{sense}"),
            "two_senses": t("Two meanings: {first} and {second}", first="{first}", second="{second}"),
            "close": t("Too close to call"),
            "different": [t("Two different words"), t("Tap or type the same word in both sentences.")],
            "foreign": [t("Another language"), t("“{word}” is not in {language} letters.", word="{word}", language=language.name)],
            "no_word": [t("Not a word"), t("Tap a word in each sentence.")],
            "same": t("Same sentence, same word."),
            "right": t("Right for {n} of 100 such pairs.", n="{n}"),
            "of_100": t("Of 100 such pairs, {two} have two meanings, {one} have one.", two="{two}", one="{one}"),
            "names": t("Measured on common words, not names."),
        },
        "scene": {
            **map_texts(),
            **scene_texts(labeled=True),
            "own": say_own("{n}", "{all}"),
            "point": say_point(),
            "short": [stop_name(layers, name) for name in (*spaces, SENSES)],
            "titles": [layers.heading(name) for name in (*spaces, SENSES)],
            "where": [layer_title(name) for name in (*spaces, SENSES)],
        },
        "curves": {
            **curve_texts(),
            **says,
            "like_same": say_like("{name}", same=True),
            "like_different": say_like("{name}", same=False),
            "kinds": kind_names(),
            "plain": {name: plain_name(layers, name) for name in spaces},
        },
        "expected": expected_texts() | {"put": t("{word}, {p}: insert", word="{word}", p="{p}")},
        "mix": {
            **mix_texts(layers, "{word}"),
            **sense_texts(layers, "{word}", "{n}"),
            "norm_help": "",
            "about_map": t("Lines: the listed sentences."),
            "nearest": t("Nearest to “{word}”, sentence {number}", word="{word}", number="{number}"),
            "yours": t("yours, {number}", number="{number}"),
            "weights": t("w = {w}", w="{w}"),
        },
        "map": {
            **map_texts(),
            "title": t("Map of its senses"),
            "alt": t("Map of “{word}” {where}: {n} sentences colored by sense.", word="{word}", where="{where}", n="{n}"),
        },
        "spaces": {
            "short": [layers.label(name) for name in spaces],
            "titles": [layers.heading(name) for name in spaces],
            "where": [layer_title(name) for name in spaces],
        },
        "which": [t("1st"), t("2nd")],
        "presets": [*(layers.title(name) for name in layers.alone), t("average"), t("all −6")],
    }


def expected_texts() -> dict:
    """Return the texts about expected words."""
    return {"text": {"head": t("ELMo also expects:")}}


def scene_texts(*, labeled: bool) -> dict:
    """Return the texts of Home's picture."""
    if labeled:
        alt = t("“{word}” in {where}: {n} labeled sentences colored by sense; your two are stars.", word="{word}", where="{where}", n="{n}")
    else:
        alt = t("“{word}” in {where}: {n} words near your two sentences, which are stars.", word="{word}", where="{where}", n="{n}")
    return {"title": t("Picture of “{word}”", word="{word}"), "stars": [t("1st"), t("2nd")], "alt": alt}


def stop_name(layers: Layers, space: str) -> str:
    """Return the name of a space under the slider of Home's picture."""
    return layers.label(space) if space in (MIX, SENSES) else layers.short(space)


def say_own(n: int | str, total: int | str) -> str:
    """Return how many labeled sentences are closest to their own sense."""
    return t("{n} of {all} sentences lie with their own sense.", n=n, all=total)


def say_point() -> str:
    """Return what layer 0 shows: all sentences at one point."""
    return t("One point, like GloVe’s one vector.")


def curve_texts() -> dict:
    """Return the texts of "What decides"."""
    return {"title": t("What decides"), "same": t("same meaning"), "different": t("different meanings")}


def kind_names() -> dict[str, str]:
    """Return the names of the kinds of evidence in the order in which they are drawn."""
    return {
        SENSES: t("Place in the sense space"),
        AROUND: t("Words around it"),
        EXPECTED: t("Words ELMo expects"),
        NEAREST: t("Sense that each is nearest to"),
    }


def plain_name(layers: Layers, space: str) -> str:
    """Return the name of the gray row."""
    return t("Cosine alone, {where}", where=layers.short(space))


def say_like(name: str, *, same: bool) -> str:
    """Return which pairs are denser at the pair's value, as a text alternative to the curves."""
    return t("{name}: like pairs of the same meaning.", name=name) if same else t("{name}: like pairs of different meanings.", name=name)


def say_together(says: str, same: int | str, different: int | str) -> str:
    """Return the verdict's probability in percent."""
    if says == CLOSE:
        return t("Together: {one}% one meaning, {two}% two.", one=same, two=different)
    return t("Together: {one}% one meaning.", one=same) if says == ONE else t("Together: {two}% two meanings.", two=different)


def mix_texts(layers: Layers, word: str) -> dict:
    """Return the texts of the layer mix sliders."""
    return {
        "title": t("Layer mix of “{word}”", word=word),
        "presets": t("Presets"),
        "learned": t("Learned weights"),
        "layers": [layers.weight_name(name) for name in layers.alone],
        "gamma": t("scale γ"),
        "norm": t("Layer normalization"),
        "share": t("layer weight s = softmax(w)"),
        "spoken_share": t("{w}, weight {share}", w="{w}", share="{share}"),
        "more": t("More"),
        "softmax": t("Bars: s = softmax(w)."),
        "alike": t("All w are {w}: the same weights as all {other}, since softmax sees only differences.", w="{w}", other="{other}"),
        "between": t("between your words, cosine {cosine}", cosine="{cosine}"),
        "one_length": t("vector length"),
        "length": t("lengths {lengths} (γ scales both)", lengths="{lengths}"),
        "spoken": t("Layer weights {shares}.", shares="{shares}"),
    }


def sense_texts(layers: Layers, word: str, n: int | str) -> dict:
    """Return the texts about the layer mix of a labeled word with n sentences."""
    return {
        "map": t("Map of “{word}” in this mix: {n} sentences colored by sense.", n=n, word=word),
        "accuracy": t("Nearest sentence: same sense"),
        "chance": t("chance {share}", share="{share}"),
        "alone": t("0 to {top}: single layers; each sentence left out in turn.", top=layers.n - 1),
    }


def say_kept(n_near: int | str, n: int | str, chance: str, tied: int | str) -> str:
    """Return how many of a point's true neighbors are near it on the map, or how many are equally near if none is nearest."""
    if not n:
        return t("no true neighbors: {tied} tied", tied=tied)
    return t("{kept} of {n} true neighbors near on the map (chance {chance})", kept=n_near, n=n, chance=chance)


def map_texts() -> dict:
    """Return the texts of a map whose layers glide."""
    return {
        "layer": t("Layer"),
        "play": t("Play"),
        "pause": t("Pause"),
        "between": t("between {a} and {b}", a="{a}", b="{b}"),
        "from": t("True neighbors of"),
        "near": t("True neighbors"),
        "none": t("Click a dot or star to see its true neighbors."),
        "counted": say_kept("{kept}", "{n}", "{chance}", ""),
        "tied": say_kept(0, 0, "", "{tied}"),
        "kept_from": t("{kept} of {n} also in {where}.", kept="{kept}", n="{n}", where="{where}"),
        "picked": t("{n} selected.", n="{n}"),
        "select": t("Select “{name}”", name="{name}"),
        "lasso": t("Lasso"),
        "lasso_help": t("Draw around dots to select"),
        "nearer": t("Zoom in"),
        "farther": t("Zoom out"),
        "whole": t("Show all"),
        "kept": t("true neighbor, near on the map"),
        "off": t("true neighbor, not near"),
        "trail": t("way of your sentence through the layers"),
        "more": t("More"),
    }
