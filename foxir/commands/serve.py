"""`foxir serve`: pages and a JSON interface over an index, and judging; `foxir mcp`: its tools for language models."""

from __future__ import annotations

import sys
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from engine.errors import ArgumentError, how_to_install
from engine.semantic.encoders import Encoder, encoder
from engine.semantic.reranker import reranker
from engine.settings import Settings, read_settings
from foxir.terminal.command_class import FoxirCommand, WholeNumber, count_option, headed_option
from foxir.terminal.console import waiting
from foxir.terminal.exit_status import DONE
from foxir.terminal.options.options import FILE, INDEX_FOLDER, quiet_option

# Packages that the service needs, and the extra that installs each.
PACKAGES = dict.fromkeys(("httptools", "jinja2", "msgspec", "multipart", "starlette", "uvicorn"), "web")
NETWORK, SEARCH, JUDGING, LIMITS, CLUSTER = "Network", "Searches", "Judging", "Limits", "Cluster"


@click.command(name="serve", cls=FoxirCommand)
@click.argument("indexes", type=INDEX_FOLDER, nargs=-1, required=True, metavar="INDEX...")
@headed_option(NETWORK, "--host", default="127.0.0.1", help="Address to listen on.")
@headed_option(
    NETWORK,
    "--port",
    type=WholeNumber(0, 65535),
    default=8080,
    metavar="N",
    help="Port to listen on; 0: a free one, which is printed.",
)
@count_option(NETWORK, "--workers", default=1, help="Processes that answer requests.")
@headed_option(
    NETWORK, "--allow-host", "hosts", multiple=True, metavar="NAME", help="Host name of the service; repeatable."
)
@headed_option(
    NETWORK,
    "--root-path",
    default="",
    metavar="/PATH",
    help="Path below which a proxy shows the service; else what it says in X-Forwarded-Prefix.",
)
@headed_option(
    NETWORK,
    "--token-file",
    type=FILE,
    metavar="FILE",
    help="Users of the service, a line 'name token' each; needed if other machines can reach --host.",
)
@headed_option(
    SEARCH, "--settings", "settings_file", type=FILE, metavar="FILE", help="Settings that searches start from, in TOML."
)
@headed_option(
    JUDGING, "--judgements", type=FILE, metavar="DB", help="Database of judgements; made if it does not exist."
)
@headed_option(JUDGING, "--topic-file", type=FILE, metavar="FILE", help="Topics to judge, a file or a folder.")
@headed_option(
    JUDGING, "--pool", type=FILE, multiple=True, metavar="RUN", help="Run whose best results are judged; repeatable."
)
@count_option(
    JUDGING,
    "--pool-depth",
    default=20,
    help="Number of results pooled from each run; without --pool, of the best documents of a search.",
)
@headed_option(NETWORK, "--mcp", "with_mcp", is_flag=True, help="Also answer language models at /mcp (extra mcp).")
@headed_option(
    CLUSTER,
    "--ray",
    metavar="ADDRESS",
    help="Ray cluster that searches the shards (extra cluster): its address, auto, or local for one on this machine.",
)
@count_option(CLUSTER, "--replicas", default=1, help="Copies of each shard, so that one may fail.")
@headed_option(CLUSTER, "--partial", is_flag=True, help="Answer without shards that cannot be reached.")
@count_option(LIMITS, "--max-seconds", default=10, help="Maximum time for a request, in seconds.")
@count_option(LIMITS, "--max-running", default=2, help="Maximum number of simultaneous searches in each process.")
@count_option(
    LIMITS, "--max-waiting", default=12, help="Maximum number of waiting requests; further ones get status 503."
)
@count_option(
    LIMITS,
    "--max-wait",
    default=50,
    help="Maximum waiting time in an overload, in milliseconds; with its answer, a request may take twice as long.",
)
@headed_option("Output", "--log-queries", is_flag=True, help="Log queries as well.")
@quiet_option
def command(
    indexes: tuple[Path, ...], settings_file: Path | None, ray: str | None, max_wait: int, quiet: bool, **given: Any
) -> int:
    """Serve pages to search, read and judge, and a JSON interface.

    \b
    Examples:
      foxir serve demo.foxir
      foxir serve demo.foxir other.foxir --port 9000 --workers 2
      foxir serve demo.foxir --settings learned.toml
      foxir serve large.foxir --ray auto --replicas 2
      foxir serve demo.foxir --judgements judged.db --topic-file topics/co --pool runs/scored.xml
    Not made by 'foxir demo': other.foxir, learned.toml (of 'foxir tune'), large.foxir (of 'foxir index --shards').
    """
    needed = PACKAGES | ({"mcp": "mcp"} if given["with_mcp"] else {}) | ({"ray": "cluster"} if ray is not None else {})
    for package, extra in needed.items():
        if find_spec(package) is None:
            raise ArgumentError(f"the service needs {package}: {how_to_install(extra)}.")
    from engine.index.joined import name_of  # noqa: PLC0415
    from foxir.service.http.server import bind, serve  # noqa: PLC0415  (an extra, and slow to import)
    from foxir.service.indexes import filled_indexes  # noqa: PLC0415
    from foxir.service.options import ServiceOptions  # noqa: PLC0415

    settings = None if settings_file is None else read_settings(settings_file)
    options = ServiceOptions(indexes, settings=settings, ray=ray, max_wait=max_wait / 1000, quiet=quiet, **given)
    options.check()
    with waiting(f"Opening {', '.join(map(name_of, indexes))}", quiet=quiet) as end_waiting:
        filled = filled_indexes(indexes, _encoder_of(settings))
        for folder in indexes:
            if folder not in filled:
                click.echo(f"{folder}: the index is empty, and left out.", err=True)
        options = replace(options, indexes=tuple(filled))
        listening = bind(options.host, options.port)
        host = f"[{options.host}]" if ":" in options.host else options.host
        address = f"http://{host}:{listening.getsockname()[1]}/"

        def announce() -> None:
            end_waiting()
            if not quiet or options.port == 0:
                click.echo(f"foxir serves {address} (stop with Ctrl-C)")
                sys.stdout.flush()

        serve(options, listening, answering=announce)
    return DONE


