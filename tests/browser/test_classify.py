"""Test Classify and Train in Chromium: answers while typing, and a classifier trained on an uploaded file."""

import json
import random
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from core.common.config import ROOT
from tests.app.visit import run_notebook
from tests.browser.visit import NOTICE, opened

TOPICS = {"<b>sport</b>": ["goal", "match", "team", "striker"], "money": ["bank", "shares", "prices", "loan"]}


@pytest.fixture(scope="module")
def own_file(tmp_path_factory) -> Path:
    """Write 160 short texts whose label depends on one word. One label is markup."""
    path, draw, rows = tmp_path_factory.mktemp("own") / "my rows.csv", random.Random(0), ["text,label"]
    for k in range(160):
        label = list(TOPICS)[k % 2]
        rows.append(f"{' '.join(draw.choices(['the', 'a', 'new', 'old', 'big'], k=4))} {draw.choice(TOPICS[label])} n{k},{label}")
    path.write_text("\n".join(rows))
    return path


def test_classifiers_are_trained_on_an_uploaded_file(page: Page, server: str, own_file: Path):
    opened(page, server, "train?train_task=own&epochs=6")
    page.locator("input[type=file]").set_input_files(own_file)
    for name in ("nn.Embedding", "nn.Embedding + ELMo"):
        before = page.url
        page.get_by_role("button", name=name, exact=True).click()
        page.wait_for_url(lambda url, before=before: url != before)  # the run that takes it up: a press between two runs may be lost
    button = page.get_by_role("button", name="Train", exact=True)
    expect(button).to_be_enabled()
    button.click()
    use, failed = page.get_by_role("button", name="Use on Try it"), page.get_by_text("Training stopped with an error")
    expect(use.or_(failed)).to_be_visible(timeout=600_000)  # trained meanwhile, on a machine that may be busy
    expect(failed).to_have_count(0)
    expect(page.locator("h4", has_text="On unseen texts")).to_have_count(1)
    page.get_by_role("button", name="Add to comparison").click()
    expect(page.get_by_role("heading", name="Comparison")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("button", name="Training notebook").click()
    notebook = json.loads(Path(download.value.path()).read_text())
    command = next(line for cell in notebook["cells"] for line in cell["source"] if line.startswith("command"))
    assert "python -m core train --task=own" in command and "--share=1" in command
    assert "--train='my rows.csv'" in command or "--train=my" in command  # the owner's name, not the server's path
    use.click()
    page.get_by_role("link", name="Listed there").click()
    box = page.get_by_label("Your text")
    expect(box).to_have_value("")
    box.press_sequentially("the big loan", delay=15)
    expect(page.locator(NOTICE).first).to_contain_text("money")
    expect(page.get_by_text("Most similar training rows")).to_be_visible()


def test_every_classifier_answers_while_one_types_and_shows_no_file_of_others(page: Page, server: str):
    opened(page, server, "classify")
    expect(page.get_by_text("my rows.csv")).to_have_count(0)  # the file of another visit
    box = page.get_by_label("Your text")
    box.fill("")
    box.press_sequentially("Striker scores twice as the Lions win the cup", delay=15)  # and no Enter
    expect(page.locator(NOTICE).first).to_contain_text("Sports")
    expect(page.get_by_text("Which words supported Sports")).to_be_visible()
    expect(box).to_be_focused()
    box.press_sequentially(" <img src=x onerror=document.title='run'> & 1<2 trophies", delay=5)
    expect(page.locator(".token", has_text="trophies").first).to_be_visible()
    assert page.locator("img[src=x]").count() == 0 and "run" not in page.title()
    assert page.locator(".js-plotly-plot").first.locator(".ytick").count() == 3  # a bar a classifier; the others on demand


def test_command_in_the_training_notebook_runs(own_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from core.classify.trainings import Order
    from pages._classify.train import notebook

    settings = {"columns": {}, "variants": ("tfidf",), "seeds": (0,), "share": 1.0, "epochs": 2, "model": "elmo-mini"}
    order = Order(task="own", title=str(own_file), files={"train": own_file}, vectors="glove-mini", **settings)
    monkeypatch.chdir(ROOT)
    assert run_notebook(tmp_path, notebook(order))["runs"]["accuracy"].iloc[0] > 0.9
