"""A reply as the owner would write it."""

import re

from prime.mind.offline.language import language_of
from prime.mind.protocol import DraftRequest


def drafted(request: DraftRequest) -> str:
    last = next((line for line in reversed(request.lines) if not line.own), None)
    if last is None:
        return ""
    language = language_of(last.text)
    words = "谢谢，我看过后回复你。" if language == "zh" else "Thank you, I will look at it and come back to you."
    return _dressed(words, request, language)


def _dressed(words: str, request: DraftRequest, language: str) -> str:
    """Between the greeting and the sign-off that the owner uses, as far as they fit the language."""
    chinese = language == "zh"
    greeting, sign_off = (_habit(request.style, name, chinese=chinese) for name in ("Greeting", "Sign-off"))
    first = request.person.split()[0] if request.person.split() else ""
    if greeting:
        words = f"{greeting}，{words}" if chinese else f"{f'{greeting} {first}'.strip()}, {words[0].lower()}{words[1:]}"
    return f"{words}{'' if chinese else ' '}{sign_off}" if sign_off else words


def _habit(style: str, name: str, *, chinese: bool) -> str:
    """The first habit of this name on the style sheet."""
    found = re.search(rf"^{name}: “([^”]+)”", style, re.MULTILINE)
    if not found or found[1].isascii() == chinese:
        return ""
    return found[1][0].upper() + found[1][1:]
