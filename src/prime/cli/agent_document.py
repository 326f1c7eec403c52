"""Answers `prime --agent` from the generated document, with the standard library alone."""


def answer(argv: list[str]) -> int:
    """The exit code; the document goes to stdout."""
    return len(argv) and 1
