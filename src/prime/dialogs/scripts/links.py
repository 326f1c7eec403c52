"""Tool calls and their results belong together.

A result follows its call, has its id and its name, and a call has one result at most. An id may be used again when the
earlier call has its result: histories joined from several scripts do that. A call without a result is kept: the history
may end there. Ids of teammates' calls lead into other dialogs and are not followed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from prime.dialogs.scripts.records import FuncCall, FuncResult, Record


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """The first record whose link is wrong."""

    index: int
    message: str
    hint: str


def broken_link(records: Sequence[Record]) -> BrokenLink | None:
    """The first wrong link of a history; None when all calls and results fit."""
    waiting: dict[str, FuncCall] = {}
    answered: set[str] = set()
    for index, record in enumerate(records):
        problem = None
        if isinstance(record, FuncCall):
            problem = _call_problem(record, waiting)
            waiting[record.id] = record
        elif isinstance(record, FuncResult):
            call = waiting.pop(record.id, None)
            problem = _result_problem(record, call, answered, records[index + 1 :] if call is None else ())
            answered.add(record.id)
        if problem is not None:
            return BrokenLink(index, *problem)
    return None


def open_calls(records: Sequence[Record]) -> tuple[FuncCall, ...]:
    """The calls that have no result, in order."""
    waiting: dict[str, FuncCall] = {}
    for record in records:
        if isinstance(record, FuncCall):
            waiting[record.id] = record
        elif isinstance(record, FuncResult):
            waiting.pop(record.id, None)
    return tuple(waiting.values())


def _call_problem(call: FuncCall, waiting: dict[str, FuncCall]) -> tuple[str, str] | None:
    if call.id not in waiting:
        return None
    message = f"The call id {call.id[:80]!r} is used again before its first call has a result."
    return message, "Give this call an id of its own, or put the first call's result before it."


def _result_problem(
    result: FuncResult, call: FuncCall | None, answered: set[str], later: Sequence[Record]
) -> tuple[str, str] | None:
    shown = repr(result.id[:80])
    if call is not None:
        if call.name == result.name:
            return None
        return f"The result of call {shown} names {result.name[:80]!r}.", f"The call names {call.name[:80]!r}."
    if result.id in answered:
        return f"The call {shown} has a result already.", "Remove one of the two results."
    if any(isinstance(record, FuncCall) and record.id == result.id for record in later):
        return f"The result of call {shown} comes before its call.", "Put the call first."
    return f"There is no call {shown} before this result.", "Add its func_call_record, or remove the result."
