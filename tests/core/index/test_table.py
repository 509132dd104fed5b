"""The occurrence table, from an encoder whose vectors are known, and errors about damaged tables."""

import json
import shutil
import zlib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from core.analysis.word_maps import rows_to_measure
from core.common.errors import BadInput, CorruptArtifact, MissingArtifact
from core.elmo.mix import gram
from core.index import build as building
from core.index.build import build_index
from core.index.rows import Occurrence, make_query
from core.index.table import OccurrenceTable
from core.senses.calibration import some_rows
from core.senses.cosines import words_of
from core.senses.separation import word_ranking
from core.text.sentences import Sentence, Target
from core.views import induction


class FakeEncoder:
    """Small whole numbers that float16 holds exactly: layer 0 knows the token, layers 1 and 2 its sentence and place too."""

    n_layers, dim = 3, 4

    def encode(self, sentences: list[list[str]]) -> list[np.ndarray]:
        return [np.stack([self.token(s, k) for k in range(len(s))], axis=1) if s else np.empty((3, 0, 4), np.float32) for s in sentences]

    def alone(self, sentences: list[list[str]], positions: list[int]) -> tuple[np.ndarray, None]:
        return np.stack([self.token(s, k) for s, k in zip(sentences, positions, strict=True)]), None

    def token(self, tokens: list[str], position: int) -> np.ndarray:
        keys = (tokens[position], *(f"{layer} {position} {' '.join(tokens)}" for layer in (1, 2)))
        return np.stack([np.random.default_rng(zlib.crc32(k.encode())).integers(-8, 9, 4) for k in keys]).astype(np.float32)


SENTENCES = [
    Sentence(("The", "bank", "lent", "money"), (Target(1, "bank", "bank.money", "bank"),)),
    Sentence(("the", "banks", "of", "the", "river"), (Target(1, "banks", "bank.river", "bank"), Target(4, "river", None, None))),
    Sentence(()),
    Sentence(("Bank", "of", "sand"), (Target(0, "Bank", "bank.river", "bank"),)),
    Sentence(("\ud55c\uad6d\uc5b4", "\U0001f600")),
]
TOKENS = [(n, k) for n, s in enumerate(SENTENCES) for k in range(len(s.tokens))]


@pytest.fixture
def table(tmp_path):
    return build_index(SENTENCES, FakeEncoder(), tmp_path / "index", model="fake")


def columns(table: OccurrenceTable) -> dict[str, np.ndarray]:
    codes = {name: getattr(table, name) for name in ("word", "sense", "lemma", "sentence", "position")}
    vectors = {"layers": np.concatenate(table.rows.layers), "means": np.concatenate(table.types.layers)}
    return codes | vectors | {"gram": table.rows.gram, "types": table.types.gram}


def test_every_token_is_a_row_in_reading_order(table):
    assert len(table) == 14
    assert list(zip(table.sentence.tolist(), table.position.tolist(), strict=True)) == TOKENS
    assert [table.words[code] for code in table.word] == [SENTENCES[n].tokens[k].casefold() for n, k in TOKENS]
    assert table.words == sorted(set(table.words)) and table.word_codes["river"] == table.words.index("river")


def test_labels_give_rows_their_senses_and_lemmas(table):
    assert table.occurrence(1) == Occurrence(1, "bank", ("The", "bank", "lent", "money"), 1, "bank.money", "bank")
    assert table.occurrence(0) == Occurrence(0, "the", ("The", "bank", "lent", "money"), 0, None, None)
    assert table.occurrence(8) == Occurrence(8, "river", ("the", "banks", "of", "the", "river"), 4, None, "river")  # its own lemma
    assert table.occurrence(9) == Occurrence(9, "bank", ("Bank", "of", "sand"), 0, "bank.river", "bank")
    assert table.labeled_rows().tolist() == [1, 5, 9] == table.labeled_rows("bank").tolist()
    assert table.labeled_rows("river").tolist() == table.labeled_rows("nothing").tolist() == []
    assert [table.lemma_of(word) for word in ("bank", "BANK", "money", "nothing")] == ["bank", "bank", None, None]
    assert table.senses_of("Bank") == ["bank.money", "bank.river"] and table.senses_of("money") == []
    assert table.senses == ["bank.money", "bank.river"] and table.lemmas == ["bank", "river"]


