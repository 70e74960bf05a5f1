"""Whatever is in a file: its reader takes it or refuses it with file and line, and raises nothing else.

The targets are in `tests/trust/fuzzers/targets.py`. By default their seeds are changed here and there at random; under
`make soak`, where atheris is installed, they are fuzzed by what the code does with them. Each find is in FOUND.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.errors import AssessmentError
from eval.judgements.formats.read import read_assessments
from tests.trust.fuzzers.targets import TARGETS, Target
from tests.trust.killed_writers import ROOT
from tests.trust.soak import SOAKING, effort

LONG = b"1" * 5000  # more digits than Python makes a number of
# A report whose list of notices is something else.
REPORT = (
    b'{"documents": 2, "elements": 10, "leaves": 6, "terms": 11, "read": 0, "dropped": 1, "bytes": 0, "seconds": 1.5, '
    b'"skipped": [], "notices": %b, "ignored": {}, "kept_entities": {}, "times": {}, "checksum": ""}'
)
FOUND = [
    (
        "topics",
        b'<!DOCTYPE t SYSTEM "t.dtd"><inex_topic topic_id="71"><title>sea<x:a/>&x; tide</title></inex_topic>',
    ),  # a prefix is undefined, which the parser overlooks where an entity is, too
    (
        "assessments",
        b"1001 Q0 10 300 1000 100 " + str(2**41).encode() + b":200\n",
    ),  # once no place on a line of all texts
    ("selection", LONG + b"-2\n1"),
    ("selection", b"1-3\n2\n" + LONG),
    ("assessments", b"1001 Q0 10 300 1000 100 " + b"9" * 30 + b":200\n"),
    ("assessments", b"1001 Q0 12 0 " + b"8" * 30 + b"\n"),
    ("assessments", b"1001 Q0 10 300 1000 100 1:2:3 4\n"),
    (
        "assessments",
        b"<assessments topic='1'><file file='a'><path path='/a' E='" + LONG + b"' S='1'/></file></assessments>",
    ),
    ("settings", b"limit = " + LONG),
    ("settings", b"x = " + b"[" * 100_000),
    ("grid", b"k1 = " + LONG),
    ("grid", b"k1 = " + b"[" * 100_000),
    ("options", b"max_text=" + LONG),
    ("options", b"P@" + LONG),
    ("options", b"gP[" + LONG + b"]"),
    ("assessments", b"assessments pool='7' topic='203' version='2'>\n"),  # once TREC qrels, without a line
    ("report", REPORT % b"9"),
    ("topics", b"<!-- <top> -->"),
    ("profile", b"inline = " + LONG),
    ("profile", b"inline = " + b"[" * 100_000),
    ("places", b"/article[" + LONG + b"]"),
    ("places", b"/article[1]/text()[" + LONG + b"].3"),
    ("places", b"/article[1]." + LONG),
    ("column", b"\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (12L,), }".ljust(127) + b"\n"),
]


@st.composite
def changed(draw: st.DrawFn, target: Target) -> bytes:
    """A seed with a few stretches of it left out, repeated, or replaced by a piece or by part of another seed."""
    data = bytearray(draw(st.sampled_from(target.seeds)))
    others = st.sampled_from(target.pieces or target.seeds) | st.binary(max_size=4) | st.sampled_from(target.seeds)
    for _ in range(draw(st.integers(0, 4))):
        begin = draw(st.integers(0, len(data)))
        end = min(len(data), begin + draw(st.sampled_from([0, 1, 3, 20, 200])))
        kind = draw(st.sampled_from(["cut", "again", "replaced", "replaced", "often"]))
        if kind == "replaced":
            data[begin:end] = draw(others)
        else:
            data[begin:end] = data[begin:end] * {"cut": 0, "again": 2, "often": 300}[kind]
    return bytes(data)


@pytest.mark.parametrize("name", TARGETS)
def test_seeds_are_taken(name: str, tmp_path: Path) -> None:
    for seed in TARGETS[name].seeds:
        TARGETS[name].feed(seed, tmp_path)


@pytest.mark.parametrize(("name", "data"), FOUND, ids=[f"{name}-{number}" for number, (name, _) in enumerate(FOUND)])
def test_inputs_that_once_failed_pass(name: str, data: bytes, tmp_path: Path) -> None:
    TARGETS[name].feed(data, tmp_path)


def test_a_form_feed_ends_no_line_and_three_numbers_are_no_passage(tmp_path: Path) -> None:
    (tmp_path / "judged").write_bytes(b"1 Q0 a 0 8\x0c\n1 Q0\n")
    with pytest.raises(AssessmentError, match=r"judged:2: found 2 fields"):
        read_assessments(tmp_path / "judged")
    (tmp_path / "judged").write_bytes(b"1 Q0 a 30 100 0 1:2:3 4\n")
    with pytest.raises(AssessmentError, match=r"judged:1: passage '1:2:3' is not"):
        read_assessments(tmp_path / "judged")


@pytest.mark.parametrize("name", TARGETS)
@settings(max_examples=effort(5, 5000, thorough=100), deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
@pytest.mark.long
def test_readers_raise_their_own_errors_only(name: str, data: st.DataObject, tmp_path: Path) -> None:
    TARGETS[name].feed(data.draw(changed(TARGETS[name])), tmp_path)


@pytest.mark.skipif(not SOAKING, reason="takes half an hour: FOXIR_SOAK=1")
@pytest.mark.parametrize("name", TARGETS)
def test_readers_stand_guided_fuzzing(name: str, tmp_path: Path) -> None:
    if not importlib.util.find_spec("atheris"):
        pytest.skip("atheris is not installed")
    # A program that is started counts the largest memory of its parent as its own, so a shell is between them.
    fuzzer = [sys.executable, "-m", "tests.trust.fuzzers.guided", name, "120", str(tmp_path)]
    command = ["sh", "-c", '"$@"; exit $?', "sh", *fuzzer]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)

    crashes = [path.read_bytes() for path in tmp_path.glob("*-*") if path.is_file()]
    assert result.returncode == 0, (crashes, result.stderr[-3000:].decode("utf-8", "replace"))
    assert b"Done" in result.stderr
