"""Notebook of the Tasks page: a text through the heads of one task, without ELMo and with it."""

from core.common.i18n import t
from pages._export.recipe import OPEN, NotebookRecipe, Settings, chosen, used

FIRST_TEXTS = {  # of each task the boxes and what stands in them at first: the first of pages._tasks.examples
    "names": {"tasks_names": "Maria Keller flew from Lisbon to Chicago with her cousin Tom"},
    "roles": {"tasks_roles": "The committee gave the young architect a medal in March"},
    "entailment": {"tasks_first": "A man in a red jacket is climbing a steep rock.", "tasks_second": "A person is climbing."},
    "coreference": {"tasks_text": "George followed Walter as head of the firm after his death."},
    "questions": {
        "tasks_question": "How many people visit it each summer?",
        "tasks_paragraph": "The lighthouse of Port Ellis stands on a cliff above the bay. It was built by Samuel Ward in 1871 and repaired "
        "after the storm of 1903. Since 1984 it has worked without a keeper. Every summer some four thousand visitors climb its stairs.",
    },
    "chunks": {"tasks_chunks": "The old man the boats while their sons mend the nets"},
    "speech": {"tasks_speech": "They can fish here but nobody may can the fish"},
}


def tasks(settings: Settings) -> NotebookRecipe:
    shows = t("One task's predictions for a text, with and without ELMo, and their accuracy.")
    task = chosen(settings, "task_of_paper", "names")
    task = task if task in FIRST_TEXTS else "names"
    texts = [chosen(settings, key, text) for key, text in FIRST_TEXTS[task].items()]
    return NotebookRecipe(
        shows, used(settings, "model", "vectors") | {"task": task, "texts": texts}, (OPEN, _HEADS, _EXAMPLES[task], _SAID, _SCORES)
    )


_HEADS = """\
from core.static.vectors import open_vectors
from core.tasks import answers

vectors = open_vectors(vectors_name)
opened = answers.open_tasks(model, vectors)[task]
"""
_EXAMPLES = {
    "names": """\
example = answers.sentence_example(task, *texts)
""",
    "roles": """\
example = answers.sentence_example(task, *texts)
predicates = answers.predicates(opened, example, model, vectors)  # numbers of tokens
example = answers.with_predicate(example, predicates[0])
""",
    "entailment": """\
example = answers.pair_example(*texts)
""",
    "coreference": """\
mentions = answers.mentioned(*texts)
example = mentions.example(mentions.pronouns[0])
[mentions.words(name) for name in mentions.names]  # what the shares below belong to
""",
    "questions": """\
example = answers.question_example(*texts)
""",
}
_EXAMPLES |= {"chunks": _EXAMPLES["names"], "speech": _EXAMPLES["names"]}
_SAID = """\
said = {variant: answer.said for variant, answer in answers.ask(opened, example, model, vectors).items()}
said
"""
_SCORES = """\
{variant: head.meta["test"] for variant, head in opened.heads.items()}  # on examples that none of them had seen
"""
