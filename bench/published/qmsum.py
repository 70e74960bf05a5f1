"""QMSum: specific questions on meetings, with the runs of turns that are relevant; each is asked of its meeting."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from bench.published.conversion import Questions


def questions(folder: Path) -> Iterator[Questions]:
    """Yield the questions of each meeting of the test set, from a checkout of Yale-LILY/QMSum."""
    for path in sorted((folder / "data" / "ALL" / "test").glob("*.json")):
        meeting, found = json.loads(path.read_text("utf-8")), Questions()
        document, turns = found.document(path.stem, "meeting"), []
        for turn in meeting["meeting_transcripts"]:
            document.tag("<turn>")
            _, begin, _ = document.element("speaker", turn["speaker"])
            _, _, end = document.element("p", turn["content"])
            document.tag("</turn>")
            turns.append((begin, end))
        for asked in meeting["specific_query_list"]:
            spans = [(int(first), min(int(last), len(turns) - 1)) for first, last in asked["relevant_text_span"]]
            places = [(document.name, turns[first][0], turns[last][1]) for first, last in spans if first <= last]
            found.ask(asked["query"], places)
        yield found
