"""Counts and times of requests, as Prometheus reads them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping

PAGES = ("", "static", "judge", "read", "why", "evaluate", "status", "mcp", "image", "example-image")
OPERATIONS = (
    *("search", "read", "outline", "explain", "status", "example-image"),
    *("session", "topics", "judgements", "agreement", "scores"),
)
# Upper bounds of the histogram, in seconds.
BOUNDS = (0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


class Metrics:
    """Requests of one process, by kind of page and status."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: Counter[tuple[str, float]] = Counter()
        self._seconds: defaultdict[str, float] = defaultdict(float)

    def count(self, path: str, status: int, seconds: float) -> None:
        """Count a request; its kind is one of few, whatever the path."""
        kind = kind_of(path)
        self._requests[kind, status] += 1
        self._seconds[kind] += seconds
        for bound in BOUNDS:
            if seconds <= bound:
                self._buckets[kind, bound] += 1
                break

    def text(self, values: Mapping[str, tuple[str, str, float]]) -> str:
        """Return everything in the text format; values: name, with its labels -> (type, help, value)."""
        lines = ["# HELP foxir_requests_total Requests answered.", "# TYPE foxir_requests_total counter"]
        lines += [
            f'foxir_requests_total{{page="{kind}",status="{status}"}} {count}'
            for (kind, status), count in sorted(self._requests.items())
        ]
        lines += ["# HELP foxir_request_seconds Time of a request.", "# TYPE foxir_request_seconds histogram"]
        for kind in sorted({kind for kind, _ in self._requests}):
            total = 0
            for bound in BOUNDS:
                total += self._buckets[kind, bound]
                lines.append(f'foxir_request_seconds_bucket{{page="{kind}",le="{bound:g}"}} {total}')
            count = sum(number for (each, _), number in self._requests.items() if each == kind)
            lines.append(f'foxir_request_seconds_bucket{{page="{kind}",le="+Inf"}} {count}')
            lines.append(f'foxir_request_seconds_sum{{page="{kind}"}} {self._seconds[kind]:.6f}')
            lines.append(f'foxir_request_seconds_count{{page="{kind}"}} {count}')
        described: set[str] = set()
        for name, (kind, about, value) in values.items():
            metric = name.partition("{")[0]
            if metric not in described:
                lines += [f"# HELP {metric} {about}", f"# TYPE {metric} {kind}"]
                described.add(metric)
            lines.append(f"{name} {value:g}")
        return "\n".join([*lines, ""])


def kind_of(path: str) -> str:
    """Return the kind of a page: the first word of its path, "/" for the search page, "other" for unknown ones."""
    first, _, rest = path.removeprefix("/").partition("/")
    operation = rest.partition("/")[0]
    if first == "api":
        return f"/api/{operation}" if operation in OPERATIONS else "other"
    return f"/{first}" if first in PAGES else "other"
