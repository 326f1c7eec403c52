"""`module:attribute`: something in a Python module of whoever runs Prime."""

import importlib
import os
import sys
import traceback
from typing import Any


class CannotLoad(Exception):
    """The module or its attribute is not there, or its code fails; the text says which, and in which line."""


def load_reference(module: str, attribute: str) -> Any:
    """The attribute (dots lead into it, `()` at its end calls it); the current folder is searched first."""
    sys.path.insert(0, os.getcwd())  # noqa: PTH109  as `python -m` does
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.removesuffix("()").split("."):
            found = getattr(found, part)
        return found() if attribute.endswith("()") else found
    except (ImportError, AttributeError) as error:
        raise CannotLoad(f"{error}") from error
    except SystemExit as error:
        raise CannotLoad(f"it ends the program ({error.code})") from error
    except Exception as error:
        raise CannotLoad(f"{type(error).__name__}: {error}{_line_of(error)}") from error


def _line_of(error: Exception) -> str:
    """Where in the named code it failed: the innermost line; a SyntaxError says its place itself."""
    if isinstance(error, SyntaxError):
        return ""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return f" ({last.filename}, line {last.lineno})"
