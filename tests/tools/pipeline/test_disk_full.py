"""A disk that is really full while the pipeline writes its log: a clear error, no process left, all well with new room.

The limit is the kernel's own (RLIMIT_FSIZE): every write beyond it fails, in a process that has no other purpose.
"""

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = r"""
import asyncio, json, os, resource, signal, sys
from pathlib import Path
from pydantic import SecretStr
from prime.app import open_prime
from prime.core.errors import PrimeError
from prime.core.settings import Settings
from prime.tools.pipeline import CallSession, ToolCall
from prime.tools.priming import PrimeRequest

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # so that the write fails instead


async def main(data):
    settings = Settings().model_copy(update={"data": data, "workspace": data})
    said = []
    async with open_prime(settings) as prime:
        workshop, store = prime.parts.workshop, prime.parts.store

        async def big(arguments, context):
            return "x" * 30_000

        workshop.builtins.add("big", "Says much.", {"type": "object"}, big)
        session = CallSession(session_id="s", agent_id="a", cwd=data)
        await workshop.sessions.prime(PrimeRequest(agent_id="a", session_id="s"))
        await workshop.pipeline.call(ToolCall(name="big", id="before"), session)
        largest = max(file.stat().st_size for file in data.iterdir() if file.is_file())
        full = largest + 65_536
        resource.setrlimit(resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
        refused = None
        for number in range(400):
            try:
                await asyncio.wait_for(workshop.pipeline.call(ToolCall(name="big", id=f"n{number}"), session), 20)
            except Exception as error:
                refused = error
                break
        said.append(["full", type(refused).__name__, isinstance(refused, PrimeError)])
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        await workshop.pipeline.call(ToolCall(name="big", id="after"), session)
        logged = [m for m in await store.log.after(0, 10_000) if m.kind in ("tool_call", "tool_result")]
        calls = [m.body["callId"] for m in logged if m.kind == "tool_call"]
        results = [m.body["callId"] for m in logged if m.kind == "tool_result"]
        said.append(["matched", calls == results, "before" in calls and "after" in calls])
    children = [int(p.name) for p in Path("/proc").iterdir() if p.name.isdigit() and parent(p) == os.getpid()]
    said.append(["left", len(children)])
    print(json.dumps(said))


def parent(folder):
    try:
        return int((folder / "stat").read_text().rpartition(")")[2].split()[1])
    except OSError:
        return 0


asyncio.run(main(Path(sys.argv[1])))
"""


def test_a_full_disk_refuses_calls_and_leaves_the_log_whole(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    environment = {"PATH": str(tmp_path), "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "xdg")}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(data)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    full, matched, left = json.loads(done.stdout)
    assert full == ["full", "Unavailable", True]
    assert matched == ["matched", True, True]
    assert left == ["left", 0]
