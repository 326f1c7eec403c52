"""From what the pipeline gives to what MCP sends (D-RUN-4)."""

import json
from collections.abc import Mapping
from typing import cast

from prime.core.errors import JsonValue, PrimeError
from prime.tools.pipeline import ToolResult

Result = dict[str, JsonValue]
_TEXT = ("text",)
# What a block of each kind must have to be one; anything else is shown as text.
_NEEDS: Mapping[str, tuple[str, ...]] = {
    "text": _TEXT,
    "image": ("data", "mimeType"),
    "audio": ("data", "mimeType"),
    "resource_link": ("uri", "name"),
}


def call_result(result: ToolResult, *, structured: bool) -> Result:
    """`structured`: the tool promises an output schema, and clients check that it is kept."""
    content = [block_of(block) for block in result.content]
    if result.directives is not None:
        told = json.dumps({"primed": result.directives}, ensure_ascii=False)
        content.insert(0, {"type": "text", "text": told})
    wire: Result = {"content": content, "isError": result.is_error}
    if isinstance(result.structured, dict):
        wire["structuredContent"] = cast("Result", result.structured)
    elif structured and not result.is_error:
        text = "The result is too large to be given whole; what is above is its beginning. Ask for less."
        wire["content"] = [*content, {"type": "text", "text": text}]
        wire["isError"] = True
    meta: Result = {"prime/callId": result.call_id}
    if result.notes:
        meta["prime/notes"] = list(result.notes)
    if result.error is not None:
        meta["prime/error"] = dict(result.error)
    wire["_meta"] = meta
    return wire


def refusal(error: PrimeError) -> Result:
    """A call that did not run, in a sentence that a model can act on."""
    text = f"{error.error_code}: {error}"
    meta: Result = {"prime/error": error.as_json()}
    return {"content": [{"type": "text", "text": text}], "isError": True, "_meta": meta}


def block_of(block: Mapping[str, JsonValue]) -> Result:
    """One block as clients take it; `{"type": "json"}` and what is no legal block becomes text."""
    kind = block.get("type")
    if kind == "json":
        value = block.get("json")
        return {"type": "text", "text": value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}
    if kind == "resource" and _is_resource(block.get("resource")):
        return dict(block)
    needs = _NEEDS.get(kind) if isinstance(kind, str) else None
    if needs is not None and all(isinstance(block.get(name), str) for name in needs):
        return dict(block)
    return {"type": "text", "text": json.dumps(dict(block), ensure_ascii=False)}


def _is_resource(value: JsonValue) -> bool:
    if not isinstance(value, dict):
        return False
    given = cast("Result", value)
    return isinstance(given.get("uri"), str) and any(isinstance(given.get(key), str) for key in ("text", "blob"))
