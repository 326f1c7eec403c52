"""Tasks and messages as each generation writes them."""

from collections.abc import Mapping

from prime.core.canonical import JSON
from prime.core.clock import iso
from prime.network.a2a.reading import Generation
from prime.network.tasks import State, Task, Turn

_STATES: Mapping[State, tuple[str, str]] = {
    "queued": ("submitted", "TASK_STATE_SUBMITTED"),
    "working": ("working", "TASK_STATE_WORKING"),
    "input-required": ("input-required", "TASK_STATE_INPUT_REQUIRED"),
    "done": ("completed", "TASK_STATE_COMPLETED"),
    "failed": ("failed", "TASK_STATE_FAILED"),
    "expired": ("failed", "TASK_STATE_FAILED"),
    "canceled": ("canceled", "TASK_STATE_CANCELED"),
}


def task_shape(
    task: Task, generation: Generation, history_length: int | None = None, *, with_artifacts: bool = True
) -> dict[str, JSON]:
    """A task. Its newest answer is the status message, and the artifact once the task is completed."""
    status: dict[str, JSON] = {
        "state": _STATES[task.state][generation == "1.0"],
        "timestamp": iso(task.updated_at),
    }
    told = task.reply if task.state in {"input-required", "done"} else _trouble(task)
    if told is not None:
        status["message"] = message_shape(told, task, generation)
    shown: dict[str, JSON] = {"id": task.id, "contextId": task.context_id, "status": status}
    if task.state == "done" and task.reply is not None and with_artifacts:
        shown["artifacts"] = [
            {"artifactId": f"{task.id}-answer", "name": "answer", "parts": [_text_part(task.reply.text, generation)]}
        ]
    turns = (
        task.turns if history_length is None else task.turns[len(task.turns) - min(history_length, len(task.turns)) :]
    )
    if turns:
        shown["history"] = [message_shape(turn, task, generation) for turn in turns]
    elif history_length != 0 and history_length is not None:
        shown["history"] = []
    if generation == "0.3":
        shown["kind"] = "task"
    return shown


def message_shape(turn: Turn, task: Task, generation: Generation) -> dict[str, JSON]:
    parts: list[JSON] = [_text_part(turn.text, generation)]
    for reference in turn.attachments:
        if generation == "1.0":
            parts.append({"url": reference.url, "filename": reference.name, "mediaType": reference.media_type})
        else:
            file = {"uri": reference.url, "name": reference.name, "mimeType": reference.media_type}
            parts.append({"kind": "file", "file": {k: v for k, v in file.items() if v}})
    shown: dict[str, JSON] = {
        "messageId": turn.message_id,
        "contextId": task.context_id,
        "taskId": task.id,
        "role": turn.role if generation == "0.3" else f"ROLE_{turn.role.upper()}",
        "parts": parts,
    }
    if generation == "0.3":
        shown["kind"] = "message"
    return shown


def _text_part(text: str, generation: Generation) -> dict[str, JSON]:
    return {"kind": "text", "text": text} if generation == "0.3" else {"text": text}


def _trouble(task: Task) -> Turn | None:
    why = "The task has run out of time." if task.state == "expired" else task.error
    return Turn(role="agent", message_id=f"{task.id}-status", text=why) if why else None
