"""Making sure that a file, or a folder's list of files, is on the disk."""

import os
from pathlib import Path


def fsync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
