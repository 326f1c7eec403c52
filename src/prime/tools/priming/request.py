"""What an agent says when it primes a tool (RFC 8.1), read strictly. Standard library only: tools import this."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast

from prime.core.errors import InvalidInput, JsonValue

UserRole = Literal["end_user", "admin", "system"]
ROLES: tuple[UserRole, ...] = ("end_user", "admin", "system")
_TEXTS = ("agentId", "sessionId", "locale")
_OBJECTS = ("capabilities", "metadata")
_FIELDS = ("agentId", "sessionId", "capabilities", "locale", "userRole", "metadata")
_KINDS: Mapping[type, str] = {
    type(None): "null",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "text",
    list: "a list",
    dict: "an object",
}


class InvalidPrimeRequest(InvalidInput):
    """A request that section 8.1 does not allow; `field` names what is wrong."""

    code = "invalid_prime_request"

    def __init__(self, field: str, message: str, hint: str) -> None:
        super().__init__(message, hint=hint, field=field)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class PrimeRequest:
    """Who primes, for which session, and what they say about themselves; None is what was not said."""

    agent_id: str
    session_id: str
    capabilities: Mapping[str, JsonValue] | None = None
    locale: str | None = None
    user_role: UserRole = "end_user"
    metadata: Mapping[str, JsonValue] | None = None

    @staticmethod
    def from_json(value: JsonValue) -> "PrimeRequest":
        """Read and check; `InvalidPrimeRequest` names the first field that is wrong."""
        if not isinstance(value, dict):
            raise InvalidPrimeRequest(
                "", f"A prime request is an object, not {_kind(value)}.", "Send agentId and sessionId."
            )
        given = cast("dict[str, JsonValue]", value)
        for name in given:
            if name not in _FIELDS:
                shown = str(name)[:80].encode("utf-8", "replace").decode()
                raise InvalidPrimeRequest(
                    shown, f"A prime request has no field {shown!r}.", f"It has {', '.join(_FIELDS)}."
                )
        for name in ("agentId", "sessionId"):
            if name not in given:
                raise InvalidPrimeRequest(name, f"{name} is missing.", "A prime request needs agentId and sessionId.")
        for name in _TEXTS:
            if name in given and not isinstance(given[name], str):
                raise InvalidPrimeRequest(name, f"{name} is text, not {_kind(given[name])}.", "Send a string.")
            if half_character(given.get(name)):
                raise InvalidPrimeRequest(name, f"{name} has half a character in it.", "Send Unicode text.")
        for name in _OBJECTS:
            if name in given and not isinstance(given[name], dict):
                raise InvalidPrimeRequest(
                    name, f"{name} is an object, not {_kind(given[name])}.", "Send a JSON object."
                )
        return PrimeRequest(
            agent_id=cast("str", given["agentId"]),
            session_id=cast("str", given["sessionId"]),
            capabilities=cast("dict[str, JsonValue] | None", given.get("capabilities")),
            locale=cast("str | None", given.get("locale")),
            user_role=_role(given.get("userRole", "end_user")),
            metadata=cast("dict[str, JsonValue] | None", given.get("metadata")),
        )

    def to_json(self) -> dict[str, JsonValue]:
        """As it goes over the wire; what was not said is left out."""
        shown: dict[str, JsonValue | None] = {
            "agentId": self.agent_id,
            "sessionId": self.session_id,
            "capabilities": None if self.capabilities is None else dict(self.capabilities),
            "locale": self.locale,
            "userRole": self.user_role,
            "metadata": None if self.metadata is None else dict(self.metadata),
        }
        return {key: value for key, value in shown.items() if value is not None}


def half_character(value: JsonValue) -> bool:
    """A surrogate without its other half: JSON can say it, and no answer could say it back."""
    return isinstance(value, str) and any("\ud800" <= char <= "\udfff" for char in value)


def _role(value: JsonValue) -> UserRole:
    for role in ROLES:
        if value == role:
            return role
    said = repr(value)[:80] if isinstance(value, str) else _kind(value)
    raise InvalidPrimeRequest("userRole", f"userRole cannot be {said}.", f"Use one of {', '.join(ROLES)}.")


def _kind(value: JsonValue) -> str:
    return _KINDS.get(type(value), type(value).__name__)
