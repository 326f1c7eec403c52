"""The owner's policy as a document: shown whole, checked before it is kept, and written in one step."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from prime.core.errors import Conflict, JsonValue, PrimeError
from prime.core.whole_file import replace_file
from prime.tools.policy import fields as read
from prime.tools.policy.policy import Policy

SECTIONS = ("allow", "budget", "confirm", "deny", "paths", "delegation")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptPolicy:
    """`problem` is why the file cannot be used; until it is mended nothing runs, and `document` is the default."""

    document: Mapping[str, JsonValue]
    version: str
    problem: str | None = None


def policy_document(policy: Policy) -> dict[str, JsonValue]:
    """What a policy says, with what it leaves to the defaults."""
    document: dict[str, JsonValue] = {
        "allow": {
            "destructive": policy.destructive,
            "billable": policy.billable,
            "network": policy.network,
            "write": policy.write,
        },
        "confirm": list(policy.confirm),
        "deny": list(policy.deny),
        "paths": {"read": list(policy.read_paths), "write": list(policy.write_paths)},
    }
    if policy.budget is not None:
        document["budget"] = {"limit": policy.budget.limit, "estimates": dict(policy.budget.estimates)}
    if policy.delegation is not None:
        document["delegation"] = policy.delegation.to_json()
    return document


def read_policy(path: Path) -> KeptPolicy:
    """What the file says now."""
    try:
        policy = Policy.load(path)
    except PrimeError as error:
        return KeptPolicy(document=policy_document(Policy()), version="", problem=str(error))
    return KeptPolicy(document=policy_document(policy), version=policy.version)


def write_policy(path: Path, document: JsonValue, *, version: str) -> KeptPolicy:
    """Keep a document that is right; `version` is the one that it was made from, so that no change is lost."""
    Policy.from_json(document)
    if read_policy(path).version != version:
        raise Conflict(
            "The policy was changed in the meantime.", hint="Look at it again, then save.", code="policy_changed"
        )
    own = {key: value for key, value in cast("dict[str, JsonValue]", document).items() if key in SECTIONS}
    path.parent.mkdir(mode=0o755, parents=True, exist_ok=True)  # whatever the umask
    replace_file(path, json.dumps({**_remarks(path), **own}, ensure_ascii=False, indent=2) + "\n")
    return read_policy(path)


def _remarks(path: Path) -> dict[str, JsonValue]:
    """What the owner or a program has noted in the file (`x-…`) stays there."""
    try:
        there = read.loads(path.read_text(encoding="utf-8"), str(path))
    except (OSError, UnicodeDecodeError, PrimeError):
        return {}
    if not isinstance(there, dict):
        return {}
    return {key: value for key, value in cast("dict[str, JsonValue]", there).items() if key.startswith("x-")}
