"""What is refused at loads below and above what can be done, on a virtual clock."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from unittest.mock import patch

import pytest

from foxir.service.http.admission import SearchQueue
from foxir.service.http.problems import ProblemError
from foxir.service.options import ServiceOptions
from tests.foxir.service.virtual_time import Processor, VirtualLoop, run_virtually
from tests.trust.soak import effort, some

MEAN, MAX_WAIT, MAX_WAITING = 0.025, ServiceOptions.max_wait, ServiceOptions.max_waiting
# Rates in multiples of what can be done, by the second in which they begin.
Rates = Callable[[float], float]


class Load:
    """Requests for functions whose times are drawn at random, of `mean` seconds; for each, when it came and waited."""

    def __init__(self, loop: VirtualLoop, mean: float = MEAN) -> None:
        self.mean = mean
        self.loop = loop
        self.served: list[tuple[float, float]] = []  # when it came, seconds until it was answered
        self.refused: list[float] = []
        self._draw = random.Random(2)
        with patch("foxir.service.http.admission.ThreadPoolExecutor", Processor):
            self.work = SearchQueue(
                max_running=2, max_waiting=MAX_WAITING, max_seconds=10, max_wait=MAX_WAIT, clock=loop.time
            )

    async def ask(self) -> None:
        came = self.loop.time()
        seconds = self._draw.gammavariate(2, self.mean / 2)
        try:
            await self.work.run(lambda: seconds)
        except ProblemError:
            self.refused.append(came)
        else:
            self.served.append((came, self.loop.time() - came))

    async def at_random(self, rates: Rates, until: float) -> None:
        """Ask at random times, whether or not the requests before are answered."""
        async with asyncio.TaskGroup() as group:
            while self.loop.time() < until:
                await asyncio.sleep(self._draw.expovariate(rates(self.loop.time()) / self.mean))
                group.create_task(self.ask())

    async def by_clients(self, number: int, until: float) -> None:
        """Ask over several connections, on each as soon as the request before is answered or refused."""

        async def client() -> None:
            while self.loop.time() < until:
                await self.ask()
                await asyncio.sleep(0.001)

        await asyncio.gather(*(client() for _ in range(number)))

    def share_refused(self, after: float = 0.0) -> float:
        refused = sum(came >= after for came in self.refused)
        return refused / (refused + sum(came >= after for came, _ in self.served))

    def percentile(self, part: float, after: float) -> float:
        seconds = sorted(seconds for came, seconds in self.served if came >= after)
        return seconds[int(part * len(seconds))]


def load_at(rates: Rates, until: float, mean: float = MEAN) -> Load:
    async def scenario(loop: VirtualLoop) -> Load:
        load = Load(loop, mean)
        await load.at_random(rates, until)
        load.work.close()
        return load

    return run_virtually(scenario)


@pytest.mark.thorough
@pytest.mark.parametrize(("rate", "most"), some([(0.5, 0.0), (0.7, 0.0), (0.8, 0.02), (0.9, 0.07)], 2))
@pytest.mark.long
def test_a_steady_load_below_what_can_be_done_is_hardly_refused(rate: float, most: float) -> None:
    assert load_at(lambda _: rate, 200).share_refused() <= most


@pytest.mark.parametrize("number", [2, 8, MAX_WAITING + 1])
def test_clients_that_wait_for_their_answers_are_not_refused_as_long_as_they_fit_the_queue(number: int) -> None:
    async def scenario(loop: VirtualLoop) -> Load:
        load = Load(loop)
        await load.by_clients(number, 20)
        load.work.close()
        return load

    load = run_virtually(scenario)

    assert load.refused == []
    assert len(load.served) > 0.9 * 20 / MEAN


@pytest.mark.parametrize("rate", [2.0, 4.0])
@pytest.mark.long
def test_in_an_overload_what_is_served_is_quick_and_the_thread_is_busy(rate: float) -> None:
    load = load_at(lambda _: rate, 20)

    assert load.percentile(0.5, after=1) < MAX_WAIT
    assert load.percentile(0.99, after=1) < MAX_WAIT + 6 * MEAN
    assert len(load.served) > 0.9 * 20 / MEAN
    assert load.share_refused() > 1 - 1 / rate - 0.02


@pytest.mark.thorough
@pytest.mark.parametrize("mean", some([0.008, 0.012, 0.016, 0.02], 2))
@pytest.mark.long
def test_in_an_overload_answers_take_at_most_twice_the_wait_as_long_as_one_answer_does(mean: float) -> None:
    seconds = effort(15, 40, thorough=40)
    load = load_at(lambda _: 2.0, seconds, mean)

    assert load.percentile(0.99, after=1) < 2 * MAX_WAIT
    assert len(load.served) > 0.9 * seconds / mean


@pytest.mark.long
def test_an_overload_ends_soon_after_its_load() -> None:
    load = load_at(lambda now: 4.0 if now < 10 else 0.5, 30)

    assert load.share_refused() > 0.3
    assert load.share_refused(after=12) == 0.0
