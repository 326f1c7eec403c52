"""Places: a stream and a position in it as one number."""

BITS = 28  # positions of one stream: more than anyone says in a channel
WINDOW = 2  # neighbours on either side that count as context
FIRST = WINDOW + 1  # so that the neighbours of a stream's first message lie in it, too

# Over a longer pause a conversation does not go on: what was said before it is no context.
PAUSE_MS = 6 * 3600 * 1000

Range = tuple[int, int]  # both ends belong to it

EVERYWHERE: Range = (0, (1 << 62) - 1)


def place_of(stream: int, position: int) -> int:
    return stream << BITS | position


def stream_range(stream: int) -> Range:
    return stream << BITS, (stream + 1 << BITS) - 1


def next_position(position: int, pause_ms: int) -> int:
    """Where the next message of a stream stands; after a pause, out of reach of those before it."""
    return position + 1 + (WINDOW if pause_ms > PAUSE_MS else 0)
