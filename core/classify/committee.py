"""Make committees (core.classify.head) from heads that are trained."""

from collections.abc import Iterable

from ..common.errors import BadInput
from ..learning.features import Frozen
from .data import Dataset
from .head import Committee, TextHead
from .inputs import TextVocabulary
from .model import VARIANTS, Variant
from .train import TrainConfig, finish_head


def with_members(variants: Iterable[Variant]) -> list[Variant]:
    """Return the variants and the members that their committees need, members before committees."""
    variant_list = list(variants)
    members = [VARIANTS[name] for variant in variant_list for name in variant.members]
    singles = [variant for variant in [*variant_list, *members] if not variant.members]
    return [*dict.fromkeys(singles), *(variant for variant in variant_list if variant.members)]


def make_committee(variant: Variant, trained: dict[str, TextHead], dataset: Dataset, config: TrainConfig, frozen: Frozen) -> TextHead:
    """Return the head of a committee from heads trained on this data. Raises BadInput if a member is missing."""
    missing = [name for name in variant.members if name not in trained]
    if missing:
        raise BadInput(f"{variant.title} needs the heads of {', '.join(missing)}. Train them first.")
    members = {name: trained[name] for name in variant.members}
    for name, head in members.items():
        if head.meta["data"] != dataset.fingerprint:
            raise BadInput(f"The head of {name} was trained on other data than {variant.title} is to be made of.")
    metas = [head.meta for head in members.values()]
    origin = {
        "mix": next((meta["mix"] for meta in metas if meta.get("mix")), None),
        "curve": metas[0].get("curve", []),
        "epochs": max(meta["epochs"] for meta in metas),
        "seconds": round(sum(meta["seconds"] for meta in metas), 2),
        "members": list(members),
    }
    head = TextHead(variant, dataset.labels, Committee(members), TextVocabulary(()), 1.0, {})
    return finish_head(head, dataset, config, frozen, {}, origin)
