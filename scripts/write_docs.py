"""Write the generated pages of docs/; `--check` says which are out of date instead."""

import sys
from pathlib import Path

from prime.core.settings import Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"


def settings_page() -> str:
    lines = [
        "# Settings",
        "",
        "All settings are environment variables; one that is set to nothing counts as not set. `prime settings` prints them",
        "with their present values. This page is generated from `src/prime/core/settings.py`.",
        "",
        "| variable | default | meaning |",
        "| --- | --- | --- |",
    ]
    for described in Settings().described({}):
        default = "" if described.value in (None, "") else f"`{described.value}`"
        lines.append(f"| `{described.variable}` | {default} | {described.meaning} |")
    return "\n".join(lines) + "\n"


PAGES = {"settings.md": settings_page}


def main() -> None:
    stale = [name for name, page in PAGES.items() if _read(DOCS / name) != page()]
    if "--check" in sys.argv:
        if stale:
            sys.exit(f"Out of date: {', '.join(stale)}. Run: .venv/bin/python scripts/write_docs.py")
        return
    for name in stale:
        (DOCS / name).write_text(PAGES[name](), "utf-8")


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    main()
