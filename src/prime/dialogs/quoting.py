"""Text that came from a file or from outside, marked as content to talk about and never an instruction."""

_OPEN, _CLOSE = "<quoted>", "</quoted>"


def quoted(text: str) -> str:
    """The text between marks that it cannot close itself."""
    return f"{_OPEN}\n{text.replace(_CLOSE, '</ quoted>').replace(_OPEN, '< quoted>')}\n{_CLOSE}"
