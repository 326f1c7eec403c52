"""GitHub: a repository with Pages, from one tree and one commit; or a gist."""

import base64
from collections.abc import Mapping
from typing import cast

from prime.connectors.contract import Declaration, Desk, Setting
from prime.connectors.publish.bundle import Bundle, Item
from prime.connectors.publish.publisher import Halfway, Publisher, bundle_of, needed, obj, option, slug
from prime.connectors.rest import Rest
from prime.core.canonical import JSON
from prime.core.errors import PrimeError
from prime.hub.gate.records import Delivered, Outgoing
from prime.hub.gate.senders import Progress, Sender, Unsure
from prime.store.outbox import NotSent

NAME = "github"
BRANCH = "main"
TRAILER = "Prime-Draft"
_TAKEN = frozenset({404, 409, 422})

DECLARATION = Declaration(
    name=NAME,
    kind="publish",
    title="GitHub",
    description="A repository with GitHub Pages, or a gist.",
    settings=(
        Setting(
            name="token",
            label="Personal access token",
            kind="password",
            secret=True,
            required=True,
            help="With the scopes repo and gist; delete_repo if undoing shall work.",
        ),
        Setting(name="api_base", label="API address", default="https://api.github.com"),
    ),
    capabilities=("creates a repository and commits files", "turns on Pages", "shares a gist", "can be undone"),
)


class GitHubPublisher(Publisher):
    declaration = DECLARATION

    async def open(self, desk: Desk) -> tuple[Sender, Mapping[str, str]]:
        headers = {
            "authorization": f"Bearer {await desk.secret('token')}",
            "accept": "application/vnd.github+json",
            "x-github-api-version": "2022-11-28",
        }
        rest = desk.rest("").at(desk.values["api_base"], **headers)
        login = needed(await rest.get("/user"), "login", "GitHub")
        return GitHubSender(desk, rest, login), {"account": login}


class GitHubSender:
    """Every step but the first can be done again without harm; the first is remembered before it is done."""

    max_length = 16_000

    def __init__(self, desk: Desk, rest: Rest, login: str) -> None:
        self._desk = desk
        self._rest = rest
        self._login = login

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        bundle = await bundle_of(self._desk, outgoing)
        if option(outgoing, "as") == "gist":
            return await self._gist(outgoing, bundle)
        repo = f"/repos/{self._login}/{slug(outgoing)}"
        progress("creating the repository", 0, len(bundle.items) + 3)
        await self._create(outgoing, repo)
        try:
            return await self._fill(outgoing, repo, bundle, progress)
        except PrimeError as error:
            name = f"{self._login}/{slug(outgoing)}"
            raise Halfway(f"the repository {name}", str(error), repository=name) from error

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        if option(outgoing, "as") == "gist":
            raise Unsure
        repo = f"/repos/{self._login}/{slug(outgoing)}"
        answer = await self._rest.request("GET", f"{repo}/commits/{BRANCH}", expect=_TAKEN)
        if not answer.ok or f"{TRAILER}: {outgoing.draft_id}" not in str(
            obj(obj(answer.json()).get("commit")).get("message")
        ):
            return None
        return await self._pages(outgoing, repo)

    async def undo(self, outgoing: Outgoing) -> None:
        gist = outgoing.facts.get("gist")
        if isinstance(gist, str):
            await self._rest.request("DELETE", f"/gists/{gist}", repeatable=True, expect=frozenset({404}))
        elif await self._is_ours(outgoing):
            repo = f"/repos/{self._login}/{slug(outgoing)}"
            await self._rest.request("DELETE", repo, repeatable=True, expect=frozenset({404}))

    # --- a repository ---

    async def _is_ours(self, outgoing: Outgoing) -> bool:
        """Whether this name was taken by a publication of ours."""
        return await self._desk.recall(f"repo/{self._login}/{slug(outgoing)}") is not None

    async def _create(self, outgoing: Outgoing, repo: str) -> None:
        there = await self._rest.request("GET", repo, expect=frozenset({404}))
        if there.ok:
            if not await self._is_ours(outgoing):
                name = f"{self._login}/{slug(outgoing)}"
                raise NotSent(f"The repository {name} is there already.", hint="Choose another name.")
            return
        await self._desk.remember(f"repo/{self._login}/{slug(outgoing)}", outgoing.draft_id)
        body: JSON = {
            "name": slug(outgoing),
            "description": outgoing.title[:300],
            "private": option(outgoing, "private") == "true",
            "auto_init": True,
        }
        await self._rest.post("/user/repos", body)

    async def _fill(self, outgoing: Outgoing, repo: str, bundle: Bundle, progress: Progress) -> Delivered:
        steps = len(bundle.items) + 3
        tree: list[JSON] = []
        for number, item in enumerate(bundle.items):
            progress(f"uploading {item.path}", number + 1, steps)
            tree.append({"path": item.path, "mode": "100644", "type": "blob", "sha": await self._blob(repo, item)})
        progress("committing", steps - 2, steps)
        made = await self._rest.post(f"{repo}/git/trees", {"tree": tree}, repeatable=True)
        head = obj(obj(await self._rest.get(f"{repo}/git/ref/heads/{BRANCH}")).get("object")).get("sha")
        message = f"{outgoing.title}\n\n{TRAILER}: {outgoing.draft_id}"
        body: JSON = {"message": message, "tree": needed(made, "sha", "GitHub"), "parents": [cast("str", head)]}
        commit = needed(await self._rest.post(f"{repo}/git/commits", body, repeatable=True), "sha", "GitHub")
        await self._rest.request("PATCH", f"{repo}/git/refs/heads/{BRANCH}", json={"sha": commit}, repeatable=True)
        progress("turning on Pages", steps - 1, steps)
        return await self._pages(outgoing, repo)

    async def _blob(self, repo: str, item: Item) -> str:
        content = base64.b64encode(await self._desk.content(item.attachment_id)).decode()
        body: JSON = {"content": content, "encoding": "base64"}
        return needed(await self._rest.post(f"{repo}/git/blobs", body, repeatable=True), "sha", "GitHub")

    async def _pages(self, outgoing: Outgoing, repo: str) -> Delivered:
        name = f"{self._login}/{slug(outgoing)}"
        facts = {"repository": name}
        if option(outgoing, "pages") == "false":
            return Delivered(external_id=name, url=f"https://github.com/{name}", facts=facts)
        source: JSON = {"source": {"branch": BRANCH, "path": "/"}}
        await self._rest.request("POST", f"{repo}/pages", json=source, repeatable=True, expect=frozenset({409}))
        shown = obj(await self._rest.get(f"{repo}/pages"))
        url = str(shown.get("html_url") or f"https://{self._login}.github.io/{slug(outgoing)}/")
        return Delivered(external_id=name, url=url, facts=facts)

    # --- a gist ---

    async def _gist(self, outgoing: Outgoing, bundle: Bundle) -> Delivered:
        files: dict[str, JSON] = {}
        for item in bundle.items:
            content = (await self._desk.content(item.attachment_id)).decode("utf-8", "replace")
            files[item.path.replace("/", "-")] = {"content": content or " "}
        body: JSON = {
            "description": outgoing.title[:300],
            "public": option(outgoing, "private") != "true",
            "files": files,
        }
        made = await self._rest.post("/gists", body)
        gist = needed(made, "id", "GitHub")
        return Delivered(external_id=gist, url=needed(made, "html_url", "GitHub"), facts={"gist": gist})
