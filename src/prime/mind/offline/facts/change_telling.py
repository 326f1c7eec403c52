"""What a telling of a change amounts to, and the form in which languages say which tellings they know."""

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple


class Plain(NamedTuple):
    """A sentence that says one thing, and what else is known of it."""

    text: str
    # It was so, and is no more: the time of speaking is its end.
    is_over: bool = False
    # One of several that hold together.
    many: bool = False


# A sentence of this form, and the plain ones that it amounts to; none where it only looks so.
Telling = tuple[re.Pattern[str], Callable[[re.Match[str]], Iterator[Plain]]]
