"""What the owner lets agents do with tools (RFC 11.2): by effect, with lists of commands that always ask or never run."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Literal, cast

from prime.core.errors import InvalidInput, JsonValue, Unavailable
from prime.tools.policy import fields as read
from prime.tools.policy.delegation import Delegation

Access = Literal["allow", "ask", "deny"]
_EFFECTS = ("destructive", "billable", "network", "write")
_SPOKEN: Mapping[JsonValue, Access] = {"allow": "allow", "ask": "ask", "deny": "deny"}
_ESTIMATES: Mapping[str, float] = {"free": 0.0, "low": 0.1, "medium": 1.0, "high": 10.0}


def _estimates() -> Mapping[str, float]:
    return _ESTIMATES


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What billable calls may cost together, in a currency of the owner's choice.

    ATIP estimates are words, so each word has a price here; a word without one, and no word, costs the dearest.
    """

    limit: float
    estimates: Mapping[str, float] = field(default_factory=_estimates)

    def price(self, estimate: str | None) -> float:
        return self.estimates.get(estimate or "", max(self.estimates.values(), default=self.limit))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """`allow`, `ask` or `deny` for each kind of effect. The default lets only declared, local reading through.

    `confirm` and `deny` are commands (`git push`, `docker *`): these always ask, or never run. `read_paths` and
    `write_paths` are folders outside the workspace that tools may use. What launches programs always asks.
    """

    destructive: Access = "ask"
    billable: Access = "ask"
    network: Access = "ask"
    write: Access = "ask"
    budget: Budget | None = None
    confirm: tuple[str, ...] = ()
    deny: tuple[str, ...] = ()
    read_paths: tuple[str, ...] = ()
    write_paths: tuple[str, ...] = ()
    delegation: Delegation | None = None
    # Changes when anything here does: approvals are bound to it.
    version: str = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        shown = {part.name: repr(getattr(self, part.name)) for part in fields(self) if part.init}
        digest = hashlib.sha256(json.dumps(shown, sort_keys=True).encode()).hexdigest()
        object.__setattr__(self, "version", digest[:16])  # asked for at every call

    @staticmethod
    def from_json(value: JsonValue, *, where: str = "policy") -> "Policy":
        """From a parsed document; what is wrong is `invalid_policy` with file, JSON pointer and what to write."""
        known = ("allow", "budget", "confirm", "deny", "paths", "delegation")
        top = read.an_object(value, where, "", known)
        access = dict(_section(top, "allow", _EFFECTS, where))
        paths = dict(_section(top, "paths", ("read", "write"), where))
        given = top.get("delegation")
        return Policy(
            destructive=_access(access.get("destructive", "ask"), where, "/allow/destructive"),
            billable=_access(access.get("billable", "ask"), where, "/allow/billable"),
            network=_access(access.get("network", "ask"), where, "/allow/network"),
            write=_access(access.get("write", "ask"), where, "/allow/write"),
            budget=_budget(top["budget"], where) if "budget" in top else None,
            confirm=read.a_list_of_words(top.get("confirm", []), where, "/confirm"),
            deny=read.a_list_of_words(top.get("deny", []), where, "/deny"),
            read_paths=_folders(paths.get("read", []), where, "/paths/read"),
            write_paths=_folders(paths.get("write", []), where, "/paths/write"),
            delegation=Delegation.from_json(given, where=where, pointer="/delegation") if "delegation" in top else None,
        )

    @staticmethod
    def load(path: Path) -> "Policy":
        """The policy in a file; the default when there is none."""
        try:
            text = path.read_text(encoding="utf-8")
        except FileNotFoundError:
            return Policy()
        except UnicodeDecodeError:
            raise InvalidInput(f"{path} is not UTF-8 text.", code="invalid_policy", file=str(path)) from None
        except OSError as error:
            message = f"{path} cannot be read: {error.strerror}."
            raise Unavailable(message, hint="Without a readable policy nothing is allowed.", file=str(path)) from error
        return Policy.from_json(read.loads(text, str(path)), where=str(path))


def _section(
    top: Mapping[str, JsonValue], name: str, known: tuple[str, ...], where: str
) -> list[tuple[str, JsonValue]]:
    if name not in top:
        return []
    return [(key, value) for key, value in read.an_object(top[name], where, f"/{name}", known).items() if key in known]


def _access(value: JsonValue, where: str, pointer: str) -> Access:
    """A boolean is read as in the RFC: true allows, false asks for confirmation."""
    if isinstance(value, bool):
        return "allow" if value else "ask"
    if isinstance(value, str) and value in _SPOKEN:
        return _SPOKEN[value]
    raise read.wrong(where, pointer, f"not {read.kind(value)}.", 'Write true, false, "allow", "ask" or "deny".')


def _folders(value: JsonValue, where: str, pointer: str) -> tuple[str, ...]:
    folders = read.a_list_of_words(value, where, pointer)
    for index, folder in enumerate(folders):
        if not folder.startswith(("/", "~")):
            raise read.wrong(where, f"{pointer}/{index}", "a path from / or ~ on is needed.", "Write the whole path.")
    return folders


def _budget(value: JsonValue, where: str) -> Budget:
    given = read.an_object(value, where, "/budget", ("limit", "estimates"))
    if "limit" not in given:
        raise read.wrong(where, "/budget", "has no limit.", 'Write {"limit": 5}.')
    limit = read.a_number(given["limit"], where, "/budget/limit")
    if "estimates" not in given:
        return Budget(limit=limit)
    words = read.an_object(given["estimates"], where, "/budget/estimates", _words(given["estimates"]))
    prices = {word: read.a_number(price, where, f"/budget/estimates/{word}") for word, price in words.items()}
    return Budget(limit=limit, estimates={**_ESTIMATES, **prices})


def _words(value: JsonValue) -> list[str]:
    return list(cast("dict[str, JsonValue]", value)) if isinstance(value, dict) else []
