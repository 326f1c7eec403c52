"""Opens a server as its configuration says, with `${NAME}` put in from the secret box, else from the environment."""

import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from prime.core.errors import InvalidInput, NotFound
from prime.gateway.behind.config import ServerConfig, expand, names_in, needed_in
from prime.gateway.behind.http import HttpWire
from prime.gateway.behind.rpc import Wire
from prime.gateway.behind.sse import SseWire
from prime.gateway.behind.stdio import StdioWire

FindSecret = Callable[[str], Awaitable[str | None]]


class Opening:
    """Makes wires. Values of secrets live here for a moment and go to the server alone."""

    def __init__(self, secret: FindSecret, workspace: Path, environment: Mapping[str, str] | None = None) -> None:
        self._secret = secret
        self._workspace = workspace
        self._environment = os.environ if environment is None else environment

    async def open(self, config: ServerConfig) -> Wire:
        """`NotFound` names the variable that is missing."""
        values = await self._values(config)
        if config.transport == "stdio":
            argv = tuple(expand(word, values) for word in (config.command, *config.args))
            env = {key: expand(value, values) for key, value in config.env.items()}
            return await StdioWire.open(config.name, argv, env=env, cwd=self._folder(config, values))
        url = expand(config.url, values)
        headers = {key: expand(value, values) for key, value in config.headers.items()}
        if config.transport == "sse":
            return await SseWire.open(config.name, url, headers)
        fallback = SseWire.open if config.guessed else None
        return await HttpWire.open(config.name, url, headers, fallback=fallback)

    def _folder(self, config: ServerConfig, values: Mapping[str, str]) -> Path:
        given = Path(expand(config.cwd, values)).expanduser() if config.cwd else self._workspace
        folder = given if given.is_absolute() else config.file.parent / given
        if not folder.is_dir():
            raise InvalidInput(f"{config.name}: the folder {folder} is not there.", code="no_such_folder")
        return folder

    async def _values(self, config: ServerConfig) -> dict[str, str]:
        values: dict[str, str] = {}
        needed = needed_in(config.texts)
        for name in sorted(names_in(config.texts)):
            value = await self._secret(name)
            value = self._environment.get(name) if value is None else value
            if value is not None:
                values[name] = value
            elif name in needed:
                raise NotFound(
                    f"{config.name}: ${{{name}}} is set neither as a secret nor in the environment.",
                    code="unset_variable",
                    hint=f"Set the secret {name} in the settings, or the variable before Prime starts.",
                    variable=name,
                    server=config.name,
                )
        return values
