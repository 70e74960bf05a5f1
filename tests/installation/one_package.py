"""A program that uses all of an installed foxir, and fails where anything of it is not within the package `foxir`.

`python -P one_package.py [OWNER]`: with OWNER, packages `engine` and `eval` of somebody else's must be importable, with
that word as their attribute OWNER, before and after. It uses what names modules: worker processes, pickles, the process
that decodes images, Whoosh.
"""

from __future__ import annotations

import importlib
import multiprocessing
import pickle
import pkgutil
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import foxir

INNER = ("engine", "eval")
# Packages whose modules need a program or an extra, and those that start when they are imported.
OPTIONAL = ("foxir.adapters", "foxir.cluster", "foxir.service", "foxir.sample", "foxir.__main__")


def main(owner: str | None = None) -> None:
    """Use foxir; raise AssertionError where something is amiss."""
    check_names(owner)
    for name in sorted(modules()):
        importlib.import_module(name)
    same = foxir.engine.runs.Run  # type: ignore[attr-defined]  # a checkout has it elsewhere
    assert foxir.Run is same, (foxir.Run, same)
    assert len({module.__spec__.origin for module in ours()}) == len(ours()), "a file was imported under two names"
    with tempfile.TemporaryDirectory(prefix="foxir prüft ") as folder:
        use(Path(folder))
    check_names(owner)


def modules() -> Iterator[str]:
    """Yield the modules of the installed package that need no extra."""
    for found in pkgutil.walk_packages(foxir.__path__, "foxir."):
        if not found.name.startswith(OPTIONAL) and not found.name.endswith("._native"):
            yield found.name


def ours() -> list[object]:
    """Return the modules of foxir that are imported."""
    return [
        module
        for name, module in sys.modules.items()
        if name.partition(".")[0] in ("foxir", *INNER) and not hasattr(module, "OWNER")
    ]


def check_names(owner: str | None) -> None:
    """Check that `engine` and `eval` are somebody else's, or nobody's."""
    for name in INNER:
        if owner is None:
            assert find_spec(name) is None, f"{name} can be imported: {find_spec(name)}"
        else:
            assert owner == importlib.import_module(name).OWNER, name
    outside = [name for name in sys.modules if name.startswith(tuple(f"{inner}." for inner in INNER))]
    assert outside == []


def use(folder: Path) -> None:
    """Index, search, score and pickle, in this process and in others."""
    sample = foxir.sample_data.sample_folder()  # type: ignore[attr-defined]
    waiting = threading.Event()
    another = threading.Thread(target=waiting.wait)  # beside which workers are not forked
    another.start()
    try:
        for shards in (None, 2):
            made = foxir.build_index(sample / "collections", into=folder / f"{shards}", shards=shards, jobs=2)
            assert made.documents > 30, made
        with foxir.open_index(folder / f"{shards}") as index:
            assert not find_spec("PIL") or index.search(image=sample / "collections" / "images" / "buoy-1.png")
    finally:
        waiting.set()
        another.join()
    with foxir.open_index(folder / "None") as index, foxir.open_index(folder / "2") as shards_index:
        answers = index.search("fog signal", max_answers=5)
        assert [each.path for each in answers] == [
            each.path for each in shards_index.search("fog signal", max_answers=5)
        ]
        again = pickle.loads(pickle.dumps(answers))
        assert again == answers
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
            assert pool.submit(echo, answers).result() == answers
        runs = [index.run(sample / "topics" / "co", max_answers=n) for n in (10, 20)]
        for number, run in enumerate(runs):
            foxir.write_run(run, folder / f"{number}.xml")
        files = [folder / "0.xml", folder / "1.xml"]
        table = foxir.score(sample / "topics" / "qrels.txt", files, "hixeval:AP", index=index, jobs=2)
        assert len(table.rows) == 2, table
    (segment,) = (folder / "None" / "segments").iterdir()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of Python, about Whoosh
        from whoosh.index import open_dir  # noqa: PLC0415

        assert open_dir(str(segment / "articles")).doc_count() > 30


def echo(value: object) -> object:
    """Return a value, from another process."""
    check = [name for name in sys.modules if name.startswith(tuple(f"{inner}." for inner in INNER))]
    assert check == []
    return value


if __name__ == "__main__":
    main(*sys.argv[1:])
    print("one package:", foxir.__file__)
