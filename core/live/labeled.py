"""The labeled sentences of a model's language in the page: vectors in 8 bits, maps, and the data of verdicts."""

import numpy as np

from ..analysis.word_maps import map_rows
from ..common.model_layers import MIX
from ..index.sense_space import SenseSpace
from ..index.table import OccurrenceTable
from ..senses.calibration import calibration_of
from ..senses.evidence import is_also_a_name
from ..views import layouts, pair
from ..views.neighbors import mean_random_cosines
from ..workspace import Workspace
from .pack import Pack
from .scene import labels


def add_labeled(pack: Pack, workspace: Workspace) -> dict:
    """Add the table of labeled tokens to the pack and return its facts."""
    table, calibration = workspace.targets.basic, calibration_of(workspace)
    rows = np.arange(len(table))
    occurrences = [table.occurrence(row) for row in range(len(table))]
    layers = table.rows.take(rows)
    pack.add_lines("labeled.tokens", [" ".join(o.tokens) for o in occurrences])
    for name, numbers in (("position", table.position), ("lemma", table.lemma), ("sense", table.sense)):
        pack.add(f"labeled.{name}", np.asarray(numbers, np.int32))
    pack.add("labeled.pos", np.unique(table.pos_of(rows), return_inverse=True)[1].astype(np.int32))
    for layer in range(1, layers.shape[1]):
        pack.add_rows(f"labeled.layer.{layer}", layers[:, layer])
    spaces = [*workspace.layers.alone, MIX]
    places = np.zeros((len(spaces), len(table), 2), np.float32)
    for lemma in table.lemmas:
        maps = layouts.maps_of(workspace, lemma)
        places[:, map_rows(table, lemma)] = maps.coordinates[[maps.names.index(name) for name in spaces]]
    pack.add("labeled.places", places)
    space = _add_space(pack, workspace.sense_space, table, rows)
    for name, center in calibration.centers.items():
        pack.add(f"center.{name}", np.asarray(center, np.float32))
    rated = {lemma: calibration.words[lemma] for lemma in table.lemmas if lemma in calibration.words}
    scenes = _add_scenes(pack, workspace, list(rated))
    rated_words = {
        lemma: {"senses": table.senses_of(lemma), "layer": trust.layer, "above_chance": trust.above_chance}
        | {"by_case": is_also_a_name(table, lemma), "map": space.learned.number_for(lemma) if space else 0, "scene": scenes[lemma]}
        for lemma, trust in rated.items()
    }
    return {
        "spaces": spaces,
        "senses": table.senses,
        "lemmas": rated_words,
        "lemma_names": table.lemmas,
        "forms": {word: lemma for word in table.words if (lemma := table.lemma_of(word)) in rated_words},
        "calibration": {"layer": calibration.layer, "votes": list(calibration.votes), "alone": list(calibration.alone)},
        "folds": len(space.learned.maps) - 1 if space else 0,
        "random": {name: mean for name, mean in mean_random_cosines(workspace, spaces).items()},
    }


def _add_scenes(pack: Pack, workspace: Workspace, lemmas: list[str]) -> dict[str, dict]:
    """Add each word's scene without stars, its dots and projection axes, to the pack. Returns the facts of each."""
    table, scenes, numbers, start = workspace.targets.basic, {}, [], 0
    for lemma in lemmas:
        dots = pair.labeled_dots(workspace, table, lemma)
        axes = [
            np.concatenate([projection.axes.ravel(), projection.axes @ projection.mean]) for projection in dots.projections
        ]  # (2, d), and (2,) to take off
        parts = [dots.scene.points.ravel(), *axes]
        numbers += parts
        scenes[lemma] = {
            "at": start,
            "rows": dots.rows.tolist(),
            "spaces": list(dots.scene.spaces),
            "sizes": [projection.axes.shape[1] for projection in dots.projections],
            "senses": list(dots.scene.senses),
            "sense_of": dots.scene.sense_of.tolist(),
            "clouds": dots.clouds.tolist(),
            "in_own": list(dots.scene.in_own),
            "names": [[[round(float(value), 4) for value in place] for place in places] for _, _, places in labels(dots.scene)],
        }
        start += sum(part.size for part in parts)
    pack.add("scene", np.concatenate(numbers).astype(np.float32) if numbers else np.zeros(0, np.float32))
    return scenes


def _add_space(pack: Pack, space: SenseSpace | None, table: OccurrenceTable, rows: np.ndarray) -> SenseSpace | None:
    """Add the sense space and the rows' substitutes in it; returns None if the model has no learned space."""
    if space is None or space.learned is None:
        return None
    pack.add_rows("labeled.substitutes", space.expected(space.of_rows(table, rows)))
    pack.add_rows("space.maps", space.learned.maps.reshape(-1, space.learned.maps.shape[2]))
    pack.add("space.mean", space.learned.mean.astype(np.float32))
    return space
