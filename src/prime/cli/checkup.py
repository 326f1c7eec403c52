"""What `prime doctor` looks at. Each finding says what is there and, where something is missing, what to do."""

import asyncio
import errno
import importlib.util
import os
import platform
import shutil
import socket
import sqlite3
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from prime.core.errors import Unavailable
from prime.core.settings import Settings
from prime.store.damage import damage_of
from prime.store.folder import DataFolder, socket_address

State = Literal["ok", "note", "bad"]

OLDEST_PYTHON = (3, 11)
OLDEST_SQLITE = (3, 35, 0)  # RETURNING and DROP COLUMN
SERVER_MODULES = ("fastapi", "sqlalchemy", "cryptography", "uvicorn")


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    state: State
    found: str
    next_step: str | None = None


def check_up(settings: Settings) -> list[Finding]:
    return [
        _python(),
        _server_parts(),
        _sqlite(),
        _page(),
        _data_folder(settings),
        _database(settings),
        _port(settings),
        _sandbox(),
        _ocr(),
        _embeddings(settings),
        _model(settings),
    ]


def _python() -> Finding:
    found = f"Python {platform.python_version()} at {sys.executable}"
    if sys.version_info < OLDEST_PYTHON:
        return Finding("python", "bad", found, "Prime needs 3.11 or newer.")
    return Finding("python", "ok", found)


def _server_parts() -> Finding:
    missing = [name for name in SERVER_MODULES if importlib.util.find_spec(name) is None]
    if missing:
        return Finding("server", "bad", f"missing: {', '.join(missing)}", "pip install 'prime-agent[server]'")
    return Finding("server", "ok", "all server parts are installed")


def _sqlite() -> Finding:
    found = f"SQLite {sqlite3.sqlite_version}"
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        return Finding("sqlite", "bad", found, "Prime needs 3.35 or newer: use a newer Python build.")
    return Finding("sqlite", "ok", found)


def _page() -> Finding:
    if importlib.util.find_spec("starlette") is None:
        return Finding("page", "note", "cannot be looked for without the server parts")
    from prime.web.page import find_page

    page = find_page()
    if page is None:
        return Finding("page", "bad", "the page is not built", "Run scripts/setup in the source checkout.")
    return Finding("page", "ok", f"built, in {page}")


def _data_folder(settings: Settings) -> Finding:
    folder = settings.data_folder
    there = folder
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK):
        return Finding("data", "bad", f"{folder} cannot be written", "Choose another with --data or PRIME_DATA.")
    free = shutil.disk_usage(there).free
    found = f"{folder}, {free / 1e9:.1f} GB free"
    if free < 500_000_000:
        return Finding("data", "note", found, "Less than 500 MB is free: make room, or choose another disk.")
    return Finding("data", "ok", found if folder.exists() else f"{found} (made at first start)")


def _database(settings: Settings) -> Finding:
    if settings.database_url is None or settings.database_url.get_secret_value().startswith("sqlite:"):
        return _sqlite_file(settings.data_folder / "prime.db")
    if importlib.util.find_spec("asyncpg") is None:
        return Finding("database", "note", "PostgreSQL cannot be asked without the server parts")
    if settings.secret_key is None:
        return Finding("database", "bad", "PRIME_SECRET_KEY is not set", "PostgreSQL needs it: openssl rand -hex 32")
    return _postgresql(settings.database_url.get_secret_value())


def _sqlite_file(file: Path) -> Finding:
    if not file.exists():
        return Finding("database", "ok", f"SQLite, {file} (made at first start)")
    try:
        damage = damage_of(file, seconds=None)
    except OSError as error:
        return Finding("database", "bad", f"{file} cannot be read: {error.strerror}", "Make it readable for this user.")
    if damage:
        step = "Restore a backup into another folder: prime backup restore FILE --data DIR"
        return Finding("database", "bad", f"{file} is damaged: {damage}", step)
    return Finding("database", "ok", f"SQLite, {file}, {file.stat().st_size / 1e6:.1f} MB, nothing damaged")


def _postgresql(url: str) -> Finding:
    from prime.store.engines.damaged_pages import RESTORE, look_for_damage
    from prime.store.engines.server_version import server_version

    try:
        version = asyncio.run(server_version(url))
        if damage := asyncio.run(look_for_damage(url)):
            step = "Start Prime again: it makes derived tables anew" if damage.is_derived else RESTORE
            return Finding("database", "bad", f"PostgreSQL {version} is damaged: {damage.said}", step)
        return Finding("database", "ok", f"PostgreSQL {version} answers, nothing damaged")
    except Unavailable as error:
        return Finding("database", "bad", error.message, error.hint)


def _port(settings: Settings) -> Finding:
    host = settings.host.strip("[]")
    where = f"{settings.host}:{settings.port}"
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, settings.port))
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                step = "Choose another with --host or PRIME_HOST."
                return Finding("port", "bad", f"{where} cannot be listened on: {error.strerror or error}", step)
            if _somebody_listens(DataFolder(settings.data_folder).socket):
                return Finding("port", "ok", f"{where} is in use, by Prime it seems")
            return Finding("port", "note", f"{where} is in use", "Start Prime with another --port.")
    return Finding("port", "ok", f"{where} is free")


def _somebody_listens(path: Path) -> bool:
    """A socket's file outlives a process that was killed."""
    try:
        with socket.socket(socket.AF_UNIX) as probe, socket_address(path) as address:
            probe.connect(address)
    except OSError:
        return False
    return True


def _sandbox() -> Finding:
    from prime.core.process import namespace_trouble

    trouble = namespace_trouble()
    if trouble is None:
        return Finding("sandbox", "ok", "bubblewrap works")
    if shutil.which("bwrap") is None:
        return Finding("sandbox", "note", trouble, "apt install bubblewrap lets Prime run unknown tools.")
    return Finding("sandbox", "note", trouble, "Allow user namespaces on this machine.")


def _ocr() -> Finding:
    tesseract = shutil.which("tesseract")
    if tesseract is None:
        return Finding(
            "ocr", "note", "tesseract is not installed", "apt install tesseract-ocr lets Prime read text in images."
        )
    return Finding("ocr", "ok", tesseract)


def _embeddings(settings: Settings) -> Finding:
    if settings.embeddings is None:
        return Finding("embeddings", "ok", "off: recall goes by words")
    from prime.brain.embeddings import load

    try:
        model = load(settings.embeddings)
    except Unavailable as error:
        return Finding("embeddings", "bad", error.message, error.hint)
    return Finding("embeddings", "ok", f"on: {len(model.tokens)} words, {settings.embeddings}")


def _wanted_model(wanted: str) -> Finding:
    from prime.mind.model.spec import spec_trouble

    if error := spec_trouble(wanted):
        return Finding("model", "bad", f"PRIME_MODEL={wanted} names no model, so the offline engine works", error.hint)
    return Finding("model", "ok", f"PRIME_MODEL={wanted}")


def _model(settings: Settings) -> Finding:
    from prime.mind.model.finding import found_models

    if settings.model:
        return _wanted_model(settings.model)
    if found := asyncio.run(found_models(settings, {})):
        return Finding("model", "ok", f"{', '.join(one.name for one in found)}; used when it answers at the start")
    return Finding(
        "model",
        "note",
        "none: the offline engine works by rules",
        "Set GEMINI_API_KEY (or ANTHROPIC_, OPENAI_), or start Ollama.",
    )
