"""An OAuth grant: a code becomes a refresh token, that becomes access tokens, and in the end it is given back."""

from urllib.parse import urlencode

from prime.connectors.contract import Desk
from prime.connectors.publish.publisher import needed, obj
from prime.connectors.rest import Denied, Rest
from prime.core.errors import InvalidInput
from prime.store.outbox import NotSent

FORM = {"content-type": "application/x-www-form-urlencoded"}
EARLY = 60.0


class Grant:
    """The refresh token is a secret of the connector; access tokens are kept in memory until they run out."""

    def __init__(self, desk: Desk, rest: Rest, redirect: str) -> None:
        self._desk = desk
        self._rest = rest
        self._redirect = redirect
        self._access = ""
        self._until = 0.0

    async def redeem(self, code: str) -> None:
        """The owner's consent, for a refresh token."""
        try:
            answer = await self._token(grant_type="authorization_code", code=code, redirect_uri=self._redirect)
        except NotSent as error:
            raise InvalidInput(f"This code does not work: {error.message}", hint="Connect again.") from error
        await self._desk.keep("refresh_token", needed(answer, "refresh_token", "Google"))

    async def header(self) -> dict[str, str]:
        if self._desk.clock.monotonic() >= self._until:
            refresh = await self._desk.secret("refresh_token")
            if not refresh:
                raise Denied("The grant is gone.", hint="Connect again.", status=403)
            try:
                await self._token(grant_type="refresh_token", refresh_token=refresh)
            except NotSent as error:
                raise Denied("Google has ended the grant.", hint="Connect again.", status=403) from error
        return {"authorization": f"Bearer {self._access}"}

    def forget(self) -> None:
        self._until = 0.0

    async def revoke(self) -> None:
        refresh = await self._desk.secret("refresh_token")
        if refresh:
            content = urlencode({"token": refresh}).encode()
            await self._rest.request("POST", "/revoke", content=content, headers=FORM, expect=frozenset({400}))

    async def _token(self, **fields: str) -> dict[str, object]:
        given = {
            "client_id": self._desk.values.get("client_id", ""),
            "client_secret": await self._desk.secret("client_secret") or "",
            **fields,
        }
        content = urlencode(given).encode()
        answer = obj(
            (await self._rest.request("POST", "/token", content=content, headers=FORM, repeatable=True)).json()
        )
        self._access = needed(answer, "access_token", "Google")
        lasts = answer.get("expires_in")
        self._until = self._desk.clock.monotonic() + (float(lasts) if isinstance(lasts, int | float) else 300) - EARLY
        return answer
