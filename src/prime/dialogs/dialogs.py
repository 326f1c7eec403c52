"""Dialogs as one part: a channel with an agent in it, what it begins with, and what of it is kept as a script."""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prime.core.clock import Clock, iso
from prime.core.errors import InvalidInput, PrimeError
from prime.dialogs.members import agent_of
from prime.dialogs.opening import Opening
from prime.dialogs.scripts.folder import Listing, ScriptFolder
from prime.dialogs.scripts.recents import RecentScripts
from prime.dialogs.scripts.refs import ScriptRef, check_member, individual, parse_ref
from prime.dialogs.scripts.replay import load_for
from prime.dialogs.scripts.script import Header, Script, SourceDialog
from prime.dialogs.transcript import read_course, records_of
from prime.rooms.records import Channel, ChannelDraft
from prime.rooms.rooms import Rooms
from prime.store.store import Store

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Priming:
    """What a dialog is to begin with, and whether the page shows it."""

    script_refs: tuple[str, ...]
    show_in_ui: bool = True


@dataclass(frozen=True, slots=True)
class SavedScript:
    ref: ScriptRef
    path: str


class Dialogs:
    def __init__(self, store: Store, rooms: Rooms, clock: Clock, workspace: Path) -> None:
        self._store = store
        self._rooms = rooms
        self._clock = clock
        self._folder = ScriptFolder(workspace)
        self._recents = RecentScripts(workspace)

    async def agent_of(self, channel: Channel) -> str:
        """The agent whose dialog this is."""
        return agent_of(channel.members, await self._rooms.actors())

    async def create(self, draft: ChannelDraft, priming: Priming | None = None) -> Channel:
        """Make a channel that begins with these scripts. Whatever is wrong with one of them, nothing is made."""
        if priming is None or not priming.script_refs:
            return await self._rooms.open_channel(draft)
        refs = [parse_ref(text) for text in priming.script_refs]
        agent = agent_of(draft.members, await self._rooms.actors())
        messages = await asyncio.to_thread(load_for, self._folder, refs, agent)
        shown = {"scriptRefs": [str(ref) for ref in refs], "showInUi": priming.show_in_ui}
        channel = await Opening(self._rooms, replace(draft, priming=shown), agent).begin(messages)
        await self._remember(agent, refs)
        return channel

    async def search_scripts(self, agent_id: str | None, query: str) -> Listing:
        """Scripts on the disk as it is now that this agent (None: anybody) may begin a dialog with."""
        return await asyncio.to_thread(self._folder.search, agent_id, query)

    async def recent_scripts(self, agent_id: str) -> Listing:
        """What this agent's dialogs began with lately and still can."""
        return await asyncio.to_thread(self._recents.list, agent_id)

    async def save_course(
        self, channel_id: str, slug: str, *, agent_id: str | None = None, overwrite: bool = False
    ) -> SavedScript:
        """Keep the channel's present course as a script of its agent."""
        channel = await self._rooms.channel(channel_id)
        own = await self.agent_of(channel)
        ref = individual(agent_id or own, slug)
        perspective = agent_id if agent_id in channel.members else own
        messages = await read_course(self._store, self._rooms, channel_id, channel.course)
        records = records_of(messages, perspective or own)
        if not records:
            raise InvalidInput(
                f"Nothing was said in course {channel.course} of {channel.name} yet.",
                code="empty_history",
                hint="Say something first.",
            )
        script = Script(header=self._header(channel, ref), records=records)
        path = await asyncio.to_thread(self._folder.save, ref, script, overwrite=overwrite)
        return SavedScript(ref, path)

    def _header(self, channel: Channel, ref: ScriptRef) -> Header:
        return Header(
            title=channel.name,
            owner_agent_id=ref.member,
            generated_at=iso(self._clock.now_ms()),
            source_dialog=SourceDialog(
                root_id=channel.id,
                self_id=channel.id,
                course=channel.course,
                status="completed" if channel.closed else "running",
            ),
        )

    async def _remember(self, agent: str, refs: Sequence[ScriptRef]) -> None:
        try:
            await asyncio.to_thread(self._recents.remember, check_member(agent), refs)
        except PrimeError as error:
            # The dialog is there; that its script is not among the recent ones is no reason to say it failed.
            log.warning("recent startup scripts could not be written: %s", error)
