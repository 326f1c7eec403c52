"""A war room played in a test: both sides speak in turn, what they say is judged, the owner answers, rules are learned."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

import pytest

from prime.mind.jobs.judging import Judgement, JudgeRequest, KnownQuestion, KnownRule, RuleRequest
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import Plan, PlannedChannel, PlanRequest
from prime.mind.jobs.speaking import ReplyRequest
from prime.mind.offline import OfflineMind

ASK_FROM = 0.7
TODAY = "2026-11-16"


@dataclass
class Room:
    """What became of it."""

    plan: Plan
    said: dict[str, list[Line]]
    asked: list[Judgement] = field(default_factory=list[Judgement])
    resolved: list[Judgement] = field(default_factory=list[Judgement])
    ruled: list[Judgement] = field(default_factory=list[Judgement])
    surfaced: list[Judgement] = field(default_factory=list[Judgement])
    silent: int = 0
    rules: list[KnownRule] = field(default_factory=list[KnownRule])
    settled: list[KnownQuestion] = field(default_factory=list[KnownQuestion])
    rounds: int = 0

    @property
    def lines(self) -> list[Line]:
        return [line for lines in self.said.values() for line in lines]


Answer = Callable[[Judgement], str]
Play = Callable[..., Awaitable[Room]]


def first_suggestion(judgement: Judgement) -> str:
    return judgement.suggestions[0]


@pytest.fixture
def play() -> Play:
    async def played(
        wish: str,
        *,
        rules: Sequence[KnownRule] = (),
        answer: Answer = first_suggestion,
        mind: OfflineMind | None = None,
        prime_first: bool = True,
    ) -> Room:
        return await _Player(mind or OfflineMind(), answer, prime_first=prime_first).play(wish, rules)

    return played


class _Player:
    def __init__(self, mind: OfflineMind, answer: Answer, *, prime_first: bool) -> None:
        self._mind = mind
        self._answer = answer
        self._prime_first = prime_first
        self._ids = 0

    async def play(self, wish: str, rules: Sequence[KnownRule]) -> Room:
        plan = await self._mind.plan(PlanRequest(wish=wish, today=TODAY))
        room = Room(plan, {channel.key: [] for channel in plan.channels}, rules=list(rules))
        judged = dict.fromkeys(room.said, 0)
        for _ in range(40):
            before = len(room.lines)
            for channel in plan.channels:
                await self._speak(channel, room)
            for channel in plan.channels:
                new = room.said[channel.key][judged[channel.key] :]
                judged[channel.key] = len(room.said[channel.key])
                await self._judge(channel, room, new)
            if len(room.lines) == before:
                return room
            room.rounds += 1
        pytest.fail("the room never becomes quiet")

    async def _speak(self, channel: PlannedChannel, room: Room) -> None:
        other = channel.participants[0]
        sides = [("Prime", "prime"), (other.name, other.role)]
        for speaker, role in sides if self._prime_first else sides[::-1]:
            lines = [
                Line(message_id=line.message_id, speaker=line.speaker, text=line.text, own=line.speaker == speaker)
                for line in room.said[channel.key]
            ]
            reply = await self._mind.reply(
                ReplyRequest(
                    speaker=speaker,
                    channel_name=channel.name,
                    tier=channel.tier,
                    brief=channel.brief,
                    lines=lines,
                    role=role,
                    facts=channel.facts,
                    seed=channel.key,
                )
            )
            if reply.text:
                self._add(room, channel, speaker, reply.text)

    async def _judge(self, channel: PlannedChannel, room: Room, new: Sequence[Line]) -> None:
        judgements = await self._mind.judge(
            JudgeRequest(
                channel_name=channel.name,
                tier=channel.tier,
                lines=[_seen_by_prime(line) for line in new],
                elsewhere=[line for key, lines in room.said.items() if key != channel.key for line in lines],
                aims=room.plan.aims,
                rules=room.rules,
                settled=room.settled,
            )
        )
        for judgement in judgements.items:
            if judgement.decision == "ask":
                self._add(room, channel, "Brief", await self._decided(room, judgement))
            elif judgement.decision == "surface":
                room.surfaced.append(judgement)
            else:
                room.silent += 1

    async def _decided(self, room: Room, judgement: Judgement) -> str:
        if judgement.rule_id or judgement.necessity < ASK_FROM:
            (room.ruled if judgement.rule_id else room.resolved).append(judgement)
            return judgement.self_answer or ""
        room.asked.append(judgement)
        answer = self._answer(judgement)
        room.settled.append(KnownQuestion(id=judgement.message_id, text=judgement.text, answer=answer))
        request = RuleRequest(question=judgement.text, answer=answer, context=judgement.context)
        rule = await self._mind.distill_rule(request)
        room.rules.append(KnownRule(id=f"rule{len(room.rules)}", text=rule.text))
        return answer

    def _add(self, room: Room, channel: PlannedChannel, speaker: str, text: str) -> None:
        self._ids += 1
        room.said[channel.key].append(Line(message_id=f"m{self._ids}", speaker=speaker, text=text))


def _seen_by_prime(line: Line) -> Line:
    return Line(message_id=line.message_id, speaker=line.speaker, text=line.text, own=line.speaker == "Prime")
