"""Comparing models: pairs that are fair, and measures whose answers are known beforehand."""

from core.elmo.models import open_model
from core.lab import layer_scores
from core.lab.datasets import TaggedSentence
from core.text.corpora import open_corpus


def test_pairs_of_our_sentences_are_of_one_spelling_half_of_one_sense_and_no_word_is_on_both_sides():
    dev, test = layer_scores.own_pairs(open_corpus("sentences"))
    for part in (dev, test):
        assert len(part) > 500 and sum(row.same for row in part) * 2 == len(part)
        for row in part[:200]:
            assert row.tokens_a[row.position_a].casefold() == row.word == row.tokens_b[row.position_b].casefold()
            assert (row.tokens_a, row.position_a) != (row.tokens_b, row.position_b)
    assert not {row.word for row in dev} & {row.word for row in test}
    assert layer_scores.own_pairs(open_corpus("sentences")) == (dev, test)


def test_titles_and_tags_that_a_word_gives_away_are_learned_by_every_space():
    model = open_model("elmo-mini")
    titles = [((noun, "rises", "again"), label) for noun, label in (("river", "a"), ("profit", "b")) for _ in range(20)]
    rows = layer_scores.titles([model], titles, titles[10:30])
    assert rows["chance"] == {"": 0.5} and rows["static"] == {"": 1.0}
    assert list(rows["elmo-mini"]) == ["0", "1", "2", "mix", "best_mix"] and set(rows["elmo-mini"].values()) == {1.0}
    tagged = [TaggedSentence(("the", "river", "rises"), ("D", "N", "V"))] * 10
    rows = layer_scores.compare_models("tags", [model], (tagged, tagged[:3]))
    assert rows["static"] == rows["chance"] == {"": 1.0} and set(rows["elmo-mini"].values()) == {1.0}
