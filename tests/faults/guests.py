"""A service elsewhere and the connectors to it that docs/connectors.md shows, installed as a package would be."""

import json
import re
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self
from urllib.parse import parse_qsl, urlparse

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


class Guests:
    """A guest book and a paste bin that keep what they are sent, and answer when they are let."""

    def __init__(self) -> None:
        self.entries = [{"id": "e1", "visitor": "v1", "name": "Vera", "text": "Can you ship ten lamps by Friday?"}]
        self.kept: dict[str, list[dict[str, str]]] = {"replies": [], "pastes": []}
        self.came = threading.Event()  # something was kept
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.takes_s = 0.0  # from keeping what came to saying so
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        guests = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (its name there)
                """Quiet."""

            def do_GET(self) -> None:
                asked = urlparse(self.path)
                self._answer(guests.look(asked.path.strip("/"), dict(parse_qsl(asked.query))))

            def do_POST(self) -> None:
                given = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self._answer(guests.keep(self.path.strip("/"), given))

            def _answer(self, value: object) -> None:
                body = json.dumps(value).encode()
                try:
                    self.send_response(200)
                    self.send_header("content-type", "application/json")
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                except OSError:
                    pass  # whoever asked is gone

        return Handler

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
