"""What options of several commands share: a command's parser, its model, device and cluster, and numbers within bounds.

Nothing here, nor in the `*_options` beside the commands, imports what computes: `--help` need not wait for torch.
"""

import argparse

DEVICES = ("auto", "cpu", "cuda", "mps")  # those of core.common.device, which would import torch before --help


def add_model(parser: argparse.ArgumentParser) -> None:
    """--model, --pieces, --download, --device."""
    parser.add_argument(
        "--model",
        default="elmo-mini",
        metavar="M",
        help="a registry name, or a folder: ELMo's options.json and one weights file, or a transformer's config.json and safetensors",
    )
    parser.add_argument(
        "--pieces",
        choices=("mean", "first", "last"),
        default="mean",
        help="which of its pieces are a word's vector, in a transformer (default mean)",
    )
    parser.add_argument("--download", action="store_true", help="fetch a model that is not on this machine yet")
    add_device(parser)


def add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--device",
        choices=DEVICES,
        default="cpu",
        help="where networks compute: auto takes a graphics card where torch has one (default cpu)",
    )


def add_command(commands, name: str, run: str, help_text: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=help_text, description=help_text)
    parser.add_argument("--json", action="store_true", help="print one JSON object on stdout and nothing else")
    parser.set_defaults(run=run)
    return parser


def whole(least: int, most: int = 2**31 - 1):
    """The type of an argument that is a whole number within bounds."""

    def whole_number(text: str) -> int:
        if not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"must be a whole number from {least:,} to {most:,}, got {text}")
        return int(text)

    return whole_number


def add_cluster(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--cluster", metavar="ADDRESS", help="do it on the workers of this Dask scheduler (tcp://host:8786), to the same result"
    )
