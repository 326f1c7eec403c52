"""A startup script: what its frontmatter says, and its records."""

from dataclasses import dataclass, field

from prime.dialogs.scripts.records import Record

KIND = "agent_priming_script"
VERSION = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceDialog:
    """The dialog that a script was saved from."""

    root_id: str
    self_id: str
    course: int
    status: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The script's frontmatter; `kind` and `version` are the same in every script."""

    title: str | None = None
    applicable_member_ids: tuple[str, ...] | None = None
    """Who a shared script is for; None or nobody named: everyone."""
    owner_agent_id: str | None = None
    generated_at: str | None = None
    source_dialog: SourceDialog | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """A history that a dialog can begin with."""

    header: Header = field(default_factory=Header)
    records: tuple[Record, ...]
