"""The methods of Telegram's API that the profile uses, over one account."""

import datetime as dt
import struct
from collections.abc import Callable, Mapping
from typing import Any, cast

from tests.connectors.profiles.mtproto.account import CODE, ME, PASSWORD, PHONE, Account, Refused
from tests.connectors.profiles.mtproto.telethons import functions, types
from tests.connectors.profiles.mtproto.two_step import TwoStep

VECTOR = 0x1CB5C415
CODE_HASH = "hash-of-the-code"
# What may be asked by whoever has not signed in.
BEFORE = {"help.GetConfig", "auth.SendCode", "auth.SignIn", "account.GetPassword", "auth.CheckPassword"}


class Methods:
    """Answers the requests of one signed-in key, or of one that is about to sign in."""

    def __init__(self, account: Account, address: tuple[str, int]) -> None:
        self._account = account
        self._address = address
        self._two_step = TwoStep(PASSWORD)
        self._handlers: Mapping[type[Any], Callable[[Any, bytes], Any]] = {
            functions.help.GetConfigRequest: lambda _, __: _config(*self._address),
            functions.auth.SendCodeRequest: lambda r, _: self._send_code(r),
            functions.auth.SignInRequest: self._sign_in,
            functions.account.GetPasswordRequest: lambda _, __: self._two_step.question(),
            functions.auth.CheckPasswordRequest: self._check_password,
            functions.auth.LogOutRequest: self._log_out,
            functions.users.GetUsersRequest: lambda r, _: self._users(r),
            functions.updates.GetStateRequest: lambda _, __: account.state(),
            functions.updates.GetDifferenceRequest: lambda r, _: account.difference(r.pts),
            functions.messages.GetDialogsRequest: lambda _, __: self._dialogs(),
            functions.messages.GetHistoryRequest: lambda r, _: self._history(r),
            functions.messages.SearchRequest: lambda r, _: self._history(r),
            functions.messages.SendMessageRequest: lambda r, _: self._send(r),
            functions.messages.ReadHistoryRequest: lambda r, _: self._read(r),
            functions.upload.GetFileRequest: lambda r, _: self._file(r),
        }

    def answer(self, request: Any, key: bytes) -> bytes:
        """The result's bytes; `Refused` is an answer too."""
        name = method(request)
        self._account.asked.append(name)
        if self._account.trouble[name]:
            raise self._account.trouble[name].pop(0)
        if name not in BEFORE and key not in self._account.signed_in:
            raise Refused(401, "AUTH_KEY_UNREGISTERED")
        handler = self._handlers.get(cast("type[Any]", type(request)))
        if handler is None:
            raise Refused(400, "METHOD_INVALID")
        return _encoded(handler(request, key))

    # --- signing in ---

    def _send_code(self, request: Any) -> Any:
        if (request.api_id, request.api_hash) != (4321, "good-hash"):
            raise Refused(400, "API_ID_INVALID")
        if request.phone_number != PHONE:
            raise Refused(400, "PHONE_NUMBER_INVALID")
        self._account.codes += 1
        return types.auth.SentCode(types.auth.SentCodeTypeApp(5), f"{CODE_HASH}-{self._account.codes}")

    def _sign_in(self, request: Any, key: bytes) -> Any:
        if request.phone_code_hash != f"{CODE_HASH}-{self._account.codes}":
            raise Refused(400, "PHONE_CODE_EXPIRED")
        if request.phone_code != CODE:
            raise Refused(400, "PHONE_CODE_INVALID")
        if self._account.has_password:
            raise Refused(401, "SESSION_PASSWORD_NEEDED")
        return self._let_in(key)

    def _check_password(self, request: Any, key: bytes) -> Any:
        if not self._two_step.accepts(request.password):
            raise Refused(400, "PASSWORD_HASH_INVALID")
        return self._let_in(key)

    def _let_in(self, key: bytes) -> Any:
        self._account.signed_in.add(key)
        return types.auth.Authorization(self._account.people[ME])

    def _log_out(self, _: Any, key: bytes) -> Any:
        self._account.signed_in.discard(key)
        return types.auth.LoggedOut()

    # --- people and messages ---

    def _users(self, request: Any) -> Any:
        asked = [ME if isinstance(one, types.InputUserSelf) else one.user_id for one in request.id]
        # Strangers are shown to whoever has their access hash; contacts always.
        return [
            self._account.people[number] if number == ME or self._shown(one) else types.UserEmpty(number)
            for number, one in zip(asked, request.id, strict=True)
        ]

    def _shown(self, asked: Any) -> bool:
        person = self._account.people.get(asked.user_id)
        return bool(person) and (person.contact or asked.access_hash == person.access_hash)

    def _dialogs(self) -> Any:
        peers = [number for number in self._account.messages if self._account.messages[number]]
        tops = {number: self._account.messages[number][-1] for number in peers}
        dialogs = [
            types.Dialog(self._account.peer(n), tops[n].id, 0, 0, 0, 0, 0, 0, types.PeerNotifySettings()) for n in peers
        ]
        account = self._account
        return types.messages.Dialogs(
            dialogs, list(tops.values()), list(account.chats.values()), list(account.people.values())
        )

    def _history(self, request: Any) -> Any:
        """Newest first. As in the real one, `from_id` means nothing in a private conversation."""
        said = [
            m
            for m in self._account.messages[self._peer(request.peer)]
            if not request.offset_id or m.id < request.offset_id
        ]
        page = list(reversed(said))[: request.limit]
        people = list(self._account.people.values())
        if len(page) < len(said):
            return types.messages.MessagesSlice(len(said), page, [], [], people)
        return types.messages.Messages(page, [], [], people)

    def _send(self, request: Any) -> Any:
        reply_to = request.reply_to.reply_to_msg_id if request.reply_to else None
        return self._account.receive(self._peer(request.peer), request.message, reply_to, request.random_id)

    def _read(self, request: Any) -> Any:
        self._account.read[self._peer(request.peer)] = request.max_id
        return types.messages.AffectedMessages(self._account.position, 0)

    def _file(self, request: Any) -> Any:
        content = self._account.files[request.location.id][request.offset : request.offset + request.limit]
        return types.upload.File(types.storage.FileUnknown(), 0, content)

    def _peer(self, peer: Any) -> int:
        if isinstance(peer, types.InputPeerSelf):
            return ME
        person = self._account.people.get(peer.user_id)
        if person is None or peer.access_hash != person.access_hash:
            raise Refused(400, "PEER_ID_INVALID")
        return peer.user_id


