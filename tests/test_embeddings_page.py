"""What docs/recall.md says about a model of meaning, done: installed as a reader would, found, and on."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.brain.recall.models import save_model

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "recall.md").read_text("utf-8")


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_block_about_embeddings_runs(tmp_path: Path) -> None:
    [block] = re.findall(
        r"^<!-- run by tests/test_embeddings_page.py -->\n\n```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
    )
    lines = block.splitlines()
    assert lines[-1] == "prime serve"
    home, place = tmp_path / "home", tmp_path / "venv"
    save_model(home / "models" / "potion-base-8M", {"trip": (1.0, 0.0), "car": (0.9, 0.1), "automobile": (0.9, 0.1)})
    uv = str(Path(sys.executable).with_name("uv"))
    subprocess.run([uv, "build", "--quiet", "--wheel", "-o", str(tmp_path / "packages"), str(ROOT)], check=True)
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PRIME_")}
    environment = inherited | {
        "HOME": str(home),
        "PATH": f"{place / 'bin'}{os.pathsep}{os.environ['PATH']}",
        "PIP_FIND_LINKS": str(tmp_path / "packages"),
        "PRIME_DATA": str(tmp_path / "data"),
        "PRIME_PORT": "0",
        "PRIME_TOOL_SCAN_MS": "0",
    }
    command = ["bash", "-euo", "pipefail", "-c", "\n".join([*lines[:-1], "exec prime serve"])]
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as done:
        assert done.stdout
        said: list[str] = []
        for line in done.stdout:
            said.append(line)
            if "Prime is running at" in line:
                break
        done.send_signal(signal.SIGTERM)
        said += done.stdout.readlines()
    told = "".join(said)
    assert "Prime is running at" in told, told
    assert "on: 4 words" in told, told
