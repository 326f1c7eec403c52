"""The terminal as commands write to it: text shows itself, and only Prime's own marks do anything.

Names, titles, errors and answers come from strangers, and a terminal obeys what it is sent: it fills the clipboard, moves
back over what it showed, turns a line around. Each command cleans what it knows to be theirs; here nothing gets by.
"""

import io
import re
import sys
from typing import cast

# Bold, a colour, and back: what `prime.cli.output.paint` writes.
_OWN = r"\x1b\[(?:0|1|3[0-7])m"
_ACTS = re.compile(rf"{_OWN}|[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Screen(io.TextIOWrapper):
    """A terminal's stream that lets through what shows."""

    def __init__(self, stream: io.TextIOWrapper) -> None:
        super().__init__(stream.buffer, encoding=stream.encoding, errors=stream.errors, line_buffering=True)
        self._stream = stream  # it would close the terminal when nobody has it any more

    def write(self, s: str, /) -> int:
        super().write(_ACTS.sub(_harmless, s))
        return len(s)

    def steer(self, text: str) -> None:
        """Write Prime's own signs for a terminal as they are."""
        super().write(text)
        self.flush()


def guard_terminal() -> None:
    """From now on, where stdout and stderr are a terminal."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream.isatty():
            stream.flush()
            setattr(sys, name, Screen(cast("io.TextIOWrapper", stream)))


def steer(text: str, *, err: bool = False) -> None:
    """Move on the terminal. Only for what Prime wrote itself: nothing is taken out of it."""
    stream = sys.stderr if err else sys.stdout
    if isinstance(stream, Screen):
        stream.steer(text)
    else:
        stream.write(text)
        stream.flush()


def _harmless(found: re.Match[str]) -> str:
    sign = found[0]
    return sign if len(sign) > 1 else " " if sign < "\x20" else "\ufffd"
