"""Scripts with dependencies of their own: uv resolves once, calls only run (D-RUN-10)."""

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from prime.core.errors import PrimeError, Unavailable
from prime.tools.runtimes import FolderRuntime, Registry
from prime.tools.runtimes.environments import Environments

Call = Callable[..., Coroutine[Any, Any, Any]]
Make = Callable[..., Path]

SCRIPT = """# /// script
# requires-python = ">=3.11"
# dependencies = [{dependencies}]
# ///
import json, sys
given = json.loads(sys.stdin.readline())["arguments"]
print(json.dumps({{"python": sys.executable, "prefix": sys.prefix, "says": "{says}"}}))
"""


def script(says: str = "hello", dependencies: str = "") -> str:
    return SCRIPT.format(says=says, dependencies=dependencies)


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A package to depend on, so that no index is needed."""
    import zipfile

    folder = tmp_path_factory.mktemp("wheels")
    with zipfile.ZipFile(folder / "tinydep-1.0-py3-none-any.whl", "w") as file:
        file.writestr("tinydep.py", "WORD = 'from a dependency'\n")
        info = "tinydep-1.0.dist-info"
        file.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tinydep\nVersion: 1.0\n")
        file.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        file.writestr(f"{info}/RECORD", f"tinydep.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n")
    return folder


@pytest.fixture
def no_network(wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("UV_OFFLINE", "1")
    monkeypatch.setenv("UV_NO_INDEX", "1")
    monkeypatch.setenv("UV_FIND_LINKS", str(wheel))


@pytest.fixture
def make_script(make_tool: Make) -> Make:
    def make(name: str, text: str, **manifest: object) -> Path:
        entry = {"script": "main.py"}
        return make_tool(name, {"main.py": text}, **{"runtime": "python-uv-script", "entry": entry, **manifest})

    return make


@pytest.mark.usefixtures("no_network")
async def test_a_script_runs_in_its_environment(make_script: Make, call: Call) -> None:
    make_script("hello", script())
    answer = (await call("hello")).structured
    assert "environments" in str(answer["prefix"])
    assert answer["says"] == "hello"


@pytest.mark.holds("D-RUN-10")
@pytest.mark.usefixtures("no_network")
async def test_uv_is_asked_once_and_again_only_when_the_declaration_changes(
    make_script: Make, runtime: FolderRuntime, registry: Registry, call: Call, tmp_path: Path
) -> None:
    folder = make_script("hello", script())
    await runtime.prepare(registry.find("hello"))
    answer = (await call("hello")).structured
    without_uv = Environments(tmp_path / "cache" / "uv", uv="/bin/false")
    assert await without_uv.interpreter(registry.find("hello")) == answer["python"]
    (folder / "main.py").write_text(script("changed"))
    assert await without_uv.interpreter(registry.find("hello")) == answer["python"]
    answer = (await call("hello")).structured
    assert answer["says"] == "changed"
    (folder / "main.py").write_text(script(dependencies='"tinydep"'))
    with pytest.raises(Unavailable) as told:
        await without_uv.interpreter(registry.find("hello"))
    assert told.value.error_code == "environment_failed"


@pytest.mark.usefixtures("no_network")
async def test_dependencies_are_there_and_missing_ones_are_told(make_script: Make, call: Call) -> None:
    text = script(dependencies='"tinydep"') + "import tinydep\n"
    make_script("dep", text.replace("print(json", "import tinydep\nprint(json").replace('"hello"', "tinydep.WORD"))
    answer = (await call("dep")).structured
    assert answer["says"] == "from a dependency"
    make_script("lost", script(dependencies='"no-such-package-anywhere"'))
    with pytest.raises(Unavailable) as told:
        await call("lost")
    assert "no-such-package-anywhere" in told.value.message


@pytest.mark.parametrize("text", [script() + script(), "# /// script\n# dependencies = [\n# ///\n", "\udcff"])
@pytest.mark.usefixtures("no_network")
async def test_broken_declarations_are_told(make_script: Make, call: Call, text: str) -> None:
    folder = make_script("broken", "pass")
    (folder / "main.py").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(PrimeError) as told:
        await call("broken")
    assert told.value.error_code in {"invalid_script", "environment_failed"}


@pytest.mark.usefixtures("no_network")
async def test_a_script_without_a_declaration_runs_too(make_script: Make, call: Call) -> None:
    make_script("bare", "import json\nprint(json.dumps(1))\n", entry={"script": "main.py", "uv_args": ["--no-project"]})
    assert (await call("bare")).structured == 1
