"""The experiments of the Results page: their training texts and conditions, and summaries of their recorded runs."""

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..common.config import ASSETS
from ..common.errors import CorruptArtifact
from ..common.i18n import t
from ..common.significance import FEWEST, Paired, crossed, holm, mcnemar, points
from ..files import sums
from ..files.artifacts import MAX_JSON_BYTES, check_fits, parse_json
from ..files.atomic import locked, replacing
from .data import SplitConfig
from .model import VARIANTS
from .scores import unpacked

RESULTS = ASSETS / "results" / "classification.jsonl"
BASELINES = tuple(name for name, variant in VARIANTS.items() if variant.network in ("tfidf", "mean-glove"))
RECIPE_NUMBER = 2  # raise it when a change of the code alters a figure; runs of an earlier number are marked until they are run again


def are_current(lines: Iterable[Mapping]) -> bool:
    """Return whether every run was made with today's recipe. Runs without a number were made with the first."""
    return all(line.get("recipe_number", 1) == RECIPE_NUMBER for line in lines)


@dataclass(frozen=True, slots=True)
class Experiment:
    """Variants on one data set under one condition. Baselines run only with the first seed, since nothing in them is random."""

    name: str
    task: str
    condition: str  # in words, for the page
    split: SplitConfig = field(default_factory=SplitConfig)
    variants: tuple[str, ...] = tuple(VARIANTS)
    extra: tuple[str, ...] = ()  # rows that are only trained on: files under the data folder
    folds_run: int = 0  # how many of the split's folds, the first ones; 0: all
    files: Mapping[str, str] = field(default_factory=dict)  # train, test -> another file than the task's own
    shuffled: bool = False  # a random label for each text: nothing but the training texts themselves can be learned
    copied: bool = False  # every test text is among the training texts, too


CHECKED = ("embedding", "glove", "glove+elmo", "tfidf")  # variants of the check for leaks
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


def changed() -> tuple[int, int]:
    """Return the modification time and size of the results file, which must exist."""
    stat = RESULTS.stat()
    return stat.st_mtime_ns, stat.st_size


def read_results(path: str | Path = RESULTS) -> list[dict]:
    """Read every line of a results file; CorruptArtifact names an unreadable line. A truncated last line is left out."""
    check_fits(path, MAX_JSON_BYTES, error=CorruptArtifact)
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise CorruptArtifact(t("{path} is damaged: byte {n} is not UTF-8. Download it again.", path=path, n=error.start + 1)) from None
    lines = text.split("\n")
    results = []
    for number, line in enumerate(lines[:-1], start=1):
        try:
            row = parse_json(line)
        except ValueError:
            row = None
        if not isinstance(row, dict) or not {"run", "experiment", "variant", "accuracy"} <= row.keys():
            raise CorruptArtifact(f"Line {number} of {path} is not a result. Delete the line; its run is made again.")
        results.append(row)
    return results


def summary(lines: Sequence[dict], experiment: str) -> dict[str, dict]:
    """Return for each variant: mean accuracy over seeds (folds pooled), standard deviation, runs, seconds, mean layer mix."""
    result = {}
    for name in VARIANTS:
        rows = [line for line in lines if line["experiment"] == experiment and line["variant"] == name]
        if not rows:
            continue
        by_seed = [[row for row in rows if row["seed"] == seed] for seed in sorted({row["seed"] for row in rows})]
        accuracies = [_pooled_mean(folds, "accuracy") for folds in by_seed]
        sizes = rows[0]["sizes"]
        result[name] = {
            "accuracy": statistics.fmean(accuracies),
            "macro_f1": statistics.fmean(_pooled_mean(folds, "macro_f1") for folds in by_seed),
            "spread": statistics.stdev(accuracies) if len(accuracies) > 1 else None,
            "seconds": statistics.fmean(row["seconds"] for row in rows),
            "mix": _mean_mix([row["mix"] for row in rows if row.get("mix")]),
            "right": _right(rows),
            "seeds": len(accuracies),
            "runs": len(rows),
            "n": sum(row["n"] for row in rows if row["seed"] == rows[0]["seed"]),
            "is_current": are_current(rows),
            "train": sizes["train"],
            "labeled": sizes["train"] + sizes.get("valid", 0),  # with the validation texts
        }
    return result


def _pooled_mean(folds: Sequence[dict], key: str) -> float:
    """Return the mean of a score over folds, weighted by their numbers of test texts."""
    return float(np.average([row[key] for row in folds], weights=[row["n"] for row in folds]))


