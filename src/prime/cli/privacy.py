"""Commands that start programs themselves keep Prime's own folders from them, as the server does."""

from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def own_folders_private() -> Generator[None]:
    from prime.core.private_folders import kept_private
    from prime.core.settings import Settings

    settings = Settings.load()
    with kept_private(settings.data_folder, settings.config_folder):
        yield
