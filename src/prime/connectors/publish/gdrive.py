"""Google Drive: a resumable upload under an id that is drawn beforehand, shared by link."""

from collections.abc import Mapping
from urllib.parse import parse_qs, urlencode, urlsplit

from prime.connectors.contract import Declaration, Desk, Setting, Status
from prime.connectors.publish.bundle import Bundle, Item
from prime.connectors.publish.grant import Grant
from prime.connectors.publish.publisher import Halfway, bundle_of, needed, obj
from prime.connectors.rest import Denied, Rest
from prime.core.canonical import JSON
from prime.core.errors import InvalidInput, PrimeError, Unavailable
from prime.core.http import Response
from prime.core.ids import new_secret
from prime.hub.gate.records import Delivered, Outgoing
from prime.hub.gate.senders import Progress, Sender

NAME = "gdrive"
CHUNK = 8 << 20  # a multiple of 256 KiB, as Drive wants it
SCOPE = "https://www.googleapis.com/auth/drive.file"
FOLDER = "application/vnd.google-apps.folder"
MOST_RESUMES = 5
CODE = Setting(
    name="code", label="Address or code that Google sent you to", secret=True, required=True, help="Paste it whole."
)

DECLARATION = Declaration(
    name=NAME,
    kind="publish",
    title="Google Drive",
    description="Uploads files to your Drive and shares them by link.",
    settings=(
        Setting(name="client_id", label="OAuth client id", required=True, help="From console.cloud.google.com."),
        Setting(name="client_secret", label="OAuth client secret", kind="password", secret=True, required=True),
        Setting(name="api_base", label="API address", default="https://www.googleapis.com"),
        Setting(name="auth_base", label="Consent page", default="https://accounts.google.com/o/oauth2/v2/auth"),
        Setting(name="token_base", label="Token address", default="https://oauth2.googleapis.com"),
    ),
    capabilities=("uploads and shares files", "goes on where an upload broke off", "can be undone"),
)


class GDrivePublisher:
    """Prime may touch only the files that it made (`drive.file`)."""

    declaration = DECLARATION

    def __init__(self) -> None:
        self._desk: Desk | None = None
        self._grant: Grant | None = None
        self._sender: Sender | None = None
        self._state = ""

    @property
    def sender(self) -> Sender | None:
        return self._sender

    async def connect(self, desk: Desk) -> Status:
        self._desk = desk
        self._grant = Grant(desk, desk.rest(desk.values["token_base"]), self._redirect(desk))
        if await desk.secret("refresh_token"):
            try:
                return await self._ready(desk, self._grant)
            except Denied:
                pass  # revoked or expired: ask again
        self._state = new_secret()
        query = {
            "client_id": desk.values.get("client_id", ""),
            "redirect_uri": self._redirect(desk),
            "response_type": "code",
            "scope": SCOPE,
            "access_type": "offline",
            "prompt": "consent",
            "state": self._state,
        }
        address = f"{desk.values['auth_base']}?{urlencode(query)}"
        return Status(state="asking", detail="Open the address and allow it.", asks=(CODE,), facts={"open": address})

    async def answer(self, given: Mapping[str, str]) -> Status:
        desk, grant = self._desk, self._grant
        if desk is None or grant is None:
            raise InvalidInput("Drive is not being connected.")
        code = self._code(given.get("code", ""))
        await grant.redeem(code)
        return await self._ready(desk, grant)

    async def run(self) -> None:
        return

    async def disconnect(self) -> None:
        self._sender = None

    async def revoke(self) -> None:
        """Give the grant back to Google."""
        if self._grant:
            await self._grant.revoke()

    async def _ready(self, desk: Desk, grant: Grant) -> Status:
        rest = desk.rest(desk.values["api_base"])
        about = await _call(grant, rest, "GET", "/drive/v3/about", query={"fields": "user"})
        self._sender = GDriveSender(desk, rest, grant)
        user = obj(obj(about.json()).get("user"))
        return Status(
            state="connected", facts={"account": str(user.get("emailAddress") or user.get("displayName") or "")}
        )

    def _redirect(self, desk: Desk) -> str:
        return f"{desk.base_url}/connectors/gdrive"

    def _code(self, given: str) -> str:
        if "://" not in given:
            return given
        fields = parse_qs(urlsplit(given).query)
        if fields.get("state") != [self._state]:
            raise InvalidInput("This address is from another try.", hint="Connect again.", field="code")
        if "code" not in fields:
            raise InvalidInput(f"Google said no: {fields.get('error', ['no code'])[0][:80]}.", field="code")
        return fields["code"][0]


