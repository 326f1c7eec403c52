"""Netlify: a static site by the digests of its files; only what is missing is uploaded."""

import hashlib
from collections.abc import Mapping
from typing import cast
from urllib.parse import quote

from prime.connectors.contract import Declaration, Desk, Setting
from prime.connectors.publish.publisher import Halfway, Publisher, bundle_of, needed, obj, slug
from prime.connectors.rest import Rest
from prime.core.canonical import JSON
from prime.core.errors import PrimeError, TimedOut
from prime.hub.gate.records import Delivered, Outgoing
from prime.hub.gate.senders import Progress, Sender
from prime.store.outbox import NotSent

NAME = "netlify"
LOOK_SECONDS = 2.0
MOST_LOOKS = 150

DECLARATION = Declaration(
    name=NAME,
    kind="publish",
    title="Netlify",
    description="A static site on netlify.app.",
    settings=(
        Setting(name="token", label="Personal access token", kind="password", secret=True, required=True),
        Setting(name="api_base", label="API address", default="https://api.netlify.com"),
    ),
    capabilities=("deploys a static site", "uploads only what is missing", "can be undone"),
)


class NetlifyPublisher(Publisher):
    declaration = DECLARATION

    async def open(self, desk: Desk) -> tuple[Sender, Mapping[str, str]]:
        rest = desk.rest("").at(
            f"{desk.values['api_base']}/api/v1", authorization=f"Bearer {await desk.secret('token')}"
        )
        account = obj(await rest.get("/user"))
        return NetlifySender(desk, rest), {"account": str(account.get("email") or account.get("full_name") or "")}


class NetlifySender:
    max_length = 16_000

    def __init__(self, desk: Desk, rest: Rest) -> None:
        self._desk = desk
        self._rest = rest

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        bundle = await bundle_of(self._desk, outgoing)
        contents = {f"/{item.path}": await self._desk.content(item.attachment_id) for item in bundle.items}
        digests = {path: hashlib.sha1(content).hexdigest() for path, content in contents.items()}  # noqa: S324  (Netlify's)
        progress("preparing the site", 0, len(contents) + 2)
        site = await self._site(outgoing)
        try:
            return await self._deploy(outgoing, site, contents, digests, progress)
        except PrimeError as error:
            raise Halfway("the Netlify site", str(error), siteId=site) from error

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        site = await self._desk.recall(_key(outgoing))
        if site is None:
            return await self._by_name(outgoing)
        deploys = await self._rest.get(f"/sites/{site}/deploys", per_page=20)
        for deploy in cast("list[object]", deploys) if isinstance(deploys, list) else []:
            if obj(deploy).get("title") == outgoing.draft_id and obj(deploy).get("state") == "ready":
                return _delivered(obj(deploy), site)
        return None

    async def undo(self, outgoing: Outgoing) -> None:
        site = await self._desk.recall(_key(outgoing))
        if site:
            await self._rest.request("DELETE", f"/sites/{site}", repeatable=True, expect=frozenset({404}))
            await self._desk.remember(_key(outgoing), "")

    async def _by_name(self, outgoing: Outgoing) -> None:
        """A site whose creation was answered by nothing: if it is there, it is ours to go on with."""
        wanted = await self._desk.recall(f"wanted/{slug(outgoing)}")
        found = await self._rest.get("/sites", name=wanted or slug(outgoing))
        for site in cast("list[object]", found) if isinstance(found, list) else []:
            if wanted and obj(site).get("name") == wanted:
                await self._desk.remember(_key(outgoing), needed(site, "id", "Netlify"))

    async def _site(self, outgoing: Outgoing) -> str:
        known = await self._desk.recall(_key(outgoing))
        if known:
            return known
        # Names are shared by everybody on Netlify, so ours gets an ending of its own.
        name = f"{slug(outgoing)[:40]}-{hashlib.sha256(outgoing.draft_id.encode()).hexdigest()[:8]}"
        await self._desk.remember(f"wanted/{slug(outgoing)}", name)
        made = await self._rest.post("/sites", {"name": name})
        site = needed(made, "id", "Netlify")
        await self._desk.remember(_key(outgoing), site)
        return site

    async def _deploy(
        self,
        outgoing: Outgoing,
        site: str,
        contents: Mapping[str, bytes],
        digests: Mapping[str, str],
        progress: Progress,
    ) -> Delivered:
        body: JSON = {"files": cast("dict[str, JSON]", dict(digests)), "title": outgoing.draft_id}
        deploy = await self._rest.post(f"/sites/{site}/deploys", body, repeatable=True)
        deploy_id = needed(deploy, "id", "Netlify")
        listed = obj(deploy).get("required")
        required = set(cast("list[str]", listed)) if isinstance(listed, list) else set[str]()
        missing = {digest: path for path, digest in digests.items() if digest in required}
        for number, (_, path) in enumerate(missing.items()):
            progress(f"uploading {path}", number + 1, len(missing) + 2)
            await self._rest.request(
                "PUT",
                f"/deploys/{deploy_id}/files{quote(path)}",
                content=contents[path],
                headers={"content-type": "application/octet-stream"},
                repeatable=True,
                seconds=120,
            )
        return await self._until_live(deploy_id, site, progress, len(missing) + 2)

    async def _until_live(self, deploy_id: str, site: str, progress: Progress, steps: int) -> Delivered:
        for _ in range(MOST_LOOKS):
            deploy = obj(await self._rest.get(f"/deploys/{deploy_id}"))
            if deploy.get("state") == "ready":
                return _delivered(deploy, site)
            if deploy.get("state") == "error":
                raise NotSent(f"Netlify could not deploy it: {str(deploy.get('error_message'))[:200]}")
            progress("waiting until it is live", steps - 1, steps)
            await self._desk.clock.sleep(LOOK_SECONDS)
        raise TimedOut("Netlify is still working on it.", hint="Approve again to look once more.")


def _delivered(deploy: Mapping[str, object], site: str) -> Delivered:
    url = str(deploy.get("ssl_url") or deploy.get("url") or "")
    return Delivered(external_id=str(deploy.get("id") or ""), url=url, facts={"siteId": site})


def _key(outgoing: Outgoing) -> str:
    return f"site/{slug(outgoing)}"
