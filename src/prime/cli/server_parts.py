"""The parts that `pip install prime-agent` leaves out, asked for in one sentence when they are missing."""

import gc
from collections.abc import Generator
from contextlib import contextmanager

from prime.core.errors import Unavailable


@contextmanager
def server_parts() -> Generator[None]:
    """Around imports that need `prime-agent[server]`.

    What a module makes when it is loaded stays: looking for garbage among it costs a tenth of the time to start.
    """
    gc.disable()
    try:
        yield
        gc.freeze()
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "prime":
            raise
        raise Unavailable(
            f"This needs Prime's server parts, and {error.name} is not installed.",
            hint="Install them with: pip install 'prime-agent[server]'",
            code="server_parts_missing",
        ) from error
    finally:
        gc.enable()
