"""A machine that is thrown away: this one's system, read-only, with places of its own where a program is installed and run.

Everybody in it is root; what is missing to be a real one is played by small programs: `sudo`; a `systemctl` that starts
what a unit says, as its user, with its variables and its folder (what else a unit says of the process is not applied);
and an `ssh` that, whichever machine is named, runs the command here.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

SUDO = """#!/bin/sh
if [ "$1" = -u ]; then
  user=$2
  shift 2
  exec setpriv --reuid "$user" --regid "$user" --clear-groups "$@"
fi
exec "$@"
"""
SYSTEMCTL = """#!/bin/bash
set -euo pipefail
name=${!#}
said() { sed -n "s/^$1=//p" "/etc/systemd/system/$name.service"; }
if [ "$1" = stop ]; then
  kill -TERM "$(cat "/run/$name.pid")"
  while kill -0 "$(cat "/run/$name.pid")" 2>/dev/null; do sleep 0.1; done
  exit
fi
user=$(said User)
install -d -o "$user" -g "$(said Group)" -m "$(said StateDirectoryMode)" "/var/lib/$(said StateDirectory)"
mapfile -t variables < <(grep -v '^#' "$(said EnvironmentFile)"; said Environment | tr ' ' '\\n')
as=(setpriv --reuid "$user" --regid "$(said Group)" --clear-groups env -i "${variables[@]}")
said ExecStartPre | while read -r command; do "${as[@]}" $command; done
"${as[@]}" $(said ExecStart) >>"/run/$name.log" 2>&1 &
echo $! >"/run/$name.pid"
"""


SSH = """#!/bin/sh
while getopts l:p: option; do :; done
shift "$OPTIND"
exec sh -c "$*"
"""


class Machine:
    """Runs scripts; what they leave behind lasts as long as `folder`, and processes as long as their script."""

    def __init__(self, folder: Path) -> None:
        self.desk = folder / "desk"
        self._places = {
            "/etc": folder / "etc",
            "/opt": folder / "opt",
            "/run": folder / "run",
            "/var/lib": folder / "lib",
        }
        shutil.copytree("/etc", self._places["/etc"], symlinks=True, ignore_dangling_symlinks=True)
        for place in (self.desk, *self._places.values()):
            place.mkdir(exist_ok=True)
        for name, text in (("sudo", SUDO), ("systemctl", SYSTEMCTL), ("ssh", SSH)):
            program = folder / "bin" / name
            program.parent.mkdir(exist_ok=True)
            program.write_text(text, "utf-8")
            program.chmod(0o755)
        self._programs = folder / "bin"

    def run(self, script: str, *, seconds: float, **variables: str) -> "subprocess.CompletedProcess[str]":
        environment = (
            os.environ | variables | {"PATH": f"/usr/local/bin:{self._programs}:/usr/sbin:/usr/bin:/sbin:/bin"}
        )
        return subprocess.run(
            [*self._inside(), "bash", "-euo", "pipefail", "-c", f"ldconfig\n{script}"],
            cwd=self.desk,
            env={name: value for name, value in environment.items() if not name.startswith("PYTHON")},
            capture_output=True,
            text=True,
            check=False,
            timeout=seconds,
        )

    def log(self, service: str) -> str:
        """What a service that was started has printed."""
        printed = self._places["/run"] / f"{service}.log"
        return printed.read_text("utf-8") if printed.exists() else ""

    def _inside(self) -> Sequence[str]:
        words = [
            "bwrap",
            "--ro-bind",
            "/",
            "/",
            "--dev",
            "/dev",
            "--proc",
            "/proc",
            "--unshare-pid",
            "--die-with-parent",
        ]
        # Here Python may stand where only root reads: it moves to where a machine has it.
        words += ["--ro-bind", sys.base_prefix, "/usr/local"]
        for inside, place in self._places.items():
            words += ["--bind", str(place), inside]
        for known in Path("/opt").iterdir():
            words += ["--ro-bind", str(known), str(known)]
        return [*words, "--bind", str(self.desk), str(self.desk), "--chdir", str(self.desk)]
