"""Everything about tools as one part: where they come from, who runs them, and the one way in which they are called."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from prime.core.clock import Clock
from prime.core.settings import Settings
from prime.rooms.questions import Questions
from prime.store.store import Store
from prime.tools.catalog import Catalog
from prime.tools.discovered import DiscoveredTools
from prime.tools.discovery import Discovery
from prime.tools.pipeline.approvals import OwnerApprover
from prime.tools.pipeline.argv_runtime import ArgvRuntime
from prime.tools.pipeline.builtins import Builtins, own_tools
from prime.tools.pipeline.check import Check, PolicyFile
from prime.tools.pipeline.pipeline import Pipeline, Stages
from prime.tools.pipeline.stages import Ask, Briefed, Filter, Find, Primed, Run, Runtimes
from prime.tools.pipeline.stored import StoreCallLog, StoredPrimed
from prime.tools.priming.agent import Directives
from prime.tools.priming.commands import CommandPrimer
from prime.tools.priming.sessions import PrimedSessions


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
    ) -> "Workshop":
        policies = PolicyFile(settings.config_folder / "policy.json")
        discovered = DiscoveredTools(discovery or Discovery(clock=clock))
        sessions = PrimedSessions(settings.priming_mode, clock, StoredPrimed(store, clock))
        catalog = Catalog()
        builtins = own_tools(catalog, sessions)
        catalog.add(builtins)
        catalog.add(discovered)
        runtimes = Runtimes({"builtin": builtins, "argv": ArgvRuntime(policies, discovered.executable)})
        directives = Directives([CommandPrimer(discovered.executable)], clock)
        approver = OwnerApprover(store, questions, clock)
        find, check = Find(catalog), Check(policies)
        ask = Ask(approver, check, runtimes)
        stages = Stages(
            find=find,
            primed=Primed(sessions),
            check=check,
            briefed=Briefed(directives),
            ask=ask,
            run=Run(runtimes, ask, approver, find),
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
        )

    def start(self) -> None:
        """Let time pass for what waits for the owner."""
        self._tasks.append(asyncio.create_task(self.approver.keep_expiring()))

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()
