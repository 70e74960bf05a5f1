"""Options of a service."""

from __future__ import annotations

import ipaddress
import re
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from engine.errors import ArgumentError
from engine.index.joined import name_of
from engine.settings import Settings
from engine.wording import shown_text

HOST = re.compile(r"[A-Za-z0-9_.-]+")
# Segments of a path that need no escapes, none of them empty, `.` or `..`; characters of it.
PREFIX, LONGEST_PREFIX = re.compile(r"(/(?!\.{1,2}(/|$))[A-Za-z0-9._~-]+)+"), 200


@dataclass(frozen=True)
class ServiceOptions:
    """Options of `foxir serve`; a value that other processes can be given.

    indexes: folders of indexes; judging takes exactly one.
    hosts: host names that requests may carry beside `localhost` and IP addresses.
    settings: what searches start from; a request may change all of them, but name no other encoder.
    token_file: file of lines `name token`; without it anybody who reaches the port may read and judge.
    judgements, topic_file, pool: database of judgements, topics to judge, runs whose best results are judged.
    pool_depth: results of each run that are judged; of the service's own ranking where there is no run.
    max_seconds: time of one request; max_running: searches at a time; max_waiting: requests that wait for their turn;
        max_wait: seconds that they wait for it in an overload; with the answer, twice as many.
    max_query: characters of a query; max_body: bytes of a request; max_transfer_seconds: time to send one.
    ray: address of a Ray cluster that answers searches; replicas: copies of each shard on it; partial: whether shards
        that do not answer are left out.
    refresh_seconds: how often the service looks for a new generation of an index.
    tokenizer: what counts the tokens of texts for language models, as `token_counter` names it; "" for an estimate.
    root_path: path below which a proxy shows the service.
    secret: signs cookies; the same in all processes of a service.
    """

    indexes: tuple[Path, ...]
    host: str = "127.0.0.1"
    port: int = 8080
    workers: int = 1
    hosts: tuple[str, ...] = ()
    settings: Settings | None = None
    token_file: Path | None = None
    judgements: Path | None = None
    topic_file: Path | None = None
    pool: tuple[Path, ...] = ()
    pool_depth: int = 20
    max_seconds: float = 10.0
    max_running: int = 2
    max_waiting: int = 12
    max_wait: float = 0.05
    max_query: int = 10_000
    max_body: int = 1 << 20
    max_transfer_seconds: float = 10.0
    refresh_seconds: float = 1.0
    with_mcp: bool = False
    tokenizer: str = ""
    ray: str | None = None
    replicas: int = 1
    partial: bool = False
    root_path: str = ""
    log_queries: bool = False
    quiet: bool = False
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)

    def check(self) -> None:
        """Raise ArgumentError for options that contradict one another or would leave the service open."""
        if not self.indexes:
            raise ArgumentError("no index given: expected the folder of one.")
        names = [name_of(folder) for folder in self.indexes]
        for name in names:
            if names.count(name) > 1:
                raise ArgumentError(f"two indexes are named {name!r} after their folders: rename one of the folders.")
        if self.ray is None and (self.replicas > 1 or self.partial):
            raise ArgumentError("--replicas and --partial are for a cluster: give its address with --ray, too.")
        if self.ray is not None and self.workers > 1:
            raise ArgumentError("a cluster is asked by one process: omit --workers.")
        if self.ray is not None and self.settings is not None and self.settings.orders_by_meaning:
            raise ArgumentError(
                "a cluster cannot order answers by meaning: leave semantic and reranker out of the settings, or omit "
                "--ray."
            )
        if not is_loopback(self.host) and self.token_file is None:
            raise ArgumentError(
                f"--host {self.host} can be reached from other machines: give --token-file FILE with a line 'name "
                "token' for each person, or stay on 127.0.0.1."
            )
        for name in self.hosts:
            if not HOST.fullmatch(name):
                raise ArgumentError(
                    f"--allow-host {shown_text(name)}: expected a host name alone, such as foxir.example.org."
                )
        self._check_root_path()
        if (self.judgements is None) != (self.topic_file is None):
            missing = "--judgements DB" if self.judgements is None else "--topic-file FILE"
            raise ArgumentError(f"judging needs a database and topics: {missing} is missing.")
        if self.judgements is not None and len(self.indexes) != 1:
            raise ArgumentError(f"judging takes one index, {len(self.indexes)} are given: name the one that is judged.")
        if self.pool and self.judgements is None:
            raise ArgumentError("--pool is for judging: give --judgements DB and --topic-file FILE, too.")

    def _check_root_path(self) -> None:
        if self.root_path and not is_prefix(self.root_path):
            raise ArgumentError(
                f"--root-path {shown_text(self.root_path)}: expected a path such as /docs, without a slash at its end."
            )


def is_prefix(path: str) -> bool:
    """Return whether a path may be before addresses: it begins with a slash, and ends with none."""
    return len(path) <= LONGEST_PREFIX and PREFIX.fullmatch(path) is not None


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
