"""What waits for the owner, as a person answers it from the terminal: by a short number and a letter."""

import shlex
from string import ascii_lowercase
from typing import cast

from prime.cli.client import Client
from prime.cli.output import folded
from prime.core.errors import InvalidInput
from prime.core.visible import visible

Shown = dict[str, object]

APPROVAL = ("yes", "no", "always")


class Waiting:
    """Questions by their numbers, which they keep while somebody looks on."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._questions: dict[str, Shown] = {}
        self._explained = False

    async def look(self) -> list[Shown]:
        """What waits now, oldest first."""
        pending = cast("list[Shown]", (await self._client.get("/api/questions", status="pending"))["items"])
        known = {question["id"] for question in self._questions.values()}
        for question in pending:
            if question["id"] not in known:
                self._questions[str(len(self._questions) + 1)] = question
        return pending

    def shown(self, question: Shown, where: str) -> str:
        """A question with its number and the answers that lie near."""
        number = next(number for number, each in self._questions.items() if each["id"] == question["id"])
        label = f"ask {number}".ljust(9)
        offered = zip(ascii_lowercase, _suggestions(question), strict=False)
        lines = [
            f"{where}: {question['text']}",
            call_line(question),
            "   ".join(f"{letter}) {text}" for letter, text in offered),
        ]
        if not self._explained:
            self._explained = True
            lines.append(
                f"/{number} a takes an answer, /{number} and your own words give another; /rule {number} … makes it a rule."
            )
        return folded(label, "\n".join(line for line in lines if line))

    async def answer(self, line: str) -> Shown | None:
        """What comes of `/3 b`, `/answer 3 words`, `/rule 3 words`; None when the line is none of them."""
        command, _, rest = line.strip().partition(" ")
        if command.removeprefix("/").isdecimal() and command.startswith("/"):
            command, rest = "/answer", f"{command[1:]} {rest}"
        if command not in {"/answer", "/rule"}:
            return None
        name, _, words = rest.strip().partition(" ")
        if not name or not words.strip():
            raise InvalidInput(f"{command} needs a question and an answer.", hint=f"For example: {command} 1 Yes.")
        return await self._give(name, words.strip(), make_rule=command == "/rule")

    async def _give(self, name: str, words: str, *, make_rule: bool) -> Shown:
        await self.look()
        question = self._questions.get(name, {})
        if name.isdecimal() and not question:
            raise InvalidInput(f"Nothing waits under {name}.", hint="An empty line shows what waits.")
        question_id = question.get("id", name)
        answer = _chosen(question, words)
        if question.get("kind") == "approval":
            body: Shown = {"choice": answer.lower().rstrip(".!")}
        else:
            body = {"text": answer, "makeRule": make_rule}
        settled = await self._client.post(f"/api/questions/{question_id}/answer", body)
        rule = cast("Shown | None", settled.get("rule"))
        told = f"Told: {answer}" + (" No rule was made of it; the hub's room says why." if body.get("makeRule") else "")
        return {"text": f"Learned: {rule['text']}" if rule else told, **settled}


def call_line(question: Shown) -> str:
    """What would run, if that is asked: all of it, as a person can take it at its word."""
    call = cast("Shown", question.get("call") or {})
    return visible(shlex.join(cast("list[str]", call.get("words") or [])))


def _suggestions(question: Shown) -> list[str]:
    offered = cast("list[str]", question.get("suggestions") or [])
    return list(APPROVAL) if question.get("kind") == "approval" else offered


def _chosen(question: Shown, words: str) -> str:
    """The suggestion that a letter stands for, else the words themselves."""
    offered = dict(zip(ascii_lowercase, _suggestions(question), strict=False))
    return offered.get(words.lower(), words)
