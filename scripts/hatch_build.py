"""Hatch hook: build the page into the wheel, so that installing the wheel needs no Node."""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PageBuildHook(BuildHookInterface[Any]):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return  # a source checkout serves web/dist
        root = Path(self.root)
        subprocess.run([sys.executable, root / "scripts" / "build_page.py"], check=True)
        page = root / "web" / "dist"
        # Straight into the wheel: a copy left in the sources would be served from then on, whatever is built later.
        build_data["force_include"] |= {
            str(file): f"prime/web/built_page/{file.relative_to(page)}"
            for file in page.rglob("*")
            if file.is_file() and file.name != ".ready"
        }
