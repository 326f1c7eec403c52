"""Tools that ask questions (RFC 3.6, D-ATIP-17): answered by an option that the document declares, or refused."""

from collections.abc import Mapping

from prime.core.errors import Forbidden, JsonValue
from prime.tools.atip.model import Option
from prime.tools.tool import Slot, Tool

# Options that make a tool fail instead of asking come before options that make it go ahead.
_QUIET_NAMES = ("batch", "no_input", "non_interactive", "no_password", "no_prompt")
_YES_NAMES = ("yes", "assume_yes", "auto_approve", "no_confirm")
_QUIET_FLAGS = frozenset(
    {"--batch", "--no-input", "--non-interactive", "--no-interactive", "--no-password", "--no-prompt"}
)
_YES_FLAGS = frozenset({
    "-y", "--yes", "--assume-yes", "--assumeyes", "--auto-approve", "-auto-approve", "--no-confirm", "--noconfirm",
})  # fmt: skip


class NeedsInput(Forbidden):
    """The tool would wait for somebody to type."""

    code = "interactive_input_required"


def asks_questions(tool: Tool) -> bool:
    """Whether it would wait for input: a prompt counts like required input."""
    interactive = tool.effects.interactive
    return interactive.prompts is True or interactive.stdin in {"required", "password"}


def without_questions(
    tool: Tool, arguments: Mapping[str, JsonValue], *, approved: bool, has_input: bool
) -> Mapping[str, JsonValue]:
    """The arguments with which the tool asks nothing; NeedsInput when there are none.

    An option is added only when the document declares it and the call is approved. Text for stdin helps where text is
    wanted, never where a password is.
    """
    if not asks_questions(tool) or (has_input and tool.effects.interactive.stdin != "password"):
        return arguments
    options = [slot for slot in tool.slots if _answers(slot)]
    if any(arguments.get(slot.key) is True for slot in options):
        return arguments
    if not options:
        raise NeedsInput(
            f"{tool.name} waits for {_wanted(tool)}, and has no option that does without.", hint=_hint(tool)
        )
    if not approved:
        flag = options[0].parameter
        assert isinstance(flag, Option)
        raise NeedsInput(
            f"{tool.name} asks before it acts.", hint=f"Approve the call, and {flag.flags[-1]} answers its question."
        )
    return {**arguments, min(options, key=_rank).key: True}


def _answers(slot: Slot) -> bool:
    parameter = slot.parameter
    if not isinstance(parameter, Option) or parameter.type != "boolean":
        return False
    name = parameter.name.replace("-", "_").lower()
    known = name in _QUIET_NAMES or name in _YES_NAMES
    return known or not (_QUIET_FLAGS | _YES_FLAGS).isdisjoint(parameter.flags)


def _rank(slot: Slot) -> int:
    parameter = slot.parameter
    assert isinstance(parameter, Option)
    quiet = parameter.name.replace("-", "_").lower() in _QUIET_NAMES or not _QUIET_FLAGS.isdisjoint(parameter.flags)
    return 0 if quiet else 1


def _wanted(tool: Tool) -> str:
    return "a password" if tool.effects.interactive.stdin == "password" else "input"


def _hint(tool: Tool) -> str:
    if tool.effects.interactive.stdin == "password":
        return "Set up a key or a credential helper for it, so that it does not ask."
    return "Give its input as `stdin`, or use another tool."
