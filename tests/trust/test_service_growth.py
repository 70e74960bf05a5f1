"""A service that is asked for long, while its index changes: nothing fails, and nothing grows."""

from __future__ import annotations

import http.client
import itertools
import json
import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from random import Random
from statistics import median
from typing import NamedTuple
from urllib.parse import urlencode

import pytest

import foxir
from foxir.service.options import ServiceOptions
from tests.engine.index.image_files import article, drawn, write_files
from tests.foxir.service.living import served
from tests.trust.soak import MINUTES, effort

GROWTH = 3 * 1024  # KiB that may lie between the medians of the second and the last third of a life
# Of a process: the event loop's, the one that looks for new generations, and those of searches (`max_running`),
# of which the second begins with the first search that takes long.
MOST_THREADS = 2 + ServiceOptions.max_running
LEAST_ROUNDS = effort(3, 30)
REQUESTS = effort(15, 60)  # of a round
N_DOCUMENTS = 12
N_CACHED, AT_A_TIME = 2**15, 800  # words whose stems a process caches, and of a query that fills the cache
WORDS = ("lamp", "lens", "tower", "fog", "tide", "buoy", "signal", "chart", "keeper", "storm")


class Resources(NamedTuple):
    """What a process has after a round; memory in KiB."""

    memory: int
    n_files: int
    n_threads: int


def resources(pid: int) -> Resources:
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text("ascii").splitlines()
    memory = next(int(line.split()[1]) for line in lines if line.startswith("Anonymous:"))
    return Resources(memory, len(os.listdir(f"/proc/{pid}/fd")), len(os.listdir(f"/proc/{pid}/task")))


def write_documents(folder: Path, seed: int) -> Path:
    """Write articles of random words about two images, one of which changes with the seed."""
    random = Random(seed)
    files: dict[str, str | bytes] = {"a.png": drawn(1), "b.png": drawn(2)}
    for number in range(N_DOCUMENTS):
        words = " ".join(random.choices(WORDS, k=40))
        files[f"d{number}.xml"] = article("a.png", "b.png", words=words)
    return write_files(folder, files)


def requests(random: Random) -> Iterator[tuple[str, str, bytes | None, int]]:
    """Yield method, address, body and the status that is expected, without end."""
    for number in itertools.count():
        words = " ".join(random.choices(WORDS, k=random.randint(1, 4))) + f" x{number}"
        document = f"d{random.randrange(N_DOCUMENTS)}"
        given = {
            "/api/search": {"q": words, "counts": "1"},
            "/": {"q": words},
            "/read": {"q": words, "document": document},
            "/api/outline": {"q": words, "document": document},
            "/api/explain": {"q": words, "document": document, "path": "/article[1]"},
            "/why": {"q": words, "document": document, "place": "0"},
            "/status": {},
            "/metrics": {},
        }
        path = random.choice(sorted(given))
        yield "GET", f"{path}?{urlencode(given[path])}", None, 200
        if number % 10 == 0:
            yield "GET", f"/?{urlencode({'q': '//p[about(., ', 'syntax': 'path'})}", None, 422
            yield "GET", f"/api/read?document=nowhere{number}", None, 404
            yield "GET", f"/api/search?{urlencode({'q': f'src:a.png {words}', 'blocks': '1'})}", None, 200
        if number % 100 == 0:
            yield "POST", "/api/example-image", drawn(3), 200
            yield "POST", "/api/example-image", b"no image", 422


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs /proc")
@pytest.mark.long
def test_a_service_that_is_asked_for_long_does_not_grow(tmp_path: Path) -> None:
    source, index, random = tmp_path / "source", tmp_path / "library.foxir", Random(1)
    foxir.build_index(write_documents(source, 0), into=index)
    asked, rounds = requests(random), list[Resources]()
    with served(index, "--max-seconds", "100", log=subprocess.DEVNULL) as (process, port):
        for first in range(0, effort(0, N_CACHED), AT_A_TIME):  # else it fills while the rounds are compared
            fill = urlencode({"q": " ".join(f"y{number}" for number in range(first, first + AT_A_TIME))})
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
                connection.request("GET", f"/api/search?{fill}")
                assert connection.getresponse().status == 200
        end = time.monotonic() + effort(0.0, MINUTES * 60)
        while len(rounds) < LEAST_ROUNDS or time.monotonic() < end:
            if len(rounds) % 3 == 2:
                foxir.build_index(write_documents(source, len(rounds)), into=index)
            with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
                for method, address, body, expected in itertools.islice(asked, REQUESTS):
                    connection.request(method, address, body)
                    answer = connection.getresponse()
                    content = answer.read()
                    assert answer.status == expected, (address, content)
            rounds.append(resources(process.pid))
        generation = generation_of(port)
    print(json.dumps(rounds))  # shown where the test fails, and with -s

    assert generation == 1 + len(rounds) // 3
    third = len(rounds) // 3
    middle, last = rounds[third : 2 * third], rounds[2 * third :]
    assert max(each.n_threads for each in rounds) <= MOST_THREADS
    assert max(each.n_files for each in last) <= max(each.n_files for each in middle) + 3
    grown = median(each.memory for each in last) - median(each.memory for each in middle)
    print(
        f"growth: {grown:+} KiB and {last[-1].n_files - middle[0].n_files:+} files in {third} of {len(rounds)} rounds"
    )
    assert grown < effort(20 * GROWTH, GROWTH), f"of {REQUESTS} requests each"


def generation_of(port: int) -> int:
    """Return the generation that a service has taken up, which it does within seconds."""
    deadline, found = time.monotonic() + 30, 0
    while time.monotonic() < deadline:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=120)) as connection:
            connection.request("GET", "/api/status")
            status = json.loads(connection.getresponse().read())["indexes"][0]
        found = int(status["generation"])
        if status["is_current"]:
            break
        time.sleep(0.1)
    return found
