"""Secrets that are known by what stands around them: `password=…`, `"token": "…"`, `Authorization: …`, `://user:…@`."""

import re

from prime.core.key_shapes import MARK

_WORDS = (
    r"passw(?:or)?d|passphrase|passcode|pwd|secret|token|api[_-]?key|access[_-]?key(?:[_-]?id)?|private[_-]?key|secret[_-]?key"
    r"|encryption[_-]?key|signing[_-]?key|auth[_-]?key|account[_-]?key|credentials?|session[_-]?id|cookie"
    r"|密码|口令"
)
# The word ends the key's name; what may still follow it is a number or one of a few endings.
_KEY = rf"(?:{_WORDS})(?:[_-]?(?:value|text|plain|hash|base64|b64|prod|production|dev|test|staging|live|[0-9]{{1,3}}))?"
# Quotes that are escaped themselves (JSON in JSON) end at a quote with just as many backslashes.
_QUOTED = (
    r'"(?:[^"\\\r\n]|\\[^\r\n])*+|\'(?:[^\'\\\r\n]|\\[^\r\n])*+'
    r"|(?P<esc>\\+)(?P<quote>[\"'])(?:(?!(?<!\\)(?P=esc)(?P=quote))[^\r\n])*+"
)
_PAIR = re.compile(
    rf"(?i:{_KEY})(?P<sep>\\*[\"']?\s{{0,8}}(?:=>|:=|[:=\uff1a])\s{{0,8}}|(?<=[a-zA-Z0-9])[ \t](?=[^\s=:-]))"
    rf"(?P<value>{_QUOTED}|[^\s\"'`,;&|<>()\[\]{{}}\\]*+(?P<rest>[ \t]*+[^\s,;&#}}\]\)\"'\\]?))"
)
_WORD = re.compile(_WORDS)
_HINTS = ("pass", "pwd", "secret", "token", "key", "credential", "session", "cookie", "密码", "口令")
_OPTION = re.compile(r"--?[A-Za-z0-9_.-]{0,60}\Z")

_AUTHORIZATION = re.compile(
    r"(?i:(?P<key>(?:proxy-|x-[a-z]{1,20}-)?authorization)\\*[\"']?\s{0,4}[:=]\s{0,4}\\*[\"']?)"
    r"(?i:(?P<scheme>bearer|basic|token|digest|negotiate|apikey|api-key|bot|key|ntlm|aws4-hmac-sha256)\s{1,4})?"
    r"(?P<value>[^\s\"'\\,;]++)(?P<more>[^\r\n\"'\\]*+)"
)
_BEARER = re.compile(r"(?i:\bbearer\s{1,4})(?P<value>[A-Za-z0-9._~+/=-]{8,})")
_HEADER = re.compile(
    r"(?i:(?:^|(?<=[\s\"']))(?:x-(?:[a-z0-9]{1,20}-){0,3}(?:key|token|secret|signature)|(?:set-)?cookie|private-token)\s{0,4}:\s{0,4})"
    r"(?P<value>[^\r\n\"'\\]++)",
    re.MULTILINE,
)
_ELEMENT = re.compile(rf"(?i:<(?P<name>[\w:.-]{{0,40}}?{_KEY})>)(?P<value>[^<>\r\n]++)(?=</(?P=name)>)")
_URL = re.compile(r"(?P<start>://[^\s/?#:@\"'<>]*+:)(?P<value>[^\s/?#\"'<>]+)@")
_URL_TOKEN = re.compile(r"(?P<start>https?://)(?P<value>[^\s/?#:@\"'<>]{16,})@", re.IGNORECASE)

# Not a secret: somebody speaking of one, or a place where one will be put.
_HARMLESS = re.compile(
    r"(?i:true|false|null|none|nil|undefined|yes|no|on|off|required|optional|missing|invalid|valid|expired|unset|set|empty"
    r"|string|str|text|password|secret|token|bool|boolean|number|int|integer|any|object|array|bytes|secretstr"
    r"|x+|\*+|•+|\.+|-+|_+|[\u3400-\u9fff]+)"
    r"|\$\{[^}]*\}?|\$\([^)]*\)?|\$[A-Z_][A-Z0-9_]*|%[A-Za-z_]+%|%s|\{\{?[^}]*\}?\}?|<[^>]*>|\[[^\]]*\]|\$\{\{.*"
)
_NUMBER = re.compile(r"[0-9][0-9.,_]{0,7}k?")
_COUNTERS = re.compile(r"(?i)(?:token|cookie|credentials?|session[_-]?id)")
# `nextPageToken` tells where a list goes on; without it nobody can read the list.
_PAGING = re.compile(r"(?i)(?:next|page|continuation|cursor|sync)[_-]?(?:page[_-]?)?\Z")