def method(request: Any) -> str:
    """Its name, such as `messages.SendMessage`."""
    where = type(request).__module__.rpartition(".")[2]
    return f"{where}.{type(request).__name__.removesuffix('Request')}"


def _encoded(answer: Any) -> bytes:
    if isinstance(answer, list):
        items = cast("list[Any]", answer)
        return struct.pack("<Ii", VECTOR, len(items)) + b"".join(bytes(item) for item in items)
    return bytes(answer)


def _config(host: str, port: int) -> Any:
    now = dt.datetime.now(dt.UTC)
    return types.Config(
        date=now,
        expires=now + dt.timedelta(hours=1),
        test_mode=True,
        this_dc=2,
        dc_options=[types.DcOption(2, host, port)],
        dc_txt_domain_name="",
        **dict.fromkeys(_NUMBERS, 0),
        me_url_prefix="",
    )


_NUMBERS = (
    "chat_size_max", "megagroup_size_max", "forwarded_count_max", "online_update_period_ms", "offline_blur_timeout_ms",
    "offline_idle_timeout_ms", "online_cloud_timeout_ms", "notify_cloud_delay_ms", "notify_default_delay_ms",
    "push_chat_period_ms", "push_chat_limit", "edit_time_limit", "revoke_time_limit", "revoke_pm_time_limit",
    "rating_e_decay", "stickers_recent_limit", "channels_read_media_period", "call_receive_timeout_ms",
    "call_ring_timeout_ms", "call_connect_timeout_ms", "call_packet_timeout_ms", "caption_length_max",
    "message_length_max", "webfile_dc_id",
)  # fmt: skip
