"""A user with folders of their own, and programs that answer `--agent` in many ways."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from prime.core.clock import FakeClock
from prime.core.errors import JsonValue
from prime.tools.discovery import Discovery, Folders

Document = dict[str, JsonValue]


@pytest.fixture
def folders(tmp_path: Path) -> Folders:
    return Folders(
        data=tmp_path / "data",
        config=tmp_path / "config",
        system=(tmp_path / "system",),
        built_in=tmp_path / "built-in",
    )


@pytest.fixture
def bin_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    return folder


@pytest.fixture
def discovery(folders: Folders) -> Discovery:
    return Discovery(folders, clock=FakeClock())


@pytest.fixture
def document() -> Callable[..., Document]:
    def make(name: str, **fields: JsonValue) -> Document:
        return {"atip": "0.3", "name": name, "version": "1.0", "description": f"{name} itself", **fields}

    return make


@pytest.fixture
def write(document: Callable[..., Document]) -> Callable[..., Path]:
    """Writes a document for a tool into a folder."""

    def make(folder: Path, name: str, **fields: JsonValue) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name}.json"
        path.write_text(json.dumps(document(name, **fields)))
        return path

    return make


@pytest.fixture
def script(bin_folder: Path) -> Callable[..., Path]:
    """Makes a program of a shell script."""

    def make(name: str, body: str, folder: Path | None = None) -> Path:
        path = (folder or bin_folder) / name
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o755)
        return path

    return make


@pytest.fixture
def native(script: Callable[..., Path], document: Callable[..., Document]) -> Callable[..., Path]:
    """Makes a program that answers `--agent`, and nothing else, with its document."""

    def make(name: str, folder: Path | None = None, **fields: JsonValue) -> Path:
        text = json.dumps({**document(name), **fields})
        return script(name, f"[ \"$*\" = --agent ] || exit 2\ncat <<'END'\n{text}\nEND", folder)

    return make
