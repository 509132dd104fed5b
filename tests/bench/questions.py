"""Requests of tests.bench.answers: of views and commands, pairs of bundled labeled sentences, and addresses of pages."""

import json
import random
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

from core.text.languages import get_language

ASSETS = Path(__file__).resolve().parents[2] / "assets"
MODELS = {"en": "elmo-mini", "ko": "elmo-ko-mini"}
VECTORS = {"en": "glove-mini", "ko": "glove-ko-mini"}
CORPORA = {"en": ("sentences", "more-words"), "ko": ("sentences-ko", "more-words-ko")}
# Corpus of labeled sentences, how many pairs of one sense and how many of two.
PAIRS = (("sentences", 100), ("more-words", 50), ("sentences-ko", 50))
PAGE_PAIRS = (("sentences", 15), ("sentences-ko", 3))
SENTENCES = {
    "bank": ("We moored the canoe at the bank.", "Her bank charges a fee for every transfer."),
    "crane": ("A crane lifted the beams onto the roof.", "The crane stood on one leg in the reeds."),
    "palm": ("A coconut fell from the palm.", "He wrote the number on his palm."),
    "spring": ("The cherry trees bloom in spring.", "A spring in the mattress broke."),
    "kettle": ("The kettle whistled on the stove.", "She filled a kettle with rain water."),
    "wound": ("The nurse bandaged the wound.", "He wound the old clock every night."),
    "fans": ("Two fans cooled the hot server room.", "The fans sang until the last minute."),
    "plant": ("The plant on the sill needs water.", "They closed the plant and dismissed the workers."),
    "배": ("항구를 떠난 배가 멀어졌다.", "과수원에서 배를 땄다."),
    "밤": ("깊은 밤에 비가 내렸다.", "우리는 화로에 밤을 구웠다."),
}
CHANGED = ("bank", "crane", "palm", "spring", "match", "court", "plant", "light", "눈", "밤")
LABELED = ("bank", "crane", "palm", "spring", "bat", "match", "seal", "plant", "배", "밤")
TEXTS = (
    *(
        "She poured the coffee into a",
        "The keys to the old cabin are under the mat.",
        "Thank you very much. See you on",
        "Stocks fell after",
    ),
    *("He closed the door and walked away.", "In the morning the fog lifted.", "Nobody knows why the ship sank.", "of the river"),
    *("나는 오늘 아침에 학교에", "비가 와서 우산을 샀다."),
)
QUERIES = ("bank", "go", "the * of", "un.+", "spring", "light*", "of the", "play", "배", "사람")
KINDS = ("word", "lemma", "word", "pattern", "lemma", "word", "word", "lemma", "word", "word")
SPACES, WEIGHTS = ("0", "1", "2", "mix", "senses"), ([1, 0, 0], [0.2, 0.5, 0.3], [0, 1, 2], [1, 1, 1], [3, -1, 0.5])


def requests() -> Iterator[tuple[str, str, dict]]:
    """Yield ten requests of each view with their languages."""
    turns = zip(SENTENCES.items(), LABELED, QUERIES, KINDS, *map(cycle, (SPACES, WEIGHTS)), range(10), strict=False)
    for (word, texts), labeled, query, kind, space, weights, k in turns:
        language = "ko" if k > 7 else "en"
        a, b = ({"text": text, "word": word} for text in texts)
        among = ("same word", "any word", "other words")[k % 3]
        own, further = CORPORA[language]
        side = {"source": MODELS[language], "layer": space, "corpus": own, "every_token": False}
        other = {"source": VECTORS[language]} if k % 2 else side | {"layer": ("1", "0")[space == "1"]}
        order = ("text", "left", "left2", "right", "right2", "right3", "source", "sense", "random", "left3")[k]
        asked = {
            "pair": {"first": a, "second": b},
            "neighbors": {"word": a, "space": space, "among": among, "k": 5 + k},
            "induction": {"word": labeled, "space": ("senses", "1")[k % 2], "number": (None, 2, 3)[k % 3]},
            "layouts": {"word": labeled, "contexts": [a, b], "plan": ("umap", "pca", "poles", "3d")[k % 4], "senses": k % 4 == 0},
            "substitutes": {"words": [a, b], "direction": ("both", "forward", "backward")[k % 3], "k": 8, "common": k % 2 == 1},
            "compare": {"first": side, "second": other, "k": (5, 10)[k % 2]},
            "mix": {"words": [a, b], "weights": weights, "normalized": k % 2 == 1, "k": 6},
            "around": {"word": word, "contexts": [a, b], "plan": ("spread", "between")[k % 2]},
            "attribution": {"word": a, "other": b, "how": ("drop", "mask", "swap")[k % 3]} | ({"swap": "it"} if k % 3 == 2 else {}),
            "edits": {"first": a, "second": b, "order": ("left to right", "nearest first", "greedy")[k % 3], "space": SPACES[1:][k % 4]},
            "change": {"word": CHANGED[k], "first": {"corpus": own}, "second": {"corpus": further}, "space": ("senses", "1")[k % 2]},
            "concordance": {"query": query, "kind": kind, "order": order, "number": 40},
            "collocates": {"query": query, "kind": kind, "window": k + 1, "minimum": 1 + k % 3, "senses": ("", "labels")[k in (0, 4)]},
            "keyness": {"against": further, "minimum": k + 1, "correction": ("bonferroni", "none")[k % 2], "most": 8 + k},
        }
        yield from ((name, language, request) for name, request in asked.items())


