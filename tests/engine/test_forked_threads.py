"""A process that is forked while other threads search finds no lock of theirs."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sys
import threading
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from engine.columns.cache import SizedCache
from engine.semantic.encoders import Encoder
from engine.threads import Lock, cached_property
from tests.engine.small_index import index_of, unchecked_answers
from tests.trust.soak import effort

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning"),
    pytest.mark.posix("Windows has no fork"),
]


def status_of_fork(call: Callable[[], object]) -> int:
    """Return the exit status of a forked process that makes a call, negative where it is ended after some seconds."""
    child = os.fork()
    if not child:
        signal.alarm(20)
        try:
            call()
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


class Slow:
    """A value that is computed once, when it is let go on."""

    def __init__(self) -> None:
        self.begun, self.go_on = threading.Event(), threading.Event()

    @cached_property
    def value(self) -> int:
        self.begun.set()
        self.go_on.wait(10)
        return 1


def test_a_value_that_another_thread_computes_is_computed_in_the_child() -> None:
    slow = Slow()
    thread = threading.Thread(target=lambda: slow.value)
    thread.start()
    assert slow.begun.wait(10)

    def read() -> None:
        slow.go_on.set()
        assert slow.value == 1

    assert status_of_fork(read) == 0
    slow.go_on.set()
    thread.join()


def test_a_lock_that_another_thread_holds_is_free_in_the_child() -> None:
    lock, cache, held = Lock(), SizedCache[str, str](len), threading.Event()
    done = threading.Event()

    def hold() -> None:
        with lock.own:
            held.set()
            done.wait(20)

    thread = threading.Thread(target=hold)
    thread.start()
    assert held.wait(10)

    def use() -> None:
        with lock.own:
            cache.add([("b", "y")])
        assert cache.find("b") == "y"

    assert status_of_fork(use) == 0
    done.set()
    thread.join()


def test_a_lock_held_where_a_process_is_forked_is_given_back_in_both() -> None:
    lock = Lock()

    def fork() -> int:
        with lock.own:
            return os.fork()

    if not (child := fork()):
        os._exit(int(lock.own.locked()))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not lock.own.locked()


def test_an_interrupt_leaves_no_lock_behind() -> None:
    class Interrupted(BaseException):
        pass

    def interrupt(*_: object) -> None:
        raise Interrupted

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        for _ in range(100):
            lock = Lock()
            with contextlib.suppress(Interrupted):
                signal.setitimer(signal.ITIMER_REAL, 0.001)
                while True:
                    with lock.own:
                        pass
            assert not lock.own.locked()
    finally:
        signal.signal(signal.SIGALRM, before)


def test_an_encoder_that_another_thread_uses_is_free_in_the_child() -> None:
    begun, go_on = threading.Event(), threading.Event()

    def encode(texts: list[str]) -> list[list[float]]:
        begun.set()
        go_on.wait(10)
        return [[1.0]] * len(texts)

    slow = Encoder("slow", encode)
    thread = threading.Thread(target=slow.unit_vectors, args=(["fog"], lambda: None))
    thread.start()
    assert begun.wait(10)

    def use() -> None:
        go_on.set()
        slow.unit_vectors(["tide"], lambda: None)

    assert status_of_fork(use) == 0
    go_on.set()
    thread.join()


def test_a_module_that_another_thread_imports_is_whole_in_the_child(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "slowly_made.py").write_text("import time\ntime.sleep(0.2)\nvalue = 1\n")
    thread = threading.Thread(target=import_module, args=("slowly_made",))
    thread.start()
    while "slowly_made" not in sys.modules:
        time.sleep(0.001)

    def use() -> None:
        assert import_module("slowly_made").value == 1

    before = sys.getswitchinterval()
    assert status_of_fork(use) == 0
    assert sys.getswitchinterval() == before
    thread.join()


@pytest.mark.long
def test_a_child_answers_as_its_parent_while_threads_search(tmp_path: Path) -> None:
    documents = {f"d{number}": f"<a><p>sea w{number} tide</p><p>fog w{number + 1}</p></a>" for number in range(30)}
    with index_of(tmp_path, documents) as index:
        over = threading.Event()

        def search(seed: int) -> None:
            chosen = random.Random(seed)
            while not over.is_set():
                unchecked_answers(index, f"w{chosen.randrange(30)} w{chosen.randrange(30)} fog")

        threads = [threading.Thread(target=search, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        try:
            statuses = {status_of_fork(lambda: unchecked_answers(index, "sea fog w3")) for _ in range(effort(4, 200))}
        finally:
            over.set()
            for thread in threads:
                thread.join()
    assert statuses == {0}
