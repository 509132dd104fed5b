"""The notebook of the paper's tasks: a text through the heads of one task, without and with ELMo."""

from core.common.i18n import ENGLISH, t
from core.text import languages
from pages._export.recipe import OPEN, NotebookRecipe, Settings, chosen, names_in_use


def tasks(settings: Settings) -> NotebookRecipe:
    shows = t("One task’s predictions for a text, with and without ELMo, and their accuracy.")
    prepared = languages.get_language(ENGLISH).examples["tasks"]
    task = chosen(settings, "task_of_paper", "names")
    task = task if task in prepared else "names"
    texts = [chosen(settings, key, text) for key, text in prepared[task][0].items()]
    return NotebookRecipe(
        shows,
        names_in_use(settings, "model", "vectors") | {"task": "clusters" if task == "coreference" else task, "texts": texts},
        (OPEN, _HEADS, _EXAMPLES[task], _SAID, *((_CHAINS,) if task == "coreference" else ()), _SCORES),
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
phrases = answers.open_tasks(model, vectors)["chunks"]
example = answers.mentions_in(phrases, *texts, model, vectors)  # noun phrases and pronouns
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
_CHAINS = """\
tokens = [token for sentence in example.passages[0] for token in sentence]
{
    variant: [[" ".join(tokens[first : last + 1]) for first, last in chain] for chain in answers.chains(example, numbers)]
    for variant, numbers in said.items()
}
"""
_SCORES = """\
{variant: head.meta["test"] for variant, head in opened.heads.items()}  # on examples that none of them had seen
"""
