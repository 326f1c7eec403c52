"""A PostgreSQL that a test may restart, and a way to it that can be cut."""

import asyncio
import contextlib
import os
import random
import signal
from collections.abc import Callable
from pathlib import Path

PAGE_BYTES = 8192


class Cable:
    """A way to PostgreSQL's socket that can be pulled: what is on it stays there, and nobody new gets through. Or torn: what is
    on it ends, and who comes is let in and dropped, as by a server that is falling over. Or stuck: what is on it stays there,
    and who comes gets through."""

    def __init__(self, socket: Path, folder: Path) -> None:
        self._socket = socket
        self.folder = folder
        self._open = asyncio.Event()
        self._open.set()
        self._stuck: list[asyncio.Event] = []
        self._is_torn = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._ends: list[asyncio.StreamWriter] = []
        self._server: asyncio.Server | None = None

    async def lay(self) -> None:
        self.folder.mkdir()
        self._server = await asyncio.start_unix_server(self._accept, self.folder / self._socket.name)

    def pull(self) -> None:
        self._open.clear()

    def stick(self) -> None:
        self._open.clear()
        self._stuck.append(self._open)
        self._open = asyncio.Event()
        self._open.set()

    def tear(self) -> None:
        self._is_torn = True
        for end in self._ends:
            end.close()

    def plug(self) -> None:
        self._is_torn = False
        for each in (*self._stuck, self._open):
            each.set()

    async def take_away(self) -> None:
        self.plug()
        assert self._server
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for end in self._ends:
            end.close()
        await asyncio.gather(*(end.wait_closed() for end in self._ends), return_exceptions=True)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.append(writer)
        with contextlib.suppress(OSError):
            if self._is_torn:
                await reader.read(65536)
                writer.close()
                return
            is_open = self._open
            await is_open.wait()
            there, back = await asyncio.open_unix_connection(self._socket)
            self._ends.append(back)
            for source, target in ((reader, back), (there, writer)):
                task = asyncio.create_task(self._carry(source, target, is_open))
                self._tasks.add(task)

    async def _carry(self, source: asyncio.StreamReader, target: asyncio.StreamWriter, is_open: asyncio.Event) -> None:
        try:
            while data := await source.read(65536):
                await is_open.wait()
                target.write(data)
                await target.drain()
        except OSError:
            pass
        finally:
            target.close()


class Postgresql:
    def __init__(self, server: object, folder: Path) -> None:
        self._server = server
        self.folder = folder

    @property
    def url(self) -> str:
        return self._server.get_uri()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownVariableType]

    @property
    def socket(self) -> Path:
        return Path(self.url.partition("?host=")[2]) / ".s.PGSQL.5432"

    def through(self, cable: Cable) -> str:
        """Its address behind a cable."""
        return self.url.partition("?host=")[0] + f"?host={cable.folder}"

    def restart(self, meanwhile: Callable[[], None] = lambda: None) -> None:
        """As a crash: every connection ends, then it comes up again."""
        self._server.stop()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]
        meanwhile()
        self._server.start()  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType]

    def stand_still(self) -> None:
        """Every process of it, as a machine that swaps or is paused: it takes connections and says nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in (first, *map(int, children)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    def scratch_over(self, file: str) -> None:
        """Overwrite a page in the middle of one of its files, as a failing disk would."""
        path = self.folder / "data" / file

        def scratch() -> None:
            page = path.stat().st_size // PAGE_BYTES // 2
            with path.open("r+b") as pages:
                pages.seek(page * PAGE_BYTES)
                pages.write(random.Random(file).randbytes(PAGE_BYTES))

        self.restart(scratch)
