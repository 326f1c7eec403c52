"""A workshop over a real store, with real programs in a folder of the test's own."""

import asyncio
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import JsonValue
from prime.core.settings import Settings
from prime.rooms.queries import RoomsProjection
from prime.rooms.questions import Questions
from prime.rooms.records import Question
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.store import Store
from prime.tools.atip.parser import parse_document
from prime.tools.discovery import Discovery, Folders
from prime.tools.fixed import FixedTools
from prime.tools.pipeline import CallSession
from prime.tools.priming import PrimeRequest
from prime.tools.queries import ToolsProjection
from prime.tools.runtimes import FolderRuntime, Registry
from prime.tools.tables import TOOLS_MIGRATIONS
from prime.tools.tool import Tool, tools_of
from prime.tools.workshop import Workshop

SAFE: Mapping[str, JsonValue] = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "cost": {"billable": False},
}
WIPES: Mapping[str, JsonValue] = {
    **SAFE,
    "destructive": True,
    "filesystem": {"read": True, "write": True, "delete": True},
}


class House:
    """What a test holds: the parts, and a shorthand or two."""

    def __init__(self, store: Store, questions: Questions, workshop: Workshop, folder: Path) -> None:
        self.store = store
        self.questions = questions
        self.workshop = workshop
        self.folder = folder

    def session(self, **more: Any) -> CallSession:
        given: dict[str, Any] = {"session_id": "s", "agent_id": "a", "cwd": self.folder, **more}
        return CallSession(**given)

    async def asked(self) -> Question:
        """The question, as soon as it is there."""
        async with asyncio.timeout(30):
            while True:
                head = self.store.heads.head
                if waiting := await self.questions.waiting():
                    return waiting[0]
                await self.store.heads.wait_beyond(head)

    async def prime(self) -> None:
        await self.workshop.sessions.prime(PrimeRequest(agent_id="a", session_id="s"))

    async def logged(self, kind: str) -> list[Mapping[str, Any]]:
        return [message.body for message in await self.store.log.after(0) if message.kind == kind]


OpenHouse = Callable[..., Any]


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Tool]:
    """Makes a program and the tool that describes it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def make(name: str, script: str, effects: Mapping[str, JsonValue] = SAFE) -> Tool:
        file = folder / name
        file.write_text(f"#!/bin/sh\n{script}\n")
        file.chmod(0o755)
        words = {"name": "words", "type": "string", "description": "Words", "required": False, "variadic": True}
        document = {
            "atip": "0.3",
            "name": name,
            "version": "1",
            "description": f"Does {name}",
            "arguments": [words],
            "effects": dict(effects),
            "trust": {"source": "user"},
        }
        return tools_of(parse_document(document, where=name))[0]

    return make


@pytest.fixture
def folder_tool(tmp_path: Path) -> Callable[[str, str], FolderRuntime]:
    """Makes a tool that is a folder with a shell script, and what runs it."""

    def make(name: str, script: str) -> FolderRuntime:
        folder = tmp_path / "tools" / name
        folder.mkdir(parents=True)
        program = folder / "run.sh"
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        manifest = {
            "name": name,
            "version": "1",
            "description": f"Does {name}",
            "runtime": "process",
            "entry": {"command": "./run.sh"},
            "effects": dict(SAFE),
        }
        (folder / "tool.json").write_text(json.dumps(manifest))
        return FolderRuntime(Registry(folder.parent), cache=tmp_path / "cache")

    return make


@pytest.fixture
def open_house(open_store: Any, tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> OpenHouse:
    """Opens the house, over the same data as often as a test likes."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    work = tmp_path / "work"
    work.mkdir()

    async def open_one(
        *tools: Tool, mode: str = "strict", secrets: tuple[str, ...] = (), folders: FolderRuntime | None = None
    ) -> House:
        migrations = (*ROOMS_MIGRATIONS, *TOOLS_MIGRATIONS)
        store = await open_store((RoomsProjection(), ToolsProjection()), migrations)
        await Rooms(store).open()
        questions = Questions(store, clock)
        settings = Settings.load({"PRIME_WORKSPACE": str(work), "PRIME_PRIMING_MODE": mode})

        async def held() -> tuple[str, ...]:
            return secrets

        empty = Discovery(Folders(data=tmp_path / "d", config=tmp_path / "c", system=(), built_in=tmp_path / "b"))
        workshop = Workshop.build(settings, store, questions, clock, secrets=held, discovery=empty, folders=folders)
        workshop.catalog.add(FixedTools(tools))
        return House(store, questions, workshop, work)

    return open_one
