"""Delegations narrow and never widen."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prime.core.errors import InvalidInput, JsonValue
from prime.tools.atip.effect import Cost, Effects, Filesystem
from prime.tools.policy import Decision, Delegation, Policy, Validator
from prime.tools.policy.delegation import Restrictable

from .conftest import Shim

RFC = {
    "delegation": {
        "allowedTools": ["gh", "git"],
        "deniedCommands": ["gh repo delete"],
        "effectRestrictions": {"destructive": False},
    }
}
ORDER = ["allow", "ask", "deny"]
NAMES: list[Restrictable] = [
    "destructive",
    "network",
    "subprocess",
    "billable",
    "filesystem.read",
    "filesystem.write",
    "filesystem.delete",
    "idempotent",
    "reversible",
]
flags = st.sampled_from([True, False, None])
effects = st.builds(
    Effects,
    filesystem=st.builds(Filesystem, read=flags, write=flags, delete=flags),
    cost=st.builds(Cost, billable=flags),
    network=flags,
    subprocess=flags,
    idempotent=flags,
    reversible=flags,
    destructive=flags,
)
commands = st.sampled_from(
    [("gh",), ("gh", "pr", "list"), ("gh", "repo", "delete"), ("git", "push"), ("git", "status"), ("rm",)]
)
entries = st.sampled_from(["gh", "git", "gh pr", "gh repo delete", "git push", "rm", "gh *"])
delegations = st.builds(
    Delegation,
    allowed_tools=st.none() | st.lists(entries, max_size=3).map(tuple),
    denied_commands=st.lists(entries, max_size=2).map(tuple),
    restrictions=st.dictionaries(st.sampled_from(NAMES), st.booleans(), max_size=3),
)


def severity(delegation: Delegation, command: tuple[str, ...], tool: Effects) -> int:
    decision = Decision.of(delegation.reasons("_".join(command), [command], tool))
    return ORDER.index(decision.verdict)


@settings(deadline=None)
@given(delegations, delegations, delegations, commands, effects)
def test_delegating_further_never_allows_more(
    a: Delegation, b: Delegation, c: Delegation, command: tuple[str, ...], tool: Effects
):
    each = [severity(one, command, tool) for one in (a, b, c)]
    assert severity(a.narrowed(b), command, tool) == max(each[:2])
    for chain in (a.narrowed(b).narrowed(c), a.narrowed(b.narrowed(c))):
        assert severity(chain, command, tool) == max(each)


@settings(deadline=None)
@given(delegations, delegations, commands, effects)
def test_a_delegation_survives_writing_and_reading(
    a: Delegation, b: Delegation, command: tuple[str, ...], tool: Effects
):
    chain = a.narrowed(b)
    assert Delegation.from_json({"delegation": chain.to_json()}) == chain


def test_the_example_of_the_rfc(shim: Shim, tmp_path: Path):
    policy = Policy(destructive="allow", network="allow", write="allow")
    validator = Validator(policy, workspace=tmp_path, delegation=Delegation.from_json(RFC))
    assert validator.validate(shim("gh pr list"), {}).allowed
    assert validator.validate(shim("git status"), {}).allowed
    deleted = validator.validate(shim("gh repo delete"), {"repository": "me/x"})
    assert {"command_denied", "effect_restricted"} <= set(deleted.codes)
    assert validator.validate(shim("ls"), {}).codes == ("not_delegated",)


def test_a_denied_command_inside_another_is_denied_too(shim: Shim, tmp_path: Path):
    delegation = Delegation(denied_commands=("gh repo delete",))
    validator = Validator(Policy(), workspace=tmp_path, delegation=delegation)
    for tool, arguments in (
        (shim("sh"), {"command": True, "script": "gh -R x repo delete y"}),
        (shim("env"), {"assignments_and_command": ["GH repo delete y"]}),
        (shim("env"), {"assignments_and_command": ["gh", "repo", "--yes", "delete", "y"]}),
        (shim("xargs"), {"command": ["/usr/bin/env", "gh", "repo", "delete"]}),
    ):
        assert "command_denied" in validator.validate(tool, arguments).codes


def test_length_hides_no_denied_command(shim: Shim, tmp_path: Path):
    validator = Validator(Policy(), workspace=tmp_path, delegation=Delegation(denied_commands=("gh repo delete",)))
    padded = ["A=b"] * 1000 + ["gh", "repo", "delete", "x"]
    assert validator.validate(shim("env"), {"assignments_and_command": padded}).codes == ("command_too_long",)
    line = "a;" * 5000 + "gh repo delete x"
    assert validator.validate(shim("sh"), {"command": True, "script": line}).codes == ("command_too_long",)
    assert validator.validate(shim("cat"), {"files": ["x"] * 1000}).allowed


def test_a_tool_may_be_named_by_its_own_name(shim: Shim, tmp_path: Path):
    validator = Validator(
        Policy(network="allow"), workspace=tmp_path, delegation=Delegation(allowed_tools=("gh_pr_list",))
    )
    assert validator.validate(shim("gh pr list"), {}).allowed
    assert validator.validate(shim("gh pr view"), {}).denied


def test_nothing_is_allowed_by_an_empty_list(shim: Shim, tmp_path: Path):
    empty = Validator(Policy(), workspace=tmp_path, delegation=Delegation.from_json({"allowedTools": []}))
    assert empty.validate(shim("ls"), {}).denied


def deep(levels: int) -> JsonValue:
    value: JsonValue = {}
    for _ in range(levels):
        value = {"within": value}
    return value


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        "gh",
        {"allowedTools": "gh"},
        {"allowedTools": [1]},
        {"deniedCommand": ["x"]},
        {"effectRestrictions": {"destructiv": False}},
        {"effectRestrictions": {"destructive": "no"}},
        {"effectRestrictions": {"filesystem": {"wirte": False}}},
        {"effectRestrictions": {"filesystem": False}},
        {"effectRestrictions": []},
        {"delegation": {}, "allowedTools": []},
        deep(50),
    ],
)
def test_a_misspelt_restriction_is_an_error_not_a_permission(value: JsonValue):
    with pytest.raises(InvalidInput) as caught:
        Delegation.from_json(value)
    assert caught.value.error_code == "invalid_policy"
