"""A model that answers whoever asks it, in OpenAI's words, and can be made to keep the first who asks waiting."""

import json
import threading

from tests.faults.elsewhere import Answer, Asked, Elsewhere


class Model(Elsewhere):
    def __init__(self, question: str) -> None:
        """Whoever hands on this question is answered by number, and the first of them waits."""
        super().__init__()
        self.url += "/v1"
        self._question = question
        self.asked = threading.Event()  # somebody asked for the first time
        self.may_answer = threading.Event()  # the first one
        self.count = 0
        self._lock = threading.Lock()

    def __exit__(self, *why: object) -> None:
        self.may_answer.set()
        super().__exit__(*why)

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

    def answer(self, asked: Asked) -> Answer:
        if asked.method == "GET":
            return Answer("application/json", b'{"object": "list", "data": []}')
        words = self.words(asked.body)
        head: dict[str, object] = {"id": "c", "created": 1, "model": "m", "usage": None}
        if json.loads(asked.body).get("stream"):
            return Answer("text/event-stream", _pieces(head, words))
        return Answer("application/json", json.dumps(head | _whole(words)).encode())


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
