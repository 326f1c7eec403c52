"""A shell's line taken apart into commands, well enough to say what it would run. Never executed, never trusted."""

import re
import shlex

_SEPARATORS = frozenset({";", "|", "||", "&", "&&", "(", ")", "{", "}", "\n", ";;", "|&", "!"})
_KEYWORDS = frozenset(
    {"then", "do", "else", "elif", "if", "while", "until", "time", "exec", "eval", "command", "builtin"}
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SUBSTITUTION = re.compile(r"\$\(|`|<\(|>\(|\$\{")
# Blanks that a shell, or what fills a template, may leave between words.
_IFS = re.compile(r"\$\{?IFS\}?")
LOOKS_LIKE_SHELL = re.compile(r"[\s;|&<>$`(){}]")

# What a person's words seldom have: options, paths, and a shell's own signs.
_MEANT = re.compile(
    r"(?:^|\s)-{1,2}[A-Za-z][\w-]*(?:[\s=]|$)|&&|\|\|?\s*\w+(?:\s|$)|;\s*\w|`|\$[({]|>\s*[/~.\w]|(?:^|\s)(?:~|\.{0,2})/[\w.*]"
)


def is_meant(text: str) -> bool:
    """Whether a text that could be a person's words is a command line all the same."""
    return _MEANT.search(text) is not None


def commands_in(line: str) -> list[list[str]]:
    """The simple commands of a line, assignments and redirections' targets included as words."""
    text = _SUBSTITUTION.sub(" ; ", _IFS.sub(" ", line)).replace("\n", " ; ")
    words = _split(text)
    found: list[list[str]] = [[]]
    for word in words:
        if word in _SEPARATORS or set(word) <= set(";|&()"):
            found.append([])
        elif not found[-1] and (word in _KEYWORDS or _ASSIGNMENT.match(word)):
            continue
        else:
            found[-1].append(word)
    return [command for command in found if command]


def _split(text: str) -> list[str]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return list(lexer)
    except ValueError:
        return re.split(r"\s+|(?=[;|&<>])|(?<=[;|&<>])", re.sub(r"[\"'\\]", "", text))
