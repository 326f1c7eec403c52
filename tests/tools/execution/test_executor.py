"""Calls that run, as real processes."""

import asyncio
import hashlib
from pathlib import Path

import pytest

from prime.core.errors import Forbidden, InvalidInput, NotFound, PrimeError, TimedOut, Unauthorized
from prime.tools.channel_folders import channel_folder
from prime.tools.execution import Call, Executor, NeedsInput
from prime.tools.policy import Policy, ResultFilter
from prime.tools.tool import Tool

from .conftest import Program

KEY = "ghp_" + "a1B2" * 9


async def test_a_call_runs_with_its_words_as_they_are(executor: Executor, program: Program, workspace: Path):
    tool = program("show", 'for word in "$@"; do echo "[$word]"; done; pwd; echo oops >&2; exit 3')
    done = await executor.run(Call(tool=tool, arguments={"words": ["a b", "$HOME", "*", "-x", "'"]}, approved=True))
    assert done.text.splitlines() == ["[--]", "[a b]", "[$HOME]", "[*]", "[-x]", "[']", str(workspace)]
    assert (done.exit_code, done.ok, done.stderr, done.sandboxed) == (3, False, "oops\n", False)


async def test_results_are_redacted_and_cut(program: Program, workspace: Path):
    executor = Executor(Policy(), workspace=workspace, results=ResultFilter(limit=200, secrets=["the-owners-secret"]))
    tool = program("leak", f"echo {KEY} the-owners-secret; yes | head -c 100000")
    done = await executor.run(Call(tool=tool))
    assert KEY not in done.text
    assert "owners-secret" not in done.text
    assert len(done.text.encode()) <= 200


async def test_what_asks_runs_only_when_approved(executor: Executor, program: Program, workspace: Path):
    tool = program("write", "touch made", filesystem={"read": True, "write": True, "delete": False})
    with pytest.raises(Forbidden) as caught:
        await executor.run(Call(tool=tool))
    assert caught.value.error_code == "confirmation_required"
    assert not (workspace / "made").exists()
    assert (await executor.run(Call(tool=tool, approved=True))).ok
    assert (workspace / "made").exists()


async def test_what_is_denied_does_not_run_even_when_approved(program: Program, workspace: Path):
    executor = Executor(Policy(network="deny"), workspace=workspace)
    tool = program("fetch", "touch made", network=True)
    with pytest.raises(Forbidden) as caught:
        await executor.run(Call(tool=tool, approved=True))
    assert caught.value.error_code == "network_denied"
    with pytest.raises(Forbidden):
        await executor.run(Call(tool=program("plain", "touch made"), cwd=Path("/"), approved=True))
    assert not (workspace / "made").exists()


async def test_a_tool_that_takes_too_long_is_stopped(executor: Executor, program: Program, workspace: Path):
    tool = program("slow", "trap '' TERM; sleep 60 & sleep 60; touch made", duration={"timeout": "300ms"})
    with pytest.raises(TimedOut) as caught:
        await executor.run(Call(tool=tool))
    assert "0.3 seconds" in caught.value.message
    assert not (workspace / "made").exists()


@pytest.mark.parametrize(("said", "wanted"), [("5s", 5), ("2m", 120), ("99h", 7200), ("soon", 60), (None, 60)])
def test_time_limits_come_from_the_document(said: str | None, wanted: float, executor: Executor, program: Program):
    tool = program("timed", "", duration={} if said is None else {"timeout": said})
    assert executor.timeout(tool) == wanted


async def test_a_tool_that_wants_a_terminal_gets_one(executor: Executor, program: Program):
    script = "test -t 0 && test -t 1 && echo terminal || echo none"
    assert (await executor.run(Call(tool=program("plain", script)))).text.strip() == "none"
    asked = program("panel", script, interactive={"stdin": "none", "prompts": False, "tty": True})
    assert (await executor.run(Call(tool=asked))).text.strip() == "terminal"


YES = {
    "options": [{"name": "yes", "flags": ["-y", "--yes"], "type": "boolean", "description": "Do not ask"}],
    "arguments": [],
}


@pytest.mark.holds("D-ATIP-17")
@pytest.mark.parametrize(
    "wants", [{"stdin": "required"}, {"stdin": "password"}, {"prompts": True}, {"stdin": "none", "prompts": True}]
)
async def test_questions_are_answered_by_a_declared_option_only(
    wants: dict[str, str | bool], executor: Executor, program: Program
):
    mute = program("mute", "cat; touch made", interactive=wants)
    with pytest.raises(NeedsInput) as caught:
        await executor.run(Call(tool=mute, approved=True))
    assert caught.value.error_code == "interactive_input_required"
    asks = program("asks", 'echo "$@"', document=YES, interactive=wants)
    assert (await executor.run(Call(tool=asks, approved=True))).text == "--yes\n"
    assert (await executor.run(Call(tool=asks, arguments={"yes": True}))).text == "--yes\n"


@pytest.mark.holds("D-ATIP-17")
async def test_no_answer_is_added_before_somebody_approved(executor: Executor, program: Program):
    tool = program("asks", 'echo "$@"', document=YES, interactive={"prompts": True}, network=True)
    with pytest.raises(Forbidden) as caught:
        await executor.run(Call(tool=tool))
    assert caught.value.error_code == "confirmation_required"


