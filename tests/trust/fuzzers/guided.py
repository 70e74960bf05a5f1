"""Fuzzing that follows what the code does: `python -m tests.trust.fuzzers.guided TARGET SECONDS FOLDER`.

Needs atheris (extra `soak`), which instruments `engine` and `eval` and keeps the inputs that reach something new
in FOLDER/TARGET, so that the next time goes on from there. A find ends it with status 77 and a traceback; the input
then lies in FOLDER, as crash-..., and belongs into `tests/trust/test_fuzz_readers.py`.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["engine", "eval"], enable_loader_override=False):
    from tests.trust.fuzzers.targets import TARGETS


def _escaped(piece: bytes) -> str:
    return "".join(f"\\x{byte:02x}" for byte in piece)


def main(name: str, seconds: str, folder: Path) -> None:
    target = TARGETS[name]
    corpus = folder / name
    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(target.seeds):
        (corpus / f"seed-{number}").write_bytes(seed)
    pieces = "".join(f'"{_escaped(piece[:60])}"\n' for piece in target.pieces)
    (folder / f"{name}.pieces").write_text(pieces, "ascii")
    with tempfile.TemporaryDirectory() as work:
        options = [
            f"-max_total_time={seconds}",
            "-timeout=60",  # of one input
            "-rss_limit_mb=4000",
            f"-dict={folder / f'{name}.pieces'}",
            f"-artifact_prefix={folder}/",
            "-print_final_stats=1",
        ]
        atheris.Setup([sys.argv[0], *options, str(corpus)], lambda data: target.feed(data, Path(work)))
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
