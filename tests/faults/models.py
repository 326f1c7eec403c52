"""A model that answers whoever asks it, in OpenAI's words, and can be made to keep the first who asks waiting."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


class Model:
    def __init__(self, question: str) -> None:
        """Whoever hands on this question is answered by number, and the first of them waits."""
        self._question = question
        self.asked = threading.Event()  # somebody asked for the first time
        self.may_answer = threading.Event()  # the first one
        self.count = 0
        self._lock = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()

    def words(self, given: str) -> str:
        if self._question not in given:
            return "OK"
        with self._lock:
            self.count += 1
            number = self.count
        if number == 1:
            self.asked.set()
            self.may_answer.wait(300)
        return f"answer {number}"

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        model = self

        class Handler(BaseHTTPRequestHandler):
            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (its name there)
                """Quiet."""

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"])).decode()
                words, given = model.words(body), json.loads(body)
                head: dict[str, object] = {"id": "c", "created": 1, "model": "m", "usage": None}
                try:
                    if given.get("stream"):
                        self._send("text/event-stream", _pieces(head, words))
                    else:
                        self._send("application/json", json.dumps(head | _whole(words)).encode())
                except OSError:
                    pass  # whoever asked is gone

            def do_GET(self) -> None:
                self._send("application/json", b'{"object": "list", "data": []}')

            def _send(self, kind: str, body: bytes) -> None:
                self.send_response(200)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler


def _whole(words: str) -> dict[str, object]:
    message = {"role": "assistant", "content": words}
    return {"object": "chat.completion", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}


def _pieces(head: dict[str, object], words: str) -> bytes:
    choices: tuple[dict[str, object], ...] = (
        {"delta": {"role": "assistant", "content": words}, "finish_reason": None},
        {"delta": {}, "finish_reason": "stop"},
    )
    chunks = [head | {"object": "chat.completion.chunk", "choices": [{"index": 0, **choice}]} for choice in choices]
    return b"".join(f"data: {json.dumps(chunk)}\n\n".encode() for chunk in chunks) + b"data: [DONE]\n\n"
