"""Notebooks of trained classifiers: Classify, the paper's tasks, a training that a user ordered on Train, and results."""

# %% parameters
model_name = "elmo-mini"
vectors_name = "glove-mini"
task = "news-title"
text = "Striker scores twice as city win the cup final"
texts = ["Maria Keller flew to Berlin."]  # the input of the paper's tasks; two texts for entailment and questions
experiment = "titles"
command = "python -m core train --task news-title --json"

# %% classify tasks
from elmoscope.core.common import model_layers
from elmoscope.core.elmo.models import open_model
from elmoscope.core.text import languages

model = open_model(model_name)
model_layers.use(model.layers)  # how many it has, and what they are called
languages.use(model.language.code)  # how its text is cut into tokens

# %% classify
from elmoscope.core.classify import tasks
from elmoscope.core.figures.classifiers import answers_figure, class_colors
from elmoscope.core.static.vectors import open_vectors

vectors = open_vectors(vectors_name)
opened = tasks.open_heads(tasks.task_named(task), model=model, vectors=vectors)
tokens, answers = tasks.classify_text(opened, text, model=model, vectors=vectors)
labels = next(iter(opened.heads.values())).labels
colors = class_colors(labels, ordered=task.startswith("sentiment"))
answers_figure(list(answers), [answer.probabilities for answer in answers.values()], colors)

# %% classify
{name: head.meta["test"]["accuracy"] for name, head in opened.heads.items()}  # on texts that none of them had seen

# %% tasks
from elmoscope.core.static.vectors import open_vectors
from elmoscope.core.tasks import answers

vectors = open_vectors(vectors_name)
opened = answers.open_tasks(model, vectors)[task]

# %% names chunks speech
example = answers.sentence_example(task, *texts)

# %% roles
example = answers.sentence_example(task, *texts)
predicates = answers.predicates(opened, example, model, vectors)  # numbers of tokens
example = answers.with_predicate(example, predicates[0])

# %% entailment
example = answers.pair_example(*texts)

# %% coreference
phrases = answers.open_tasks(model, vectors)["chunks"]
example = answers.mentions_in(phrases, *texts, model, vectors)  # noun phrases and pronouns

# %% questions
example = answers.question_example(*texts)

# %% tasks
said = answers.ask(opened, example, model, vectors)
said

# %% coreference
from elmoscope.core.tasks.coreference import chains

tokens = [token for sentence in example.passages[0] for token in sentence]
{
    variant: [[" ".join(tokens[first : last + 1]) for first, last in chain] for chain in chains(example, numbers)]
    for variant, numbers in said.items()
}

# %% tasks
{variant: head.meta["test"] for variant, head in opened.heads.items()}  # on examples that none of them had seen

# %% train
import pandas as pd
from elmoscope.core.classify import tasks

metas = tasks.heads_metas(task)
pd.DataFrame({name: {key: meta["test"][key] for key in ("accuracy", "macro_f1", "ece")} for name, meta in metas.items()}).T

# %% train
from elmoscope.core.figures.classifiers import confusion_figure

best = max(metas, key=lambda name: metas[name]["test"]["accuracy"])
confusion_figure(metas[best]["test"]["confusion"], metas[best]["labels"])

# %% results
import pandas as pd
from elmoscope.core.classify import experiments

lines = experiments.read_results() if experiments.RESULTS.is_file() else []  # python -m core.lab experiments makes it
summary = experiments.summary(lines, experiment)
pd.DataFrame(summary).T

# %% results
from elmoscope.core.figures.classifiers import accuracy_dots

kinds = {name: experiments.kind_of(name) for name in summary}
accuracy_dots({name: (row["accuracy"], row["spread"]) for name, row in summary.items()}, kinds) if summary else None

# %% results
sizes = experiments.context_sizes(lines)
pd.DataFrame(experiments.tabulate_contexts(sizes))  # is it context? each set of parts minus GloVe alone, and what GloVe + ELMo adds to it

# %% results
from elmoscope.core.figures.classifiers import leads_figure
from elmoscope.core.figures.style import SENSE_COLORS

names = sizes[0].over_glove if sizes else ()
points = {name: [experiments.lead_point(size, size.over_glove[name]) for size in sizes] for name in names}
leads_figure(points, dict(zip(points, SENSE_COLORS)), x="labeled rows", y="points over GloVe alone") if points else None

# %% ordered
import json
import shlex
import subprocess
import sys

import pandas as pd

module = "core" if ".package" in sys.path else "elmoscope.core"  # in the folder of the project, or installed
arguments = shlex.split(command)[3:]  # without python -m core
done = subprocess.run([sys.executable, "-m", module, *arguments], stdout=subprocess.PIPE, text=True, check=True)
result = json.loads(done.stdout)
runs = pd.DataFrame(result.get("runs", [result]))
runs.groupby("variant")[["accuracy", "macro_f1", "seconds"]].agg(["mean", "std"])