async def test_text_for_a_tool_that_reads_it(executor: Executor, program: Program):
    tool = program("upper", "tr a-z A-Z", interactive={"stdin": "required"})
    assert (await executor.run(Call(tool=tool, stdin=b"hello"))).text == "HELLO"
    secret = program("login", "cat", interactive={"stdin": "password"})
    with pytest.raises(NeedsInput):
        await executor.run(Call(tool=secret, stdin=b"hunter2"))


def login(check: str = "hub auth status") -> dict[str, object]:
    methods = [{"type": "token", "envVar": "HUB_TOKEN"}, {"type": "oauth", "setupCommand": "hub auth login"}]
    return {"authentication": {"required": True, "methods": methods, "checkCommand": check}}


async def test_a_login_is_checked_once_a_session(executor: Executor, program: Program, tmp_path: Path):
    record = tmp_path / "asked"
    tool = program(
        "hub", f'[ "$1" = auth ] && echo x >> {record} && exec test -e {tmp_path}/logged-in; echo ran', document=login()
    )
    with pytest.raises(Unauthorized) as caught:
        await executor.run(Call(tool=tool))
    assert "hub auth login" in str(caught.value)
    assert "HUB_TOKEN" in str(caught.value)
    (tmp_path / "logged-in").touch()
    for _ in range(3):
        assert (await executor.run(Call(tool=tool))).text == "ran\n"
    assert record.read_text() == "x\n" * 2
    assert executor.context(["hub"]).authenticated_tools == ("hub",)


@pytest.mark.parametrize(
    "check", ["rm -rf /", "hub -c x; id", "hub 'open", "", "sh -c id", "/usr/bin/hub x", "other auth"]
)
async def test_a_check_command_is_a_claim_too(check: str, executor: Executor, program: Program, workspace: Path):
    tool = program("hub", "touch made", document=login(check))
    if check == "hub -c x; id":
        # No shell reads it: these are words for the tool itself.
        await executor.run(Call(tool=tool))
        return
    with pytest.raises(PrimeError) as caught:
        await executor.run(Call(tool=tool))
    assert caught.value.error_code == "unsafe_check_command"
    assert not (workspace / "made").exists()


@pytest.mark.holds("D-ATIP-16")
async def test_a_file_that_is_not_the_described_one_does_not_run(executor: Executor, program: Program, tmp_path: Path):
    program("signed", "echo ran")
    path = tmp_path / "bin" / "signed"
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    good = program("signed", "echo ran", document={"trust": {"source": "user", "checksum": f"sha256:{digest}"}})
    assert (await executor.run(Call(tool=good))).text == "ran\n"
    path.write_text("#!/bin/sh\necho changed\n")
    with pytest.raises(Forbidden) as caught:
        await executor.run(Call(tool=good))
    assert caught.value.error_code == "checksum_mismatch"
    odd = program("signed", "echo ran", document={"trust": {"source": "user", "checksum": "md5:12"}})
    with pytest.raises(InvalidInput):
        await executor.run(Call(tool=odd))


@pytest.mark.holds("D-ATIP-16")
@pytest.mark.parametrize("source", ["inferred", "somebody", ""])
async def test_a_strangers_metadata_means_walls(source: str, executor: Executor, program: Program, workspace: Path):
    tool = program("guess", "touch made 2>/dev/null || echo walled; cat /proc/net/dev | wc -l", source=source)
    done = await executor.run(Call(tool=tool))
    assert done.sandboxed
    assert "walled" in done.text
    assert not (workspace / "made").exists()
    writes = program(
        "guess", "touch made; echo $HUB_TOKEN", source=source, filesystem={"read": True, "write": True, "delete": False}
    )
    assert (await executor.run(Call(tool=writes, approved=True))).ok
    assert (workspace / "made").exists()


async def test_credentials_go_to_tools_that_somebody_vouches_for(
    executor: Executor, program: Program, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("HUB_TOKEN", "abcdefgh")
    monkeypatch.setenv("OTHER_TOKEN", "12345678")
    script = 'echo "${HUB_TOKEN:-none} ${OTHER_TOKEN:-none}"'
    assert (await executor.run(Call(tool=program("hub", script, document=login())))).text == "abcdefgh none\n"
    stranger = program("hub", script, document={**login(), "trust": {"source": "inferred"}})
    assert "none none" in (await Executor(Policy(), workspace=Path.cwd()).run(Call(tool=stranger))).text


async def test_programs_that_are_not_there_and_tools_that_are_none(
    executor: Executor, program: Program, tmp_path: Path
):
    tool = program("gone", "")
    (tmp_path / "bin" / "gone").unlink()
    with pytest.raises(NotFound):
        await executor.run(Call(tool=tool))
    remote = Tool(name="remote", command=("remote",), description="", schema={}, runtime="mcp")
    with pytest.raises(InvalidInput):
        await executor.run(Call(tool=remote, approved=True))


async def test_a_channels_program_finds_no_repository_around_its_folder(program: Program, workspace: Path) -> None:
    assert await (await asyncio.create_subprocess_exec("git", "init", "-q", str(workspace))).wait() == 0
    folder = channel_folder(workspace, "ch_partner")
    folder.mkdir(parents=True)
    git = program("look", "git rev-parse --show-toplevel 2>/dev/null || echo none")
    assert (await Executor(Policy(), workspace=folder).run(Call(tool=git))).text == "none\n"
    assert (await Executor(Policy(), workspace=workspace).run(Call(tool=git))).text == f"{workspace}\n"
