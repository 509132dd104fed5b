"""Where models compute is asked only on machines that have more than the processor, and then obeyed."""

from core.common import device
from core.common.memo import Kept
from core.elmo import models
from pages._cached import kept
from pages._cached import opened as opened_once
from tests.app.visit import opened


def test_with_a_processor_alone_nothing_is_asked(monkeypatch):
    monkeypatch.setattr(device, "present", lambda: ("cpu",))
    page = opened("pages/map.py", device="cuda")  # a link from a machine that has a card
    assert not page.exception and "device" not in {box.key for box in page.selectbox}


def test_with_a_card_the_model_is_opened_where_the_visitor_says(monkeypatch):
    request, open_model = [], models.open_model

    def opened_there(name: str, *, device: str = "cpu", **given):
        request.append(device)
        return open_model(name, **given)  # there is no card here

    monkeypatch.setattr(device, "present", lambda: ("cuda", "cpu"))
    monkeypatch.setattr(opened_once, "open_model", opened_there)
    monkeypatch.setattr(kept, "KEPT", Kept())  # nothing was opened or computed before
    page = opened("pages/neighbors.py")
    box = page.selectbox(key="device")
    assert not page.exception and box.value == "cpu" and box.options == ["CPU", "GPU (CUDA)"]
    assert set(request) == {"cpu"}  # never a card unasked
    monkeypatch.setattr(kept, "KEPT", Kept())
    box.set_value("cuda").run()
    assert not page.exception and request[-1] == "cuda"
