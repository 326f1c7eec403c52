"""Which tools an agent is shown in a channel, and as whom it calls them."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from weakref import WeakKeyDictionary

from prime.core.errors import JsonValue
from prime.mind.shapes import tool_name
from prime.rooms.tier import Tier
from prime.rooms.views import View, observed_by, observer
from prime.store.message import Message
from prime.tools.pipeline import CallSession
from prime.tools.pipeline.check import permitted
from prime.tools.policy.tiers import tier_delegation
from prime.tools.providers import safety_prompt
from prime.tools.providers.flags import OPENAI_LIMIT, described, safety_flags
from prime.tools.tool import Tool
from prime.tools.workshop import Workshop

FIND = "find_tools"
# Every step pays for the description of every tool it is shown.
MOST_SHOWN = 24
_LOOKED_AT = 200


@dataclass(frozen=True, slots=True)
class Offer:
    """The tools of one request, by the names that providers take."""

    tools: tuple[Tool, ...]

    @property
    def definitions(self) -> list[Mapping[str, JsonValue]]:
        """Name, description with its safety flags, and parameters of each."""
        return [
            {
                "name": tool_name(tool.name),
                "description": described(tool.description, safety_flags(tool.effects), tool.examples, OPENAI_LIMIT),
                "parameters": dict(tool.schema),
            }
            for tool in self.tools
        ]

    def name(self, called: str) -> str:
        """The tool's own name for the name that a model used."""
        return next((tool.name for tool in self.tools if tool_name(tool.name) == called), called)


class Toolbox:
    """Tools by channel: what its tier allows, and of many those that it has looked up or used, with the way to find more."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop
        # The document and the request of one step show the same tools.
        self._offers: WeakKeyDictionary[View, Offer] = WeakKeyDictionary()

    @observed_by("prime.dialogs.turns.toolbox.names_used")
    async def offer(self, view: View) -> Offer:
        known = self._offers.get(view)
        if known is None:
            place = view.channel
            session = self.session(place.id, "", tier=place.tier, course=place.course)
            known = self._offers[view] = Offer(tuple(self._chosen(session, await names_used(view))))
        return known

    def session(self, channel_id: str, agent_id: str, *, tier: Tier, course: int) -> CallSession:
        """As whom an agent calls tools from a channel. Nothing waits there for the owner: the turn does."""
        return CallSession(
            session_id=f"channel:{channel_id}",
            agent_id=agent_id,
            actor_id=agent_id,
            cwd=self._workshop.channel_folder(channel_id),
            channel_id=channel_id,
            tier=tier,
            course=course,
            delegation=tier_delegation(tier),
            wait_s=0,
        )

    def _chosen(self, session: CallSession, used: Sequence[str]) -> list[Tool]:
        allowed = {tool.name: tool for tool in self._workshop.catalog.tools() if permitted(tool, session)}
        allowed.pop("prime", None)  # its sessions are primed by the turn
        if len(allowed) <= MOST_SHOWN:
            return list(allowed.values())
        own = [tool for tool in allowed.values() if tool.runtime == "builtin"]
        names = dict.fromkeys([*(tool.name for tool in own), *used])
        return [allowed[name] for name in names if name in allowed][:MOST_SHOWN]


async def names_used(view: View) -> list[str]:
    """Tools that were called in the channel's present course, or found there, the latest first."""
    messages = await view.course_messages(limit=_LOOKED_AT)
    named = [name for message in reversed(messages) for name in _named(message)]
    return list(dict.fromkeys(named))


observer(names_used)


def _named(message: Message) -> list[str]:
    if message.kind == "tool_call":
        return [str(message.body.get("name"))]
    if message.kind != "tool_result" or message.body.get("name") != FIND:
        return []
    try:
        found: object = json.loads(message.text)
    except ValueError:
        return []
    tools = cast("Mapping[str, object]", found).get("tools") if isinstance(found, dict) else None
    listed = cast("list[object]", tools) if isinstance(tools, list) else []
    return [str(cast("Mapping[str, object]", tool).get("name")) for tool in listed if isinstance(tool, dict)]


class ToolList:
    """Fills `tools` of the context document."""

    fills = "tools"

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox

    @observed_by("prime.dialogs.turns.toolbox.names_used")
    async def text(self, view: View) -> str:
        names = [tool_name(tool.name) for tool in (await self._toolbox.offer(view)).tools]
        more = f" `{FIND}` looks up others by what they do." if FIND in names else ""
        return f"You can call {', '.join(names)}.{more}" if names else ""


class ToolSafety:
    """Fills `safety` of the context document."""

    fills = "safety"

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox

    @observed_by("prime.dialogs.turns.toolbox.names_used")
    async def text(self, view: View) -> str:
        # The document's own headings are of the second level.
        return safety_prompt((await self._toolbox.offer(view)).tools).replace("# Safety", "### Safety", 1)
