"""Words that begin with a slash in the owner's room. Programs of this kind have commands; here nearly everything is said in
plain words, and who tries a command is told so instead of being taken at a word that was not meant as one."""

import re

# What these ask for is answered like the same word without a slash.
_KNOWN = frozenset({"help", "status", "帮助", "状态"})
# A path has a second slash in its first word, or more than a word's characters.
_COMMAND = re.compile(r"/([\w-]{1,30})(?=\s|$)")
# What `prime chat` answers questions with; it sends these itself and never here.
_TERMINALS = re.compile(r"\d+|rule")


def unknown_command(text: str) -> str | None:
    """What to say to somebody who wrote a command that is not there; None where nothing of the kind was written."""
    found = _COMMAND.match(text.strip())
    if found is None or found[1].casefold() in _KNOWN:
        return None
    if _TERMINALS.fullmatch(found[1]):
        return f"“{found[0]}” answers a question in the terminal, with `prime chat`. Here, answer it on its card."
    return f"There is no command “{found[0]}” here, only /help and /status. Say what you want in plain words, without the slash."
