"""LoCoMo: ten long dialogues in sessions, questions with the turns that are their evidence.

Each question is asked of its dialogue; those without an answer (category 5) are left out, as they have no evidence.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.published.conversion import Questions

UNANSWERABLE = 5


def questions(folder: Path) -> Iterator[Questions]:
    """Yield the questions of each dialogue, from a checkout of snap-research/locomo."""
    for number, talk in enumerate(_dialogues(folder)):
        found, said = Questions(), talk.get("conversation", talk)
        document, turns = found.document(f"dialogue-{number}", "dialogue"), {}
        document.element("title", f"{said['speaker_a']} and {said['speaker_b']}")
        for session in (name for name in said if re.fullmatch(r"session_\d+", name)):
            document.tag("<session>")
            document.element("title", said[f"{session}_date_time"])
            for turn in said[session]:
                words = turn.get("clean_text") or turn.get("text", "")
                shown = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
                turns[turn["dia_id"]] = document.element("p", f"{turn['speaker']}: {words}{shown}")
            document.tag("</session>")
        for asked in talk["qa"]:
            evidence = re.findall(r"D\d+:\d+", " ".join(map(str, asked.get("evidence", []))))
            if asked.get("category") != UNANSWERABLE and all(each in turns for each in evidence):
                found.ask(asked.get("question", ""), (turns[each] for each in evidence))
        yield found


def _dialogues(folder: Path) -> Iterator[dict[str, Any]]:
    data = folder / "data"
    if (data / "locomo10.json").exists():
        yield from json.loads((data / "locomo10.json").read_text("utf-8"))
        return
    with zipfile.ZipFile(data / "locomo10.zip") as archive:
        for name in sorted(each for each in archive.namelist() if each.endswith(".json")):
            yield json.loads(archive.read(name))
