"""What a model is shown of a channel: the compiled document, and as much of the history as its budget holds.

The document and the briefs in it never leave. Of the history the oldest leaves first, and a tool call only together with its
result. How far it has left is written into the log once and holds from then on, so that the next turns begin alike.
"""

from dataclasses import dataclass
from typing import Literal

from prime.core.errors import TooLarge
from prime.dialogs.document import Document, DocumentBuilder
from prime.dialogs.history import Perspective, turns_of
from prime.dialogs.members import agent_of
from prime.dialogs.window import ARCHIVED, Window, read_window
from prime.mind.tokens import MESSAGE_TOKENS, estimate
from prime.mind.turns import Conversation, Turn, Words
from prime.mind.windows import Budget, budget_for
from prime.rooms.records import PRIME
from prime.rooms.views import View, observed_by, observer
from prime.store.log import Log
from prime.store.message import NewMessage

EARLIER = "(Earlier messages of this conversation are archived and can be recalled.)"


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedPart:
    """One part of a context and its share of the budget."""

    name: str
    kind: Literal["document", "history"]
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    channel_id: str
    course: int
    agent_id: str
    budget: Budget
    document: Document
    window: Window
    parts: tuple[CountedPart, ...]
    # What was estimated before it was corrected by the provider's counts: whoever asks the model logs it beside them.
    estimated: int

    @property
    def tokens(self) -> int:
        """All parts together, in the provider's tokens as far as its counts are known."""
        return sum(part.tokens for part in self.parts)

    @property
    def turns(self) -> list[Turn]:
        turns = turns_of(self.window.pieces)
        return turns if self.window.out_up_to is None else [Words(role="user", text=EARLIER), *turns]

    @property
    def conversation(self) -> Conversation:
        return Conversation(system=self.document.text, turns=self.turns)

    @property
    def newly_out(self) -> bool:
        """Whether something has left that is not archived yet."""
        return (self.window.out_up_to or 0) > (self.window.archived_up_to or 0)


@observed_by("prime.dialogs.context.shown")
async def assemble(view: View, builder: DocumentBuilder, model: str, agent_id: str | None = None) -> Context:
    """What `model` is shown of the channel when `agent_id` (its own agent when none is named) speaks next."""
    budget = budget_for(model)
    cards = await view.cards()
    agent = agent_id or agent_of(view.channel.members, cards)
    document = await builder.build(view, agent)
    weights = [estimate(part.text, budget.family) for part in document.parts]
    fixed = sum(weights) + 2 * MESSAGE_TOKENS + estimate(EARLIER, budget.family)
    if fixed > budget.tokens * 9 // 10:
        raise TooLarge(
            f"The brief and what else stands above the conversation need about {fixed:,} tokens of {budget.tokens:,}.",
            code="context_too_small",
            hint="Shorten the brief or the template, or use a model that takes more.",
            channelId=view.channel.id,
        )
    perspective = Perspective(agent, {card.id: card.name for card in cards})
    window = await read_window(view, perspective, budget, fixed)
    counted = [
        CountedPart(name=part.title, kind="document", tokens=round(weight * window.factor))
        for part, weight in zip(document.parts, weights, strict=True)
    ]
    history = CountedPart(name="History", kind="history", tokens=round(window.estimated * window.factor))
    return Context(
        channel_id=view.channel.id,
        course=view.channel.course,
        agent_id=agent,
        budget=budget,
        document=document,
        window=window,
        parts=(*counted, history),
        estimated=fixed + window.estimated,
    )


async def shown(view: View) -> tuple[str, list[Turn]]:
    """What the offline engine would be shown, for the comparison of what channels can observe."""
    context = await assemble(view, DocumentBuilder(), "offline")
    return context.document.text, context.turns


observer(shown)


async def archive(log: Log, context: Context) -> None:
    """Write down how far the history has left the context; from there back it is the archive."""
    up_to = context.window.out_up_to
    if up_to is None or not context.newly_out:
        return
    body = {"op": ARCHIVED, "course": context.course, "upTo": up_to, "budget": context.budget.tokens}
    await log.append(
        NewMessage(
            channel_id=context.channel_id,
            actor_id=PRIME,
            kind="system",
            text="Older messages have left the model's context. They are archived and can be recalled.",
            body=body,
            course=context.course,
            # Two who assemble at once leave one note.
            idempotency_key=f"archived/{context.course}/{up_to}",
        )
    )
