"""Sentences about Home's picture: pure functions of what it shows."""

from core.common import model_layers
from core.common.i18n import t
from core.common.model_layers import MIX
from core.senses.scene import Scene
from core.senses.verdict import CLOSE, ONE, Verdict
from pages._home.beside import Beside


def write_notices(scene: Scene | None, space: str, verdict: Verdict | None, other: Beside | None) -> list[str]:
    """Return one sentence on what the picture shows in a space, and one on the second model where there is one."""
    lines = [say_picture(scene, space, verdict)] if scene else []
    return lines + ([describe_second_model(other, space or MIX)] if other else [])


def say_picture(scene: Scene, space: str, verdict: Verdict | None) -> str:
    """Return what the picture shows of both stars, in at most 15 words."""
    place = scene.spaces.index(space)
    if not scene.stars[place].any() and not scene.points[place].any():
        return t("Before ELMo reads the sentence, all sentences share one point.")
    if not scene.labeled:
        if scene.ring is not None and scene.distance is not None and scene.distance > scene.ring:
            return t("The stars are farther apart than most sentences with one meaning.")
        return t("The stars are as near as sentences with one meaning.")
    first, second = (scene.senses[k] for k in scene.nearest[place])
    if verdict is not None and verdict.says != CLOSE and (first == second) != (verdict.says == ONE):
        return t("Here the picture and the verdict disagree.")
    if first == second:
        return t("Both stars are nearest to “{sense}”.", sense=first)
    return t("The stars are nearest to “{first}” and to “{second}”.", first=first, second=second)


def describe_second_model(other: Beside, space: str) -> str:
    """Return what the second model says at the same depth."""
    layers = model_layers.in_use()
    place = other.place(space if space in layers.spaces else MIX, layers)
    values = {"model": other.name, "where": other.where(place), "cosine": other.angles.cosine(place)}
    return t("{model} at the same depth ({where}): {cosine:.2f}.", **values)


def name_of(vectors: str) -> str:
    """Return GloVe, a layer or the mix, as in a list of both networks' numbers."""
    return vectors if vectors == "GloVe" else model_layers.in_use().of_model(vectors)


def second_model_title(other: Beside, space: str) -> str:
    """Return a space of the second model, as in a list of all numbers."""
    return t("{model}, {layer}", model=other.name, layer=other.layers.short(space))
