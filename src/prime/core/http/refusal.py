"""The one answer to everything that the guarded client will not do."""

import logging

from prime.core.errors import Forbidden

_log = logging.getLogger(__name__)

_MESSAGE = "This address is not reachable from here."
_HINT = "Check the address; private ones need PRIME_NETWORK_ALLOW."


class Refused(Forbidden):
    """The request was not made, or its answer not taken.

    All refusals read the same, so that whoever chose the URL learns nothing about the network behind Prime. The reason
    is in the debug log. `passing` says to Prime's own code (never on a wire) that a later try may succeed.
    """

    code = "address_refused"

    def __init__(self, *, passing: bool = False) -> None:
        super().__init__(_MESSAGE, hint=_HINT)
        self.passing = passing


def refuse(reason: str, *, passing: bool = False) -> Refused:
    """The error to raise; only the debug log hears why."""
    _log.debug("outbound request refused: %s", reason)
    return Refused(passing=passing)