def test_measures_of_senses_count_a_repeated_sentence_once(table, tmp_path):
    capitals = [Sentence(tuple(map(str.upper, s.tokens)), s.targets) for s in SENTENCES]
    repeated = build_index([*SENTENCES, *capitals, *SENTENCES], FakeEncoder(), tmp_path / "repeated", model="fake")
    assert len(repeated.labeled_rows("bank")) == 9
    for t in (table, repeated):
        assert rows_to_measure(t, "bank").tolist() == words_of(t)["bank"].tolist() == some_rows(t, "bank")[0].tolist() == [1, 5, 9]
    assert word_ranking(repeated) == word_ranking(table)
    assert repeated.without_copies(np.array([14, 0, 2, 16])).tolist() == [14, 2]


def test_a_row_knows_the_part_of_speech_it_is_labeled_with(table, tmp_path):
    targets = (Target(0, "Tap", "hit", "tap", "verb"), Target(2, "tap", "device", "tap", "noun"))
    taps = build_index([Sentence(("Tap", "the", "tap"), targets), SENTENCES[1]], FakeEncoder(), tmp_path / "taps", model="fake")
    assert taps.pos_of(np.array([2, 1, 0, 4])).tolist() == ["noun", "", "verb", ""]
    assert set(table.pos_of(np.arange(len(table)))) == {""}  # none is labeled with one


def test_a_word_is_found_by_either_form_of_an_emoji_and_a_lemma_by_its_capital(tmp_path):
    heart, plain = "\u2764\ufe0f", "\u2764"
    texts = [Sentence(("I", heart, "it")), Sentence(("We", plain, "it")), Sentence(("die", "Häuser"), (Target(1, "", "house", "Haus"),))]
    table, mix = build_index(texts, FakeEncoder(), tmp_path / "index", model="fake"), (0.2, 0.3, 0.5)
    assert np.flatnonzero(table.spelled(heart)).tolist() == np.flatnonzero(table.spelled(plain)).tolist() == [1, 4]
    nearest = {k: [item.word for item in table.nearest_types(make_query(FakeEncoder(), texts[0].tokens, k), mix)] for k in (0, 1)}
    assert heart in nearest[0] and not {heart, plain} & {*nearest[1]}
    assert len(table.nearest_of_types(make_query(FakeEncoder(), texts[0].tokens, 0), nearest[0], mix)) == len(nearest[0])
    assert table.plain_codes[plain] == [table.word_codes[plain], table.word_codes[heart]]
    assert [table.lemma_of(word) for word in ("Haus", "H\u00e4user")] == ["Haus", "Haus"] and table.senses_of("Haus") == ["house"]
    assert induction.rows_of(table, "Haus").tolist() == [7]


def test_rows_of_a_known_table_are_copied_and_not_counted_in_the_progress(table, tmp_path, monkeypatch):
    more = [Sentence(("A", "river", "ran"), (Target(1, "river", "water", "river"),))] * 2
    monkeypatch.setattr(building.sense_space, "stored_substitutes", lambda table, rows: ())
    known_table = build_index(SENTENCES, FakeEncoder(), tmp_path / "known", model="fake", targets_only=True, more=more)
    calls, encoder = [], FakeEncoder()
    options = {"model": "fake", "more": more, "report": lambda *call: calls.append(call[:2])}
    encoder.alone = None  # nothing of `more` is encoded
    both = build_index(SENTENCES, encoder, tmp_path / "both", known_table=known_table, **options)
    assert calls == [(14, 14)] and len(both) == 16 and len(both.basic) == len(table) == 14
    np.testing.assert_array_equal(both.rows.take(np.array([14, 15])), known_table.rows.take(np.arange(len(known_table))[-2:]))
    calls.clear()
    build_index(SENTENCES, FakeEncoder(), tmp_path / "new", **options)
    assert calls[-1] == (20, 20)


