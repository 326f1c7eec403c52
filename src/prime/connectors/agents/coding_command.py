"""The command that starts a coding agent, as its actor's settings have it: a list of words, one of which may be the task.

What others wrote is in the task, so it is only ever a word of its own, the value of a long option, a variable of the
environment or the program's input; never a part of something that is read as code.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from prime.core.errors import InvalidInput
from prime.tools.policy.shapes.launchers import INTERPRETERS, SHELLS

DEFAULT = ("claude", "-p", "--output-format", "stream-json", "--verbose", "--permission-mode", "acceptEdits")
TASK = "{task}"
# Has the task where a word of the command names it.
VARIABLE = "PRIME_TASK"

_ALONE = re.compile(r"(?:(?P<option>--?[A-Za-z][\w-]*)=)?\{task\}")
# Options behind which programs take code: `sh -lc`, `perl -e`, `node --eval`, `pwsh -Command`.
_CODE = re.compile(r"-[a-z]{0,4}[ce]|--?(?:eval|exec|execute|command)", re.IGNORECASE)
_INSTEAD = (
    f'Let {TASK} be a word of its own, or write ["sh", "-c", "my-agent \\"${VARIABLE}\\""]; '
    "without both, the program gets it as its input."
)


@dataclass(frozen=True, slots=True)
class CodingCommand:
    """`words` as they were given; the task is not in them yet."""

    words: tuple[str, ...] = DEFAULT

    @classmethod
    def of(cls, settings: Mapping[str, object]) -> "CodingCommand":
        """The command of an actor's settings, or the default; one that would take the task for code is refused."""
        given = settings.get("command")
        if given is None:
            return cls()
        items = cast("list[object]", given) if isinstance(given, list) else []
        words = tuple(item for item in items if isinstance(item, str))
        if not words or not words[0] or len(words) != len(items):
            raise InvalidInput("A builder's command is a list of words.", hint=_INSTEAD, field="settings.command")
        for before, word in zip(("", *words), words, strict=False):
            alone = _ALONE.fullmatch(word)
            if TASK in word and (not alone or _CODE.fullmatch(alone["option"] or before)):
                raise InvalidInput(
                    f"The task would be read as code in “{word}”: it holds what others wrote.",
                    hint=_INSTEAD,
                    field="settings.command",
                )
        command = cls(words)
        if command.reads_input and command._is_bare_interpreter:
            raise InvalidInput(
                f"{words[0]} would run the task as code: nothing says what it is to start.",
                hint=_INSTEAD,
                field="settings.command",
            )
        return command

    @property
    def program(self) -> str:
        return self.words[0]

    @property
    def reads_input(self) -> bool:
        """Whether the task is written to the program's input."""
        return not any(TASK in word or VARIABLE in word for word in self.words)

    def with_task(self, task: str) -> tuple[str, ...]:
        # A task that begins like an option is none.
        plain = f" {task}" if task.startswith("-") else task
        return tuple(word.replace(TASK, plain) for word in self.words)

    def environment(self, task: str) -> dict[str, str]:
        return {VARIABLE: task} if any(VARIABLE in word for word in self.words) else {}

    @property
    def _is_bare_interpreter(self) -> bool:
        name = re.sub(r"[\d.]+$", "", Path(self.program).name.casefold().removesuffix(".exe"))
        return name in SHELLS | INTERPRETERS and all(word.startswith("-") for word in self.words[1:])
