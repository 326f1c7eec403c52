"""Who is at the other end of the data folder's socket: a person's command, or a program that Prime itself put behind walls.

Every tool, probe and builder runs in a PID namespace of its own (`prime.core.process`). Whoever asks from such a one is no
person at the machine, whatever files they can reach.
"""

import socket
import struct
from pathlib import Path

_CREDENTIALS = struct.Struct("3i")  # pid, user, group


def is_walled_in(door: socket.socket) -> bool:
    """Whether the peer of a Unix socket lives in a PID namespace below ours; so does one of whom that cannot be said."""
    if not hasattr(socket, "SO_PEERCRED"):
        return False  # no Linux, and no namespaces
    pid = _CREDENTIALS.unpack(door.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))[0]
    # Zero is somebody outside of our own namespace: below it nobody is outside.
    return pid > 0 and _depth(str(pid)) > _depth("self")


def _depth(pid: str) -> int:
    """How many PID namespaces a process has a number in, as seen from here; many for one that is gone."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return 99
    return next((len(line.split()) - 1 for line in status.splitlines() if line.startswith("NSpid:")), 1)
