"""Valid examples damaged at random: bits, pieces, repetitions, other examples' pieces, values inside JSON."""

import json
import random
from collections.abc import Sequence
from typing import cast

LONGEST = 20_000
_ODD = [
    b"\x00",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    "é中\u202e".encode(),
    "\u2028\u00a0\u0130ß".encode(),
    b"```",
    b"---\n",
    b'"',
    b"{",
    b"]",
    b"\\",
    b"1e999",
    b"-",
    b"\r\n",
]
_VALUES = json.loads(
    '[null, true, -1, 1e9, 0.5, "", "\\ud800", "long", [], {}, [[[[]]]], {"": {"": null}}, 99999999999999999999]'
)


def damaged(example: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    if chance.random() < 0.4:
        try:
            return json.dumps(swapped(json.loads(example), chance)).encode("utf-8", "surrogatepass")
        except (ValueError, RecursionError):
            pass
    data = bytearray(example)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) + 1)
        to = min(len(data), at + chance.choice([1, 2, 8, 40]))
        piece = chance.choice(
            [
                b"",
                chance.choice(_ODD),
                chance.randbytes(3),
                bytes(data[at:to]) * chance.choice([2, 200]),
                chance.choice(others),
            ]
        )
        data[at : to if chance.random() < 0.5 else at] = piece
    return bytes(data[:LONGEST])


def swapped(value: object, chance: random.Random) -> object:
    """The value with something in it replaced, removed, renamed or doubled."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        known = dict(cast("dict[str, object]", value))
        key = chance.choice(list(known))
        kind = chance.random()
        if kind < 0.15:
            known.pop(key)
        elif kind < 0.3:
            known[chance.choice(["", "__proto__", key + "x", "x-" + key, "\ud800"])] = known[key]
        else:
            known[key] = swapped(known[key], chance)
        return known
    if isinstance(value, list) and value and chance.random() < 0.85:
        items = list(cast("list[object]", value))
        at = chance.randrange(len(items))
        items[at : at + 1] = chance.choice([[], [items[at]] * 3, [swapped(items[at], chance)]])
        return items
    return chance.choice(_VALUES)