def commands() -> Iterator[tuple[str, ...]]:
    """Yield calls of the commands that a view does not cover."""
    for k, (word, texts) in enumerate(SENTENCES.items()):
        model = "--model", MODELS["ko" if k > 7 else "en"]
        weights = ("--weights", "1,2,3") if k % 3 == 1 else ("--layer", SPACES[k % 5])
        yield "neighbors", "--word", word, "--sentence", texts[0], *weights, *(("--other-words",) if k % 2 else ()), *model
        yield "verdict", "--word", word, "--sentence", texts[0], "--sentence", texts[1], *model
        yield "substitutes", "--word", word, "--sentence", texts[1], "--direction", ("both", "forward", "backward")[k % 3], *model
        yield "predict", "--text", TEXTS[k], "--direction", ("forward", "backward")[k % 2], *model
        yield "static-neighbors", "--word", LABELED[k], "--vectors", VECTORS["ko" if k > 7 else "en"]
    yield "corpus", "search", "bank", "--kind", "lemma", "--order", "left"
    yield "corpus", "collocates", "bow", "--kind", "lemma", "--window", "5", "--senses", "labels"
    yield "classify", "--task", "news-title", "--text", "Stocks slip as oil nears 50 dollars"
    yield "classify", "--task", "spam", "--text", "You won a prize! Call now to claim it."


VISITS = """
home / home?layer=0 / home?a=The kettle whistled.&b=She sold a kettle. / home?lang=ko / home?a=The dog slept.&b=A cat purred.
neighbors / neighbors?nlayer=0 / neighbors?nlayer=2&among=other words&k=12 / neighbors?nlayer=mix&s=1,2,3&among=types
neighbors?nlayer=senses&among=any word / neighbors?lang=ko / neighbors?a=The kettle whistled.&b=
map / map?view=1 / map?view=mix&layout=pca / map?layout=poles / map?layout=3d / map?map_word=play&view=2
map?layout=pca&map_word=crane / map?view=all layers / map?view=all tokens / map?map_word=all words / map?lang=ko
map?a=The kettle whistled.&b=She sold a kettle. / map?a=The kettle whistled.&b=She sold a kettle.&around=between
mix / mix?norm=true / mix?w0=1.5&w1=-2&gamma=2 / mix?lang=ko / why / why?dhow=mask&dlayer=2 / why?dhow=swap&dhalf=past / why?dlayer=mix
why?dhalf=future / why?order=greedy&reveal=true / why?order=nearest first&flip_layer=1 / why?flip_layer=senses / why?lang=ko
found / found?found_word=plant&found_layer=1&found_k=3 / found?found_word=match&found_k=2 / found?lang=ko / spread?found_word=bank
classify / classify?all=true / classify?task=spam / classify?task=sentiment / classify?task=headlines / classify?task=news / classify?why=tfidf
tasks?task_of_paper=names / tasks?task_of_paper=chunks / tasks?task_of_paper=speech / tasks?task_of_paper=roles / tasks?task_of_paper=entailment
tasks?task_of_paper=coreference / tasks?task_of_paper=questions / tasks?task_of_paper=clusters / train
results / results?results_part=more / results?results_part=labels / results?results_part=classifiers / results?results_part=shipped
results?results_part=checks / predict / predict?predict_part=words / predict?predict_part=edit / predict?ptext=The molten lava&pat=lava
predict?lang=ko / texts / search?find=bank / search?find=bank&find_order=substitutes / search?find=go&find_kind=lemma&find_order=left / search?lang=ko
collocates / collocates?find=bow&collocate_kind=lemma&window=3 / collocates?by_sense=&collocate_order=log_likelihood / collocates?lang=ko
keyness / keyness?against=more-words&correction=bonferroni / change / change?change_word=plant / how / how?step=2 / how?step=3 / how?step=4
how?step=5 / how?step=6 / how?step=7 / how?step=8 / how?step=9 / how?howlayer=2&step=5 / slides / lessons?lesson=cone / lessons?lesson=cone&cone=mean
lessons?lesson=cone&cone=top / lessons?lesson=apart / lessons?lesson=context / lessons?lesson=context&context_layer=2 / lessons?lesson=homonyms
lessons?lesson=homonyms&relation_layer=1 / lessons?lesson=control / lessons?lesson=control&control_layer=0 / lessons?lesson=before / guess?quiz=12
about / about?lang=ko / compare / compare?first=elmo-mini · 1&second=elmo-mini · 2 / compare?first=elmo-mini · 1&second=elmo-mini · senses
compare?cmp=corpora&second_corpus=more-words
"""


def language_of(corpus: str) -> str:
    """Return the language of a bundled corpus."""
    return "ko" if corpus.endswith("-ko") else "en"


def labeled_rows(corpus: str) -> list[dict]:
    """Return the rows of a bundled corpus that have a sense."""
    language = get_language(language_of(corpus))
    lines = (ASSETS / f"{language.sentences}.jsonl").read_text("utf-8").splitlines()
    lines = lines[language.basic :] if corpus.startswith("more-words") else lines[: language.basic]
    return [row for row in map(json.loads, lines) if row.get("sense")]


def draw_pairs(corpus: str, n: int, seed: int = 0) -> list[tuple[dict, dict]]:
    """Draw pairs of labeled sentences of one word: `n` of one sense, then `n` of two."""
    rows, draw = labeled_rows(corpus), random.Random(seed)
    by_word: dict[str, list[dict]] = {}
    for row in rows:
        by_word.setdefault(row["lemma"], []).append(row)
    words, pairs = sorted(by_word), []
    for same in (True, False):
        wanted = len(pairs) + n
        while len(pairs) < wanted:
            first, second = draw.sample(by_word[draw.choice(words)], 2)
            if (first["sense"] == second["sense"]) == same:
                pairs.append((first, second))
    return pairs
