"""What the profile needs of X: who I am, what is new for me, and sending. The real client speaks API v2."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, cast

from prime.connectors.rest import Rest
from prime.core.canonical import JSON
from prime.core.errors import InvalidInput
from prime.hub.gate.senders import Unsure

Where = Literal["post", "dm"]
PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """A mention, a reply or a direct message. `thread` is the conversation that it stands in."""

    id: str
    where: Where
    thread: str
    author_id: str
    author: str
    text: str
    own: bool = False


@dataclass(frozen=True, slots=True)
class Account:
    id: str
    name: str


class XClient(Protocol):
    async def me(self) -> Account: ...

    async def mentions(self, me: Account, since: str | None) -> Sequence[Post]:
        """Mentions of and replies to the owner behind `since`, oldest first."""
        ...

    async def messages(self, me: Account) -> Sequence[Post]:
        """Direct messages of late, oldest first, the owner's own among them."""
        ...

    async def own_posts(self, me: Account) -> Sequence[Post]: ...

    async def reply(self, post_id: str, text: str) -> str: ...

    async def message(self, thread: str, text: str) -> str: ...


class XApi:
    """API v2 with the owner's token."""

    def __init__(self, rest: Rest) -> None:
        self._rest = rest

    async def me(self) -> Account:
        data = _object(_object(await self._rest.get("/2/users/me")).get("data"))
        if not data.get("id"):
            raise InvalidInput("X does not say whose token this is.", hint="It must be a user's token.", field="token")
        return Account(str(data["id"]), f"@{data.get('username', '')}")

    async def mentions(self, me: Account, since: str | None) -> list[Post]:
        answer = await self._rest.get(
            f"/2/users/{me.id}/mentions",
            since_id=since,
            max_results=PAGE,
            expansions="author_id",
            **{"tweet.fields": "conversation_id,author_id,created_at"},
        )
        return [post for post in reversed(_posts(answer, me)) if not post.own]

    async def messages(self, me: Account) -> list[Post]:
        answer = await self._rest.get(
            "/2/dm_events",
            max_results=PAGE,
            event_types="MessageCreate",
            expansions="sender_id",
            **{"dm_event.fields": "id,text,sender_id,dm_conversation_id,created_at"},
        )
        names = _names(answer)
        found = [
            Post(
                id=str(item.get("id")),
                where="dm",
                thread=str(item.get("dm_conversation_id")),
                author_id=str(item.get("sender_id")),
                author=names.get(str(item.get("sender_id")), "Someone on X"),
                text=str(item.get("text") or ""),
                own=str(item.get("sender_id")) == me.id,
            )
            for item in _list(_object(answer).get("data"))
        ]
        return list(reversed(found))

    async def own_posts(self, me: Account) -> list[Post]:
        query = {"tweet.fields": "conversation_id,author_id"}
        return _posts(await self._rest.get(f"/2/users/{me.id}/tweets", max_results=PAGE, **query), me)

    async def reply(self, post_id: str, text: str) -> str:
        return _id(await self._rest.post("/2/tweets", {"text": text, "reply": {"in_reply_to_tweet_id": post_id}}), "id")

    async def message(self, thread: str, text: str) -> str:
        answer = await self._rest.post(f"/2/dm_conversations/{thread}/messages", {"text": text})
        return _id(answer, "dm_event_id")


async def find_own(client: XClient, text: str, *, thread: str, where: Where) -> str | None:
    """A post or message of the owner's with this text; `Unsure` when there is none, as X shows new ones late."""
    me = await client.me()
    posts = await client.messages(me) if where == "dm" else await client.own_posts(me)
    for post in posts:
        if post.own and post.text.endswith(text) and (where == "post" or post.thread == thread):
            return post.id
    raise Unsure


def _posts(answer: JSON, me: Account) -> list[Post]:
    names = _names(answer)
    return [
        Post(
            id=str(item.get("id")),
            where="post",
            thread=str(item.get("conversation_id") or item.get("id")),
            author_id=str(item.get("author_id")),
            author=names.get(str(item.get("author_id")), "Someone on X"),
            text=str(item.get("text") or ""),
            own=str(item.get("author_id")) == me.id,
        )
        for item in _list(_object(answer).get("data"))
        if str(item.get("id")).isdecimal()
    ]


def _names(answer: JSON) -> dict[str, str]:
    users = _list(_object(_object(answer).get("includes")).get("users"))
    return {str(user.get("id")): str(user.get("name") or user.get("username") or "Someone on X") for user in users}


def _id(answer: JSON, key: str) -> str:
    return str(_object(_object(answer).get("data")).get(key) or "")


def _object(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


def _list(value: object) -> list[dict[str, object]]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [_object(item) for item in items]
