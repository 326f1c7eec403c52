"""Where both commands, `prime` and `prime-agent`, begin.

Asking Prime what it can do (`prime --agent`) is answered from a generated document before anything heavy is imported:
agents ask it of every program on the PATH, so it must cost hardly more than starting Python.
"""

import os
import sys


def main() -> None:
    _open_closed_streams()
    if "--agent" in sys.argv[1:]:
        from prime.cli.agent_document import answer

        code = answer(sys.argv[1:])
        if code is not None:
            sys.exit(code)
    from prime.cli.main import run

    run()


def _open_closed_streams() -> None:
    """Whoever starts Prime may have closed stdin, stdout or stderr (`>&-`): no file opened later takes their number."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            number = os.open(os.devnull, os.O_RDWR)  # the lowest that is free, which is the stream's own
            setattr(sys, name, open(number, mode, closefd=False))  # noqa: SIM115  it is open to the end


if __name__ == "__main__":
    main()
