"""Text that no database keeps and no encoder writes, in every field of every route: refused or mended, never a fault of ours."""

import json
import re
from collections.abc import Iterator
from typing import Any, Protocol, cast

import httpx2
import pytest

from prime.app import Prime


class Site(Protocol):
    prime: Prime
    http: httpx2.AsyncClient


# What the document says nothing about: its readers are the protocols' own.
OWN_READERS: dict[str, Any] = {
    "/prime/message": {
        "id": "x", "text": "x", "threadId": "x", "taskId": "x", "callbackUrl": "http://x", "from": {"id": "x", "name": "x"},
        "attachments": [{"url": "http://x", "name": "x", "mediaType": "x"}],
    },
    "/a2a": {
        "jsonrpc": "2.0", "id": "x", "method": "message/send", "params": {
            "message": {"role": "user", "messageId": "x", "contextId": "x", "taskId": "x", "parts": [
                {"kind": "text", "text": "x"}, {"kind": "data", "data": {"x": "x"}},
                {"kind": "file", "file": {"name": "x", "mimeType": "x", "uri": "http://x"}}]},
            "configuration": {"pushNotificationConfig": {"url": "http://x", "token": "x"}}},
    },
    "/api/agent-callback": {"text": "x", "state": "done", "taskId": "x", "error": "x"},
    "/mcp": {"jsonrpc": "2.0", "id": "x", "method": "tools/call", "params": {"name": "x", "arguments": {"x": "x"}}},
}  # fmt: skip
ODD = ("\ud800", "\U0010ffff\udfff", "\u0130", "\u202e", "\ufffe")
_DEEPEST = 6


def filled(schema: dict[str, Any], document: dict[str, Any], leaf: str, depth: int = 0) -> Any:
    """A value of the schema's form in which every text is this one."""
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return filled(schema[several][0], document, leaf, depth)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if depth > _DEEPEST:
        return leaf
    kind = schema.get("type")
    if kind == "object" or "properties" in schema:
        fields: dict[str, Any] = schema.get("properties", {})
        found = {name: filled(field, document, leaf, depth + 1) for name, field in fields.items()}
        return found if fields else {"x": leaf, leaf: "x"}
    if kind == "array":
        return [filled(schema.get("items", {}), document, leaf, depth + 1)]
    return {"integer": schema.get("minimum", 1), "number": 0.5, "boolean": True}.get(str(kind), leaf)


def bodies(document: dict[str, Any], leaf: str) -> Iterator[tuple[str, str, Any]]:
    """Every call that takes JSON, with a body in which every text is this one, and each text alone for own readers."""
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            taken = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if taken is not None:
                yield method.upper(), re.sub(r"\{\w+\}", "x", path), filled(taken["schema"], document, leaf)
    for path, body in OWN_READERS.items():
        for odd in with_one(body, leaf):
            yield "POST", path, odd


def with_one(value: Any, leaf: str) -> Iterator[Any]:
    """The value again and again, each time another of its texts ends in this one."""
    if isinstance(value, str):
        yield value + leaf
    elif isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        for name, inside in fields.items():
            yield from ({**fields, name: odd} for odd in with_one(inside, leaf))
    elif isinstance(value, list):
        items = cast("list[Any]", value)
        for at, inside in enumerate(items):
            yield from ([*items[:at], odd, *items[at + 1 :]] for odd in with_one(inside, leaf))


@pytest.mark.parametrize("leaf", ODD)
async def test_no_text_is_a_fault_of_ours(site: Site, leaf: str) -> None:
    document: Any = site.prime.app.routes.openapi()
    tried, faults = 0, list[str]()
    for method, path, body in bodies(document, leaf):
        if path.startswith("/api/admin/"):
            continue
        answer = await site.http.request(
            method, path, content=json.dumps(body), headers={"content-type": "application/json"}
        )
        if answer.status_code == 500:
            faults.append(f"{method} {path} {body!r}")
        tried += 1
    assert (faults, tried > 80) == ([], True)
