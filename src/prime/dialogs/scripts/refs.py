"""Names of scripts: `individual/<member>/<slug>` and `team_shared/<slug>`, and nothing that leads anywhere else."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

from prime.core.errors import InvalidInput

Scope: TypeAlias = Literal["individual", "team_shared"]

_SEGMENT = re.compile(r"[A-Za-z0-9._-]{1,200}")
_MOST_SEGMENTS = 16
FOLDER = (".minds", "priming")


@dataclass(frozen=True, slots=True)
class ScriptRef:
    """One script's name. Made by `parse_ref`, `individual` or `shared`, so its parts are known to be harmless."""

    scope: Scope
    member: str | None
    slug: str

    def __str__(self) -> str:
        return "/".join((self.scope, *([self.member] if self.member is not None else []), self.slug))

    @property
    def folders(self) -> tuple[str, ...]:
        """The folders from the workspace down to the file."""
        return (*FOLDER, *str(self).split("/")[:-1])

    @property
    def file_name(self) -> str:
        return self.slug.rsplit("/", 1)[-1] + ".md"

    @property
    def path(self) -> str:
        """The file, from the workspace on."""
        return "/".join((*self.folders, self.file_name))


def individual(member: str, slug: str) -> ScriptRef:
    """The name of a member's own script."""
    return ScriptRef("individual", check_member(member), check_slug(slug))


def shared(slug: str) -> ScriptRef:
    """The name of a script that the whole team has."""
    return ScriptRef("team_shared", None, check_slug(slug))


def parse_ref(text: str) -> ScriptRef:
    """The script that `individual/<member>/<slug>` or `team_shared/<slug>` names."""
    scope, _, rest = text.partition("/")
    if scope == "team_shared":
        return shared(rest)
    member, _, slug = rest.partition("/")
    if scope != "individual":
        raise InvalidInput(
            f"{text[:120]!r} names no script.", hint="Write individual/<member>/<slug> or team_shared/<slug>."
        )
    return individual(member, slug)


def check_member(member: str) -> str:
    """A member's id, which is one folder's name."""
    return _checked(member, "member id", most=1)


def check_slug(slug: str) -> str:
    """A slug: one or more segments with `/` between them."""
    return _checked(slug, "slug", most=_MOST_SEGMENTS)


def _checked(text: str, what: str, *, most: int) -> str:
    parts = text.split("/")
    if len(parts) > most or not all(_SEGMENT.fullmatch(part) and part not in {".", ".."} for part in parts):
        raise InvalidInput(
            f"{text[:120]!r} cannot be a {what}.",
            hint="Use letters A-Z and a-z, digits, `.`, `_` and `-`"
            + (", with / between folders." if most > 1 else "."),
        )
    return text
