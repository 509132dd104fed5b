"""Pages say what of a text is in letters that the model's language has not, and read text as it comes out of a PDF file."""

import pytest

from tests.app.visit import captions, opened, opened_whole




def test_a_typed_sentence_is_read_with_a_note_on_the_tokens_in_other_letters():
    page = opened("pages/map.py", a="The bank of Ελλάδα, 은행.", b="A bank lent money.")
    assert not page.exception
    assert "2 of 7 tokens are not in English letters (Ελλάδα, 은행)" in captions(page)


def test_a_sentence_out_of_a_pdf_file_is_read_as_it_is_meant():
    page = opened(
        "pages/neighbors.py", a="The ban\u00adking sector\u200b of the coun-\u200bcil o\ufb03ce impor- tance.", b="A bank lent money."
    )
    assert not page.exception and "letters" not in captions(page)
    tokens = page.session_state["asked"].tokens[0]
    assert tokens == ("The", "banking", "sector", "of", "the", "council", "office", "importance", ".")




def test_a_corpus_in_other_letters_is_said():
    page = opened_whole("pages/texts.py", corpus_way="files")
    page.file_uploader[0].set_value([("a.txt", "The bank closed. 은행에서 돈을 빌렸다.".encode(), "text/plain")]).run()
    assert not page.exception
    assert "3 of 8 tokens are not in English letters" in captions(page)
