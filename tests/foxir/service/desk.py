"""A service with topics to judge, for tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from starlette.testclient import TestClient

import foxir
from tests.foxir.service.living import client

# Offsets that are easy to count; a table, inline tags, writing from right to left, signs of two units.
JUDGED: Mapping[str, str] = {
    "a": "<article><front/><body><p>One <italic>two</italic> three.</p><p>Four five six.</p></body></article>",
    "b": "<article><front/><body><p>Two \U0001f40b\U0001f3fd whales שלום עולם end.</p></body></article>",
    "c": "<article><front/><body><table><tr><td>two</td><td>cells</td></tr></table></body></article>",
}
TOPICS = """<inex_topics>
<inex_topic topic_id="1" query_type="CO"><title>two</title><description>Two &lt;b&gt;</description></inex_topic>
<inex_topic topic_id="2" query_type="CO"><title>whales</title></inex_topic>
</inex_topics>"""


def judged_index(folder: Path, documents: Mapping[str, str] = JUDGED) -> Path:
    """Write documents and topics below a folder, index the documents, and return the index."""
    source = folder / "source"
    source.mkdir(exist_ok=True)
    for document, markup in documents.items():
        (source / f"{document}.xml").write_text(markup, "utf-8")
    (folder / "topics.xml").write_text(TOPICS, "utf-8")
    foxir.build_index(source, into=folder / "judged.foxir")
    return folder / "judged.foxir"


def write_runs(folder: Path) -> tuple[Path, Path]:
    """Write two runs over the index in a folder."""
    with foxir.open_index(folder / "judged.foxir") as index:
        for name, settings in (("scored", {}), ("whole", {"approach": "fulltext"})):
            run = index.run(folder / "topics.xml", foxir.Settings.from_options(min_words=1, **settings), run_id=name)
            foxir.write_run(run, folder / f"{name}.xml")
    return folder / "scored.xml", folder / "whole.xml"


@contextmanager
def desk(folder: Path, name: str = "ana", **options: Any) -> Iterator[Assessor]:
    """Yield an assessor of a service over the index in a folder."""
    options = {"judgements": folder / "judged.db", "topic_file": folder / "topics.xml", **options}
    with client(folder / "judged.foxir", **options) as web:
        yield Assessor(web, name)


class Assessor:
    """Somebody who judges through the JSON interface."""

    def __init__(self, web: TestClient, name: str) -> None:
        self.web = web
        self.call(name)

    def call(self, name: str) -> Assessor:
        """Judge under another name."""
        self.web.cookies.clear()
        answer = self.web.post("/api/session", json={"name": name})
        assert answer.status_code == 200, answer.text
        self.token = answer.json()["form_token"]
        self.name = name
        return self

    def post(self, **body: Any) -> Any:
        """Send an action, whatever comes of it."""
        return self.web.post("/api/judgements", json=body, headers={"X-Form-Token": self.token})

    def act(self, document: str, kind: str, topic: str = "1", **body: Any) -> Any:
        """Carry out an action and return what is judged then."""
        answer = self.post(topic=topic, document=document, kind=kind, **body)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def state(self, document: str, topic: str = "1", **others: str) -> Any:
        """Return what is judged."""
        answer = self.web.get("/api/judgements", params={"topic": topic, "document": document, **others})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def export(self, form: str, assessor: str = "") -> bytes:
        """Return a file of judgements."""
        answer = self.web.get("/api/judgements/export", params={"format": form, "assessor": assessor or self.name})
        assert answer.status_code == 200, answer.text
        return bytes(answer.content)

    def take(self, content: bytes) -> Any:
        """Import a file of judgements."""
        return self.web.post("/api/judgements/import", content=content, headers={"X-Form-Token": self.token})


def spans(state: Any) -> list[tuple[int, int]]:
    """Return the highlights as pairs."""
    return [(each["start"], each["end"]) for each in state["highlights"]]
