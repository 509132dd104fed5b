"""What the commands of text classification and of the tasks can be told."""

import argparse

from core.cli.options import add_command, add_model, whole

TASKS = ("news", "news-title", "spam", "sentiment", "sentiment2", "headlines")
EXPERIMENTS = (
    *("titles", "news", "spam", "spam-duplicates", "spam-one-epoch", "spam-twenty-epochs", "sentiment", "sentiment2"),
    *(
        "titles-more",
        "titles-all",
        "news-all",
        "headlines",
        "headlines-few",
        "headlines-to-titles",
        "titles-to-headlines",
        "random",
        "random-copied",
        "context-0.01",
        "context-0.03",
        "context-0.1",
        "context-0.3",
        "context-1",
    ),
)
# core.tasks.catalogue, which imports torch
PAPER_TASKS = ("questions", "entailment", "roles", "coreference", "names", "wikigold", "chunks", "speech", "clusters")
DATA_SETS = ("ag_news",)  # that can be fetched
VARIANTS = "embedding, glove, glove-unfrozen, elmo, embedding+elmo, glove+elmo, glove-unfrozen+elmo, mean-elmo, tfidf, mean-glove, glove-unfrozen+tfidf, glove-unfrozen+elmo+tfidf"


def add_commands(commands) -> None:
    _train(add_command(commands, "train", "classify.train", "Train text classifiers on labelled rows and score them on held-out ones."))
    classify = add_command(commands, "classify", "classify.classify", "What each trained classifier says of a text, and how sure it is.")
    classify.add_argument("--task", required=True, metavar="T", help=f"{', '.join(TASKS)}, or a name you trained under")
    classify.add_argument("--text", required=True, metavar="TEXT", help="a headline, a message, a sentence")
    classify.add_argument("--variant", nargs="+", metavar="V", help="default: every variant that has a trained head")
    classify.add_argument("--heads", metavar="DIR", help="where heads lie as DIR/TASK/VARIANT (default: assets/heads, the cache)")
    _frozen(classify)
    ship = add_command(
        commands, "train-heads", "classify.train_heads", "Train again what ships: every variant's head for every task; goes on where cut."
    )
    ship.add_argument("--data", required=True, metavar="FOLDER", help="laid out as ELMOSCOPE_DATA: ag_news/, sms_spam/, sst5/")
    ship.add_argument("--output", default="assets/heads", metavar="DIR", help="default: assets/heads")
    ship.add_argument("--tasks", nargs="+", default=list(TASKS), choices=TASKS, metavar="T", help="default: all")
    _frozen(ship)
    proof = add_command(
        commands, "experiments", "classify.experiments", "Run the experiments of the Results page: one line a run; goes on where cut."
    )
    proof.add_argument("--data", required=True, metavar="FOLDER", help="laid out as ELMOSCOPE_DATA: ag_news/, sms_spam/, sst5/")
    proof.add_argument(
        "--output", default="assets/results/classification.jsonl", metavar="F", help="default: assets/results/classification.jsonl"
    )
    proof.add_argument("--only", nargs="+", default=list(EXPERIMENTS), choices=EXPERIMENTS, metavar="E", help=", ".join(EXPERIMENTS))
    proof.add_argument(
        "--seeds",
        nargs="+",
        type=whole(0),
        default=[0, 1, 2],
        metavar="S",
        help="one run each (default 0 1 2); context-S has subsets of its own",
    )
    proof.add_argument("--together", action="store_true", help="at the end, all heads of all seeds asked as one committee")
    _frozen(proof)
    noise = add_command(
        commands, "noise", "classify.noise", "How often trained classifiers are right as letters of the test texts are disturbed."
    )
    noise.add_argument("--task", default="news-title", choices=TASKS, metavar="T", help="default: news-title")
    noise.add_argument("--data", required=True, metavar="FOLDER", help="laid out as ELMOSCOPE_DATA: ag_news/, sms_spam/, sst5/")
    noise.add_argument("--output", default="assets/results/noise.json", metavar="F", help="default: assets/results/noise.json")
    noise.add_argument("--seeds", nargs="+", type=whole(0), default=[0, 1, 2], metavar="S", help="ways to disturb (default 0 1 2)")
    noise.add_argument("--limit", type=whole(1), metavar="N", help="only the first N test texts")
    noise.add_argument("--heads", metavar="DIR", help="where heads lie as DIR/TASK/VARIANT (default: assets/heads, the cache)")
    _frozen(noise)
    _tasks(commands)
    fetch = add_command(
        commands,
        "fetch",
        "classify.fetch_data",
        "Fetch a data set from its publisher, all its rows, into the cache, laid out as ELMOSCOPE_DATA; goes on where cut.",
    )
    fetch.add_argument("data_set", choices=DATA_SETS, metavar="DATASET", help="ag_news: 127,600 rows, 31 MB, non-commercial use")


