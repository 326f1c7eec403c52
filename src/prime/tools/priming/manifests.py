"""Priming by the document in a tool's manifest: what its author wrote down needs no program to say it (D-DIR-2)."""

from collections.abc import Callable, Mapping
from typing import cast

from prime.core.errors import JsonValue
from prime.tools.priming.directive import CONTRACT
from prime.tools.priming.request import PrimeRequest
from prime.tools.tool import Tool

# The `prime` document of a tool, empty for one without.
DocumentOf = Callable[[Tool], Mapping[str, JsonValue]]
_DIRECTIVES = ("primaryIntents", "do", "dont")


class ManifestPrimer:
    """Answers for tools whose `tool.json` has a `prime` document.

    It is a response of RFC 8.2, where version and session may be left out, and `do`, `dont` and `primaryIntents` may
    stand at its top.
    """

    def __init__(self, document: DocumentOf) -> None:
        self._document = document

    def program(self, tool: Tool) -> str | None:
        return tool.name if self._document(tool) else None

    async def prime(self, tool: Tool, request: PrimeRequest) -> JsonValue:
        written = dict(self._document(tool))
        short = {key: written.pop(key) for key in _DIRECTIVES if key in written}
        usage = written.pop("usageDirectives", {})
        if isinstance(usage, Mapping):
            usage = {**short, **cast("Mapping[str, JsonValue]", usage)}
        filled: dict[str, JsonValue] = {"version": CONTRACT, "toolName": tool.name, "usageDirectives": usage}
        return {**filled, **written, "session": {"sessionId": request.session_id}}
