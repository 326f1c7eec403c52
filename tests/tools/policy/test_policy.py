"""The owner's policy: read from a file with clear errors, and applied to effects."""

import json
from pathlib import Path

import pytest

from prime.core.errors import InvalidInput, JsonValue, Unavailable
from prime.tools.policy import Budget, Policy, Spending, Validator

from .conftest import Shim, Written


@pytest.fixture
def validator(tmp_path: Path) -> Validator:
    return Validator(Policy(), workspace=tmp_path)


def test_the_default_lets_only_declared_local_reading_through(validator: Validator, shim: Shim):
    assert validator.validate(shim("ls"), {"long": True}).allowed
    assert validator.validate(shim("git status"), {}).allowed
    for command in ("cp", "curl", "git push", "rm", "find", "python3"):
        tool = shim(command)
        needed: dict[str, JsonValue] = {
            "cp": {"sources": ["a"], "target": "b"},
            "curl": {"urls": ["https://example.org"]},
            "rm": {"paths": ["a"]},
        }.get(command, {})  # pyright: ignore[reportAssignmentType]
        assert validator.validate(tool, needed).asks, command


@pytest.mark.holds("D-ATIP-3")
@pytest.mark.parametrize("effect", ["destructive", "network", "subprocess", "filesystem"])
@pytest.mark.parametrize("access", ["ask", "deny"])
def test_what_is_not_said_is_asked_about(effect: str, access: str, claims: Written, tmp_path: Path):
    policy = Policy.from_json({"allow": dict.fromkeys(("destructive", "billable", "network", "write"), access)})
    strict = Validator(policy, workspace=tmp_path)
    assert strict.validate(claims("viewer"), {}).allowed
    decision = strict.validate(claims("viewer", {effect: {} if effect == "filesystem" else None}), {})
    assert decision.asks
    assert decision.codes == ("effect_unknown",)


@pytest.mark.parametrize(
    ("effect", "key"),
    [
        ({"destructive": True}, "destructive"),
        ({"network": True}, "network"),
        ({"filesystem": {"read": True, "write": True, "delete": False}}, "write"),
        ({"creates": ["x"]}, "write"),
        ({"deletes": ["x"]}, "write"),
        ({"cost": {"billable": True}}, "billable"),
    ],
)
def test_each_effect_has_its_own_switch(effect: dict[str, JsonValue], key: str, claims: Written, tmp_path: Path):
    tool = claims("viewer", effect)
    for access, verdict in (("allow", "allow"), ("ask", "ask"), ("deny", "deny"), (True, "allow"), (False, "ask")):
        policy = Policy.from_json({"allow": {key: access}})
        assert Validator(policy, workspace=tmp_path).validate(tool, {}).verdict == verdict
    refused = Validator(Policy.from_json({"allow": {key: "deny"}}), workspace=tmp_path).validate(tool, {})
    assert refused.codes == (f"{key}_denied",)
    assert "policy.json" in refused.reasons[0].next_step


def test_what_launches_programs_asks_under_every_policy(claims: Written, shim: Shim, tmp_path: Path):
    generous = Policy(destructive="allow", billable="allow", network="allow", write="allow")
    everything = Validator(generous, workspace=tmp_path)
    assert everything.validate(claims("viewer", {"subprocess": True}), {}).codes == ("launches_programs",)
    assert everything.validate(shim("make"), {}).asks
    assert everything.validate(shim("cp"), {"sources": ["a"], "target": "b"}).allowed


@pytest.mark.holds("D-ATIP-16")
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rm", ["-rf", "x"]),
        ("git", ["push", "--force"]),
        ("psql", ["-c", "DROP TABLE t"]),
        ("mkfs.ext4", ["x"]),
        ("sh", ["-c", "ls"]),
        ("kubectl", ["delete", "pod", "x"]),
    ],
)
def test_a_harmless_document_does_not_get_a_destroyer_through(
    name: str, words: list[str], claims: Written, tmp_path: Path
):
    generous = Policy(destructive="allow", billable="allow", network="allow", write="allow")
    decision = Validator(generous, workspace=tmp_path).validate(claims(name), {"words": words})
    assert decision.asks
    assert {"known_destructive", "launches_programs"} & set(decision.codes)


