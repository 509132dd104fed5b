"""Pages in Korean: verbs in any form, invented words, and labels of uploads."""

import re

import pytest

from tests.app.visit import HANGUL, html_of, opened, opened_whole, words_on




@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("써야겠어요", "머리에 얹음"),  # a form that none of the labeled sentences of 쓰다 has
        ("갔어요", "“갔어요”"),
        ("먹었다", "“먹었다”"),  # without labels: its verb's other forms are its sentences
    ],
)
def test_a_verb_is_found_in_the_form_one_types(typed: str, shown: str):
    page = opened("pages/found.py", lang="ko", found_word=typed)
    message = ""
    for _ in range(60):  # runs, while every word is read once
        message = html_of(page)
        if shown in message:
            break
        page.run()
    assert not page.exception and not page.error and not page.info
    assert shown in message and "그룹" in message


def test_the_slide_of_an_unseen_word_invents_one_of_the_language_and_says_when_it_cannot_be_read():
    page = opened_whole("pages/slides.py", lang="ko", slide="8")
    assert page.text_input(key="slide_invented").value == "구름스럽다"
    assert any("“구름스럽다”" in item and "몫이 가장 큽니다" in item for item in words_on(page))
    page.text_input(key="slide_invented").set_value("unfriendlyish").run()
    message = " ".join(words_on(page))
    assert "읽지 못합니다" in message and "몫이" not in message


def test_upload_button_has_a_readable_korean_label():
    """CSS has no escapes such as \\ud30c."""
    page = opened("pages/texts.py", lang="ko")
    labels = re.findall(
        r'stFileUploaderDropzone"\] button p::after \{content: "([^"]*)"', "\n".join(str(each.proto.body) for each in page.get("html"))
    )
    assert labels and all(HANGUL.search(label) and "\\" not in label for label in labels)
