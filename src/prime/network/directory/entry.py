"""One agent in the directory."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args
from urllib.parse import urlsplit

from prime.core.clock import is_due, iso
from prime.core.errors import InvalidInput
from prime.network.names import plain_capabilities, plain_name
from prime.rooms.tier import Tier

Kind = Literal["openclaw", "hermes", "prime", "custom"]
KINDS: tuple[Kind, ...] = get_args(Kind)

ONLINE_MS = 3 * 60 * 1000
MAX_ENDPOINT = 512

_ENDPOINT = re.compile(r"(?i:https?)://[A-Za-z0-9._\-\[\]:]+(?:/[A-Za-z0-9._~!$&'()*+,;=:@%/\-]*)?")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Registration:
    """What an agent says about itself, checked."""

    name: str
    kind: Kind
    capabilities: tuple[str, ...]
    endpoint: str
    owner: str

    @classmethod
    def checked(
        cls, *, name: str, kind: str, capabilities: Sequence[str], endpoint: str, owner: str | None
    ) -> "Registration":
        if kind not in KINDS:
            raise InvalidInput(f"There is no kind {kind[:40]!r}.", hint=f"Use one of {', '.join(KINDS)}.", field="kind")
        return cls(
            name=plain_name(name, "name"),
            kind=kind,
            capabilities=plain_capabilities(capabilities),
            endpoint=plain_endpoint(endpoint),
            owner=plain_name(owner, "owner") if owner else "",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    id: str
    number: int
    name: str
    kind: Kind
    capabilities: tuple[str, ...]
    endpoint: str
    owner: str
    token_hash: str
    # Given by this instance's owner, never by the agent.
    tier: Tier
    registered_at: int
    changed_at: int
    removed_at: int | None = None
    # The last sign of life, and the last time that a real message was answered: being up is not the same as answering.
    seen_at: int | None = None
    answered_at: int | None = None
    # Whether who has the token proved that the endpoint is theirs, or the owner took their word. Anybody may register any
    # address, also before whoever it belongs to.
    vouched: bool = False

    @property
    def speaks_as_itself(self) -> bool:
        """Whether its token opens what the owner trusts this agent with."""
        return self.vouched or self.tier == "external"

    @property
    def hosts(self) -> frozenset[str]:
        """What it is found under: its host, and its host and port."""
        parts = urlsplit(self.endpoint)
        return frozenset({parts.netloc, parts.hostname or ""})

    def online(self, now_ms: int) -> bool:
        """Whether it was heard of lately."""
        return self.seen_at is not None and not is_due(self.seen_at + ONLINE_MS, now_ms, ONLINE_MS)

    def shown(self, now_ms: int) -> dict[str, object]:
        """The card as others see it. The token and the tier are nobody's business."""
        return {
            "agentId": self.id,
            "name": self.name,
            "kind": self.kind,
            "capabilities": list(self.capabilities),
            "endpoint": self.endpoint,
            "owner": self.owner or None,
            "online": self.online(now_ms),
            "lastSeenAt": iso(self.seen_at) if self.seen_at is not None else None,
            "lastAnsweredAt": iso(self.answered_at) if self.answered_at is not None else None,
            "registeredAt": iso(self.registered_at),
        }


def plain_endpoint(text: str) -> str:
    """The base address of an agent in its one spelling: small letters, no usual port, no slash at the end."""
    if len(text) > MAX_ENDPOINT or not _ENDPOINT.fullmatch(text):
        raise _wrong()
    try:
        parts = urlsplit(text)
        # A dot at the end is the same host to a name server.
        host, port = (parts.hostname or "").lower().removesuffix("."), parts.port
    except ValueError:
        raise _wrong() from None
    if not host or ".." in parts.path.split("/") or "%" in parts.path or "//" in parts.path:
        raise _wrong()
    shown = f"[{host}]" if ":" in host else host
    if port is not None and port != _PORTS[parts.scheme.lower()]:
        shown += f":{port}"
    return f"{parts.scheme.lower()}://{shown}{parts.path.rstrip('/')}"


def _wrong() -> InvalidInput:
    return InvalidInput(
        f"endpoint must be an http or https address of at most {MAX_ENDPOINT} characters, without query or user.",
        hint="For example https://agent.example.com.",
        field="endpoint",
    )
