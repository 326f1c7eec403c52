"""One pipeline for every tool, whatever it is made of: find, prime, check, ask, run, filter, log."""

from prime.tools.pipeline.approving import (
    Approval,
    ApprovalPending,
    ApprovalRefused,
    ApprovalStale,
    Approver,
    NobodyToAsk,
)
from prime.tools.pipeline.call import CallSession, ToolCall, ToolResult
from prime.tools.pipeline.calllog import CallLog, CallsInMemory
from prime.tools.pipeline.pipeline import Pipeline, Stages

__all__ = [
    "Approval",
    "ApprovalPending",
    "ApprovalRefused",
    "ApprovalStale",
    "Approver",
    "CallLog",
    "CallSession",
    "CallsInMemory",
    "NobodyToAsk",
    "Pipeline",
    "Stages",
    "ToolCall",
    "ToolResult",
]
