"""A house that kills itself at a boundary. Run as a program: it imports once and forks for each line that it is given.

A line is `N DATA URL ASK`: end with SIGKILL at the N-th boundary (0: never), on this data. What was asked of the mind
and what tools did is written into `DATA/witness`, by whom (run 1 was to be killed, run 2 not). ASK may be `prepare`:
then the tables are made and nothing else.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from pydantic import SecretStr

from prime.app import Prime, open_prime
from prime.core.errors import JsonValue
from prime.core.settings import Settings
from prime.dialogs import answering, turn
from prime.dialogs.turns import watch
from prime.mind.jobs.speaking import Reply, ReplyRequest, ToolRequest
from prime.mind.offline import OfflineMind
from prime.mind.turns import ToolStep
from prime.rooms.records import OWNER, PRIME, ChannelDraft
from prime.store.database import Durability, Job
from prime.store.leases import Lease
from prime.store.log import Log
from prime.store.message import Message, NewMessage
from prime.tools.atip.effect import Cost, Effects, Filesystem
from prime.tools.runtime import RunContext

CHANNEL = "ch_killed"
WRITES = Effects(
    filesystem=Filesystem(read=False, write=True, delete=False),
    network=False,
    subprocess=False,
    destructive=False,
    cost=Cost(billable=False),
)


class Boundaries:
    def __init__(self, fatal: int, data: Path) -> None:
        self._left = fatal
        self._run = 1 if fatal else 2
        self._witness = data / "witness"

    def cross(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def saw(self, what: str) -> None:
        with self._witness.open("a") as file:
            file.write(f"{self._run} {what}\n")


class Mind(OfflineMind):
    """Its answer is a function of what it is shown."""

    name = "test:killed"

    def __init__(self, boundaries: Boundaries) -> None:
        self._boundaries = boundaries

    async def reply(self, request: ReplyRequest) -> Reply:
        assert request.conversation
        steps = [step for step in request.conversation.turns if isinstance(step, ToolStep)]
        self._boundaries.saw(f"ask {len(steps) + 1}")
        self._boundaries.cross()
        if not steps:
            return Reply(text="First.", thought="Hm.", tool_requests=(_wants("look", 1), _wants("mark", 2)))
        return Reply(text="", tool_requests=(_wants("mark", 3),)) if len(steps) == 1 else Reply(text="Done.")


def _wants(name: str, x: int) -> ToolRequest:
    return ToolRequest(call_id=f"c{x}", name=name, arguments={"x": x})


def _guard_log(boundaries: Boundaries) -> None:
    append = Log.append

    async def guarded(
        self: Log,
        *new: NewMessage,
        lease: Lease | None = None,
        also: Job[object] | None = None,
        durability: Durability = "full",
    ) -> list[Message]:
        boundaries.cross()
        written = await append(self, *new, lease=lease, also=also, durability=durability)
        boundaries.cross()
        return written

    Log.append = guarded  # this process has no other purpose
    # On PostgreSQL the dead one's lease has to run out: nobody wants to wait that long so often.
    turn.LEASE_MS = watch.LEASE_MS = 1000
    watch.RENEW_S = answering.LOOK_S = 0.3


async def prepare(data: Path, url: str) -> None:
    async with open_prime(_settings(data, url)):
        pass


def _settings(data: Path, url: str) -> Settings:
    changes: dict[str, object] = {
        "data": data,
        "workspace": data,
        "database_url": SecretStr(url) if url else None,
        "secret_key": SecretStr("0" * 64),
    }
    return Settings().model_copy(update=changes)


async def live(fatal: int, data: Path, url: str, *, ask: bool) -> None:
    boundaries = Boundaries(fatal, data)
    _guard_log(boundaries)
    async with open_prime(_settings(data, url)) as prime:

        async def used(arguments: Mapping[str, JsonValue], _context: RunContext) -> JsonValue:
            boundaries.cross()
            boundaries.saw(f"ran {arguments['x']}")
            boundaries.cross()
            return "ok"

        prime.parts.workshop.builtins.add("look", "Looks.", {"type": "object"}, used)
        prime.parts.workshop.builtins.add("mark", "Writes.", {"type": "object"}, used, effects=WRITES)
        prime.parts.hub.mind = Mind(boundaries)
        await _speak(prime)
        await _answered(prime, ask=ask)


async def _speak(prime: Prime) -> None:
    rooms = prime.parts.rooms
    if CHANNEL not in {channel.id for _, channel in await rooms.channels()}:
        await prime.parts.dialogs.create(ChannelDraft(id=CHANNEL, name="Killed", tier="team", members=(PRIME,)))
    await rooms.say(CHANNEL, OWNER, "Go.", idempotency_key="go")


async def _answered(prime: Prime, *, ask: bool) -> None:
    parts = prime.parts
    async with asyncio.timeout(45):
        while True:
            head = parts.store.heads.head
            for question in await parts.questions.waiting() if ask else []:
                await parts.questions.answer(question.id, choice="yes")
            if any(m.kind == "text" and m.text == "Done." for m in await parts.store.log.page(CHANNEL)):
                return
            await parts.store.heads.wait_beyond(head)


def main() -> None:
    for line in sys.stdin:
        fatal, data, url, ask = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            try:
                if ask == "prepare":
                    asyncio.run(prepare(Path(data), url))
                else:
                    asyncio.run(live(int(fatal), Path(data), url, ask=ask == "ask"))
            except BaseException as error:  # noqa: BLE001  (said, and then it is over)
                print(repr(error), file=sys.stderr, flush=True)
                os._exit(1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
