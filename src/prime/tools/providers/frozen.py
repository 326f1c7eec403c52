"""Dictionaries and lists that cannot be changed, so that a cached answer can be given to everyone."""

from typing import Any, NoReturn, cast

from prime.core.errors import JsonValue

_REASON = "compiled tools are shared: take a copy.deepcopy() to change them"


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError(_REASON)


class FrozenDict(dict[str, Any]):
    """A `dict` for every reader; changing it is a TypeError; its deep copy is an ordinary one."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> dict[str, Any]:
        return {key: thawed(value) for key, value in self.items()}

    def __reduce__(self) -> tuple[type[dict[str, Any]], tuple[dict[str, Any]]]:
        return dict, (thawed(self),)


class FrozenList(list[Any]):
    """A `list` for every reader; changing it is a TypeError; its deep copy is an ordinary one."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = clear = pop = sort = reverse = _refuse

    def __deepcopy__(self, memo: dict[int, Any]) -> list[Any]:
        return [thawed(value) for value in self]

    def __reduce__(self) -> tuple[type[list[Any]], tuple[list[Any]]]:
        return list, (thawed(self),)


_set = dict[str, Any].__setitem__
_CONTAINERS = frozenset({dict, list, tuple})


def frozen(value: JsonValue) -> Any:
    """The same JSON, all the way down."""
    if isinstance(value, dict):
        found = FrozenDict(cast("dict[str, JsonValue]", value))
        for key, item in found.items():
            if type(item) in _CONTAINERS:
                _set(found, key, frozen(item))
        return found
    return FrozenList([frozen(item) if type(item) in _CONTAINERS else item for item in cast("list[JsonValue]", value)])


def thawed(value: Any) -> Any:
    """An ordinary copy."""
    if isinstance(value, dict):
        return {key: thawed(item) for key, item in cast("dict[str, Any]", value).items()}
    return [thawed(item) for item in cast("list[Any]", value)] if isinstance(value, list) else value
