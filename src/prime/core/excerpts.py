"""The beginning of a text, for people who read on if they want to."""


def beginning(text: str, most: int) -> str:
    """At most so many characters and a `…` where something is left out; a word is not cut in two where spaces part them."""
    if len(text) <= most:
        return text
    end = text.rfind(" ", most // 2, most + 1)
    return f"{text[: end if end > 0 else most].rstrip(' ,;:-–—')}…"
