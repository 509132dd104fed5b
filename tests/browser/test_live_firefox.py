"""The page that runs by itself in Firefox, opened from disk: core's answers, and what is typed is answered.

Firefox is driven by the protocol it speaks itself, WebDriver BiDi: Playwright knows only its own builds of it.
"""

import json
import re
import shutil
import subprocess
import time

import numpy as np
import pytest
from websockets.sync.client import connect

from core.live import page as live
from core.workspace import open_workspace
from tests.core.live.truth import compare, truths

PAIRS = 30
FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")
pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.skipif(not FIREFOX, reason="no Firefox on this machine")]


class Firefox:
    """A headless Firefox with one page; `evaluate` awaits a promise of text."""

    def __init__(self, profile):
        # No request of its own: no updates, no telemetry, no first page.
        offline = {"network.proxy.type": 1, "network.proxy.http": "127.0.0.1", "network.proxy.http_port": 9, "app.update.enabled": False}
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in offline.items()]
        (profile / "user.js").write_text("\n".join(lines), "utf-8")
        self.log = profile / "log"
        command = [FIREFOX, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0"]
        with self.log.open("w") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        self.socket, self.calls = connect(self._address() + "/session", max_size=None), 0
        self.call("session.new", capabilities={})
        self.call("session.subscribe", events=["log.entryAdded"])
        self.errors: list[str] = []
        self.context = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def _address(self) -> str:
        for _ in range(600):
            if match := re.search(r"ws://\S+", self.log.read_text("utf-8")):
                return match[0]
            assert self.process.poll() is None, self.log.read_text("utf-8")
            time.sleep(0.1)
        raise TimeoutError("Firefox did not say where it listens within 60 seconds.")

    def call(self, method: str, **parameters):
        self.calls += 1
        self.socket.send(json.dumps({"id": self.calls, "method": method, "params": parameters}))
        while True:
            message = json.loads(self.socket.recv(timeout=180))
            if message.get("method") == "log.entryAdded" and message["params"]["level"] == "error":
                self.errors.append(message["params"]["text"])
            if message.get("id") == self.calls:
                assert message["type"] == "success", message
                return message["result"]

    def go(self, address: str) -> None:
        self.call("browsingContext.navigate", context=self.context, url=address, wait="complete")

    def evaluate(self, expression: str) -> str:
        result = self.call("script.evaluate", expression=expression, target={"context": self.context}, awaitPromise=True)
        assert result["type"] == "success", result
        return result["result"].get("value")

    def wait_for(self, condition: str) -> None:
        for _ in range(600):
            if self.evaluate(condition):
                return
            time.sleep(0.1)
        raise AssertionError(f"not within 60 seconds: {condition}")

    def close(self) -> None:
        self.socket.close()
        self.process.terminate()
        self.process.wait(30)


@pytest.fixture(scope="module")
def workspace():
    return open_workspace()


@pytest.fixture(scope="module")
def firefox(workspace, tmp_path_factory):
    path = tmp_path_factory.mktemp("live") / "elmoscope.html"
    live.write(path, live.page_of(workspace))
    browser = Firefox(tmp_path_factory.mktemp("profile"))
    browser.go(path.as_uri())
    browser.wait_for("document.documentElement.hasAttribute('data-answered')")
    yield browser
    browser.close()
    assert browser.errors == []


def test_its_answers_are_core_s(workspace, firefox):
    pairs = list(truths(workspace, PAIRS))
    requests = json.dumps([[pair.texts, pair.tapped] for pair in pairs])
    script = """(async () => {
      const answers = [];
      for (const [texts, tapped] of REQUESTS) answers.push(await elmoscope.answer(texts, tapped));
      return JSON.stringify(answers, (_, value) => (ArrayBuffer.isView(value) ? [...value] : value));
    })()"""
    answers = json.loads(firefox.evaluate(script.replace("REQUESTS", requests)))
    each = [compare(pair, answer) for pair, answer in zip(pairs, answers, strict=True)]
    mean = {name: float(np.mean([comparison[name] for comparison in each])) for name in each[0]}
    assert max(comparison["cosine"] for comparison in each) <= 0.02
    assert mean["near"] >= 9
    assert mean["same_verdict"] >= 0.96
    assert mean["substitutes"] >= 4


def test_what_is_typed_is_answered(firefox):
    firefox.wait_for("document.querySelector('.verdict b')?.textContent.startsWith('Two meanings')")
    firefox.evaluate("""(() => {
      const box = document.querySelector('#b');
      box.value = 'They walked along the muddy bank of the river.';
      box.dispatchEvent(new Event('input', { bubbles: true }));
    })()""")
    firefox.wait_for("document.querySelector('.verdict b')?.textContent.startsWith('One meaning')")
    firefox.wait_for("location.hash.includes('muddy')")
