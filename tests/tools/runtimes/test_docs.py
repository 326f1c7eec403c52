"""`docs/write-a-tool.md` is true: its files and its commands make a tool."""

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = (Path(__file__).parents[3] / "docs" / "write-a-tool.md").read_text("utf-8")
BIN = Path(sys.executable).parent


def test_write_a_tool_in_five_minutes(tmp_path: Path) -> None:
    for name, text in re.findall(r"```\w+ title=(\S+)\n(.*?)```", PAGE, re.DOTALL):
        file = tmp_path / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    env = {**os.environ, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "share")}
    env["PATH"] = f"{BIN}{os.pathsep}{env['PATH']}"
    (commands,) = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
    done = subprocess.run(
        ["/bin/sh", "-ec", commands], env=env, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Added count_words" in done.stdout
    assert re.search(r"^ok .*Two words$", done.stdout, re.MULTILINE)


def test_every_error_code_and_every_policy_is_on_the_page() -> None:
    package = Path(__file__).parents[3] / "src" / "prime" / "tools" / "runtimes"
    faults = (package / "faults.py").read_text()
    codes = set(re.findall(r'"(tool_[a-z_0-9]+)"', faults)) - {"tool_failed", "tool_killed"}
    policies = re.findall(
        r'"(\w+)": \("', (package / "reading.py").read_text().split("_policy: _Fields")[1].split("}")[0]
    )
    assert len(codes) > 8
    assert len(policies) == 9
    for word in (*codes, *policies):
        assert word in PAGE, f"docs/write-a-tool.md does not say {word}"
