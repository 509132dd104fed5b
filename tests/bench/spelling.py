"""How well a char-CNN can spell the word vectors that the LSTMs learned: elmo-mini's windows beside ELMo "small"'s.

    python -m tests.bench.spelling RUN [--threads 1]

RUN is the folder of a `python -m core pretrain` whose table stage is done. Both char-CNNs are started and solved as that
command does it; printed is the share of the vectors' variance that each explains, by the words' frequency rank.
"""

import argparse
import time
from pathlib import Path

import numpy as np
import torch

from core.common.config import MINI, ModelShape
from core.elmo.model import CharacterCNN
from core.text.tokens import character_ids
from core.training.recipe import FITTED_TYPES
from core.training.warm_start import solve_characters

BANDS = ((2, 5_000), (5_000, 10_000), (10_000, 20_000), (20_000, 30_000), (30_000, 50_000))
DRAWN = 2_000  # words of each band


def explained(characters: CharacterCNN, types: list[str], table: torch.Tensor) -> list[float]:
    """1 - squared error / variance of the vectors, in each band of ranks."""
    shares = []
    for first, last in BANDS:
        ranks = np.random.default_rng(0).permutation(np.arange(first, last))[:DRAWN]
        with torch.inference_mode():
            spelled = characters(torch.from_numpy(character_ids([types[k] for k in ranks])))
        wanted = table[ranks]
        shares.append(float(1 - (spelled - wanted).square().sum() / (wanted - wanted.mean(0)).square().sum()))
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    types = (args.run / "prepared" / "types.txt").read_text(encoding="utf-8").split("\n")
    table = torch.load(args.run / "table.pt", weights_only=True)["table"][0]["weight"]
    print("char-CNN   filters  weighted R2  " + "  ".join(f"{a:,}-{b:,}" for a, b in BANDS) + "  seconds")
    for name, shape in (("elmo-mini", MINI), ("small", ModelShape())):
        torch.manual_seed(0)
        characters, started = CharacterCNN(shape).eval(), time.monotonic()
        weighted = solve_characters(characters, types[:FITTED_TYPES], table[:FITTED_TYPES])["r2"]
        shares = "  ".join(f"{share:.2f}" for share in explained(characters, types, table))
        print(f"{name:<10} {shape.n_filters:<8,} {weighted:.3f}        {shares}  {time.monotonic() - started:.0f}", flush=True)


if __name__ == "__main__":
    main()