def test_vectors_are_the_encoders_and_those_of_types_their_means(table):
    expected = np.stack([FakeEncoder().token(list(SENTENCES[n].tokens), k) for n, k in TOKENS])  # (N, L, D)
    np.testing.assert_array_equal(table.rows.take(np.arange(14)), expected)
    np.testing.assert_array_equal(table.rows.gram, gram(expected))

    assert table.rows.take(np.array([], int)).shape == (0, 3, 4)
    assert len(table.types) == len(table.words) == 10
    means = table.types.take(np.arange(10))
    for code in range(10):
        np.testing.assert_allclose(means[code], expected[table.word == code].mean(axis=0), atol=5e-3)  # float16 of small numbers
    np.testing.assert_array_equal(table.types.gram, gram(means))


def test_with_targets_only_the_labeled_tokens_alone_are_rows(tmp_path):
    table = build_index(SENTENCES, FakeEncoder(), tmp_path / "targets", model="fake", targets_only=True)
    rows = [(item.word, item.sense) for item in table.occurrences(range(4))]
    assert rows == [("bank", "bank.money"), ("banks", "bank.river"), ("river", None), ("bank", "bank.river")]
    assert table.occurrence(3).tokens == ("Bank", "of", "sand") and table.words == ["bank", "banks", "river"]
    labeled = [s for s in SENTENCES if s.targets]
    expected = [FakeEncoder().token(list(s.tokens), t.position) for s in labeled for t in s.targets]  # encoded in whole sentences
    np.testing.assert_array_equal(table.rows.take(np.arange(4)), np.stack(expected))
    assert table.meta["occurrences"] == 4 and table.meta["types"] == 3


@pytest.mark.parametrize(("rows", "tokens"), [(1, 1), (3, 1000), (1000, 5), (2, 7)])
def test_a_table_of_many_blocks_equals_one_of_one_block(table, tmp_path, monkeypatch, rows, tokens):
    monkeypatch.setattr(building, "ROWS_PER_BATCH", rows)
    monkeypatch.setattr(building, "TOKENS_PER_ROUND", tokens)
    many = build_index(SENTENCES, FakeEncoder(), tmp_path / "many", model="fake")
    assert len(many.rows.batches) > 1 == len(table.rows.batches)
    for name, column in columns(table).items():
        np.testing.assert_array_equal(columns(many)[name], column, err_msg=name)
    assert [many.occurrence(row) for row in range(14)] == [table.occurrence(row) for row in range(14)]
    np.testing.assert_array_equal(many.rows.take(np.array([13, 0, 7, 7, 2])), table.rows.take(np.array([13, 0, 7, 7, 2])))


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="only Linux reports a process's mapped pages")
def test_vectors_are_mapped_and_rows_that_are_let_go_count_as_memory_no_more_and_are_read_again(table, tmp_path):
    path, rows = tmp_path / "index" / "occurrences.arrow", table.rows
    assert not any(array.flags.owndata or array.flags.writeable for array in (*rows.layers, *rows.grams))
    before = rows.take(np.arange(len(rows)))
    assert _mapped_kb(path) > 0
    rows.release()
    assert _mapped_kb(path) == 0
    assert np.array_equal(rows.take(np.arange(len(rows))), before)
    allocated = pa.total_allocated_bytes()
    again = OccurrenceTable(tmp_path / "index")
    assert pa.total_allocated_bytes() - allocated < 16_384 and len(again) == 14  # codes and dictionaries at most


def _mapped_kb(path: Path) -> int:
    lines = iter(Path("/proc/self/smaps").read_text().splitlines())
    return sum(int(next(k for k in lines if k.startswith("Rss:")).split()[1]) for line in lines if line.endswith(str(path)))


