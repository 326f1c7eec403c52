"""One call of one tool before it runs (RFC 11.2): effects, delegation, command shapes, paths and arguments together."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.argv import build_argv
from prime.tools.policy import shapes
from prime.tools.policy.addresses import url_reasons
from prime.tools.policy.arguments import argument_reasons, name_reasons, strings_in
from prime.tools.policy.decision import Decision, Reason, ask, deny
from prime.tools.policy.delegation import Delegation, in_order
from prime.tools.policy.effects import Ledger, Spending, changes, effect_reasons
from prime.tools.policy.paths import PathRules
from prime.tools.policy.policy import Policy
from prime.tools.policy.repositories import repository_reasons
from prime.tools.policy.shapes.verbs import is_verb
from prime.tools.policy.toolchains import toolchain_reasons
from prime.tools.tool import Slot, Tool

# Arguments of tools without a command line whose text is a command or SQL, or may be: people look things up by a `query` too.
_CODE = frozenset({"command", "cmd", "script", "code", "shell", "sql", "statement", "args"})
_PROSE = frozenset({"query", "input"})


class Validator:
    """Judges calls by a policy. It reads the tool's effective effects and the very words that would run."""

    def __init__(
        self,
        policy: Policy,
        *,
        workspace: Path,
        delegation: Delegation | None = None,
        ledger: Ledger | None = None,
        search_path: str | None = None,
    ) -> None:
        self.policy = policy
        self._paths = PathRules.of(workspace, policy.read_paths, policy.write_paths)
        self._delegations = [given for given in (policy.delegation, delegation) if given is not None]
        self._ledger = ledger or Spending()
        self._search_path = search_path if search_path is not None else os.environ.get("PATH")

    def validate(
        self,
        tool: Tool,
        arguments: Mapping[str, JsonValue],
        *,
        cwd: Path | None = None,
        executable: str | None = None,
    ) -> Decision:
        """Whether the call may run, is asked about, or is refused; every reason is given, the strictest decides.

        `executable` is the file that would run, where it is known already.
        """
        early = [*argument_reasons(arguments), *self._folder(cwd)]
        if any(reason.verdict == "deny" for reason in early):
            return Decision.of(early)
        try:
            argv = build_argv(tool, arguments) if tool.runtime == "argv" else None
        except InvalidInput as error:
            return Decision.of([*early, deny(error.error_code, error.message, error.hint or "Correct the arguments.")])
        if argv and executable:
            argv[0] = executable
        return Decision.of([*early, *self._call(tool, arguments, argv, cwd)])

    def _folder(self, cwd: Path | None) -> Iterator[Reason]:
        if cwd is None or self._paths.is_root(cwd):
            return
        if (refused := self._paths.reason(str(cwd), writes=False)) is not None:
            yield refused

    def _call(
        self, tool: Tool, arguments: Mapping[str, JsonValue], argv: Sequence[str] | None, cwd: Path | None
    ) -> Iterator[Reason]:
        names = shapes.Names(self._search_path)
        if argv and shapes.too_long(argv, names):
            step = "Make several smaller calls."
            yield deny("command_too_long", "It launches more than can be looked into before it runs.", step)
            return
        commands = list(shapes.commands_within(argv, names)) if argv else []
        spelled = [tool.command, *(called for command in commands for called in shapes.called(command, names))]
        yield from self._lists(tool, spelled)
        for delegation in self._delegations:
            yield from delegation.reasons(tool.name, spelled, tool.effects)
        yield from effect_reasons(self.policy, tool.effects, self._ledger)
        writes = changes(tool.effects) is not False
        yield from repository_reasons(commands, cwd or self._paths.root, names, writes=writes)
        yield from toolchain_reasons(commands, cwd or self._paths.root, names)
        if tool.handed:
            handed = ", ".join(tool.handed)
            yield ask("workspace_secrets", f"It came with the workspace, and it is given {handed} of yours.")
        yield from self._shapes(tool, shapes.dangers(argv, names) if argv else _code_dangers(tool, arguments, names))
        yield from self._places(tool, arguments, cwd)

    def _lists(self, tool: Tool, commands: Sequence[Sequence[str]]) -> Iterator[Reason]:
        for entry in self.policy.deny:
            if _matches(entry, tool, commands):
                yield deny("command_denied", f"`{entry}` is denied by the policy.", "Change `deny` in policy.json.")
        for entry in self.policy.confirm:
            if _matches(entry, tool, commands):
                yield ask("confirm", f"`{entry}` is to be confirmed each time.")

    def _shapes(self, tool: Tool, found: Sequence[shapes.Danger]) -> Iterator[Reason]:
        for danger in found:
            if danger.always:
                yield ask(danger.code, danger.text)
            elif self.policy.destructive == "deny":
                yield deny("destructive_denied", danger.text, "Allow it in policy.json, or use another tool.")
            elif self.policy.destructive == "ask":
                yield ask(danger.code, danger.text)
        verb = next((word for word in tool.command[1:] if is_verb(word)), None)
        if verb is not None and tool.effects.destructive is not True:
            yield ask(
                "known_destructive",
                f"`{' '.join(tool.command)}` sounds as if it destroys, and its document does not say so.",
            )

    def _places(self, tool: Tool, arguments: Mapping[str, JsonValue], cwd: Path | None) -> Iterator[Reason]:
        writes = changes(tool.effects) is not False
        slots = {slot.key: slot for slot in tool.slots}
        for key, value in arguments.items():
            for text in strings_in(value):
                yield from self._place(slots.get(key), text, writes=writes, cwd=cwd)

    def _place(self, slot: Slot | None, text: str, *, writes: bool, cwd: Path | None) -> Iterator[Reason]:
        kind = slot.parameter.type if slot is not None else "string"
        if kind in {"file", "directory"}:
            yield from name_reasons(text)
            refused = self._paths.reason(text, writes=writes, cwd=cwd)
        else:
            if kind == "url":
                yield from url_reasons(text)
            refused = self._paths.suspicion(text, writes=writes, cwd=cwd)
        if refused is not None:
            yield refused


def _matches(entry: str, tool: Tool, commands: Sequence[Sequence[str]]) -> bool:
    return entry == tool.name or any(in_order(entry.split(), command) for command in commands)


def _code_dangers(tool: Tool, arguments: Mapping[str, JsonValue], names: shapes.Names) -> tuple[shapes.Danger, ...]:
    """Of a tool that is not run by argv: its texts may be command lines or SQL."""
    found: dict[shapes.Danger, None] = {}
    if tool.runtime == "builtin" and tool.effects.subprocess is False:
        return ()  # Prime's own functions do what they say, and this one starts nothing
    for key, value in arguments.items():
        prose = key.casefold() in _PROSE
        if prose or key.casefold() in _CODE:
            items = cast("list[JsonValue]", value) if isinstance(value, list) else [value]
            words = [item for item in items if isinstance(item, str)]
            for text in (*words, " ".join(words)):
                found.update(dict.fromkeys(shapes.text_dangers(text, names, prose=prose)))
    return tuple(found)
