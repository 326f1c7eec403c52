"""What the owner has accepted: how each tool was described when they let it in, and which servers may start.

The first description of a tool is accepted with its server. One that changes later may be an attack (a server that
behaves until it is trusted), so that the tool is held back until the owner has looked at both.
"""

import json
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from prime.core.errors import JsonValue
from prime.core.redaction import cut, redact_for_yes
from prime.gateway import queries
from prime.gateway.behind.config import ServerConfig, names_in
from prime.gateway.behind.definitions import Definition, digest_of
from prime.gateway.behind.owner import OwnerDesk, said_yes
from prime.gateway.queries import SeenTool, TrustedServer
from prime.store.database import Database

# Of what a question shows of two descriptions, and what is kept of one to compare another with.
_LONGEST_SHOWN = 12_000
_LONGEST_KEPT = 200_000
_AROUND = 200
# Beside words and arguments: models are told of them, and the policy believes the hints.
_BESIDE = ("title", "annotations", "outputSchema")
# A tool has one open question. It is replaced when its description changes once more, but not more often than this: a
# server that changes its mind all the time would have the owner read nothing else.
ASK_ANEW_S = 60.0


@dataclass(frozen=True, slots=True)
class Admitted:
    """Tools that may be offered, and those that wait for the owner, with their question."""

    accepted: list[Definition]
    held: dict[str, str]


class Acceptance:
    def __init__(self, database: Database, desk: OwnerDesk) -> None:
        self._database = database
        self._desk = desk

    # --- descriptions ---

    async def admit(self, server: str, definitions: Sequence[Definition]) -> Admitted:
        """Take in what is new, hold back what has changed; the owner has one question about each."""
        seen = await self._database.read(lambda c: queries.read_seen(c, server))
        accepted: list[Definition] = []
        held: dict[str, str] = {}
        changes: list[SeenTool] = []
        for definition in definitions:
            name, digest = str(definition["name"]), digest_of(definition)
            known = seen.get(name)
            if known is None:
                changes.append(SeenTool(name, digest, _shown(definition), None, None))
            elif known.digest != digest:
                known = await self._hold(server, known, definition)
                changes.append(known)
                if known.digest != digest:
                    held[name] = str(known.question_id)
                    continue
            accepted.append(definition)
        if changes:
            await self._database.write(lambda c: queries.put_seen(c, server, changes))
        return Admitted(accepted, held)

    async def accept(self, server: str, definitions: Iterable[Definition]) -> None:
        """The owner has looked: these descriptions count from now on."""
        rows = [SeenTool(str(d["name"]), digest_of(d), _shown(d), None, None) for d in definitions]
        await self._database.write(lambda c: queries.put_seen(c, server, rows))

    async def _hold(self, server: str, known: SeenTool, definition: Definition) -> SeenTool:
        """The row as it is now: accepted when the owner has said yes to exactly this description."""
        digest = digest_of(definition)
        if known.question_id is not None:
            if known.held_digest == digest:
                question = await self._desk.get(known.question_id)
                return SeenTool(known.name, digest, _shown(definition), None, None) if said_yes(question) else known
            if not await self._desk.withdrawn(known.question_id, after_s=ASK_ANEW_S):
                return known  # what it says by then is asked about when this one is answered
        question = await self._desk.ask(
            f"The tool {known.name} of the MCP server {server} describes itself differently now. Accept it?",
            _compared(known.shown, _shown(definition)),
            "A description that changes after it was trusted can carry instructions for your agents.",
        )
        return replace(known, held_digest=digest, question_id=question.id)

    # --- servers ---

    async def may_start(self, config: ServerConfig) -> str | None:
        """None when it may start; else the question that the owner has to answer. A workspace is always asked about; what
        the owner's own files name is held only where somebody said so, and as it was written then."""
        known = await self._known(config)
        if known is not None and known.digest == config.digest:
            if known.trusted:
                return None
            if known.question_id is not None:
                if not said_yes(await self._desk.get(known.question_id)):
                    return known.question_id
                await self.trust(config)
                return None
        if config.place != "workspace":
            return None
        return await self._hold_server(
            config,
            f"This workspace wants to start an MCP server named {config.name}. May it?",
            "Whoever wrote the workspace's files decides what this program does.",
        )

    async def hold(self, config: ServerConfig) -> None:
        """Let it start only when the owner has said yes to it as it is now: it came from elsewhere than this machine."""
        await self._hold_server(
            config,
            f"An MCP server named {config.name} was added in the page. May it start?",
            "It runs as a program with your rights, outside the sandbox."
            if config.transport == "stdio"
            else "What your agents hand to its tools goes to this address.",
        )

    async def trust(self, config: ServerConfig) -> None:
        """It may start as it is written now."""
        await self._withdraw(config)
        await self._put(config, TrustedServer(config.digest, True, None))

    async def forget(self, config: ServerConfig) -> None:
        """The server was taken out; what comes back under its name is new."""
        await self._withdraw(config)
        await self._database.write(lambda c: queries.forget_server(c, str(config.file), config.name))

    async def _hold_server(self, config: ServerConfig, asked: str, reason: str) -> str:
        await self._withdraw(config)  # it was about what the file said before
        question = await self._desk.ask(asked, "\n\n".join(_told(config)), reason)
        await self._put(config, TrustedServer(config.digest, False, question.id))
        return question.id

    async def _withdraw(self, config: ServerConfig) -> None:
        known = await self._known(config)
        if known is not None and known.question_id is not None:
            await self._desk.withdrawn(known.question_id)

    async def _known(self, config: ServerConfig) -> TrustedServer | None:
        return await self._database.read(lambda c: queries.read_trusted(c, str(config.file), config.name))

    async def _put(self, config: ServerConfig, trust: TrustedServer) -> None:
        await self._database.write(lambda c: queries.put_trusted(c, str(config.file), config.name, trust))


