"""Every labeled word has its senses on every page at once."""

import re
from pathlib import Path

from core.text import languages
from core.text.definitions import definition
from tests.app.test_map_page import sent as map_sent
from tests.app.visit import html_of, opened_whole

ROOT = Path(__file__).parents[2]
VIRUS = {"a": "The virus spread through the village in a week.", "b": "A virus wiped the files from her laptop."}




def test_a_name_is_told_from_the_noun_that_is_spelled_like_it():
    message = html_of(opened_whole("app.py", a="Her parents moved from China to Peru.", b="The wedding china is kept behind glass."))
    assert "Two meanings: <i>country</i> and <i>porcelain</i>" in message




def test_any_of_hundreds_of_words_is_found_by_theme_or_at_random_and_stands_in_the_address():
    page = opened_whole("pages/map.py")
    assert page.selectbox(key="map_word").value == "bank"
    lines = page.selectbox(key="map_word").options
    assert len(lines) > 470 and any(re.fullmatch(r"python · 2 meanings · \d+% · animals, computing", line) for line in lines)
    page.selectbox(key="map_word.theme").set_value("money").run()
    lines = page.selectbox(key="map_word").options
    assert 10 < len(lines) < 60 and all("money" in line for line in lines)
    page.button(key="map_word.surprise").click().run()
    drawn = page.selectbox(key="map_word").value
    assert drawn != "bank" and page.query_params["map_word"] == drawn and not page.exception
    assert "without labels" not in html_of(page)




def test_a_word_that_nobody_labeled_can_be_typed_into_the_box_as_it_is():
    page = opened_whole("pages/found.py", a="A zebra drank at the pool.", b="The zebra on the poster was green.")
    while not page.info:  # until every word of the sentences has been read
        assert not page.exception and not page.error
        page.run()
    for _ in range(2):  # a page without boxes for the sentences keeps those of the address when it runs again
        assert page.selectbox(key="found_word").value == "zebra" and "“zebra” is in none of" in page.info[0].value
        page.run()
    assert opened_whole("pages/found.py", found_word="<b>Virus").selectbox(key="found_word").value == "<b>Virus"


def test_what_its_senses_mean_stands_on_the_map_beside_the_groups_found_and_under_in_use():
    jaguar = {"a": "A jaguar slept by the river.", "b": "His jaguar would not start."}
    cat = definition(languages.get_language("en"), "jaguar", "animal")
    page = opened_whole("pages/map.py", **jaguar)
    assert 'class="meanings"><div><span class="chip"' in html_of(page) and cat in html_of(page)
    message = {chip["name"]: chip["told"] for chip in map_sent(page)["chips"]}
    assert message["animal"] == cat and len(message) > 1 and all(message.values())
    assert f"<b>animal</b>: {cat}" in html_of(opened_whole("pages/found.py", **jaguar))
    page.button(key="corpus.words").click().run()
    table = page.dataframe[-1].value
    assert not page.exception and ("bank", "river edge") in set(zip(table["word"], table["sense"], strict=True))
    assert cat in set(table["definition"]) and len(table) > 1100 and all(table["definition"])


