"""What a later message is: a wish of its own, a change, the end of a project, or words that its team is told."""

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias, cast

import pytest

from prime.core.yaml_text import read_mapping
from prime.mind.jobs.lines import Line
from prime.mind.jobs.planning import OpenChannel, OpenProject, Plan, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.heard.transcript import read_transcript

MIND = OfflineMind()
TODAY = "2026-11-19"
Said: TypeAlias = tuple[str, str]
_TEXT = Path(__file__).with_name("later_messages.yaml").read_text("utf-8")
CONVERSATIONS = cast("list[list[Said]]", read_mapping(_TEXT, path="later_messages.yaml").data["conversations"])
ALTERED = ("budget", "date", "deadline", "place", "count")


@dataclass
class Under:
    """What is under way, as the hub keeps it."""

    projects: list[OpenProject] = field(default_factory=list[OpenProject])
    channels: list[OpenChannel] = field(default_factory=list[OpenChannel])
    closed: list[OpenChannel] = field(default_factory=list[OpenChannel])
    # Ids of projects in the order in which they were spoken of.
    spoken: list[str] = field(default_factory=list[str])

    async def hear(self, wish: str) -> Plan:
        there = sorted(self.projects, key=lambda p: self.spoken[::-1].index(p.id), reverse=True)
        request = PlanRequest(
            wish=wish,
            today=TODAY,
            channels=self.channels,
            closed=self.closed,
            projects=there,
            aims=there[-1].aims if there else {},
        )
        plan = await MIND.plan(request)
        self._take(plan, wish)
        return plan

    def _take(self, plan: Plan, wish: str) -> None:
        project = plan.project
        if plan.project == "":
            project = f"p{len(self.projects)}"
            self.projects.append(OpenProject(id=project, title=plan.title, wish=wish))
        if project:
            self.spoken.append(project)
            at = next(n for n, each in enumerate(self.projects) if each.id == project)
            before = self.projects[at]
            self.projects[at] = replace(before, aims={**before.aims, **plan.aims})
        for channel in plan.channels:
            self.channels.append(
                OpenChannel(
                    id=f"ch_{channel.key}", key=channel.key, name=channel.name, tier=channel.tier, project=project or ""
                )
            )
        if plan.closing:
            self.closed = [each for each in self.channels if each.id in plan.closing]
        back = [each for each in self.closed if each.id in plan.reopening]
        self.channels = [each for each in self.channels if each.id not in plan.closing] + back


def changed(plan: Plan) -> dict[str, str]:
    return {name: value for name, value in plan.aims.items() if name in ALTERED and value and plan.project != ""}


def check(expected: str, wish: str, plan: Plan, before: list[OpenChannel]) -> None:
    kind, _, rest = expected.partition(" ")
    number, _, slots = rest.partition(" ")
    ours = {each.id for each in before if each.project == f"p{number}"}
    told = [each for each in before if each.id in {telling.channel_id for telling in plan.telling}]
    assert (plan.project == "") == (kind == "open"), "a project of its own"
    assert bool(plan.channels) == (kind in {"open", "add"})
    assert bool(plan.closing) == (kind == "close")
    assert bool(plan.reopening) == (kind == "reopen")
    if kind == "close":
        assert set(plan.closing) == ours
    if kind in {"tell", "close", "quiet", "reopen"}:
        assert not changed(plan)
    if kind in {"tell", "change"}:
        assert {each.id for each in told} <= ours
    if kind == "tell":
        assert {each.tier for each in told} == {"team"}
        assert all(wish.rstrip(".。") in telling.text for telling in plan.telling)
        assert all(each.name in plan.words for each in told)
    for slot, value in re.findall(r"(\w+)=(\S+)", slots):
        if slot == "not":
            assert all(value.casefold() not in each.name.casefold() for each in plan.channels)
        elif slot == "told":
            assert any(value.replace("_", " ") in telling.text for telling in plan.telling)
        else:
            assert value.replace("_", " ") in plan.aims.get(slot, "") + plan.aims.get("deadline", "")


@pytest.mark.parametrize("conversation", CONVERSATIONS, ids=lambda each: each[0][1][:40])
async def test_each_message_is_what_it_says(conversation: list[Said]) -> None:
    under = Under()
    for expected, wish in conversation:
        before = [*under.channels]
        plan = await under.hear(wish)
        check(expected, wish, plan, before)


async def test_the_owners_words_for_a_room_go_to_that_room() -> None:
    under = Under()
    await under.hear("Plan a party for 40 people on 3 May in Bath")
    plan = await under.hear("Tell the caterer that 12 of them are vegan")
    [told] = plan.telling
    assert "12 of them are vegan" in told.text
    assert told.channel_id == "ch_event-food"
    assert "Catering" in plan.words


async def test_what_says_nothing_is_told_to_nobody() -> None:
    under = Under()
    await under.hear("Plan a party for 40 people on 3 May in Bath")
    for words in ("Thanks!", "Hm.", "I was in Paris on 3 April", "Remind me to call Tom", "What does the hall cost?"):
        assert not (await under.hear(words)).telling


def test_who_is_told_something_takes_it_for_no_decision() -> None:
    lines = [
        Line(message_id="m1", speaker="Brief", text="Plan the party."),
        Line(message_id="m2", speaker="Ravi", text="I begin.", own=True),
        Line(message_id="m3", speaker="Brief", text="The owner says: “12 of them are vegan.”"),
    ]
    heard = read_transcript(lines, "Plan the party.")
    assert (heard.decision, heard.owes_answer, heard.only_told) == (None, False, True)
    assert heard.change == "“12 of them are vegan.”"
