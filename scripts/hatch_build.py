"""Hatch hook: build the page into the wheel, so that installing the wheel needs no Node."""

import shutil
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
        page = root / "src" / "prime" / "web" / "built_page"
        shutil.rmtree(page, ignore_errors=True)
        shutil.copytree(root / "web" / "dist", page, ignore=shutil.ignore_patterns(".ready"))
        build_data["artifacts"].append("src/prime/web/built_page/**")
