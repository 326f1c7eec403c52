"""Text that a person says yes to: what does not show, or changes how the rest reads, is named."""

import unicodedata


def misleads(char: str) -> bool:
    """Control characters but for tab and line ends, and format characters such as the bidirectional ones."""
    if " " <= char <= "~":
        return False
    category = unicodedata.category(char)
    return (category == "Cc" and char not in "\t\n\r\0") or (category == "Cf" and char not in "\u200c\u200d")


def legible(text: str) -> str:
    """The text with such characters as their numbers, in their places."""
    return "".join(f"‹U+{ord(char):04X}›" if misleads(char) else char for char in text)
