"""The sense space: its parts and means by hand, stored substitutes, maps that have not seen the word they place, and neighbors in it."""

import shutil
from itertools import pairwise

import numpy as np
import pytest

from core.common.errors import BadInput
from core.elmo.models import open_model
from core.elmo.substitutes import in_place
from core.index import build, sense_space
from core.index.build import build_index
from core.index.neighbors import ANY, OTHER, SAME
from core.index.rows import make_query
from core.index.sense_space import FOLDS, KEPT, WEIGHTS, Learned, SenseIndex, SenseSpace, fold_of
from core.index.table import OccurrenceTable
from core.lab import sense_space_map
from core.senses.evaluate import static_vectors
from core.senses.separation import one_nn
from core.text.readings import WordInContext
from core.text.sentences import Sentence
from core.text.tokens import tokenize


@pytest.fixture(scope="module")
def vectors(model):
    return static_vectors(model)


@pytest.fixture(scope="module")
def bare(table, tmp_path_factory):
    return OccurrenceTable(shutil.copytree(table.folder, tmp_path_factory.mktemp("bare") / "copy", ignore=shutil.ignore_patterns(KEPT)))


class Sized:
    """A stand-in for the parts of a sense space, of sizes 2, 1 and 2."""

    dim = 2


def by_hand(learned: Learned | None = None) -> SenseSpace:
    return SenseSpace(Sized(), Sized(), None, learned)


def test_means_are_subtracted_from_parts_which_then_have_length_1():
    views = np.array([[1.0, 0.0, 1.0, 0.6, 0.8], [0.0, 1.0, 0.0, 1.0, 0.0]], np.float32)
    mean = np.array([0.5, 0.5, 0.0, 0.0, 0.0], np.float32)
    placed = by_hand().place(views, mean)
    root = 0.5**0.5
    np.testing.assert_allclose(placed[0], np.array([root, -root, 1, 0.6, 0.8]) / 3**0.5, atol=1e-6)
    np.testing.assert_allclose(placed[1], np.array([-root, root, 0, 1, 0]) / 2**0.5, atol=1e-6)  # no known word around: no topic


def test_a_word_is_placed_by_the_map_that_has_not_seen_it():
    maps = np.stack([np.eye(5, 2, dtype=np.float32) * (k + 1) for k in range(FOLDS + 1)])
    learned = Learned(maps, np.zeros(5, np.float32), frozenset({"bank"}))
    assert learned.map_for("bank") is not learned.map_for() and np.array_equal(learned.map_for("bank"), maps[fold_of("bank")])
    assert np.array_equal(learned.map_for("glass"), maps[FOLDS]) and by_hand(learned).dim == 2


def words(n: int, rng) -> list[sense_space_map.Word]:
    """Words of two senses that differ in the first of many directions by less than the others scatter."""
    made = []
    for k in range(n):
        senses = np.repeat([0, 1], 12)
        rows = rng.normal(size=(24, 5)) * [0.3, 1, 1, 1, 1]
        rows[:, 0] += senses * 1.0
        made.append((f"word {k}", np.asarray(rows, np.float32), senses))
    return made


def test_the_map_finds_what_tells_senses_apart_of_words_it_has_not_seen():
    made = words(60, np.random.default_rng(0))
    space = by_hand(sense_space_map.learn(by_hand(), made, dimensions=3))
    scores = {}
    for name, of in (("plain", by_hand()), ("learned", space)):
        placed = [(of.place(views, views.mean(axis=0), word), senses) for word, views, senses in made]
        scores[name] = np.mean([one_nn(rows @ rows.T, senses) for rows, senses in placed])
    assert scores["learned"] > scores["plain"] + 0.05


def test_a_words_own_labels_change_nothing_of_the_map_it_is_placed_by():
    made = words(30, np.random.default_rng(1))
    word, views, senses = made[7]
    changed = [*made[:7], (word, views, np.roll(senses, 5)), *made[8:]]
    before, after = (sense_space_map.learn(by_hand(), of, dimensions=3) for of in (made, changed))
    np.testing.assert_array_equal(before.map_for(word), after.map_for(word))
    assert not np.array_equal(before.map_for(), after.map_for())
    with pytest.raises(BadInput, match="1 words are too few"):
        sense_space_map.learn(by_hand(), made[:1], dimensions=2)


