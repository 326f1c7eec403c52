"""A2A of both generations against the real app, by hand and by the official client."""

import base64
from collections.abc import Mapping
from typing import Any

import httpx2
import pytest

pytestmark = pytest.mark.holds("D-HUB-11")


def message(generation: str, text: str = "Hello", **more: object) -> dict[str, Any]:
    if generation == "1.0":
        return {"messageId": f"m-{text}", "role": "ROLE_USER", "parts": [{"text": text}], **more}
    return {
        "kind": "message", "messageId": f"m-{text}", "role": "user", "parts": [{"kind": "text", "text": text}], **more,
    }  # fmt: skip


SEND = {"0.3": "message/send", "1.0": "SendMessage"}
GET = {"0.3": "tasks/get", "1.0": "GetTask"}
CANCEL = {"0.3": "tasks/cancel", "1.0": "CancelTask"}
STATES = {
    "0.3": {"asks": "input-required", "canceled": "canceled"},
    "1.0": {"asks": "TASK_STATE_INPUT_REQUIRED", "canceled": "TASK_STATE_CANCELED"},
}


async def call(
    client: Any, method: str, params: object, version: str | None = None, **more: object
) -> Mapping[str, Any]:
    headers = {} if version is None else {"A2A-Version": version}
    body = {"jsonrpc": "2.0", "id": "7", "method": method, "params": params, **more}
    answer = await client.post("/a2a", json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    assert answer.json()["jsonrpc"] == "2.0"
    return answer.json()


@pytest.fixture
async def client(instance: Any):
    return instance.stranger


@pytest.mark.parametrize("generation", ["0.3", "1.0"])
async def test_a_conversation_is_continued_read_and_cancelled(client: Any, generation: str) -> None:
    first = await call(client, SEND[generation], {"message": message(generation)}, generation)
    task = first["result"]["task"] if generation == "1.0" else first["result"]
    assert first["id"] == "7"
    assert task["status"]["state"] == STATES[generation]["asks"]
    assert [m["role"] for m in task["history"]] == (
        ["ROLE_USER", "ROLE_AGENT"] if generation == "1.0" else ["user", "agent"]
    )
    more = message(generation, "And more", taskId=task["id"])
    second = await call(client, SEND[generation], {"message": more}, generation)
    again = second["result"]["task"] if generation == "1.0" else second["result"]
    assert (again["id"], again["contextId"]) == (task["id"], task["contextId"])

    got = (await call(client, GET[generation], {"id": task["id"]}, generation))["result"]
    assert len(got["history"]) == 4
    assert [m["parts"][0]["text"] for m in got["history"]][::2] == ["Hello", "And more"]
    for spelling in ("historyLength", "history_length"):
        short = (await call(client, GET[generation], {"id": task["id"], spelling: 1}, generation))["result"]
        assert len(short["history"]) == 1
    none = (await call(client, GET[generation], {"id": task["id"], "historyLength": 0}, generation))["result"]
    assert "history" not in none

    ended = (await call(client, CANCEL[generation], {"id": task["id"]}, generation))["result"]
    assert ended["status"]["state"] == STATES[generation]["canceled"]
    twice = await call(client, CANCEL[generation], {"id": task["id"]}, generation)
    assert twice["error"]["code"] == -32002
    late = await call(client, SEND[generation], {"message": message(generation, "Late", taskId=task["id"])}, generation)
    assert late["error"]["code"] == -32004


@pytest.mark.parametrize("generation", ["0.3", "1.0"])
async def test_the_same_message_twice_is_one(client: Any, generation: str) -> None:
    params = {"message": message(generation, contextId="one")}
    first = await call(client, SEND[generation], params, generation)
    assert (await call(client, SEND[generation], params, generation))["result"] == first["result"]


@pytest.mark.parametrize("generation", ["0.3", "1.0"])
async def test_the_same_id_said_elsewhere_is_another_message(client: Any, generation: str) -> None:
    async def send(**more: Any) -> Mapping[str, Any]:
        answer = await call(client, SEND[generation], {"message": message(generation, **more)}, generation)
        assert "result" in answer, answer
        return answer["result"]["task"] if generation == "1.0" else answer["result"]

    here = await send()
    there = await send(contextId="there")
    assert (there["contextId"], there["id"] != here["id"]) == ("there", True)
    assert (await send(contextId="there"))["id"] == there["id"]
    again = await send(taskId=there["id"])
    assert (again["id"], len(again["history"])) == (there["id"], 2)  # it began this very task
    more = message(generation, "More")
    for task in (here, there, here):
        got = await send(**{**more, "taskId": task["id"]})
        assert (got["id"], len(got["history"])) == (task["id"], 4)
    # What was called off may be said again, and is a task of its own.
    await call(client, CANCEL[generation], {"id": here["id"]}, generation)
    anew = await send()
    assert (anew["id"] != here["id"], anew["status"]["state"]) == (True, STATES[generation]["asks"])
    assert (await send())["id"] == anew["id"]


async def test_who_has_the_id_goes_on_from_another_address(instance: Any) -> None:
    task = (await call(instance.stranger, "SendMessage", {"message": message("1.0")}, "1.0"))["result"]["task"]
    more = {"message": message("1.0", "From the train", taskId=task["id"])}
    transport = httpx2.ASGITransport(app=instance.prime.app, client=("203.0.113.99", 1234))
    async with httpx2.AsyncClient(transport=transport, base_url="http://prime.example:8787") as elsewhere:
        for _ in range(2):
            got = (await call(elsewhere, "SendMessage", more, "1.0"))["result"]["task"]
            assert (got["id"], len(got["history"])) == (task["id"], 4)


def wrong_sendings() -> list[tuple[dict[str, Any], int]]:
    def said(**changes: object) -> dict[str, Any]:
        return {"message": {**message("0.3"), **changes}}

    def part(**fields: object) -> dict[str, Any]:
        return said(parts=[fields])

    return [
        ({**said(), "configuration": []}, -32602),
        ({**said(), "configuration": {"blocking": "no"}}, -32602),
        ({**said(), "configuration": {"returnImmediately": 1}}, -32602),
        ({**said(), "configuration": {"acceptedOutputModes": "text/plain"}}, -32602),
        ({**said(), "configuration": {"acceptedOutputModes": [5]}}, -32602),
        ({**said(), "metadata": "x"}, -32602),
        (said(metadata=[]), -32602),
        (said(referenceTaskIds="x"), -32602),
        (said(extensions=[1]), -32602),
        (said(kind="task"), -32602),
        (said(role="agent"), -32602),
        (said(messageId=""), -32602),
        (said(contextId=5), -32602),
        (said(parts=[]), -32602),
        (part(), -32602),
        (part(kind="file", text="x"), -32602),
        (part(kind="video", text="x"), -32602),
        (part(kind="text", text="x", metadata=1), -32602),
        (part(kind="file", file={}), -32602),
        (part(kind="file", file={"uri": "https://a.example/b", "bytes": "aGk="}), -32602),
        (part(kind="file", file={"bytes": "aGk=", "mimeType": "application/x-odd"}), -32005),
        (part(kind="text", text="x", mediaType="application/x-odd"), -32005),
    ]


async def test_what_is_sent_is_checked_before_anything_is_done(instance: Any) -> None:
    head = await instance.prime.parts.store.log.head()
    for params, code in wrong_sendings():
        answer = await call(instance.stranger, "message/send", params, "0.3")
        assert answer.get("error", {}).get("code") == code, (params, answer)
    assert await instance.prime.parts.store.log.head() == head


async def test_messages_of_errors_begin_with_what_the_code_means(client: Any) -> None:
    wanted = {
        ("message/stream", "0.3"): "This operation is not supported: message/stream.",
        ("tasks/pushNotificationConfig/set", "0.3"): "Push notification is not supported",
        ("no/such", "0.3"): "Method not found: no/such",
        ("GetTask", "1.0"): "Invalid parameters: id",
        ("GetExtendedAgentCard", "1.0"): "This operation is not supported",
    }
    for (method, version), words in wanted.items():
        assert (await call(client, method, {}, version))["error"]["message"].startswith(words)
    missing = (await call(client, "GetTask", {"id": "nobody"}, "1.0"))["error"]["message"]
    assert missing.startswith("Task not found")


MISTAKES = [
    (b'{"jsonrpc": "2.0", "method": "message/send"', -32700),
    (b"[]", -32600),
    (b'[{"jsonrpc": "2.0", "method": "message/send"}]', -32600),
    (b'{"jsonrpc": "1.0", "method": "message/send", "params": {}}', -32600),
    (b'{"method": "message/send", "params": {}}', -32600),
    (b'{"jsonrpc": "2.0", "params": {}}', -32600),
    (b'{"jsonrpc": "2.0", "method": 5}', -32600),
    (b'{"jsonrpc": "2.0", "method": "message/send", "params": {}, "id": {"bad": 1}}', -32600),
    (b'{"jsonrpc": "2.0", "method": "message/send", "params": {}, "id": true}', -32600),
    (b'{"jsonrpc": "2.0", "method": "nonexistent/method", "params": {}}', -32601),
    (b'{"jsonrpc": "2.0", "method": "message/send", "params": []}', -32602),
    (b'{"jsonrpc": "2.0", "method": "message/send", "params": {"": "x"}}', -32602),
    (b'{"jsonrpc": "2.0", "method": "message/send", "params": {"message": {"parts": "invalid"}}}', -32602),
    (b'{"jsonrpc": "2.0", "method": "tasks/get", "params": {"id": 7}}', -32602),
    (b'{"jsonrpc": "2.0", "method": "tasks/get", "params": {"id": "x", "historyLength": -1}}', -32602),
    (b'{"jsonrpc": "2.0", "method": "tasks/get", "params": {"id": "x", "historyLength": "2"}}', -32602),
    (b'{"jsonrpc": "2.0", "method": "tasks/get", "params": {"id": "nobody"}}', -32001),
    (b'{"jsonrpc": "2.0", "method": "tasks/cancel", "params": {"id": "nobody"}}', -32001),
    (b'{"jsonrpc": "2.0", "method": "message/stream", "params": {}}', -32004),
    (b'{"jsonrpc": "2.0", "method": "tasks/pushNotificationConfig/set", "params": {}}', -32003),
    (b'{"jsonrpc": "2.0", "method": "agent/getAuthenticatedExtendedCard"}', -32007),
    (b'{"jsonrpc": "2.0", "method": "GetExtendedAgentCard"}', -32004),
    (b"\xff\xfe", -32700),
    (b"", -32700),
    (b"[" * 100_000, -32600),
    (b'{"jsonrpc": "2.0", "method": "x", "params": {"a": "' + b"x" * 1_100_000 + b'"}}', -32600),
]


async def test_every_mistake_has_its_code_with_status_200(client: Any) -> None:
    for raw, code in MISTAKES:
        answer = await client.post("/a2a", content=raw, headers={"content-type": "application/json"})
        assert answer.status_code == 200
        body = answer.json()
        assert body["error"]["code"] == code, raw[:100]
        assert set(body["error"]) <= {"code", "message", "data"}
        assert "result" not in body


async def test_a_call_without_an_id_is_answered_with_null_for_it(client: Any) -> None:
    for body in (
        {"jsonrpc": "2.0", "method": "SendMessage", "params": {"message": message("1.0")}},
        {"jsonrpc": "2.0", "method": "GetTask", "params": {"id": "nobody"}, "id": None},
    ):
        answer = await client.post("/a2a", json=body, headers={"A2A-Version": "1.0"})
        assert answer.status_code == 200
        assert answer.json()["id"] is None
        assert ("result" in answer.json()) == (body["method"] == "SendMessage")


async def test_too_often_is_said_in_the_protocol_s_own_form(client: Any) -> None:
    body = {"jsonrpc": "2.0", "id": "mine", "method": "GetTask", "params": {"id": "nobody"}}
    answer = await client.post("/a2a", json=body)
    for _ in range(200):
        if answer.status_code != 200:
            break
        answer = await client.post("/a2a", json=body)
    assert (answer.status_code, answer.headers["retry-after"] >= "1") == (429, True)
    assert (answer.json()["id"], answer.json()["error"]["code"]) == ("mine", -32000)


async def test_the_version_header_decides(client: Any) -> None:
    send = {"message": message("1.0")}
    assert (await call(client, "SendMessage", send, "99.0"))["error"]["code"] == -32009
    assert (await call(client, "SendMessage", send, "nonsense"))["error"]["code"] == -32009
    assert (await call(client, "SendMessage", send, "9" * 5000))["error"]["code"] == -32009
    # The id is known, whatever else is wrong.
    assert (await call(client, "SendMessage", send, "99.0"))["id"] == "7"
    assert (await call(client, "SendMessage", send, "1.1"))["error"]["code"] == -32009
    assert (await call(client, "SendMessage", send, "0.3"))["error"]["code"] == -32601
    assert (await call(client, "message/send", {"message": message("0.3")}, "1.0"))["error"]["code"] == -32601
    assert "task" in (await call(client, "SendMessage", send, "1.0.3"))["result"]
    assert "task" in (await call(client, "SendMessage", send, ""))["result"]
    assert (await call(client, "message/send", {"message": message("0.3")}))["result"]["kind"] == "task"


async def test_content_types_that_are_not_taken(client: Any) -> None:
    body = b'{"jsonrpc": "2.0", "id": 1, "method": "SendMessage", "params": {}}'
    for wrong in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        answer = await client.post("/a2a", content=body, headers={"content-type": wrong, "A2A-Version": "1.0"})
        assert answer.status_code == 200
        assert answer.json()["error"]["code"] == -32005
        assert answer.json()["id"] == 1
    no_json = await client.post("/a2a", content=b"{'id': 1}", headers={"content-type": "text/plain"})
    assert no_json.json()["error"]["code"] == -32005
    part = {"raw": "dGNr", "mediaType": "application/x-unsupported"}
    odd = {"messageId": "m", "role": "ROLE_USER", "parts": [part]}
    assert (await call(client, "SendMessage", {"message": odd}, "1.0"))["error"]["code"] == -32005
    modes = {"message": message("1.0"), "configuration": {"acceptedOutputModes": ["video/mp4"]}}
    assert (await call(client, "SendMessage", modes, "1.0"))["error"]["code"] == -32005


@pytest.mark.parametrize("generation", ["0.3", "1.0"])
async def test_a_file_in_bytes_is_kept_as_it_came_and_read(instance: Any, generation: str) -> None:
    content = b"month,price\n2026-03,42\n2026-04,45\n"
    raw = base64.b64encode(content).decode()
    old = {"kind": "file", "file": {"bytes": raw, "name": "prices.csv", "mimeType": "text/csv"}}
    new = {"raw": raw, "filename": "prices.csv", "mediaType": "text/csv"}
    sent = message(generation, "Here are the prices")
    sent["parts"].append(old if generation == "0.3" else new)
    answer = await call(instance.stranger, SEND[generation], {"message": sent}, generation)
    assert "result" in answer, answer
    store, notes = instance.prime.parts.store, instance.prime.parts.brain.notes
    said = next(m for m in await store.log.after(0) if m.text == "Here are the prices")
    [attachment_id] = said.body["attachmentIds"]
    attachment = await store.attachments.get(attachment_id)
    assert (attachment.name, await store.attachments.content(attachment)) == ("prices.csv", content)
    await notes.catch_up()
    note = await store.log.get(await notes.note_of(attachment_id))
    assert (note.kind, note.channel_id) == ("note", said.channel_id)
    assert "price" in note.text
    # Nobody outside can have it, and what is no base64 is no file.
    assert (await instance.stranger.get(f"/api/attachments/{attachment_id}")).status_code == 401
    sent["parts"][-1] = {"raw": "§", "filename": "x.png", "mediaType": "image/png"}
    refused = await call(
        instance.stranger, "SendMessage", {"message": {**message("1.0"), "parts": sent["parts"]}}, "1.0"
    )
    assert refused["error"]["code"] == -32602


async def test_errors_of_1_0_carry_error_info(client: Any) -> None:
    error = (await call(client, "GetTask", {"id": "nobody"}, "1.0"))["error"]
    assert error["data"] == [
        {
            "@type": "type.googleapis.com/google.rpc.ErrorInfo",
            "reason": "TASK_NOT_FOUND",
            "domain": "a2a-protocol.org",
            "metadata": {},
        }
    ]


async def test_a_context_that_is_not_the_tasks_own_is_refused(client: Any) -> None:
    task = (await call(client, "SendMessage", {"message": message("1.0")}, "1.0"))["result"]["task"]
    wrong = message("1.0", "x", taskId=task["id"], contextId="another")
    assert (await call(client, "SendMessage", {"message": wrong}, "1.0"))["error"]["code"] == -32602
    unknown = message("1.0", "y", taskId="task_unknown")
    assert (await call(client, "SendMessage", {"message": unknown}, "1.0"))["error"]["code"] == -32001


async def test_a_context_is_kept_as_the_client_names_it(client: Any) -> None:
    sent = {"message": message("1.0", contextId="my-context")}
    assert (await call(client, "SendMessage", sent, "1.0"))["result"]["task"]["contextId"] == "my-context"


async def test_unknown_fields_are_ignored(client: Any) -> None:
    sent = {"message": message("1.0", odd=1), "extra": 42}
    assert "task" in (await call(client, "SendMessage", sent, "1.0"))["result"]


async def test_tasks_are_listed_newest_first_in_pages(client: Any) -> None:
    ids: list[str] = []
    for number in range(3):
        sent = {"message": message("1.0", f"n{number}", contextId="listed")}
        ids.append((await call(client, "SendMessage", sent, "1.0"))["result"]["task"]["id"])
    first = (await call(client, "ListTasks", {"contextId": "listed", "pageSize": 2}, "1.0"))["result"]
    assert (first["totalSize"], first["pageSize"], len(first["tasks"])) == (3, 2, 2)
    assert all("artifacts" not in task and "history" not in task for task in first["tasks"])
    wanted = {"contextId": "listed", "pageSize": 2, "pageToken": first["nextPageToken"]}
    rest = (await call(client, "ListTasks", wanted, "1.0"))["result"]
    assert rest["nextPageToken"] == ""
    assert [t["id"] for t in [*first["tasks"], *rest["tasks"]]] == ids[::-1]
    for wrong in ({"pageSize": 0}, {"pageSize": 101}, {"pageToken": "!"}, {"status": "x"}, {"historyLength": -1},
                  {"pageToken": "MTI6"}, {"includeArtifacts": "yes"}, {"statusTimestampAfter": "2026-01-31T09:12:00"},
                  {"statusTimestampAfter": "yesterday"}):  # fmt: skip
        assert (await call(client, "ListTasks", wrong, "1.0"))["error"]["code"] == -32602
    since = first["tasks"][1]["status"]["timestamp"]
    later = (await call(client, "ListTasks", {"contextId": "listed", "statusTimestampAfter": since}, "1.0"))["result"]
    assert [t["id"] for t in later["tasks"]][:2] == ids[::-1][:2]
    # A stranger is not told about conversations that it does not name.
    assert (await call(client, "ListTasks", {}, "1.0"))["result"]["tasks"] == []


async def test_returning_at_once_and_asking_later(instance: Any) -> None:
    sent = {"message": message("1.0"), "configuration": {"returnImmediately": True}}
    task = (await call(instance.stranger, "SendMessage", sent, "1.0"))["result"]["task"]
    assert task["status"]["state"] in {"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED"}
    await instance.prime.parts.network.desk.quiet()
    got = (await call(instance.stranger, "GetTask", {"id": task["id"]}, "1.0"))["result"]
    assert got["status"]["state"] == "TASK_STATE_INPUT_REQUIRED"


async def test_one_card_for_both_generations(open_instance: Any) -> None:
    card = (await (await open_instance()).stranger.get("/.well-known/agent-card.json")).json()
    assert card["protocolVersion"] == "0.3.0"
    assert card["url"] == "http://prime.example:8787/a2a"
    assert {i["protocolVersion"] for i in card["supportedInterfaces"]} == {"1.0", "0.3"}
    # A program that looks for a card of another protocol is not shown the page.
    assert (await (await open_instance("other")).stranger.get("/.well-known/agent.json")).status_code in {401, 404}
    pure = await open_instance("pure", a2a_pure=True)
    alone = (await pure.stranger.get("/.well-known/agent-card.json")).json()
    assert {"url", "protocolVersion", "preferredTransport"}.isdisjoint(alone)
    assert [i["protocolVersion"] for i in alone["supportedInterfaces"]] == ["1.0"]