def _tasks(commands) -> None:
    tasks = commands.add_parser("tasks", help="The tasks of the ELMo paper, with and without ELMo.").add_subparsers(
        required=True, metavar="fetch|train|evaluate|results"
    )
    fetch = add_command(
        tasks, "fetch", "tasks.fetch", "Fetch the tasks' data sets from their publishers: sizes and sums are checked, what is there stays."
    )
    fetch.add_argument("--data", metavar="FOLDER", help="where to (default: data/tasks in the cache)")
    fetch.add_argument("--only", nargs="+", default=PAPER_TASKS, choices=PAPER_TASKS, metavar="T", help="default: all")
    train = add_command(tasks, "train", "tasks.train", "Train a head of a task and score it on the test set; goes on where cut.")
    evaluate = add_command(tasks, "evaluate", "tasks.evaluate", "Score a trained head on the test set.")
    for parser in (train, evaluate):
        parser.add_argument("--task", required=True, choices=PAPER_TASKS, metavar="T", help=", ".join(PAPER_TASKS))
        parser.add_argument("--variant", default="elmo", choices=("baseline", "elmo"), help="GloVe and characters, or ELMo beside them")
        parser.add_argument("--data", required=True, metavar="FOLDER", help="holds ner/, entailment/, srl/, coref/, qa/, conll2000/")
    train.add_argument("--further", nargs="+", default=[], metavar="SET", help="train on these too: reddit, amazon (questions)")
    evaluate.add_argument("--test", metavar="SET", help="a further test set in place of the task's own: xquad (questions)")
    train.add_argument("--seed", type=whole(0), default=0, metavar="S", help="of every random choice (default 0)")
    train.add_argument("--epochs", type=whole(1, 1000), metavar="N", help="at most (default: the task's own)")
    train.add_argument("--random-labels", action="store_true", help="the control: labels of the training set drawn by chance")
    for part in ("train", "test"):
        train.add_argument(
            f"--limit-{part}", type=whole(0), metavar="N", help=f"examples of the {part} set (0: all; default: the task's own)"
        )
    train.add_argument("--output", metavar="DIR", help="save the head as DIR/TASK/VARIANT (default: the cache)")
    evaluate.add_argument("--heads", metavar="DIR", help="where heads lie as DIR/TASK/VARIANT (default: the cache, then assets)")
    results = add_command(tasks, "results", "tasks.results", "Every task, both variants, several seeds: what the pages show.")
    results.add_argument("--data", required=True, metavar="FOLDER", help="holds ner/, entailment/, srl/, coref/, qa/, conll2000/")
    results.add_argument("--only", nargs="+", default=PAPER_TASKS, choices=PAPER_TASKS, metavar="T", help="default: all")
    results.add_argument("--seeds", nargs="+", type=whole(0), default=[0, 1, 2], metavar="S", help="default 0 1 2")
    results.add_argument("--curve", nargs="+", type=whole(1), default=[], metavar="N", help="train on only so many, too: a learning curve")
    results.add_argument("--no-controls", action="store_true", help="leave the runs on random labels out")
    results.add_argument("--output", default="assets/tasks", metavar="DIR", help="default: assets/tasks")
    for parser in (train, evaluate, results):
        _frozen(parser)


def _train(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--task", required=True, metavar="T", help=f"{', '.join(TASKS)}, or any name for rows of your own")
    parser.add_argument("--variant", required=True, nargs="+", metavar="V", help=VARIANTS)
    parser.add_argument("--train", required=True, metavar="F", help=".csv, .tsv, .jsonl, or SST's trees as .txt; .xz, .gz too")
    parser.add_argument("--test", metavar="F", help="rows to test on (default: 20 %% of --train, by a hash of the text)")
    parser.add_argument("--valid", metavar="F", help="rows that decide when to stop (default: 10 %% of --train, by hash)")
    parser.add_argument("--extra", nargs="+", default=(), metavar="F", help="files of rows that are only trained on")
    parser.add_argument("--text-column", nargs="+", metavar="NAME", help="by name, or by number from 1; several are joined")
    parser.add_argument("--label-column", metavar="NAME", help="by name, or by number from 1 (default: the usual names)")
    parser.add_argument("--seeds", nargs="+", type=whole(0), default=[0], metavar="S", help="one run each (default 0)")
    parser.add_argument("--split-seed", type=whole(0), default=0, metavar="S", help="of the split, the same for all runs")
    parser.add_argument(
        "--share", type=float, default=1.0, metavar="S", help="share of the labelled rows to learn from, validation rows too"
    )
    parser.add_argument("--folds", type=whole(0, 100), default=0, metavar="K", help="K-fold cross-validation, K runs a variant")
    parser.add_argument("--duplicates", choices=["keep", "drop"], help="equal texts (default: drop for spam, else keep)")
    parser.add_argument("--order", action="store_true", help="test on the last 20 %% of the rows instead of by hash")
    parser.add_argument("--epochs", type=whole(1, 1000), metavar="N", help="at most (default: until the validation loss rises)")
    parser.add_argument("--output", metavar="DIR", help="save the first seed's heads as DIR/TASK/VARIANT (default: the cache)")
    _frozen(parser)


def _frozen(parser: argparse.ArgumentParser) -> None:
    add_model(parser)
    parser.add_argument("--vectors", default="glove-mini", metavar="V", help="static vectors: a registry name or a vector file")
