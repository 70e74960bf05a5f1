from __future__ import annotations

import json
import math

import pytest

from engine.errors import SettingsError
from eval.tuning.journal import Journal, key

ABOUT = {"measure": "AP", "index": "generation 3"}
SCORES = [({"k1": 1.5, "b": 0.3}, "7", 0.1 + 0.2), ({"k3": math.inf, "match": "or"}, "8ä", None)]


@pytest.fixture
def kept(tmp_path):
    path = tmp_path / "j"
    with Journal(path, ABOUT) as journal:
        assert journal.is_empty
        journal.add(SCORES)
    return path


def test_what_was_written_is_there_to_the_last_digit(kept):
    with Journal(kept, ABOUT) as journal:
        assert journal.scores == {(key(point), topic): value for point, topic, value in SCORES}
        assert not journal.is_empty
    assert key({"b": 0.3, "k1": 1.5}) == key({"k1": 1.5, "b": 0.3})


def test_wherever_it_was_cut_off_whole_lines_stay_and_it_goes_on(kept, tmp_path):
    whole = kept.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == 10]
    for length in range(len(whole) + 1):
        path = tmp_path / f"cut-{length}"
        path.write_bytes(whole[:length])

        with Journal(path, ABOUT) as journal:
            n_lines = sum(end <= length for end in ends)
            assert len(journal.scores) == max(n_lines - 1, 0)
            journal.add([({"new": 1}, "9", 1.0)])

        with Journal(path, ABOUT) as journal:
            assert len(journal.scores) == max(n_lines - 1, 0) + 1
            assert journal.scores[key({"new": 1}), "9"] == 1.0


@pytest.mark.parametrize("about", [{**ABOUT, "measure": "RP"}, {"measure": "AP"}, {**ABOUT, "topics": "x"}])
def test_the_journal_of_another_tuning_is_refused_and_left_alone(about, kept):
    before = kept.read_bytes()
    (name,) = {name for name in {*about, *ABOUT} if about.get(name) != ABOUT.get(name)}

    with pytest.raises(SettingsError, match=rf"another tuning: its {name} is .* Remove it to start over"):
        Journal(kept, about)

    assert kept.read_bytes() == before


def test_of_other_settings_the_first_that_differs_is_named(tmp_path):
    one, other = ({"settings": json.dumps({"b": "0.75", "k1": k1, "x": k1})} for k1 in ("1", "2"))
    with Journal(tmp_path / "j", one):
        pass

    with pytest.raises(SettingsError, match=r"another tuning: its k1 is 1, found 2\. Remove it"):
        Journal(tmp_path / "j", other)


@pytest.mark.parametrize("content", [b"my notes", b"my notes\n", b"{}\n", b"[1]\n", b'{"foxir tune": 3}\n', b"\xff\n"])
def test_another_file_is_refused_and_left_alone(content, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)

    with pytest.raises(SettingsError, match=r"notes\.txt:1: not a line of a journal"):
        Journal(path, ABOUT)

    assert path.read_bytes() == content


@pytest.mark.parametrize("line", ["nonsense", "{}", "3", json.dumps({"settings": {}, "topic": "1"})])
def test_damage_is_reported_with_its_line(line, kept):
    with kept.open("a") as file:
        file.write(line + "\n")

    with pytest.raises(SettingsError, match="j:4: not a line of a journal"):
        Journal(kept, ABOUT)


def test_one_process_at_a_time(kept):
    with Journal(kept, ABOUT), pytest.raises(SettingsError, match="another process is tuning with this journal"):
        Journal(kept, ABOUT)
    with Journal(kept, ABOUT):
        pass


def test_an_unwritable_location_is_reported(tmp_path):
    with pytest.raises(SettingsError, match="cannot be written: there is no folder"):
        Journal(tmp_path / "none" / "j", ABOUT)


@pytest.mark.posix("Windows renames no folder in which a file is open")
def test_it_is_removed_where_it_was_opened_whatever_has_its_path_by_now(tmp_path):
    folder, own = tmp_path / "folder", tmp_path / "own"
    for each in (folder, own):
        each.mkdir()
    (own / "j").write_text("somebody's own")
    with Journal(folder / "j", ABOUT) as journal:
        folder.rename(tmp_path / "away")
        own.rename(folder)
        journal.remove()
        assert list((tmp_path / "away").iterdir()) == []

        (tmp_path / "away" / "j").write_text("another")
        journal.remove()

    assert (tmp_path / "away" / "j").read_text() == "another"
    assert (folder / "j").read_text() == "somebody's own"
