"""The fenced blocks of our own pages, read as startup scripts are."""

from collections.abc import Iterator

from prime.core.fences import Fence, read_fence


def fences(text: str, *, path: str | None = None) -> Iterator[Fence]:
    """All fenced blocks of a Markdown text, in order."""
    position = 0
    while position < len(text):
        block = read_fence(text, position, path=path)
        if block is not None:
            yield block
        following = text.find("\n", position) + 1
        position = block.end if block is not None else following or len(text)
