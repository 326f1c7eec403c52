"""Several scripts as one history, and who a script is for."""

import dataclasses
from collections.abc import Sequence

from prime.core.errors import Conflict, Forbidden, InvalidInput
from prime.dialogs.scripts.fields import MAX_COUNT
from prime.dialogs.scripts.links import broken_link
from prime.dialogs.scripts.records import Record, TeammateCallAnchor, TeammateCallResult, TeammateResponse
from prime.dialogs.scripts.refs import ScriptRef
from prime.dialogs.scripts.script import Header, Script


def combine(scripts: Sequence[Script]) -> tuple[Record, ...]:
    """The records of all scripts in order, as one history.

    The first script keeps its generation numbers; each later one is moved up, as a whole, so that it begins behind what
    came before. Nothing else of a record changes, call ids included.
    """
    if not scripts:
        raise InvalidInput("There is no script to begin with.", hint="Name at least one.")
    joined: list[Record] = []
    highest = -1
    for script in scripts:
        numbers = [number for record in script.records for number in _numbers(record)]
        offset = max(0, highest + 1 - min(numbers)) if joined and numbers else 0
        joined += [moved(record, offset) for record in script.records]
        highest = max([highest, *(number + offset for number in numbers)])
    if highest > MAX_COUNT:
        raise Conflict("These scripts together count beyond what can be counted.", hint="Lower the first one's genseq.")
    broken = broken_link(joined)
    if broken is not None:
        raise Conflict(f"These scripts do not fit together: {broken.message}", hint=broken.hint)
    return tuple(joined)


def moved(record: Record, offset: int) -> Record:
    """The record with every number that counts this dialog's generations moved up by `offset`.

    `calleeGenseq` counts those of another dialog and stays.
    """
    if offset == 0:
        return record
    if isinstance(record, (TeammateCallResult, TeammateResponse)):
        number = record.calling_genseq
        return record if number is None else dataclasses.replace(record, calling_genseq=number + offset)
    if isinstance(record, TeammateCallAnchor) and record.assignment_genseq is not None:
        assigned = record.assignment_genseq + offset
        return dataclasses.replace(record, genseq=record.genseq + offset, assignment_genseq=assigned)
    return dataclasses.replace(record, genseq=record.genseq + offset)


def applies_to(ref: ScriptRef, header: Header, member: str) -> bool:
    """Whether a script is for this member: its own folder's, or a shared one that names the member or nobody."""
    if ref.member is not None:
        return ref.member == member
    return not header.applicable_member_ids or member in header.applicable_member_ids


def require_applies(ref: ScriptRef, header: Header, member: str) -> None:
    """Refuse a script that is not for this member."""
    if not applies_to(ref, header, member):
        raise Forbidden(
            f"The script {ref} is not for {member}.",
            hint="Add the member to its applicableMemberIds." if ref.member is None else "Share it in team_shared.",
            scriptRef=str(ref),
        )


def _numbers(record: Record) -> tuple[int, ...]:
    if isinstance(record, (TeammateCallResult, TeammateResponse)):
        return () if record.calling_genseq is None else (record.calling_genseq,)
    return (record.genseq,)
