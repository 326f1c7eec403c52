"""What `prime doctor` looks at. Each finding says what is there and, where something is missing, what to do."""

import importlib.util
import os
import platform
import shutil
import socket
import sqlite3
import sys
from dataclasses import dataclass
from typing import Literal

from prime.core.settings import Settings

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
        _port(settings),
        _sandbox(),
        _ocr(),
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


def _port(settings: Settings) -> Finding:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((settings.host, settings.port))
        except OSError:
            running = (settings.data_folder / "prime.sock").exists()
            found = f"{settings.host}:{settings.port} is in use"
            if running:
                return Finding("port", "ok", f"{found}, by Prime it seems")
            return Finding("port", "note", found, "Start Prime with another --port.")
    return Finding("port", "ok", f"{settings.host}:{settings.port} is free")


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


def _model(settings: Settings) -> Finding:
    keys = {
        "Gemini": settings.gemini_api_key,
        "Anthropic": settings.anthropic_api_key,
        "OpenAI": settings.openai_api_key,
    }
    named = [name for name, key in keys.items() if key]
    if settings.model:
        return Finding("model", "ok", f"PRIME_MODEL={settings.model}")
    if named:
        return Finding("model", "ok", f"keys for {', '.join(named)}")
    return Finding(
        "model",
        "note",
        "none: the offline engine works by rules",
        "Set GEMINI_API_KEY (or ANTHROPIC_, OPENAI_).",
    )
