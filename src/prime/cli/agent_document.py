"""Answers `prime --agent` from the generated document beside this file, with hardly any import.

`agent.json` is written by `scripts/write_docs.py`; a test tells when it is out of date.
"""

import os
import sys

from prime.tools.atip.request import AgentRequest, WrongRequest, agent_request

FILE = os.path.join(os.path.dirname(__file__), "agent.json")  # noqa: PTH118, PTH120  pathlib takes longer than the rest


def answer(arguments: list[str]) -> int | None:
    """The exit code, with the document on stdout; None when `--agent` is not meant for Prime itself."""
    try:
        request = agent_request(arguments)
        if request is None:
            return None
        with open(FILE, "rb") as file:  # noqa: PTH123
            document = file.read()
        if request.commands is not None or request.depth is not None:
            document = _part(document, request)
    except WrongRequest as error:
        sys.stderr.write(f"prime: {error}\n")
        return 2
    return _write(document)


def _write(document: bytes) -> int:
    """The document to stdout, and whether it got there: not when the disk is full or the reader went away."""
    try:
        sys.stdout.buffer.write(document)
        sys.stdout.buffer.flush()
    except OSError as error:
        if not isinstance(error, BrokenPipeError):  # `prime --agent | head` is nobody's mistake
            sys.stderr.write(f"prime: stdout: {error.strerror}.\n")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes it once more at its end
        return 1
    return 0


def _part(document: bytes, request: AgentRequest) -> bytes:
    import json

    from prime.tools.atip.partial import NoSuchCommand, filter_json

    try:
        part = filter_json(json.loads(document), request.commands, request.depth)
    except NoSuchCommand as error:
        raise WrongRequest(f"there is no command {str(error)!r}.") from None
    return (json.dumps(part, ensure_ascii=False, indent=1) + "\n").encode()
