"""Names from outside: one form, one line, one script; what could pass for another name is refused."""

import re
import unicodedata
from collections.abc import Sequence

from prime.core.errors import InvalidInput

MAX_NAME = 80
MAX_CAPABILITY = 40
MAX_CAPABILITIES = 10

# Scripts whose letters look like Latin ones. A word that mixes two of these is how names are forged.
_LOOKALIKE = ("LATIN", "CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE", "COPTIC", "LISU", "DESERET")
_MARKUP = frozenset("<>")
# Private use, unassigned, control, format (bidi, zero width) and surrogates.
_REFUSED_CATEGORIES = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MOST_MARKS = 3
# What the owner is called here.
_OWNERS = frozenset({"you", "owner", "theowner", "你", "您"})
# What is read as another letter in passing.
_ALIKE = str.maketrans("1l|0", "iiio")
_APART = re.compile(r"[^\w\s.'’-]|\s-")
# Letters that are nothing on the page: a name of these is no name.
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\u00a0")


def plain_name(text: str, field: str, most: int = MAX_NAME) -> str:
    """The name in its one form (NFC, single blanks); raises `InvalidInput` naming the field."""
    name = " ".join(part for part in unicodedata.normalize("NFC", text).split(" ") if part)
    if not name:
        raise InvalidInput(f"{field} is empty.", field=field)
    if len(name) > most:
        raise InvalidInput(f"{field} may have {most} characters, this one has {len(name)}.", field=field)
    if field == "name" and not _OWNERS.isdisjoint({_read_as(name), _read_as(_head(name))}):
        raise InvalidInput("That is what the owner is called here.", hint="Choose another one.", field=field)
    _check_characters(name, field)
    for word in name.split(" "):
        _check_script(word, field)
    return name


def plain_capabilities(given: Sequence[str]) -> tuple[str, ...]:
    """At most ten, each once, as written; compared without regard to case."""
    if len(given) > MAX_CAPABILITIES:
        raise InvalidInput(
            f"An agent names at most {MAX_CAPABILITIES} capabilities, here are {len(given)}.", field="capabilities"
        )
    named = [plain_name(text, "capabilities", MAX_CAPABILITY) for text in given]
    return tuple({folded(name): name for name in reversed(named)}.values())[::-1]


def folded(text: str) -> str:
    """As names and capabilities are compared."""
    return unicodedata.normalize("NFC", text.casefold())


def claimed_name(text: str, otherwise: str = "Unknown agent") -> str:
    """A sender's name for people to read; one that may not be shown is left out."""
    try:
        return plain_name(text, "name")
    except InvalidInput:
        return otherwise


def strangers_name(text: str) -> str:
    """The same for who was not brought in by the owner: nobody speaks under the name of the owner's own Prime."""
    name = claimed_name(text)
    # Also with something behind it: “Prime (official)”, “Prime Support”.
    begins = {_read_as(name), _read_as(_head(name)), _read_as(name.split(" ")[0])}
    return f"Another {name}" if "prime" in begins else name


def _head(name: str) -> str:
    """What stands before the first sign that sets something apart, such as a bracket, a colon or a dash."""
    return _APART.split(name.lstrip("([{«“\"' "), maxsplit=1)[0]


def _read_as(name: str) -> str:
    """What somebody takes a name for who does not look at each letter: `Prıme`, `PR1ME` and `P.r.i.m.e` are all `prime`."""
    letters = "".join(_bare(char) for char in unicodedata.normalize("NFKD", name)).casefold().translate(_ALIKE)
    return "".join(char for char in letters if char.isalpha())


def _bare(char: str) -> str:
    """A Latin letter without what was done to it, as its Unicode name says: `LATIN SMALL LETTER DOTLESS I` is an I."""
    kind, *words = unicodedata.name(char, "").partition(" WITH ")[0].split(" ")
    return words[-1] if kind == "LATIN" and not char.isascii() and len(words[-1]) == 1 else char


def _check_characters(name: str, field: str) -> None:
    marks = 0
    for char in name:
        category = unicodedata.category(char)
        if category in _REFUSED_CATEGORIES or char in _BLANK or (category == "Zs" and char != " "):
            raise InvalidInput(
                f"{field} holds a character that cannot be seen (U+{ord(char):04X}).", hint="Remove it.", field=field
            )
        if char in _MARKUP:
            raise InvalidInput(f"{field} holds '{char}'.", hint="Names are plain text without markup.", field=field)
        if unicodedata.normalize("NFKC", char) != char and char.isalpha() and _is_styled(char):
            raise InvalidInput(
                f"{field} holds a styled letter (U+{ord(char):04X}).", hint="Write it plainly.", field=field
            )
        marks = marks + 1 if category.startswith("M") else 0
        if marks > _MOST_MARKS:
            raise InvalidInput(f"{field} piles up marks on a letter.", hint="Remove them.", field=field)


def _is_styled(char: str) -> bool:
    name = unicodedata.name(char, "")
    return name.startswith(("MATHEMATICAL ", "FULLWIDTH LATIN", "CIRCLED ", "PARENTHESIZED ", "SQUARED ", "MODIFIER "))


def _check_script(word: str, field: str) -> None:
    scripts = {script for char in word if char.isalpha() and (script := _script(char))}
    if len(scripts) > 1:
        named = " and ".join(sorted(s.title() for s in scripts))
        raise InvalidInput(
            f"{field} mixes {named} letters in one word.", hint="Write each word in one alphabet.", field=field
        )


def _script(char: str) -> str | None:
    name = unicodedata.name(char, "")
    return next((script for script in _LOOKALIKE if name.startswith(script)), None)