def _told(config: ServerConfig) -> list[str]:
    """All that a yes would start or reach, as it is written: a harmless line does anything with the right variables."""
    told = [redact_for_yes(config.line if config.transport == "stdio" else config.url)]
    if config.cwd:
        told.append(f"In the folder {redact_for_yes(config.cwd)}.")
    if config.env:
        told.append(
            f"With the variables {redact_for_yes(shlex.join(f'{name}={value}' for name, value in config.env.items()))}."
        )
    if config.headers:
        told.append(
            f"With the headers {redact_for_yes('; '.join(f'{name}: {value}' for name, value in config.headers.items()))}."
        )
    if config.vouched:
        told.append(f"Of its tools it says {redact_for_yes(json.dumps(config.vouched, ensure_ascii=False))}.")
    told.append(f"Written in {config.file}.")
    if given := sorted(names_in(config.texts)):
        told.append(f"It is given the secrets {', '.join(given)}.")
    return told


def _shown(definition: Definition) -> str:
    """What a person compares: the words first, then the form of the arguments, and what else a change of it would change."""
    words = str(definition.get("description") or "(no description)")
    lines = [words, f"Arguments: {_json(definition.get('inputSchema'))}"]
    lines += [f"{key}: {_json(definition[key])}" for key in _BESIDE if definition.get(key) is not None]
    return cut("\n".join(lines), _LONGEST_KEPT)


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def _compared(before: str, now: str) -> str:
    """Both whole, or where they are long from a little before what differs to a little behind it."""
    if len(before) + len(now) > _LONGEST_SHOWN:
        same = _alike(before, now)
        behind = max(0, _alike(before[same:][::-1], now[same:][::-1]) - _AROUND)
        begin = max(0, same - _AROUND)
        parts = (f"{'…' if begin else ''}{text[begin : len(text) - behind]}" for text in (before, now))
        before, now = (cut(part, _LONGEST_SHOWN // 2) for part in parts)
    return f"Before: {before}\n\nNow: {now}"


def _alike(one: str, other: str) -> int:
    """How many characters they begin with in common."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((place for place, (a, b) in pairs if a != b), min(len(one), len(other)))
