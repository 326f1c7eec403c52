"""Answers `prime --agent` from the generated document, with the standard library alone."""


def answer(argv: list[str]) -> int:
    raise NotImplementedError(argv)
