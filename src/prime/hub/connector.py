"""The one contract of all participants: who they are, and what they reply. The swarm knows nothing else of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from prime.core.errors import InvalidInput, PrimeError, Unavailable
from prime.mind.jobs.lines import NOTHING, Line, Usage
from prime.mind.jobs.speaking import ReplyRequest
from prime.rooms.records import Actor, ActorKind
from prime.rooms.tier import Tier
from prime.store.leases import Lease
from prime.store.message import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who somebody is. `online` is None where nobody can know."""

    name: str
    kind: ActorKind
    connector: str
    capabilities: tuple[str, ...] = ()
    online: bool | None = True


def _nothing(_words: str) -> None:
    pass


def _no_facts() -> Mapping[str, str]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What a participant is shown when it is its turn: its channel, and nothing else."""

    channel_id: str
    channel_name: str
    tier: Tier
    speaker: str
    role: str
    brief: str
    lines: Sequence[Line]
    facts: Mapping[str, str] = field(default_factory=_no_facts)
    # What was said last, where somebody said something.
    last: Message | None = None
    # The same for the same channel and speaker, whenever it is run.
    seed: str = ""
    # Who it is that speaks, and the right to drive the channel meanwhile; nobody's outside of the swarm.
    actor_id: str = ""
    lease: Lease | None = None
    # Takes words as they come: what is being written, what a builder is doing.
    progress: Callable[[str], None] = _nothing

    def request(self) -> ReplyRequest:
        """The same, as a mind is asked."""
        return ReplyRequest(
            speaker=self.speaker,
            channel_name=self.channel_name,
            tier=self.tier,
            brief=self.brief,
            lines=self.lines,
            role=self.role,
            facts=self.facts,
            on_words=self.progress,
            seed=self.seed,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Deliverable:
    """A file that a participant made."""

    name: str
    mime_type: str
    content: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What a participant says. No text is a pass: it has nothing to add until somebody says something new.

    `later` says that the answer will come into the channel by itself; `logged` that all there is stands in the log.
    """

    text: str = ""
    thought: str = ""
    deliverables: Sequence[Deliverable] = ()
    later: bool = False
    logged: bool = False
    # Questions that the owner has to answer before there is an answer; then it is asked again.
    waits_for: Sequence[str] = ()
    # It has said why, and does not speak again before the owner or a brief does.
    stands_back: bool = False
    # What it delivers is a picture of its words.
    pictured: bool = False
    usage: Usage = NOTHING


class Absent(Unavailable):
    """What a connector needs is not installed or not set up; the hint says how to change that."""

    code = "connector_absent"


class Connector(Protocol):
    def identity(self) -> Identity: ...

    async def reply(self, context: Context) -> Answer: ...


# Makes the connector of one actor.
Opener = Callable[[Actor], Connector]


class Connectors:
    """Connectors by name."""

    def __init__(self, openers: Mapping[str, Opener]) -> None:
        self._openers = dict(openers)

    @property
    def names(self) -> list[str]:
        return sorted(self._openers)

    def add(self, name: str, opener: Opener) -> None:
        """One more, or another one of that name."""
        self._openers[name] = opener

    def of(self, actor: Actor) -> Connector:
        """How this actor is reached; `Absent` where nobody knows."""
        opener = self._openers.get(actor.connector)
        if opener is None:
            raise Absent(
                f"{actor.name} is reached by {actor.connector}, which is not installed.",
                hint=f"Install the package that brings it, or choose one of {', '.join(self.names)}.",
                connector=actor.connector,
            )
        try:
            return opener(actor)
        except (PrimeError, GeneratorExit):
            raise
        except BaseException as error:  # somebody else's: it may not even end the process
            raise InvalidInput(
                f"The connector {actor.connector} could not be opened: {type(error).__name__}: {error}",
                code="connector_failed",
            ) from error
