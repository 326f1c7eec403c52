"""Everything that an owner can do through the API has a place in the page, or a reason why not.

The page's sources are read for the requests they make; a route that is new and asked for nowhere fails here.
"""

import re
from functools import cache
from pathlib import Path

import pytest
from tests.page.conftest import Served

pytestmark = pytest.mark.asyncio(loop_scope="session")

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "web" / "src"
GUIDE = ROOT / "docs" / "page.md"

# Not for somebody at a page, each with the reason.
NOT_FOR_A_PERSON = {
    "GET /healthz": "asked by what watches the process",
    "GET /readyz": "asked by what watches the process",
    "GET /metrics": "read by Prometheus",
    "GET /.well-known/prime-agent.json": "read by other agents",
    "GET /.well-known/agent-card.json": "read by other agents",
    "POST /prime/message": "other agents write here",
    "GET /prime/task/{}": "other agents ask here",
    "POST /a2a": "other agents write here",
    "POST /api/agent-callback": "other agents answer here",
    "POST /api/directory/register": "agents register themselves",
    "POST /api/directory/heartbeat": "agents say that they are there",
    "POST /api/directory/move": "agents say that they have moved",
    "POST /telegram/webhook/{}": "Telegram delivers here",
    "GET /site/{}/{}": "what was published; the page links to it",
    "GET /api/claim/verify": "the address in a sign-in mail",
    "GET /api/auth/verify": "the address in a sign-in mail",
    "POST /api/admin/sign-in-link": "`prime login`, on the machine itself only",
}
# Said differently by the page, with the same effect.
SAME_AS = {
    "POST /api/chat": "POST /api/channels/{}/messages",
    "POST /api/claim/request": "POST /api/auth/request",
    "GET /api/channels/{}": "GET /api/channels",
    "GET /api/connectors/{}": "GET /api/connectors",
    "GET /api/secrets/{}": "GET /api/secrets",
}
# Asked for by the browser itself, not through `request`.
_BY_ADDRESS = re.compile(
    r"""(?:href=|EventSource\(|(?:fileUrl|dialogsPath|archivePath) = .*?=> )["`]((?:/api/|/events|\$)[^"`]*)"""
)
_ADDRESS = r"""(`[^`]*`|"[^"]*"|\w+\(\w+\))"""
_ASKED = re.compile(rf"""request(?:<(?:[^()]|\(\))*?>)?\(\s*"([A-Z]+)",\s*(?:\w+ \? )?{_ADDRESS}(?: : {_ADDRESS})?""")
_HELPER = re.compile(r"""const (\w+) = \(\w+: string\): string => `([^`]*)`""")


def _plain(template: str) -> str:
    """An address with `{}` for what is filled in, without its query."""
    found, depth = "", 0
    for at, letter in enumerate(template):
        if letter == "{":
            depth += 1
            if depth == 1:
                found = found.removesuffix("$")
                found += "" if template[at:].startswith("{query(") else "{}"
        elif letter == "}":
            depth -= 1
        elif not depth:
            found += letter
    return found.partition("?")[0]


def _whole(given: str, helpers: dict[str, str]) -> str:
    """An address as it stands in the sources, with what its helpers put before it."""
    address = re.sub(r"\$\{(\w+)\([^}]*\)\}", lambda m: helpers.get(m[1], m[0]), given.strip('`"'))
    if called := re.fullmatch(r"(\w+)\(\w+\)", address):
        address = helpers.get(called[1], address)
    return _plain(address)


@cache
def asked_for() -> frozenset[str]:
    """Every method and route that the page asks for somewhere."""
    texts = [path.read_text() for path in SOURCES.rglob("*.ts*")]
    helpers = {name: _plain(address) for text in texts for name, address in _HELPER.findall(text)}
    found: set[str] = set()
    for text in texts:
        found.update(f"GET {_whole(address, helpers)}" for address in _BY_ADDRESS.findall(text))
        for method, *given in _ASKED.findall(text):
            found.update(f"{method} {_whole(address, helpers)}" for address in given if address)
    return frozenset(found)


async def offered(served: Served) -> set[str]:
    document = await served.ask("GET", "/openapi.json")
    return {
        f"{method.upper()} {re.sub(r'{[^}]*}', '{}', route)}"
        for route, methods in document["paths"].items()
        for method in methods
    }


async def test_every_route_for_an_owner_is_asked_for_in_the_page(served: Served) -> None:
    known = asked_for() | NOT_FOR_A_PERSON.keys() | {route for route, same in SAME_AS.items() if same in asked_for()}
    lacking = await offered(served) - known
    assert not lacking, f"Give them a place in the page, or a reason in tests/page/test_routes.py: {sorted(lacking)}"


async def test_the_page_asks_for_nothing_that_is_not_there(served: Served) -> None:
    assert not asked_for() - await offered(served)


async def test_no_reason_is_kept_for_what_is_in_the_page_or_gone(served: Served) -> None:
    assert not (NOT_FOR_A_PERSON.keys() | SAME_AS.keys()) & asked_for()
    assert not (NOT_FOR_A_PERSON.keys() | SAME_AS.keys()) - await offered(served)


async def test_the_guide_says_where_each_route_is() -> None:
    guide = GUIDE.read_text()
    rows = re.findall(r"`(/[^`]*)`", guide[guide.index("## Where each route is") :])
    here = [route.partition(" ")[2] for route in asked_for()]
    lacking = {route for route in here if not any(route == row or route.startswith(row + "/") for row in rows)}
    assert not lacking, f"Add them to the table in docs/page.md: {sorted(lacking)}"
    assert all(any(route == row or route.startswith(row + "/") for route in here) for row in rows), rows
