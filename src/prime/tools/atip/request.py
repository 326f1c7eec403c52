"""Whether a command line asks the program itself for its document (RFC 3.1), and for which part of it.

Imports nothing: `prime --agent` goes through here before anything else is loaded.
"""

FLAG = "--agent"


class AgentRequest:
    """`--agent [--commands=a,b] [--depth=N]`; None means all."""

    __slots__ = ("commands", "depth")

    def __init__(self) -> None:
        self.commands: list[str] | None = None
        self.depth: int | None = None


class WrongRequest(ValueError):
    """`--agent` together with what does not go with it."""


def agent_request(arguments: list[str]) -> AgentRequest | None:
    """The request, or None when `--agent` is not the program's own flag here.

    Only flags of this protocol may stand before it: in `prog run x --agent` it belongs to `run`, and after `--`
    it is a word like any other.
    """
    if FLAG not in arguments:
        return None
    request = AgentRequest()
    place = arguments.index(FLAG)
    try:
        _read(arguments[:place], request)
    except WrongRequest:
        return None
    _read(arguments[place + 1 :], request)
    return request


def _read(words: list[str], request: AgentRequest) -> None:
    rest = iter(words)
    for word in rest:
        name, joined, value = word.partition("=")
        if word == FLAG:
            continue
        if name not in {"--commands", "--depth"}:
            raise WrongRequest(f"{FLAG} does not go with {word!r}.")
        value = value if joined else next(rest, "")
        if name == "--depth":
            request.depth = _depth(value)
        else:
            request.commands = [*(request.commands or []), *_names(value)]


def _depth(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) < 10 and int(value) > 0):
        raise WrongRequest(f"--depth is {value!r}; it takes a whole number from 1.")
    return int(value)


def _names(value: str) -> list[str]:
    names = [name.strip() for name in value.split(",")]
    if not all(names):
        raise WrongRequest("--commands takes names of commands, with commas between them.")
    return names
