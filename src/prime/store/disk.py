"""What is said when the machine gives no more: a disk that is full, read-only or failing, too many files that are open.

It is nobody's mistake here, and may be well again.
"""

import errno
from collections.abc import Generator
from contextlib import contextmanager

from prime.core.errors import Unavailable

HINT = "See that the disk of the data folder has room and can be written; what was acknowledged is safe."
FILES_HINT = (
    "As many files and connections are open as the system allows; it goes on once some are closed."
    " A service's LimitNOFILE allows more."
)
_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EFBIG, errno.EIO)
HINTS = dict.fromkeys(_DISK, HINT) | dict.fromkeys((errno.EMFILE, errno.ENFILE), FILES_HINT)


def trouble(what: str, error: OSError) -> Unavailable | None:
    """The sentence about a trouble of this kind, `The file cannot be kept: …`; None where it is another error."""
    hint = HINTS.get(error.errno or 0)
    return Unavailable(f"{what}: {error.strerror}.", hint=hint) if hint else None


@contextmanager
def telling(what: str) -> Generator[None]:
    """Such a trouble while something is done becomes a sentence about that."""
    try:
        yield
    except OSError as error:
        if told := trouble(what, error):
            raise told from error
        raise
