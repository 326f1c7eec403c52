"""Who is asking."""

from dataclasses import dataclass
from typing import Literal

from starlette.requests import HTTPConnection

from prime.accounts.guests import Reach

Role = Literal["owner", "guest", "operator", "nobody"]


@dataclass(frozen=True, slots=True)
class Identity:
    """`owner` may do everything, `guest` what lies in their channels, `operator` (the admin token) the operator
    routes, `nobody` what is public."""

    role: Role
    session_id: str | None = None
    # What a guest may reach.
    reach: Reach | None = None


OWNER = Identity("owner")
NOBODY = Identity("nobody")


def identity_of(connection: HTTPConnection) -> Identity:
    """As the session gate found it."""
    found = connection.scope.get("prime.identity", NOBODY)
    assert isinstance(found, Identity)
    return found
