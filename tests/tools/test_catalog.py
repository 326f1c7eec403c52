"""Finding the ten tools of five hundred."""

from dataclasses import replace

import pytest

from prime.core.errors import InvalidInput
from prime.tools.atip.effect import Effects, Filesystem
from prime.tools.catalog import Catalog, UnknownTool
from prime.tools.fixed import FixedTools
from prime.tools.tool import NO_PARAMETERS, Tool


def _tool(name: str, description: str, effects: Effects | None = None) -> Tool:
    return Tool(
        name=name,
        command=tuple(name.split("_")),
        description=description,
        schema=NO_PARAMETERS,
        effects=effects or Effects(),
    )


READS = Effects(filesystem=Filesystem(read=True, write=False, delete=False), network=False, subprocess=False)
SENDS = Effects(network=True, destructive=False)


@pytest.fixture
def catalog() -> Catalog:
    many = [_tool(f"filler_{n}", f"Filler number {n}") for n in range(500)]
    named = [
        _tool("git_push", "Send commits to a remote repository", SENDS),
        _tool("ls", "List the files of a folder", READS),
        _tool("mail_send", "Send a letter", SENDS),
    ]
    return Catalog(FixedTools(many), FixedTools(named))


def test_names_are_exact(catalog: Catalog) -> None:
    assert catalog.get("git_push").command == ("git", "push")
    with pytest.raises(UnknownTool) as caught:
        catalog.get("git_pusch")
    assert "git_push" in str(caught.value.hint)
    with pytest.raises(UnknownTool):
        catalog.get("GIT_PUSH")


def test_words_find_what_they_are_about(catalog: Catalog) -> None:
    assert catalog.find("send mail").tools[0].name == "mail_send"
    assert catalog.find("listing files").tools[0].name == "ls"
    assert catalog.find("ls").tools[0].name == "ls"
    assert catalog.find("zebra").tools == ()


def test_effects_narrow_it_down_and_unknown_is_not_a_no(catalog: Catalog) -> None:
    assert [t.name for t in catalog.find(effects={"network": True}).tools] == ["git_push", "mail_send"]
    assert [t.name for t in catalog.find(effects={"network": False}).tools] == ["ls"]
    assert [t.name for t in catalog.find(effects={"read_only": True}).tools] == ["ls"]


def test_pages_have_every_tool_once(catalog: Catalog) -> None:
    seen: list[str] = []
    place: int | None = 0
    while place is not None:
        page = catalog.find(place=place, limit=70)
        assert page.total == 503
        seen += [tool.name for tool in page.tools]
        place = page.next_place
    assert seen[:3] == ["ls", "git_push", "mail_send"]
    assert seen[3:] == sorted(seen[3:])
    assert len(set(seen)) == 503
    with pytest.raises(InvalidInput):
        catalog.find(limit=0)


def test_who_looks_around_meets_what_is_harmless_and_simple_first() -> None:
    writes = Effects(
        filesystem=Filesystem(write=True, delete=False), network=False, subprocess=False, destructive=False
    )
    asks = Effects(filesystem=Filesystem(write=False, delete=False), network=True, subprocess=False, destructive=False)
    kinds = {"a_removes": Effects(destructive=True), "b_unknown": Effects(), "c_writes": writes, "d_asks": asks}
    tools = [_tool(name, "", effects) for name, effects in kinds.items()]
    own = replace(_tool("asks", "", READS), runtime="builtin")
    programs = [_tool("e_part", "", READS), _tool("program", "", READS)]
    listed = Catalog(FixedTools([*tools, *programs, own])).find().tools
    assert [tool.name for tool in listed] == [
        "program",
        "e_part",
        "asks",
        "d_asks",
        "c_writes",
        "a_removes",
        "b_unknown",
    ]


def test_sources_may_change_and_the_first_one_wins() -> None:
    first, second = FixedTools([_tool("a", "first")]), FixedTools([_tool("a", "second"), _tool("b", "paints walls")])
    catalog = Catalog(first)
    catalog.add(second)
    assert catalog.get("a").description == "first"
    first.put([])
    assert catalog.get("a").description == "second"
    assert catalog.find("wall").tools[0].name == "b"
