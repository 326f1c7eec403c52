"""ATIP: what a command-line tool can do and how dangerous it is, in a document that agents read.

A tool's author needs `emit` and `effects`; they import the standard library only, so names load when they are used.
(A module here must not bear the name of something in this list, or importing it would take the name's place.)
"""

TYPE_CHECKING = False  # typing's own takes longer to import than `prime --agent` may
if TYPE_CHECKING:
    from prime.tools.atip.author import describe, effects, emit
    from prime.tools.atip.commands import CallableCommand, callables, filter_document
    from prime.tools.atip.effect import Effects
    from prime.tools.atip.errors import InvalidDocument, Problem
    from prime.tools.atip.linting import Finding, lint
    from prime.tools.atip.model import Argument, Command, Document, Option, Parameter
    from prime.tools.atip.names import NameTable
    from prime.tools.atip.parser import parse_document
    from prime.tools.atip.published import published_schema

__all__ = [
    "Argument",
    "CallableCommand",
    "Command",
    "Document",
    "Effects",
    "Finding",
    "InvalidDocument",
    "NameTable",
    "Option",
    "Parameter",
    "Problem",
    "callables",
    "describe",
    "effects",
    "emit",
    "filter_document",
    "lint",
    "parse_document",
    "published_schema",
]

_HOMES = {
    "author": ("describe", "effects", "emit"),
    "commands": ("CallableCommand", "callables", "filter_document"),
    "effect": ("Effects",),
    "errors": ("InvalidDocument", "Problem"),
    "linting": ("Finding", "lint"),
    "model": ("Argument", "Command", "Document", "Option", "Parameter"),
    "names": ("NameTable",),
    "parser": ("parse_document",),
    "published": ("published_schema",),
}
_HOME = {name: module for module, names in _HOMES.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
