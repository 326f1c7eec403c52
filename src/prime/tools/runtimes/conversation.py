"""One call of one started process: the request goes in, lines come out, within the tool's bounds (D-RUN-2)."""

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Final

from prime.core.errors import PrimeError, Unavailable
from prime.core.process import Outcome, Process
from prime.tools.runtimes.answer import Answer, NotAnAnswer, Transcript
from prime.tools.runtimes.faults import Faults
from prime.tools.runtimes.manifest import Manifest

# A new pipe takes this much without anybody reading.
_ONE_WRITE: Final = 32 * 1024
_SIGXCPU: Final = 24
# Each line is looked at, and a tool is not to keep Prime busy with them.
_MOST_LINES: Final = 20_000


class TooMuch(Exception):
    """It wrote more than it may."""


class Conversation:
    """With a process that has not been spoken to; its time begins now.

    `first` is a read that has begun already, on standby.
    """

    def __init__(self, process: Process, manifest: Manifest, first: Awaitable[bytes] | None = None) -> None:
        self.transcript = Transcript()
        self.bytes_out = 0
        self._process = process
        self._manifest = manifest
        self._faults = Faults(manifest.name, manifest.policy, lambda: self.bytes_out)
        self._first = first
        self._parts: list[bytes] = []
        self._deadline = asyncio.get_running_loop().time() + manifest.policy.timeout_ms / 1000

    async def whole(self, request: bytes) -> tuple[Answer, int]:
        """Ask, hear everything, wait for the end, and judge it: the answer and the exit code."""
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._ask(request, until_answer=False)
                outcome = await self._process.wait()
        except TimeoutError:
            raise self._faults.timeout(await self._ended(), self.transcript.log) from None
        except TooMuch:
            raise self._faults.too_much_output(await self._ended()) from None
        return self._judged(outcome), outcome.exit_code

    async def early(self, request: bytes) -> Answer | None:
        """Ask and come back with the answer as soon as its line is there; None when it did not come to that.

        What the process does afterwards is heard by `rest`.
        """
        try:
            async with asyncio.timeout_at(self._deadline):
                await self._ask(request, until_answer=True)
        except TimeoutError:
            raise self._faults.timeout(await self._ended(), self.transcript.log) from None
        except TooMuch:
            raise self._faults.too_much_output(await self._ended()) from None
        if self._parts or not self.transcript.answered or self.transcript.second or self.transcript.after:
            return None
        return self._meaning(b"")

    async def rest(self) -> tuple[Answer, int]:
        """After `early`: hear the rest and judge the whole."""
        return await self.whole(b"")

    async def _ask(self, request: bytes, *, until_answer: bool) -> None:
        feeding = None
        if len(request) > _ONE_WRITE:
            feeding = asyncio.create_task(self._feed(request))
        elif request:
            await self._feed(request)
        try:
            await self._hear(until_answer=until_answer)
        finally:
            if feeding is not None:
                feeding.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await feeding

    async def _feed(self, request: bytes) -> None:
        # Not to read its input is the program's right; what it answers is looked at all the same.
        with contextlib.suppress(Unavailable):
            await self._process.write(request)
        self._process.close_input()

    async def _hear(self, *, until_answer: bool) -> None:
        while chunk := await self._chunk():
            self.bytes_out += len(chunk)
            if self.bytes_out > self._manifest.policy.max_output_bytes:
                raise TooMuch
            self._take(chunk)
            if self.transcript.lines > _MOST_LINES:
                raise TooMuch
            if until_answer and self.transcript.answered:
                return
        if self._parts:
            self.transcript.line(b"".join(self._parts))
            self._parts.clear()

    async def _chunk(self) -> bytes:
        first, self._first = self._first, None
        return await (self._process.read() if first is None else first)

    def _take(self, chunk: bytes) -> None:
        if b"\n" not in chunk:  # a long line: joined once, at its end
            self._parts.append(chunk)
            return
        *lines, last = b"".join((*self._parts, chunk)).split(b"\n")
        for line in lines:
            self.transcript.line(line)
        self._parts = [last] if last else []

    async def _ended(self) -> bytes:
        """End everything; the last words of it."""
        self._process.kill()
        with contextlib.suppress(PrimeError):
            await self._process.wait()
        return self._process.stderr_tail

    def _judged(self, outcome: Outcome) -> Answer:
        said, faults, stderr = self.transcript, self._faults, outcome.stderr
        error = faults.stopped(outcome, said.log)
        if error is not None:
            raise error
        if outcome.signal == _SIGXCPU and self._manifest.policy.cpu_time_ms is not None:
            raise faults.cpu(outcome, said.log)
        if outcome.exit_code != 0:
            raise faults.exit(outcome, said.log)
        if not said.answered:
            if said.invalid_utf8:
                raise faults.invalid_utf8(stderr, said.log)
            raise faults.no_answer(stderr, said.log, said.almost)
        if said.second:
            raise faults.two_answers(stderr, said.log)
        if said.after:
            raise faults.garbage_after_answer(stderr, said.log)
        return self._meaning(stderr)

    def _meaning(self, stderr: bytes) -> Answer:
        try:
            return self.transcript.answer()
        except NotAnAnswer as error:
            raise self._faults.invalid_answer(str(error), stderr, self.transcript.log) from None
