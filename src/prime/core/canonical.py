"""Text and JSON in one spelling: what is stored, hashed and compared."""

import json
import re

from prime.core.errors import InvalidInput

# NUL cannot be stored in PostgreSQL's text, lone surrogates cannot be encoded at all.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def clean_text(text: str) -> str:
    """The same text without what no database or wire can carry."""
    # Nearly every text is clean; looking is cheaper than copying.
    if not _UNSTORABLE.search(text):
        return text
    return _UNSTORABLE.sub(lambda m: "" if m[0] == "\x00" else "\N{REPLACEMENT CHARACTER}", text)


def canonical_json(value: object) -> str:
    """The one spelling of a JSON value: sorted keys, no spaces, no NaN."""
    try:
        return clean_text(json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")))
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"This is not JSON: {error}.") from error
