"""Prompts: files, arguments, completion, and `prompt/call`."""

import os
from pathlib import Path
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from tests.gateway.conftest import House, OpenHouse

from prime.gateway.behind.files import ConfigFiles
from prime.gateway.prompts.folder import PromptFolders

REVIEW = """---
name: review
description: Reviews something.
arguments:
  - {name: what, description: What to look at., required: true}
  - {name: tone, values: [kind, kindly, strict]}
---
Review {{what}}, {{tone}}. Leave {{other}} alone.
"""


@pytest.fixture
async def with_prompts(open_house: OpenHouse) -> House:
    house = await open_house({})
    for folder, text in (
        (house.folder / "config" / "prime" / "prompts", REVIEW),
        (house.workspace / ".prime" / "prompts", REVIEW.replace("Reviews something", "Takes a name that is taken")),
    ):
        folder.mkdir(parents=True)
        (folder / "review.md").write_text(text)
    (house.workspace / ".prime" / "prompts" / "broken.md").write_text("---\nname: [\n---\nx")
    (house.workspace / "a.txt").write_text("attached words")
    attach = f"---\ndescription: With a file.\nattach: ['file://{house.workspace}/a.txt']\n---\nRead it.\n"
    (house.workspace / ".prime" / "prompts" / "with_file.md").write_text(attach)
    return house


async def raw(client: Any, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return await client.session._dispatcher.send_raw_request(method, params, None)


async def test_prompts_come_from_files_and_the_user_s_count_first(with_prompts: House) -> None:
    async with with_prompts.client(primed=False) as client:
        prompts = {one.name: one for one in (await client.list_prompts()).prompts}
        assert set(prompts) == {"context", "conversation", "review", "with_file"}
        assert prompts["review"].description == "Reviews something."
        got: Any = await client.get_prompt("review", {"what": "the {{tone}}", "tone": "kind"})
        assert got.messages[0].content.text == "Review the {{tone}}, kind. Leave {{other}} alone."
        attached: Any = await client.get_prompt("with_file")
        assert attached.messages[0].content.resource.text == "attached words"
        for name, arguments in (("review", {}), ("review", {"what": "x", "extra": "y"}), ("none", {})):
            with pytest.raises(MCPError) as wrong:
                await client.get_prompt(name, arguments)
            assert wrong.value.error.code == -32602


async def test_a_workspace_leads_nowhere_else(with_prompts: House) -> None:
    """A link to somebody's file would tell it to every client, and a pipe would be waited for."""
    folder = with_prompts.workspace / ".prime" / "prompts"
    (with_prompts.workspace / ".env").write_text("KEY=1")
    (folder / "env.md").symlink_to(with_prompts.workspace / ".env")
    (folder / "hosts.md").symlink_to("/etc/hosts")
    os.mkfifo(folder / "pipe.md")
    names = {prompt.name for prompt in PromptFolders(with_prompts.folder, folder).all()}
    assert names == {"review", "with_file"}


async def test_no_list_of_servers_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / ".prime").mkdir()
    files = ConfigFiles(tmp_path / "config", tmp_path, tmp_path)
    os.mkfifo(files.workspace)
    assert [problem.error_code for problem in files.read().problems] == ["invalid_mcp_config"]
    files.workspace.unlink()
    files.workspace.symlink_to("/dev/zero")
    assert [problem.error_code for problem in files.read().problems] == ["invalid_mcp_config"]


async def test_arguments_are_completed(with_prompts: House) -> None:
    async with with_prompts.client(primed=False) as client:
        for ref, name, value, found in (
            ({"type": "ref/prompt", "name": "review"}, "tone", "kin", ["kind", "kindly"]),
            ({"type": "ref/prompt", "name": "context"}, "channel", "ch_h", ["ch_hub"]),
            ({"type": "ref/resource", "uri": "prime://tool/{name}"}, "name", "find_", ["find_tools"]),
        ):
            params = {"ref": ref, "argument": {"name": name, "value": value}}
            said = await raw(client, "completion/complete", params)
            assert said["completion"]["values"] == found


@pytest.mark.holds("D-RUN-5")
async def test_the_seed_s_own_methods(with_prompts: House) -> None:
    async with with_prompts.client(primed=False) as client:
        listed = await raw(client, "prompt/list", {})
        assert "review" in [one["name"] for one in listed["prompts"]]
        said = await raw(client, "prompt/call", {"prompt_name": "review", "arguments": {"what": "my day"}})
        assert said["content"]
        assert said["model"] == "offline"
        assert set(said["usage"]) == {"prompt_tokens", "completion_tokens", "total_tokens"}
    log = await with_prompts.prime.parts.store.log.after(0)
    [kept] = [m for m in log if m.body.get("op") == "prompt_call"]
    assert kept.body["content"] == said["content"]
    assert kept.body["arguments"] == {"what": "my day"}


async def test_the_two_prompts_that_come_with_prime(house: House) -> None:
    for number in range(30):
        await house.prime.parts.rooms.say("ch_hub", "act_owner", f"message {number} " + "word " * 30)
    async with house.client(primed=False) as client:
        document: Any = await client.get_prompt("context")
        assert document.messages[0].content.text
        whole: Any = await client.get_prompt("conversation", {"tokens": "100000"})
        short: Any = await client.get_prompt("conversation", {"tokens": "900"})
        assert len(short.messages) < len(whole.messages)
        assert "message 29" in short.messages[-1].content.text
        assert "message 0 " not in str(short.messages)
        with pytest.raises(MCPError, match="tokens"):
            await client.get_prompt("conversation", {"tokens": "many"})
