"""The published JSON Schemas of a prime request and response."""

import json
from functools import cache
from pathlib import Path
from typing import Literal, cast

from prime.core.errors import JsonValue


@cache
def prime_schema(which: Literal["request", "response"]) -> dict[str, JsonValue]:
    """JSON Schema (draft 2020-12) of a `PrimeRequest` or a `PrimeResponse`."""
    file = Path(__file__).with_name(f"prime-{which}.json")
    return cast("dict[str, JsonValue]", json.loads(file.read_text(encoding="utf-8")))
