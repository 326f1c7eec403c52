"""The page's own logic, without a browser: what `web/test` says about it."""

import subprocess
import sys
from pathlib import Path

BUILD = Path(__file__).parents[2] / "scripts" / "build_page.py"


def test_what_the_page_reckons_is_right() -> None:
    ran = subprocess.run([sys.executable, BUILD, "--test"], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
