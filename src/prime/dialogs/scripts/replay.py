"""Replay: scripts become the first messages of a dialog, all of them or none."""

from collections.abc import Sequence

from prime.dialogs.scripts.combine import combine, require_applies
from prime.dialogs.scripts.folder import ScriptFolder
from prime.dialogs.scripts.messages import HistoryMessage, to_messages
from prime.dialogs.scripts.refs import ScriptRef
from prime.dialogs.scripts.script import Script


def load_for(folder: ScriptFolder, refs: Sequence[ScriptRef], member: str) -> list[HistoryMessage]:
    """The messages that a dialog of `member` begins with; every script is read and checked before any is used."""
    scripts: list[Script] = []
    for ref in refs:
        script = folder.load(ref)
        require_applies(ref, script.header, member)
        scripts.append(script)
    return to_messages(combine(scripts))
