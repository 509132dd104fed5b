"""Which experiments there are: what is trained on which texts, under which condition."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.classify.data import SplitConfig
from core.classify.model import VARIANTS


@dataclass(frozen=True, slots=True)
class Experiment:
    """Variants on one data set in one way; baselines are run with the first seed alone, for nothing in them is drawn."""

    name: str
    task: str
    condition: str  # in words, for the page
    split: SplitConfig = field(default_factory=SplitConfig)
    variants: tuple[str, ...] = tuple(VARIANTS)
    extra: tuple[str, ...] = ()  # rows that are only trained on: files under the data folder
    folds_run: int = 0  # how many of the split's folds, the first ones; 0: all
    files: Mapping[str, str] = field(default_factory=dict)  # train, test -> another file than the task's own
    epochs: int | None = None
    shuffled: bool = False  # a random label for each text: nothing but the training texts themselves can be learned
    copied: bool = False  # every test text stands among the training texts, too


CHECKED = ("embedding", "glove", "glove+elmo", "tfidf")  # by the proof that nothing leaks
COMPARED = ("embedding", "glove", "elmo", "embedding+elmo", "glove+elmo", "tfidf", "mean-glove")
UNFROZEN = ("glove-unfrozen", "glove-unfrozen+elmo", "tfidf", "glove-unfrozen+tfidf", "glove-unfrozen+elmo+tfidf")
FIVE_FOLDS, SIX_FOLDS = SplitConfig(folds=5), SplitConfig(folds=6)
IN_ORDER = SplitConfig(in_order=True, duplicates="drop")
EXPERIMENTS = {
    e.name: e
    for e in (
        Experiment("titles", "news-title", "six folds of the 7,600 titles", split=SIX_FOLDS),
        Experiment("news", "news", "the training file's rows, tested on the official 7,600"),
        Experiment("spam", "spam", "no duplicates; the last fifth of the file is the test", split=IN_ORDER),
        Experiment(
            "spam-duplicates",
            "spam",
            "duplicates kept, also across the split; the last fifth of the file is the test",
            split=replace(IN_ORDER, duplicates="keep"),
            variants=("mean-elmo", "tfidf", "mean-glove"),
        ),
        Experiment("spam-one-epoch", "spam", "no duplicates, one epoch", split=IN_ORDER, variants=("mean-elmo",), epochs=1),
        Experiment("spam-twenty-epochs", "spam", "no duplicates, at most 20 epochs", split=IN_ORDER, variants=("mean-elmo",), epochs=20),
        Experiment("sentiment", "sentiment", "the official split of SST-5"),
        Experiment("sentiment2", "sentiment2", "the official split, neutral sentences left out"),
        Experiment(
            "titles-more",
            "news-title",
            "six folds of the 7,600 titles, 13,420 other rows added to each training part",
            split=SIX_FOLDS,
            extra=("ag_news/train_subset.csv",),
        ),
        Experiment(
            "titles-all",
            "news-title",
            "two of six folds of the 7,600 titles, 31,831 other rows added to each training part",
            split=SIX_FOLDS,
            folds_run=2,
            extra=("ag_news/train_subset.csv", "ag_news/train_more.csv"),
            variants=UNFROZEN,
        ),
        Experiment(
            "news-all",
            "news",
            "the training file's rows and 18,411 more, tested on the official 7,600",
            extra=("ag_news/train_more.csv",),
            variants=UNFROZEN,
        ),
        Experiment("headlines", "headlines", "five folds of our own 1,000 headlines, title and lead", split=FIVE_FOLDS, variants=COMPARED),
        Experiment(
            "headlines-few",
            "headlines",
            "a tenth of the labeled headlines of each of five folds, title and lead",
            split=replace(FIVE_FOLDS, share=0.1),
            variants=COMPARED,
        ),
        Experiment(
            "headlines-to-titles",
            "news-title",
            "trained on the titles of our own headlines, tested on AG News's 7,600",
            files={"train": "headlines.csv", "test": "ag_news/test.csv"},
            variants=COMPARED,
        ),
        Experiment(
            "titles-to-headlines",
            "news-title",
            "trained on AG News's 7,600 titles, tested on the titles of our own headlines",
            files={"train": "ag_news/test.csv", "test": "headlines.csv"},
            variants=COMPARED,
        ),
        Experiment(
            "random", "news-title", "a random label for each text: chance is 25%, more would be a leak", shuffled=True, variants=CHECKED
        ),
        Experiment(
            "random-copied",
            "news-title",
            "a random label for each text, and every test text copied into training: what the check says of a leak",
            shuffled=True,
            copied=True,
            variants=CHECKED,
        ),
    )
}
