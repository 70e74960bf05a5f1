"""Load by wrk: a closed loop as fast as it goes, or requests at a rate, with times by status."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

# One connection a thread, so that the answer after a request is its own, and its time is that of its status.
LUA = """
local ffi = require("ffi")
ffi.cdef("typedef struct { long s; long ns; } moment; int clock_gettime(int, moment *);")
local now_at = ffi.new("moment")
local function now() ffi.C.clock_gettime(1, now_at) return tonumber(now_at.s) * 1e3 + tonumber(now_at.ns) / 1e6 end
local threads, number = {}, 0
function setup(thread) thread:set("first", number * 97) number = number + 1 threads[#threads + 1] = thread end
function init(args)
  paths, at, times, refused, failed, sent = {}, first, {}, {}, 0, 0
  period = tonumber(os.getenv("FOXIR_PERIOD"))
  for line in io.lines(os.getenv("FOXIR_PATHS")) do paths[#paths + 1] = line end
  math.randomseed(first + 1)
end
function delay() return period > 0 and math.random() * 2 * period or 0 end
function request() at = at + 1 sent = now() return wrk.format("GET", paths[at % #paths + 1]) end
function response(status)
  local took = now() - sent
  if status == 200 then times[#times + 1] = took elseif status == 503 then refused[#refused + 1] = took
  else failed = failed + 1 end
end
local function joined(name)
  local all = {}
  for _, thread in ipairs(threads) do
    for _, value in ipairs(thread:get(name)) do all[#all + 1] = string.format("%.3f", value) end
  end
  return "[" .. table.concat(all, ",") .. "]"
end
function done(summary)
  local failed, e = 0, summary.errors
  for _, thread in ipairs(threads) do failed = failed + thread:get("failed") end
  io.write(string.format('{"seconds": %f, "failed": %d, "times": %s, "refused": %s}\\n', summary.duration / 1e6,
    failed + e.connect + e.read + e.write + e.timeout, joined("times"), joined("refused")))
end
"""


class Load(NamedTuple):
    """What a load found: seconds, milliseconds of each served and of each refused request, and how many failed."""

    seconds: float
    times: Sequence[float]
    refused: Sequence[float]
    failed: int

    @property
    def rate(self) -> float:
        """Served requests a second."""
        return len(self.times) / self.seconds

    def percentile(self, share: float) -> float:
        """Return the time in milliseconds within which a share of the served requests were answered; 0 without any."""
        ordered = sorted(self.times)
        return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0


def load(port: int, paths: Sequence[str], *, seconds: int, connections: int, folder: Path, rate: float = 0.0) -> Load:
    """Return what wrk measures.

    Args:
        rate: requests a second of all connections together, at random times; 0 for as many as are answered.
    """
    (folder / "load.lua").write_text(LUA, "utf-8")
    (folder / "paths").write_text("\n".join(paths), "utf-8")
    count = str(connections)
    done = subprocess.run(
        [
            *("wrk", "-t", count, "-c", count, "-d", f"{seconds}s", "-s", "load.lua", "--timeout", "30s"),
            f"http://127.0.0.1:{port}/",
        ],
        cwd=folder,
        env={
            **os.environ,
            "FOXIR_PATHS": str(folder / "paths"),
            "FOXIR_PERIOD": f"{1000 * connections / rate if rate else 0:f}",
        },
        capture_output=True,
        text=True,
        check=True,
    )
    return Load(**json.loads(done.stdout.splitlines()[-1]))
