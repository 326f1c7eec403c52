"""What a `tool.json` may say, and that everything else is told with file and pointer (D-RUN-1)."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prime.tools.runtimes import InvalidManifest, load_manifest

Make = Callable[..., Path]
FILES = {"run.sh": "#!/bin/sh\necho 1\n"}


@pytest.mark.holds("D-RUN-1")
def test_every_field_is_read_in_both_spellings(make_tool: Make) -> None:
    camel: dict[str, Any] = {
        "timeoutMs": 5, "maxOutputBytes": 6, "memoryBytes": 9_000_000, "cpuTimeMs": 8, "network": "allow",
        "envAllow": ["TOKEN"], "workdir": "state", "standby": 2, "enforce": "best-effort",
    }  # fmt: skip
    snake: dict[str, Any] = {
        "timeout_ms": 5, "max_output_bytes": 6, "memory_bytes": 9_000_000, "cpu_time_ms": 8, "network": "allow",
        "env_allow": ["TOKEN"], "workdir": "state", "standby": 2, "enforce": "best-effort",
    }  # fmt: skip
    rest: dict[str, Any] = {
        "id": "org.example.both",
        "effects": {"network": True, "filesystem": {"write": True}},
        "prime": {"do": ["ask first"]},
        "metadata": {"any": [1]},
    }
    files = {**FILES, "state/kept": ""}
    example: dict[str, Any] = {"arguments": {}, "returns": None}
    one = load_manifest(make_tool("both", files, policy=camel, examples=[{**example, "isError": False}], **rest))
    two = load_manifest(make_tool("both", files, policy=snake, examples=[{**example, "is_error": False}], **rest))
    assert one == two
    assert one.policy.timeout_ms == 5
    assert one.policy.env_allow == ("TOKEN",)
    assert one.effects.network is True
    assert one.examples[0].expects
    assert (one.id, one.name) == ("org.example.both", "both")


def test_models_are_told_nothing_that_people_do_not_see(make_tool: Make) -> None:
    """What an example gives to the tool and expects of it stays as it is, to the letter."""
    hidden = "Reads.\U000e0041\u202e\u200b\x1b"
    schema = {"parameters": {"type": "object", "properties": {"a": {"type": "string", "description": hidden}}}}
    example = {"arguments": {"a": hidden}, "returns": hidden, "description": hidden}
    folder = make_tool("quiet", FILES, description=hidden, schema=schema, examples=[example])
    read = load_manifest(folder)
    assert read.description == read.examples[0].description == "Reads."
    assert read.parameters["properties"] == {"a": {"type": "string", "description": "Reads."}}
    assert (read.examples[0].arguments, read.examples[0].returns) == ({"a": hidden}, hidden)


def test_a_title_for_people_leaves_the_id_to_be_called(make_tool: Make) -> None:
    manifest = load_manifest(make_tool("x", FILES, name="Text Summarizer", id="text_summarizer"))
    assert manifest.name == "text_summarizer"


WRONG: list[tuple[dict[str, Any], str]] = [
        ({"name": "two words"}, "/name"),
        ({"name": None}, "/name"),
        ({"description": None}, "/description"),
        ({"runtime": "shell"}, "/runtime"),
        ({"entry": None}, "/entry"),
        ({"entry": {}}, "/entry"),
        ({"entry": "run.sh"}, "/entry"),
        ({"entry": {"command": 5}}, "/entry/command"),
        ({"entry": {"command": "/bin/sh"}}, "/entry/command"),
        ({"entry": {"command": "../run.sh"}}, "/entry/command"),
        ({"entry": {"command": "./nothing"}}, "/entry/command"),
        ({"entry": {"command": "./link"}}, "/entry/command"),
        ({"entry": {"command": "./plain.txt"}}, "/entry/command"),
        ({"entry": {"command": "sh", "args": ["../outside.sh"]}}, "/entry/args/0"),
        ({"entry": {"command": "sh", "args": ["-x", "link"]}}, "/entry/args/1"),
        ({"entry": {"command": "sh", "args": [1]}}, "/entry/args/0"),
        ({"entry": {"command": "sh", "shell": True}}, "/entry/shell"),
        ({"entry": {"path": "run.sh"}}, "/entry/path"),
        ({"runtime": "binary", "entry": {"path": "~/run.sh"}}, "/entry/path"),
        ({"runtime": "binary", "entry": {"path": "folder-link/outside.sh"}}, "/entry/path"),
        ({"runtime": "python-uv-script", "entry": {"script": "../x.py"}}, "/entry/script"),
        ({"runtime": "python-uv-script", "entry": {"script": "run.sh", "uv_args": ["--with", "x"]}}, "/entry/uv_args/0"),
        ({"runtime": "python-uv-script", "entry": {"script": "run.sh", "uvArgs": ["--python"]}}, "/entry/uvArgs/0"),
        ({"schema": {"parameters": {"type": "objekt"}}}, "/schema/parameters/type"),
        ({"schema": {"parameters": {"type": "string"}}}, "/schema/parameters"),
        ({"schema": {"parameters": {"type": "object", "properties": {"a": {"$ref": "file:///etc/passwd"}}}}},
         "/schema/parameters"),
        ({"schema": {"returns": {"$schema": "http://127.0.0.1:9/x", "type": "object"}}}, "/schema/returns"),
        ({"schema": {"returns": {"pattern": "(a"}}}, "/schema/returns/pattern"),
        ({"schema": {"input": {}}}, "/schema/input"),
        ({"effects": {"network": "yes"}}, "/effects/network"),
        ({"polcy": {}}, "/polcy"),
        ({"policy": {"timeout": 5}}, "/policy/timeout"),
        ({"policy": {"timeoutMs": 0}}, "/policy/timeoutMs"),
        ({"policy": {"timeout_ms": "5"}}, "/policy/timeout_ms"),
        ({"policy": {"timeout_ms": 5, "timeoutMs": 5}}, "/policy/timeoutMs"),
        ({"policy": {"standby": 1000}}, "/policy/standby"),
        ({"policy": {"standby": True}}, "/policy/standby"),
        ({"policy": {"network": "maybe"}}, "/policy/network"),
        ({"policy": {"network": "allow"}, "effects": {"network": False}}, "/policy/network"),
        ({"policy": {"envAllow": ["LD_PRELOAD"]}}, "/policy/envAllow/0"),
        ({"policy": {"envAllow": ["A=B"]}}, "/policy/envAllow/0"),
        ({"policy": {"workdir": "/tmp"}}, "/policy/workdir"),
        ({"policy": {"workdir": "folder-link"}}, "/policy/workdir"),
        ({"policy": {"enforce": "no"}}, "/policy/enforce"),
        ({"examples": [{"arguments": []}]}, "/examples/0/arguments"),
        ({"examples": [{"arguments": {"n": "x"}}],
          "schema": {"parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}}},
         "/examples/0/arguments"),
]  # fmt: skip


@pytest.mark.holds("D-RUN-1")
@pytest.mark.parametrize(("changes", "pointer"), WRONG)
def test_what_is_wrong_is_told_by_file_and_pointer(
    make_tool: Make, tmp_path: Path, changes: dict[str, Any], pointer: str
) -> None:
    outside = tmp_path / "user-tools" / "outside.sh"
    folder = make_tool("wrong", FILES, **changes)
    outside.write_text("#!/bin/sh\n")
    outside.chmod(0o755)
    (folder / "plain.txt").write_text("no program")
    (folder / "link").symlink_to(outside)
    (folder / "folder-link").symlink_to(outside.parent)
    with pytest.raises(InvalidManifest) as told:
        load_manifest(folder)
    assert told.value.pointer == pointer, told.value
    assert str(folder / "tool.json") in told.value.message
    assert told.value.hint


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"name": "a", "name": "b"}', '{"a": NaN}', "[" * 100_000, "\ud800", '{"x": "\\ud800"}']
)
def test_what_is_no_manifest_at_all(make_tool: Make, text: str) -> None:
    folder = make_tool("broken", FILES)
    (folder / "tool.json").write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(InvalidManifest) as told:
        load_manifest(folder)
    assert str(folder / "tool.json") in told.value.message


def test_a_manifest_that_is_a_link_to_elsewhere_is_refused(make_tool: Make, tmp_path: Path) -> None:
    folder = make_tool("linked", FILES)
    elsewhere = tmp_path / "elsewhere.json"
    (folder / "tool.json").rename(elsewhere)
    (folder / "tool.json").symlink_to(elsewhere)
    with pytest.raises(InvalidManifest, match="symbolic link"):
        load_manifest(folder)
    (folder / "tool.json").unlink()
    with pytest.raises(InvalidManifest):
        load_manifest(folder)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_keys = ("id", "name", "runtime", "entry", "schema", "effects", "policy", "prime", "metadata", "examples")


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(st.sampled_from(_keys), _json)
def test_any_value_anywhere_is_read_or_refused_with_a_reason(make_tool: Make, key: str, value: Any) -> None:
    folder = make_tool("any", FILES)
    manifest = json.loads((folder / "tool.json").read_text())
    (folder / "tool.json").write_text(json.dumps({**manifest, key: value}))
    try:
        load_manifest(folder)
    except InvalidManifest as error:
        reasons = error.problems
    else:
        reasons = ()
    assert all(problem.message and problem.hint for problem in reasons)
