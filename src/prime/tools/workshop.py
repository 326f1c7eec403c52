"""Everything about tools as one part: where they come from, who runs them, and the one way in which they are called."""

import asyncio
import hashlib
import logging
import re
import threading
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from prime.core.clock import Clock
from prime.core.errors import PrimeError, Unavailable
from prime.core.settings import Settings
from prime.rooms.questions import Questions
from prime.store.store import Store
from prime.tools.catalog import Catalog
from prime.tools.channel_folders import channel_folder
from prime.tools.discovered import DiscoveredTools
from prime.tools.discovery import Discovery
from prime.tools.pipeline.approvals import OwnerApprover
from prime.tools.pipeline.argv_runtime import ArgvRuntime
from prime.tools.pipeline.builtins import Builtins, own_tools
from prime.tools.pipeline.check import Check, PolicyFile
from prime.tools.pipeline.costs import StoredCosts
from prime.tools.pipeline.pipeline import Pipeline, Stages
from prime.tools.pipeline.stages import Ask, Briefed, Filter, Find, Primed, Run, Runtimes
from prime.tools.pipeline.stored import StoreCallLog, StoredPrimed
from prime.tools.priming.agent import Directives, Primer
from prime.tools.priming.commands import CommandPrimer
from prime.tools.priming.manifests import ManifestPrimer
from prime.tools.priming.sessions import PrimedSessions
from prime.tools.runtime import Runtime, ToolSource
from prime.tools.runtimes.folder_runtime import FolderRuntime
from prime.tools.tool import RuntimeKind

log = logging.getLogger(__name__)

# The first requests are not to share their time with a scan.
AFTER_START_S = 30.0
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,80}")
FOLDER_KINDS: tuple[RuntimeKind, ...] = ("process", "binary", "python-uv-script")


def _no_tasks() -> "list[asyncio.Task[None]]":
    return []


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """Further sources, runtimes and primers are added to `catalog`, `runtimes` and `directives`."""

    catalog: Catalog
    runtimes: Runtimes
    directives: Directives
    builtins: Builtins
    discovered: DiscoveredTools
    sessions: PrimedSessions
    approver: OwnerApprover
    pipeline: Pipeline
    # Where tools work, and what they may not leave.
    folder: Path
    # Runs the tools that are folders; None where nobody asked for them.
    folders: FolderRuntime | None = None
    _tasks: "list[asyncio.Task[None]]" = field(default_factory=_no_tasks)

    @classmethod
    def build(
        cls,
        settings: Settings,
        store: Store,
        questions: Questions,
        clock: Clock,
        *,
        secrets: Callable[[], Awaitable[Iterable[str]]] | None = None,
        discovery: Discovery | None = None,
        folders: FolderRuntime | None = None,
    ) -> "Workshop":
        policies = PolicyFile(settings.config_folder / "policy.json")
        discovered = DiscoveredTools(discovery or Discovery(clock=clock))
        sessions = PrimedSessions(settings.priming_mode, clock, StoredPrimed(store, clock))
        catalog = Catalog()
        builtins = own_tools(catalog, sessions)
        for source in _sources(builtins, discovered, folders):
            catalog.add(source)
        runtimes = _runtimes(builtins, ArgvRuntime(policies, discovered.executable), folders)
        directives = Directives(_primers(discovered, folders), clock)
        approver = OwnerApprover(store, questions, clock)
        check = Check(policies, discovered.executable, builtins.check, StoredCosts(store))
        ask = Ask(approver, check, runtimes)
        find = Find(catalog)
        stages = Stages(
            find=find,
            primed=Primed(sessions),
            check=check,
            briefed=Briefed(directives),
            ask=ask,
            run=Run(runtimes, check, ask, find),
            filter=Filter(secrets=secrets),
        )
        return cls(
            catalog=catalog,
            runtimes=runtimes,
            directives=directives,
            builtins=builtins,
            discovered=discovered,
            sessions=sessions,
            approver=approver,
            pipeline=Pipeline(stages, StoreCallLog(store), clock),
            folder=settings.workspace_folder.resolve(),
            folders=folders,
        )

    def channel_folder(self, channel_id: str) -> Path:
        """A channel's own workspace, which need not be there yet."""
        plain = _PLAIN.fullmatch(channel_id) is not None
        name = channel_id if plain else hashlib.sha256(channel_id.encode("utf-8", "replace")).hexdigest()[:40]
        return channel_folder(self.folder, name)

    def start(self) -> None:
        """Let time pass for what waits for the owner."""
        self._tasks.append(asyncio.create_task(self.approver.keep_expiring()))

    def keep_scanning(self, clock: Clock, every_s: float) -> None:
        """Look for tools of this machine, soon and then again and again (D-ATIP-13). Until then the last scan holds."""
        self._tasks.append(asyncio.create_task(_scanning(self.discovered, clock, every_s), name="prime-scan"))

    def keep_fresh(self, clock: Clock) -> None:
        """Make tools that are folders ready when they come or change, and end what waits for those that went."""
        if self.folders:
            self._tasks.append(asyncio.create_task(self.folders.keep_fresh(clock), name="prime-folders"))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()
        if self.folders:
            await self.folders.close()


def make_folder(folder: Path) -> None:
    """Make a channel's workspace where it is missing."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"The channel's folder {folder} cannot be made: {error.strerror}.",
            hint="Set PRIME_WORKSPACE to a folder that Prime may write into.",
        ) from error


def _sources(builtins: Builtins, discovered: DiscoveredTools, folders: FolderRuntime | None) -> list[ToolSource]:
    """Of two tools with one name the first counts: what the owner added before what was found, a workspace's last."""
    if folders is None:
        return [builtins, discovered]
    registry = folders.registry
    return [builtins, registry.of_level("user"), discovered, registry.of_level("workspace")]


def _runtimes(builtins: Builtins, argv: ArgvRuntime, folders: FolderRuntime | None) -> Runtimes:
    """Who runs which kind of tool."""
    by_kind: dict[RuntimeKind, Runtime] = {"builtin": builtins, "argv": argv}
    return Runtimes(by_kind | (dict.fromkeys(FOLDER_KINDS, folders) if folders else {}))


def _primers(discovered: DiscoveredTools, folders: FolderRuntime | None) -> list[Primer]:
    """Who knows how tools want to be primed."""
    commands = CommandPrimer(discovered.executable)
    return [commands, ManifestPrimer(folders.registry.primes)] if folders else [commands]


async def _scanning(discovered: DiscoveredTools, clock: Clock, every_s: float) -> None:
    work: Callable[[], object] = discovered.tools  # what is known already, before the first request asks for it
    wait = AFTER_START_S
    while True:
        try:
            await _beside(work)
        except (PrimeError, OSError) as error:
            log.warning("this machine's tools could not be looked through: %s", error)
        await clock.sleep(wait)
        work, wait = discovered.scan, every_s


async def _beside(work: Callable[[], object]) -> None:
    """Do it in a thread that nobody waits for at the end of the process."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()

    def settle(error: BaseException | None) -> None:
        if not done.done():
            done.set_result(None) if error is None else done.set_exception(error)

    def run() -> None:
        error: BaseException | None = None
        try:
            work()
        except BaseException as raised:  # noqa: BLE001  (it goes to whoever waits)
            error = raised
        with suppress(RuntimeError):  # the loop is closed, and nobody waits any more
            loop.call_soon_threadsafe(settle, error)

    threading.Thread(target=run, name="prime-scan", daemon=True).start()
    await done
