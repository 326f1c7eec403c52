"""A tool that takes all memory ends alone: Prime says what happened, and goes on with everything else."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import httpx2

WHO = {"sessionId": "s", "agentId": "a"}
PROGRAM = """import json, sys
sys.stdin.readline()
kept = []
while True:
    kept.append(bytearray(b"x") * 10_000_000)
"""
MANIFEST: dict[str, object] = {
    "name": "hungry",
    "version": "1.0.0",
    "description": "Takes what it gets.",
    "runtime": "process",
    "entry": {"command": "python3", "args": ["main.py"]},
    "schema": {"parameters": {"type": "object", "properties": {}}},
    "effects": {
        "filesystem": {"read": False, "write": False, "delete": False},
        "network": False,
        "subprocess": False,
        "destructive": False,
    },
    "policy": {"memoryBytes": 200_000_000, "timeoutMs": 30_000},
}


class Serving(Protocol):
    process: "subprocess.Popen[str]"
    url: str


def test_a_tool_that_takes_all_memory_ends_alone(serve_on_both: Callable[..., Serving], tmp_path: Path) -> None:
    folder = tmp_path / "share" / "prime" / "tools" / "hungry"
    folder.mkdir(parents=True)
    (folder / "main.py").write_text(PROGRAM)
    (folder / "tool.json").write_text(json.dumps(MANIFEST))
    serving = serve_on_both(XDG_DATA_HOME=str(tmp_path / "share"))
    httpx2.post(f"{serving.url}/api/tools/prime", json=WHO, timeout=20).raise_for_status()

    called = httpx2.post(f"{serving.url}/api/tools/hungry/call", json={**WHO, "arguments": {}}, timeout=60).json()

    assert called["isError"] is True, called
    # Stopped from outside, or by its own language when it is given no more: both are told as what they are.
    assert "memory" in json.dumps(called["error"]).lower(), called
    assert serving.process.poll() is None
    said = httpx2.post(f"{serving.url}/api/channels/ch_hub/messages", json={"text": "after"}, timeout=20)
    assert said.status_code == 201
    again = httpx2.post(
        f"{serving.url}/api/tools/find_tools/call", json={**WHO, "arguments": {"query": "x"}}, timeout=20
    )
    assert again.json()["isError"] is False
