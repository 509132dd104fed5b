"""A word typed as one types it is found under its dictionary form, in Korean and in English."""

import pytest

from core.text.morphemes import morphemes
from core.text.readings import dictionary_forms, forms_among
from core.text.target_word import verbs_in

FORMS = {"갔어요": "가다", "쓰는": "쓰다", "예뻐요": "예쁘다", "밥을": "밥", "그리고": "", "🎉": "", "ran": "run", "evening": ""}


@pytest.mark.parametrize("typed", FORMS)
def test_a_word_typed_as_one_types_it_has_its_dictionary_form(typed: str):
    assert dictionary_forms(typed) == tuple(FORMS[typed].split())


def test_other_forms_of_a_korean_verb_are_found_among_pieces_of_text():
    assert forms_among(["갔", "가는", "감", "집", "간다", "", "go", "\u2060가"], "가다") == [0, 1, 4]
    assert forms_among(["go", "went", ""], "go") == []


def test_a_bare_stem_is_a_verb_s_where_its_sentence_reports_it():
    eaten, ink = morphemes("점심을 먹었다."), morphemes("벼루와 먹과 붓을 샀다.")
    assert "먹다" in verbs_in(eaten)[eaten.index("먹")] and "먹다" not in verbs_in(ink)[ink.index("먹")]
