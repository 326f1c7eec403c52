"""The server's log: lines for people or JSON for programs, with the request's name, and without secrets."""

import json
import logging
import sys
from types import TracebackType

from prime.core.clock import iso
from prime.core.errors import Unavailable
from prime.core.redaction import Redactor
from prime.core.settings import LogForm, Settings
from prime.web.requests import request_id

MAX_LINE = 16_000

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

# What must show in no line, whoever writes it.
_hidden: dict[str, None] = {}


def hide(*values: str) -> None:
    """Keep these out of the log from now on."""
    _hidden.update(dict.fromkeys(values))


def start_log(settings: Settings) -> None:
    """Write what happens to stderr, from now on."""
    hide(*settings_secrets(settings))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter(settings.log, Redactor(lambda: tuple(_hidden))))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    for name in _OF_SENDERS:
        logging.getLogger(name).setLevel(logging.ERROR)
        logging.getLogger(name).addFilter(is_no_noise)
    # People read what went wrong; programs also what went well.
    logging.getLogger("prime").setLevel(logging.INFO if settings.log == "json" else logging.WARNING)


# Libraries that warn of what anybody can send, once for each: TLS at this port, an upgrade to what is not spoken here, a form
# without an end. Whoever makes noise would fill the disk with it.
_OF_SENDERS = ("uvicorn.error", "python_multipart")
# Of that they even call an error: a WebSocket that goes away before it is answered.
_NOISE = frozenset({"ASGI callable returned without completing handshake."})


def is_no_noise(record: logging.LogRecord) -> bool:
    return record.msg not in _NOISE


def settings_secrets(settings: Settings) -> list[str]:
    """The values of the environment's secrets, which must show nowhere."""
    found = [getattr(settings, name) for name in type(settings).model_fields]
    return [secret.get_secret_value() for secret in found if hasattr(secret, "get_secret_value")]


class LineFormatter(logging.Formatter):
    """One record is one line, whatever it holds: nobody can forge a second one by a line break in a name."""

    def __init__(self, form: LogForm, redactor: Redactor) -> None:
        super().__init__()
        self._form = form
        self._redactor = redactor

    def format(self, record: logging.LogRecord) -> str:
        text = self._redactor.redact(record.getMessage())
        trouble = self._redactor.redact(self._trouble(record.exc_info)) if record.exc_info else None
        when, name = iso(int(record.created * 1000)), request_id.get()
        if self._form == "json":
            values = {"time": when, "level": record.levelname.lower(), "logger": record.name, "message": text}
            values |= {key: value for key, value in (("requestId", name), ("error", trouble)) if value}
            return json.dumps(values, ensure_ascii=False)
        mark = f" [{name}]" if name else ""
        # It is many lines for people; each is marked as a part of the record above it.
        tail = "".join(f"\n    {_one_line(line)}" for line in (trouble or "").splitlines())
        return f"{when} {record.levelname} {record.name}{mark}: {_one_line(text)}{tail}"

    def _trouble(self, info: ExcInfo) -> str:
        # A database that is away is met at every turn of whatever goes round: where in the code says nothing, and fills the disk.
        return str(info[1]) if type(info[1]) is Unavailable else self.formatException(info)


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:MAX_LINE])
