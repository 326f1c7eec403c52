"""The way back to a client, over the SDK's session of one request."""

from collections.abc import Mapping
from typing import Any, cast

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from prime.core.errors import InvalidInput, JsonValue, Unavailable
from prime.gateway.front.sessions import Session

Context = ServerRequestContext[Any, Any]
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_LOG_LEVEL = "io.modelcontextprotocol/logLevel"
_ASKING: Mapping[str, tuple[type[types.Request[Any, Any]], type[types.Result]]] = {
    "sampling/createMessage": (types.CreateMessageRequest, types.CreateMessageResult),
    "elicitation/create": (types.ElicitRequest, types.ElicitResult),
    "roots/list": (types.ListRootsRequest, types.ListRootsResult),
}


def meta_of(context: Context) -> Mapping[str, JsonValue]:
    """`_meta` of a request as it came."""
    found = context.params.get("_meta") if context.params else None
    return cast("Mapping[str, JsonValue]", found) if isinstance(found, Mapping) else {}


def is_stateless(context: Context) -> bool:
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


class SdkLink:
    """Implements `prime.gateway.link.ClientLink`."""

    def __init__(self, context: Context, session: Session) -> None:
        self._context = context
        self._session = session
        self.wants_progress = "progressToken" in meta_of(context)

    async def progress(self, progress: float, total: float | None = None, message: str | None = None) -> None:
        await self._context.session.report_progress(progress, total, message)

    async def log(self, level: str, data: JsonValue, logger: str | None = None) -> None:
        least = meta_of(self._context).get(_LOG_LEVEL) if is_stateless(self._context) else self._session.level
        if level not in LEVELS or least not in LEVELS or LEVELS.index(level) < LEVELS.index(cast("str", least)):
            return
        params = types.LoggingMessageNotificationParams(level=cast("Any", level), data=data, logger=logger)
        await self._context.session.send_notification(
            types.LoggingMessageNotification(params=params), related_request_id=self._context.request_id
        )

    async def ask(self, method: str, params: Mapping[str, JsonValue]) -> Mapping[str, JsonValue]:
        if method not in _ASKING:
            raise InvalidInput(f"Clients are not asked {method[:80]}.")
        request, result = _ASKING[method]
        try:
            asking = request.model_validate({"method": method, "params": dict(params)})
            answer = await self._context.session.send_request(
                cast("types.ServerRequest", asking),
                result,
                metadata=ServerMessageMetadata(related_request_id=self._context.request_id),
            )
        except NoBackChannelError as error:
            raise Unavailable("This client cannot be asked anything.", code="no_back_channel") from error
        except (MCPError, ValidationError) as error:
            raise Unavailable(f"The client did not answer: {error}.", code="client_refused") from error
        return cast("Mapping[str, JsonValue]", answer.model_dump(mode="json", by_alias=True, exclude_none=True))
