"""The gate as one part of the house, put together and taken apart in order."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass

from prime.core.clock import Clock
from prime.core.redaction import Redactor
from prime.core.settings import Settings
from prime.hub.gate.carrying import Carrying
from prime.hub.gate.classes import Classes
from prime.hub.gate.drafts import Drafts
from prime.hub.gate.policy import AutonomyPolicy
from prime.hub.gate.recovery import Recovery
from prime.hub.gate.replies import Replies
from prime.hub.gate.senders import Senders
from prime.hub.gate.sending import Sending
from prime.hub.gate.style import Style
from prime.mind.protocol import Mind
from prime.rooms.clamp import Clamp
from prime.rooms.rooms import Rooms
from prime.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Gate:
    policy: AutonomyPolicy
    classes: Classes
    senders: Senders
    sending: Sending
    drafts: Drafts
    style: Style
    replies: Replies
    recovery: Recovery
    carrying: Carrying
    # What `external` must not see, for what is published.
    clamp: Clamp

    @classmethod
    async def open(
        cls,
        settings: Settings,
        store: Store,
        rooms: Rooms,
        clock: Clock,
        *,
        mind: Callable[[], Mind],
        secrets: Callable[[], Awaitable[Iterable[str]]],
    ) -> "Gate":
        """The gate at work; what a process left on its way is shown as uncertain."""
        senders = Senders()
        sending = Sending(store, senders)
        policy, classes, style = AutonomyPolicy(settings, store), Classes(store), Style(store)
        clamp = Clamp.load(settings.config_folder / "clamp")
        drafts = Drafts(store, rooms, policy, classes, senders, sending, clamp)

        async def hide(text: str) -> str:
            return Redactor(await secrets()).redact(text)

        drafts.hide = hide
        replies = Replies(store, rooms, drafts, style, mind, clock)
        gate = cls(
            policy=policy,
            classes=classes,
            senders=senders,
            sending=sending,
            drafts=drafts,
            style=style,
            replies=replies,
            recovery=Recovery(store, sending, replies, clock),
            carrying=Carrying(store, senders, sending, clock),
            clamp=clamp,
        )
        drafts.elsewhere = gate.carrying.holder
        await gate.recovery.start()
        gate.carrying.start()
        return gate

    async def close(self) -> None:
        """Let what is on its way arrive, and stop the rest."""
        await self.replies.stop()
        await self.carrying.stop()
        await self.sending.stop()
        await self.recovery.stop()
