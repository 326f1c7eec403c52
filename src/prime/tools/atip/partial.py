"""Partial discovery (RFC 3.1.1) on plain JSON: what is callable, and an answer cut to `--commands` and `--depth`.

Works on dictionaries and imports next to nothing, because `prime --agent --depth=1` must answer at once.
"""

from collections.abc import Iterator, Mapping


class NoSuchCommand(ValueError):
    """A command was asked for that the document does not have."""


def callable_here(*, has_parameters: bool, subcommands: int | None, cut: bool) -> bool:
    """The one rule (D-ATIP-6, D-ATIP-10): a leaf can be called, a group only when it takes parameters itself.

    `subcommands` is None where the document says nothing of subcommands.
    """
    if cut:
        return False
    return not subcommands or has_parameters


def cut_off(*, partial: bool, subcommands: int | None, omitted: bool) -> bool:
    """Whether a filter took this group's commands away: it then stands there with an empty `commands`."""
    return partial and (subcommands == 0 or omitted)


def filter_json(
    document: Mapping[str, object], commands: list[str] | None = None, depth: int | None = None
) -> dict[str, object]:
    """The document with only the named subtrees (`pr`, or a path: `pr create`), at most `depth` levels of commands."""
    kept = dict(document)
    tree = _dict(document.get("commands"))
    if commands is not None:
        tree = _chosen(tree, commands)
    if depth is not None:
        tree = _shallow(tree, depth)
    if document.get("commands") is not None:
        kept["commands"] = tree
    kept["partial"] = True
    kept["filter"] = {"commands": commands, "depth": depth}
    total = document.get("totalCommands") if document.get("partial") else None
    kept["totalCommands"] = total if isinstance(total, int) else count_callables(document)
    kept["includedCommands"] = count_callables(kept)
    return kept


def count_callables(document: Mapping[str, object]) -> int:
    """How many commands of this document can be called."""
    root = {key: value for key, value in document.items() if key != "omitted"}  # the root's speaks of the whole
    return len(set(_callable_paths(root, (), partial=document.get("partial") is True)))


def _callable_paths(
    node: Mapping[str, object], path: tuple[str, ...], *, partial: bool, takes_more: bool = False
) -> Iterator[tuple[str, ...]]:
    """`takes_more`: the group that this command "" stands in has parameters, which hold for it too."""
    named = node.get("commands")
    children = _dict(named)
    parameters = takes_more or bool(node.get("arguments") or node.get("options"))
    size = len(children) if isinstance(named, dict) else None
    cut = cut_off(partial=partial, subcommands=size, omitted=node.get("omitted") is not None)
    if "" in children:
        yield from _callable_paths(_dict(children[""]), path, partial=partial, takes_more=parameters)
    elif callable_here(has_parameters=parameters, subcommands=size, cut=cut):
        yield path
    for key, child in children.items():
        if key:
            yield from _callable_paths(_dict(child), (*path, key), partial=partial)


def _chosen(tree: dict[str, object], commands: list[str]) -> dict[str, object]:
    chosen: dict[str, object] = {}
    for command in commands:
        _choose(tree, command.split() or [""], chosen, command)
    return chosen


def _choose(tree: Mapping[str, object], path: list[str], chosen: dict[str, object], asked: str) -> None:
    head, rest = path[0], path[1:]
    if head not in tree:
        raise NoSuchCommand(asked)
    node = _dict(tree[head])
    if not rest:
        chosen[head] = node
        return
    group = _dict(chosen.get(head)) or {**node, "commands": {}}
    _choose(_dict(node.get("commands")), rest, into := dict(_dict(group.get("commands"))), asked)
    chosen[head] = {**group, "commands": into}


def _shallow(tree: dict[str, object], depth: int) -> dict[str, object]:
    return {key: _cut(_dict(node), depth) for key, node in tree.items()}


def _cut(node: dict[str, object], depth: int) -> dict[str, object]:
    below = _dict(node.get("commands"))
    if not below:
        return node
    return {**node, "commands": _shallow(below, depth - 1) if depth > 1 else {}}


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else {}  # pyright: ignore[reportUnknownVariableType]
