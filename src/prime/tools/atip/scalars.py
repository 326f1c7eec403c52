"""Which of a program's own values can stand in a document."""

import math
from collections.abc import Sequence
from typing import TypeGuard, cast

from prime.core.errors import JsonValue

# A number has its range in its help; nobody chooses from more names than this.
MOST_CHOICES = 200


def is_plain(value: object) -> TypeGuard[str | int | float]:
    """Whether JSON has it: infinity, which many use for "no limit", it has not."""
    return isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))


def plain_items(value: object) -> list[JsonValue]:
    items = cast("Sequence[object]", value) if isinstance(value, list | tuple) else ()
    return [item for item in items if is_plain(item)]
