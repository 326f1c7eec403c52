"""A terminal is told nothing by strangers."""

import os
import pty
import subprocess
import sys

HOSTILE = "\x1b]52;c;ZXZpbA==\x07\x1b[2J\x9b31m\x1b[8mhid\r\u202eden\u2066"


def _on_a_terminal(code: str) -> str:
    outer, inner = pty.openpty()
    done = subprocess.run([sys.executable, "-c", code], stdout=inner, stderr=inner, check=True, timeout=60)
    assert done.returncode == 0
    os.close(inner)
    shown = b""
    try:
        while part := os.read(outer, 65_536):
            shown += part
    except OSError:  # the other side is closed
        pass
    os.close(outer)
    return shown.decode()


def test_what_strangers_wrote_shows_and_does_nothing() -> None:
    code = (
        "import click, sys; from prime.cli.screen import guard_terminal, steer; guard_terminal()\n"
        f"for err in (False, True): click.echo('name ' + {HOSTILE!r}, err=err)\n"
        "click.echo(click.style('bold', bold=True) + click.style('blue', fg='cyan') + ' 价格\\tend')\n"
        "steer('\\r\\x1b[J'); print('done')"
    )
    first, second, ours, last = _on_a_terminal(code).replace("\r\n", "\n").rstrip("\n").split("\n")
    assert first == second
    assert first.startswith("name ")
    assert "52;c;ZXZpbA==" in first
    assert "hid" in first
    assert all(char.isprintable() for char in first.removesuffix("\r"))
    assert ours == "\x1b[1mbold\x1b[0m\x1b[36mblue\x1b[0m 价格\tend"
    assert last == "\r\x1b[Jdone"
