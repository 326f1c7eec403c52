"""Startup scripts: what a dialog can begin with, and keeping a dialog as one."""

from typing import Annotated

from fastapi import APIRouter, Query

from prime.web.dialog_models import CheckedScript, SaveCourseGiven, SavedShown, ScriptFile, ScriptGiven, ScriptsShown
from prime.web.parts import PartsNeeded

router = APIRouter(prefix="/api/priming", tags=["startup scripts"])

AgentId = Annotated[str, Query(alias="agentId", min_length=1, max_length=200)]


@router.get("/scripts")
async def search_scripts(
    parts: PartsNeeded,
    agent_id: Annotated[str | None, Query(alias="agentId", min_length=1, max_length=200)] = None,
    q: Annotated[str, Query(max_length=500)] = "",
) -> ScriptsShown:
    """Scripts on the disk as it is now that this agent may begin with and that have every word of `q`; 50 at most."""
    return ScriptsShown.of(await parts.dialogs.search_scripts(agent_id, q))


@router.get("/recent")
async def recent_scripts(parts: PartsNeeded, agent_id: AgentId) -> ScriptsShown:
    """What this agent's dialogs began with lately, newest first, 20 at most; those that are gone are left out."""
    return ScriptsShown.of(await parts.dialogs.recent_scripts(agent_id))


@router.get("/script")
async def show_script(
    parts: PartsNeeded, script_ref: Annotated[str, Query(alias="scriptRef", min_length=1, max_length=4000)]
) -> ScriptFile:
    """One script's file as it is now, what is in it, and what is wrong with it."""
    ref, text = await parts.dialogs.script_text(script_ref)
    checked = CheckedScript.of(text, ref.path)
    return ScriptFile(script_ref=str(ref), path=ref.path, text=text, **dict(checked))


@router.post("/check")
async def check_script(given: ScriptGiven) -> CheckedScript:
    """Whether a text is a startup script: what it holds, or the first thing that is wrong, with its line."""
    return CheckedScript.of(given.text)


@router.post("/save-current-course")
async def save_current_course(given: SaveCourseGiven, parts: PartsNeeded) -> SavedShown:
    """Keep a channel's present course as a script. One that exists is replaced only with `overwrite`."""
    saved = await parts.dialogs.save_course(
        given.channel_id, given.slug, agent_id=given.agent_id, overwrite=given.overwrite
    )
    return SavedShown.of(saved)
