"""Small runs and judgements to evaluate, written as text."""

from __future__ import annotations

from pathlib import Path

QRELS = "1 Q0 a 30 100 0 0:30\n1 Q0 b 10 50 5 5:10\n1 Q0 c 0 70\n2 Q0 a 20 100 40 40:20\n"
GOOD = "1 Q0 a 1 9.0 mine 0 50\n1 Q0 b 2 8.0 mine 0 20\n2 Q0 a 1 9.0 mine 30 40\n"
GRADED = """<assessments topic="1">
<file file="a"><path path="/a[1]" exhaustiveness="3" specificity="3"/></file>
</assessments>"""


def text_run(folder: Path, content: str, name: str = "run.fol") -> Path:
    file = folder / name
    file.write_text(content)
    return file


def xml_run(folder: Path, results: str) -> Path:
    head = '<inex-submission participant-id="1" run-id="mine" task="" query="automatic">\n<topic topic-id="1">\n'
    return text_run(folder, f"{head}{results}\n</topic></inex-submission>", "run.xml")
