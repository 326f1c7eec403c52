"""The X account as a connector: it polls, because X pushes nothing, and it answers in existing conversations only."""

import logging
from collections.abc import Callable, Mapping

from prime.connectors.contract import Declaration, Desk, Setting, Status
from prime.connectors.profiles.telegram.profile import TIER
from prime.connectors.profiles.x.client import Account, Post, Where, XClient, find_own
from prime.connectors.rest import Limited
from prime.core.errors import Conflict, InvalidInput, PrimeError, Unavailable
from prime.hub.gate.records import Delivered, Outgoing
from prime.hub.gate.replies import Incoming
from prime.hub.gate.senders import Progress, Sender
from prime.rooms.tier import parse_tier
from prime.store.outbox import NotSent

log = logging.getLogger(__name__)

NAME = "x"
PREFIX = "ch_pp_x_"
MAX_LENGTH = 10_000  # a direct message's; a post's is the account's affair
POST_LENGTH = 280
LEAST_SECONDS = 15
COPY_ONLY = "X has no token here: copy the draft and send it yourself."

DECLARATION = Declaration(
    name=NAME,
    kind="profile",
    title="X",
    description="Your own X account: mentions, replies and direct messages in conversations you already have.",
    settings=(
        Setting(
            name="mode",
            label="Mode",
            kind="choice",
            choices=("api", "draft_only"),
            default="draft_only",
            help="With a token of the paid API Prime can read and send. Without one, paste what you want answered.",
        ),
        Setting(name="token", label="API token (user context)", kind="password", secret=True),
        Setting(name="every_seconds", label="Seconds between two looks", kind="number", default="60"),
        TIER,
    ),
    capabilities=("reads mentions, replies and direct messages", "drafts replies", "never begins a conversation"),
)


class XProfile:
    declaration = DECLARATION

    def __init__(self, make_client: Callable[[Desk, str], XClient], *, mock: bool = False) -> None:
        self._make_client = make_client
        self._mock = mock
        self._desk: Desk | None = None
        self._client: XClient | None = None
        self._me = Account("", "")

    @property
    def sender(self) -> Sender | None:
        return XSender(self._client) if self._client else None

    async def connect(self, desk: Desk) -> Status:
        self._desk = desk
        token = await desk.secret("token") or ""
        if desk.values.get("mode") != "api" and not self._mock:
            return Status(state="connected", facts={"mode": "draft_only"}, detail=COPY_ONLY)
        if not token and not self._mock:
            raise InvalidInput("The mode api needs a token.", hint="Set it, or choose draft_only.", field="token")
        client = self._make_client(desk, token)
        self._me = await client.me()
        self._client = client
        return Status(state="connected", facts={"mode": "api", "account": self._me.name})

    async def answer(self, given: Mapping[str, str]) -> Status:
        raise InvalidInput("X asks for nothing.")

    async def run(self) -> None:
        desk, client = self._desk, self._client
        if desk is None or client is None:
            return
        await self._learn(desk, client)
        while True:
            wait = self._pace(desk)
            try:
                await self.look()
                desk.report(Status(state="connected", facts={"mode": "api", "account": self._me.name}))
            except Limited as error:
                wait = max(wait, float(str(error.data.get("retryAfter") or 0)))
                desk.report(
                    Status(state="connected", detail=str(error), facts={"mode": "api", "account": self._me.name})
                )
            await desk.clock.sleep(wait)

    async def disconnect(self) -> None:
        self._desk = self._client = None

    async def look(self) -> None:
        """What is new since the last look, once."""
        desk, client = self._desk, self._client
        if desk is None or client is None:
            return
        since = await desk.recall("mentions")
        for post in await client.mentions(self._me, since):
            # The first look finds the past, which nobody waits for an answer to; the mock begins with news.
            await self._take(desk, post, answer=since is not None or self._mock)
            await desk.remember("mentions", str(max(int(post.id), int(await desk.recall("mentions") or 0))))
        if since is None and await desk.recall("mentions") is None:
            await desk.remember("mentions", "1")
        await self._look_at_messages(desk, client)

    async def _look_at_messages(self, desk: Desk, client: XClient) -> None:
        last = await desk.recall("dms")
        messages = await client.messages(self._me)
        # Where the owner has written before is a conversation; elsewhere a stranger knocks.
        existing = {post.thread for post in messages if post.own}
        for post in messages:
            if post.id.isdecimal() and int(post.id) > int(last or 0):
                if post.thread in existing or await desk.recall(f"thread/{post.thread}"):
                    await desk.remember(f"thread/{post.thread}", "1")
                    await self._take(desk, post, answer=last is not None or self._mock)
                await desk.remember("dms", post.id)
        if last is None and await desk.recall("dms") is None:
            await desk.remember("dms", "1")

    async def paste(self, author: str, text: str) -> None:
        """Something that the owner read on X and wants answered; what is drafted is theirs to send."""
        desk = self._desk
        if desk is None:
            raise Conflict("X is not connected.", hint="Connect it, with or without a token.")
        handle = "".join(c for c in author.lower().lstrip("@") if c.isalnum()) or "someone"
        number = str(desk.clock.now_ms())
        await desk.receive(
            Incoming(
                connector=NAME,
                prefix=PREFIX,
                conversation=f"pasted-{handle}"[:40],
                person=author,
                external_id=f"pasted/{number}",
                text=text,
                target={"copyOnly": True},
                tier=parse_tier(desk.values.get("tier") or "external"),
                needs_owner=COPY_ONLY,
            )
        )

    async def _take(self, desk: Desk, post: Post, *, answer: bool) -> None:
        await desk.receive(
            Incoming(
                connector=NAME,
                prefix=PREFIX,
                conversation=post.author_id if post.where == "post" else f"dm-{post.thread}",
                person=post.author,
                external_id=post.id,
                text=post.text,
                target={"where": post.where, "postId": post.id, "thread": post.thread},
                own=post.own,
                answer=answer,
                tier=parse_tier(desk.values.get("tier") or "external"),
            )
        )

    async def _learn(self, desk: Desk, client: XClient) -> None:
        try:
            await desk.learn_style([post.text for post in await client.own_posts(self._me)])
        except (PrimeError, Unavailable) as error:
            log.warning("the style sheet could not be learned: %s", error)

    def _pace(self, desk: Desk) -> float:
        return 2.0 if self._mock else float(max(LEAST_SECONDS, int(desk.values.get("every_seconds") or 60)))


class XSender:
    """X takes no key of ours; a lost answer is looked for among the owner's own posts."""

    max_length = MAX_LENGTH

    def __init__(self, client: XClient) -> None:
        self._client = client

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        where, thread, post_id = _place(outgoing)
        if where == "dm":
            return Delivered(external_id=await self._client.message(thread, outgoing.text))
        if not post_id:
            raise NotSent("There is no post to reply to.", hint="Copy it and send it yourself.")
        if len(outgoing.text) > POST_LENGTH:
            raise NotSent(f"A post has at most {POST_LENGTH} characters, this has {len(outgoing.text)}.")
        sent = await self._client.reply(post_id, outgoing.text)
        return Delivered(external_id=sent, url=f"https://x.com/i/status/{sent}")

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        where, thread, _ = _place(outgoing)
        found = await find_own(self._client, outgoing.text, thread=thread, where=where)
        return Delivered(external_id=found or "")


def _place(outgoing: Outgoing) -> tuple[Where, str, str]:
    where: Where = "dm" if outgoing.target.get("where") == "dm" else "post"
    return where, str(outgoing.target.get("thread") or ""), str(outgoing.target.get("postId") or "")
