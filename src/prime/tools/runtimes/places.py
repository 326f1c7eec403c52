"""Where tool folders are kept, by the environment (`$XDG_DATA_HOME/prime/tools`, `.prime/tools` of the workspace)."""

import os
from collections.abc import Mapping
from pathlib import Path


def user_tools(env: Mapping[str, str] | None = None) -> Path:
    """The user's tool folders."""
    return _xdg(env, "XDG_DATA_HOME", ".local/share") / "prime" / "tools"


def workspace_tools(workspace: Path) -> Path:
    """The tool folders that come with a workspace."""
    return workspace / ".prime" / "tools"


def runtime_cache(env: Mapping[str, str] | None = None) -> Path:
    """What can be made again: environments of scripts."""
    return _xdg(env, "XDG_CACHE_HOME", ".cache") / "prime"


def _xdg(env: Mapping[str, str] | None, name: str, usual: str) -> Path:
    """A relative XDG variable is ignored, as its specification wants."""
    env = os.environ if env is None else env
    given = env.get(name, "")
    return Path(given) if given.startswith("/") else Path(env.get("HOME") or Path.home()) / usual
