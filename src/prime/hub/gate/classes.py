"""Classes of replies: what an approval teaches, and whether a candidate is of a class that was approved.

The rule over words is `prime.core.classes`. Here it is made more careful by what words alone do not say: a reply that
turns a yes into a no, names another sum, or brings in a link is not the reply that the owner has seen, and a reply to
something that has no word in common with what was answered before is about something else.
"""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass

from prime.core.classes import Match, Profile, match_profiles, profile
from prime.core.errors import NotFound
from prime.hub.gate import queries
from prime.hub.gate.queries import GATE
from prime.hub.gate.records import Draft, ReplyClass
from prime.rooms.records import OWNER, PRIME
from prime.store.message import NewMessage
from prime.store.store import Store

# Longer candidates are not compared: nothing that long is a reply of a kind.
MOST_WORDS = 400

_NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|unable|refuse[ds]?|declin\w*|cancel\w*|reject\w*)\b"
    r"|n['’]t\b|[不没無无非未勿莫别]|拒绝|取消|ません|ない|안\s|못\s|않|없",
    re.IGNORECASE,
)
_MONEY = re.compile(
    r"[$€£¥₩₹]\s?\d[\d,.]*|(?<!\d)(?<!\d[,.])\d[\d,.]*+\s?(?:[$€£¥₩₹]|(?:eur|usd|gbp|cny|rmb|jpy|chf|btc|eth)\b|euros?\b|dollars?\b|元|块|万|円|원|%)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"(?:https?://|www\.)\S+|(?<!\S)[^\s@]*+@\S*\w|@\w{3,}|(?<![\w-])[\w-]+\.(?:com|net|org|io|me|app|cn|de)\b",
    re.IGNORECASE,
)
_LONG_NUMBER = re.compile(r"(?:\d[ -]?){9,}")  # accounts, cards, telephones


@dataclass(frozen=True, slots=True)
class Found:
    """The class that a candidate is of, and why."""

    reply_class: ReplyClass
    match: Match


class Classes:
    """Reads and revokes what was learned; `Drafts` teaches, with the record of the send."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def page(self, *, before: int | None = None, limit: int = 50) -> list[tuple[int, ReplyClass]]:
        """Newest first, each with its place; revoked ones too, marked as such."""
        return await self._store.projector.read(lambda c: queries.read_classes(c, before=before, limit=limit), GATE)

    async def get(self, class_id: str) -> ReplyClass:
        found = await self._store.projector.read(lambda c: queries.read_class(c, class_id), GATE)
        if found is None:
            raise NotFound(f"There is no class {class_id}.", classId=class_id)
        return found

    async def revoke(self, class_id: str) -> ReplyClass:
        """Replies of this class wait for approval again."""
        found = await self.get(class_id)
        if found.active:
            draft = await self._store.projector.read(lambda c: queries.read_draft(c, found.from_draft_id), GATE)
            channel_id = draft.channel_id if draft else "ch_hub"
            body = {"op": "revoked", "classId": class_id}
            await self._store.log.append(
                NewMessage(channel_id=channel_id, actor_id=OWNER, kind="gate", audience="hub", body=body)
            )
        return await self.get(class_id)

    async def find(
        self, text: str, *, connector: str, scope: str, trigger: str = "", names: Sequence[str] = ()
    ) -> Found | None:
        """The active class that a candidate fits best."""
        wanted = profile(text, names=names)
        if len(wanted.specific) > MOST_WORDS:
            return None
        words = sorted(wanted.specific)
        rivals = await self._store.projector.read(
            lambda c: queries.read_rivals(c, connector=connector, scope=scope, words=words), GATE
        )
        best: Found | None = None
        for rival, taught in rivals:
            match = match_profiles(wanted, taught)
            if match is None or not same_stance(text, rival.text) or not same_subject(trigger, rival.trigger, names):
                continue
            if best is None or match.cover > best.match.cover:
                best = Found(rival, match)
        return best


def taught(draft: Draft, text: str) -> NewMessage:
    """The record of what an approval teaches: the words that were sent, edited ones if they were edited."""
    seen = profile(text, names=draft.names)
    digest = hashlib.sha256(f"{draft.connector}\x00{draft.scope}\x00{text}".encode()).hexdigest()
    return NewMessage(
        channel_id=draft.channel_id,
        actor_id=PRIME,
        kind="gate",
        audience="hub",
        text=text,
        body={
            "op": "taught",
            "classId": f"cls_{digest[:20]}",
            "draftId": draft.id,
            "connector": draft.connector,
            "scope": draft.scope,
            "trigger": draft.trigger,
            "profile": _words(seen),
        },
        sources=(draft.reply_to,) if draft.reply_to else (),
    )


def is_learnable(draft: Draft, text: str) -> bool:
    """Whether a text says enough to be a class at all."""
    return len(profile(text, names=draft.names).specific) >= 2


def same_stance(candidate: str, taught: str) -> bool:
    """Whether two texts agree in what words do not show: yes or no, sums, addresses, long numbers."""
    if bool(_NEGATION.search(candidate)) != bool(_NEGATION.search(taught)):
        return False
    return all(_all(p, candidate) <= _all(p, taught) for p in (_MONEY, _ADDRESS, _LONG_NUMBER))


def same_subject(trigger: str, taught: str, names: Sequence[str] = ()) -> bool:
    """Whether what is answered may be about the same as what was answered then; little said says nothing against it."""
    new, old = profile(trigger, names=names).specific, profile(taught, names=names).specific
    return len(new) < 2 or len(old) < 2 or bool(new & old)


def _all(pattern: re.Pattern[str], text: str) -> set[str]:
    return {re.sub(r"\s", "", found.lower()) for found in pattern.findall(text)}


def _words(seen: Profile) -> dict[str, object]:
    return {part: sorted(getattr(seen, part)) for part in ("specific", "loose", "doubtful")}
