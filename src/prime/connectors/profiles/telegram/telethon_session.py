"""What is kept of a connection to Telegram: the session, a secret, and how far its events were seen."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import telethon.sessions
from telethon.tl import types

from prime.connectors.profiles.telegram.client import Kept

# Telegram's own entry point has this number, and so have its test servers.
FIRST_DC = 2


StringSession: Any = telethon.sessions.StringSession  # it carries no types


class KeptSession(StringSession):
    """Telethon's session in a string. It says when it has come further, so that a later start asks for what it missed."""

    def __init__(self, kept: Kept, dc: str | None, on_position: Callable[[str], None]) -> None:
        super().__init__(_readable(kept.session))  # pyright: ignore[reportUnknownMemberType]
        self._on_position = on_position
        if dc and not self.server_address:
            address, _, port = dc.rpartition(":")
            self.set_dc(FIRST_DC, address.strip("[]"), int(port))
        state = _state(kept.position) if self.auth_key else None
        if state:
            super().set_update_state(0, state)  # pyright: ignore[reportUnknownMemberType]

    @property
    def is_ipv6(self) -> bool:
        return ":" in (self.server_address or "")

    def set_update_state(self, entity_id: int, state: Any) -> None:
        super().set_update_state(entity_id, state)  # pyright: ignore[reportUnknownMemberType]
        if entity_id == 0 and state.pts:
            self._on_position(f"{state.pts} {state.qts} {int(state.date.timestamp())} {state.seq}")


def _readable(session: str | None) -> str:
    """A session that cannot be read is none."""
    try:
        StringSession(session or "")
    except ValueError:
        return ""
    return session or ""


def _state(position: str | None) -> Any:
    try:
        pts, qts, date, seq = (int(part) for part in (position or "").split())
    except ValueError:
        return None
    return types.updates.State(pts, qts, dt.datetime.fromtimestamp(date, dt.UTC), seq, unread_count=0)
