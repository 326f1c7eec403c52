"""Real programs in a folder on PATH, with documents that say what a test wants said of them."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from prime.core.errors import JsonValue
from prime.tools.atip import parse_document
from prime.tools.execution import Executor
from prime.tools.policy import Policy
from prime.tools.tool import Tool, tools_of

Program = Callable[..., Tool]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Write an executable and its document: `program("hello", "echo hello", network=True)`."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")

    def write(
        name: str,
        script: str,
        document: Mapping[str, JsonValue] | None = None,
        source: str = "user",
        **effects: JsonValue,
    ) -> Tool:
        path = folder / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        harmless = {
            "filesystem": {"read": True, "write": False, "delete": False}, "network": False, "subprocess": False,
            "destructive": False, "cost": {"billable": False}, "interactive": {"stdin": "none", "prompts": False},
        }  # fmt: skip
        words = {"name": "words", "type": "string", "description": "Words", "required": False, "variadic": True}
        described = {
            "atip": "0.3", "name": name, "version": "1", "description": "A program", "arguments": [words],
            "effects": {**harmless, **effects}, "trust": {"source": source}, "x-double-dash": True, **(document or {}),
        }  # fmt: skip
        return tools_of(parse_document(described, where=name))[0]

    return write


@pytest.fixture
def executor(workspace: Path) -> Executor:
    return Executor(Policy(), workspace=workspace)
