"""`check-sentences`: the rules that a file of sense-labelled sentences breaks, and what it holds."""

from __future__ import annotations

from core.evaluation.sentence_checks import faults, meeting, read_rows


def check_sentences(args) -> tuple[dict, str]:
    rows = read_rows(args.file)
    broken_rules = list(faults(rows))
    counts = {
        "sentences": len(rows),
        "words": len({row.lemma for row in rows}),
        "senses": len({(row.lemma, row.sense) for row in rows}),
        "meetings": len(meeting(rows)) // 2,
        "faults": broken_rules,
    }
    line = "{sentences:,} labelled words in sentences, {meetings:,} times two in one; {words:,} words, {senses:,} senses: {n:,} faults".format(
        n=len(broken_rules), **counts
    )
    return counts, "\n".join([*broken_rules, line])
