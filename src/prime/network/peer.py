"""Other agents as seen from here: their cards, and talking to them. A Prime agent first, then A2A of either generation."""

import contextlib
import re
from dataclasses import dataclass, replace
from typing import Literal, cast
from urllib.parse import urljoin, urlsplit

from prime.core.canonical import JSON, canonical_json
from prime.core.clock import Clock
from prime.core.errors import InvalidInput, NotFound, PrimeError, Unavailable
from prime.core.http import GuardedClient, Response
from prime.core.ids import new_id, new_secret
from prime.network.a2a.card import CARD_PATH as A2A_CARD_PATH
from prime.network.directory.directory import Claim, Shown
from prime.network.names import MAX_CAPABILITIES, MAX_CAPABILITY, claimed_name, plain_name
from prime.network.signatures import HEADER, prove, sign
from prime.network.tasks import State
from prime.network.wire import CARD_PATH, MAX_TEXT, MESSAGE_PATH

MAX_CARD = 128 * 1024
MAX_ANSWER = 1024 * 1024
CARD_SECONDS = 10.0
ANSWER_SECONDS = 75.0

Speaks = Literal["prime", "a2a-1.0", "a2a-0.3"]


class NotAnAgent(NotFound):
    """There is neither card where one should be."""

    code = "no_agent_card"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """An agent that was found: what its card claims, and how it is spoken to."""

    base_url: str
    speaks: Speaks
    message_url: str
    card_id: str
    name: str
    capabilities: tuple[str, ...]
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """What is said to a peer."""

    message_id: str
    text: str
    thread_id: str
    sender_id: str
    sender_name: str
    callback_url: str | None = None
    token: str | None = None
    # Signs the message for an agent that is registered here: it can make the same key from its token.
    signing_key: str | None = None
    # A2A: the task over there that asked something, and the conversation that this one goes on with.
    task_id: str | None = None
    context_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerAnswer:
    """A reply, or a task that is asked for later."""

    state: State
    text: str | None = None
    task_id: str | None = None
    task_secret: str | None = None
    error: str | None = None
    # A2A: the conversation, as the other side calls it.
    context_id: str | None = None


