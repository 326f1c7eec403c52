"""Threads that read. The one that read last is asked first: it has the pages and the statements of it at hand.

The standard library's pool asks whichever has waited longest, and so each query meets a connection that has read
something else; over a large database that was measured at a quarter of a search.
"""

import asyncio
import contextlib
import queue
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar, cast

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Call:
    work: Callable[[], object]
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[object]"

    def answer(self, result: object, error: BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # nobody is there any more
            self.loop.call_soon_threadsafe(_answer, self.done, result, error)


def _answer(done: "asyncio.Future[object]", result: object, error: BaseException | None) -> None:
    if done.cancelled():
        return
    if error is None:
        done.set_result(result)
    else:
        done.set_exception(error)


class Readers:
    """At most so many threads, each begun when all others are busy."""

    def __init__(self, most: int, name: str) -> None:
        self._most = most
        self._name = name
        self._lock = threading.Lock()
        self._all: list[_Reader] = []
        self._resting: list[_Reader] = []
        self._waiting: deque[_Call] = deque()
        self._closed = False

    def run(self, work: Callable[[], T]) -> "asyncio.Future[T]":
        """Have it done in a thread; who gives up waiting does not stop it."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[object] = loop.create_future()
        call = _Call(work, loop, done)
        with self._lock:
            if self._closed:
                raise RuntimeError("These threads have ended.")
            if self._resting:
                self._resting.pop().inbox.put(call)
            elif len(self._all) < self._most:
                self._all.append(_Reader(self, f"{self._name}_{len(self._all)}", call))
            else:
                self._waiting.append(call)
        return cast("asyncio.Future[T]", done)

    def close(self) -> None:
        """Finish what waits, then end."""
        with self._lock:
            self._closed = True
        for reader in self._all:
            reader.inbox.put(None)
        for reader in self._all:
            reader.thread.join()

    def next_for(self, reader: "_Reader") -> _Call | None:
        """What waits longest, or rest. Asked before an answer is given: who was answered may ask on at once."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._resting.append(reader)
            return None


class _Reader:
    def __init__(self, readers: Readers, name: str, first: _Call) -> None:
        self._readers = readers
        self.inbox: queue.SimpleQueue[_Call | None] = queue.SimpleQueue()
        self.inbox.put(first)
        self.thread = threading.Thread(target=self._loop, name=name, daemon=True)
        self.thread.start()

    def _loop(self) -> None:
        while (call := self.inbox.get()) is not None:
            following: _Call | None = call
            while following is not None:
                following = self._do(following)

    def _do(self, call: _Call) -> _Call | None:
        result: object = None
        failure: BaseException | None = None
        try:
            result = call.work()
        except BaseException as error:  # noqa: BLE001  (it goes to whoever asked)
            failure = error
        following = self._readers.next_for(self)
        call.answer(result, failure)
        return following
