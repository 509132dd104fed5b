"""Test that libraries are imported by one thread at a time."""

import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

from core.common.libraries import import_library


def test_second_import_waits_for_the_first(tmp_path, monkeypatch):
    started, may_end, order = threading.Event(), threading.Event(), []
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "signals", type("Signals", (), {"started": started, "may_end": may_end, "order": order}))
    (tmp_path / "first_library.py").write_text("import signals\nsignals.started.set()\nsignals.may_end.wait(20)\nsignals.order.append(1)\n")
    (tmp_path / "second_library.py").write_text("import signals\nsignals.order.append(2)\n")
    with ThreadPoolExecutor(2) as threads:
        threads.submit(import_library, "first_library")
        assert started.wait(20)
        threads.submit(import_library, "second_library")
        time.sleep(0.2)
        assert order == []
        may_end.set()
    assert order == [1, 2]
