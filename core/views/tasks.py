"""What the heads of the paper's tasks say of a typed text, without ELMo and with it."""

from collections.abc import Mapping
from dataclasses import dataclass

from core.tasks import answers
from core.tasks.answers import OpenTask, TaskAnswer
from core.tasks.task import Example
from core.workbench import Bench

READS = ("model", "vectors")


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskRequest:
    """An example for the heads of a task, or a text before it is one. The heads themselves, as of `changed`, are handed on beside it."""

    changed: float
    task: str = ""
    example: Example | None = None
    text: str = ""


def open_tasks(bench: Bench, changed: float) -> dict[str, OpenTask]:
    """The tasks that have a head which fits; `changed` is when the heads were last made."""
    return answers.open_tasks(bench.model, bench.vectors)


def compute(bench: Bench, request: TaskRequest, opened: Mapping[str, OpenTask]) -> dict[str, TaskAnswer]:
    """What each variant says of the example."""
    return answers.ask(opened[request.task], request.example, bench.model, bench.vectors)


def mentions(bench: Bench, request: TaskRequest, opened: Mapping[str, OpenTask]) -> Example:
    """The text with the mentions that its chains are made of. BadInput where it has none."""
    return answers.mentions_in(request.text, opened["chunks"], bench.model, bench.vectors)


def predicates(bench: Bench, request: TaskRequest, opened: Mapping[str, OpenTask]) -> list[int]:
    """The tokens of the example that the roles' heads take for predicates."""
    return answers.predicates(opened["roles"], request.example, bench.model, bench.vectors)