class Peers:
    """Talks to others through the guarded client.

    `client` follows the instance's policy; `strict` reaches public addresses only, and is used where a card sends Prime
    to another host than its own.
    """

    def __init__(self, client: GuardedClient, strict: GuardedClient, clock: Clock) -> None:
        self._clock = clock
        self._client = client
        self._strict = strict

    async def probe(self, url: str) -> Peer:
        """Who is there. Refusals of the guarded client come through as they are."""
        base = base_of(url)
        found = await self._card(f"{base}{CARD_PATH}")
        if found is not None and str(found.get("protocol", "")).startswith("prime-message/0."):
            return _prime_peer(base, found)
        found = await self._card(f"{base}{A2A_CARD_PATH}")
        if found is not None:
            return _a2a_peer(base, found)
        raise NotAnAgent("There is no agent card at this address.", hint=f"It should be at {CARD_PATH}.")

    async def challenge(self, endpoint: str, claim: Claim | None) -> Shown:
        """What the card at an endpoint makes of a fresh challenge."""
        nonce = new_secret()
        try:
            card = await self._card(f"{endpoint}{CARD_PATH}?challenge={nonce}") or {}
        except PrimeError:
            return "nothing"
        wanted = [prove(claim.key, nonce, place) for place in claim.places] if claim else []
        if card.get("proof") in wanted:
            return "proof"
        return "echo" if card.get("challenge") == nonce else "nothing"

    async def send(self, peer: Peer, outgoing: Outgoing) -> PeerAnswer:
        if peer.speaks == "prime":
            return await self._send_prime(peer, outgoing)
        return await self._send_a2a(peer, outgoing)

    async def task(self, peer: Peer, task_id: str, secret: str | None, token: str | None) -> PeerAnswer:
        """How a task over there is doing."""
        if peer.speaks != "prime":
            call = "GetTask" if peer.speaks == "a2a-1.0" else "tasks/get"
            return _a2a_task(await self._call(peer, call, {"id": task_id}, token))
        url = urljoin(f"{peer.base_url}/", f"prime/task/{_path_safe(task_id)}")
        headers = {"Authorization": f"Bearer {secret}"} if secret else {}
        response = await self._client.request("GET", url, headers=headers, max_bytes=MAX_ANSWER)
        return _prime_task(_object(_checked(response)))

    async def _send_prime(self, peer: Peer, outgoing: Outgoing) -> PeerAnswer:
        body: dict[str, JSON] = {
            "id": outgoing.message_id,
            "from": {"id": outgoing.sender_id, "name": outgoing.sender_name},
            "text": outgoing.text,
            "threadId": outgoing.thread_id,
        }
        if outgoing.callback_url:
            body["callbackUrl"] = outgoing.callback_url
        if outgoing.task_id:
            body["taskId"] = outgoing.task_id
        content = canonical_json(body).encode()
        headers = {"Content-Type": "application/json"}
        if outgoing.token:
            headers["Authorization"] = f"Bearer {outgoing.token}"
        if outgoing.signing_key:
            headers[HEADER] = sign(outgoing.signing_key, content, self._clock.now_ms())
        response = await self._client.request(
            "POST", peer.message_url, content=content, headers=headers, max_bytes=MAX_ANSWER, timeout=ANSWER_SECONDS
        )
        answer = _object(_checked(response))
        if answer.get("type") == "task":
            return _prime_task(answer)
        text = answer.get("text")
        if answer.get("type") != "reply" or not isinstance(text, str):
            raise Unavailable("The agent answered neither with a reply nor with a task.")
        return PeerAnswer(state="done", text=text[:MAX_TEXT])

    async def _send_a2a(self, peer: Peer, outgoing: Outgoing) -> PeerAnswer:
        """Goes on where the conversation stands over there, and anew where that is over or forgotten."""
        anew = replace(outgoing, task_id=None, context_id=None)
        for attempt in dict.fromkeys([outgoing, replace(outgoing, task_id=None)]):
            if attempt != anew:
                with contextlib.suppress(PeerRefused):
                    return await self._send_a2a_once(peer, attempt)
        return await self._send_a2a_once(peer, anew)

    async def _send_a2a_once(self, peer: Peer, outgoing: Outgoing) -> PeerAnswer:
        new = peer.speaks == "a2a-1.0"
        message: dict[str, JSON] = {
            "messageId": outgoing.message_id,
            "role": "ROLE_USER" if new else "user",
            "parts": [{"text": outgoing.text} if new else {"kind": "text", "text": outgoing.text}],
        }
        if not new:
            message["kind"] = "message"
        if outgoing.task_id:
            message["taskId"] = outgoing.task_id
        if outgoing.context_id:
            message["contextId"] = outgoing.context_id
        result = await self._call(peer, "SendMessage" if new else "message/send", {"message": message}, outgoing.token)
        inner = result.get("task") or result.get("message") if new else result
        if not isinstance(inner, dict):
            raise Unavailable("The agent answered neither with a message nor with a task.")
        if "status" in inner:
            return _a2a_task(inner)
        context_id = _short(inner.get("contextId")) or None
        return PeerAnswer(state="done", text=_parts_text(inner.get("parts")), context_id=context_id)

    async def _call(self, peer: Peer, method: str, params: dict[str, JSON], token: str | None) -> dict[str, JSON]:
        same_host = _origin(peer.message_url) == _origin(peer.base_url)
        client = self._client if same_host else self._strict
        headers = {"A2A-Version": peer.speaks.removeprefix("a2a-"), "Accept": "application/json"}
        if token and same_host:
            headers["Authorization"] = f"Bearer {token}"
        body: JSON = {"jsonrpc": "2.0", "id": new_id("call"), "method": method, "params": params}
        response = await client.request(
            "POST", peer.message_url, json=body, headers=headers, max_bytes=MAX_ANSWER, timeout=ANSWER_SECONDS
        )
        answer = _object(_checked(response))
        error = answer.get("error")
        if isinstance(error, dict):
            raise PeerRefused(f"The agent answered with error {error.get('code')}.")
        result = answer.get("result")
        if not isinstance(result, dict):
            raise Unavailable("The agent's answer has no result.")
        return result

    async def _card(self, url: str) -> dict[str, JSON] | None:
        response = await self._client.request("GET", url, max_bytes=MAX_CARD, timeout=CARD_SECONDS)
        if not response.ok:
            return None
        try:
            card = response.json()
        except PrimeError:
            return None  # a page where a card should be
        return card if isinstance(card, dict) else None


class PeerRefused(PrimeError):
    """The other side will not have it; sending it again would not help."""

    code = "peer_refused"


def base_of(url: str) -> str:
    """The address that cards are under: what was given, without a card's own path, query and fragment."""
    parts = urlsplit(url.strip())
    path = re.sub(r"/(?:\.well-known/[^/]*|prime/message|a2a)?/?$", "", parts.path).rstrip("/")
    if parts.scheme not in {"http", "https"} or not parts.netloc or "@" in parts.netloc:
        raise InvalidInput(
            "url must be an http or https address.", hint="For example http://127.0.0.1:9000.", field="url"
        )
    return f"{parts.scheme}://{parts.netloc}{path}"


def _prime_peer(base: str, card: dict[str, JSON]) -> Peer:
    endpoints = card.get("endpoints")
    path = endpoints.get("message", MESSAGE_PATH) if isinstance(endpoints, dict) else MESSAGE_PATH
    url = urljoin(f"{base}/", path.lstrip("/")) if isinstance(path, str) else ""
    if not url or _origin(url) != _origin(base):
        raise NotAnAgent("The card sends messages to another host than its own.", hint="Connect to that host instead.")
    return Peer(
        base_url=base,
        speaks="prime",
        message_url=url,
        card_id=_short(card.get("id")),
        name=claimed_name(_short(card.get("name")), urlsplit(base).netloc),
        capabilities=_capabilities(card.get("capabilities")),
        kind=_short(card.get("kind")) or "agent",
    )