@pytest.mark.holds("D-ATIP-16")
@pytest.mark.parametrize("file", ["rust-toolchain", "rust-toolchain.toml", ".cargo/config.toml"])
def test_a_folder_that_names_programs_is_asked_about(file: str, shim: Shim, tmp_path: Path):
    """With `path = "evil"` in it, every call of cargo is one of evil/bin/cargo."""
    allowing = Validator(Policy(destructive="allow", network="allow", write="allow"), workspace=tmp_path)
    inner = tmp_path / "a"
    inner.mkdir()
    assert allowing.validate(shim("cargo update"), {}, cwd=inner).allowed
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("x")
    assert allowing.validate(shim("cargo update"), {}, cwd=inner).codes == ("launches_programs",)
    assert allowing.validate(shim("ls"), {}, cwd=inner).allowed


@pytest.mark.holds("D-ATIP-16")
def test_gh_calls_git_where_it_is_called(shim: Shim, tmp_path: Path):
    allowing = Validator(Policy(destructive="allow", network="allow", write="allow"), workspace=tmp_path)
    (tmp_path / ".git").mkdir()
    assert allowing.validate(shim("gh pr status"), {}).allowed
    (tmp_path / ".git" / "config").write_text("[core]\n\tfsmonitor = ./evil\n")
    assert allowing.validate(shim("gh pr status"), {}).codes == ("launches_programs",)


def test_a_command_that_sounds_destructive_asks_when_its_document_denies_it(tmp_path: Path):
    from prime.tools.atip import parse_document
    from prime.tools.tool import tools_of

    from .conftest import HARMLESS

    document = {
        "atip": "0.3",
        "name": "store",
        "version": "1",
        "description": "x",
        "effects": HARMLESS,
        "commands": {
            "bucket": {
                "description": "b",
                "commands": {"delete-all": {"description": "d"}, "list": {"description": "l"}},
            }
        },
    }
    delete, listing = tools_of(parse_document(document, where="x"))
    validator = Validator(Policy(), workspace=tmp_path)
    assert validator.validate(delete, {}).codes == ("destructive", "known_destructive")
    assert validator.validate(listing, {}).allowed


def test_whether_it_costs_money_matters_only_for_what_reaches_somebody(claims: Written, tmp_path: Path):
    validator = Validator(Policy(network="allow"), workspace=tmp_path)
    assert validator.validate(claims("viewer", {"cost": {}}), {}).allowed
    assert validator.validate(claims("viewer", {"cost": {}, "network": True}), {}).codes == ("effect_unknown",)


def test_the_file_that_would_run_counts_not_its_description(claims: Written, tmp_path: Path):
    (tmp_path / "tidy").symlink_to("/bin/rm")
    generous = Validator(Policy(destructive="allow", write="allow"), workspace=tmp_path)
    decision = generous.validate(claims("tidy"), {"words": ["-rf", "x"]}, executable=str(tmp_path / "tidy"))
    assert decision.codes == ("known_destructive",)


def test_billable_calls_have_a_budget(claims: Written, tmp_path: Path):
    spending = Spending()
    policy = Policy(billable="allow", budget=Budget(limit=5.0))
    validator = Validator(policy, workspace=tmp_path, ledger=spending)
    cheap = claims("viewer", {"cost": {"billable": True, "estimate": "low"}})
    dear = claims("viewer", {"cost": {"billable": True}})
    assert validator.validate(cheap, {}).allowed
    assert validator.validate(dear, {}).codes == ("budget_exceeded",)
    spending.add(4.95)
    refused = validator.validate(cheap, {})
    assert refused.denied
    assert refused.error("viewer").error_code == "budget_exceeded"


def test_lists_of_commands_ask_or_refuse_in_every_spelling(shim: Shim, tmp_path: Path):
    policy = Policy(
        write="allow", network="allow", destructive="allow", confirm=("git log",), deny=("git push", "docker *")
    )
    validator = Validator(policy, workspace=tmp_path)
    assert validator.validate(shim("git log"), {}).codes == ("confirm",)
    assert "command_denied" in validator.validate(shim("git push"), {"directory": "."}).codes
    assert validator.validate(shim("docker ps"), {}).denied
    assert "command_denied" in validator.validate(shim("sh"), {"command": True, "script": "git -C x push"}).codes
    assert (
        "command_denied" in validator.validate(shim("env"), {"assignments_and_command": ["A=b", "git", "push"]}).codes
    )


