"""A war room behind a model, from the wish to the rule, over each provider's wire; and what is done where a model cannot."""

import asyncio
import json
import re
import sys
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from prime.app import open_prime
from prime.core.clock import FakeClock
from prime.core.settings import Settings
from prime.hub.learning import OwnersAnswer
from prime.mind.offline import OfflineMind
from prime.mind.standing_in import StandingIn
from prime.rooms.records import HUB, Channel
from prime.store.message import Message
from prime.web.parts import Parts

WISH = "Plan a summer party for 60 guests in Graz on 12 July, budget 9,000 EUR"
WIRES = ["openai", "anthropic", "gemini"]
RULE = "Pay deposits up to 500 EUR without asking."


def texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for each in cast("dict[str, object]", value).values():
            yield from texts(each)
    elif isinstance(value, list):
        for each in cast("list[object]", value):
            yield from texts(each)


class Model:
    """A model that knows its jobs: it plans two rooms, speaks in them, asks about deposits, and words the rule."""

    def __init__(self, kinds: Any, *, as_text: bool) -> None:
        self.kinds = kinds
        self.as_text = as_text
        self.spoken: dict[str, int] = {}
        self.jobs: list[str] = []

    def answer(self, body: dict[str, Any]) -> Any:
        told = "\n".join(texts(body))
        if "You plan the conversations" in told:
            return self._form("plan", self._plan())
        if "You decide what of a channel's new lines" in told:
            return self._form("judge", self._judged(told))
        if "Write one general rule" in told:
            self.jobs.append("rule")
            return self.kinds.Answers(RULE)
        if "document_so_far" in told:
            return self.kinds.Answers("There is a party.")
        if "<data>" in told:
            return self._form("extract", {"statements": []})
        return self._words(told)

    def _form(self, job: str, form: object) -> Any:
        self.jobs.append(job)
        if self.as_text:
            return self.kinds.Answers(json.dumps(form))
        return self.kinds.Answers("", (self.kinds.Call("fill_form", form),))

    def _plan(self) -> object:
        def room(key: str, name: str, tier: str, who: str, brief: str) -> object:
            return {
                "key": key,
                "name": name,
                "tier": tier,
                "participants": [{"name": who, "role": key}],
                "brief": brief,
            }

        return {
            "title": "Summer party",
            "summary": "A summer party in Graz.",
            "words": "Two conversations have begun for the summer party.",
            "channels": [
                room("venue", "Venue", "business_relation", "Maria", "Find a hall in Graz. Our budget is 9,000 EUR."),
                room("food", "Food", "business_relation", "Diego", "Find food for 60 guests on 12 July."),
            ],
            "aims": [{"name": "budget", "value": "9,000 EUR"}],
        }

    def _judged(self, told: str) -> object:
        found = re.search(r"<data>\n(.*?)\n</data>", told, re.DOTALL)
        assert found
        data = json.loads(found[1])
        rule = next((each["id"] for each in data["standing_rules"] if "deposits" in each["text"]), None)
        return {"items": [self._judgement(line, rule) for line in data["new_lines"]]}

    def _judgement(self, line: dict[str, str], rule: str | None) -> object:
        asks = "deposit" in line["text"]
        more = {"text": f"{line['by']} wants a deposit. Pay it?", "suggestions": ["Yes", "No"], "self_answer": "Yes."}
        return {
            "line_id": line["id"],
            "decision": "ask" if asks else "silent",
            "necessity": 0.9 if asks else 0.0,
            "reason": "money" if asks else "nothing new",
        } | (more | {"rule_id": rule} if asks else {})

    def _words(self, told: str) -> Any:
        who = re.search(r"You are (\w+)", told)
        assert who, told[:3000]
        lines = {
            "Maria": ["The hall is free. I need a deposit of 400 EUR by Friday. Shall I reserve it?", "Reserved."],
            # Later than the other, so that the rule is there.
            "Diego": ["We cook for 60.", "There is fish, too.", "A deposit of 300 EUR keeps the day. May I book it?"],
            "Prime": ["What can you offer?", "Good. What else is there?", "Thank you, go on.", "Understood."],
        }[who[1]]
        key = f"{who[1]} {'Venue' if 'hall' in told else 'Food'}"
        said = self.spoken.get(key, 0)
        self.spoken[key] = said + 1
        return self.kinds.Answers(lines[said] if said < len(lines) else "")


