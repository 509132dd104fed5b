"""AllenNLP chosen as the engine: how far its layers are from Elmoscope's is said in the sidebar, on any page."""

import pytest

from core.engines.allennlp_engine import EngineResult
from pages._cached import opened as cached
from pages._frame.in_use import THEIRS
from pages._widgets import reading
from tests.app.visit import opened_whole


@pytest.mark.parametrize("path", ["app.py", "pages/predict.py"])
def test_the_largest_difference_and_both_times_are_said_in_the_sidebar(monkeypatch, path: str):
    def embed(name: str, sentences: tuple[tuple[str, ...], ...]) -> EngineResult:
        layers = [each + 0.25 for each in cached.model(name).encoder.encode([list(tokens) for tokens in sentences])]
        return EngineResult(layers=layers, seconds=1.5, load_seconds=0.0, tokens=1, versions={})

    monkeypatch.setattr(reading.allennlp_setup, "is_ready", lambda: True)
    monkeypatch.setattr(cached, "by_allennlp", embed)
    lines = [item.value for item in opened_whole(path, engine=THEIRS).sidebar.caption]
    assert any("at most 2.5e-01. It took 1500 ms, Elmoscope " in line for line in lines)
