"""Prime Message 0.1 on the wire: the card, a message, a reply or a task, and the result that is pushed."""

import re
from typing import cast

from prime.core.canonical import JSON, clean_text
from prime.core.clock import iso
from prime.core.errors import InvalidInput, TooLarge
from prime.core.ids import new_id
from prime.core.visible import is_blank
from prime.network.desk import Received
from prime.network.tasks import SETTLED, Card, Incoming, Reference, Task

PROTOCOL = "prime-message/0.1"
CARD_PATH = "/.well-known/prime-agent.json"
MESSAGE_PATH = "/prime/message"
TASK_PATH = "/prime/task/{id}"

# What the id of a Prime's card begins with.
OWN_ID = "prime_"

MAX_TEXT = 200_000
MAX_ID = 200
MAX_URL = 2_048
MAX_ATTACHMENTS = 20

_CHALLENGE = re.compile(r"[A-Za-z0-9._~-]{1,128}")
# Half a character is none of an address, and no database keeps it.
WEB_ADDRESS = re.compile(r"https?://[^\s\x00-\x20\x7f\ud800-\udfff]+")


def card_json(card: Card, challenge: str | None = None) -> dict[str, JSON]:
    """The identity card; a challenge that was asked for is echoed, which proves who serves it."""
    shown: dict[str, JSON] = {
        "protocol": PROTOCOL,
        "id": card.id,
        "name": card.name,
        "tier": card.tier,
        "kind": "agent",
        "capabilities": list(card.capabilities),
        "endpoints": {"message": MESSAGE_PATH, "task": TASK_PATH},
    }
    if challenge is not None:
        if not _CHALLENGE.fullmatch(challenge):
            raise InvalidInput("A challenge has 1 to 128 letters, digits, -, _, . or ~.", field="challenge")
        shown["challenge"] = challenge
    return shown


def read_message(body: JSON) -> Incoming:
    """A message as it came in. `from.id`, `from.name` and `from.tier` are claims; the tier is not even read."""
    if not isinstance(body, dict):
        raise InvalidInput("A message is a JSON object.", hint='For example {"text": "Hello"}.')
    sender = body.get("from")
    if sender is not None and not isinstance(sender, dict):
        raise InvalidInput("from must be an object.", field="from")
    return Incoming(
        message_id=_id(body, "id") or _id(body, "messageId") or new_id("msg"),
        text=_text(body),
        protocol="prime",
        thread_id=_id(body, "threadId"),
        task_id=_id(body, "taskId"),
        sender_id=_claim(sender, "id"),
        sender_name=_claim(sender, "name"),
        callback_url=_url(body.get("callbackUrl"), "callbackUrl"),
        attachments=_attachments(body.get("attachments")),
    )


def reply_json(received: Received, *, secret: str) -> dict[str, JSON]:
    """The answer to a message: `reply`, or `task` with what is needed to ask for its result."""
    task = received.task
    if received.answer is not None and task.state in {"done", "input-required"}:
        shown: dict[str, JSON] = {"type": "reply", "text": received.answer.text, "threadId": task.context_id}
        if task.state == "input-required":
            shown |= {"taskId": task.id, "state": task.state, "taskSecret": secret}
        return shown
    return {"type": "task", **task_json(task), "taskSecret": secret, "statusUrl": TASK_PATH.replace("{id}", task.id)}


def task_json(task: Task) -> dict[str, JSON]:
    """A task as its caller polls it, and as its result is pushed."""
    reply = task.reply if task.state in SETTLED else None
    shown: dict[str, JSON] = {
        "taskId": task.id,
        # The protocol has six states; a task that was called off has failed, and says so.
        "state": "failed" if task.state == "canceled" else task.state,
        "threadId": task.context_id,
        "updatedAt": iso(task.updated_at),
    }
    if reply is not None:
        shown["text"] = reply.text
    if task.state == "canceled":
        shown["error"] = "The task was canceled."
    elif task.error:
        shown["error"] = task.error
    return shown


def _text(body: dict[str, JSON]) -> str:
    given = body.get("text")
    text = clean_text(given) if isinstance(given, str) else ""
    if is_blank(text):
        raise InvalidInput("A message needs a text in plain language.", field="text")
    if len(text) > MAX_TEXT:
        raise TooLarge(f"A text may have {MAX_TEXT:,} characters.", hint="Send a reference instead.", field="text")
    return text


def _id(body: dict[str, JSON], field: str) -> str | None:
    value = body.get(field)
    if value is None:
        return None
    if not isinstance(value, str) or not 1 <= len(value) <= MAX_ID or not value.isprintable():
        raise InvalidInput(f"{field} must be 1 to {MAX_ID} printable characters.", field=field)
    return value


def _claim(sender: dict[str, JSON] | None, field: str) -> str:
    value = (sender or {}).get(field)
    return clean_text(value)[:MAX_ID] if isinstance(value, str) else ""


def _url(value: JSON, field: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > MAX_URL or not WEB_ADDRESS.fullmatch(value):
        raise InvalidInput(f"{field} must be an http or https address of at most {MAX_URL} characters.", field=field)
    return value


def _attachments(value: JSON) -> tuple[Reference, ...]:
    if value is None:
        return ()
    if not isinstance(value, list) or len(value) > MAX_ATTACHMENTS:
        raise InvalidInput(f"attachments is a list of at most {MAX_ATTACHMENTS} references.", field="attachments")
    return tuple(_reference(item) for item in value)


def _reference(item: JSON) -> Reference:
    given: JSON = {"url": item} if isinstance(item, str) else item
    if not isinstance(given, dict):
        raise InvalidInput("An attachment is given by its address.", field="attachments")
    url = _url(given.get("url") or "", "attachments")
    name, media_type = given.get("name", ""), given.get("mediaType", "")
    return Reference(
        url=cast("str", url),
        name=clean_text(name)[:MAX_ID] if isinstance(name, str) else "",
        media_type=media_type[:MAX_ID] if isinstance(media_type, str) and media_type.isprintable() else "",
    )