class GDriveSender:
    max_length = 16_000

    def __init__(self, desk: Desk, rest: Rest, grant: Grant) -> None:
        self._desk = desk
        self._rest = rest
        self._grant = grant

    async def send(self, outgoing: Outgoing, progress: Progress) -> Delivered:
        bundle = await bundle_of(self._desk, outgoing)
        ids = await self._ids(outgoing, len(bundle.items) + 1)
        try:
            root = await self._upload_all(outgoing, bundle, ids, progress)
            await self._share(root)
            return await self._shown(root)
        except PrimeError as error:
            raise Halfway("part of it on Drive", str(error), fileIds=ids) from error

    async def lookup(self, outgoing: Outgoing) -> Delivered | None:
        known = await self._desk.recall(f"ids/{outgoing.draft_id}")
        return None if known is None else await self._found(known.split(",")[0])

    async def undo(self, outgoing: Outgoing) -> None:
        known = await self._desk.recall(f"ids/{outgoing.draft_id}")
        for file_id in (known or "").split(","):
            if file_id:
                await self._call("DELETE", f"/drive/v3/files/{file_id}", repeatable=True, expect=frozenset({404}))

    async def _ids(self, outgoing: Outgoing, count: int) -> list[str]:
        """Ids are drawn and remembered before anything is made, so a repeated try makes the same files."""
        known = await self._desk.recall(f"ids/{outgoing.draft_id}")
        if known:
            return known.split(",")
        answer = await self._call("GET", "/drive/v3/files/generateIds", query={"count": count})
        listed = obj(answer.json()).get("ids")
        ids = [str(i) for i in listed] if isinstance(listed, list) else []  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        if len(ids) < count:
            raise Unavailable("Drive gave no ids.")
        await self._desk.remember(f"ids/{outgoing.draft_id}", ",".join(ids))
        return ids

    async def _upload_all(self, outgoing: Outgoing, bundle: Bundle, ids: list[str], progress: Progress) -> str:
        if len(bundle.items) == 1:
            await self._upload(ids[0], bundle.items[0], None, progress)
            return ids[0]
        folder: JSON = {"id": ids[0], "name": outgoing.title, "mimeType": FOLDER}
        await self._call("POST", "/drive/v3/files", json=folder, repeatable=True, expect=frozenset({409}))
        for item, file_id in zip(bundle.items, ids[1:], strict=False):
            await self._upload(file_id, item, ids[0], progress)
        return ids[0]

    async def _upload(self, file_id: str, item: Item, parent: str | None, progress: Progress) -> None:
        """Resumable: a chunk that breaks off goes on where Drive says it stopped."""
        about: dict[str, JSON] = {"id": file_id, "name": item.path.replace("/", " - "), "mimeType": item.mime_type}
        if parent:
            about["parents"] = [parent]
        begun = await self._call(
            "POST",
            "/upload/drive/v3/files",
            query={"uploadType": "resumable"},
            json=about,
            headers={"x-upload-content-type": item.mime_type, "x-upload-content-length": str(item.size)},
            repeatable=True,
            expect=frozenset({409}),
        )
        if begun.status == 409:
            return  # it is there already, from an earlier try
        where = begun.headers.get("location", "")
        if not where:
            raise Unavailable("Drive did not say where to upload to.")
        content = await self._desk.content(item.attachment_id)
        at = 0
        resumes = 0
        while True:
            progress(f"uploading {item.path}", at, len(content))
            part = content[at : at + CHUNK]
            span = f"bytes {at}-{at + len(part) - 1}/{len(content)}" if content else "bytes */0"
            try:
                answer = await self._put(where, part, span)
            except Unavailable:
                resumes += 1
                if resumes > MOST_RESUMES:
                    raise
                answer = await self._put(where, b"", f"bytes */{len(content)}")
            if answer.status != 308:
                return
            received = answer.headers.get("range", "")
            at = int(received.rsplit("-", 1)[-1]) + 1 if received else 0

    async def _put(self, where: str, part: bytes, span: str) -> Response:
        return await self._call(
            "PUT", where, content=part, headers={"content-range": span}, expect=frozenset({308}), seconds=300
        )

    async def _share(self, file_id: str) -> None:
        body: JSON = {"role": "reader", "type": "anyone"}
        await self._call("POST", f"/drive/v3/files/{file_id}/permissions", json=body, repeatable=True)

    async def _shown(self, file_id: str) -> Delivered:
        found = await self._found(file_id)
        if found is None:
            raise Unavailable("Drive does not know the file any more.")
        return found

    async def _found(self, file_id: str) -> Delivered | None:
        query = {"fields": "id,webViewLink,shared"}
        answer = await self._call("GET", f"/drive/v3/files/{file_id}", query=query, expect=frozenset({404}))
        if answer.status == 404 or not obj(answer.json()).get("shared"):
            return None
        link = needed(answer.json(), "webViewLink", "Drive")
        return Delivered(external_id=file_id, url=link, facts={"fileId": file_id})

    async def _call(self, method: str, path: str, **more: object) -> Response:
        return await _call(self._grant, self._rest, method, path, **more)


async def _call(grant: Grant, rest: Rest, method: str, path: str, **more: object) -> Response:
    """A request with a fresh token; one that is refused as expired is tried once more with a new one."""
    given = dict(more)
    headers = dict(given.pop("headers", None) or {})  # pyright: ignore[reportArgumentType, reportCallIssue]
    try:
        return await rest.request(method, path, headers={**headers, **await grant.header()}, **given)  # pyright: ignore[reportArgumentType]
    except Denied as error:
        if error.data.get("status") != 401:
            raise
        grant.forget()
        return await rest.request(method, path, headers={**headers, **await grant.header()}, **given)  # pyright: ignore[reportArgumentType]
