"""Programs that let the folder they are called in name what they start: `cargo` in somebody's project is whatever it says."""

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from prime.tools.policy.decision import Reason, ask
from prime.tools.policy.shapes import Names

_TOOLCHAIN = ("rust-toolchain", "rust-toolchain.toml")
_CARGO = (*_TOOLCHAIN, ".cargo/config", ".cargo/config.toml")
# Looked for in the folder and in all above it, as these programs do.
_FILES: Mapping[str, Sequence[str]] = {
    "cargo": _CARGO,
    **dict.fromkeys(("rustc", "rustdoc", "rustfmt", "clippy-driver", "rust-analyzer", "rust-gdb"), _TOOLCHAIN),
}


def toolchain_reasons(commands: Sequence[Sequence[str]], cwd: Path, names: Names) -> Iterator[Reason]:
    """Asks about a program whose folder names another one to be run in its place, or beside it."""
    called = {name for argv in commands if argv for name in names.of(argv[0])}
    wanted = {file for name in called for file in _FILES.get("cargo" if name.startswith("cargo-") else name, ())}
    folders = (cwd, *cwd.parents) if wanted else ()
    found = sorted({file for folder in folders for file in wanted if os.path.lexists(folder / file)})
    if found:
        yield ask("launches_programs", f"The folder's own {', '.join(found)} can name programs that it starts.")
