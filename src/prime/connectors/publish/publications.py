"""Publishing from the chat: files are cleaned, kept as they will leave, and proposed at the gate."""

import hashlib
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from prime.connectors.connectors import Connectors
from prime.connectors.publish.bundle import Cleaned, Cleaner, Given, Item, manifest, read_manifest, slug_of
from prime.core.errors import Conflict, InvalidInput
from prime.hub.gate.gate import Gate
from prime.hub.gate.records import Draft, Proposal
from prime.hub.gate.senders import NotConnected
from prime.hub.gate.sending import outgoing
from prime.rooms.records import HUB
from prime.store.store import Store

MAX_TITLE = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """What somebody wants published, and where. `options` are the connector's own (repository, gist, slug…)."""

    connector: str
    title: str
    files: Sequence[Given]
    description: str = ""
    channel_id: str = HUB
    options: Mapping[str, str] = field(default_factory=dict[str, str])


class Publications:
    def __init__(
        self, store: Store, gate: Gate, connectors: Connectors, secrets: Callable[[], Awaitable[Iterable[str]]]
    ) -> None:
        self._store = store
        self._gate = gate
        self._connectors = connectors
        self._secrets = secrets

    async def propose(self, publication: Publication) -> Draft:
        """Clean the files, keep them as they will leave, and hand them to the gate."""
        declared = self._connectors.declaration(publication.connector)
        if declared.kind != "publish":
            raise InvalidInput(f"{declared.title} does not publish files.", field="connector")
        title = " ".join(publication.title.split())[:MAX_TITLE]
        if not title:
            raise InvalidInput("A publication needs a title.", field="title")
        files = Cleaner(self._gate.clamp, list(await self._secrets())).clean(publication.files)
        slug = slug_of(publication.options.get("name") or title)
        bundle = await self._keep(files)
        doubts = [f"{f.path} ({d.category})" for f in files for d in f.doubts]
        return await self._gate.drafts.decide_and_draft_or_send(
            Proposal(
                connector=publication.connector,
                channel_id=publication.channel_id,
                kind="publish",
                title=title,
                text=_summary(title, _lower_this(declared.title), publication.description, files),
                target={"bundle": bundle, "slug": slug, "options": dict(publication.options)},
                scope=f"{publication.connector}/{slug}",
                needs_owner=f"Please look at it first: {', '.join(doubts[:5])}." if doubts else "",
            )
        )

    async def preview(self, draft: Draft) -> list[Mapping[str, object]]:
        """Exactly what will leave, file by file, and what was taken out."""
        attachment = await self._store.attachments.get(str(draft.target.get("bundle")))
        return read_manifest(await self._store.attachments.content(attachment))

    async def undo(self, draft_id: str) -> Draft:
        """Take back what a publication left in the world, whole or half done."""
        draft = await self._gate.drafts.get(draft_id)
        sender = self._gate.senders.find(draft.connector)
        if draft.kind != "publish" or draft.status == "sending":
            raise Conflict("There is nothing to undo now.", code="nothing_to_undo", draftId=draft_id)
        if sender is None:
            raise NotConnected(f"connector not connected: {draft.connector}", connector=draft.connector)
        undo = getattr(sender, "undo", None)
        if undo is None:
            raise Conflict(f"{draft.connector} cannot take things back.", code="cannot_undo")
        await undo(outgoing(draft))
        return await self._gate.drafts.record_undone(draft)

    async def _keep(self, files: Sequence[Cleaned]) -> str:
        items: list[Item] = []
        for file in files:
            kept = await self._store.attachments.put(file.path.rsplit("/", 1)[-1], file.mime_type, file.content)
            items.append(
                Item(
                    path=file.path,
                    mime_type=file.mime_type,
                    attachment_id=kept.id,
                    size=len(file.content),
                    sha256=hashlib.sha256(file.content).hexdigest(),
                )
            )
        record = await self._store.attachments.put("bundle.json", "application/json", manifest(items, files))
        return record.id


def _lower_this(title: str) -> str:
    """“On this instance”, but “on GitHub”."""
    return title.replace("This ", "this ", 1) if title.startswith("This ") else title


def _summary(title: str, where: str, description: str, files: Sequence[Cleaned]) -> str:
    size = sum(len(f.content) for f in files)
    taken = sum(len(f.removed) for f in files)
    names, more = [f.path for f in files[:12]], len(files) - 12
    words = f" {description.strip()[:2000]}" if description.strip() else ""
    if any("\u4e00" <= c <= "\u9fff" for c in title):
        told = f"已删去 {taken} 句外人不该看到的话。" if taken else ""
        listed = "、".join(names) + (f"等 {len(files)} 个文件" if more > 0 else "")
        return f"在 {where} 发布“{title}”：{listed}（{size:,} 字节）。{told}{words}"
    many = (
        "1 sentence that strangers must not see was"
        if taken == 1
        else f"{taken} sentences that strangers must not see were"
    )
    told = f" {many} taken out." if taken else ""
    listed = ", ".join(names) + (f" and {more} more" if more > 0 else "")
    return f"Publish “{title}” on {where}: {listed} ({size:,} bytes).{told}{words}"
