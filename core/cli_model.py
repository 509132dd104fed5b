"""How commands are told which model to open, and where torch computes; a part of core.cli."""

from __future__ import annotations

import argparse

DEVICES = ("auto", "cpu", "cuda", "mps")  # those of core.device, which would import torch before --help


def add_model(parser: argparse.ArgumentParser) -> None:
    """--model, --download, --device."""
    parser.add_argument(
        "--model", default="elmo-mini", metavar="M", help="a registry name, or a folder with options.json and one weights file"
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
