"""Dialogs: the courses of a channel, what a model is shown of it, and dialogs as a training set."""

import json
from collections.abc import AsyncGenerator
from typing import Annotated, Literal

from fastapi import APIRouter, Query
from starlette.responses import Response, StreamingResponse

from prime.core.redaction import Redactor
from prime.mind.shapes import Provider, message_lines
from prime.web.dialog_models import ContextShown, CourseGiven, Stopped
from prime.web.models import ChannelShown, Id, Ok
from prime.web.parts import PartsNeeded
from prime.web.routes.channels import get_channel

router = APIRouter(prefix="/api", tags=["dialogs"])

LINES = "application/x-ndjson"
AS_LINES: dict[int | str, dict[str, object]] = {200: {"content": {LINES: {}}, "description": "JSON Lines."}}


class Lines(StreamingResponse):
    media_type = LINES


@router.post("/channels/{channel_id}/courses")
async def change_course(channel_id: str, given: CourseGiven, parts: PartsNeeded) -> ChannelShown:
    """Begin a new course, or go on with an earlier one: the present history is left as it is and the other one taken."""
    if given.course is None:
        channel = await parts.rooms.begin_course(channel_id)
    else:
        channel = await parts.rooms.resume_course(channel_id, given.course)
    return await get_channel(channel.id, parts)


@router.get("/channels/{channel_id}/context")
async def show_context(
    channel_id: str,
    parts: PartsNeeded,
    model: Annotated[str | None, Query(max_length=120)] = None,
    agent_id: Annotated[str | None, Query(alias="agentId", min_length=1, max_length=120)] = None,
    shape: Annotated[Provider, Query(alias="format")] = "openai",
) -> ContextShown:
    """What the model (the present one, or `model`) would be shown of this channel now, and what each part costs."""
    context = await parts.dialogs.preview(channel_id, model or parts.hub.mind.name, agent_id)
    return ContextShown.of(context, shape)


@router.get("/channels/{channel_id}/archive", response_class=Lines, responses=AS_LINES)
async def show_archive(
    channel_id: str,
    parts: PartsNeeded,
    course: Annotated[int | None, Query(ge=1, le=2**31 - 1)] = None,
    shape: Annotated[Provider, Query(alias="format")] = "openai",
) -> Response:
    """What has left the context of a course (the present one), as messages in a provider's shape, one a line."""
    found = message_lines(await parts.dialogs.archived(channel_id, course), shape)
    lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in found)
    return Response(lines, media_type=LINES)


@router.get("/dialogs/export", response_class=Lines, responses=AS_LINES)
async def export_dialogs(
    parts: PartsNeeded,
    channel_ids: Annotated[list[Id] | None, Query(alias="channelId", max_length=200)] = None,
    redact: bool = True,
    shape: Annotated[Literal["openai-jsonl"], Query(alias="format")] = "openai-jsonl",  # noqa: ARG001
) -> Lines:
    """Dialogs as a training set: a line `{"messages": […]}` for each course, secrets taken out unless told otherwise."""
    for channel_id in channel_ids or []:
        await parts.rooms.channel(channel_id)
    redactor = Redactor(await parts.secrets.values()) if redact else None

    found = parts.dialogs.examples(channel_ids or [], redactor)
    first = await anext(
        found, None
    )  # before an answer has begun: what cannot be read is said, and not a file cut short

    async def lines() -> AsyncGenerator[str]:
        if first is not None:
            yield first + "\n"
        async for line in found:
            yield line + "\n"

    return Lines(lines())


@router.post("/channels/{channel_id}/stop")
async def stop_turn(channel_id: str, parts: PartsNeeded) -> Stopped:
    """End what an agent is doing in this channel, now. `stopped` is false when there was nothing to end."""
    await parts.rooms.channel(channel_id)
    return Stopped(stopped=await parts.turns.stop(channel_id))


@router.post("/channels/{channel_id}/retry")
async def retry_turn(channel_id: str, parts: PartsNeeded) -> Ok:
    """Let the agent try its last turn here again, which failed, was stopped or ran into a limit."""
    await parts.rooms.channel(channel_id)
    await parts.answering.retry(channel_id)
    return Ok()
