"""Test that names of user files show no path of the machine, cannot be guessed, and that old paths still open."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.classify.tables import read_table
from core.common.errors import BadInput, MissingArtifact
from core.files import registry, user_names
from core.files.user_names import MAX_BYTES, MAX_CHARACTERS, clean_name, restore_names, store
from core.text.corpora import open_corpus
from core.text.own_corpus import Source, forget, is_own, keep_files, keep_text

TEXT = "The jam was sweet. The jam was long."


@pytest.mark.parametrize(
    ("document", "called"),
    [
        *(("drafts/two/novel.txt", "novel.txt"), (r"C:\texts\novel.txt", "novel.txt"), ("/etc/", "corpus"), ("a\nb · c", "a b c")),
        *(("x" * 90 + "-end.txt", "x" * 31 + "…-end.txt"), ("소설.txt", "소설.txt"), ("<b>.txt", "<b>.txt")),
    ],
)
def test_a_name_is_what_the_owner_calls_it_without_folders(tmp_path, document, called):
    (tmp_path / "a.txt").write_text(TEXT)
    kept = keep_files([Source(document, tmp_path / "a.txt")])
    name, digits = kept.name.rsplit(" · ", 1)
    assert name == called and len(digits) == user_names.DIGITS and user_names.corpus_name(kept.path) == kept.name
    assert registry.resolve(kept.name, "corpus") == kept.path == registry.resolve(str(kept.path), "corpus")
    assert len(open_corpus(kept.name)) == 2 and is_own(kept.name) and is_own(str(kept.path))


def test_a_list_shows_four_digits_where_two_are_called_the_same_and_a_forgotten_one_is_named():
    kept, other = keep_text(TEXT, "letters"), keep_text(TEXT + " More.", "letters")
    titles = [user_names.corpus_title(name, (kept.name, other.name)) for name in (kept.name, other.name, "elmo-mini · 2")]
    assert titles == [*(f"letters · {each.name.rpartition(' ')[2][:4]}" for each in (kept, other)), "elmo-mini · 2"]
    forget(kept.name)
    assert not is_own(kept.name) and is_own(other.name)
    with pytest.raises(MissingArtifact, match="“letters” is no longer here") as message:
        registry.resolve(kept.name, "corpus")
    assert str(kept.path.parent) not in str(message.value)


@pytest.mark.parametrize("name", ["", "sentences", "letters · 123", "letters · " + "0" * 17, "· x", "../" * 9 + "etc · passwd"])
def test_other_names_are_none_of_own_corpora(name):
    assert user_names.corpus_path(name) is None and not user_names.corpus_exists(name) and user_names.corpus_name(name) is None


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        *(("/etc/passwd", "passwd"), ("..\\x.csv", "x.csv"), ("C:\\Users\\me\\x.csv", "x.csv"), ("a\0b:c.csv", "a_b_c.csv")),
        *(("rows\n\tof mine.csv", "rows of mine.csv"), ("a\u2028b.csv", "a b.csv"), ("xls\u202evsc.exe", "xlsvsc.exe")),
        *(("\u2066a\u2069\u200f.csv", "a.csv"), ("half\ud800.csv", "half.csv"), ("rows.csv. . ", "rows.csv")),
        *(("NUL", "_NUL"), ("con.csv", "_con.csv"), ("Com1 .txt", "_Com1 .txt"), ("LPT².log", "_LPT².log"), ("CONIN$", "_CONIN$")),
        *((name, name) for name in ("console.csv", "-rf.csv", "می\u200cخواهم.txt", "메일 (1).csv")),
        *((name, "file") for name in ("..", ".", "", "a/..", "a\\..", "/", "...", " . ", "\u202e", "\ud800", "\u200e.", "a/ ")),
    ],
)
def test_clean_name_removes_only_unsafe_characters_or_returns_file(name, shown):
    assert clean_name(name) == shown


@pytest.mark.parametrize("letter", ["a", "눈", "😀", "e\u0301"])
def test_long_name_keeps_its_suffix_and_fits_a_file_system(letter):
    name = clean_name(letter * 400 + ".csv")
    assert name.endswith(".csv") and len(name) <= MAX_CHARACTERS and len(name.encode()) <= MAX_BYTES + 1


@given(st.text(max_size=200))
def test_clean_name_has_no_separators_or_hidden_characters(name):
    shown = clean_name(name)
    assert shown and shown.strip(". ") and not set(shown) & set('/\\:*?"<>|')
    assert all(unicodedata.category(sign) not in ("Cc", "Cs", "Zl", "Zp") for sign in shown)
    assert clean_name(shown) == shown or len(shown) >= MAX_CHARACTERS - 1


@pytest.mark.parametrize(
    "name", ["../x.csv", "/etc/x.csv", "..", "a/../../x.csv", "..\\x.csv", "\0.csv", "con.csv", "-rf.csv", "~/x.csv", "x.csv/..", "a" * 999]
)
def test_file_is_stored_under_random_digits(name, tmp_path):
    (tmp_path / "secret.csv").write_text("secret", newline="\n")
    first, second = (store(name, content, tmp_path / "here") for content in (b"1", b"2"))
    assert first.path != second.path and {first.path.parent, second.path.parent} == {tmp_path / "here"}
    assert first.path.stem.isalnum() and len(first.path.stem) == user_names.DIGITS and first.path.suffix in ("", ".csv")
    assert (first.path.read_bytes(), second.path.read_bytes()) == (b"1", b"2") and first.name == second.name == clean_name(name)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        *(("my rows.CSV", b"text\none\n", "my rows.CSV"), ("rows.csv.gz", b"no gzip", "rows.csv.gz is incomplete")),
        *(("rows.unheard", b"x", "rows.unheard: save it as"), ("rows.csv", b"%PDF-1.4", "Rename it rows.pdf")),
    ],
)
def test_error_has_the_owners_name_of_the_file(name, content, message, tmp_path):
    file = store(name, content, tmp_path)
    with pytest.raises(BadInput) as raised:
        read_table(file.path)
    shown = restore_names(str(raised.value))
    assert message in shown and file.path.stem not in shown
    assert restore_names("letters.txt · 8c1f8c1f8c1f8c1f") == "letters.txt · 8c1f8c1f8c1f8c1f"  # digits of no stored file
