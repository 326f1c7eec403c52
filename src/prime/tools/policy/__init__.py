"""What agents may do with tools: the owner's policy, delegations that narrow it, and the check of every single call."""

from prime.tools.policy.decision import Decision, Reason, Verdict
from prime.tools.policy.delegation import Delegation
from prime.tools.policy.effects import Ledger, Spending
from prime.tools.policy.policy import Access, Budget, Policy
from prime.tools.policy.result import ResultFilter
from prime.tools.policy.validator import Validator

__all__ = [
    "Access",
    "Budget",
    "Decision",
    "Delegation",
    "Ledger",
    "Policy",
    "Reason",
    "ResultFilter",
    "Spending",
    "Validator",
    "Verdict",
]
