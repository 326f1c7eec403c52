"""The agent connectors of this instance: Prime's own, and those that installed packages bring."""

import logging

from prime.connectors.agents import claude_code, echo, prime_message
from prime.connectors.agents.claude_code import Builders
from prime.connectors.contract import is_declared
from prime.core.plugins import plugins
from prime.hub.connector import Connectors, Opener
from prime.network.correspondence import Correspondence
from prime.network.directory.directory import Directory

log = logging.getLogger(__name__)

GROUP = "prime.connectors"


def agent_connectors(correspondence: Correspondence, directory: Directory, builders: Builders) -> Connectors:
    """Every connector by its name but the one of minds, which needs a hub. A package adds one by the entry point group
    `prime.connectors`."""
    own: dict[str, Opener] = {
        echo.NAME: echo.Echo,
        # The owner speaks for themselves.
        "owner": echo.Echo,
        prime_message.NAME: lambda actor: prime_message.RemoteAgent(actor, correspondence, directory),
        claude_code.NAME: lambda actor: claude_code.ClaudeCode(actor, builders),
    }
    return Connectors({**third_party(), **own})


def third_party() -> dict[str, Opener]:
    """Openers of installed packages; one that cannot be loaded is left out and named in the log."""
    found: dict[str, Opener] = {}
    for point in plugins(GROUP):
        try:
            offered = point.load()
        except (Exception, SystemExit):  # somebody else's package must not keep Prime from starting
            log.exception("the connector %s of %s could not be loaded", point.name, point.value)
            continue
        if not is_declared(offered):
            found[point.name] = offered
    return found
