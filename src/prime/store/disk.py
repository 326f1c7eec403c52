"""What is said when the disk of the data folder takes nothing: full, read-only or failing is nobody's mistake here."""

import errno
from collections.abc import Generator
from contextlib import contextmanager

from prime.core.errors import Unavailable

HINT = "See that the disk of the data folder has room and can be written; what was acknowledged is safe."
_TROUBLES = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO, errno.EMFILE, errno.ENFILE})


@contextmanager
def telling(what: str) -> Generator[None]:
    """A disk's trouble while something is done becomes a sentence about that: `The file cannot be kept: …`."""
    try:
        yield
    except OSError as error:
        if error.errno not in _TROUBLES:
            raise
        raise Unavailable(f"{what}: {error.strerror}.", hint=HINT) from error
