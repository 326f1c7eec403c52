"""Running tools: one call or several of a reply, with login, checksum, sandbox, time limit and filtered results."""

from prime.tools.execution.context import RecentCommand, ToolContext
from prime.tools.execution.executor import Call, Execution, Executor
from prime.tools.execution.interaction import NeedsInput
from prime.tools.execution.schedule import conflict, waits_for

__all__ = ["Call", "Execution", "Executor", "NeedsInput", "RecentCommand", "ToolContext", "conflict", "waits_for"]
