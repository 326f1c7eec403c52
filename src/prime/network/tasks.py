"""What goes between agents, whatever the protocol: who calls, what they say, and the task that comes of it."""

import hashlib
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from prime.core.errors import Conflict, InvalidInput, NotFound

State = Literal["queued", "working", "input-required", "done", "failed", "expired", "canceled"]
Protocols = Literal["prime", "a2a"]

TERMINAL: frozenset[State] = frozenset({"done", "failed", "expired", "canceled"})
# A task in one of these waits for nobody here: it ended, or it is the caller's turn.
SETTLED: frozenset[State] = frozenset({*TERMINAL, "input-required"})

TASK_LIFE_MS = 24 * 60 * 60 * 1000
TASK_KEPT_MS = 7 * TASK_LIFE_MS


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """An attachment, named and not sent: nobody fetches it unasked."""

    url: str
    name: str = ""
    media_type: str = ""

    def as_json(self) -> dict[str, object]:
        return {"url": self.url, "name": self.name, "mediaType": self.media_type}


@dataclass(frozen=True, slots=True, kw_only=True)
class Brought:
    """A file that came with a message, bytes and all."""

    content: bytes
    name: str
    media_type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """A message as it came in. The sender's name and id are claims; `Caller` says who it is."""

    message_id: str
    text: str
    protocol: Protocols
    thread_id: str | None = None
    task_id: str | None = None
    sender_id: str = ""
    sender_name: str = ""
    callback_url: str | None = None
    attachments: tuple[Reference, ...] = ()
    files: tuple[Brought, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who is calling, as far as credentials and the connection say; nothing here comes from a body."""

    address: str
    # The directory's id of an agent that showed its token.
    agent_id: str | None = None
    # Made from the token that both sides know; signs what is pushed back.
    signing_key: str | None = None
    is_owner: bool = False
    # Whether its token opens what the owner trusts this agent with.
    vouched: bool = True

    @property
    def scope(self) -> str:
        """Whose tasks and threads these are: one agent's, or those of strangers at one address."""
        if self.agent_id:
            return f"agent:{self.agent_id}" if self.vouched else f"agent:{self.agent_id}:unproved"
        return f"stranger:{hashlib.sha256(self.address.encode()).hexdigest()[:32]}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a task's history."""

    role: Literal["user", "agent"]
    message_id: str
    text: str
    attachments: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    id: str
    context_id: str
    scope: str
    protocol: Protocols
    state: State
    created_at: int
    updated_at: int
    turns: tuple[Turn, ...] = ()
    error: str | None = None

    @property
    def reply(self) -> Turn | None:
        """The newest answer."""
        return next((turn for turn in reversed(self.turns) if turn.role == "agent"), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inbound:
    """What an agent is asked to answer."""

    task_id: str
    thread_id: str
    message_id: str
    text: str
    sender_name: str
    # In a hub: the channel that the thread is, and the logged message. An agent without rooms has neither.
    channel_id: str = ""
    said_id: str = ""
    attachments: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Later:
    """An answer that takes its time: the caller gets a task at once, and the result when it is there."""

    work: Awaitable[str]


@dataclass(frozen=True, slots=True)
class NeedsInput:
    """An answer that asks something back; the task waits for the caller."""

    text: str


Answer = str | Later | NeedsInput


class InboundHandler(Protocol):
    """Answers what others say. `prime.app` plugs in the hub's."""

    async def answer(self, inbound: Inbound) -> Answer: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A message in its place: the task it belongs to, and whether it still wants an answer."""

    task: Task
    inbound: Inbound
    answered: bool
    # The answer to exactly this message, when there is one.
    answer: Turn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFilter:
    context_id: str | None = None
    state: State | None = None
    since_ms: int | None = None
    after: tuple[int, str] | None = None
    limit: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskPage:
    tasks: Sequence[Task]
    total: int
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Settlement:
    """How one message was answered."""

    state: State
    text: str | None = None
    error: str | None = None


class TaskStore(Protocol):
    """Where tasks are kept: `memory` for an agent, `inbox` for a hub."""

    async def open(self, incoming: Incoming, caller: Caller) -> Opened:
        """Put a message in its place. The same message id from the same caller is the same message."""
        ...

    async def settle(self, opened: Opened, settlement: Settlement) -> Opened:
        """Record an answer; a task that ended meanwhile stays as it ended."""
        ...

    async def defer(self, opened: Opened) -> Opened:
        """The same message as things are now. If it is unanswered, its caller is given a task and hears of it later."""
        ...

    async def get(self, task_id: str) -> Task | None: ...

    async def page(self, caller: Caller, wanted: TaskFilter) -> TaskPage: ...

    async def cancel(self, task_id: str) -> Task:
        """End it; the task as it is then, which is `canceled` unless it had ended before."""
        ...

    async def unfinished(self) -> Sequence[Opened]:
        """What a process that died left unanswered."""
        ...


class TaskMissing(NotFound):
    """There is no such task, or it is somebody else's."""

    code = "task_not_found"

    def __init__(self, task_id: str) -> None:
        super().__init__("There is no such task.", hint="Check the id and the secret.", taskId=task_id[:200])


class TaskEnded(Conflict):
    """The task is over; nothing can be added to it."""

    code = "task_ended"


class TaskNotCancelable(Conflict):
    code = "task_not_cancelable"


class WrongThread(InvalidInput):
    """The task belongs to another conversation than the one that was named."""

    code = "wrong_thread"


def check_continuable(task: Task | None, incoming: Incoming, caller: Caller) -> Task:
    """The task that a message continues; raises when there is none, or it is over, or somebody else's."""
    if task is None or not may_see(task, caller):
        raise TaskMissing(incoming.task_id or "")
    if not is_in_thread(task, incoming):
        raise WrongThread("This task belongs to another conversation.", hint="Leave the thread out, or correct it.")
    if task.state in TERMINAL:
        raise TaskEnded(f"This task is {task.state}.", hint="Send a message without its id to begin a new one.")
    return task


def is_in_thread(task: Task, incoming: Incoming) -> bool:
    """A message that names no conversation is said in its task's own."""
    return incoming.thread_id in (None, task.context_id)


def may_see(task: Task, caller: Caller) -> bool:
    """A known agent's tasks are its own; a stranger's are for whoever has the id, which nobody can guess."""
    if caller.is_owner:
        return True
    return not task.scope.startswith("agent:") or task.scope == caller.scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """Who an agent says it is. All of it is a claim."""

    id: str
    name: str
    tier: str = "external"
    capabilities: tuple[str, ...] = ()
    description: str = ""
    base_url: str = ""
    owner: str = ""