@pytest.mark.parametrize(
    "line",
    [
        "/usr/bin/git push",
        "nice -n5 ../bin/git push",
        "git-push origin",
        "/usr/lib/git-core/git-push",
        "find . -exec /bin/rm {} ;",
    ],
)
def test_lists_of_commands_know_a_program_by_its_path(line: str, claims: Written, tmp_path: Path):
    validator = Validator(Policy(deny=("git push", "rm *")), workspace=tmp_path)
    assert "command_denied" in validator.validate(claims("sh"), {"words": ["-c", line]}).codes


def test_lists_of_commands_hold_for_the_file_that_would_run(shim: Shim, tmp_path: Path):
    validator = Validator(Policy(deny=("cat *.key",), confirm=("git log *",)), workspace=tmp_path)
    decision = validator.validate(shim("cat"), {"files": ["a.key"]}, executable="/bin/cat")
    assert decision.codes == ("command_denied",)
    assert validator.validate(shim("cat"), {"files": ["a.txt"]}, executable="/bin/cat").allowed
    asked = validator.validate(shim("git log"), {"oneline": True}, executable="/usr/bin/git")
    assert asked.codes == ("confirm",)


def test_a_policy_file(tmp_path: Path):
    path = tmp_path / "policy.json"
    assert Policy.load(path) == Policy()
    path.write_text(
        json.dumps(
            {
                "allow": {"network": True, "write": "deny"},
                "budget": {"limit": 3, "estimates": {"tiny": 0.01}},
                "confirm": ["git  push"],
                "deny": ["rm"],
                "paths": {"read": ["/usr/share"], "write": ["~/out"]},
                "delegation": {"allowedTools": ["git"]},
                "x-note": "mine",
            }
        )
    )
    policy = Policy.load(path)
    assert (policy.network, policy.write, policy.destructive) == ("allow", "deny", "ask")
    assert policy.confirm == ("git push",)
    assert policy.budget is not None
    assert policy.budget.price("tiny") == 0.01
    assert policy.budget.price("odd") == 10.0
    assert policy.delegation is not None
    assert policy.version != Policy().version
    assert policy.version == Policy.load(path).version


@pytest.mark.parametrize(
    ("text", "pointer"),
    [
        ("{", None),
        ("[]", ""),
        ("null", ""),
        ('{"alow": {}}', "/alow"),
        ('{"allow": {"destruktive": true}}', "/allow/destruktive"),
        ('{"allow": {"network": 1}}', "/allow/network"),
        ('{"allow": {"network": "yes"}}', "/allow/network"),
        ('{"allow": []}', "/allow"),
        ('{"confirm": "git"}', "/confirm"),
        ('{"confirm": [1]}', "/confirm/0"),
        ('{"deny": [""]}', "/deny/0"),
        ('{"budget": {}}', "/budget"),
        ('{"budget": {"limit": -1}}', "/budget/limit"),
        ('{"budget": {"limit": true}}', "/budget/limit"),
        ('{"budget": {"limit": NaN}}', None),
        ('{"paths": {"read": ["relative"]}}', "/paths/read/0"),
        ('{"delegation": {"allowed": []}}', "/delegation/allowed"),
        ('{"allow": {}, "allow": {}}', None),
        ("[" * 100_000, None),
    ],
)
def test_a_wrong_policy_file_says_where(text: str, pointer: str | None, tmp_path: Path):
    path = tmp_path / "policy.json"
    path.write_text(text)
    with pytest.raises(InvalidInput) as caught:
        Policy.load(path)
    assert caught.value.error_code == "invalid_policy"
    assert str(path) in caught.value.message
    assert caught.value.data.get("pointer") == pointer


def test_an_unreadable_policy_file_is_no_permission(tmp_path: Path):
    with pytest.raises(Unavailable):
        Policy.load(tmp_path)
    (tmp_path / "latin").write_bytes(b"\xff{}")
    with pytest.raises(InvalidInput):
        Policy.load(tmp_path / "latin")
