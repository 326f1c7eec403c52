"""What the stand-in takes of Telethon: its classes for Telegram's words, and its arithmetic. They carry no types."""

from typing import Any

import telethon.crypto
import telethon.crypto.rsa
import telethon.extensions
import telethon.helpers
import telethon.password
import telethon.tl.core
import telethon.tl.functions
import telethon.tl.types

types: Any = telethon.tl.types
functions: Any = telethon.tl.functions
srp: Any = telethon.password
rsa: Any = telethon.crypto.rsa
AES: Any = telethon.crypto.AES
AuthKey: Any = telethon.crypto.AuthKey
BinaryReader: Any = telethon.extensions.BinaryReader
GzipPacked: Any = telethon.tl.core.GzipPacked
MessageContainer: Any = telethon.tl.core.MessageContainer
helpers: Any = telethon.helpers
