"""The notebooks of views of a word in its sentences: Home, Neighbors, Why and the quiz."""

from core.common import model_layers
from core.common.config import NEIGHBORS
from core.common.i18n import t
from pages._export.recipe import OPEN, SUBSTITUTES, WORKSPACE, NotebookRecipe, Settings, chosen, mix_of, names_in_use, words_in_use


def home(settings: Settings) -> NotebookRecipe:
    shows = t("A word in two sentences: the verdict, its picture, and the words that ELMo expects.")
    assignments = words_in_use(settings, space=chosen(settings, "layer", model_layers.SENSES))
    return NotebookRecipe(shows, assignments, (WORKSPACE, _PAIR, _COSINES, _SCENE_FIGURE, _CURVES_FIGURE, _EXPECTED))


_PAIR = """\
from core.views import pair

result = pair.compute(workspace, pair.PairRequest(first=words[0], second=words[-1]))
verdict = result.judgment.verdict  # as `python -m core verdict` gives it
(verdict.says, round(verdict.probability, 4), verdict.say_certainty(), verdict.senses) if verdict else "no verdict: two words"
"""
_COSINES = """\
result.bars  # GloVe's is missing where one of both has no vector
"""
_SCENE_FIGURE = """\
from core.figures.scene import scene_figure

typed = [(word.tokens, word.position) for word in (words[0], words[-1])]
scene_figure(result.scene, space, typed) if result.scene else None
"""
_CURVES_FIGURE = """\
from core.figures.curves import curves_figure
from core.live.curves import decisive_rows

rows = decisive_rows(model, result.judgment)
curves_figure(rows) if rows else None
"""
_EXPECTED = """\
from core.common.errors import ElmoscopeError
from core.views import substitutes

try:  # as `python -m core substitutes` gives them
    expected = substitutes.compute(workspace, substitutes.SubstitutesRequest(words=tuple(words)))
except ElmoscopeError as no_softmax:
    expected = ()
    print(no_softmax)
{f"{k}: {of.word.word}": [(sub.word, round(sub.probability, 4)) for sub in of.substitutes] for k, of in enumerate(expected, 1)}
"""


def neighbors(settings: Settings) -> NotebookRecipe:
    shows = t("Nearest occurrences in two contexts, and GloVe’s neighbors.")
    layer = chosen(settings, "nlayer", model_layers.in_use().top)
    among, k = chosen(settings, "among", "same word"), chosen(settings, "k", NEIGHBORS)
    assignments = words_in_use(settings, layer=layer, mix=mix_of(settings, layer), among=among, k=k)
    return NotebookRecipe(shows, assignments, (WORKSPACE, _NEAREST, _NEAREST_STATIC))


_NEAREST = """\
import pandas as pd

from core.views import neighbors


def rows(word):
    result = neighbors.compute(workspace, neighbors.NeighborsRequest(word=word, space=layer, weights=mix, among=among, k=k))
    if among == neighbors.TYPES:
        return [(near.word, near.cosine, f"mean of {near.occurrences}") for near in result.entries]
    return [(near.occurrence.word, near.cosine, near.occurrence.sentence) for near in result.entries]


tables = [pd.DataFrame(rows(word), columns=["word", "cosine", "in"]) for word in words]  # every token is read once, then kept on disk
pd.concat(tables, keys=["first", "second"][: len(words)])
"""
_NEAREST_STATIC = """\
word = words[0].word
[(near.word, round(near.cosine, 4)) for near in workspace.vectors.neighbors(word, k)] if word in workspace.vectors else "unknown"
"""


def why(settings: Settings) -> NotebookRecipe:
    shows = t("One sentence edited into another, word by word, and how each word of the first changes the sense.")
    layer = chosen(settings, "dlayer", model_layers.in_use().top)
    assignments = words_in_use(
        settings,
        order=chosen(settings, "order", "left to right"),
        space=chosen(settings, "flip_layer", model_layers.in_use().top),
        how=chosen(settings, "dhow", "drop"),
        swap=chosen(settings, "dswap", "thing"),
        layer=layer,
        mix=mix_of(settings, layer),
        half=chosen(settings, "dhalf", "both"),
        sense=chosen(settings, "dsense", None),  # None: the nearest
    )
    return NotebookRecipe(shows, assignments, (WORKSPACE, _PATH, _MARGINS, _INFLUENCE, _SPOKE, _HALVES, SUBSTITUTES, _EXPECTATIONS))


_INFLUENCE = """\
from core.senses import influence
from core.views import attribution

word = words[0]
request = attribution.AttributionRequest(word=word, other=words[-1], how=how, swap=swap, weights=mix)
answer = attribution.compute(workspace, request)
result = answer.influence
"""
_SPOKE = """\
import pandas as pd

if answer.by == attribution.SENSES:
    sense = sense if sense in result.senses else influence.verdict(result, layer, half).sense
    values = [influence.parts(result, view, half, sense) for view in result.views]  # positive: it speaks for the sense
elif answer.by == attribution.OTHER:  # no two senses are labeled
    values = [influence.measure_apart(result, view, half) for view in result.views]  # positive: it holds the two words apart
else:
    values = list(result.moved[:, :, influence.HALVES.index(half)].T)  # 1 - cosine
table = pd.DataFrame(dict(zip(result.views, values)), index=[f"{k + 1} {word.tokens[k]}" for k in result.changed])
table.rename_axis(sense).round(3)
"""
_HALVES = """\
from core.figures.influence import HalfBar, halves_figure
from core.figures.style import sense_color

verdicts = [v for view in result.views[1:-1] for v in influence.halves(result, view).values()] if answer.by == attribution.SENSES else []
halves_figure(
    [HalfBar(v.view, v.half, v.sense, sense_color(answer.senses.index(v.sense)), v.margin, v.alone) for v in verdicts], key="halves"
) if verdicts else None
"""
_EXPECTATIONS = """\
changes = influence.expectations(substitutes, word.tokens, word.position, how=how, swap=swap) if substitutes else {}
pd.DataFrame([(word.tokens[k], round(c.size, 4), c.come, c.go) for k, c in changes.items()], columns=["word", "change", "come in", "go"])
"""


_PATH = """\
from core.views import edits

path = edits.compute(workspace, edits.EditsRequest(first=words[0], second=words[-1], order=order, space=space))
[(" ".join(step.tokens), sense) for step, sense in zip(path.steps, path.read)]  # without labeled senses: the sentence that it is nearer to
"""
_MARGINS = """\
from core.figures.edits import margin_figure

margin_figure(
    {space: path.margins[space]}, {space: path.flips[space]}, path.ends, [" ".join(step.tokens) for step in path.steps], chosen=space
)
"""


def guess(settings: Settings) -> NotebookRecipe:
    shows = t("A quiz’s sentences, with each label and the model’s choice.")
    return NotebookRecipe(shows, names_in_use(settings, "model") | {"number": settings.get("guess.number")}, (OPEN, _QUIZ))


_QUIZ = """\
import pandas as pd

from core.senses import quiz
from core.senses.judge import open_judge

space = open_judge(model).sense_space
asked = quiz.quiz(quiz.today() if number is None else number, model.language)
readings = [quiz.reading(model, one, space) for one in asked]  # the sentence asked about is none of those that vote
pd.DataFrame(
    [
        {"sentence": one.text, "word": one.word, "label": one.label, "model": found.sense, "share": found.share, "layer": found.layer}
        for one, found in zip(asked, readings)
    ]
)
"""
