"""Tiny files in the forms of the tasks' data sets, with sentences of our own, and small recipes to train on them in a second."""

import json
import lzma
from dataclasses import replace
from pathlib import Path

from core.tasks.heads import TASKS
from core.tasks.task import TaskRecipe

SMALL = {"hidden": 6, "character_dim": 4, "epochs": 2, "batch_size": 4, "train_limit": 0, "dev_limit": 8, "test_limit": 0}
PEOPLE = ["Ada", "Bruno", "Clara", "Dario"]
PLACES = ["Lund", "Oslo", "Porto", "Riga"]


def small(task: str, **changes) -> TaskRecipe:
    return replace(TASKS[task].recipe, **(SMALL | changes))


def write_files(folder: Path) -> Path:
    """Files of every task, 8 examples or more in each part; their folder."""
    texts = {}
    for part in ("train", "dev", "test"):
        texts[f"ner/wnut17_{part}.conll.xz"] = "\n".join(
            f"{who}\tB-person\nsaw\tO\nPort\tB-location\n{where}\tI-location\n.\tO\n"
            for who, where in zip(PEOPLE * 2, PLACES * 2, strict=True)
        )
        texts[f"srl/ewt_propbank.{part}.conll.xz"] = "\n".join(_roles(who, where) for who in PEOPLE for where in PLACES[:2])
        texts[f"entailment/snli_{'train_33k' if part == 'train' else part}.jsonl.xz"] = "\n".join(
            json.dumps({"sentence1": f"{who} is in {where}.", "sentence2": said.format(who, where), "gold_label": label})
            for who in PEOPLE
            for where in PLACES[:2]
            for label, said in (("entailment", "{0} is somewhere ."), ("contradiction", "{0} is not in {1}."), ("-", "{0}."))
        )
        texts[f"coref/ontogum.{part}.conll.xz"] = "\n".join(
            f"# begin document d_{who}\n0\t{who}\t(1)\n1\tmet\t_\n2\tthe\t(2\n3\tking\t2)\n4\tof\t_\n5\t{where}\t_\n6\t.\t_\n"
            f"7\tThe\t(2\n8\tking\t2)\n9\tliked\t_\n10\t{who}\t(1)\n11\t.\t_\n# end document"
            for who, where in zip(PEOPLE * 2, PLACES * 2, strict=True)
        )
        gap = {"train": "development", "dev": "validation", "test": "test"}[part]
        texts[f"coref/gap-{gap}.tsv.xz"] = "\n".join([_HEADER, *(_gap(k) for k in range(8))])
    for part, n in (("train", 118), ("test", 1)):
        texts[f"conll2000/{part}.txt.xz"] = "\n".join(
            f"{who} NNP B-NP\nsaw VBD B-VP\nthe DT B-NP\nport NN I-NP\n. . O\n" for who in PEOPLE * 2 * n
        )
    articles = [{"title": f"t{k}", "paragraphs": [_paragraph(k)]} for k in range(48)]
    texts["qa/squadshifts_new_wiki.json.xz"] = json.dumps({"data": articles})
    texts["qa/squadshifts_reddit.json.xz"] = texts["qa/xquad_en.json.xz"] = json.dumps({"data": articles[:5]})
    texts["ner/wikigold.conll.xz"] = "\n-DOCSTART- O\n\n".join(
        f"{who} I-PER\nsaw O\n{where} I-LOC\n. O\n" for who, where in zip(PEOPLE * 5, PLACES * 5, strict=True)
    )
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(lzma.compress(text.encode() + b"\n"))
    return folder


def _roles(who: str, where: str) -> str:
    words = [(who, "-", "(ARG0*)", "(ARG0*)"), ("went", "go.01", "(V*)", "*"), ("to", "-", "(ARG4*", "*"), (where, "-", "*)", "*")]
    words += [("and", "-", "*", "*"), ("sang", "sing.01", "*", "(V*)"), (".", "-", "*", "*")]
    return "".join(f"s\t{k}\t{word}\tX\tX\t-\t{sense}\t{item}\t{two}\n" for k, (word, sense, item, two) in enumerate(words))


_HEADER = "\t".join(["ID", "Text", "Pronoun", "Pronoun-offset", "A", "A-offset", "A-coref", "B", "B-offset", "B-coref", "URL"])


def _gap(k: int) -> str:
    a, b, pronoun = PEOPLE[k % 4], PEOPLE[(k + 1) % 4], ("he", "she")[k % 2]
    text = f"It rained. {a} met {b} there. Then {pronoun} left."
    cells = [f"x-{k}", text, pronoun, text.index(f" {pronoun} ") + 1, a, text.index(a), str(k % 3 == 0).upper(), b, text.index(b)]
    return "\t".join(map(str, [*cells, str(k % 3 == 1).upper(), "u"]))


def _paragraph(k: int) -> dict:
    who, where = PEOPLE[k % 4], PLACES[k % 3]
    context = f"{who} was born in {where}. The town lies by the sea."
    answers = [{"text": where, "answer_start": context.index(where)}] * 2 + [{"text": who, "answer_start": 0}]
    return {"context": context, "qas": [{"question": f"Where was {who} born?", "id": str(k), "answers": answers}]}
