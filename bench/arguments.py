"""Arguments of the benches that draw queries from sources and ask them in rounds."""

from __future__ import annotations

import argparse
from pathlib import Path


def query_parser(program: str, description: str, *, queries: int, repetitions: int) -> argparse.ArgumentParser:
    """Return a parser of --source, --queries, --repetitions and --seed, with defaults for two of them."""
    parser = argparse.ArgumentParser(prog=program, description=description)
    parser.add_argument(
        "--source", dest="sources", action="append", type=Path, default=[], metavar="PATH", help="folder or archive"
    )
    parser.add_argument("--queries", type=int, default=queries, help="queries that are drawn (%(default)s)")
    parser.add_argument("--repetitions", type=int, default=repetitions, help="rounds of all queries (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="draws the queries (%(default)s)")
    return parser


def parsed(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Return the arguments of this process; SystemExit where there would be nothing to ask."""
    given = parser.parse_args()
    if min(given.queries, given.repetitions) < 1:
        parser.error("queries and repetitions must be above 0")
    return given
