"""`entry` of a manifest: what is started, for each runtime."""

import os
from pathlib import Path
from typing import Any, Final, cast

from prime.tools.atip.errors import Pointer
from prime.tools.atip.reading import Reader
from prime.tools.runtimes.inside import Outside, existing_file, own_argument
from prime.tools.runtimes.manifest import Entry, FolderRuntimeKind, Manifest

MAX_WORDS: Final = 256
# runtime -> (what names the program, what names its further words)
_KEYS: Final = {
    "process": ("command", "args"),
    "binary": ("path", "args"),
    "python-uv-script": ("script", "uvArgs"),
}
_SPELLINGS: Final = {"uv_args": "uvArgs"}
# What `uv sync --script` takes as well, so that the environment is the one that `uv run` would make: option -> has a value.
UV_ARGS: Final = {
    "--python": True,
    "-p": True,
    "--index": True,
    "--default-index": True,
    "--index-url": True,
    "-i": True,
    "--extra-index-url": True,
    "--index-strategy": True,
    "--resolution": True,
    "--prerelease": True,
    "--exclude-newer": True,
    "--no-index": False,
    "--offline": False,
    "--no-build": False,
    "--managed-python": False,
    "--no-managed-python": False,
}
# These mean something to `uv run` only, and nothing here.
_UV_IGNORED: Final = frozenset({"--script", "-s", "--no-project", "--quiet", "-q", "--no-progress", "--isolated"})


def read_entry(reader: Reader, value: object, runtime: FolderRuntimeKind, folder: Path) -> Entry | None:
    """The entry, with its paths checked."""
    at: Pointer = ("entry",)
    if not isinstance(value, dict):
        reader.expected(at, "an object", value)
        return None
    program_key, words_key = _KEYS[runtime]
    found: dict[str, Any] = {}
    for key, item in cast("dict[str, object]", value).items():
        known = _SPELLINGS.get(key, key)
        if known not in (program_key, words_key) or known in found:
            hint = f"An entry of {runtime} has `{program_key}` and `{words_key}`, each once."
            reader.problem((*at, key), "There is no such field.", hint)
        found[known] = (key, item)
    if program_key not in found:
        reader.problem(at, f"The field `{program_key}` is missing.", f"Add `{program_key}`.")
        return None
    program = _program(reader, found[program_key][1], runtime, folder, (*at, program_key))
    key, words = found.get(words_key, (words_key, []))
    return _entry(reader, program, _words(reader, words, (*at, key)), runtime, folder, (*at, key))


def words_of(manifest: Manifest) -> tuple[str, ...]:
    """The program and its fixed arguments, files of the folder by their full path."""
    folder, entry = manifest.folder, manifest.entry
    words = (entry.program, *entry.args)
    return tuple(str(own_argument(folder, word) or word) for word in words)


def _entry(
    reader: Reader, program: str | None, words: tuple[str, ...], runtime: FolderRuntimeKind, folder: Path, at: Pointer
) -> Entry | None:
    if program is None:
        return None
    if runtime == "python-uv-script":
        return Entry(program=program, uv_args=_uv_args(reader, words, at))
    for index, word in enumerate(words):
        try:
            own_argument(folder, word)
        except Outside as error:
            reader.problem((*at, index), f"{word[:80]!r} {error}.", "Keep what the tool needs in its folder.")
    return Entry(program=program, args=words)


def _program(reader: Reader, value: object, runtime: FolderRuntimeKind, folder: Path, at: Pointer) -> str | None:
    if not isinstance(value, str) or not value or "\0" in value:
        reader.expected(at, "the name of a program" if runtime == "process" else "a path", value)
        return None
    if runtime == "process" and "/" not in value and not (folder / value).exists():
        return value  # found on PATH
    try:
        file = existing_file(folder, value)
        if runtime != "python-uv-script" and not os.access(file, os.X_OK):
            reader.problem(at, f"{value[:80]!r} is not executable.", f"chmod +x {value[:80]}")
    except Outside as error:
        hint = "Name a file of the folder" + (", or a program by its bare name." if runtime == "process" else ".")
        reader.problem(at, f"{value[:80]!r} {error}.", hint)
        return None
    return value


def _words(reader: Reader, value: object, at: Pointer) -> tuple[str, ...]:
    if not isinstance(value, list):
        reader.expected(at, "an array of strings", value)
        return ()
    words = cast("list[object]", value)
    if len(words) > MAX_WORDS:
        reader.problem(at, f"More than {MAX_WORDS} words.", "Use fewer.")
        return ()
    for index, word in enumerate(words):
        if not isinstance(word, str) or "\0" in word:
            reader.expected((*at, index), "a string without NUL", word)
    return tuple(word for word in words if isinstance(word, str))


def _uv_args(reader: Reader, words: tuple[str, ...], at: Pointer) -> tuple[str, ...]:
    kept: list[str] = []
    rest = iter(enumerate(words))
    for index, word in rest:
        option, joined, _ = word.partition("=")
        if word in _UV_IGNORED:
            continue
        takes = UV_ARGS.get(option)
        if takes is None or (joined and not takes):
            hint = "Declare dependencies in the script's `# /// script` block; here are: " + ", ".join(UV_ARGS)
            reader.problem((*at, index), f"{word[:60]!r} is not an option that a tool may give to uv.", hint)
            continue
        kept.append(word)
        if takes and not joined:
            following = next(rest, None)
            if following is None:
                reader.problem((*at, index), f"{word} needs a value.", "Add it.")
            else:
                kept.append(following[1])
    return tuple(kept)
