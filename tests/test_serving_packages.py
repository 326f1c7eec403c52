"""What `scripts/serve` installs is enough to serve: test packages must not be what makes it work."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent

# Taken by a library when it happens to be there, and not missed when it is not.
OPTIONAL = {"sniffio"}


def locked(name: str) -> set[str]:
    return set(re.findall(r"^([a-z0-9][a-z0-9._-]*)(?:\[[^\]]*\])?==", (ROOT / name).read_text("utf-8"), re.MULTILINE))


def test_serving_imports_nothing_that_only_tests_install() -> None:
    """Every module that a start loads, also on PostgreSQL, comes from a package of requirements.lock."""
    script = (
        "import sys, importlib.metadata as m, prime.app, prime.web.server, prime.store.engines.postgresql, greenlet\n"
        "names = m.packages_distributions()\n"
        "tops = {n.partition('.')[0] for n in sys.modules}\n"
        "print('\\n'.join(sorted({d for t in tops for d in names.get(t, [])})))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = {re.sub(r"[-_.]+", "-", name).lower() for name in done.stdout.split()} - {"prime-agent"}
    only_tests = locked("requirements-dev.lock") - locked("requirements.lock")
    assert loaded & only_tests <= OPTIONAL


def test_a_start_on_sqlite_leaves_postgresql_alone() -> None:
    script = "import sys, prime.app, prime.web.server; print('sqlalchemy.ext.asyncio' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
