"""Names that no tool folder can have, because Prime has a tool of its own by each of them."""

from typing import Final

from prime.core.errors import Conflict
from prime.tools.runtimes.manifest import Manifest

# A folder of such a name would be listed, checked and never called.
OWN_NAMES: Final = frozenset(
    {
        "call_tool",
        "delete_resource",
        "facts",
        "find_tools",
        "prime",
        "publish",
        "read_resource",
        "recall",
        "write_resource",
    }
)


def refuse_own_name(manifest: Manifest) -> None:
    if manifest.name in OWN_NAMES:
        raise Conflict(
            f"{manifest.file}: {manifest.name!r} is the name of a tool of Prime's own.",
            code="name_taken",
            hint="Give the tool another name.",
            file=str(manifest.file),
            pointer="/name",
        )
