"""Paths, addresses and texts that a call names."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prime.core.errors import JsonValue
from prime.core.private_folders import kept_private
from prime.tools.policy import Policy, Validator
from prime.tools.policy.addresses import is_local
from prime.tools.policy.paths import PathRules
from prime.tools.tool import Tool

from .conftest import Shim, Written


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "sub").mkdir(parents=True)
    (root / "file").write_text("x")
    (tmp_path / "secret").write_text("s")
    (root / "out").symlink_to(tmp_path)
    (root / "in").symlink_to(root / "sub")
    (root / "loop").symlink_to(root / "loop")
    return root


def test_primes_own_folders_in_the_workspace_are_nobodys(workspace: Path):
    rules = PathRules.of(workspace)
    with kept_private(workspace / "sub"):
        for path in ("sub/prime.db", "in/secrets.key", "sub"):
            refused = rules.reason(path, writes=False)
            assert refused is not None
            assert (refused.code, refused.verdict) == ("own_folder", "deny")
        assert rules.reason("file", writes=False) is None
        # What Prime keeps for a builder lies in there, and is its workspace.
        assert PathRules.of(workspace / "sub" / "builder").reason("plan.md", writes=True) is None
    assert rules.reason("sub/prime.db", writes=False) is None


@pytest.mark.parametrize(
    "path", ["file", "./file", "sub/../file", "sub/new/deep", "in/x", "-", "/dev/null", "~odd", "a b", "ünïcode"]
)
def test_paths_in_the_workspace(path: str, workspace: Path):
    assert PathRules.of(workspace).reason(path, writes=True) is None


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../secret",
        "sub/../../secret",
        "out",
        "out/secret",
        "out/work/../secret",
        "/etc/passwd",
        "//etc/passwd",
        "~",
        "~/x",
        "~root/x",
        "file:///etc/passwd",
        "FILE:///etc/%70asswd",
        "file\0",
        "/proc/self/root/etc/passwd",
    ],
)
def test_paths_that_lead_out(path: str, workspace: Path):
    reason = PathRules.of(workspace).reason(path, writes=False)
    assert reason is not None
    assert reason.verdict == "deny"


def test_absolute_paths_into_the_workspace_are_fine(workspace: Path):
    rules = PathRules.of(workspace)
    assert rules.reason(str(workspace / "file"), writes=True) is None
    assert rules.reason(f"{workspace}2/file", writes=True) is not None
    assert PathRules.of(workspace / "in").reason(str(workspace / "sub" / "x"), writes=True) is None


def test_further_folders_for_reading_and_for_writing(workspace: Path, tmp_path: Path):
    rules = PathRules.of(workspace, read=["/usr/share"], write=[str(tmp_path / "results")])
    assert rules.reason("/usr/share/x", writes=False) is None
    assert rules.reason("/usr/share/x", writes=True) is not None
    assert rules.reason("/usr/share/../bin/x", writes=False) is not None
    assert rules.reason(str(tmp_path / "results" / "x"), writes=True) is None


@pytest.mark.parametrize("path", [".git/hooks/pre-commit", ".GIT/config", "sub/.envrc", ".prime/tools/x/tool.json"])
def test_writing_where_other_programs_look_asks(path: str, workspace: Path):
    reason = PathRules.of(workspace).reason(path, writes=True)
    assert reason is not None
    assert (reason.verdict, reason.code) == ("ask", "protected_path")
    assert PathRules.of(workspace).reason(path, writes=False) is None


def test_a_relative_path_counts_from_the_folder_of_the_call(workspace: Path):
    rules = PathRules.of(workspace)
    assert rules.reason("../file", writes=False, cwd=workspace / "sub") is None
    assert rules.reason("../file", writes=False) is not None


@settings(deadline=None)
@given(st.lists(st.sampled_from(["..", ".", "sub", "out", "in", "x", "", "~"]), min_size=1, max_size=8), st.booleans())
def test_no_path_that_is_let_through_leaves_the_workspace(parts: list[str], absolute: bool):
    root = Path(__file__).parent
    rules = PathRules.of(root)
    path = ("/" if absolute else "") + "/".join(parts)
    if rules.reason(path, writes=False) is None:
        assert rules.resolve(path).is_relative_to(root.resolve())


def judge(
    tool: Tool, arguments: dict[str, JsonValue], workspace: Path, cwd: Path | None = None
) -> tuple[str, tuple[str, ...]]:
    generous = Policy(destructive="allow", network="allow", write="allow", billable="allow")
    decision = Validator(generous, workspace=workspace).validate(tool, arguments, cwd=cwd)
    return decision.verdict, decision.codes


def test_declared_paths_are_held_to_the_workspace(shim: Shim, workspace: Path):
    assert judge(shim("cat"), {"files": ["file"]}, workspace) == ("allow", ())
    assert judge(shim("cat"), {"files": ["file", "../secret"]}, workspace) == ("deny", ("path_outside_workspace",))
    assert judge(shim("cp"), {"sources": ["file"], "target": "/etc/x"}, workspace)[0] == "deny"
    assert judge(shim("git status"), {"directory": "/"}, workspace)[0] == "deny"
    assert judge(shim("ls"), {}, workspace, cwd=workspace.parent)[0] == "deny"
    assert judge(shim("ls"), {}, workspace, cwd=workspace / "sub") == ("allow", ())


@pytest.mark.parametrize(
    "text",
    [
        "/etc/passwd",
        "@/etc/passwd",
        "name=@/etc/passwd",
        "if=/etc/passwd",
        "host:/etc/passwd",
        "../secret",
        "x=../../secret",
        "~/x",
        "file:///etc/passwd",
    ],
)
def test_text_that_looks_like_a_way_out_asks(text: str, claims: Written, workspace: Path):
    assert judge(claims("viewer"), {"words": [text]}, workspace) == ("ask", ("path_outside_workspace",))


@pytest.mark.parametrize(
    "text",
    ["HEAD~1", "main..topic", "s/a/b/", "/pattern/", "https://example.org/etc/x", "a: b", "1/2", "{print $1}", "--x"],
)
def test_ordinary_text_is_no_path(text: str, claims: Written, workspace: Path):
    assert judge(claims("viewer"), {"words": [text]}, workspace) == ("allow", ())


@pytest.mark.parametrize(
    ("text", "verdict", "code"),
    [
        ("a\0b", "deny", "nul_in_argument"),
        ("\ud800", "deny", "invalid_text"),
        ("x" * 200_000, "deny", "arguments_too_long"),
        ("\x1b[2Jhello", "ask", "hidden_characters"),
        ("abc\u202edef", "ask", "hidden_characters"),
        ("a\u2066b", "ask", "hidden_characters"),
    ],
)
def test_texts_that_no_program_should_get(text: str, verdict: str, code: str, claims: Written, workspace: Path):
    assert judge(claims("viewer"), {"words": [text]}, workspace) == (verdict, (code,))


def test_arguments_nested_without_end_are_refused(workspace: Path):
    value: JsonValue = "x\0"
    for _ in range(100_000):
        value = [value]
    tool = Tool(name="remote", command=("remote",), description="", schema={}, runtime="mcp")
    assert judge(tool, {"deep": value}, workspace) == ("deny", ("arguments_too_deep",))


def test_many_words_are_too_long_together(claims: Written, workspace: Path):
    assert judge(claims("viewer"), {"words": ["x" * 1000] * 2000}, workspace)[0] == "deny"


def test_a_path_with_a_shells_syntax_asks(shim: Shim, workspace: Path):
    for name in ("a;b", "$(id)", "`id`", "a|b", "a&b", "a>b", "a\nb"):
        assert judge(shim("cat"), {"files": [name]}, workspace) == ("ask", ("shell_syntax",))


def test_wrong_arguments_are_refused_with_their_own_code(shim: Shim, workspace: Path):
    assert judge(shim("ls"), {"nonsense": True}, workspace) == ("deny", ("invalid_arguments",))
    assert judge(shim("find"), {"paths": ["-delete"]}, workspace) == ("deny", ("invalid_arguments",))


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost/",
        "http://127.0.0.1",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://0177.0.0.1/",
        "http://[::1]/",
        "http://[::ffff:10.0.0.1]/",
        "http://169.254.169.254/latest",
        "http://10.0.0.1",
        "http://printer.local",
        "localhost:8080/x",
        "http://0/",
        "gopher://x",
        "dict://x",
        "ext::sh",
        "https://me:pw@example.org",
        "file:///etc/passwd",
    ],
)
def test_unusual_addresses_ask(url: str, shim: Shim, workspace: Path):
    assert judge(shim("curl"), {"urls": [url]}, workspace)[0] == "ask"


def test_an_ordinary_address_does_not(shim: Shim, workspace: Path):
    assert judge(shim("curl"), {"urls": ["https://example.org:8443/a?b=c", "example.org/x"]}, workspace) == (
        "allow",
        (),
    )
    assert not is_local("999.1.2.3.4")
    assert not is_local("09.1.2.3")
    assert not is_local("")


def test_commands_given_to_tools_without_a_command_line(workspace: Path):
    from prime.tools.atip import parse_document
    from prime.tools.tool import tools_of

    from .conftest import HARMLESS

    (base,) = tools_of(
        parse_document(
            {"atip": "0.3", "name": "db", "version": "1", "description": "d", "effects": HARMLESS}, where="db"
        )
    )
    tool = Tool(name="db", command=("db",), description="d", schema={}, effects=base.effects, runtime="mcp")
    assert judge(tool, {"sql": "select 1"}, workspace) == ("allow", ())
    assert judge(tool, {"sql": "drop table t"}, workspace) == ("ask", ("known_destructive",))
    assert "known_destructive" in judge(tool, {"command": ["rm", "-rf", "x"]}, workspace)[1]
    assert judge(tool, {"query": "open source tools that drop nothing"}, workspace) == ("allow", ())
    assert judge(tool, {"query": "select 1; drop table t"}, workspace) == ("ask", ("known_destructive",))
    assert judge(tool, {"nested": {"path": ["../secret"]}}, workspace) == ("ask", ("path_outside_workspace",))
