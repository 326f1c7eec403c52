"""`prime prime`: what Prime tells an agent before the agent uses it."""

from pathlib import Path

import click

from prime.cli.output import data_option, json_already, print_json
from prime.core.errors import PrimeError
from prime.tools.atip import effects
from prime.tools.priming.install import request_of, spoken
from prime.tools.priming.request import PrimeRequest


@click.command()
@click.option("--agent-id", help="Who calls: the agent or persona.")
@click.option("--session-id", help="The session that the calls belong to.")
@click.option("--capabilities", metavar="JSON", help="What the agent can handle, as a JSON object.")
@click.option("--locale", help="The language wanted, such as en-US.")
@click.option("--user-role", metavar="ROLE", help="For whom it is: end_user, admin or system.")
@click.option("--metadata", metavar="JSON", help="Anything else, as a JSON object.")
@data_option
@json_already
@effects(
    filesystem={"read": True, "write": True, "delete": False, "paths": ["~/.local/share/prime/"]},
    network=False,
    subprocess=False,
    idempotent=True,
    reversible=True,
    destructive=False,
)
def prime(
    *,
    agent_id: str | None,
    session_id: str | None,
    capabilities: str | None,
    locale: str | None,
    user_role: str | None,
    metadata: str | None,
    data: Path | None,
) -> None:
    """Mandatory before other calls in a session, and idempotent: tells how Prime is to be used, as JSON."""
    values = {
        "agentId": agent_id,
        "sessionId": session_id,
        "capabilities": capabilities,
        "locale": locale,
        "userRole": user_role,
        "metadata": metadata,
    }
    try:
        request = PrimeRequest.from_json(request_of(values))
    except PrimeError as error:
        raise click.UsageError(spoken(error)) from None
    print_json(_answer(request, data))


def _answer(request: PrimeRequest, data: Path | None) -> dict[str, object]:
    """From the instance, which remembers the session; without Prime's server parts there is nothing to remember it."""
    from prime.cli.client import ask_prime

    try:
        return ask_prime(data, lambda prime: prime.post("/api/tools/prime", request.to_json()))
    except PrimeError as error:
        if error.error_code != "server_parts_missing":
            raise
    from prime.tools.priming.own import own_directive

    return own_directive().answer(request)
