"""A person at a terminal: lines that can be edited and called back, and news above the line being written."""

import asyncio
import importlib
import shutil
import sys
import threading
from collections.abc import AsyncGenerator, Generator
from contextlib import contextmanager, suppress

import click

from prime.cli.output import columns
from prime.cli.screen import steer

YOU = "you  "
BOLD, NORMAL, CLEAR = "\x1b[1m", "\x1b[0m", "\r\x1b[J"
# Tells readline which characters take no room.
UNSEEN = "\x01{}\x02"


class Terminal:
    def __init__(self, *, colour: bool) -> None:
        self._colour = colour
        self._writing = False

    async def lines(self) -> AsyncGenerator[str]:
        """What the person writes, until they end it with Ctrl-D."""
        while (line := await self._line()) is not None:
            yield line

    def show(self, text: str) -> None:
        """Print above the line that is being written; that line stays."""
        if not self._writing:
            click.echo(text)
            return
        written = _buffer()
        above = columns(YOU + written) // max(shutil.get_terminal_size().columns, 1)
        steer((f"\x1b[{above}A" if above else "") + CLEAR)
        click.echo(f"{text}\n{BOLD if self._colour else ''}{YOU}{NORMAL if self._colour else ''}{written}", nl=False)

    async def _line(self) -> str | None:
        """A thread of its own that nobody waits for: Ctrl-C ends the program while it still reads."""
        loop = asyncio.get_running_loop()
        read: asyncio.Future[str | None] = loop.create_future()

        def ask() -> None:
            line: str | None = None
            with suppress(EOFError, OSError, ValueError):
                line = input(self._prompt())
            with suppress(RuntimeError):  # the loop is closed: nobody wants it any more
                loop.call_soon_threadsafe(lambda: None if read.done() else read.set_result(line))

        self._writing = True
        threading.Thread(target=ask, daemon=True).start()
        try:
            return await read
        finally:
            self._writing = False

    def _prompt(self) -> str:
        return UNSEEN.format(BOLD) + YOU + UNSEEN.format(NORMAL) if self._colour else YOU


@contextmanager
def terminal(*, colour: bool) -> Generator[Terminal]:
    """The terminal, left as it was found: a line that is still being read would leave it without echo."""
    import termios

    # Importing it is what makes lines editable; some builds of Python lack it.
    with suppress(ImportError):
        importlib.import_module("readline")
    before = termios.tcgetattr(sys.stdin)
    try:
        yield Terminal(colour=colour)
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
        click.echo()


def _buffer() -> str:
    try:
        import readline
    except ImportError:
        return ""
    return readline.get_line_buffer()
