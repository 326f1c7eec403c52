"""What becomes of a call: it may run, somebody is asked first, or it does not run. Always with reasons."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from prime.core.errors import Forbidden, JsonValue

Verdict = Literal["allow", "ask", "deny"]
_ORDER: tuple[Verdict, ...] = ("allow", "ask", "deny")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a call is not simply run. `code` is for programs, `text` for people, `next_step` says what would help."""

    verdict: Verdict
    code: str
    text: str
    next_step: str = ""

    def as_json(self) -> dict[str, JsonValue]:
        shown: dict[str, JsonValue] = {"verdict": self.verdict, "code": self.code, "text": self.text}
        return shown | ({"nextStep": self.next_step} if self.next_step else {})


def ask(code: str, text: str, next_step: str = "") -> Reason:
    return Reason("ask", code, text, next_step)


def deny(code: str, text: str, next_step: str) -> Reason:
    return Reason("deny", code, text, next_step)


@dataclass(frozen=True, slots=True)
class Decision:
    """The verdict and everything that led to it; the strictest reason decides."""

    reasons: tuple[Reason, ...] = ()

    @staticmethod
    def of(reasons: Iterable[Reason]) -> "Decision":
        """Each reason once, refusals first."""
        unique = dict.fromkeys(reasons)
        return Decision(tuple(sorted(unique, key=lambda reason: -_ORDER.index(reason.verdict))))

    @property
    def verdict(self) -> Verdict:
        return self.reasons[0].verdict if self.reasons else "allow"

    @property
    def allowed(self) -> bool:
        return self.verdict == "allow"

    @property
    def asks(self) -> bool:
        return self.verdict == "ask"

    @property
    def denied(self) -> bool:
        return self.verdict == "deny"

    @property
    def codes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(reason.code for reason in self.reasons))

    def error(self, tool: str) -> Forbidden:
        """The refusal as an error; for a decision that denies, or one that asks where nobody can be asked."""
        first = self.reasons[0]
        code = first.code if self.denied else "confirmation_required"
        hint = first.next_step or "Ask the owner to approve this call."
        return Forbidden(
            f"{tool}: {first.text}",
            code=code,
            hint=hint,
            tool=tool,
            reasons=[reason.as_json() for reason in self.reasons],
        )

    def as_json(self) -> dict[str, JsonValue]:
        return {"verdict": self.verdict, "reasons": [reason.as_json() for reason in self.reasons]}
