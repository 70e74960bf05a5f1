"""Makes the small index that is kept of the index format of today: `python -m tests.trust.format_sample FOLDER`.

It is built in FOLDER, which must not exist yet and is the path that the index remembers: choose one that says nothing
of your machine, such as /srv/sample. From there it goes to `tests/fixtures/index_formats`. Run it once, when a new
format is new: from then on it stands for the indexes that people have.
"""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.collection.profiles.profile import Profile
from engine.fields.definitions import FieldDefinition
from engine.index.reader import open_reader
from engine.index.sealed_file import FORMAT
from engine.indexing.build import BuildSettings, update_index
from tests.engine.small_index import answers_to

FORMATS = Path(__file__).parents[1] / "fixtures" / "index_formats"
PROFILE = Profile("own", inline=frozenset({"b"}), titles=frozenset({"title"}), attributes=frozenset({"lang"}))
PROFILE = replace(PROFILE, fields={"language": FieldDefinition("language", "text", ("p/@lang",))})
SOURCES = {
    "a.xml": '<article><title>The light-house</title><p lang="en">sea ti<b>de</b> lamp.</p><p>Sea fog</p></article>\n',
    "b/c.xml": f"<article><sec><title>Été</title><p>{'rock ' * 300}of the sea</p></sec><sec>Straße</sec></article>\n",
    "gone.xml": "<article><p>tide</p></article>\n",
}
QUERIES = ("sea tide", '"light house"', "rock -fog", "of", '//article[about(., sea)]//p[@lang = "en"]')
SETTINGS = {"similarity": "pcosine", "heuristic": "MpE", "max_answers": 100}


def answers(index: Path) -> dict[str, list[list[Any]]]:
    """Return document, path, score, start and end of every answer to every query."""
    opened = open_reader(index)
    return {
        query: [
            [answer.document, answer.path, answer.rsv, answer.start, answer.end]
            for answer in answers_to(opened, query, **SETTINGS)
        ]
        for query in QUERIES
    }


def main(folder: Path) -> None:
    target = FORMATS / f"format_{FORMAT}"
    source, index = folder / "source", folder / "index"
    for name, markup in SOURCES.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(markup, "utf-8")
    update_index(index, [str(source)], BuildSettings(profile=PROFILE))
    (source / "gone.xml").unlink()
    update_index(index, [str(source)])
    (index / "lock").unlink()
    shutil.copytree(index, target / "index")
    expected = {"answers": answers(index)}
    (target / "expected.json").write_text(f"{json.dumps(expected, ensure_ascii=False)}\n", "utf-8")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
