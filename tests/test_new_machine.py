"""What the documentation does to a machine, done: a first start, Prime as a service, and everything brought back after a loss."""

import os
import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import httpx2
import pytest
from tests.machine import Machine

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "operations.md").read_text("utf-8")
START = (ROOT / "docs" / "start.md").read_text("utf-8")
PASSPHRASE = "correct horse battery"

pytestmark = pytest.mark.long


def blocks_below(heading: str) -> list[str]:
    """The commands of one part of the page."""
    part = re.split(r"^#+ ", PAGE.partition(f"# {heading}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
    return re.findall(r"^```sh\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    if not shutil.which("bwrap"):
        pytest.skip("a machine to throw away is made by bubblewrap, which is not here")
    made = Machine(tmp_path)
    (made.desk / "deploy").symlink_to(ROOT / "deploy")
    return made


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """Prime as it would lie in a registry."""
    folder = tmp_path / "packages"
    words = [str(Path(sys.executable).with_name("uv")), "build", "--quiet", "--wheel", "-o", str(folder), str(ROOT)]
    subprocess.run(words, check=True)
    # What is built later is served later: no copy of the page stays in the sources.
    assert not (ROOT / "src" / "prime" / "web" / "built_page").exists()
    return folder


def test_a_service_is_set_up_and_brought_back_on_a_new_machine(machine: Machine, packages: Path) -> None:
    install, commands = blocks_below("As a service")
    [restore] = blocks_below("The machine is lost")
    with socket.create_server(("127.0.0.1", 0)) as free:
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    variables = f"PRIME_PORT={url.rpartition(':')[2]} PRIME_OWNER_EMAIL=you@example.com PRIME_PUBLIC_URL={url}"
    # Here the reader puts the variables in.
    asked = "# then put the variables into it\n"
    assert asked in install
    install = install.replace(asked, f"\nprintf '%s\\n' {variables} PRIME_TOOL_SCAN_MS=0 >/etc/prime.env\n")
    ready = f"for _ in $(seq 300); do curl -fs {url}/readyz && break; sleep 0.1; done"
    steps = [
        install,
        ready,
        commands,
        'onserver chat "Our lamp is called Alba."',
        f"kept=$(onserver backup create --full --passphrase '{PASSPHRASE}' | cut -d ' ' -f 1)",
        # What was kept elsewhere, and the machine without all that was on it.
        'cp "$kept" prime-20260102-030405.tar.sealed',
        "systemctl stop prime",
        "rm -rf /var/lib/prime",
        restore,
        ready,
        "onserver doctor --server",
        "onserver recall Alba",
    ]
    done = machine.run("\n".join(map(dedent, steps)), seconds=300, PIP_FIND_LINKS=str(packages), PIP_NO_CACHE_DIR="1")
    log = machine.log("prime")
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}\n{log}"
    assert "Our lamp is called Alba." in done.stdout  # only the last step prints it


def test_backups_are_carried_to_another_machine(machine: Machine) -> None:
    """By the real rsync, twice: the second time it brings what is new and leaves what it has."""
    if not shutil.which("rsync"):
        pytest.skip("rsync is not here")
    [carry] = blocks_below("Away from the machine")
    backup = "prime backup create --data /var/lib/prime"
    steps = [
        backup,
        carry,
        "ls ~/prime-backups",
        "sleep 1",
        backup,
        carry,
        "diff -r /var/lib/prime/backups ~/prime-backups",
    ]
    done = machine.run(
        "\n".join(["mkdir -p ~", f'prime() {{ {Path(sys.executable).with_name("prime")} "$@"; }}', *steps]),
        seconds=60,
        HOME=str(machine.desk / "home"),
        PRIME_TOOL_SCAN_MS="0",
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert len(list((machine.desk / "home" / "prime-backups").glob("prime-*"))) == 2


def test_one_command_serves_a_new_checkout(tmp_path: Path) -> None:
    """With nothing at home but what the system brings: no settings, no packages, no data."""
    [command] = re.findall(r"^```sh\n(scripts/serve)\n```$", START, re.MULTILINE)
    checkout, home = tmp_path / "prime", tmp_path / "home"
    home.mkdir()
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in tracked.split("\0")[:-1]:
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, checkout / name)
    kept = ("PATH", "PYENV_VERSION", "SSL_CERT_FILE", "PIP_CERT", "NODE_EXTRA_CA_CERTS")
    environment = {name: os.environ[name] for name in kept if name in os.environ}
    environment |= {
        "HOME": str(home),
        "PRIME_PORT": "0",
        "PRIME_PYTHON": getattr(sys, "_base_executable", sys.executable),
    }
    with subprocess.Popen(
        [checkout / command], cwd=checkout, env=environment, stdout=subprocess.PIPE, text=True
    ) as served:
        try:
            assert served.stdout
            url = served.stdout.readline().split()[-1]
            page = httpx2.get(url)
            said = httpx2.post(f"{url}/api/chat", json={"text": "Find us a photographer in Berlin by May."}, timeout=30)
        finally:
            served.terminate()
    assert "<title>Prime</title>" in page.text
    assert said.status_code == 200, said.text
    assert served.returncode == 0
    assert (home / ".local" / "share" / "prime" / "prime.db").exists()
