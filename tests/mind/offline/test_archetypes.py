"""Archetypes as files: read, checked, and the owner's over Prime's."""

import re
from pathlib import Path

import pytest

from prime.core.errors import InvalidInput
from prime.mind.jobs.planning import KnownAgent, PlanRequest
from prime.mind.offline import OfflineMind
from prime.mind.offline.library.archetypes import parse_archetype

DOCUMENTED = re.search(
    r"```yaml\n(.*?)```", (Path(__file__).parents[3] / "docs/archetypes.md").read_text("utf-8"), re.DOTALL
)
GARDEN = DOCUMENTED[1] if DOCUMENTED else ""


async def test_adding_an_archetype_is_adding_a_file(tmp_path: Path) -> None:
    (tmp_path / "garden.yaml").write_text(GARDEN, "utf-8")
    plan = await OfflineMind(tmp_path).plan(PlanRequest(wish="Renew our garden in Bonn by May, budget 3,000 EUR"))
    assert [channel.key for channel in plan.channels] == ["garden-gardener"]
    assert "the garden in Bonn" in plan.channels[0].brief
    assert plan.aims["archetype"] == "garden"


async def test_a_file_of_the_same_name_takes_the_place_of_ours(tmp_path: Path) -> None:
    (tmp_path / "event.yaml").write_text(GARDEN.replace("name: garden", "name: event"), "utf-8")
    assert list(OfflineMind(tmp_path).library.archetypes["event"].roles) == ["gardener"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("tier: business_relation", "tier: friends"), "roles.gardener.tier"),
        (("like: supplier", "like: nobody"), "roles.gardener.like"),
        (("{thing}[ in {place}]", "{thing} {budget}"), "cannot hold"),
        (("{deposit}, and cannot", "{gold}, and cannot"), "is no slot"),
        (("share: 0.4", "share: 4"), "roles.gardener.share"),
        (("scale:", "scales:"), "scale"),
        (("name: garden", "name: Big Garden!"), "name"),
        (("roles:", "roles: {}\nrolls:"), "roles"),
        (("title: {", "title: [{"), "garden.yaml"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(change: tuple[str, str], told: str) -> None:
    broken = GARDEN.replace(*change)
    assert broken != GARDEN
    with pytest.raises(InvalidInput) as caught:
        parse_archetype(broken, "garden.yaml")
    assert told in str(caught.value)
    assert "garden.yaml" in str(caught.value)


async def test_one_broken_file_takes_nothing_else_away_and_is_told_to_the_owner(tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_text("name: [", "utf-8")
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "garden.yaml").write_text(GARDEN, "utf-8")
    mind = OfflineMind(tmp_path)
    plan = await mind.plan(PlanRequest(wish="Renew our garden in Bonn"))
    assert len(mind.library.problems) == 2
    assert "bad.yaml" in plan.words
    assert plan.channels


@pytest.mark.parametrize("capability", ["catering", "Catering", "cater_ing"])
async def test_who_can_do_what_a_room_is_called_is_found_for_it(capability: str) -> None:
    cook = KnownAgent(id="ag_1", name="Cook", capabilities=(capability,))
    plan = await OfflineMind().plan(PlanRequest(wish="Plan a summer party for 60 guests with catering", agents=[cook]))
    found = {channel.name for channel in plan.channels for each in channel.participants if each.agent_id == "ag_1"}
    assert found == (set() if "_" in capability else {"Catering"})


@pytest.mark.parametrize(
    ("wish", "capability", "rooms"),
    [
        ("We need catering for 40 people on 3 May, budget 2,000 EUR.", "catering", {"Caterer"}),
        ("We need catering for 40 people on 3 May, budget 2,000 EUR.", "wine-tasting", set[str]()),
        ("Launch our lamp in Berlin and get the catering done.", "catering", {"Catering done"}),
        # Words in common are not enough: it must be able to do just that.
        ("We need catering for 40 people on 3 May, budget 2,000 EUR.", "people-search", set[str]()),
    ],
)
async def test_who_can_do_what_is_wanted_is_found_where_no_role_names_it(
    wish: str, capability: str, rooms: set[str]
) -> None:
    cook = KnownAgent(id="ag_1", name="Cook", capabilities=(capability,))
    plan = await OfflineMind().plan(PlanRequest(wish=wish, agents=[cook]))
    found = {c.name: c.tier for c in plan.channels for each in c.participants if each.agent_id == "ag_1"}
    assert found == dict.fromkeys(rooms, "external")