def _encoder_of(settings: Settings | None) -> Encoder | None:
    """Return the encoder of settings whose functions must not fail, None without one; raises SettingsError."""
    if settings is None or settings.semantic_failures != "stop":
        return None
    if settings.reranker is not None:
        reranker(settings.reranker)
    return None if settings.semantic is None else encoder(settings.semantic)


@click.command(name="mcp", cls=FoxirCommand)
@click.argument("indexes", type=INDEX_FOLDER, nargs=-1, required=True, metavar="INDEX...")
@click.option(
    "--settings", "settings_file", type=FILE, metavar="FILE", help="Settings that searches start from, in TOML."
)
@click.option(
    "--tokenizer",
    default="",
    metavar="NAME",
    help="What counts tokens: a file tokenizer.json, an encoding of tiktoken, or module:function; else an estimate, "
    "of a token for 4 characters.",
)
def mcp_command(indexes: tuple[Path, ...], settings_file: Path | None, tokenizer: str) -> int:
    """Let a language model search and read indexes, over the Model Context Protocol on standard input and output.

    A program that speaks the protocol starts this command itself.

    \b
    Example:
      foxir mcp demo.foxir
    """
    try:
        from foxir.service.indexes import check_index  # noqa: PLC0415
        from foxir.service.mcp_server import serve_stdio  # noqa: PLC0415  (an extra, and slow to import)
        from foxir.service.options import ServiceOptions  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ArgumentError(f"this needs {error.name}: {how_to_install('mcp')}.") from None
    settings = None if settings_file is None else read_settings(settings_file)
    by = _encoder_of(settings)
    for folder in indexes if by is not None else ():
        check_index(folder, by)
    serve_stdio(ServiceOptions(indexes, settings=settings, tokenizer=tokenizer, quiet=True))
    return DONE
