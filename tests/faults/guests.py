"""A service elsewhere and the connectors to it that docs/connectors.md shows, installed as a package would be."""

import json
import re
import threading
import time
from pathlib import Path

from tests.faults.elsewhere import Answer, Asked, Elsewhere

PAGE = Path(__file__).parents[2] / "docs" / "connectors.md"


def install(folder: Path) -> Path:
    """The page's own code and entry points, in a folder for PYTHONPATH."""
    page = PAGE.read_text("utf-8")
    about = folder / "my_package-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: my-package\nVersion: 1.0\n")
    [offered] = re.findall(r'entry-points\."prime\.connectors"\]\n(.*?)```', page, re.DOTALL)
    (about / "entry_points.txt").write_text("[prime.connectors]\n" + offered.replace('"', ""))
    (folder / "my_package.py").write_text("\n".join(re.findall(r"```python\n(.*?)```", page, re.DOTALL)))
    return folder


class Guests(Elsewhere):
    """A guest book and a paste bin that keep what they are sent, and answer when they are let."""

    def __init__(self) -> None:
        super().__init__()
        self.entries = [{"id": "e1", "visitor": "v1", "name": "Vera", "text": "Can you ship ten lamps by Friday?"}]
        self.kept: dict[str, list[dict[str, str]]] = {"replies": [], "pastes": []}
        self.came = threading.Event()  # something was kept
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.takes_s = 0.0  # from keeping what came to saying so

    def __exit__(self, *why: object) -> None:
        self.may_answer.set()
        super().__exit__(*why)

    def answer(self, asked: Asked) -> Answer:
        what = asked.path.strip("/")
        found = self.keep(what, json.loads(asked.body)) if asked.method == "POST" else self.look(what, asked.query)
        return Answer("application/json", json.dumps(found).encode())

    def look(self, what: str, query: dict[str, str]) -> object:
        if what == "me":
            return {"name": "shop"}
        if what == "entries":
            return [entry for entry in self.entries if entry["id"] > query.get("after", "")]
        return next((one for one in self.kept[what] if one["key"] == query["key"]), None)

    def keep(self, what: str, given: dict[str, str]) -> object:
        one = {**given, "id": f"{what}-{len(self.kept[what])}", "url": f"{self.url}/{what}"}
        self.kept[what].append(one)
        self.came.set()
        self.may_answer.wait(300)
        time.sleep(self.takes_s)
        return one
