"""HTTP to addresses that came from outside: one client that cannot be talked into reaching what it may not."""

from prime.core.http.client import GuardedClient
from prime.core.http.dial import Resolver, SystemResolver
from prime.core.http.policy import NetworkPolicy
from prime.core.http.refusal import Refused
from prime.core.http.response import Response
from prime.core.http.transport import GuardedTransport

__all__ = ["GuardedClient", "GuardedTransport", "NetworkPolicy", "Refused", "Resolver", "Response", "SystemResolver"]
