"""What programs that nobody vouches for do not see of a home, and do not change in a workspace."""

from pathlib import Path
from typing import Final

# Where a home keeps credentials.
PRIVATE_PLACES: Final = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".netrc", ".git-credentials", ".pypirc", ".npmrc",
    ".cargo/credentials.toml", ".local/share/keyrings",
)  # fmt: skip
# Of a workspace: which tools, servers and prompts there are, and what dialogs begin with. Who can write there decides what
# agents do next.
_OWN = (".prime", ".minds")


def own_places(workspace: Path) -> tuple[str, ...]:
    return tuple(f"{workspace}/{name}" for name in _OWN)
