"""Documents that several tests read."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
SEED = ROOT / ".." / "shared" / "seeds" / "atip-rfc-0.3.md"
CORPUS = ROOT / ".." / "shared" / "corpus" / "atip" / "gh.json"

Json = dict[str, Any]


@pytest.fixture(scope="session")
def rfc() -> str:
    if not SEED.exists():
        pytest.skip(f"the RFC is not here: {SEED}")
    return SEED.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def rfc_json(rfc: str) -> list[Any]:
    """Every JSON example of the RFC that is JSON as it stands: the ones with `...` in them are sketches."""
    found: list[Any] = []
    for block in re.findall(r"```json\n(.*?)```", rfc, re.DOTALL):
        source = re.sub(r"^//.*\n", "", str(block))
        try:
            found.append(json.loads(source))
        except json.JSONDecodeError:
            assert "..." in source, f"neither JSON nor a sketch: {source[:80]}"
    return found


@pytest.fixture(scope="session")
def gh_bytes() -> bytes:
    if not CORPUS.exists():
        pytest.skip(f"the corpus is not here: {CORPUS}")
    return CORPUS.read_bytes()


@pytest.fixture
def minimal() -> Json:
    return {"atip": "0.3", "name": "mytool", "version": "1.0", "description": "Does something"}


@pytest.fixture
def full() -> Json:
    """Every field of 3.2-3.9, extensions and later fields, and the shapes that are easy to lose."""
    return {
        "atip": {"version": "0.6.1", "features": ["trust"], "minAgentVersion": "0.4", "x-a": 1},
        "name": "mytool",
        "version": "2.3.1",
        "description": "Ein Werkzeug: 工具",
        "homepage": "https://example.org",
        "commands": {
            "": {"description": "by itself", "arguments": [], "effects": {}},
            "pr": {
                "description": "Manage",
                "options": [{"name": "repo", "flags": ["-R", "--repo"], "type": "string", "description": "Repo"}],
                "commands": {
                    "create": {
                        "description": "Create",
                        "arguments": [
                            {
                                "name": "file",
                                "type": "file",
                                "required": True,
                                "description": "File",
                                "variadic": False,
                                "x-why": [1, {"a": None}],
                            },
                            {"name": "rest", "type": "string", "required": False, "variadic": True, "default": ["a"]},
                        ],
                        "options": [
                            {
                                "name": "output",
                                "flags": ["-o", "--output"],
                                "type": "enum",
                                "enum": ["json", "yaml"],
                                "default": "json",
                                "envVar": "OUT",
                            },
                            {"name": "label", "flags": ["--label"], "type": "array", "items": {"type": "integer"}},
                        ],
                        "effects": {
                            "filesystem": {"read": True, "write": True, "delete": False, "paths": ["./"], "x-b": 1},
                            "network": True,
                            "subprocess": False,
                            "idempotent": True,
                            "reversible": False,
                            "destructive": False,
                            "creates": ["pull_request"],
                            "modifies": [],
                            "deletes": ["branch"],
                            "interactive": {"stdin": "none", "prompts": False, "tty": False},
                            "cost": {"estimate": "low", "billable": False},
                            "duration": {"typical": "1-5s", "timeout": "60s"},
                            "x-effect": "kept",
                        },
                        "examples": ['mytool pr create --title "x"'],
                        "x-command": {"deep": [1, 2, {"three": 3}]},
                    }
                },
            },
        },
        "globalOptions": [{"name": "verbose", "flags": ["-v"], "type": "boolean", "required": False}],
        "authentication": {
            "required": True,
            "methods": [
                {"type": "token", "envVar": "TOKEN", "description": "A token"},
                {"type": "oauth", "setupCommand": "mytool login", "x-c": 2},
            ],
            "checkCommand": "mytool status",
        },
        "effects": {"network": None, "destructive": True},
        "patterns": [
            {
                "name": "flow",
                "description": "Do it",
                "steps": [{"command": "mytool pr create {file}", "description": "Create"}],
                "variables": {"file": {"type": "string", "description": "The file"}},
            }
        ],
        "partial": True,
        "filter": {"commands": ["pr"], "depth": None},
        "totalCommands": 347,
        "includedCommands": 24,
        "trust": {"source": "vendor", "verified": True, "checksum": "sha256:00", "signedBy": "x"},
        "omitted": {"reason": "filtered"},
        "binary": {"path": "/usr/bin/mytool"},
        "x-anything": {"kept": [True, None, 1.5]},
    }
