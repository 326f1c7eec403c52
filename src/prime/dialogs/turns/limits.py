"""How much one turn may take before it is ended."""

from dataclasses import dataclass

from prime.core.settings import Settings
from prime.dialogs.turns.state import TurnState


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """Steps are replies of the mind; tokens and money are what its requests cost together; time is time at work."""

    steps: int = 24
    tokens: int = 500_000
    micro_dollars: int = 1_000_000
    seconds: float = 900.0
    # Calls that one reply may make; more are answered with a refusal.
    calls: int = 32

    @classmethod
    def of(cls, settings: Settings) -> "TurnLimits":
        return cls(
            steps=settings.turn_max_steps,
            tokens=settings.turn_max_tokens,
            micro_dollars=round(settings.turn_max_usd * 1_000_000),
            seconds=settings.turn_max_ms / 1000,
        )

    def reached(self, state: TurnState) -> str | None:
        """What is used up, in words; None while there is something left of everything."""
        spent = state.spent
        if state.steps >= self.steps:
            return f"It has taken {self.steps} steps, which is the most."
        if spent.tokens >= self.tokens:
            return f"It has used {spent.tokens:,} tokens of {self.tokens:,}."
        if self.micro_dollars and spent.micro_dollars >= self.micro_dollars:
            return f"It has cost ${spent.micro_dollars / 1e6:.2f} of ${self.micro_dollars / 1e6:.2f}."
        return None

    def seconds_left(self, state: TurnState, now_ms: int) -> float:
        return self.seconds - state.active_ms(now_ms) / 1000
