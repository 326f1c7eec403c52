"""Where a home keeps credentials: not for programs that nobody vouches for."""

from typing import Final

PRIVATE_PLACES: Final = (
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker", ".config", ".netrc", ".git-credentials", ".pypirc", ".npmrc",
    ".cargo/credentials.toml", ".local/share/keyrings",
)  # fmt: skip
