"""Each lint rule finds what it is for, and a good document has no findings."""

from typing import Any

import pytest

from prime.tools.atip import lint, parse_document

Json = dict[str, Any]
EFFECTS: Json = {
    "destructive": False,
    "network": False,
    "idempotent": True,
    "filesystem": {"write": False, "delete": False},
}
OPTION: Json = {"name": "all", "flags": ["-a", "--all"], "type": "boolean", "description": "All of it"}
GOOD: Json = {
    "atip": "0.3",
    "name": "t",
    "version": "1",
    "description": "A tool",
    "effects": EFFECTS,
    "commands": {"": {"description": "Run", "options": [OPTION]}},
}


def command(**changes: Any) -> Json:
    return {"commands": {"": GOOD["commands"][""] | changes}}


CASES: list[tuple[Json, str, str]] = [
    ({"description": " "}, "no-description", "/description"),
    ({"description": "x" * 201}, "long-text", "/description"),
    ({"description": "Safe 🔒"}, "looks-like-a-flag", "/description"),
    (command(description="It is READ-ONLY"), "looks-like-a-flag", "/commands//description"),
    (command(description="x" * 701), "long-text", "/commands//description"),
    (command(options=[OPTION | {"description": ""}]), "no-description", "/commands//options/0/description"),
    (command(options=[OPTION, OPTION]), "duplicate-name", "/commands//options"),
    (command(options=[OPTION, OPTION]), "duplicate-flag", "/commands//options"),
    (command(options=[OPTION | {"type": "enum", "enum": ["a", "a"]}]), "duplicate-value", "/commands//options/0/enum"),
    (
        command(options=[OPTION | {"type": "enum", "enum": ["a"], "default": "b"}]),
        "default-not-allowed",
        "/commands//options/0/default",
    ),
    (
        command(
            arguments=[
                {"name": "a", "type": "string", "description": "A", "required": False},
                {"name": "b", "type": "string", "description": "B"},
            ]
        ),
        "order",
        "/commands//arguments/1",
    ),
    ({"globalOptions": [OPTION | {"description": ""}]}, "no-description", "/globalOptions/0/description"),
    ({"effects": None}, "no-effects", "/commands//effects"),
    (command(effects={"destructive": True}), "destructive-without-reversible", "/commands//effects"),
    (command(effects={"destructive": True, "reversible": True}), "contradiction", "/commands//effects"),
    (command(effects={"deletes": ["x"], "reversible": False}), "contradiction", "/commands//effects"),
    (command(effects={"duration": {"timeout": "soon"}}), "timeout", "/commands//effects"),
    ({"authentication": {"required": True}}, "no-auth-check", "/authentication"),
    ({"commands": {"g": {"description": "G", "commands": {"x": {}}}}}, "no-description", "/commands/g/commands/x/description"),
]  # fmt: skip


@pytest.mark.holds("D-ATIP-2")
@pytest.mark.parametrize(("change", "rule", "pointer"), CASES)
def test_findings(change: Json, rule: str, pointer: str) -> None:
    found = lint(parse_document(GOOD | change, where="x"))
    assert (rule, pointer) in {(finding.rule, finding.pointer) for finding in found}


def test_a_good_document_has_none() -> None:
    assert lint(parse_document(GOOD, where="x")) == ()
