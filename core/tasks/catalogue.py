"""The tasks by name, in the order of the paper's table."""

from __future__ import annotations

from core.common.errors import BadInput
from core.common.i18n import t
from core.tasks import coreference, entailment, names, questions, roles
from core.tasks.task import Task

TASKS: dict[str, Task] = {module.TASK.name: module.TASK for module in (questions, entailment, roles, coreference, names)}


def task_named(name: str) -> Task:
    if name not in TASKS:
        raise BadInput(t("There is no task {name!r}. There are: {names}.", name=name[:80], names=", ".join(TASKS)))
    return TASKS[name]


def task_titles() -> dict[str, str]:
    """The titles of TASKS in the reader's language."""
    return {
        "questions": t("Question answering"),
        "entailment": t("Entailment"),
        "roles": t("Semantic roles"),
        "coreference": t("Coreference"),
        "names": t("Names"),
    }


def measure_titles() -> dict[str, str]:
    """What each task is measured by, within a sentence, in the reader's language."""
    return {
        "questions": t("F1 of the answers’ words"),
        "entailment": t("accuracy"),
        "roles": t("F1 of the arguments"),
        "coreference": t("F1 of the names"),
        "names": t("F1 of the names"),
    }
