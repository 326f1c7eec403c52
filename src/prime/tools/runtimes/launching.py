"""From a tool folder and a call to the very command that runs: words, environment, folder, limits, walls."""

import os
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from prime.core.process import Command, Limits, SandboxPolicy, allowed_environment
from prime.tools.channel_folders import kept_inside
from prime.tools.private_places import PRIVATE_PLACES, own_places
from prime.tools.runtime import RunContext
from prime.tools.runtimes.environments import Environments
from prime.tools.runtimes.inside import inside
from prime.tools.runtimes.manifest import Manifest
from prime.tools.runtimes.registry import Folder

# Names a secret that Prime keeps, and gives its value, or None.
SecretOf = Callable[[str], Awaitable[str | None]]

PROCESSES: Final = 128
READ_AHEAD: Final = 256 * 1024
STDERR_KEPT: Final = 64 * 1024


@dataclass(frozen=True, slots=True)
class Launch:
    """What runs. `private`: it carries a secret or something of the session's, or is a stranger's and could do more than
    read; it is never started ahead."""

    command: Command
    private: bool


class Launcher:
    """Builds commands."""

    def __init__(self, environments: Environments, *, secret: SecretOf | None = None) -> None:
        self._environments = environments
        self._secret = secret

    async def launch(self, folder: Folder, context: RunContext) -> Launch:
        """The command of one call."""
        manifest = folder.manifest
        secrets = await self._secrets(manifest)
        cwd = self._cwd(manifest, context)
        env = allowed_environment(manifest.policy.env_allow, {**kept_inside(cwd), **secrets, **context.env})
        words = folder.words
        if manifest.runtime == "python-uv-script":
            interpreter = await self._environments.interpreter(folder)
            words = (interpreter, *words)
            env |= _activated(interpreter, env)
        command = Command(
            argv=words, cwd=str(cwd), env=env, limits=_limits(manifest), sandbox=self._walls(folder, cwd, words[0])
        )
        return Launch(command, private=bool(secrets or context.env) or _acts_unasked(folder))

    async def _secrets(self, manifest: Manifest) -> dict[str, str]:
        if self._secret is None:
            return {}
        found = {name: await self._secret(name) for name in manifest.policy.env_allow}
        return {name: value for name, value in found.items() if value is not None}

    def _cwd(self, manifest: Manifest, context: RunContext) -> Path:
        workdir = manifest.policy.workdir
        return context.cwd.resolve() if workdir is None else inside(manifest.folder, workdir)

    def _walls(self, folder: Folder, cwd: Path, program: str) -> SandboxPolicy:
        manifest = folder.manifest
        needed = (str(cwd), str(manifest.folder), program)
        return SandboxPolicy(
            network=manifest.network,
            read_only=True,
            writable=(str(cwd),) if manifest.writes else (),
            kept=own_places(cwd) if manifest.writes else (),
            hidden=tuple(_hidden(folder, needed)),
            seen=needed,
            # A tool that came with a workspace does not say for itself that it may do without walls.
            enforce="strict" if folder.level == "workspace" else manifest.policy.enforce,
        )


def _acts_unasked(folder: Folder) -> bool:
    """Whether the start alone of a workspace's program could do something: a yes is for the call, and for one."""
    manifest = folder.manifest
    return folder.level == "workspace" and bool(manifest.network or manifest.writes or manifest.policy.env_allow)


def _hidden(folder: Folder, needed: tuple[str, ...]) -> Iterator[str]:
    """From a workspace's tool, the usual places of credentials; Prime's own folders are hidden from all."""
    if folder.level != "workspace":
        return
    for place in (f"{Path.home()}/{name}" for name in PRIVATE_PLACES):
        if not any(path == place or path.startswith(f"{place}/") for path in needed) and os.path.exists(place):  # noqa: PTH110 - every call
            yield place


def _limits(manifest: Manifest) -> Limits:
    policy = manifest.policy
    return Limits(
        wall_s=None,  # counted from the request, which for a process on standby is not its start
        cpu_s=None if policy.cpu_time_ms is None else policy.cpu_time_ms / 1000,
        memory_bytes=policy.memory_bytes,
        processes=PROCESSES,
        stdout_bytes=READ_AHEAD,
        stderr_bytes=STDERR_KEPT,
    )


def _activated(interpreter: str, env: dict[str, str]) -> dict[str, str]:
    """As `uv run` has it: programs of the environment are found first."""
    programs = Path(interpreter).parent
    path = env.get("PATH", os.defpath)
    return {"PATH": f"{programs}{os.pathsep}{path}", "VIRTUAL_ENV": str(programs.parent)}
