"""Startup scripts over HTTP: looked at and checked."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

SCRIPT = (
    "### record human_text_record\n``````markdown\n---\ngenseq: 1\nmsgId: m1\ngrammar: markdown\n---\nHello\n``````\n"
)


async def test_a_script_is_shown_with_what_is_in_it_and_what_is_wrong(
    open_site: Callable[..., Awaitable[Any]], tmp_path: Path
) -> None:
    site = await open_site(PRIME_WORKSPACE=str(tmp_path))
    folder = tmp_path / ".minds" / "priming" / "team_shared"
    folder.mkdir(parents=True)
    (folder / "good.md").write_text(SCRIPT)
    (folder / "bad.md").write_text("### record nothing_record\n")
    good = (await site.http.get("/api/priming/script?scriptRef=team_shared/good")).json()
    assert (good["text"], good["problem"], good["records"]) == (
        SCRIPT,
        None,
        [{"type": "human_text_record", "text": "Hello"}],
    )
    bad = (await site.http.get("/api/priming/script?scriptRef=team_shared/bad")).json()
    assert (bad["records"], bad["problem"]["line"]) == ([], 1)
    assert (await site.http.get("/api/priming/script?scriptRef=team_shared/none")).status_code == 404
    assert (await site.http.get("/api/priming/script?scriptRef=../../etc/passwd")).status_code == 400


async def test_a_text_is_checked_before_it_is_a_file(open_site: Callable[..., Awaitable[Any]]) -> None:
    site = await open_site()
    assert (await site.http.post("/api/priming/check", json={"text": SCRIPT})).json()["problem"] is None
    problem = (await site.http.post("/api/priming/check", json={"text": "prose"})).json()["problem"]
    assert problem["line"] == 1
    assert problem["message"]