def _a2a_peer(base: str, card: dict[str, JSON]) -> Peer:
    speaks, url = _interface(card)
    skills = card.get("skills")
    names = [skill.get("name") for skill in skills if isinstance(skill, dict)] if isinstance(skills, list) else []
    return Peer(
        base_url=base,
        speaks=speaks,
        message_url=urljoin(f"{base}/", url),
        card_id="",
        name=claimed_name(_short(card.get("name")), urlsplit(base).netloc),
        capabilities=_capabilities(cast("JSON", names)),
        kind="agent",
    )


def _interface(card: dict[str, JSON]) -> tuple[Speaks, str]:
    """The JSON-RPC interface of the newest generation that both know."""
    older: str | None = None
    interfaces = card.get("supportedInterfaces")
    for item in interfaces if isinstance(interfaces, list) else []:
        if not isinstance(item, dict) or item.get("protocolBinding") != "JSONRPC":
            continue
        url, version = item.get("url"), str(item.get("protocolVersion") or "1.0")
        if isinstance(url, str) and version.startswith("1."):
            return "a2a-1.0", url
        if isinstance(url, str) and version.startswith("0.3"):
            older = older or url
    url = card.get("url")
    if older is None and isinstance(url, str) and card.get("preferredTransport", "JSONRPC") == "JSONRPC":
        older = url
    if older is None:
        raise NotAnAgent("The agent card names no JSON-RPC interface of A2A 0.3 or 1.0.")
    return "a2a-0.3", older


def _prime_task(body: dict[str, JSON]) -> PeerAnswer:
    known: dict[str, State] = {
        "queued": "working", "working": "working", "input-required": "input-required", "done": "done",
        "failed": "failed", "expired": "expired",
    }  # fmt: skip
    task_id, text, secret = body.get("taskId"), body.get("text"), body.get("taskSecret")
    if not isinstance(task_id, str) or not task_id:
        raise Unavailable("The agent's task has no id.")
    return PeerAnswer(
        state=known.get(str(body.get("state", "working")), "working"),
        text=text[:MAX_TEXT] if isinstance(text, str) else None,
        task_id=task_id[:200],
        task_secret=secret[:200] if isinstance(secret, str) else None,
        error=_short(body.get("error")) or None,
    )


def _a2a_task(task: dict[str, JSON]) -> PeerAnswer:
    status = task.get("status")
    fields = status if isinstance(status, dict) else {}
    state = str(fields.get("state", "")).lower().removeprefix("task_state_").replace("_", "-")
    known: dict[str, State] = {
        "completed": "done", "failed": "failed", "rejected": "failed", "canceled": "failed",
        "input-required": "input-required", "auth-required": "failed",
    }  # fmt: skip
    message = fields.get("message")
    text = _parts_text(message.get("parts")) if isinstance(message, dict) else ""
    return PeerAnswer(
        state=known.get(state, "working"),
        text=_artifacts_text(task.get("artifacts")) or text or None,
        task_id=_short(task.get("id")) or None,
        context_id=_short(task.get("contextId")) or None,
        error=text or None if known.get(state) == "failed" else None,
    )


def _artifacts_text(artifacts: JSON) -> str:
    found = (
        [_parts_text(a.get("parts")) for a in artifacts if isinstance(a, dict)] if isinstance(artifacts, list) else []
    )
    return "\n".join(text for text in found if text)[:MAX_TEXT]


def _parts_text(parts: JSON) -> str:
    texts = [part.get("text") for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []
    return "\n".join(text for text in texts if isinstance(text, str))[:MAX_TEXT]


def _checked(response: Response) -> Response:
    if response.ok:
        return response
    if response.status in {408, 425, 429} or response.status >= 500:
        raise Unavailable(f"The agent answered {response.status}.", hint="Try again later.")
    raise PeerRefused(f"The agent answered {response.status}.")


def _object(response: Response) -> dict[str, JSON]:
    body = response.json()
    if not isinstance(body, dict):
        raise Unavailable("The agent's answer is no JSON object.")
    return body


def _capabilities(value: JSON) -> tuple[str, ...]:
    """Those that may be shown; the rest of a card is not taken over at all."""
    names: list[str] = []
    for item in value if isinstance(value, list) else []:
        with contextlib.suppress(InvalidInput):
            names.append(plain_name(item if isinstance(item, str) else "", "capabilities", MAX_CAPABILITY))
    return tuple(dict.fromkeys(names))[:MAX_CAPABILITIES]


def _short(value: JSON) -> str:
    return value[:200] if isinstance(value, str) else ""


def _origin(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _path_safe(task_id: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._~-]{1,200}", task_id):
        raise PeerRefused("The agent's task id cannot be asked for.")
    return task_id
