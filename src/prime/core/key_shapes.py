"""Keys that are known by their shape alone, whoever they belong to."""

import re

MARK = "[redacted]"

# A key may follow an escaped line break (`\\nsk-…`), whose letter must not count as the word before it.
_START = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt]))"

# (a text without which there is no match, pattern); the first makes the common case one fast search.
_SHAPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (needle, re.compile(pattern))
    for needle, pattern in (
        ("sk-ant-", r"sk-ant-[A-Za-z0-9_-]{8,}"),
        ("sk-proj-", r"sk-proj-[A-Za-z0-9_-]{8,}"),
        ("sk-svcacct-", r"sk-svcacct-[A-Za-z0-9_-]{8,}"),
        ("sk-admin-", r"sk-admin-[A-Za-z0-9_-]{8,}"),
        ("sk-or-v1-", r"sk-or-v1-[A-Za-z0-9_-]{8,}"),
        ("sk-", _START + r"sk-[A-Za-z0-9]{20,}"),
        ("gh", r"gh[pousr]_[A-Za-z0-9]{20,}"),
        ("github_pat_", r"github_pat_[A-Za-z0-9_]{20,}"),
        ("glpat-", r"glpat-[A-Za-z0-9_-]{16,}"),
        ("A", r"(?:(?<![A-Za-z0-9+/])|(?<=\\[nrt]))(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
        ("AIza", r"AIza[A-Za-z0-9_-]{30,}"),
        ("ya29.", r"ya29\.[A-Za-z0-9_.-]{16,}"),
        ("GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{16,}"),
        ("xox", r"xox[abeoprs]-(?:\d-)?[A-Za-z0-9-]{10,}"),
        ("xapp-", r"xapp-\d-[A-Za-z0-9-]{10,}"),
        ("hooks.slack.com/services/", r"hooks\.slack\.com/services/[A-Za-z0-9/]{10,}"),
        (":AA", r"[0-9]{8,10}:AA[A-Za-z0-9_-]{33}"),
        (":", r"(?<![0-9])[0-9]{8,10}:(?![0-9a-fA-F]{34,}(?![A-Za-z0-9_-]))[A-Za-z0-9_-]{34,}"),
        ("eyJ", r"(?:(?<![A-Za-z0-9_-])|(?<=\\[nrt]))eyJ[A-Za-z0-9_-]{6,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?"),
        ("_live_", _START + r"[spr]k_live_[A-Za-z0-9]{10,}"),
        ("_test_", _START + r"[spr]k_test_[A-Za-z0-9]{10,}"),
        ("whsec_", r"whsec_[A-Za-z0-9+/=]{16,}"),
        ("hf_", _START + r"hf_[A-Za-z0-9]{30,}"),
        ("npm_", _START + r"npm_[A-Za-z0-9]{30,}"),
        ("pypi-", r"pypi-[A-Za-z0-9_-]{50,}"),
        ("SG.", _START + r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"),
        ("gsk_", _START + r"gsk_[A-Za-z0-9]{30,}"),
        ("xai-", _START + r"xai-[A-Za-z0-9]{30,}"),
    )
)

_DASHED = re.compile(_START + r"sk-[A-Za-z0-9_-]{20,}")
_AWS_ID = re.compile(r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_HEX = re.compile(r"[0-9a-f]{40}", re.IGNORECASE)

_PEM_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_BREAK = r"(?:\s|\\[nrt])"
# Without an end, only what looks like a key's lines: headers, long lines of base64, and a last shorter one.
_PEM_BODY = re.compile(
    rf"(?:{_BREAK}*+(?:[A-Za-z][A-Za-z-]{{2,20}}: [^\r\n\\]{{1,200}}"
    r"|[A-Za-z0-9+/]{16,}={0,2}|=[A-Za-z0-9+/]{4}))*+"
    rf"(?:{_BREAK}*+[A-Za-z0-9+/]{{1,64}}={{0,2}}(?={_BREAK}|[\"']|\Z))?"
)


def redact_keys(text: str) -> str:
    """`text` with `MARK` in place of everything that has the shape of a key."""
    text = _pem(_aws_secrets(text))
    for needle, pattern in _SHAPES:
        if needle in text:
            text = pattern.sub(MARK, text)
    return _DASHED.sub(_dashed, text) if "sk-" in text else text


def _dashed(found: re.Match[str]) -> str:
    # Names like `sk-toggleable__content-arrow` are no keys; keys have digits.
    return MARK if any(c.isdigit() for c in found.group()) else found.group()


def _aws_secrets(text: str) -> str:
    """The 40 letters of an AWS secret say nothing by themselves; beside an access key's id they do.

    However far from it: a distance would shrink with what is redacted between them, and redacting again find more.
    """
    if ("AKIA" in text or "ASIA" in text or "ABIA" in text or "ACCA" in text) and _AWS_ID.search(text):
        return _AWS_SECRET.sub(_secret, text)
    return text


def _secret(found: re.Match[str]) -> str:
    return found.group() if _HEX.fullmatch(found.group()) else MARK


def _pem(text: str) -> str:
    pieces: list[str] = []
    done = 0
    begins = list(_PEM_BEGIN.finditer(text)) if "PRIVATE KEY" in text else []
    ends = [m.end() for m in _PEM_END.finditer(text)][::-1] if begins else []
    for number, begin in enumerate(begins):
        if begin.start() < done:
            continue
        limit = begins[number + 1].start() if number + 1 < len(begins) else len(text)
        while ends and ends[-1] <= begin.end():
            ends.pop()
        body = _PEM_BODY.match(text, begin.end(), limit)
        end = ends[-1] if ends and ends[-1] <= limit else (body.end() if body else begin.end())
        pieces += [text[done : begin.start()], MARK]
        done = end
    return "".join([*pieces, text[done:]])