def test_parts_have_length_1_and_substitutes_stored_next_to_a_table_are_those_of_its_sentences(model, table, bare, vectors):
    rows = np.array([3, 50, 700])
    fresh, stored = (sense_space.open_space(model, vectors).of_rows(item, rows) for item in (bare, table))
    np.testing.assert_allclose(fresh, stored, atol=2e-3)
    space = sense_space.open_space(model, vectors)
    np.testing.assert_allclose(space.views(table.places(rows), table.rows.take(rows)), stored, atol=2e-3)
    alone = space.views([(("bank",), 0)], model.encoder.encode([["bank"]])[0][None, :, 0])  # without other words, so without a topic
    ends = np.cumsum([0, *space.widths])
    lengths = [np.linalg.norm(np.concatenate([stored, alone])[:, a:b], axis=1).tolist() for a, b in pairwise(ends)]
    np.testing.assert_allclose(lengths, [[1, 1, 1, 1], [1, 1, 1, 0], [1, 1, 1, 1]], atol=1e-3)


def test_rows_of_a_word_are_less_their_own_mean_and_name_their_substitutes(model, table, vectors):
    space, rows = sense_space.open_space(model, vectors), table.labeled_rows("bank")[:12]
    views = space.of_rows(table, rows)
    np.testing.assert_array_equal(space.of_word(table, rows, "bank"), space.place(views, views.mean(axis=0), "bank"))
    assert space.of_word(table, rows, mapped=False).shape == (12, sum(space.widths))
    words = in_place(space.substitutes, [WordInContext(*place) for place in table.places(rows)], 5)
    likeliest = [*space.likeliest(table, rows, 5), *space.likeliest(table, rows[:1], 5)]  # the last from the first reading
    for row, of in zip(likeliest, [*words, words[0]], strict=True):  # a batch of another size rounds otherwise
        assert [answer.word for answer in row] == [answer.word for answer in of.substitutes]
        np.testing.assert_allclose([a.probability for a in row], [a.probability for a in of.substitutes], rtol=1e-5)


def test_a_damaged_or_foreign_file_and_a_model_without_a_softmax_have_no_learned_space(model, tmp_path):
    path = tmp_path / sense_space.FILE
    sense_space.write(path, Learned(np.zeros((FOLDS + 1, 5, 2), np.float32), np.zeros(5, np.float32), frozenset({"a"})), {"model": "other"})
    assert sense_space.read(path, "other", 5).words == {"a"}
    assert sense_space.read(path, model.fingerprint, 5) is None and sense_space.read(path, "other", 6) is None
    stored = path.read_bytes()
    for damaged in (b"no archive", *(stored[:size] for size in range(0, len(stored), 97)), stored[:60] + b"?" * 60 + stored[120:]):
        path.write_bytes(damaged)
        assert sense_space.read(path, "other", 5) is None
    folder = shutil.copytree(model.folder, tmp_path / "mute", ignore=shutil.ignore_patterns("vocabulary.txt", "spelled.npz"))
    assert sense_space.open_space(open_model(str(folder)), None) is None  # without a softmax


def test_a_new_index_stores_the_substitutes_of_its_sentences_also_after_a_stop(model, table, vectors, tmp_path, monkeypatch):
    monkeypatch.setattr(build, "TOKENS_PER_ROUND", 12)
    sentences = [Sentence(table.occurrence(row).tokens) for row in (3, 50, 700, 900)]
    how = {"folder": tmp_path / "index", "model": model.fingerprint, "substitutes": sense_space.substitutes_of(model)}

    def stop(done, *_):
        if done > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        build_index(sentences, model.encoder, report=stop, **how)
    resumed = build_index(sentences, model.encoder, **how)
    largest = np.abs(np.load(resumed.folder / KEPT)).max(axis=1)
    words = np.array([any(map(str.isalnum, resumed.words[code])) for code in resumed.word])  # a mark has no substitutes
    assert largest[words].min() > 0 and not words.all() and largest[~words].max() == 0
    rows = np.arange(len(resumed))
    stored = sense_space.open_space(model, vectors).of_rows(resumed, rows)
    (resumed.folder / KEPT).write_bytes(b"")  # damaged: computed again
    np.testing.assert_allclose(sense_space.open_space(model, vectors).of_rows(resumed, rows), stored, atol=2e-3)


