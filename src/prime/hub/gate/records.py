"""What passes the gate: proposals, the drafts they become, what leaves, and the classes that were learned."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

DraftStatus = Literal["pending", "sending", "sent", "rejected", "uncertain"]
DraftKind = Literal["reply", "publish"]
# Who let it go: the owner's click, the policy (full or a learned class), or the owner by hand outside Prime.
DecidedBy = Literal["owner", "policy", "hand"]
Step = Literal["done", "going", "failed"]

MAX_TEXT = 16_000  # whatever the script, this stays under what a message of the log holds


def nothing() -> Mapping[str, object]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """Something that a connector would like to send or publish as the owner.

    `target` is for the connector's sender alone: where it goes. `reply_to` is the message of somebody else that this
    answers; a reply without one would begin a conversation, which is cold contact. `scope` narrows the class that an
    approval teaches (a repository, a site). `needs_owner` says why this one waits in every mode.
    """

    connector: str
    channel_id: str
    text: str
    kind: DraftKind = "reply"
    target: Mapping[str, object] = field(default_factory=nothing)
    reply_to: str | None = None
    # The words that it answers, for the class; a publisher's own description of what it publishes.
    trigger: str = ""
    names: Sequence[str] = ()
    scope: str = ""
    title: str = ""
    needs_owner: str = ""
    # The owner wrote it: beginning a conversation is then their own doing.
    by_owner: bool = False
    # What is proposed with the same key in the same channel is proposed once.
    key: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One proposal and what became of it."""

    id: str
    seq: int
    connector: str
    kind: DraftKind
    channel_id: str
    text: str
    status: DraftStatus
    reason: str
    class_id: str | None
    reply_to: str | None
    trigger: str
    names: tuple[str, ...]
    target: Mapping[str, object]
    scope: str
    title: str
    needs_owner: str
    edited: bool
    # How often it came back to `pending` after a send that did not go out.
    returns: int
    decided_by: DecidedBy | None
    holder: str | None
    result: Mapping[str, object]
    created_at: int
    decided_at: int | None
    sent_at: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """What a sender is given. `key` is the same for every try to send the same draft."""

    draft_id: str
    key: str
    channel_id: str
    text: str
    target: Mapping[str, object]
    title: str = ""
    # What an earlier try left behind, as the service told it.
    facts: Mapping[str, object] = field(default_factory=nothing)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivered:
    """What a service said when it took something: its own id for it, and the link where there is one.

    A link is one that the owner may follow: what is no web address (`javascript:`, `file:`) is none.
    """

    external_id: str = ""
    url: str | None = None
    # Further facts to keep with the record; no secrets.
    facts: Mapping[str, object] = field(default_factory=nothing)

    def __post_init__(self) -> None:
        if self.url is not None and not self.url.lower().startswith(("https://", "http://")):
            object.__setattr__(self, "url", None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyClass:
    """A kind of reply that the owner has approved."""

    id: str
    seq: int
    connector: str
    scope: str
    text: str
    trigger: str
    from_draft_id: str
    taught_at: int
    hits: int
    active: bool
