"""What the log says about a turn as a whole: that it began, waits, goes on, is to stop, has ended.

A mark is a `system` message that only the owner sees. What a mind said and what tools gave are messages of their own kinds;
all of them name the turn in `body["turnId"]`.
"""

from collections.abc import Sequence
from typing import Literal, TypeAlias, cast, get_args

from prime.store.message import Message, NewMessage

OP = "turn"
# How a turn can end. `limit`: it took more steps, tokens, money or time than it may.
Ending: TypeAlias = Literal["said", "silent", "failed", "stopped", "limit"]
# `ready`: what it waited for has been answered. It is derived; nobody writes it down.
Phase: TypeAlias = Literal["running", "waiting", "ready", "stopping", Ending]
Step: TypeAlias = Literal["began", "waiting", "resumed", "starting", "stop", "ended"]

STEPS: tuple[Step, ...] = get_args(Step)
ENDINGS: tuple[Ending, ...] = get_args(Ending)
OPEN: tuple[Phase, ...] = ("running", "waiting", "ready", "stopping")


def mark(
    turn_id: str, channel_id: str, agent_id: str, step: Step, *, course: int = 1, text: str = "", **more: object
) -> NewMessage:
    """A message that says where the turn is."""
    return NewMessage(
        channel_id=channel_id,
        actor_id=agent_id,
        kind="system",
        audience="hub",
        text=text,
        body={"op": OP, "step": step, "turnId": turn_id, **more},
        course=course,
    )


def step_of(message: Message) -> Step | None:
    """Which mark the message is, if it is one."""
    if message.kind != "system" or message.audience != "hub" or message.body.get("op") != OP:
        return None
    found = message.body.get("step")
    return next((step for step in STEPS if step == found), None) if turn_of(message) else None


def turn_of(message: Message) -> str | None:
    """The turn that the message belongs to."""
    turn_id = message.body.get("turnId")
    return turn_id if isinstance(turn_id, str) and turn_id else None


def names_in(message: Message, key: str) -> Sequence[str]:
    """A list of ids in a message's body, as far as it is one."""
    found = message.body.get(key)
    return [name for name in cast("list[object]", found) if isinstance(name, str)] if isinstance(found, list) else []