def test_only_the_tables_and_rows_used_last_stay_in_memory(model, bare, vectors, tmp_path, monkeypatch):
    monkeypatch.setattr(sense_space, "MOST_COMPUTED", 4)
    space, rows = sense_space.open_space(model, vectors), np.arange(10)
    for number in range(sense_space.MOST_TABLES + 2):
        last = OccurrenceTable(shutil.copytree(bare.folder, tmp_path / str(number)))
        space.of_rows(last, rows[:1])
    assert len(space._kept) == sense_space.MOST_TABLES and len(space._context_sums) == sense_space.MOST_TOPIC_TABLES
    first = space.of_rows(last, rows)
    assert len(space._of(last)[1]) == 4
    np.testing.assert_allclose(space.of_rows(last, rows), first, atol=2e-3)


def test_context_sums_are_computed_once_unless_the_table_is_large(model, table, vectors, monkeypatch):
    computed, compute = [], sense_space.topics
    monkeypatch.setattr(sense_space, "topics", lambda *given: computed.append(len(given[1])) or compute(*given))
    space = sense_space.open_space(model, vectors)
    first, both = space.of_rows(table, np.array([3, 50, 3])), space.of_rows(table, np.array([50, 700, 3]))
    monkeypatch.setattr(sense_space, "MOST_TOPICS", len(table))
    fresh = space.of_rows(table, np.array([3, 50, 700]))
    assert computed == [2, 1, 3]
    np.testing.assert_array_equal([*first, *both], fresh[[0, 1, 0, 1, 2, 0]])


@pytest.fixture(scope="module")
def index(table, space):
    return SenseIndex(table, space)


@pytest.fixture(scope="module")
def query(model):
    tokens = tokenize("We sat on the bank and watched the boats.")
    return make_query(model.encoder, tokens, tokens.index("bank"))


@pytest.mark.parametrize("which", [SAME, OTHER, ANY])
def test_the_nearest_are_those_of_highest_cosine_under_the_map_of_the_query_s_word(index, space, query, which):
    near = index.nearest(query, WEIGHTS, k=8, which=which)
    everything = space.place(space.of_rows(index.table, np.arange(len(index.table))), word="bank")
    values = everything @ space.place(space.views([(query.tokens, query.position)], query.layers[None]), word="bank")[0]
    same = index.table.same_word("bank")
    values[{SAME: ~same, OTHER: same, ANY: np.zeros(len(same), bool)}[which]] = -np.inf
    assert [n.occurrence.row for n in near] == np.argsort(-values, kind="stable")[:8].tolist()
    np.testing.assert_allclose([n.cosine for n in near], np.sort(values)[::-1][:8], atol=1e-5)
    assert not index.narrows(query, which)  # their substitutes are kept beside the table


def test_neighbors_have_the_sense_of_the_query_and_exclude_its_own_row(index, query, model):
    assert {n.occurrence.sense for n in index.nearest(query, WEIGHTS, k=8, which=SAME)} == {"river edge"}
    target = index.table.occurrence(int(index.table.labeled_rows("bank")[0]))
    near = index.nearest(make_query(model.encoder, list(target.tokens), target.position), WEIGHTS, k=50, which=SAME)
    assert target.row not in {n.occurrence.row for n in near} and len(near) == len(index.table.labeled_rows("bank")) - 1
    assert index.nearest(make_query(model.encoder, ["A", "zyzzyva", "sang", "."], 1), WEIGHTS, which=SAME) == []


def test_of_too_many_rows_to_read_the_nearest_at_layer_1_are_placed(index, bare, space, query, monkeypatch):
    bare = SenseIndex(bare, space)
    monkeypatch.setattr(sense_space, "MOST_READ", 50)
    near = bare.nearest(query, WEIGHTS, k=60)
    layer = bare.table.nearest(query, [0, 1, 0], k=50)
    assert bare.narrows(query) and not bare.narrows(query, SAME)
    assert {n.occurrence.row for n in near} == {n.occurrence.row for n in layer}
    read, kept = (each.nearest(query, WEIGHTS, k=5, which=SAME) for each in (bare, index))
    assert [n.occurrence.row for n in read] == [n.occurrence.row for n in kept]
