"""Test that one thread at a time imports a library."""

import sys
import threading
from pathlib import Path

from core.common.libraries import import_library


def test_second_import_waits_for_the_first(tmp_path: Path, monkeypatch):
    started, may_end, order = threading.Event(), threading.Event(), []
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setitem(sys.modules, "signals", type("Signals", (), {"started": started, "may_end": may_end, "order": order}))
    (tmp_path / "first_library.py").write_text("import signals\nsignals.started.set()\nsignals.may_end.wait(20)\nsignals.order.append(1)\n")
    (tmp_path / "second_library.py").write_text("import signals\nsignals.order.append(2)\n")
    threads = [threading.Thread(target=import_library, args=(name,)) for name in ("first_library", "second_library")]
    threads[0].start()
    assert started.wait(20)
    threads[1].start()
    threads[1].join(0.2)
    assert order == []
    may_end.set()
    for thread in threads:
        thread.join(20)
    assert order == [1, 2]