def _mean_mix(mixes: Sequence[dict]) -> dict | None:
    if not mixes:
        return None
    shares = np.mean([mix["s"] for mix in mixes], axis=0).round(4).tolist()
    return {"s": shares, "gamma": statistics.fmean(mix["gamma"] for mix in mixes)}


def adjusted_p(rows: Mapping[str, dict], best: str) -> dict[str, float]:
    """Return for every other classifier the p of the best one's lead over it, adjusted together (Holm).

    It is 1 where the best one is right on fewer texts than the other: over several seeds a mean can lead nevertheless. Empty if some run did not record which texts it classified correctly.
    """
    right = {name: row.get("right") for name, row in rows.items()}
    others = [name for name in rows if name != best]
    if any(item is None or item.shape[1] != rows[best]["n"] for item in right.values()):
        return {}
    tests = [mcnemar(right[best], right[name]) for name in others]
    return dict(zip(others, holm([test.p if test.first > test.second else 1.0 for test in tests]).tolist(), strict=True))


def kind_of(variant: str) -> str:
    """Return one of core.figures.classifiers.KINDS."""
    if variant in BASELINES:
        return "plain baseline"
    return "with ELMo" if VARIANTS[variant].elmo else "without ELMo"


def _right(rows: Sequence[dict]) -> np.ndarray | None:
    """Return which test texts of all folds were right (seeds, texts) bool; None if a run did not record it."""
    if not all(row.get("right") for row in rows):
        return None
    by_seed: dict[int, list[np.ndarray]] = {}
    for row in sorted(rows, key=lambda row: (row["seed"], row["fold"])):
        by_seed.setdefault(row["seed"], []).append(unpacked(row["right"], row["n"]))
    results = [np.concatenate(folds) for folds in by_seed.values()]
    return np.stack(results) if len({len(result) for result in results}) == 1 else None


SUBSETS = {0.01: 10, 0.03: 10, 0.1: 10}  # share of the labeled rows -> subsets of that size
CONTEXT_RUNS = {f"context-{share:g}": share for share in SUBSETS}
PARTS = ("glove", "glove+static", "glove+layer0", "glove+random", "glove+shuffled", "glove+elmo")
PLAIN, ELMO = "glove", "glove+elmo"
CONTROLS = ("glove+layer0", "glove+shuffled", "glove+random", "glove+static")  # controls that show whether context helps


@dataclass(frozen=True, slots=True)
class Size:
    """All runs of one number of labeled texts."""

    labeled: int  # texts, to train and to validate on
    valid: int  # those used for validation
    tested: int
    subsets: int
    accuracy: dict[str, np.ndarray]  # by set of parts: (S,)
    over_glove: dict[str, Paired]  # each set of parts minus GloVe alone; p is adjusted for the others at this size
    of_elmo: dict[str, Paired]  # GloVe + ELMo minus each of CONTROLS, likewise


def part_titles() -> dict[str, str]:
    """Return the titles of the sets of parts."""
    return {
        "glove": t("GloVe alone"),
        "glove+static": t("GloVe + other words’ GloVe"),
        "glove+layer0": t("GloVe + layer 0 alone"),
        "glove+random": t("GloVe + ELMo, LSTMs shuffled"),
        "glove+shuffled": t("GloVe + ELMo, words shuffled"),
        "glove+elmo": t("GloVe + ELMo"),
    }


def context_sizes(lines: Sequence[dict]) -> list[Size]:
    """Return the sizes, smallest first, with a run of every set of parts for at least FEWEST subsets."""
    result = (_size([line for line in lines if line["experiment"] == name]) for name in CONTEXT_RUNS)
    return [size for size in result if size is not None]


def tabulate_contexts(sizes: Iterable[Size]) -> list[dict]:
    """Return a row for each size and set of inputs: the accuracy, and both differences with intervals and adjusted p."""
    rows = []
    titles = part_titles()
    for size in sizes:
        for kind, accuracy in size.accuracy.items():
            row = {t("labeled rows"): size.labeled, t("validation"): size.valid, t("subsets"): size.subsets}
            row |= {t("classifier"): titles[kind], t("accuracy"): round(float(accuracy.mean()), 4)}
            row |= {t("± over subsets"): round(float(accuracy.std(ddof=1)), 4)}
            for title, leads in ((t("over GloVe alone"), size.over_glove), (t("GloVe + ELMo minus it"), size.of_elmo)):
                lead = leads.get(kind)
                row[title] = None if lead is None else round(lead.mean, 4)
                row[f"{title}, 95%"] = "" if lead is None else lead.cell("+.4f", times=1)
                row[f"{title}, p (Holm)"] = None if lead is None else round(lead.p, 4)
            rows.append(row)
    return rows


