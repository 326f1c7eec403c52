"""Tools: look them up, prime, call them; and what the owner has approved for always."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Body, Depends, Query
from pydantic import JsonValue

from prime.core.errors import Forbidden, InvalidInput
from prime.rooms.records import OWNER
from prime.tools.batch import parse_batch
from prime.tools.batching import Batches
from prime.tools.catalog import Wanted
from prime.tools.pipeline import CallSession, ToolCall
from prime.tools.pipeline.check import permitted
from prime.tools.policy.decision import Reason
from prime.tools.policy.tiers import tier_delegation
from prime.tools.priming import PrimeRequest, prime_schema
from prime.tools.tool import Tool
from prime.tools.workshop import make_folder
from prime.web.cursor import decode_cursor, encode_cursor
from prime.web.models import Ok, Page
from prime.web.parts import Parts, PartsNeeded
from prime.web.tool_models import (
    BatchGiven,
    BatchShown,
    CallerGiven,
    CallGiven,
    PatternGiven,
    PreviewGiven,
    PreviewShown,
    ResultShown,
    Scanned,
    ScanProgress,
    StandingShown,
    ToolShown,
)


async def _with_servers(parts: PartsNeeded) -> None:
    """Tools of MCP servers are there too, also for a command that opened Prime for itself."""
    await parts.gateway.opened()


router = APIRouter(tags=["tools"], dependencies=[Depends(_with_servers)])
_REQUEST = {"requestBody": {"required": True, "content": {"application/json": {"schema": prime_schema("request")}}}}


@router.get("/api/tools")
async def list_tools(
    parts: PartsNeeded,
    q: Annotated[str, Query(max_length=1000)] = "",
    effect: Annotated[list[Wanted] | None, Query(max_length=6)] = None,
    without: Annotated[list[Wanted] | None, Query(max_length=6)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 50,
    cursor: Annotated[str | None, Query(max_length=64)] = None,
    channel_id: Annotated[str | None, Query(alias="channelId", min_length=1, max_length=120)] = None,
) -> Page[ToolShown]:
    """Tools that fit the words, best first; without words all, harmless ones first.

    `effect` is one that a tool must have, `without` one that it must be known not to have; both may be repeated.
    With `channelId` only those that the channel's tier leaves to it.
    """
    wanted: dict[Wanted, bool] = dict.fromkeys(effect or (), True) | dict.fromkeys(without or (), False)
    permits = await _permits(parts, channel_id)
    place = decode_cursor(cursor) or 0
    page = parts.workshop.catalog.find(q, effects=wanted, place=place, limit=limit, permits=permits)
    return Page(
        items=[ToolShown.of(tool) for tool in page.tools],
        next_cursor=None if page.next_place is None else encode_cursor(page.next_place),
    )


@router.post("/api/tools/scan")
async def scan(parts: PartsNeeded) -> Scanned:
    """Look for tools on this machine, now."""
    listing = await asyncio.to_thread(parts.workshop.discovered.scan)
    return Scanned(
        tools=len(listing.tools), counts={str(k): v for k, v in listing.counts().items()}, asked=listing.asked
    )


@router.get("/api/tools/scan")
async def scan_progress(parts: PartsNeeded) -> ScanProgress:
    """How far the scan under way has come."""
    done, of = parts.workshop.discovered.progress or (0, 0)
    return ScanProgress(running=parts.workshop.discovered.progress is not None, done=done, of=of)


@router.post("/api/tools/prime", openapi_extra=_REQUEST)
async def prime(given: Annotated[JsonValue, Body()], parts: PartsNeeded) -> dict[str, object]:
    """PrimeRequest to PrimeResponse: mandatory before other calls in a session, and idempotent."""
    return await parts.workshop.sessions.prime(PrimeRequest.from_json(given))


@router.get("/api/tools/{name}")
async def show_tool(name: str, parts: PartsNeeded) -> ToolShown:
    """One tool by its exact name."""
    return ToolShown.of(parts.workshop.catalog.get(name))


@router.post("/api/tools/{name}/call", response_model_exclude_none=True)
async def call_tool(name: str, given: CallGiven, parts: PartsNeeded) -> ResultShown:
    """Call it. A tool that fails answers with `isError`; a call that is refused answers with an error."""
    call = ToolCall(name=name, arguments=dict(given.arguments))
    result = await parts.workshop.pipeline.call(call, await _session(parts, given))
    return ResultShown.model_validate(result.as_json())


@router.post("/api/tools/batch")
async def call_batch(given: BatchGiven, parts: PartsNeeded) -> BatchShown:
    """Several calls that wait for each other: `depends` names an id, `<ID response>` is where its output goes.

    Answers with what became of each, and with the messages that the batch turns into behind `messages`.
    """
    steps = parse_batch(given.tool_calls)
    batches = Batches(parts.workshop.catalog, parts.workshop.pipeline)
    return BatchShown.of(await batches.run(steps, await _session(parts, given)), given.messages)


@router.post("/api/tools/{name}/preview")
async def preview_call(name: str, given: PreviewGiven, parts: PartsNeeded) -> PreviewShown:
    """What a call would run, and whether it would be asked about or refused. Nothing runs and nothing is logged."""
    wanted = CallGiven(session_id="preview", agent_id=OWNER, channel_id=given.channel_id)
    call = ToolCall(name=name, arguments=dict(given.arguments))
    session = await _session(parts, wanted)
    parts.workshop.catalog.get(name)
    try:
        words, decision = await parts.workshop.pipeline.preview(call, session)
    except (InvalidInput, Forbidden) as refusal:
        # The answer to "what would happen" is that it would be refused.
        reason = Reason("deny", refusal.error_code, refusal.message, refusal.hint or "")
        return PreviewShown(words=[], verdict="deny", reasons=[reason.as_json()])
    reasons = [reason.as_json() for reason in decision.reasons]
    return PreviewShown(words=list(words), verdict=decision.verdict, reasons=reasons)


@router.get("/api/approvals")
async def list_standing(parts: PartsNeeded) -> Page[StandingShown]:
    """What the owner has approved for always."""
    return Page(items=[StandingShown.of(rule) for rule in await parts.workshop.approver.rules()])


@router.patch("/api/approvals/{rule_id}")
async def change_standing(rule_id: str, given: PatternGiven, parts: PartsNeeded) -> StandingShown:
    """Let it cover what a pattern covers."""
    return StandingShown.of(await parts.workshop.approver.change_rule(rule_id, given.pattern))


@router.delete("/api/approvals/{rule_id}")
async def revoke_standing(rule_id: str, parts: PartsNeeded) -> Ok:
    """Ask again from now on."""
    await parts.workshop.approver.revoke_rule(rule_id)
    return Ok()


async def _session(parts: Parts, given: CallerGiven) -> CallSession:
    session = CallSession(
        session_id=given.session_id,
        agent_id=given.agent_id,
        cwd=parts.workshop.folder,
        wait_s=given.wait_ms / 1000,
    )
    return await _in_channel(parts, session, given.channel_id) if given.channel_id else session


async def _in_channel(parts: Parts, session: CallSession, channel_id: str) -> CallSession:
    """The same from a channel: with its tier, what that leaves of the tools, and its own folder."""
    channel = await parts.rooms.channel(channel_id)
    folder = parts.workshop.channel_folder(channel.id)
    if channel.tier != "external":
        await asyncio.to_thread(make_folder, folder)
    return replace(
        session,
        cwd=folder,
        channel_id=channel.id,
        tier=channel.tier,
        course=channel.course,
        delegation=tier_delegation(channel.tier),
    )


async def _permits(parts: Parts, channel_id: str | None) -> Callable[[Tool], bool] | None:
    if channel_id is None:
        return None
    anyone = CallSession(session_id="", agent_id="", cwd=parts.workshop.folder)
    session = await _in_channel(parts, anyone, channel_id)
    return lambda tool: permitted(tool, session)
