"""Dialogs as one part: a channel with an agent in it, what it begins with, and what of it is kept as a script."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prime.core.bad_text import decode_utf8
from prime.core.clock import Clock, iso
from prime.core.errors import InvalidInput, PrimeError
from prime.core.redaction import Redactor
from prime.dialogs.archive import archived_up_to, before
from prime.dialogs.context import Context, archive, assemble
from prime.dialogs.document import DocumentBuilder
from prime.dialogs.history import Perspective, Piece, turns_of
from prime.dialogs.members import agent_of, is_dialog, speaks_here
from prime.dialogs.opening import Opening
from prime.dialogs.scripts.folder import Listing, ScriptFolder
from prime.dialogs.scripts.recents import RecentScripts
from prime.dialogs.scripts.refs import ScriptRef, check_member, individual, parse_ref
from prime.dialogs.scripts.replay import load_for
from prime.dialogs.scripts.script import Header, Script, SourceDialog
from prime.dialogs.training import JsonLine, example
from prime.dialogs.transcript import read_course, records_of
from prime.mind.turns import Conversation, Turn
from prime.rooms.records import Channel, ChannelDraft
from prime.rooms.rooms import Rooms
from prime.rooms.views import View
from prime.store.message import Message
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
    def __init__(self, store: Store, rooms: Rooms, clock: Clock, workspace: Path, builder: DocumentBuilder) -> None:
        self._store = store
        self._rooms = rooms
        self._clock = clock
        self._builder = builder
        self._folder = ScriptFolder(workspace)
        self._recents = RecentScripts(workspace)

    async def agent_of(self, channel: Channel) -> str:
        """The agent whose dialog this is."""
        return agent_of(channel.members, await self._rooms.actors())

    async def create(self, draft: ChannelDraft, priming: Priming | None = None) -> Channel:
        """Make a channel that begins with these scripts. Whatever is wrong with one of them, nothing is made."""
        actors = await self._rooms.actors()
        agent = agent_of(draft.members, actors)
        primed = priming is not None and bool(priming.script_refs)
        if primed or is_dialog(draft):
            draft = replace(draft, dialog=agent if speaks_here(agent, actors) else None)
        if priming is None or not primed:
            return await self._rooms.open_channel(draft)
        refs = [parse_ref(text) for text in priming.script_refs]
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

    async def script_text(self, script_ref: str) -> tuple[ScriptRef, str]:
        """A script's file as it is on the disk now, whether or not it can be read as a script."""
        ref = parse_ref(script_ref)
        return ref, decode_utf8(await asyncio.to_thread(self._folder.read, ref), path=ref.path)

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

    async def preview(self, channel_id: str, model: str, agent_id: str | None = None) -> Context:
        """What the model would be shown now; nothing changes."""
        return await assemble(await View.of(self._store, channel_id), self._builder, model, agent_id)

    async def prepare(self, channel_id: str, model: str, agent_id: str | None = None) -> Context:
        """What the model is to be shown now; what does not fit any more is archived."""
        context = await self.preview(channel_id, model, agent_id)
        await archive(self._store.log, context)
        return context

    async def archived(self, channel_id: str, course: int | None = None) -> list[Turn]:
        """What has left the context of a course, the present one when none is named."""
        channel = await self._rooms.channel(channel_id)
        course = course or channel.course
        messages = await read_course(self._store, self._rooms, channel_id, course)
        up_to = await archived_up_to(self._store.log, channel_id, course)
        return turns_of(before(await self._pieces(channel, messages), up_to))

    async def examples(self, channel_ids: Sequence[str], redactor: Redactor | None) -> AsyncGenerator[JsonLine]:
        """The dialogs of these channels, of all when none is named, as lines of a training set: one for each course in
        which the agent did something."""
        channels = [await self._rooms.channel(each) for each in channel_ids] or await self._all_channels()
        for channel in channels:
            document = await self._builder.build(await View.of(self._store, channel.id))
            for course in sorted({each for _, _, each in await self._rooms.courses(channel.id)}):
                messages = await read_course(self._store, self._rooms, channel.id, course)
                turns = turns_of(await self._pieces(channel, messages))
                line = example(Conversation(system=document.text, turns=turns), redactor)
                if line is not None:
                    yield line

    async def _pieces(self, channel: Channel, messages: Sequence[Message]) -> list[Piece]:
        actors = await self._rooms.actors()
        names = {actor.id: actor.name for actor in actors if actor.id in channel.members}
        perspective = Perspective(agent_of(channel.members, actors), names)
        return [piece for message in messages if (piece := perspective.piece(message)) is not None]

    async def _all_channels(self) -> list[Channel]:
        channels: list[Channel] = []
        after = 0
        while page := await self._rooms.channels(after=after):
            channels += [channel for _, channel in page]
            after = page[-1][0]
        return channels

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
