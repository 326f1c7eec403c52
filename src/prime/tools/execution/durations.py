"""Durations as documents write them: "60s", "500ms", "1-5s", "2m30s", "1h"."""

import re

_UNIT = "milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d"
_PART = re.compile(rf"(\d{{1,9}}(?:\.\d{{1,6}})?)\s*({_UNIT})?", re.ASCII)
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}


def seconds(text: str | None) -> float | None:
    """The duration; of a range its end. None when it is not said or cannot be understood."""
    if not text or len(text) > 40:
        return None
    last = re.split(r"\s*(?:-|–|\.\.|to)\s*", text.strip().lower().lstrip("<>~≤≈ "))[-1]
    parts = list(_PART.finditer(last))
    if not parts or _PART.sub("", last).strip():
        return None
    return sum(float(part[1]) * _unit(part[2]) for part in parts)


def _unit(name: str | None) -> float:
    if not name:
        return 1.0
    if name.startswith(("ms", "milli")):
        return _UNITS["ms"]
    return _UNITS[name[0]]
