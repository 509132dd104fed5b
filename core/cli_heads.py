"""What `train`, `classify` and `train-heads` can be told; a part of core.cli, which hands in its own helpers."""

from __future__ import annotations

import argparse
from collections.abc import Callable

TASKS = ("news", "news-title", "spam", "sentiment", "sentiment2")
VARIANTS = "embedding, glove, glove-unfrozen, elmo, embedding+elmo, glove+elmo, mean-elmo, tfidf, mean-glove"


def add_commands(commands, add: Callable, model: Callable, whole: Callable) -> None:
    """`add` makes a command's parser, `model` gives it --model and --download, `whole` is the type of a bounded number."""
    _train(
        add(commands, "train", "train", "Train text classifiers on labelled rows and score them on held-out ones."), model, whole
    )
    classify = add(commands, "classify", "classify", "What each trained classifier says of a text, and how sure it is.")
    classify.add_argument("--task", required=True, metavar="T", help=f"{', '.join(TASKS)}, or a name you trained under")
    classify.add_argument("--text", required=True, metavar="TEXT", help="a headline, a message, a sentence")
    classify.add_argument("--variant", nargs="+", metavar="V", help="default: every variant that has a trained head")
    classify.add_argument("--heads", metavar="DIR", help="where heads lie as DIR/TASK/VARIANT (default: assets/heads, the cache)")
    _frozen(classify, model)
    ship = add(
        commands, "train-heads", "train_heads", "Train again what ships: every variant's head for every task; goes on where cut."
    )
    ship.add_argument("--data", required=True, metavar="FOLDER", help="laid out as ELMOSCOPE_DATA: ag_news/, sms_spam/, sst5/")
    ship.add_argument("--output", default="assets/heads", metavar="DIR", help="default: assets/heads")
    ship.add_argument("--tasks", nargs="+", default=list(TASKS), choices=TASKS, metavar="T", help="default: all five")
    _frozen(ship, model)


def _train(parser: argparse.ArgumentParser, model: Callable, whole: Callable) -> None:
    parser.add_argument("--task", required=True, metavar="T", help=f"{', '.join(TASKS)}, or any name for rows of your own")
    parser.add_argument("--variant", required=True, nargs="+", metavar="V", help=VARIANTS)
    parser.add_argument("--train", required=True, metavar="F", help=".csv, .tsv, .jsonl, or SST's trees as .txt; .xz, .gz too")
    parser.add_argument("--test", metavar="F", help="rows to test on (default: 20 %% of --train, by a hash of the text)")
    parser.add_argument("--valid", metavar="F", help="rows that decide when to stop (default: 10 %% of --train, by hash)")
    parser.add_argument("--extra", metavar="F", help="rows that are only trained on")
    parser.add_argument("--text-column", nargs="+", metavar="NAME", help="by name, or by number from 1; several are joined")
    parser.add_argument("--label-column", metavar="NAME", help="by name, or by number from 1 (default: the usual names)")
    parser.add_argument("--seeds", nargs="+", type=whole(0), default=[0], metavar="S", help="one run each (default 0)")
    parser.add_argument("--split-seed", type=whole(0), default=0, metavar="S", help="of the split, the same for all runs")
    parser.add_argument("--share", type=float, default=1.0, metavar="S", help="share of the training rows to learn from")
    parser.add_argument("--folds", type=whole(0, 100), default=0, metavar="K", help="K-fold cross-validation, K runs a variant")
    parser.add_argument("--duplicates", choices=["keep", "drop"], help="equal texts (default: drop for spam, else keep)")
    parser.add_argument("--order", action="store_true", help="test on the last 20 %% of the rows instead of by hash")
    parser.add_argument("--epochs", type=whole(1, 1000), metavar="N", help="at most (default: until the validation loss rises)")
    parser.add_argument("--output", metavar="DIR", help="save the first seed's heads as DIR/TASK/VARIANT (default: the cache)")
    _frozen(parser, model)


def _frozen(parser: argparse.ArgumentParser, model: Callable) -> None:
    model(parser)
    parser.add_argument("--vectors", default="glove-mini", metavar="V", help="static vectors: a registry name or a vector file")
