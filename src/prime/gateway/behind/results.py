"""From the raw result of a server's tool to what the pipeline filters, without looking at more than must be."""

import json
from collections.abc import Mapping
from typing import cast

from prime.core.errors import JsonValue, Unavailable
from prime.gateway.behind.rpc import Message
from prime.tools.runtime import RawResult

_MOST_BLOCKS = 1000


def raw_result(result: Message, server: str) -> RawResult:
    """Blocks as they came; what has no type is no block."""
    given = result.get("content")
    structured = result.get("structuredContent")
    if not isinstance(given, list) and structured is None:
        raise Unavailable(f"{server} answered without content.", code="bad_answer", hint="Tell the server's author.")
    blocks = [
        cast("Mapping[str, JsonValue]", block)
        for block in (cast("list[JsonValue]", given)[:_MOST_BLOCKS] if isinstance(given, list) else [])
        if isinstance(block, dict) and isinstance(cast("Message", block).get("type"), str)
    ]
    if not blocks and structured is not None:
        blocks = [{"type": "json", "json": structured}]
    return RawResult(
        content=tuple(blocks),
        is_error=result.get("isError") is True,
        structured=structured,
        exit_code=None,
        bytes_out=sum(map(_size, blocks)),
        log="",
    )


def _size(block: Mapping[str, JsonValue]) -> int:
    for key in ("text", "data"):
        if isinstance(value := block.get(key), str):
            return len(value)
    return len(json.dumps(block))
