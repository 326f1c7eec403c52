"""Prompts and resources of servers behind, over all transports that servers have."""

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from tests.gateway.conftest import HARMLESS, House, Json, OpenHouse

FULL = Path(__file__).parent / "servers" / "full.py"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server that serves over HTTP, for all tests here."""
    with subprocess.Popen([sys.executable, str(FULL), "--serve"], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip()
        process.kill()


@pytest.fixture
def entry(request: pytest.FixtureRequest) -> Json:
    """How the configuration names the server, over the transport that the test is about."""
    if request.param == "stdio":
        return {"command": sys.executable, "args": [str(FULL)], "effects": HARMLESS}
    address = request.getfixturevalue("address")
    path = "/sse" if request.param == "sse" else "/mcp"
    return {"type": request.param, "url": f"{address}{path}", "effects": HARMLESS}


async def _open(open_house: OpenHouse, entry: Json) -> House:
    house = await open_house({"full": {**entry, "effects": {**HARMLESS, "destructive": False, "filesystem": QUIET}}})
    assert house.servers.server("full").state == "ready", house.servers.server("full").problem
    return house


QUIET = {"read": False, "write": False, "delete": False}


@pytest.mark.holds("D-RUN-6")
@pytest.mark.parametrize("entry", ["stdio", "http", "sse"], indirect=True)
async def test_everything_of_a_server_is_there_in_front(open_house: OpenHouse, entry: Json) -> None:
    house = await _open(open_house, entry)
    async with house.client() as client:
        doubled: Any = await client.call_tool("full__double", {"number": 21})
        assert doubled.content[0].text == "42"

        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        greeting = prompts["full__greet"]
        assert (greeting.title, greeting.description) == ("Greeting", "Greets somebody.")
        assert [(one.name, one.required) for one in greeting.arguments or []] == [("name", True), ("tone", False)]
        said: Any = await client.get_prompt("full__greet", {"name": "Ada"})
        assert said.messages[0].content.text == "Say a kind hello to Ada."
        with pytest.raises(MCPError):
            await client.get_prompt("full__greet", {})
        with pytest.raises(MCPError, match="no prompt"):
            await client.get_prompt("full__gone", {})

        resources = {one.name: str(one.uri) for one in (await client.list_resources()).resources}
        address = resources["full: today"]
        assert address.startswith("prime://server/full/")
        read: Any = (await client.read_resource(address)).contents[0]
        assert (str(read.uri), read.text, read.mime_type) == (address, "# Today", "text/markdown")
        templates = {one.name: one.uri_template for one in (await client.list_resource_templates()).resource_templates}
        day = templates["full: day"].replace("{day}", "friday")
        filled: Any = (await client.read_resource(day)).contents[0]
        assert filled.text == "# friday"


@pytest.mark.parametrize("entry", ["http"], indirect=True)
async def test_arguments_are_completed_by_their_server(open_house: OpenHouse, entry: Json) -> None:
    from mcp_types import PromptReference, ResourceTemplateReference

    house = await _open(open_house, entry)
    async with house.client() as client:
        tone = await client.complete(
            ref=PromptReference(type="ref/prompt", name="full__greet"), argument={"name": "tone", "value": "ki"}
        )
        assert tone.completion.values == ["kind"]
        listed = (await client.list_resource_templates()).resource_templates
        template = next(one.uri_template for one in listed if one.name == "full: day")
        day = await client.complete(
            ref=ResourceTemplateReference(type="ref/resource", uri=template), argument={"name": "day", "value": "t"}
        )
        assert day.completion.values == ["tuesday"]


@pytest.mark.parametrize("entry", ["stdio", "http"], indirect=True)
async def test_changes_of_their_lists_are_told(open_house: OpenHouse, entry: Json) -> None:
    house = await _open(open_house, entry)
    heard: asyncio.Queue[str] = asyncio.Queue()

    async def hear(message: Any) -> None:
        if (method := getattr(message, "method", None)) is not None:
            heard.put_nowait(method)

    async with house.client(message_handler=hear) as client:
        await client.call_tool("full__more", {})
        wanted = {"notifications/prompts/list_changed", "notifications/resources/list_changed"}
        async with asyncio.timeout(20):
            while wanted:
                wanted.discard(await heard.get())
        assert "full__late" in [one.name for one in (await client.list_prompts()).prompts]
        assert "full: late" in [one.name for one in (await client.list_resources()).resources]


@pytest.mark.parametrize("entry", ["http"], indirect=True)
async def test_two_servers_with_one_prompt_have_two_names(open_house: OpenHouse, entry: Json) -> None:
    house = await open_house({"a": entry, "a__a": entry, "a-": entry, "a_": entry})
    async with house.client() as client:
        names = [
            one.name
            for one in (await client.list_prompts()).prompts
            if one.name.endswith("greet") or "greet" in one.name
        ]
        assert len(names) == len(set(names)) == 4
        for name in names:
            said: Any = await client.get_prompt(name, {"name": "Ada"})
            assert "Ada" in said.messages[0].content.text