def redact_pairs(text: str) -> str:
    """`text` with `MARK` in place of the values of keys, headers and addresses that carry secrets."""
    # Looking for plain words first is many times faster than trying the patterns at every letter.
    lowered = text.lower()
    if "authorization" in lowered:
        text = _AUTHORIZATION.sub(_authorization, text)
    if "bearer" in lowered:
        text = _BEARER.sub(_bearer, text)
    if "x-" in lowered or "cookie" in lowered or "private-token" in lowered:
        text = _HEADER.sub(_header, text)
    if "://" in lowered:
        text = _URL.sub(rf"\g<start>{MARK}@", text)
        text = _URL_TOKEN.sub(rf"\g<start>{MARK}@", text)
    if not any(hint in lowered for hint in _HINTS):
        return text
    return _sub_pairs(_ELEMENT.sub(_element, text) if "</" in lowered else text)


def _sub_pairs(text: str) -> str:
    lowered = text.lower()
    if len(lowered) != len(text):  # a few letters become two: places would not fit
        return _PAIR.sub(_pair, text)
    pieces: list[str] = []
    done = 0
    # The same as above, but the words are looked for in small letters only, which is five times faster.
    for word in _WORD.finditer(lowered):
        found = _PAIR.match(text, word.start()) if word.start() >= done else None
        if found:
            pieces += [text[done : found.start()], _pair(found)]
            done = found.end()
    return "".join([*pieces, text[done:]])


def _authorization(found: re.Match[str]) -> str:
    value, more = found["value"], found["more"]
    if found["scheme"] is None and (more.strip() or _HARMLESS.fullmatch(value)):
        return found.group()  # a sentence about it
    if _HARMLESS.fullmatch(value):
        return found.group()
    # Digest and signatures go on behind commas.
    kept = "" if more.startswith(",") else more
    return found.group()[: found.start("value") - found.start()] + MARK + kept


def _bearer(found: re.Match[str]) -> str:
    value = found["value"]
    plain = value.isalpha() and len(value) < 20
    return found.group() if plain else found.group()[: found.start("value") - found.start()] + MARK


def _header(found: re.Match[str]) -> str:
    value = found["value"].strip()
    if not value or _HARMLESS.fullmatch(value) or (" " in value and "=" not in value):
        return found.group()
    return found.group()[: found.start("value") - found.start()] + MARK


def _element(found: re.Match[str]) -> str:
    """`<password>…</password>`, as configuration in XML has it."""
    value = found["value"].strip()
    return found.group() if not value or _HARMLESS.fullmatch(value) else f"<{found['name']}>{MARK}"


def _pair(found: re.Match[str]) -> str:
    value = found["value"]
    quote_end = _opening_quote(value)
    if quote_end:
        return _quoted(found, value, quote_end)
    bare, rest = value[: len(value) - len(found["rest"] or "")], found["rest"] or ""
    if not bare or _harmless(found, bare) or not _is_value(found, rest):
        return found.group()
    return found.group()[: found.start("value") - found.start()] + MARK + rest


def _opening_quote(value: str) -> int:
    plain = value.lstrip("\\")
    return len(value) - len(plain) + 1 if plain[:1] in ("'", '"') else 0


def _quoted(found: re.Match[str], value: str, quote_end: int) -> str:
    inside = value[quote_end:]
    if not inside.strip() or _harmless(found, inside) or _spaced(found):
        return found.group()
    return found.group()[: found.start("value") - found.start()] + value[:quote_end] + MARK


def _spaced(found: re.Match[str]) -> bool:
    """`token "abc"`: only an option on a command line (`--token "abc"`) has its value after a mere blank."""
    return not found["sep"].strip(" \t") and not _is_option(found)


def _is_option(found: re.Match[str]) -> bool:
    return bool(_OPTION.search(found.string, max(0, found.start() - 64), found.start()))


def _harmless(found: re.Match[str], value: str) -> bool:
    key = found.string[found.start() : found.start("sep")]
    before = found.string[max(0, found.start() - 24) : found.start()]
    if _HARMLESS.fullmatch(value) or _PAGING.search(before):
        return True
    if key == "PWD" and value[:1] in "/~":  # the shell's variable for the working folder
        return True
    return bool(_COUNTERS.fullmatch(key) and _NUMBER.fullmatch(value))


def _is_value(found: re.Match[str], rest: str) -> bool:
    """Whether an unquoted word is the value of the key, and not the next word of a sentence or a piece of code."""
    sep = found["sep"]
    follows = found.string[found.end() : found.end() + 1]
    if not sep.strip(" \t"):
        return _is_option(found)
    if follows in ("(", "[") and not rest.strip():
        return False  # a call: `token = read(…)`
    if sep == "=":
        return True
    if "=" in sep:
        return not rest.strip()
    # `password: hunter2` is a value when it is all of the line; `password: must be long` is a sentence.
    return not rest.strip() and "\n" not in sep
