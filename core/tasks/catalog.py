"""The tasks by name: those of the paper's table in its order, then additional ones."""

from ..common.errors import BadInput
from ..common.i18n import say, t
from ..common.markup import shorten
from . import clusters, coreference, entailment, names, questions, roles
from .task import Task

TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        questions.TASK,
        entailment.TASK,
        roles.TASK,
        coreference.TASK,
        names.TASK,
        names.WIKIGOLD,
        names.CHUNKS,
        names.SPEECH,
        clusters.TASK,
    )
}


def task_named(name: str) -> Task:
    if name not in TASKS:
        raise BadInput(t("There is no task {name!r}. There are: {names}.", name=shorten(name), names=", ".join(TASKS)))
    return TASKS[name]


def task_titles() -> dict[str, str]:
    """Return the titles of TASKS in the user's language."""
    return {name: say(task.title) for name, task in TASKS.items()}


def measure_titles() -> dict[str, str]:
    """Return the name of each task's measure, within a sentence, in the user's language."""
    return {
        "questions": t("F1 of the answers’ words"),
        "entailment": t("accuracy"),
        "roles": t("F1 of the arguments"),
        "coreference": t("F1 of the names"),
        "names": t("F1 of the names"),
        "wikigold": t("F1 of the names"),
        "chunks": t("F1 of the chunks"),
        "speech": t("accuracy"),
        "clusters": t("CoNLL F1, mentions given"),
    }