class House:
    def __init__(self, parts: Parts, clock: FakeClock) -> None:
        self.parts = parts
        self.hub = parts.hub
        self.clock = clock

    async def use(self, model: Any) -> None:
        await self.parts.model.settle()
        self.parts.model.present.use(
            StandingIn(model, OfflineMind(), self.parts.model.present.note, self.clock), "It answered."
        )

    async def step(self) -> None:
        await self.hub.swarm.tick()
        self.clock.advance(90)
        await self.hub.engine.run()

    async def rooms(self) -> dict[str, Channel]:
        return {c.name: c for _, c in await self.parts.rooms.channels() if c.id != HUB}

    async def log(self, channel: str, *kinds: str) -> list[Message]:
        return [m for m in await self.parts.store.log.page(channel, limit=500) if not kinds or m.kind in kinds]


Open = Callable[[], AbstractAsyncContextManager[House]]


@pytest.fixture
def opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    monkeypatch.setenv("PATH", str(tmp_path))  # no tools of this machine

    @asynccontextmanager
    async def open_one() -> AsyncGenerator[House]:
        clock = FakeClock()
        settings = Settings.load({
            "PRIME_DATA": str(tmp_path / "data"), "PRIME_MODEL": "offline", "PRIME_AUTOSTOP_MS": "0",
        })  # fmt: skip
        async with open_prime(settings, clock=clock) as prime:
            yield House(prime.parts, clock)

    return open_one


def kinds_of(fake: Any) -> Any:
    return sys.modules[type(fake).__module__]


async def all_received(fake: Any, ledger: Any) -> None:
    """Every call that was counted arrived; facts are read beside all else, so one may be on its way at this moment."""
    heard = asyncio.Event()
    fake.heard = heard.set
    async with asyncio.timeout(20):
        while ledger.calls != len(fake.received):
            heard.clear()
            await heard.wait()


@pytest.mark.parametrize("wire", WIRES)
async def test_wish_rooms_question_answer_rule_and_quiet(
    wire: str, opened: Open, provider: Any, mind: Any, ledger: Any
) -> None:
    fake = await provider(wire)
    model = Model(kinds_of(fake), as_text=wire == "openai")
    fake.answering = model.answer
    async with opened() as house:
        await house.use(mind(fake))
        await house.hub.say(WISH)
        await house.hub.settle()
        rooms = await house.rooms()
        assert set(rooms) == {"Venue", "Food"}
        [brief] = await house.log(rooms["Venue"].id, "brief")
        assert "9,000" not in brief.text, "a partner is not told the budget"
        asked: list[str] = []
        rules: list[str] = []
        for _ in range(12):
            await house.step()
            for question in await house.parts.questions.waiting():
                asked.append(question.text)
                answered = OwnersAnswer(text="Yes", make_rule=True)
                _, rule = await house.hub.answer(question.id, answered)
                assert rule
                assert rule.text == RULE
                rules.append(rule.id)
        assert asked == ["Maria wants a deposit. Pay it?"], "the second deposit is settled by the rule"
        resolved = [card for _, card in await house.hub.feed() if card.type == "auto_resolved"]
        assert [card.rule_id for card in resolved] == rules
        spoken = {name: [m.text for m in await house.log(room.id, "text")] for name, room in rooms.items()}
        assert "Reserved." in spoken["Venue"]
        await all_received(fake, ledger)
        assert house.parts.model.present.told == "It answered.", "nobody stood in"
        before = (dict(model.spoken), model.jobs.count("judge"))
        await house.step()
        assert (model.spoken, model.jobs.count("judge")) == before, (
            "all is said, and nobody is asked to speak or to judge"
        )


@pytest.mark.holds("D-HUB-18")
async def test_a_model_that_only_sings_leaves_a_room_that_works_and_says_who_does_it(
    opened: Open, provider: Any, mind: Any, ledger: Any
) -> None:
    fake = await provider("openai")
    kinds = kinds_of(fake)

    def sings(_body: object) -> Any:
        return kinds.Answers("la la la " * 40)

    fake.answering = sings
    async with opened() as house:
        await house.use(mind(fake))
        await house.hub.say(WISH)
        await house.hub.settle()
        [plan] = await house.log(HUB, "plan")
        assert "could not do this; Prime's own engine did it instead" in plan.text
        rooms = await house.rooms()
        assert len(rooms) >= 3
        asked = 0
        for _ in range(14):
            await house.step()
            for question in await house.parts.questions.waiting():
                asked += 1
                await house.hub.answer(question.id, OwnersAnswer(text="Yes", make_rule=True))
        assert asked >= 2
        for room in rooms.values():
            assert len(await house.log(room.id, "text")) >= 6, f"{room.name} is not silent"
            assert not [m for m in await house.log(room.id, "text") if "la la" in m.text]
        assert "Prime's own engine stood in for it" in house.parts.model.present.told
        # Nobody sings for ever: after some failures in a row a model is not asked for that job for a while.
        await all_received(fake, ledger)
        assert ledger.calls < 80
