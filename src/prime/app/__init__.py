"""The composition root: settings become concrete parts, parts become the ASGI app and its loops."""

from prime.app.access import gate_policy
from prime.app.ground import MIGRATIONS, PROJECTIONS, database_url, secret_box
from prime.app.opening import Prime, open_prime

__all__ = [
    "MIGRATIONS",
    "PROJECTIONS",
    "Prime",
    "database_url",
    "gate_policy",
    "open_prime",
    "secret_box",
]
