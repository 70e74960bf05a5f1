"""The import structure: no circle, and packages that import only what lies below them."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.statements import statements

ROOT = Path(__file__).parent.parent
PACKAGES = ("engine", "eval", "foxir")

# packages of the engine that eval may import, beside the modules directly in engine/, which import kernels at most
OF_ENGINE = ("engine.runs", "engine.topics", "engine.system")


def module_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}

# packages of the engine, each tier below those that may import it; those of one tier may import one another
TIERS = (
    *({"system"}, {"kernels"}, {"images"}, {"text"}, {"fields"}, {"columns"}, {"collection"}),
    *({"semantic"}, {"index"}, {"indexing"}),
    *({"shards"}, {"object_store"}, {"similarity"}, {"settings"}, {"query"}, {"topics"}, {"runs"}),
    {"presentation"},
    {"planning", "structure", "thesis", "ranking", "image_search", "sharded_search", "answers"},
    {"explain"},
)
LAYERS = {package: height for height, tier in enumerate(TIERS) for package in tier}

# the one module of kernels that others import
TABLE = "engine.kernels.table"

# modules directly in engine/
SHARED = {name for name, path in MODULES.items() if path.parent == ROOT / "engine" and path.name != "__init__.py"}


def imported(source: str, module: str, modules: Mapping[str, object], *, is_package: bool) -> Iterator[str]:
    """Yield the modules that a module imports: at its top, inside functions, and for type checkers."""
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = module.split(".")[: len(module.split(".")) - node.level + is_package] if node.level else []
            base = ".".join([*above, node.module] if node.module else above)
            for alias in node.names:
                yield f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base


def graph(sources: Mapping[str, tuple[str, bool]]) -> dict[str, set[str]]:
    """Return the imports of each module among the modules; a package does not count as importing its own modules."""
    return {
        module: {each for each in imported(source, module, sources, is_package=is_package) if each in sources}
        - {module}
        for module, (source, is_package) in sources.items()
    }


def circle(imports: Mapping[str, set[str]]) -> list[str]:
    """Return the modules of an import circle, in order, or an empty list."""
    done: set[str] = set()
    path: list[str] = []

    def visit(module: str) -> list[str]:
        if module in path:
            return [*path[path.index(module) :], module]
        if module in done:
            return []
        path.append(module)
        for each in sorted(imports[module]):
            if found := visit(each):
                return found
        path.pop()
        done.add(module)
        return []

    return next(filter(None, map(visit, sorted(imports))), [])


@cache
def tree() -> Mapping[str, set[str]]:
    return graph({name: (path.read_text("utf-8"), path.name == "__init__.py") for name, path in MODULES.items()})


def test_there_is_no_import_circle() -> None:
    assert " -> ".join(circle(tree())) == ""


@pytest.mark.parametrize(
    "of_a",
    [
        "from p.b import y",
        "import p.b",
        "from p import b",
        "from .b import y",
        "def f():\n    from p.b import y",
        "if TYPE_CHECKING:\n    from p.b import y",
    ],
)
def test_a_circle_is_found(of_a: str) -> None:
    sources = {"p": ("", True), "p.a": (of_a, False), "p.b": ("from p.c import z", False), "p.c": ("import p.a", False)}

    assert circle(graph(sources)) == ["p.a", "p.b", "p.c", "p.a"]
    assert circle(graph(sources | {"p.c": ("", False)})) == []


def is_below(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def test_packages_import_only_what_lies_below_them() -> None:
    forbidden = []
    for module, imports in tree().items():
        for each in sorted(imports):
            if is_below(module, ("engine",)):
                is_forbidden = is_below(each, ("eval", "foxir"))
            elif is_below(module, ("eval",)):
                is_forbidden = is_below(each, ("foxir",)) or (
                    is_below(each, ("engine",)) and not is_below(each, OF_ENGINE) and each not in SHARED
                )
            else:
                is_forbidden = False
            if is_forbidden:
                forbidden.append(f"{module} imports {each}")

    assert forbidden == []


def test_packages_of_the_engine_import_only_lower_ones() -> None:
    package_of = {module: module.split(".")[1] for module in tree() if is_below(module, ("engine",)) and "." in module}
    packages = {module: package for module, package in package_of.items() if f"engine.{package}" not in SHARED}
    forbidden = [
        f"{module} imports {each}"
        for module, package in packages.items()
        for each in sorted(tree()[module] & packages.keys())
        if LAYERS[packages[each]] > LAYERS[package]
    ]

    assert set(packages.values()) == LAYERS.keys()
    assert forbidden == []


def test_similarities_know_no_index() -> None:
    similarities = {module for module in tree() if is_below(module, ("engine.similarity",))}
    of_index = {each for module in similarities for each in tree()[module] if is_below(each, ("engine.index",))}

    assert similarities
    assert not of_index


def test_shared_modules_of_the_engine_import_only_kernels_and_the_system_beside_each_other() -> None:
    used = {each for module, imports in tree().items() if is_below(module, ("eval",)) for each in imports & SHARED}

    assert "engine.errors" in used
    assert not [
        f"{module} imports {each}"
        for module in used
        for each in tree()[module] - SHARED - {TABLE}
        if not is_below(each, ("engine.system",))
    ]


def test_nothing_but_the_table_of_kernels_asks_whether_there_are_any() -> None:
    users = {module: MODULES[module] for module in tree() if TABLE in tree()[module]}
    taken, other_uses = set(), []
    for module, path in users.items():
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        imports = [node for node in nodes if isinstance(node, ast.ImportFrom) and node.module == TABLE]
        taken |= {alias.asname or alias.name for node in imports for alias in node.names}
        called = {
            id(node.func.value) for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        }
        names = [node for node in nodes if isinstance(node, ast.Name) and node.id == "native"]
        other_uses += [f"{module}:{name.lineno}" for name in names if id(name) not in called]

    assert {module for module, imports in tree().items() if "engine.kernels" in imports} == {TABLE}
    assert taken == {"compiled", "limit_kernels", "native"}
    assert other_uses == []


def test_the_reader_imports_no_retrieval() -> None:
    imports, reached, left = tree(), set(), {"engine.index.reader"}
    while left:
        reached |= left
        left = set().union(*(imports[module] for module in left)) - reached

    assert not [module for module in reached if is_below(module, ("engine.ranking", "engine.similarity"))]


# what commands, service and adapters take from packages that search, explain, build and evaluate: types, words, limits
# and defaults; the words that a search looks for, and the scores of a document's elements, which the service shows; and
# what one of them alone does: files of expanded and of converted judgements, marks of significance, one batch of scores
# for ir_measures
FRONT_ENDS = ("foxir.commands", "foxir.terminal", "foxir.service", "foxir.adapters")
COMPOSED = (
    *("engine.answers", "engine.explain", "engine.image_search", "engine.indexing", "engine.object_store"),
    *("engine.planning", "engine.ranking", "engine.sharded_search", "engine.shards", "engine.thesis"),
    *("eval.conversion", "eval.simulation", "eval.scoring.batch", "eval.scoring.score", "eval.tuning.learn"),
    *("eval.tuning.tune", "eval.judgements.agreement", "eval.judgements.collection_check", "eval.judgements.pool"),
    *("eval.judgements.element_expansion", "eval.judgements.relevance_tables", "eval.statistics.measure_correlation"),
    *("eval.statistics.reliability", "eval.statistics.run_comparison"),
)
TAKEN = {
    *("engine.answers.document_scores", "engine.answers.topic_run"),
    *("engine.explain.element_explanation", "engine.planning.plan", "engine.image_search.example_images"),
    *("engine.indexing.build_settings", "engine.indexing.document_images"),
    *("engine.object_store.mirror", "engine.object_store.url", "engine.ranking.scoring.passages"),
    "engine.ranking.search",
    *("eval.conversion", "eval.judgements.agreement", "eval.judgements.element_expansion"),
    *("eval.judgements.relevance_tables.relevance", "eval.scoring.batch", "eval.simulation"),
    *("eval.statistics.measure_correlation", "eval.statistics.reliability", "eval.statistics.run_comparison"),
}


def test_front_ends_search_build_and_evaluate_through_the_public_api() -> None:
    taken = {
        (module, each)
        for module, imports in tree().items()
        if is_below(module, FRONT_ENDS)
        for each in imports
        if is_below(each, COMPOSED)
    }

    assert {each for _, each in taken} == TAKEN, sorted(taken)


# modules and names that Linux, macOS or Windows lacks; only these files use them
OF_ONE_SYSTEM = ("fcntl", "grp", "msvcrt", "pwd", "resource", "termios", "winreg")
NAMES_OF_ONE_SYSTEM = (
    *("O_NOFOLLOW", "O_DIRECTORY", "O_NONBLOCK", "O_CLOEXEC", "dir_fd", "src_dir_fd", "MADV_DONTNEED", "SIGKILL"),
    *("fork", "getuid", "uname", "fchmod", "sysconf", "eventfd", "poll", "pthread_sigmask", "register_at_fork"),
)
KNOW_SYSTEMS = (
    *("engine.system.platform", "engine.system.process", "engine.system.worker_processes", "engine.system.held_folder"),
    "engine.threads",
)


def test_only_the_room_of_the_system_knows_which_one_it_is() -> None:
    found = []
    for module, path in MODULES.items():
        source = path.read_text("utf-8")
        if not any(name in source for name in (*OF_ONE_SYSTEM, *NAMES_OF_ONE_SYSTEM, "sys.platform", "os.name")):
            continue
        used = set(imported(source, module, {}, is_package=path.name == "__init__.py")) & set(OF_ONE_SYSTEM)
        for node in ast.walk(ast.parse(source)):
            name = getattr(node, "attr", None) or getattr(node, "arg", None)
            used |= {name} & set(NAMES_OF_ONE_SYSTEM)
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                used |= {f"{node.value.id}.{node.attr}"} & {"sys.platform", "os.name"}
        found += [f"{module}: {each}" for each in sorted(used) if module not in KNOW_SYSTEMS]
    assert found == []
