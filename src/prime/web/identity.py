"""Who is asking."""

from dataclasses import dataclass
from typing import Literal

from starlette.requests import HTTPConnection

Role = Literal["owner", "operator", "nobody"]


@dataclass(frozen=True, slots=True)
class Identity:
    """`owner` may do everything, `operator` (the admin token) the operator routes, `nobody` what is public."""

    role: Role
    session_id: str | None = None


OWNER = Identity("owner")
NOBODY = Identity("nobody")


def identity_of(connection: HTTPConnection) -> Identity:
    """As the session gate found it."""
    found = connection.scope.get("prime.identity", NOBODY)
    assert isinstance(found, Identity)
    return found
