"""A whole Prime on either database, reached over its HTTP API, with a workspace of its own."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import httpx2
import pytest
from pydantic import SecretStr

from prime.app import open_prime
from prime.core.clock import FakeClock
from prime.core.json_text import JsonObject
from prime.core.settings import Settings
from prime.dialogs.scripts.folder import ScriptFolder
from prime.dialogs.scripts.records import AgentWords, FuncCall, FuncResult, HumanText, Record
from prime.dialogs.scripts.refs import parse_ref
from prime.dialogs.scripts.script import Header, Script
from prime.store.message import Message
from prime.web.local import LocalDoor
from prime.web.parts import Parts


@dataclass
class House:
    """What a test holds in its hands."""

    parts: Parts
    http: httpx2.AsyncClient
    workspace: Path

    @property
    def scripts(self) -> ScriptFolder:
        return ScriptFolder(self.workspace)

    def script(self, ref: str, *records: Record, members: Sequence[str] | None = None) -> str:
        """Write a script and give its name back."""
        header = Header(applicable_member_ids=tuple(members) if members else None)
        self.scripts.save(parse_ref(ref), Script(header=header, records=records or PROBE))
        return ref

    async def get(self, path: str, status: int = 200, **query: str | int) -> JsonObject:
        return _body(await self.http.get(path, params=query), status)

    async def post(self, path: str, body: Mapping[str, object], status: int = 200) -> JsonObject:
        return _body(await self.http.post(path, json=body), status)

    async def dialog(self, *refs: str, status: int = 201, **more: object) -> JsonObject:
        """Create a channel that begins with these scripts."""
        priming = {"scriptRefs": list(refs), "showInUi": True}
        return await self.post("/api/channels", {"name": "Probe", "tier": "team", "priming": priming} | more, status)

    async def messages(self, channel_id: str) -> list[Message]:
        return await self.parts.store.log.page(channel_id, limit=100_000)

    async def state(self) -> tuple[int, list[str], list[Path]]:
        """What must be the same after a refusal: the log's head, its channels, and the files of workspace and data."""
        channels = [channel.id for _, channel in await self.parts.rooms.channels()]
        files = sorted(path for path in self.workspace.rglob("*") if path.is_file())
        attachments = self.parts.store.folder.attachments
        kept = sorted(attachments.rglob("*")) if attachments.exists() else []
        return await self.parts.store.log.head(), channels, [*files, *kept]


PROBE: tuple[Record, ...] = (
    HumanText(genseq=1, msg_id="priming-1", grammar="markdown", content="Look at the machine first. 先做环境探针。"),
    FuncCall(genseq=1, id="call_1", name="exec_command", arguments={"cmd": "uname -a"}),
    FuncResult(genseq=1, id="call_1", name="exec_command", content="Linux"),
    AgentWords(genseq=2, content="It is a Linux machine."),
)


def _body(response: httpx2.Response, status: int) -> JsonObject:
    assert response.status_code == status, response.text
    return cast("JsonObject", response.json())


@pytest.fixture
def probe() -> tuple[Record, ...]:
    return PROBE


@asynccontextmanager
async def opened(tmp_path: Path, database_url: str | None) -> AsyncGenerator[House]:
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    settings = Settings().model_copy(
        update={
            "data": tmp_path / "data",
            "workspace": workspace,
            "database_url": SecretStr(database_url) if database_url else None,
            "secret_key": SecretStr("0" * 64),
        }
    )
    async with open_prime(settings, clock=FakeClock()) as prime:
        # Nobody answers here: these tests say both sides themselves.
        await prime.parts.answering.stop()
        transport = httpx2.ASGITransport(app=LocalDoor(prime.app))
        async with httpx2.AsyncClient(transport=transport, base_url="http://prime.sock") as http:
            yield House(prime.parts, http, workspace)


@pytest.fixture
async def house(tmp_path: Path, database_url: str | None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[House]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    async with opened(tmp_path, database_url) as house:
        yield house


@pytest.fixture
def any_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[House, asyncio.Runner]]:
    """A house for property tests, which are not coroutines: with the loop that it lives in."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    with asyncio.Runner() as runner:
        stack = AsyncExitStack()
        yield runner.run(stack.enter_async_context(opened(tmp_path, None))), runner
        runner.run(stack.aclose())
