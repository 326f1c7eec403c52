"""The runtime of tool folders: `process`, `binary` and `python-uv-script`, all by the same contract."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from prime.core.clock import Clock
from prime.core.errors import Conflict, JsonValue, PrimeError
from prime.core.json_text import BadJson, read_json
from prime.core.process import Containment, Process, allowed_environment, find_executable, start
from prime.tools.runtime import RawResult, RunContext, file_identity
from prime.tools.runtimes.answer import Answer, request_line
from prime.tools.runtimes.conversation import Conversation
from prime.tools.runtimes.environments import Environments
from prime.tools.runtimes.faults import Faults
from prime.tools.runtimes.launching import Launch, Launcher, SecretOf
from prime.tools.runtimes.registry import Folder, Registry
from prime.tools.runtimes.schema import CompiledSchema, told
from prime.tools.runtimes.standby import Standby, Waiting, Way
from prime.tools.tool import Tool

log = logging.getLogger(__name__)

# How often folders are looked at for changes while Prime serves.
LOOK_S = 1.0


class FolderRuntime:
    """A `Runtime` for the tools of a registry. To be used from one event loop, and closed at its end.

    `cache` is for uv's environments, `secret` gives the secrets that a tool's `envAllow` names, and `within` is how
    processes are held, the strongest way if None.
    """

    def __init__(
        self,
        registry: Registry,
        *,
        cache: Path,
        secret: SecretOf | None = None,
        within: Containment | None = None,
    ) -> None:
        self.registry = registry
        self.standby = Standby(within=within)
        self._within = within
        self._environments = Environments(cache / "uv")
        self._launcher = Launcher(self._environments, secret=secret)
        # Processes that have answered and not ended yet.
        self._endings: dict[asyncio.Task[None], Process] = {}

    async def run(self, tool: Tool, arguments: Mapping[str, JsonValue], context: RunContext) -> RawResult:
        """One call: arguments are checked before anything starts, results after it ended (D-RUN-3).

        Raises InvalidInput (arguments), Conflict `tool_changed`, NotFound (no such program), Unavailable (no sandbox,
        no environment) and the errors of `Faults`.
        """
        folder = self.registry.of(tool)
        faults = Faults(tool.name, folder.manifest.policy)
        request = request_line(arguments)
        problems = folder.parameters.problems(dict(arguments))
        if problems:
            raise faults.invalid_arguments(told(problems), problems)
        launch = await self._launcher.launch(folder, context)
        if folder.manifest.policy.standby:
            if not launch.private:
                return await self._by_standby(folder, launch, request)
            self.standby.forget(tool.name)  # those that wait know nothing of the secret
        return await self._cold(folder, launch, request)

    def identity(self, tool: Tool) -> str:
        """Which files, in which state, would run for a tool: what an approval is bound to."""
        folder = self.registry.of(tool)
        if folder.manifest.runtime == "python-uv-script":
            return folder.digest
        return f"{folder.digest} {file_identity(find_executable(folder.words[0], allowed_environment()))}"

    async def prepare(self, folder: Folder) -> None:
        """Make ready what the first call would have to wait for: the environment of a script."""
        if folder.manifest.runtime == "python-uv-script":
            await self._environments.interpreter(folder)

    async def warm(self, folder: Folder, context: RunContext) -> None:
        """Start the folder's standby processes for this context before it is called."""
        if folder.manifest.policy.standby:
            launch = await self._launcher.launch(folder, context)
            if not launch.private:
                self._fill(folder, launch)

    async def refresh(self) -> None:
        """After a change of folders: put new processes in the place of those that wait, and make scripts ready.

        A workspace's are left until they are called: it can come from anybody, and making an environment runs code.
        """
        folders = {folder.manifest.name: folder for folder in self.registry.folders()}
        retired = await self.standby.retire({name: folder.digest for name, folder in folders.items()})
        await asyncio.gather(*(self._prepared(folder) for folder in folders.values() if folder.level == "user"))
        for way in retired:
            if way.name in folders and way.cwd is not None:
                with contextlib.suppress(PrimeError):  # the tool's next call tells its caller
                    await self.warm(folders[way.name], RunContext("", "", Path(way.cwd), approved=True, env={}))

    async def keep_fresh(self, clock: Clock) -> None:
        """Do so whenever the folders have changed, for as long as Prime serves."""
        seen, told = None, frozenset[str]()
        while True:
            try:
                if (now := self.registry.changed) != seen:
                    told = self._tell_problems(told)
                    await self.refresh()
                    seen = now
            except Exception:  # a disk that is full or away for a moment must not end this
                log.exception("the folders of tools could not be looked through; trying again")
            await clock.sleep(LOOK_S)

    def _tell_problems(self, told: frozenset[str]) -> frozenset[str]:
        """Log what keeps folders from being tools and was not told yet: their authors may be looking at the log."""
        problems = frozenset(map(str, self.registry.problems().values()))
        for problem in sorted(problems - told):
            log.warning("a folder is no tool: %s", problem)
        return problems

    async def close(self) -> None:
        """End all processes."""
        while self._endings:
            for process in self._endings.values():
                process.kill()
            await asyncio.gather(*self._endings)
        await self.standby.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _prepared(self, folder: Folder) -> None:
        try:
            await self.prepare(folder)
        except PrimeError:
            return  # the tool's next call tries again and tells its caller

    async def _cold(self, folder: Folder, launch: Launch, request: bytes) -> RawResult:
        async with await start(launch.command, within=self._within) as process:
            talk = Conversation(process, folder.manifest)
            answer, code = await talk.whole(request)
        return _result(folder, talk, answer, code, process.stderr_tail)

    async def _by_standby(self, folder: Folder, launch: Launch, request: bytes) -> RawResult:
        way = Way.of(folder, launch.command)
        waiting = self.standby.take(way)
        try:
            if waiting is None:
                return await self._cold(folder, launch, request)
            return await self._taken(folder, way, waiting, request)
        finally:
            self._fill(folder, launch)

    async def _taken(self, folder: Folder, way: Way, waiting: Waiting, request: bytes) -> RawResult:
        process = waiting.process
        talk = Conversation(process, folder.manifest, waiting.first)
        handed_on = False
        try:
            answer = await talk.early(request)
            if answer is None:
                answer, code = await talk.rest()
                return _result(folder, talk, answer, code, process.stderr_tail)
            result = _result(folder, talk, answer, None, process.stderr_tail)
            ending = asyncio.create_task(self._ending(way, talk, process))
            self._endings[ending] = process
            ending.add_done_callback(self._endings.pop)
            handed_on = True
            return result
        finally:
            if not handed_on:
                async with process:
                    pass

    async def _ending(self, way: Way, talk: Conversation, process: Process) -> None:
        """What a process does after its answer was passed on; if it breaks the contract, it was the last of its kind."""
        async with process:
            try:
                await talk.rest()
            except PrimeError as error:
                if error.error_code != "tool_killed":  # which we did
                    self.standby.unfit(way, error.message)

    def _fill(self, folder: Folder, launch: Launch) -> None:
        way = Way.of(folder, launch.command)
        self.standby.fill(way, launch.command, folder.manifest.policy.standby)


