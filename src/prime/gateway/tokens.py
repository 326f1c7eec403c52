"""Tokens for MCP clients: each is a delegation, which can only take away, and is kept as a hash."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from prime.core.clock import Clock
from prime.core.errors import Conflict, InvalidInput, JsonValue, NotFound
from prime.core.ids import new_id, new_secret
from prime.gateway import queries
from prime.gateway.queries import TokenRow
from prime.store.database import Database
from prime.store.whispers import Whispers
from prime.tools.policy.delegation import Delegation

PREFIX = "prime_mcp_"
# Effects that `--effects` may leave to a client; what it does not name is taken away.
EFFECTS = ("destructive", "network", "subprocess", "billable", "write", "delete")
_USE_EVERY_MS = 60_000
_TOPIC = "revoked"
# Whoever may call anything may prime, and look things up.
_ALWAYS = ("prime", "find_tools")


@dataclass(frozen=True, slots=True)
class Client:
    """Whoever holds a token."""

    id: str
    name: str
    delegation: Delegation
    # When the token is over; None for one that lasts.
    expires_at: int | None = None


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that was just made; it is shown this once."""

    token: str
    client: Client


class Tokens:
    def __init__(self, database: Database, whispers: Whispers, clock: Clock) -> None:
        self._database = database
        self._whispers = whispers
        self._clock = clock
        # Asked for at every request; a revoked token is dropped from here at once, and in other replicas in a moment.
        self._near: dict[str, tuple[Client, int]] = {}
        self._drops = 0
        # Told of a client, by its id, whose token was revoked: what it has open ends.
        self.on_revoked: Callable[[str], None] = lambda _client_id: None
        whispers.listen(_TOPIC, lambda whisper: self._drop(str(whisper.get("clientId"))))

    async def create(self, name: str, delegation: Delegation, *, lifetime_ms: int | None = None) -> NewToken:
        """Make a token for a client; `Conflict` when one of that name is there."""
        if not name.strip() or len(name) > 80 or not name.isprintable():
            raise InvalidInput("A token's name has 1 to 80 printable characters.", field="name")
        if any(row.name == name for row in await self.all()):
            raise Conflict(f"There is a token named {name} already.", code="already_exists", hint="Revoke it first.")
        token, now = PREFIX + new_secret(), self._clock.now_ms()
        client = Client(new_id("mct"), name, delegation, None if lifetime_ms is None else now + lifetime_ms)
        values: dict[str, object] = {
            "id": client.id,
            "name": name,
            "token_hash": _hash(token),
            "delegation": json.dumps(delegation.to_json()),
            "created_at": now,
            "expires_at": client.expires_at,
            "last_used": None,
        }
        await self._database.write(lambda c: queries.add_token(c, values))
        return NewToken(token, client)

    async def find(self, token: str) -> Client | None:
        """The client that a token names; None for one that is unknown, revoked or over."""
        if not token.startswith(PREFIX) or len(token) > 200:
            return None
        key, now = _hash(token), self._clock.now_ms()
        near = self._near.get(key)
        if near is None or now - near[1] > _USE_EVERY_MS:
            drops = self._drops
            row = await self._database.read(lambda c: queries.find_token(c, key))
            if row is None:
                self._near.pop(key, None)
                return None
            await self._database.write(lambda c: queries.note_token_used(c, row.id, now))
            near = (_client(row), now)
            if drops == self._drops:  # else it may have been revoked since it was read
                self._near[key] = near
        client, _ = near
        return None if client.expires_at is not None and client.expires_at <= now else client

    async def until_over(self, expires_at: int) -> None:
        """Comes back at the end of a token's life."""
        await self._clock.sleep(max(expires_at - self._clock.now_ms(), 0) / 1000)

    async def all(self) -> list[TokenRow]:
        return await self._database.read(queries.read_tokens)

    async def revoke(self, name: str) -> None:
        held = [row for row in await self.all() if row.name == name]
        if not await self._database.write(lambda c: queries.remove_token(c, name)):
            raise NotFound(
                f"There is no token named {name[:80]}.", code="unknown_token", hint="`prime mcp token list` shows them."
            )
        for row in held:
            self._drop(row.id)
            self._whispers.tell(f"{_TOPIC}/{row.id}", {"clientId": row.id})

    def _drop(self, client_id: str) -> None:
        self._near.clear()
        self._drops += 1
        self.on_revoked(client_id)


def delegation_of(tools: Sequence[str], effects: Sequence[str] | None) -> Delegation:
    """What is left to a client: these tools (all when none are named), and of effects only these."""
    for effect in effects or ():
        if effect not in EFFECTS:
            raise InvalidInput(
                f"There is no effect {effect[:40]!r}.", hint=f"Choose from {', '.join(EFFECTS)}.", field="effects"
            )
    restrictions: dict[str, JsonValue] = {}
    if effects is not None:
        taken = [effect for effect in EFFECTS if effect not in effects]
        files: JsonValue = {part: False for part in ("write", "delete") if part in taken}
        restrictions = {name: False for name in ("destructive", "network", "subprocess") if name in taken}
        restrictions |= {"filesystem": files} if files else {}
        restrictions |= {"cost": {"billable": False}} if "billable" in taken else {}
    given: dict[str, JsonValue] = {"effectRestrictions": restrictions}
    return Delegation.from_json(given | ({"allowedTools": [*tools, *_ALWAYS]} if tools else {}))


def _client(row: TokenRow) -> Client:
    delegation = Delegation.from_json(cast("JsonValue", json.loads(row.delegation)))
    return Client(row.id, row.name, delegation, row.expires_at)


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()
