"""A request is answered under the names of the service and under IP addresses, whole ones."""

from __future__ import annotations

import pytest

from foxir.service.http.guard import check_host
from foxir.service.http.problems import ProblemError

NAMES = {"localhost", "foxir.example.org"}


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "LOCALHOST:8080",
        "foxir.example.org",
        "127.0.0.1:80",
        "192.168.3.4",
        "[::1]",
        "[::1]:8080",
        "localhost:",
    ],
)
def test_own_names_and_addresses_pass(host: str) -> None:
    check_host([host], NAMES)


@pytest.mark.parametrize(
    "host",
    [
        *("evil.com", "[::1].evil.com", "[::1]evil.com:80", "[::1]:80.evil.com", "127.0.0.1.evil.com", "127.0.0.1]"),
        *("[localhost]", "[127.0.0.1", "localhost:80:80", "localhost:x", "a@localhost", "localhost/", "::1", "", " "),
        *("localhost\n", "[::1]\n", "１27.0.0.1", "localhost.", "[::1%25eth0]"),
    ],
)
def test_other_names_are_refused(host: str) -> None:
    with pytest.raises(ProblemError) as refused:
        check_host([host], NAMES)
    assert refused.value.status == 421


@pytest.mark.parametrize("given", [[], ["localhost", "localhost"]])
def test_one_host_is_expected(given: list[str]) -> None:
    with pytest.raises(ProblemError):
        check_host(given, NAMES)
