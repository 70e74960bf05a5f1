"""Tests know the product by its public names, and what they replace in it is listed here, with the reason."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.statements import statements

TESTS = Path(__file__).parent
PRODUCT = ("engine", "eval", "foxir")
FILES = sorted(TESTS.rglob("*.py"))
REPLACING = [path for path in FILES if any(word in path.read_text("utf-8") for word in ("setattr(", "patch"))]


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(module: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield the names that a module binds by imports, each with what it is, from its package on."""
    for node in statements(module):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield alias.asname or alias.name.partition(".")[0], alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def is_of_product(name: str) -> bool:
    return name.partition(".")[0] in PRODUCT


def private_imports(module: ast.Module) -> list[str]:
    """Return the private modules and names of the product that a module imports."""
    every = {name for _, name in imports(module) if is_of_product(name)}
    return sorted(name for name in every if any(part[0] == "_" and part[:2] != "__" for part in name.split(".")))


def replaced(module: ast.Module) -> Iterator[str]:
    """Yield what a module replaces in the product by `setattr`, `patch` or `patch.object`, from its package on."""
    known = dict(imports(module))
    for node in ast.walk(module):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if called not in ("setattr", "patch", "object"):
            continue
        first = node.args[0]
        written = ast.literal_eval(first) if isinstance(first, ast.Constant) else ast.unparse(first)
        if not isinstance(written, str):
            continue
        if isinstance(first, ast.Constant):
            target = written
        else:
            root, dot, rest = written.partition(".")
            target = f"{known.get(root, root) if root not in PRODUCT else root}{dot}{rest}"
            if len(node.args) > 1:
                target += "." + (ast.literal_eval(node.args[1]) if isinstance(node.args[1], ast.Constant) else "?")
        if is_of_product(target):
            yield target


def test_tests_import_no_private_name_of_the_product() -> None:
    found = [f"{path.relative_to(TESTS)}: {name}" for path in FILES for name in private_imports(tree(path))]
    assert found == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("from engine.index._x import y", ["engine.index._x.y"]),
        ("def f():\n    import eval._x", ["eval._x"]),
        ("from foxir.a import _b, c", ["foxir.a._b"]),
        ("from foxir import __version__\nfrom os import _exit", []),
    ],
)
def test_private_imports_are_found(source: str, expected: list[str]) -> None:
    assert private_imports(ast.parse(source)) == expected


# A border is reached by an input of megabytes, by thousands of connections, or in minutes, and a test lowers it.
BORDERS = {
    *("BATCH_BYTES", "LEAST_BATCH", "MEMORY_A_JOB", "WORTH_A_PROCESS", "BLOCK", "BLOCK_TEXT", "TOGETHER", "LONG"),
    *("AT_A_TIME", "AT_ONCE", "READ_AT_A_TIME", "FEATURES_AT_A_TIME", "IMAGES_AT_A_TIME", "LONGEST_DIRECTORY"),
    *("MOST_BYTES", "MOST_CACHED", "MOST_CELLS", "MOST_CONNECTIONS", "MOST_KNOWN", "MOST_PASSAGES", "MOST_RECENT"),
    *("LEAST", "MOST", "MOST_TOTALS", "MOST_WORDS", "OPENING_WORDS", "FEWEST", "HIGHEST_FREQUENCY", "least_taken"),
}
# A time is waited for in vain, and a test shortens it.
TIMES = {
    *("AGAIN_S", "BUSY", "CONNECT_S", "FIRST_PAUSE_S", "FRESH", "LONGEST_PAUSE_S", "MOST_SECONDS", "PATIENCE"),
    *("PENDING_S", "RECENT_S", "REFRESH_S", "REQUEST_S", "RETRIES_S", "head_seconds", "taking_seconds", "time"),
    "monotonic",
}
# A choice between two ways with the same answers is made by cost, and a test takes either.
CHOICES = {
    *("ANSWERS_OF_ONE", "FEWEST_ARTICLES", "FEWEST_LEAVES", "FEWEST_OF_A_SHARD", "FIRST_BY_SCORE", "GROWTH"),
    *("LEAST_FOCUS", "SELECTED_FROM", "SHORTEST_BITS", "STEP", "article_bounds", "can_prune", "first_size", "has"),
    "A_SEARCH",
}
# Another process or thread fails, is killed or comes first at this very point.
MOMENTS = {
    *("Caller.arrived", "Connection", "IngestReport.write", "Manifest.write", "RaySession.begin", "RemoteIndex._put"),
    *(
        *("RemoteIndex.fetch_segment", "RemoteIndex.newest", "Store.add", "Thread", "ThreadPoolExecutor", "commit"),
        *("clock_ns", "connection_lost", "contents"),
    ),
    *("connection_made", "fsync", "open_segments", "open_store", "process_batch", "publish_shards", "search"),
    *("search_snapshot", "serve", "set_back", "store_segments", "sync_folder", "update_index"),
    "wait_until_authenticated",
}
# A package, or another version of one, is not installed.
MISSING = {
    *("PANDAS", "VERSION", "available", "can_read_images", "description", "find_spec", "ImageReader"),
    "block_encoding.is_of_user",
}
# What is called is counted, or must not be called.
COUNTED = {
    *("Analyser.words", "Answers._keep", "ArticlePostings.of", "ImageFile.read", "ImageReader._start"),
    *("ImageReader.features", "IndexReader.postings", "block_encoding.encoder"),
    *("TextStore.text", "batch_at", "batch_runner", "count_sums", "known_slices", "refresh", "score_windows"),
    "live_files",
}
REPLACED = BORDERS | TIMES | CHOICES | MOMENTS | MISSING | COUNTED


@pytest.mark.long
def test_what_tests_replace_in_the_product_is_listed_with_its_reason() -> None:
    found = [
        f"{path.relative_to(TESTS)}: {target}"
        for path in REPLACING
        for target in replaced(tree(path))
        if target.rpartition(".")[2] not in REPLACED and ".".join(target.rsplit(".", 2)[-2:]) not in REPLACED
    ]
    assert found == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("import engine.a\nmonkeypatch.setattr(engine.a, 'B', 1)", ["engine.a.B"]),
        ("from engine import a as x\nwith patch.object(x.C, 'd'): pass", ["engine.a.C.d"]),
        ("patch('foxir.a.b', 1)\nmonkeypatch.setattr('eval.a.c', 2)", ["foxir.a.b", "eval.a.c"]),
        ("import os\nfrom tests import a\npatch.object(os, 'fsync')\npatch.object(a, 'b')", []),
    ],
)
def test_replacements_are_found(source: str, expected: list[str]) -> None:
    assert list(replaced(ast.parse(source))) == expected
