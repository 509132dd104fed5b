"""How to cite, and what a report of a problem states."""

from core import __version__
from core.common import installation
from core.common.config import ROOT


def test_readme_cites_the_version_and_the_paper_that_the_page_cites():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"Version {__version__}." in readme and f"{{{__version__}}}" in installation.ELMOSCOPE
    assert "10.18653/v1/N18-1202" in readme and "10.18653/v1/N18-1202" in installation.ELMO


def test_a_report_states_versions_and_the_settings_given():
    text = installation.describe_installation({"model": "elmo-mini"})
    lines = dict(line.split(": ", 1) for line in text.splitlines())
    assert lines["elmoscope"] == __version__ and lines["model"] == "elmo-mini" and {*installation.STATED} <= lines.keys()
