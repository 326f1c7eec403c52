"""The agent card: one document that clients of 0.3 and of 1.0 can both read."""

from prime import __version__
from prime.core.canonical import JSON
from prime.network.tasks import Card

CARD_PATH = "/.well-known/agent-card.json"
RPC_PATH = "/a2a"


def a2a_card(card: Card, *, pure_1_0: bool = False) -> dict[str, JSON]:
    """`pure_1_0` leaves out what only 0.3 knows, for readers that refuse fields they do not know."""
    url = f"{card.base_url}{RPC_PATH}"
    shown: dict[str, JSON] = {
        "name": card.name,
        "description": card.description or f"{card.name}, reachable in plain language.",
        "version": __version__,
        "supportedInterfaces": [
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"},
            {"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "0.3"},
        ],
        "capabilities": {"streaming": False, "pushNotifications": False},
        "defaultInputModes": ["text/plain", "text/markdown", "application/json"],
        "defaultOutputModes": ["text/plain"],
        "skills": [_skill(name) for name in card.capabilities or ("conversation",)],
    }
    if pure_1_0:
        shown["supportedInterfaces"] = [{"url": url, "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]
        return shown
    older: dict[str, JSON] = {
        "protocolVersion": "0.3.0",
        "url": url,
        "preferredTransport": "JSONRPC",
        "additionalInterfaces": [{"url": url, "transport": "JSONRPC"}],
        "supportsAuthenticatedExtendedCard": False,
    }
    return shown | older


def _skill(name: str) -> dict[str, JSON]:
    return {
        "id": "-".join(name.casefold().split()),
        "name": name,
        "description": f"Talks and works in plain language: {name}.",
        "tags": [name],
    }
