"""The way back to a client, over the SDK's session of one request."""

from collections.abc import Mapping
from typing import Any, cast

import jsonschema_rs
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError, NoBackChannelError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from prime.core.errors import InvalidInput, JsonValue, Unavailable
from prime.gateway.front.sessions import Session
from prime.gateway.link import Asking, InputRequired

Context = ServerRequestContext[Any, Any]
Answer = Mapping[str, JsonValue]
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
_LOG_LEVEL = "io.modelcontextprotocol/logLevel"
_ASKING: Mapping[str, tuple[str, type[types.Request[Any, Any]], type[types.Result]]] = {
    "sampling/createMessage": ("sampling", types.CreateMessageRequest, types.CreateMessageResult),
    "elicitation/create": ("elicitation", types.ElicitRequest, types.ElicitResult),
    "roots/list": ("roots", types.ListRootsRequest, types.ListRootsResult),
}


def meta_of(context: Context) -> Mapping[str, JsonValue]:
    """`_meta` of a request as it came."""
    found = context.params.get("_meta") if context.params else None
    return cast("Mapping[str, JsonValue]", found) if isinstance(found, Mapping) else {}


def is_stateless(context: Context) -> bool:
    return context.protocol_version in MODERN_PROTOCOL_VERSIONS


class SdkLink:
    """Implements `prime.gateway.link.ClientLink`. `answers` is what the client has said in earlier rounds."""

    def __init__(self, context: Context, session: Session, answers: Answer | None = None) -> None:
        self._context = context
        self._session = session
        self.answers: dict[str, JsonValue] = dict(answers or {})
        self.needed: Mapping[str, Asking] = {}
        self.lacking: tuple[str, ...] = ()
        self.wants_progress = "progressToken" in meta_of(context)

    def able(self, capability: str) -> bool:
        able = self._context.session.client_capabilities
        return able is not None and getattr(able, capability, None) is not None

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

    async def ask(self, wanted: Mapping[str, Asking]) -> Mapping[str, Answer]:
        for asking in wanted.values():
            if asking.method not in _ASKING:
                raise InvalidInput(f"Clients are not asked {asking.method[:80]}.")
        lacking = tuple(c for a in wanted.values() if not self.able(c := _ASKING[a.method][0]))
        if lacking:
            self.lacking = lacking
            raise Unavailable(
                f"The client does not offer {', '.join(lacking)}.",
                code="client_lacks",
                hint="Use a client that does, or another tool.",
            )
        if is_stateless(self._context):
            return self._given(wanted)
        return {name: await self._request(asking) for name, asking in wanted.items()}

    def _given(self, wanted: Mapping[str, Asking]) -> Mapping[str, Answer]:
        missing = {name: a for name, a in wanted.items() if not fits(a, self.answers.get(name))}
        if missing:
            self.needed = missing
            raise InputRequired(missing)
        return {name: cast("Answer", self.answers[name]) for name in wanted}

    async def _request(self, asking: Asking) -> Answer:
        _, request, result = _ASKING[asking.method]
        try:
            answer = await self._context.session.send_request(
                cast("types.ServerRequest", request.model_validate({"method": asking.method, "params": asking.params})),
                result,
                metadata=ServerMessageMetadata(related_request_id=self._context.request_id),
            )
        except NoBackChannelError as error:
            raise Unavailable("This client cannot be asked anything.", code="no_back_channel") from error
        except (MCPError, ValidationError) as error:
            raise Unavailable(f"The client did not answer: {error}.", code="client_refused") from error
        return cast("Answer", answer.model_dump(mode="json", by_alias=True, exclude_none=True))


def fits(asking: Asking, answer: JsonValue) -> bool:
    """Whether this answers it; what does not is asked for again."""
    if not isinstance(answer, dict):
        return False
    try:
        _ASKING[asking.method][2].model_validate(answer, by_name=False)
    except ValidationError:
        return False
    given, schema = cast("Answer", answer), asking.params.get("requestedSchema")
    if asking.method != "elicitation/create" or given.get("action") != "accept" or not isinstance(schema, dict):
        return True
    return jsonschema_rs.Draft202012Validator(cast("dict[str, Any]", schema)).is_valid(given.get("content") or {})
