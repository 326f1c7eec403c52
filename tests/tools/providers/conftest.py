"""Documents and tools that the provider tests share."""

from collections.abc import Callable
from typing import Any

import pytest

from prime.tools.atip import parse_document
from prime.tools.tool import Tool, tools_of

Json = dict[str, Any]
Build = Callable[..., tuple[Tool, ...]]


@pytest.fixture
def build() -> Build:
    """Tools of a document with these commands: `build({"run": {…}}, name="t")`."""

    def _build(commands: Json | None = None, **root: Any) -> tuple[Tool, ...]:
        document: Json = {"atip": "0.3", "name": "t", "version": "1", "description": "A tool"} | root
        if commands is not None:
            document["commands"] = commands
        return tools_of(parse_document(document, where="t"))

    return _build


GH: Json = {
    "atip": "0.1",
    "name": "gh",
    "version": "2.45.0",
    "description": "GitHub CLI",
    "authentication": {"required": True, "methods": [{"type": "oauth", "setupCommand": "gh auth login"}]},
    "commands": {
        "pr": {
            "description": "Manage pull requests",
            "commands": {
                "list": {
                    "description": "List pull requests",
                    "options": [
                        {
                            "name": "state",
                            "flags": ["-s", "--state"],
                            "type": "enum",
                            "enum": ["open", "closed"],
                            "default": "open",
                        },
                        {"name": "limit", "flags": ["-L"], "type": "integer", "description": "How many"},
                    ],
                    "effects": {"network": True, "idempotent": True},
                },
                "create": {
                    "description": "Create a pull request",
                    "options": [
                        {"name": "title", "flags": ["-t", "--title"], "type": "string", "description": "PR title"},
                        {"name": "draft", "flags": ["-d", "--draft"], "type": "boolean"},
                        {"name": "body-file", "flags": ["-F"], "type": "file", "description": "Body"},
                        {"name": "label", "flags": ["--label"], "type": "array", "description": "Labels"},
                    ],
                    "effects": {
                        "network": True,
                        "idempotent": False,
                        "creates": ["pull_request"],
                        "interactive": {"stdin": "required"},
                        "duration": {"typical": "1s-secret"},
                    },
                },
            },
        },
        "repo": {
            "description": "Manage repositories",
            "commands": {
                "delete": {
                    "description": "Delete a repository",
                    "arguments": [{"name": "repo", "type": "string", "required": True, "description": "Which"}],
                    "effects": {"network": True, "destructive": True, "reversible": False},
                }
            },
        },
        "status": {"description": "Show status"},
    },
    "patterns": [
        {
            "name": "ship",
            "description": "Open a PR",
            "steps": [{"command": "gh pr create -t {title}", "description": "Open"}],
            "variables": {"title": {"type": "string", "description": "Its title"}},
        }
    ],
}


@pytest.fixture
def gh() -> tuple[Tool, ...]:
    return tools_of(parse_document(GH, where="gh"))
