"""Describe this installation: the supported Pythons, the versions that a problem report needs, and citations."""

import platform
import sys
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version

from .. import __version__
from .i18n import t

ELMOSCOPE = f"""\
@software{{elmoscope,
  title   = {{Elmoscope: a microscope for word meaning}},
  author  = {{{{Elmoscope contributors}}}},
  version = {{{__version__}}},
  year    = {{2026}}
}}"""
ELMO = """\
@inproceedings{peters-etal-2018-deep,
  title     = {Deep Contextualized Word Representations},
  author    = {Peters, Matthew E. and Neumann, Mark and Iyyer, Mohit and Gardner, Matt and Clark, Christopher and Lee, Kenton and Zettlemoyer, Luke},
  booktitle = {Proceedings of NAACL-HLT 2018},
  pages     = {2227--2237},
  year      = {2018},
  doi       = {10.18653/v1/N18-1202}
}"""
STATED = ("streamlit", "torch", "numpy", "scikit-learn", "umap-learn")  # packages whose versions a report states


def describe_installation(settings: Mapping[str, str]) -> str:
    """Return the versions and the settings in use as lines of text, without paths and without anything typed."""
    values = {"elmoscope": __version__, **list_versions(STATED), **settings}
    return "\n".join(f"{name}: {value or 'not installed'}" for name, value in values.items())


def list_versions(packages: Iterable[str]) -> dict[str, str]:
    """Return the versions of Python, the system and the packages, "" for one that is not installed."""
    versions = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    for name in packages:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = ""
    return versions


OLDEST, NEWEST = (3, 11), (3, 13)  # Pythons for which every package of requirements.txt is ready made


def unsupported() -> str:
    """Return the error message for a Python that is too old or too new, or ""."""
    if OLDEST <= tuple(sys.version_info[:2]) <= NEWEST:
        return ""
    running = ".".join(map(str, sys.version_info[:3]))
    return t("Elmoscope needs Python 3.11, 3.12 or 3.13, not {here}. Run: python3.13 -m venv .venv", here=running)
