"""URLs in hostile spellings."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prime.core.http.refusal import Refused
from prime.core.http.urls import read_url, redirected

HOSTILE = [
    "",
    "http:",
    "http://",
    "http:///x",
    "//example.com/",
    "example.com",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "unix:///run/x.sock",
    "http+unix://%2frun%2fx.sock/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0177.0.0.1/",
    "http://017700000001/",
    "http://127.1/",
    "http://127.0.1/",
    "http://1/",
    "http://0/",
    "http://127.0.0.1./",
    "http://localhost./",
    "http://example.com./",
    "http://127.0.0.01/",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://example.0x7f/",
    "http://①②⑦.⓪.⓪.①/",
    "http://１２７.０.０.１/",
    "http://127。0。0。01/",
    "http://%31%32%37.0.0.1/",
    "http://127%2e0%2e0%2e1/",
    "http://localhost%00.example.com/",
    "http://user@example.com/",
    "http://user:pass@example.com/",
    "http://example.com@127.0.0.1/",
    "http://@example.com/",
    "http://example.com\\@127.0.0.1/",
    "http:\\\\example.com/",
    "http:/\\example.com/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
    "http://[::1/",
    "http://::1/",
    "http://[127.0.0.1]/",
    "http://[v1.x]/",
    "http://exa mple.com/",
    "http://example.com/a b",
    "http://example.com/\r\nX-Evil: 1",
    "http://example.com\r\n/",
    "http://example.com/\x00",
    "http://example.com/\t",
    " http://example.com/",
    "http://example.com/\ud800",
    "http://-example.com/",
    "http://exam*ple.com/",
    "http://a..b/",
    "http://.example.com/",
    "http://example.com:0/",
    "http://example.com:99999/",
    "http://example.com:-1/",
    "http://example.com:８０/",
    "http://example.com:80:80/",
    "http://" + "a" * 64 + ".com/",
    "http://" + "a." * 200 + "com/",
    "http://example.com/" + "a" * 9000,
    "http://exa\u00admple\u200b.com/",
    "http://localhost\u2028/",
]


@pytest.mark.holds("D-HUB-8")
@pytest.mark.parametrize("url", HOSTILE)
def test_hostile_forms_are_refused_alike(url: str):
    with pytest.raises(Refused) as caught:
        read_url(url)
    assert str(caught.value) == str(Refused())


@pytest.mark.parametrize(
    ("url", "host", "port"),
    [
        ("http://example.com", "example.com", 80),
        ("HTTPS://EXAMPLE.com/A?b=c#d", "example.com", 443),
        ("http://example.com:8080/", "example.com", 8080),
        ("http://1.2.3.4/", "1.2.3.4", 80),
        ("http://[2606:4700::1111]:8443/", "2606:4700::1111", 8443),
        ("https://bücher.example/", "xn--bcher-kva.example", 443),
        ("http://my_service:9000/x", "my_service", 9000),
        ("http://example.com:/", "example.com", 80),
    ],
)
def test_plain_forms_are_read(url: str, host: str, port: int):
    target = read_url(url)
    assert (target.host, target.port) == (host, port)
    assert "#" not in str(target.url)


@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text: str):
    for url in (text, "http://" + text, "http://example.com/" + text):
        try:
            target = read_url(url)
        except Refused:
            continue
        assert target.host == target.host.lower()
        assert target.host.isascii()


@pytest.mark.parametrize(
    ("origin", "location"),
    [
        ("http://a.example/", "http://b.example/"),
        ("http://a.example/", "//b.example/"),
        ("http://a.example/", "http://a.example:81/"),
        ("https://a.example/", "http://a.example/"),
        ("https://a.example/", "ftp://a.example/"),
        ("http://a.example:8080/", "https://a.example/"),
        ("http://a.example/", "http://a.example@127.0.0.1/"),
        ("http://a.example/", "/\r\nX: 1"),
        ("http://a.example/", ""),
        ("http://a.example/", "\\\\b.example/"),
    ],
)
def test_redirects_that_leave_are_refused(origin: str, location: str):
    with pytest.raises(Refused):
        redirected(read_url(origin), location)


@pytest.mark.parametrize(
    ("origin", "location", "result"),
    [
        ("http://a.example/x/y", "z", "http://a.example/x/z"),
        ("http://a.example/x", "https://A.example/x", "https://a.example/x"),
        ("https://a.example:8443/x", "/q?r=1", "https://a.example:8443/q?r=1"),
    ],
)
def test_redirects_that_stay(origin: str, location: str, result: str):
    assert str(redirected(read_url(origin), location).url) == result
