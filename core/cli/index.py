"""The `index` commands: build, info, approximate."""

from pathlib import Path

from core.cli.neighbours import in_shards
from core.cli.shared import cluster_of, note, open_model, progress
from core.common.errors import BadInput
from core.text.sentences import read_sentences


def index_build(args) -> tuple[dict, str]:
    from core.elmo.models import open_language_model
    from core.elmo.substitutes import Substitutes
    from core.index.build import build_index, check_replaceable
    from core.index.table import index_info

    if args.cluster is not None:
        if args.senses:
            raise BadInput("--senses works on one machine. Leave it or --cluster out.")
        return _index_on_cluster(args)
    check_replaceable(Path(args.output))
    model = open_model(args)
    sentences = read_sentences(Path(args.corpus), text_column=args.text_column, lines=args.lines)
    substitutes = Substitutes(open_language_model(model)) if args.senses else None
    build_index(sentences, model.encoder, Path(args.output), model=model.fingerprint, report=progress("tokens"), substitutes=substitutes)
    return _info(index_info(Path(args.output)))


def _index_on_cluster(args) -> tuple[dict, str]:
    from core.cluster import shards
    from core.cluster.worker_model import named

    shards.open_own(args.output)
    model = open_model(args)
    sentences = read_sentences(Path(args.corpus), text_column=args.text_column, lines=args.lines)

    def report(done) -> None:
        speed = f"{done.tokens_per_s:,.0f} tokens a second, {done.seconds_left:.0f} s left"
        note(f"shards: {done.shards_done:,} of {done.shards:,}, {speed}")

    with cluster_of(args) as client:
        fingerprint = model.fingerprint
        shards.build(client, sentences, args.output, model=named(args.model), model_fingerprint=fingerprint, report=report)
    return _info(shards.info(args.output))


def index_info(args) -> tuple[dict, str]:
    if in_shards(args.folder):
        from core.cluster.shards import info
    else:
        from core.index.table import index_info as info

    return _info(info(args.folder))


def index_approximate(args) -> tuple[dict, str]:
    from core.cluster import approximate
    from core.cluster.shards import open_shards

    facts = approximate.build(open_shards(args.folder), report=progress("rows"))
    size = f"{facts['occurrences']:,} occurrences in {facts['cells']:,} cells, {facts['bytes'] / 1e6:.1f} MB"
    return facts, f"{size}, made in {facts['seconds']:.1f} s"


def _info(facts: dict) -> tuple[dict, str]:
    text = f"{facts['occurrences']:,} occurrences of {facts['types']:,} types, {facts['bytes'] / 1e6:.1f} MB, made in {facts['seconds']:.1f} s ({facts['tokens_per_second']:,.0f} tokens/s)"
    return facts, text
