"""The one way in which Prime starts programs: bounded, contained, and gone when it says so.

`run` takes a program from start to end; `start` leaves one running and speaks to it. A command is a list of words and
never sees a shell. What a policy asks for is kept, or the command is refused with `Unavailable`.
"""

from prime.core.process.batch import Batch, BatchLimits
from prime.core.process.command import (
    Command,
    Limits,
    Outcome,
    SandboxPolicy,
    Stop,
    allowed_environment,
    search_path,
)
from prime.core.process.containment import Containment, Namespace, Subreaper, containment, namespace_trouble
from prime.core.process.running import run
from prime.core.process.spawn import find_executable
from prime.core.process.streaming import Process, start

__all__ = [
    "Batch",
    "BatchLimits",
    "Command",
    "Containment",
    "Limits",
    "Namespace",
    "Outcome",
    "Process",
    "SandboxPolicy",
    "Stop",
    "Subreaper",
    "allowed_environment",
    "containment",
    "find_executable",
    "namespace_trouble",
    "run",
    "search_path",
    "start",
]
