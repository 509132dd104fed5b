"""Own corpora are known by names: no path of the machine, nothing that can be guessed, old paths still found."""

import pytest

from core.common.errors import MissingArtifact
from core.files import registry, user_names
from core.text.corpora import open_corpus
from core.text.own_corpus import Source, forget, is_own, keep_files, keep_text

TEXT = "The jam was sweet. The jam was long."


def test_an_own_corpus_opens_by_its_name_and_by_the_path_it_had():
    kept = keep_text(TEXT, "My letters")
    assert kept.name.startswith("My letters · ") and len(kept.name) == len("My letters · ") + user_names.DIGITS
    assert registry.resolve(kept.name, "corpus") == kept.path == registry.resolve(str(kept.path), "corpus")
    assert len(open_corpus(kept.name)) == 2
    assert user_names.corpus_name(kept.path) == kept.name and is_own(kept.name) and is_own(str(kept.path))


@pytest.mark.parametrize(
    ("document", "called"),
    [
        ("drafts/two/novel.txt", "novel.txt"),
        (r"C:\texts\novel.txt", "novel.txt"),
        ("/etc/", "corpus"),
        ("a\nb · c", "a b c"),
        ("x" * 90 + "-end.txt", "x" * 31 + "…-end.txt"),
        ("소설.txt", "소설.txt"),
        ("<b>.txt", "<b>.txt"),
    ],
)
def test_a_name_is_what_the_owner_calls_it_without_folders(tmp_path, document, called):
    (tmp_path / "a.txt").write_text(TEXT)
    kept = keep_files([Source(document, tmp_path / "a.txt")])
    assert kept.name.rsplit(" · ", 1)[0] == called
    assert registry.resolve(kept.name, "corpus") == kept.path


def test_a_list_shows_the_name_alone_unless_two_are_called_the_same(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT)
    first, second = keep_text(TEXT, "letters").name, keep_text(TEXT + " More.", "letters").name
    assert user_names.corpus_title(first, (first, "sentences")) == "letters"
    titles = {user_names.corpus_title(name, (first, second)) for name in (first, second)}
    assert titles == {f"letters · {name.rpartition(' ')[2][:4]}" for name in (first, second)} and len(titles) == 2
    assert user_names.corpus_title("elmo-mini · 2", (first,)) == "elmo-mini · 2"


def test_a_forgotten_corpus_is_named_in_a_sentence_and_others_stay():
    kept, other = keep_text(TEXT, "letters"), keep_text(TEXT + " More.", "letters")
    forget(kept.name)
    assert not is_own(kept.name) and is_own(other.name)
    with pytest.raises(MissingArtifact, match="“letters” is no longer here") as message:
        registry.resolve(kept.name, "corpus")
    assert str(kept.path.parent) not in str(message.value)


@pytest.mark.parametrize("name", ["", "sentences", "letters · 123", "letters · " + "0" * 17, "· x", "../" * 9 + "etc · passwd"])
def test_other_names_are_none_of_own_corpora(name):
    assert user_names.corpus_path(name) is None and not user_names.corpus_exists(name) and user_names.corpus_name(name) is None


def test_whether_a_file_is_there_is_not_told_where_paths_are_off(monkeypatch):
    monkeypatch.setenv("ELMOSCOPE_PATHS", "off")
    message = []
    for path in ("/etc/passwd", "/etc/no such file"):
        with pytest.raises(Exception, match="Paths are off") as error:
            registry.resolve(path, "corpus")
        message.append(str(error.value))
    assert message[0] == message[1]
