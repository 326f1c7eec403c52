"""A server that is a program: one JSON message to a line."""

import asyncio
import contextlib
import json
from collections.abc import Mapping
from pathlib import Path

from pydantic_core import to_json

from prime.core.errors import PrimeError, TooLarge, Unavailable
from prime.core.process import Command, Limits, Process, allowed_environment, find_executable, start
from prime.gateway.behind.rpc import Message, NotSent, read_messages

LONGEST_LINE = 10 * 1024 * 1024
# A program that talks to people on its standard output is not an MCP server, however patient one is.
_MOST_NOISE = 1000
_GRACE_S = 2.0
# What waits for a program that reads slowly. One that does not read at all is told nothing more.
_MOST_WAITING = 32 * 1024 * 1024


class StdioWire:
    def __init__(self, process: Process, name: str) -> None:
        self._process = process
        self._name = name
        self._noise = 0
        # Lines that the program has not taken yet, in their order, and the task that writes them.
        self._waiting = 0
        self._writing: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, name: str, argv: tuple[str, ...], *, env: Mapping[str, str], cwd: Path) -> "StdioWire":
        """Start the program; `Unavailable` or `NotFound` says why it cannot be."""
        environment = allowed_environment(extra=env)
        path = find_executable(_found(argv[0], cwd), environment)
        command = Command(
            argv=(path, *argv[1:]),
            cwd=str(cwd),
            env=environment,
            limits=Limits(wall_s=None, stdout_bytes=LONGEST_LINE, stderr_bytes=16 * 1024),
        )
        return cls(await start(command), name)

    @property
    def pid(self) -> int:
        return self._process.pid

    async def send(self, message: Message) -> None:
        line = _written(message) + b"\n"
        if self._waiting + len(line) > _MOST_WAITING:
            raise Unavailable(f"{self._name} does not read what it is told.", code="server_deaf")
        try:
            left = memoryview(line) if self._writing else self._process.write_now(line)
            if left:
                await self._wait_to_write(left)
        except Unavailable as error:
            # A line without its end is no message: whatever the program got of it, it did nothing.
            raise NotSent(f"{self._name} has ended.", code="server_gone") from error

    async def _wait_to_write(self, line: memoryview) -> None:
        """A line is written to its end before the next one begins, also when whoever sends it does not wait for that."""
        self._waiting += len(line)
        self._writing = writing = asyncio.create_task(self._write_behind(self._writing, line))
        writing.add_done_callback(self._wrote)
        await asyncio.shield(writing)

    async def _write_behind(self, ahead: "asyncio.Task[None] | None", line: memoryview) -> None:
        try:
            if ahead is not None:
                await asyncio.wait([ahead])
            await self._process.write(line)
        finally:
            self._waiting -= len(line)

    def _wrote(self, writing: "asyncio.Task[None]") -> None:
        if self._writing is writing:
            self._writing = None
        if not writing.cancelled():
            writing.exception()  # whoever still waits for it has it

    async def receive(self) -> list[Message] | None:
        while True:
            try:
                line = await self._process.readline()
            except TooLarge as error:
                raise Unavailable(
                    f"{self._name} sent a line of more than {LONGEST_LINE // 1024 // 1024} MiB.",
                    code="line_too_long",
                    hint="Ask it for less at once.",
                ) from error
            if not line:
                raise await self._gone()
            messages = self._read(line)
            if messages:
                return messages

    def _read(self, line: bytes) -> list[Message]:
        messages = read_messages(line)
        if not messages and line.strip():
            self._noise += 1
            if self._noise > _MOST_NOISE:
                raise Unavailable(f"{self._name} writes text that is no MCP message.", code="not_mcp")
        return messages

    async def _gone(self) -> PrimeError:
        said = ""
        with contextlib.suppress(PrimeError, TimeoutError):
            async with asyncio.timeout(_GRACE_S):
                outcome = await self._process.wait()
                said = f" with exit code {outcome.exit_code}"
        tail = self._process.stderr_tail[-600:].decode(errors="replace").strip()
        return Unavailable(
            f"{self._name} ended{said}.{f' It said: {tail}' if tail else ''}",
            code="server_gone",
            hint="Nothing else was lost; it is started again.",
        )

    async def close(self, *, at_once: bool = False) -> None:
        """As the protocol has it: no more input, then a request to end, then the end."""
        self._process.close_input()
        if at_once:
            self._process.kill()
        for ask in (self._process.terminate, self._process.kill):
            with contextlib.suppress(TimeoutError, PrimeError):
                async with asyncio.timeout(_GRACE_S):
                    await self._process.wait()
                return
            ask()
        with contextlib.suppress(PrimeError):
            await self._process.wait()


def _written(message: Message) -> bytes:
    try:
        return to_json(message)
    except ValueError:  # half characters, which only the slow way can spell
        return json.dumps(message, separators=(",", ":")).encode()


def _found(command: str, cwd: Path) -> str:
    """A command with a path is looked for from the server's folder, and from home, where the seed's example has it."""
    if "/" not in command or command.startswith("/"):
        return command
    if command.startswith("~"):
        return str(Path(command).expanduser())
    for base in (cwd, Path.home()):
        if (base / command).exists():
            return str(base / command)
    return str(cwd / command)
