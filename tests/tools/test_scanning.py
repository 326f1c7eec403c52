"""`prime serve` knows its tools from the start and looks for new ones beside its work (D-ATIP-13)."""

import asyncio
import json
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ANSWER = {
    "atip": "0.3",
    "name": "probe-me",
    "version": "1",
    "description": "Answers",
    "effects": {"network": False},
}


def _listed(url: str) -> set[str]:
    with urllib.request.urlopen(f"{url}/api/tools?limit=500") as answer:
        return {tool["name"] for tool in json.load(answer)["items"]}


async def _until_listed(url: str, name: str) -> None:
    async with asyncio.timeout(60):
        while name not in await asyncio.to_thread(_listed, url):  # noqa: ASYNC110  (a real process is at work)
            await asyncio.sleep(0.2)


@pytest.mark.holds("D-ATIP-13")
@pytest.mark.long  # it waits until Prime has settled, as a start does
async def test_serve_finds_tools_in_the_background_and_knows_them_at_the_next_start(
    serve: Callable[..., Any], tmp_path: Path
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    program = programs / "probe-me"
    program.write_text(f"#!/bin/sh\necho '{json.dumps(ANSWER)}'\n")
    program.chmod(0o755)
    variables = {
        "PATH": f"{programs}:/usr/bin:/bin",
        "XDG_DATA_HOME": str(tmp_path / "xdg"),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "PRIME_WORKSPACE": str(tmp_path),
        "PRIME_TOOL_SCAN_MS": "600000",
    }
    config = tmp_path / "config" / "agent-tools"
    config.mkdir(parents=True)
    (config / "config.json").write_text(json.dumps({"scan": {"paths": [str(programs)]}}))
    first = serve(**variables)
    await _until_listed(first.url, "probe-me")
    first.process.terminate()
    first.process.wait(15)
    # The next one knows it from its first answer on, and needs no scan for that.
    second = serve(**variables | {"PRIME_TOOL_SCAN_MS": "0"})
    assert "probe-me" in await asyncio.to_thread(_listed, second.url)