def _result(folder: Folder, talk: Conversation, answer: Answer, code: int | None, stderr: bytes) -> RawResult:
    """The answer, if the tool is still the one that was called and keeps to its own schema."""
    if not folder.unchanged:
        raise Conflict(
            f"The files of {folder.manifest.name} changed while it ran. Its answer is not used; what it did is uncertain.",
            code="tool_changed",
            hint="See what it did, then call it again.",
            tool=folder.manifest.name,
        )
    value, log = answer.value, talk.transcript.log
    if folder.returns is not None and not answer.is_error:  # an error is never hidden behind the schema (D-RUN-3)
        value, wrong = _checked(folder.returns, answer)
        if wrong:
            faults = Faults(folder.manifest.name, folder.manifest.policy, lambda: talk.bytes_out)
            raise faults.invalid_result(wrong, stderr, log)
    return RawResult(
        content=answer.content,
        is_error=answer.is_error,
        structured=value,
        exit_code=code,
        bytes_out=talk.bytes_out,
        log=log,
    )


def _checked(returns: CompiledSchema, answer: Answer) -> tuple[JsonValue, str]:
    """The JSON value of an answer, and what is wrong with it: for text alone, the text or the JSON that it is."""
    if answer.has_value:
        problems = returns.problems(answer.value)
        return answer.value, told(problems) if problems else ""
    text = answer.content[0].get("text") if len(answer.content) == 1 else None
    if not isinstance(text, str):
        return None, "at the top: there is no JSON value in its content"
    candidates: list[JsonValue] = [text]
    with contextlib.suppress(BadJson):
        candidates.append(read_json(text))
    for candidate in candidates:
        if not returns.problems(candidate):
            return candidate, ""
    return None, told(returns.problems(candidates[-1]))
