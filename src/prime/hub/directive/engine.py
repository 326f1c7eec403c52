"""The engine: on every beat, new messages per channel are judged, decided about, and the decisions logged."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace

from prime.core.clock import Clock, is_due
from prime.core.errors import PrimeError
from prime.hub.commitments import Commitments, is_chinese, leaves_open
from prime.hub.directive import queries
from prime.hub.directive.candidates import Place, Sorter
from prime.hub.directive.decisions import Judged, made_sense_of, silent_message
from prime.hub.directive.discretion import Discretion
from prime.hub.directive.queries import DIRECTIVE, Fresh, Heard
from prime.hub.directive.updates import Updates
from prime.hub.feed import card_message
from prime.hub.pace import Pace, PaceSource
from prime.hub.projects.queries import Project, aims_for, read_projects
from prime.hub.rules import RuleBook
from prime.hub.speaking import LINES, LONGEST_LINE, line_of
from prime.hub.swarm.swarm import Swarm
from prime.mind.jobs.judging import JudgeRequest, KnownQuestion, KnownRule
from prime.mind.jobs.lines import NOTHING, Line, Usage
from prime.mind.protocol import Mind
from prime.mind.spend import SpendStopped
from prime.rooms.briefs import facts_of
from prime.rooms.queries import ROOMS
from prime.rooms.questions import Questions, settling_message
from prime.rooms.records import HUB, OWNER, PRIME, Channel, Question
from prime.rooms.rooms import Rooms
from prime.rooms.tier import Tier, is_below
from prime.rooms.views import View
from prime.store.leases import Lease, StaleLease
from prime.store.message import Message, NewMessage
from prime.store.store import Store

log = logging.getLogger(__name__)

RESOURCE = "directive"
LEASE_MS = 120_000
# Lines shown of other channels.
ELSEWHERE = 20
SETTLED = 20
AT_ONCE = 4
# A model on an old computer takes minutes, and one request waits for another; whoever takes longer is left out of the round.
JUDGE_SECONDS = 900.0
MOST_FAILURES = 3
FIRST_BACK_OFF_MS = 15_000
LONGEST_BACK_OFF_MS = FIRST_BACK_OFF_MS * 2**MOST_FAILURES
MOST_TOGETHER = 1_000
READ_TOGETHER = 16


@dataclass(frozen=True, slots=True)
class Known:
    """What holds for every channel of one round."""

    names: dict[str, str]
    book: RuleBook
    pending: list[Question]
    settled: list[Question]
    # The channels that those were asked in, and those of rules.
    places: dict[str, Channel]
    projects: list[Project]
    latest: list[Message]
    commitments: Commitments

    @property
    def tiers(self) -> dict[str, Tier]:
        return {channel_id: channel.tier for channel_id, channel in self.places.items()}

    def told(self, tier: Tier, questions: Sequence[Question]) -> list[Question]:
        """Those whose answers may be told to this tier."""
        return [q for q in questions if not is_below(tier, self.places[q.channel_id].tier)]

    def elsewhere(self, channel_id: str) -> list[Message]:
        return [m for m in self.latest if m.channel_id != channel_id][-ELSEWHERE:]

    def kept_from(self, place: Place) -> list[str]:
        """What a mind is shown that was not said to this channel, nor to any of its tier."""
        rules = [r for r in self.book.rules if is_below(place.tier, self.places[r.channel_id or HUB].tier)]
        asked = [q for q in self.pending if q.channel_id != place.id]
        texts = [
            *(m.text[:LONGEST_LINE] for m in self.elsewhere(place.id)),
            *(value for project in self.projects for value in project.aims.values()),
        ]
        return [*texts, *(text for r in rules for text in (r.text, r.question)), *(q.text for q in asked)]


@dataclass(frozen=True, slots=True)
class Batch:
    """New lines of one channel with what a mind thinks of them, or why it could not."""

    fresh: Fresh
    place: Place | None
    up_to: int
    judged: Sequence[Judged] = ()
    usage: Usage = NOTHING
    error: Exception | None = None
    # What a mind could not judge.
    unjudged: Sequence[str] = ()


class DirectiveEngine:
    def __init__(
        self, store: Store, rooms: Rooms, questions: Questions, mind: Mind, swarm: Swarm, clock: Clock, pace: PaceSource
    ) -> None:
        self._store = store
        self._rooms = rooms
        self._questions = questions
        self._mind = mind
        self._swarm = swarm
        self._clock = clock
        self._pace = pace
        self._updates = Updates(store, rooms, clock)
        self._task: asyncio.Task[None] | None = None
        self._turn = asyncio.Lock()

    def start(self) -> None:
        self._task = asyncio.create_task(self._loop(), name="prime-directive")

    async def stop(self) -> None:
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def run(self, *, also_paused: bool = False) -> int:
        """One batch: how many messages were judged. A swarm that is paused asks no mind, unless this is its last word."""
        async with self._turn, self._store.leases.held(RESOURCE, LEASE_MS, self._clock) as lease:
            if lease is None:
                return 0  # another process does it
            try:
                return await self._run(lease, thinking=also_paused or (await self._swarm.state()).running)
            except StaleLease:
                log.info("another process judges now")
                return 0

    async def _run(self, lease: Lease, *, thinking: bool) -> int:
        pace = await self._pace()
        await self._questions.bring_back(lease)
        await self._end_what_was_closed(lease)
        await self._release_held(lease, pace)
        count = 0
        while thinking and (fresh := await self._fresh()):
            done = await self._round(fresh, lease, pace)
            if done is None:
                break
            count += done
        await self._updates.tell(lease, pace.update_min_gap_ms)
        if count:
            self._swarm.wake()  # what waited for a decision may go on
        return count

    async def _fresh(self) -> list[Fresh]:
        now = self._clock.now_ms()
        found = await self._store.projector.read(queries.read_fresh, DIRECTIVE)
        return [each for each in found if is_due(each.until, now, LONGEST_BACK_OFF_MS)]

    async def _round(self, fresh: Sequence[Fresh], lease: Lease, pace: Pace) -> int | None:
        """Judge a stretch of every fresh channel; how many lines, or None when nothing is left to spend."""
        known = await self._known()
        batches = await self._judge_all(fresh, known)
        told = await self._store.projector.read(queries.read_told, DIRECTIVE)
        sorter = self._sorter(known, told.asked_at, pace)
        spent = next((b.error for b in batches if isinstance(b.error, SpendStopped)), None)
        decided = [self._messages(batch, sorter) for batch in batches if not isinstance(batch.error, SpendStopped)]
        # A channel's decisions go together; one commit for many channels costs a fraction of one each.
        for some in _together(decided, MOST_TOGETHER):
            await self._store.log.append(*some, lease=lease)
        if spent is not None:
            await self._swarm.pause("spend", str(spent), by=PRIME)
            return None
        return sum(len(batch.judged) for batch in batches)

    async def _judge_all(self, fresh: Sequence[Fresh], known: Known) -> list[Batch]:
        room = asyncio.Semaphore(AT_ONCE)

        async def judge(each: Fresh, heard: Heard) -> Batch:
            async with room:
                return await self._judge(each, heard, known)

        batches: list[Batch] = []
        for at in range(0, len(fresh), READ_TOGETHER):
            some = fresh[at : at + READ_TOGETHER]
            # In one visit to the database: with many channels the visits would cost more than the judging.
            heard = await self._store.projector.read(
                lambda c, s=some: [queries.read_heard(c, each) for each in s], ROOMS
            )
            batches += await asyncio.gather(*(judge(*pair) for pair in zip(some, heard, strict=True)))
        return batches

    async def _judge(self, fresh: Fresh, heard: Heard, known: Known) -> Batch:
        up_to = heard.up_to or await self._store.log.head()
        if heard.channel is None:
            return Batch(fresh, None, up_to)
        place = _place(heard.channel)
        request = self._request(place, heard, known)
        if not any(not line.own for line in request.lines):
            return Batch(fresh, place, up_to)
        try:
            answer = await asyncio.wait_for(self._mind.judge(request), JUDGE_SECONDS)
        except Exception as error:  # noqa: BLE001  (whatever a mind does, it is written down with the channel)
            unjudged = [line.message_id for line in request.lines if not line.own]
            return Batch(fresh, place, up_to, error=error, unjudged=unjudged)
        last = [line.message_id for line in request.lines if not line.own][-1]
        judged = made_sense_of(request.lines, answer.items)
        if any(each.judgement.decision == "ask" for each in judged):
            place = await self._discreet(place, known)
        return Batch(fresh, replace(place, last_id=last), up_to, judged, answer.usage)

    async def _discreet(self, place: Place, known: Known) -> Place:
        """The place with what may be said there by itself; a team is told all."""
        if place.tier == "team":
            return place
        view = await View.of(self._store, place.id)
        here = [place.name, *(m.text for m in await view.messages(limit=LINES))]
        here += [value for brief in await view.briefs() for value in (brief.text, *facts_of(brief).values())]
        return replace(place, discretion=Discretion(known.kept_from(place), here))

    def _request(self, place: Place, heard: Heard, known: Known) -> JudgeRequest:
        return JudgeRequest(
            channel_name=place.name,
            tier=place.tier,
            lines=[self._line(m, known) for m in heard.news],
            before=[self._line(m, known) for m in heard.before],
            elsewhere=[self._line(m, known) for m in known.elsewhere(place.id)],
            aims=aims_for(place.id, known.projects),
            rules=[KnownRule(id=rule.id, text=rule.text) for rule in known.book.rules],
            pending=[KnownQuestion(id=q.id, text=q.text) for q in known.told(place.tier, known.pending)],
            settled=[
                KnownQuestion(id=q.id, text=q.text, answer=answer_text(q), place=known.places[q.channel_id].name)
                for q in known.told(place.tier, known.settled)
            ],
        )

    def _line(self, message: Message, known: Known) -> Line:
        line = line_of(message, known.names, PRIME)
        # Somebody who only calls themselves Owner is judged like everybody else.
        own = line.own or message.kind == "brief" or message.actor_id == OWNER
        return Line(
            message_id=line.message_id, speaker=line.speaker, text=line.text, own=own, quoted=line.quoted, ts=line.ts
        )

    def _messages(self, batch: Batch, sorter: Sorter) -> list[NewMessage]:
        """Everything that one batch decided, ending with how far it went."""
        if batch.error is not None:
            return self._unjudged(batch, batch.error)
        silent: list[Judged] = []
        messages: list[NewMessage] = []
        for judged in batch.judged:
            decided = sorter.decide(batch.place, judged) if batch.place else []
            messages += decided
            if not decided:
                silent.append(judged)
        return [*messages, silent_message(batch.fresh.channel_id, silent, batch.up_to, batch.usage)]

    def _unjudged(self, batch: Batch, error: Exception) -> list[NewMessage]:
        """Try again later; after some tries, show the owner that there is something that nobody has judged."""
        fresh = batch.fresh
        why = str(error) if isinstance(error, PrimeError) else f"{type(error).__name__}: {error}"
        if fresh.failures + 1 >= MOST_FAILURES:
            name = batch.place.name if batch.place else fresh.channel_id
            card = card_message(
                fresh.channel_id, f"Not judged: {name}", f"Look at it yourself. {why}".strip(), batch.unjudged
            )
            return [card, silent_message(fresh.channel_id, (), batch.up_to, NOTHING)]
        wait = FIRST_BACK_OFF_MS * 2**fresh.failures
        return [
            NewMessage(
                channel_id=fresh.channel_id,
                actor_id=PRIME,
                kind="decision",
                audience="hub",
                body={"outcome": "failed", "reason": why, "retryAt": self._clock.now_ms() + wait},
            )
        ]

    async def _end_what_was_closed(self, lease: Lease) -> None:
        """Who asks in a closed channel waits for no answer: the question ends, unless others ask it, too."""
        ended: list[NewMessage] = []
        for question in await self._questions.unsettled():
            if question.kind != "decision" or not (await self._rooms.place(question.channel_id)).closed:
                continue
            asked_in = {(await self._store.log.get(source)).channel_id for source in question.sources}
            if all([(await self._rooms.place(channel_id)).closed for channel_id in asked_in]):
                why = "提问的频道已关闭。" if is_chinese(question.text) else "The channel that asked was closed."
                ended.append(settling_message(question, {"status": "expired", "because": why}, "", final=True))
        if ended:
            await self._store.log.append(*ended, lease=lease)

    async def _release_held(self, lease: Lease, pace: Pace) -> None:
        """Ask what was held back, as soon as it may be asked; a rule may have settled it meanwhile."""
        held = await self._store.projector.read(queries.read_held, DIRECTIVE)
        if not held:
            return
        told = await self._store.projector.read(queries.read_told, DIRECTIVE)
        known = await self._known()
        sorter = self._sorter(known, told.asked_at, pace)
        for each in held:
            channel = await self._rooms.channel(each.channel_id)
            place = await self._discreet(_place(channel), known)
            messages = [sorter.let_go(place, each)] if channel.closed else sorter.release(place, each)
            if messages:
                await self._store.log.append(*messages, lease=lease)
                self._swarm.wake()

    def _sorter(self, known: Known, asked_at: int, pace: Pace) -> Sorter:
        now = self._clock.now_ms()
        return Sorter(
            known.book,
            known.pending,
            known.settled,
            asked_at,
            now,
            pace,
            self._rooms.briefs,
            known.commitments,
            known.tiers,
        )

    async def _known(self) -> Known:
        rules, projects, places = await self._store.projector.read(
            lambda c: (
                queries.read_rules(c, only_active=True),
                read_projects(c),
                queries.read_latest_places(c, ELSEWHERE * 4),
            ),
            DIRECTIVE,
        )
        pending = [q for q in await self._questions.unsettled() if q.kind == "decision"]
        # What was only asked back, put off or left to Prime is no precedent.
        settled = [q for q in await self._questions.settled(SETTLED) if not leaves_open(answer_text(q))]
        asked_in = {each.channel_id or HUB for each in (*pending, *settled, *rules)}
        return Known(
            names={actor.id: actor.name for actor in await self._rooms.actors()},
            book=RuleBook(rules),
            pending=pending,
            settled=settled,
            places={channel_id: await self._rooms.place(channel_id) for channel_id in asked_in},
            projects=projects,
            latest=await self._store.log.at(places),
            commitments=await Commitments.load(self._store, self._rooms),
        )

    async def _loop(self) -> None:
        while True:
            await self._clock.sleep((await self._pace()).directive_ms / 1000)
            try:
                await self.run()
            except Exception:  # the database may be away for a moment
                log.exception("the directive engine could not run; trying again")


def _place(channel: Channel) -> Place:
    return Place(channel.id, channel.name, channel.tier, channel.course)


def _together(groups: Sequence[list[NewMessage]], most: int) -> list[list[NewMessage]]:
    """The groups joined up to about so many messages, none of them cut."""
    joined: list[list[NewMessage]] = []
    for group in groups:
        if joined and len(joined[-1]) + len(group) <= most:
            joined[-1].extend(group)
        else:
            joined.append([*group])
    return joined


def answer_text(question: Question) -> str:
    """The owner's answer in words."""
    given = question.answer.get("text") or question.answer.get("choice")
    return given if isinstance(given, str) else ""
