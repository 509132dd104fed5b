"""List the experiments: what is trained on which texts, under which condition."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from ..classify.data import SplitConfig
from ..classify.model import VARIANTS

RECIPE_NUMBER = 2  # raise it when a change of the code alters a figure; runs of an earlier number are marked until they are run again


def are_current(lines: Iterable[Mapping]) -> bool:
    """Return whether every run was made with today's recipe. Runs without a number were made with the first."""
    return all(line.get("recipe_number", 1) == RECIPE_NUMBER for line in lines)


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
    shuffled: bool = False  # a random label for each text: nothing but the training texts themselves can be learned
    copied: bool = False  # every test text stands among the training texts, too


CHECKED = ("embedding", "glove", "glove+elmo", "tfidf")  # by the proof that nothing leaks
COMPARED = ("embedding", "glove", "elmo", "embedding+elmo", "glove+elmo", "tfidf", "mean-glove")
UNFROZEN = ("glove-unfrozen", "glove-unfrozen+elmo", "tfidf", "glove-unfrozen+tfidf", "glove-unfrozen+elmo+tfidf")
FIVE_FOLDS, SIX_FOLDS = SplitConfig(folds=5), SplitConfig(folds=6)
IN_ORDER = SplitConfig(in_order=True, duplicates="drop")
CONDITIONS = {
    "titles": "six folds of the 7,600 titles",
    "news": "the training file's rows, tested on the official 7,600",
    "spam": "no duplicates; the last fifth of the file is the test",
    "spam-duplicates": "duplicates kept, also across the split; the last fifth of the file is the test",
    "sentiment": "the official split of SST-5",
    "sentiment2": "the official split, neutral sentences left out",
    "titles-more": "six folds of the 7,600 titles, 13,420 other rows added to each training part",
    "titles-all": "two of six folds of the 7,600 titles, 31,831 other rows added to each training part",
    "news-all": "the training file's rows and 18,411 more, tested on the official 7,600",
    "headlines": "five folds of our own 1,000 headlines, title and lead",
    "headlines-few": "a tenth of the labeled headlines of each of five folds, title and lead",
    "headlines-to-titles": "trained on the titles of our own headlines, tested on AG News's 7,600",
    "titles-to-headlines": "trained on AG News's 7,600 titles, tested on the titles of our own headlines",
    "random": "a random label for each text: chance is 25%, more would be a leak",
    "random-copied": "a random label for each text, and every test text copied into training: what the check says of a leak",
}
SUBSET, MORE = "ag_news/train_subset.csv", "ag_news/train_more.csv"
AG_NEWS, OURS = "ag_news/test.csv", "headlines.csv"
SETTINGS = (
    ("titles", "news-title", {"split": SIX_FOLDS}),
    ("news", "news", {}),
    ("spam", "spam", {"split": IN_ORDER}),
    ("spam-duplicates", "spam", {"split": replace(IN_ORDER, duplicates="keep"), "variants": ("mean-elmo", "tfidf", "mean-glove")}),
    ("sentiment", "sentiment", {}),
    ("sentiment2", "sentiment2", {}),
    ("titles-more", "news-title", {"split": SIX_FOLDS, "extra": (SUBSET,)}),
    ("titles-all", "news-title", {"split": SIX_FOLDS, "folds_run": 2, "extra": (SUBSET, MORE), "variants": UNFROZEN}),
    ("news-all", "news", {"extra": (MORE,), "variants": UNFROZEN}),
    ("headlines", "headlines", {"split": FIVE_FOLDS, "variants": COMPARED}),
    ("headlines-few", "headlines", {"split": replace(FIVE_FOLDS, share=0.1), "variants": COMPARED}),
    ("headlines-to-titles", "news-title", {"files": {"train": OURS, "test": AG_NEWS}, "variants": COMPARED}),
    ("titles-to-headlines", "news-title", {"files": {"train": AG_NEWS, "test": OURS}, "variants": COMPARED}),
    ("random", "news-title", {"shuffled": True, "variants": CHECKED}),
    ("random-copied", "news-title", {"shuffled": True, "copied": True, "variants": CHECKED}),
)
EXPERIMENTS = {name: Experiment(name, task, CONDITIONS[name], **how) for name, task, how in SETTINGS}
