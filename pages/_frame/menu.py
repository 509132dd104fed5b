"""The menu: subjects, and the pages on each."""

from dataclasses import dataclass

from core.common.i18n import t


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the menu: a subject, and the pages on it, each with a question of its own and an address of its own."""

    label: str
    icon: str
    pages: tuple[tuple[str, str], ...]  # (file, label among its like)


def menu() -> tuple[Entry, ...]:
    """The menu in the reader's language."""
    return (
        Entry(t("Home"), ":material/home:", (("app.py", t("Home")),)),
        Entry(
            t("Neighbours"),
            ":material/hub:",
            (
                ("pages/neighbours.py", t("Neighbours")),
                ("pages/cloud.py", t("One dot, a cloud")),
                ("pages/decided.py", t("What decided it")),
                ("pages/flip.py", t("Edit until it flips")),
            ),
        ),
        Entry(t("Map"), ":material/scatter_plot:", (("pages/map.py", t("Map")),)),
        Entry(t("Mix"), ":material/tune:", (("pages/mix.py", t("Mix")),)),
        Entry(
            t("Classify"),
            ":material/category:",
            (
                ("pages/classify.py", t("Ask")),
                ("pages/tasks.py", t("Tasks")),
                ("pages/train.py", t("Train")),
                ("pages/results.py", t("Results")),
            ),
        ),
        Entry(
            t("Language model"),
            ":material/school:",
            (
                ("pages/predict.py", t("Next word")),
                ("pages/spelling.py", t("Spelling")),
                ("pages/state.py", t("Memory")),
                ("pages/model.py", t("What it knows")),
                ("pages/speed.py", t("Speed")),
            ),
        ),
        Entry(
            t("Your corpus"),
            ":material/library_books:",
            (("pages/corpus.py", t("Texts")), ("pages/found.py", t("Senses found")), ("pages/compare.py", t("Compare"))),
        ),
        Entry(
            t("How it works"),
            ":material/account_tree:",
            (
                ("pages/how.py", t("How it works")),
                ("pages/lessons.py", t("Lessons")),
                ("pages/teach.py", t("Slides")),
                ("pages/guess.py", t("Guess the machine")),
            ),
        ),
    )
