"""A call through the whole pipeline beside a bare spawn of the same program in the same sandbox."""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import uvloop
from report import Report, scaled

from prime.core.clock import SystemClock
from prime.core.process import Command, Limits, allowed_environment, run
from prime.core.settings import Settings
from prime.rooms.queries import RoomsProjection
from prime.rooms.questions import Questions
from prime.rooms.rooms import Rooms
from prime.rooms.tables import ROOMS_MIGRATIONS
from prime.store.folder import DataFolder
from prime.store.store import Store
from prime.tools.atip.parser import parse_document
from prime.tools.discovery import Discovery, Folders
from prime.tools.execution.trust import sandbox_for
from prime.tools.fixed import FixedTools
from prime.tools.pipeline import CallSession, ToolCall
from prime.tools.priming import PrimeRequest
from prime.tools.queries import ToolsProjection
from prime.tools.tables import TOOLS_MIGRATIONS
from prime.tools.tool import Tool, tools_of
from prime.tools.workshop import Workshop

ROUNDS = scaled(60, 15)
SAFE = {
    "filesystem": {"read": True, "write": False, "delete": False},
    "network": False,
    "subprocess": False,
    "destructive": False,
    "cost": {"billable": False},
}
SHELL = "#!/bin/sh\necho hello\n"
PYTHON = f"#!{sys.executable} -S\nimport json\nprint(json.dumps('hello'))\n"


def make(folder: Path, name: str, script: str, source: str) -> tuple[Tool, str]:
    file = folder / name
    file.write_text(script)
    file.chmod(0o755)
    document = {"atip": "0.3", "name": name, "version": "1", "description": name, "effects": SAFE}
    return tools_of(parse_document({**document, "trust": {"source": source}}, where=name))[0], str(file)


async def measure(report: Report, folder: Path) -> None:
    clock = SystemClock()
    migrations = (*ROOMS_MIGRATIONS, *TOOLS_MIGRATIONS)
    projections = (RoomsProjection(), ToolsProjection())
    store = await Store.open(DataFolder(folder / "data"), None, clock, projections=projections, migrations=migrations)
    await Rooms(store).open()
    settings = Settings.load({"PRIME_WORKSPACE": str(folder)})
    nothing = Discovery(Folders(data=folder / "d", config=folder / "c", system=(), built_in=folder / "b"))
    workshop = Workshop.build(settings, store, Questions(store, clock), clock, discovery=nothing)
    made = {
        "a shell tool": (*make(folder, "shelltool", SHELL, "native"), 1.25),
        "a shell tool, walled in": (*make(folder, "walledshell", SHELL, "inferred"), 1.25),
        "a Python tool": (*make(folder, "pytool", PYTHON, "native"), 1.1),
    }
    workshop.catalog.add(FixedTools(tool for tool, _, _ in made.values()))
    await workshop.sessions.prime(PrimeRequest(agent_id="bench", session_id="s"))
    session = CallSession(session_id="s", agent_id="bench", cwd=folder)
    env = {**allowed_environment(), "PATH": f"{folder}:/usr/bin:/bin"}
    for what, (tool, path, aim) in made.items():
        command = Command(
            argv=(path,), cwd=str(folder), env=env, limits=Limits(overflow="drop"), sandbox=sandbox_for(tool, folder)
        )
        ours: list[float] = []
        bare: list[float] = []
        for _ in range(ROUNDS):
            began = time.perf_counter()
            assert (await run(command)).ok
            bare.append(1000 * (time.perf_counter() - began))
            began = time.perf_counter()
            assert not (await workshop.pipeline.call(ToolCall(name=tool.name), session)).is_error
            ours.append(1000 * (time.perf_counter() - began))
        report.row(
            what,
            ours=sorted(ours),
            peer=sorted(bare),
            peer_name="bare spawn",
            floor=True,
            aim=aim,
            higher_is_better=False,
        )
    await store.close()


def main() -> None:
    import os

    report = Report("pipeline", "ms")
    with tempfile.TemporaryDirectory(dir=Path.home()) as place:
        os.environ["PATH"] = f"{place}:/usr/bin:/bin"
        uvloop.run(measure(report, Path(place)))  # as the server does
    report.finish()


if __name__ == "__main__":
    main()