def lead_point(size: Size, lead: Paired) -> tuple[int, float, float | None, float | None, bool]:
    """Return a point of the figure of leads: the labeled texts, the difference with its interval, and whether it is beyond chance."""
    return size.labeled, lead.mean, lead.low, lead.high, bool(lead.verdict)


def rows_of(sizes: Iterable[Size]) -> str:
    """Return the number of labeled texts of each size."""
    return ", ".join(f"{size.labeled:,}" for size in sizes)


def range_of(leads: Iterable[Paired]) -> str:
    """Return one difference in points, or the smallest and largest of several."""
    means = sorted(lead.mean for lead in leads)
    least, highest = (f"{'+' if mean > 0 else ''}{points(mean)}" for mean in (means[0], means[-1]))
    return least if least == highest else t("{low} to {high}", low=least, high=highest)


def _size(lines: Sequence[dict]) -> Size | None:
    by_subset: dict[int, dict[str, dict]] = {}
    for line in lines:
        by_subset.setdefault(line["seed"], {})[line["variant"]] = line
    complete = [by_subset[number] for number in sorted(by_subset) if set(PARTS) <= by_subset[number].keys()]
    if len(complete) < FEWEST:
        return None
    n, sizes = complete[0][PLAIN]["n"], complete[0][PLAIN]["sizes"]
    right = {kind: np.stack([unpacked(rows[kind]["right"], n) for rows in complete]).astype(np.int8) for kind in PARTS}  # (S, N)
    pairs = [(kind, PLAIN) for kind in PARTS[1:]] + [(ELMO, kind) for kind in CONTROLS]
    result = crossed(np.stack([right[first] - right[second] for first, second in pairs]))
    over, of_elmo = result[: len(PARTS) - 1], result[len(PARTS) - 1 :]
    return Size(
        labeled=sizes["train"] + sizes["valid"],
        valid=sizes["valid"],
        tested=n,
        subsets=len(complete),
        accuracy={kind: rows.mean(axis=1) for kind, rows in right.items()},
        over_glove=dict(zip(PARTS[1:], _adjusted(over), strict=True)),
        of_elmo=dict(zip(CONTROLS, _adjusted(of_elmo), strict=True)),
    )


def _adjusted(paireds: Sequence[Paired]) -> list[Paired]:
    return [replace(paired, p=float(p)) for paired, p in zip(paireds, holm([d.p for d in paireds]), strict=True)]


def done_runs(path: Path, name: str, fold: int, *, model: str, vectors: str, data: str) -> set[str]:
    """Return the keys of finished runs. Drop lines of other weights, and this fold's of other data or an earlier recipe.

    `model`, `vectors` and `data` are fingerprints.
    """
    with locked(path):
        if not path.is_file():
            return set()
        _whole_lines(path)
        lines = read_results(path)

        def stays(line: dict) -> bool:
            is_of_fold = (line["experiment"], line.get("fold")) == (name, fold)
            is_current = line.get("data") == data and are_current([line])
            reads_same = line.get("model") in (None, model) and line.get("vectors") in (None, vectors)
            return (is_current or not is_of_fold) and reads_same

        current = list(filter(stays, lines))
        if len(current) < len(lines):
            with replacing(path) as temporary:
                temporary.write_text("".join(json.dumps(line) + "\n" for line in current), encoding="utf-8", newline="\n")
        sums.renew(path)
        return {line["run"] for line in current}


def add_line(path: Path, line: dict) -> None:
    """Append a line after what another process may have written since."""
    with locked(path):
        before = _whole_lines(path) if path.is_file() else ""
        with replacing(path) as temporary:
            temporary.write_text(f"{before}{json.dumps(line)}\n", encoding="utf-8", newline="\n")
        sums.renew(path)


def _whole_lines(path: Path) -> str:
    """Return the file without a truncated last line; CorruptArtifact if it is not a results file."""
    data = path.read_bytes()
    if not all(line.startswith(b"{") for line in data.splitlines() if line.strip()):
        raise CorruptArtifact(f"{path} holds something other than results. Name another file.")
    return data[: data.rfind(b"\n") + 1].decode("utf-8", "surrogateescape")