def test_building_again_replaces_the_index_only_at_the_end_and_an_open_table_keeps_working(table, tmp_path, monkeypatch):
    with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
        patch.setattr(FakeEncoder, "encode", lambda self, sentences: 1 / 0)
        build_index(SENTENCES, FakeEncoder(), tmp_path / "index", model="fake")
    assert OccurrenceTable(tmp_path / "index").meta == table.meta
    assert [p.name for p in tmp_path.iterdir()] == ["index"]
    new = build_index(SENTENCES[:1], FakeEncoder(), tmp_path / "index", model="fake")
    assert len(new) == 4 and len(OccurrenceTable(tmp_path / "index")) == 4
    assert len(table) == 14 and table.rows.take(np.array([13])).shape == (1, 3, 4)  # still the old file, mapped


def test_parts_that_another_process_removed_are_not_missed(tmp_path, monkeypatch):
    def save(path: Path, save=np.savez, **arrays) -> None:
        shutil.rmtree(path.parent)
        save(path, **arrays)

    monkeypatch.setattr(np, "savez", save)
    assert len(build_index(SENTENCES, FakeEncoder(), tmp_path / "index", model="fake")) == 14


def test_nothing_to_index_and_a_folder_that_is_no_index_are_refused(tmp_path):
    for sentences, targets_only in (([], False), ([Sentence(())], False), ([Sentence(("a", "b"))], True)):
        with pytest.raises(BadInput, match="words to index"):
            build_index(sentences, FakeEncoder(), tmp_path / "index", model="fake", targets_only=targets_only)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(MissingArtifact, match=r"is not an index \(no meta\.json\)\. Run: python -m core index build"):
        OccurrenceTable(tmp_path)


@pytest.mark.parametrize("name", ["occurrences.arrow", "types.arrow", "sentences.arrow"])
@pytest.mark.parametrize("damage", ["missing", "empty", "half", "nearly whole", "noise", "another table"])
def test_a_damaged_file_of_an_index_is_named(table, tmp_path, name, damage):
    del table
    path = tmp_path / "index" / name
    data, other = path.read_bytes(), path.with_name("types.arrow" if name.startswith("s") else "sentences.arrow").read_bytes()
    path.unlink()
    damaged = {"empty": b"", "half": data[: len(data) // 2], "nearly whole": data[:-20], "noise": b"\x00\xff" * 500, "another table": other}
    if damage in damaged:
        path.write_bytes(damaged[damage])
    with pytest.raises(CorruptArtifact, match=rf"{name}.*Rebuild the index"):
        OccurrenceTable(tmp_path / "index")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        *(
            ({"format": 99}, "format 99, not 1"),
            ({"format": None}, "format None"),
            ({"dim": 5}, "Cannot read .* 3 layers of 5.*Rebuild the index"),
        ),
        *(({"layers": layers}, "meta.json") for layers in (None, "three")),
        *((text, "meta.json") for text in ("", "{", "[]", "null", '{"format": NaN}')),
    ],
)
def test_a_meta_that_does_not_fit_is_refused(table, tmp_path, change, message):
    if isinstance(change, dict):
        change = json.dumps({key: value for key, value in (table.meta | change).items() if value is not None})
    (tmp_path / "index" / "meta.json").write_text(change)
    with pytest.raises(CorruptArtifact, match=message):
        OccurrenceTable(tmp_path / "index")


def test_files_of_two_indexes_mixed_up_are_refused(table, tmp_path):
    build_index(SENTENCES[:1], FakeEncoder(), tmp_path / "smaller", model="fake")
    shutil.copy(tmp_path / "smaller" / "types.arrow", tmp_path / "index" / "types.arrow")
    with pytest.raises(CorruptArtifact, match=r"types\.arrow is from another index"):
        OccurrenceTable(tmp_path / "index")
